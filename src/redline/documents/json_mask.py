"""Comments, trailing commas and foreign white space, blanked with spaces of equal length."""

from __future__ import annotations

import re

from redline.documents.possessive import compiled

_DOUBLE = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SINGLE = rb"'[^'\\]*+(?:\\.[^'\\]*+)*+'"
# Everything up to the next thing to blank is passed over in one match at C speed. A comment or
# string that is never closed ends the search; the text is invalid then anyway.
_COMMENTED = compiled(
    rb'(?:[^"/]++|' + _DOUBLE + rb"|/(?![/*]))*+(//[^\r\n]*+|/\*.*?\*/)", re.DOTALL
)
_FOREIGN = (
    rb"(?:\xc2\xa0|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xe1\x9a\x80"
    rb"|\xef\xbb\xbf)"
)
_COMMENTED5 = compiled(
    rb"(?:[^\"'/\v\f\x80-\xff]++|" + _DOUBLE + rb"|" + _SINGLE + rb"|/(?![/*])"
    rb"|(?!" + _FOREIGN + rb")[\x80-\xff])*+"
    rb"(//(?:[^\r\n\xe2]|\xe2(?!\x80[\xa8\xa9]))*+|/\*.*?\*/|" + _FOREIGN + rb"|[\v\f])",
    re.DOTALL,
)
_TO_QUOTE = compiled(rb"(?:[^\"']++|" + _DOUBLE + rb"|" + _SINGLE + rb")*+", re.DOTALL)
_QUOTED = compiled(_DOUBLE + rb"|" + _SINGLE, re.DOTALL)
_TRAILING_COMMA = re.compile(rb",\s*+[\]}]")
_NOT_BREAK = re.compile(rb"[^\r\n]")
_BOM = b"\xef\xbb\xbf"


def blank_comments(source: bytes, form: str) -> bytes:
    """*source* with BOM and comments blanked, length and line breaks kept."""
    mask = _without_comments(source, form)
    return mask if isinstance(mask, bytes) else bytes(mask)


def _without_comments(source: bytes, form: str) -> bytes | bytearray:
    commented = b"//" in source or b"/*" in source
    if form == "json5" and (commented or not source.isascii() or _has_foreign_ascii(source)):
        return _blanked(source, _COMMENTED5)
    if form == "jsonc" and commented:
        return _blanked(source, _COMMENTED)
    return b"   " + source[3:] if source.startswith(_BOM) else source


def _has_foreign_ascii(source: bytes) -> bool:
    return b"\v" in source or b"\f" in source


def _blanked(source: bytes, commented: re.Pattern[bytes]) -> bytearray:
    mask = bytearray(source)
    at = 0
    if source.startswith(_BOM):
        mask[:3], at = b"   ", 3
    match = commented.match
    while found := match(source, at):
        start, at = found.span(1)
        if source.startswith(b"/*", start):
            mask[start:at] = _NOT_BREAK.sub(b" ", found[1])
        else:
            mask[start:at] = b" " * (at - start)
    return mask


def mask_of(source: bytes, form: str) -> bytes:
    """*source* with trailing commas blanked as well."""
    mask = _without_comments(source, form)
    if form != "json" and _TRAILING_COMMA.search(mask):
        # In place: a large file is not held once more.
        mask = mask if isinstance(mask, bytearray) else bytearray(mask)
        _blank_commas(mask)
    return mask if isinstance(mask, bytes) else bytes(mask)


def _blank_commas(mask: bytearray) -> None:
    outside = 0
    for comma in [found.start() for found in _TRAILING_COMMA.finditer(mask)]:
        if comma < outside:
            continue
        clear = _TO_QUOTE.match(mask, outside, comma)
        outside = clear.end() if clear else outside
        if outside < comma:
            # A string is open here: everything up to its end is text.
            quoted = _QUOTED.match(mask, outside)
            outside = quoted.end() if quoted else len(mask)
        elif _follows_value(mask, comma):
            mask[comma] = 0x20


def _follows_value(mask: bytearray, comma: int) -> bool:
    """Whether something a comma may follow stands before it."""
    at = comma - 1
    while at >= 0 and mask[at] in b" \t\r\n":
        at -= 1
    return at >= 0 and mask[at] not in b"[{,:"
