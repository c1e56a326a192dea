"""Comments, trailing commas and foreign white space, blanked with spaces of equal length."""

from __future__ import annotations

import re

from redline.documents.base.possessive import compile_pattern

_DOUBLE = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SINGLE = rb"'[^'\\]*+(?:\\.[^'\\]*+)*+'"
_COMMENT = rb"//[^\r\n]*+|/\*.*?\*/"
_FOREIGN = (
    rb"(?:\xc2\xa0|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xe1\x9a\x80"
    rb"|\xef\xbb\xbf)"
)
_COMMENT5 = rb"//[^\r\n\xe2]*+(?:\xe2(?!\x80[\xa8\xa9])[^\r\n\xe2]*+)*+|/\*.*?\*/"
# Everything up to the next thing to blank is passed over in one match at C speed. A comment or
# string that is never closed ends the search; the text is invalid then anyway.
_BLANKED = compile_pattern(
    rb'[^"/,]*+(?:(?:' + _DOUBLE + rb"|/(?![/*])|,(?!\s*+(?:(?:" + _COMMENT + rb")\s*+)*+[\]}]))"
    rb'[^"/,]*+)*+(' + _COMMENT + rb"|,)?+",
    re.DOTALL,
)
_PLAIN5 = rb"[^\"'/,\v\f\x80-\xff]*+"
_BLANKED5 = compile_pattern(
    _PLAIN5 + rb"(?:(?:" + _DOUBLE + rb"|" + _SINGLE + rb"|/(?![/*])"
    rb"|,(?!\s*+(?:(?:" + _COMMENT5 + rb"|" + _FOREIGN + rb")\s*+)*+[\]}])"
    rb"|(?!" + _FOREIGN + rb")[\x80-\xff])" + _PLAIN5 + rb")*+"
    rb"(" + _COMMENT5 + rb"|" + _FOREIGN + rb"|[\v\f]|,)?+",
    re.DOTALL,
)
_TRAILING_COMMA = re.compile(rb",\s*+[\]}]")
_SPACES = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
# What only a value ends with; after anything else a comma is looked at more closely.
_ENDS = frozenset(b"]}\"'0123456789")
_BOM = b"\xef\xbb\xbf"


def blank_comments(source: bytes, form: str) -> bytes | bytearray:
    """*source* with BOM and comments blanked, length and line breaks kept."""
    return _blank(source, form, commas=False)


def mask_of(source: bytes, form: str) -> bytes | bytearray:
    """*source* with trailing commas blanked as well; itself where there is nothing to blank."""
    if form == "json" or _is_plain(source, form):
        return b"   " + source[3:] if source.startswith(_BOM) else source
    return _blank(source, form, commas=True)


def _is_plain(source: bytes, form: str) -> bool:
    if form == "json5" and (not source.isascii() or b"\v" in source or b"\f" in source):
        return False
    commented = b"//" in source or b"/*" in source
    return not commented and _TRAILING_COMMA.search(source) is None


def _blank(source: bytes, form: str, *, commas: bool) -> bytearray:
    mask = bytearray(source)
    at = 0
    if source.startswith(_BOM):
        mask[:3], at = b"   ", 3
    for found in (_BLANKED5 if form == "json5" else _BLANKED).finditer(source, at):
        start, end = found.span(1)
        if start < 0:
            break
        if source[start] != 0x2C:
            mask[start:end] = source[start:end].translate(_SPACES)
        elif commas and (mask[start - 1] in _ENDS or _follows_value(mask, start)):
            mask[start] = 0x20
    return mask


def _follows_value(mask: bytearray, comma: int) -> bool:
    """Return whether something that a comma may follow is before it."""
    at = comma - 1
    while at >= 0 and mask[at] in b" \t\r\n":
        at -= 1
    return at >= 0 and mask[at] not in b"[{,:"
