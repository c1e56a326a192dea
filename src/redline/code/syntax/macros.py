"""Words in macro bodies, which the C grammar leaves as unparsed text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.node import LeafSlice, SyntaxNode

_TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*")
_LINE = re.compile(r"[^\n]+")


def words_in_macros(
    root: SyntaxNode, name: str | None = None
) -> Iterator[tuple[LeafSlice, SyntaxNode]]:
    """Yield every word in a macro body (or only *name*) together with that body."""
    word = _WORD if name is None else re.compile(rf"\b{re.escape(name)}\b")
    for body in root.find_all(all=[{"kind": "preproc_arg"}, {"regex": word.pattern}]):
        text = body.text()
        for found in word.finditer(without_texts(text)):
            yield LeafSlice.within(body, text, found.start(), found.end()), body


def without_texts(code: str) -> str:
    """Blank the strings and comments of C code, keeping every offset and line."""
    return _TEXTS.sub(lambda found: _LINE.sub(lambda row: " " * len(row[0]), found[0]), code)
