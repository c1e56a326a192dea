"""How deep the brackets of a YAML text can nest at most, without reading the text as YAML.

What opens counts, wherever it stands. What closes counts only where it surely does: in a string
or a comment it closes nothing, and to know all strings and comments the text would have to be
read. But when a bracket really opens a flow collection and only plain entries or simple strings
follow, the bracket after them really closes it; and when it opens nothing, too much is counted.
A text that is one flow collection from its first byte to its last, without comments or marks, as
JSON is, has its strings where they seem to be: there the brackets are counted exactly.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from redline.documents.possessive import compiled

# Between two quotes of a kind without any of these, both are marks of a string or neither is;
# unless an anchor or a tag has a quote in its name.
_OTHERS = bytes(byte for byte in range(256) if byte not in b"[]{}\"'#,:")
# The mark comes first in either pattern: one byte is found fast, one of two is not.
_QUOTED_NAMES = tuple(compiled(mark + rb"[^\s\[\]{},\"']*+[\"']") for mark in (b"&", b"!"))
_ALIKE = bytes.maketrans(b"{}", b"[]")
_SPACE = rb"[ \t\r\n]*+"
_STRING = rb"(?:\"[^\"\\\[\]{}]*+(?:\\[^\[\]{}][^\"\\\[\]{}]*+)*+\"|'[^'\[\]{}]*+')"
_WORD = rb"[^\s\[\]{},#:]"
_PLAIN = rb"[^\s\[\]{},#:\"'&!]%b*+(?:(?::|[ \t\r\n]++)%b++)*+" % (_WORD, _WORD)
_TAG = rb"(?:![\w:.-]*+[ ]++)?+"
_LEVELS = 3
_LITTLE = 15
_SPACES = b" \t\r\n"
# Neither strings, comments, marks nor block scalars; nor what a string's escapes are turned into.
_HARMLESS = bytes(b for b in range(0x21, 256) if b not in b"\"'#&*!|>%@`?\\\x7f")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_TURNS = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")
# A string that does not stand where one must, or goes on in what is no string.
_ODD_STRING = compiled(rb"\"(?:(?<![,\[{]\")(?<!\":\")|(?![,:\]}]))")
_ROW = compiled(rb"\[++|\]++")
_WHOLE_ESCAPES = compiled(rb"\\*+.", re.DOTALL)
_WINDOW = 1 << 16


@cache
def _simple() -> tuple[re.Pattern[bytes], ...]:
    """A list, and a mapping, of plain entries and simple strings, some levels deep."""
    group = inside = rb"(?!)"
    for _ in range(_LEVELS):
        other = rb"(?:" + _PLAIN + rb"|" + group + rb")" + _SPACE
        entry = (
            _TAG + rb"(?:" + _STRING + _SPACE + rb"[,:]|(?:" + other + rb")?+"
            rb"(?:,|:(?=[\s,\[\]{}])))" + _SPACE
        )  # fmt: skip
        last = _TAG + rb"(?:" + _STRING + _SPACE + rb"|" + other + rb")?+"
        inside = _SPACE + rb"(?:" + entry + rb")*+" + last + rb"[\]}]"
        group = rb"[\[{]" + inside
    # As one pattern this would have to look at every byte, for each of its two first ones.
    return tuple(compiled(opening + inside) for opening in (rb"\[", rb"\{"))


def bracket_bounds(source: bytes) -> Iterator[int]:
    """Depths that brackets surely do not pass: one found at once, and others that take longer."""
    opened = source.count(b"[") + source.count(b"{")
    if opened <= _LITTLE:
        yield opened
    # With escapes in its strings, a text is more likely to have all kinds of other things there.
    for bound in (_json_depth, _most) if b"\\" in source else (_most, _json_depth):
        found = bound(source)
        if found is not None:
            yield found
    yield _most(b"".join(_condensed(source))) + _LEVELS * len(_simple())


def _condensed(source: bytes) -> Iterator[bytes]:
    """*source* with a comma for each simple collection, some lines at a time."""
    at = 0
    while at < len(source):
        end = source.find(b"\n", at + _WINDOW) + 1 or len(source)
        text = source[at:end]
        for simple in _simple():
            text = simple.sub(b",", text)
        yield text
        at = end


def _json_depth(source: bytes) -> int | None:
    """How deep the one flow collection nests that *source* is; None when it may be anything else.

    In a flow collection a quote behind a comma, a bracket or a key begins a string, and only there;
    every bracket outside of strings is one.
    """
    start = source[:_WINDOW].removeprefix(b"\xef\xbb\xbf").lstrip(_SPACES)[:1]
    if start not in (b"[", b"{"):
        return None
    if any(mark in source and b"\n" + mark in source for mark in (b"---", b"...")):
        return None
    left = _without_strings(source)
    if left.translate(None, _HARMLESS + b'"') or _ODD_STRING.search(left) or left[-1] not in b"]}":
        return None
    turns = array("b", left.translate(_TURNS, _NOT_BRACKETS))
    # Behind the end of the collection something else could begin.
    return max(accumulate(turns)) if all(accumulate(turns[:-1])) else None


def _without_strings(source: bytes) -> bytes:
    """*source* without blanks and byte order mark, every string in double quotes a mere quote."""
    left: list[bytes] = []
    is_inside, at = False, 3 if source.startswith(b"\xef\xbb\xbf") else 0
    while at < len(source):
        window = _WHOLE_ESCAPES.match(source, at + _WINDOW - 1)
        text = source[at : window.end()] if window else source[at:]
        at += len(text)
        if b"\\" in text:
            # What is escaped does not end a string; outside of one it may not stand.
            text = text.replace(b"\\\\", b"\0").replace(b'\\"', b"\0")
        parts = text.split(b'"')
        left.append(b'"'.join(parts[is_inside::2]))
        if len(parts) % 2 == 0:
            is_inside = not is_inside
        if is_inside and len(parts) > 1:
            left.append(b'"')
    return b"".join(left).translate(None, _SPACES)


def _height(brackets: bytes) -> int:
    """How deep brackets with nothing between them nest; good for long rows of one kind."""
    height = most = 0
    for row in _ROW.findall(brackets):
        height = height + len(row) if row[0] == 0x5B else max(height - len(row), 0)
        most = max(most, height)
    return most


def _most(source: bytes) -> int:
    """At least as many as brackets nest, wherever strings and comments are."""
    if b"\\" in source:
        # What is escaped does not end a string.
        source = source.replace(b"\\\\", b"").replace(b'\\"', b"")
    left = source.translate(_ALIKE, _OTHERS)
    if not any(name.search(source) for name in _QUOTED_NAMES):
        left = left.replace(b'""', b"").replace(b"''", b"")
    left = left.translate(None, b",:")
    if left.count(b"[[[[") * 16 > len(left) and not left.strip(b"[]"):
        return _height(left)
    layers, paired = 0, len(left)
    # Pairs with nothing but pairs between them, layer by layer while that makes good progress.
    while paired * 64 > len(left):
        shorter = left.replace(b"[]", b"")
        left, layers, paired = shorter, layers + 1, len(left) - len(shorter)
    return layers + left.count(b"[")
