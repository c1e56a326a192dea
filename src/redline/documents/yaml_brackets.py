"""How deep the brackets of a YAML text can nest at most, without reading the text as YAML.

What opens counts, wherever it stands. What closes counts only where it surely does: in a string
or a comment it closes nothing, and to know all strings and comments the text would have to be
read. But when a bracket really opens a flow collection and only plain entries or simple strings
follow, the bracket after them really closes it; and when it opens nothing, too much is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.documents.possessive import compiled

# Between two quotes of a kind without any of these, both are marks of a string or neither is;
# unless an anchor or a tag has a quote in its name.
_OTHERS = bytes(byte for byte in range(256) if byte not in b"[]{}\"'#,:")
_QUOTED_NAME = compiled(rb"[&!][^\s\[\]{},\"']*+[\"']")
_ALIKE = bytes.maketrans(b"{}", b"[]")
_SPACE = rb"[ \t\r\n]*+"
_STRING = rb"(?:\"[^\"\\\[\]{}]*+(?:\\[^\[\]{}][^\"\\\[\]{}]*+)*+\"|'[^'\[\]{}]*+')"
_WORD = rb"[^\s\[\]{},#:]"
_PLAIN = rb"[^\s\[\]{},#:\"'&!]%b*+(?:(?::|[ \t\r\n]++)%b++)*+" % (_WORD, _WORD)
_GROUP = rb"(?!)"
_LEVELS = 3
for _ in range(_LEVELS):
    _OTHER = rb"(?:" + _PLAIN + rb"|" + _GROUP + rb")" + _SPACE
    _ENTRY = (
        rb"(?:" + _STRING + _SPACE + rb"[,:]|(?:" + _OTHER + rb")?+(?:,|:(?=[\s,\[\]{}])))" + _SPACE
    )
    _LAST = rb"(?:" + _STRING + _SPACE + rb"|" + _OTHER + rb")?+"
    _GROUP = rb"[\[{]" + _SPACE + rb"(?:" + _ENTRY + rb")*+" + _LAST + rb"[\]}]"
_SIMPLE = compiled(_GROUP)
_LITTLE = 15


def bracket_bounds(source: bytes) -> Iterator[int]:
    """Depths that brackets surely do not pass: one found at once, and one that takes longer."""
    opened = source.count(b"[") + source.count(b"{")
    yield opened if opened <= _LITTLE else _most(source)
    yield _most(_SIMPLE.sub(b",", source)) + _LEVELS


def _most(source: bytes) -> int:
    """At least as many as brackets nest, wherever strings and comments are."""
    if b"\\" in source:
        # What is escaped does not end a string.
        source = source.replace(b"\\\\", b"").replace(b'\\"', b"")
    left = source.translate(_ALIKE, _OTHERS)
    if (b"&" not in source and b"!" not in source) or not _QUOTED_NAME.search(source):
        left = left.replace(b'""', b"").replace(b"''", b"")
    left = left.translate(None, b",:")
    layers, paired = 0, len(left)
    # Pairs with nothing but pairs between them, layer by layer while that makes good progress.
    while paired * 64 > len(left):
        shorter = left.replace(b"[]", b"")
        left, layers, paired = shorter, layers + 1, len(left) - len(shorter)
    return layers + left.count(b"[")
