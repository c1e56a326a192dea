"""Tags and anchors heaped before one node: invalid, and more than rapidyaml has room for."""

from __future__ import annotations

import re

from redline.core.errors import DocumentSyntax

_PROPERTY = rb"[&!][^\s,\[\]{}]*"
_GAP = rb"\s+(?:#[^\n]*(?:\n\s*|\Z))*"
# The first character comes first: the search for it is what is fast.
_STARTS = rb"[&!](?:(?<=[\s\[{,].)|(?<=\A.))[^\s,\[\]{}]*"
_HEAP = re.compile(rb"%b%b(?:%b%b)+%b" % (_STARTS, _GAP, _PROPERTY, _GAP, _PROPERTY))
_COMMENT = re.compile(rb"(?<!\S)#[^\n]*")


def refuse_heaps(text: bytes) -> None:
    """Refuse more than two tags, or two anchors, in a row: one is the collection's, one its first
    key's. The parser writes past its own memory at the third tag."""
    if text.count(b"!") < 3 and text.count(b"&") < 3:
        return
    for heap in _HEAP.finditer(text):
        words = _COMMENT.sub(b"", heap[0]).split()
        tags = sum(word.startswith(b"!") for word in words)
        if tags > 2 or len(words) - tags > 2:
            line = text.count(b"\n", 0, heap.start()) + 1
            raise DocumentSyntax(
                "Invalid YAML: too many tags or anchors before one node", line=line
            )
