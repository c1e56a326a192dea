"""Words in the bodies of macros: text to the grammar, code to whoever uses the macro."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.node import Node, Spot

_TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*")
_LINE = re.compile(r"[^\n]+")


def words_in_macros(root: Node, name: str | None = None) -> Iterator[tuple[Spot, Node]]:
    """Where bodies of macros spell a word, or *name* alone, each with its body."""
    word = _WORD if name is None else re.compile(rf"\b{re.escape(name)}\b")
    for body in root.find_all(all=[{"kind": "preproc_arg"}, {"regex": word.pattern}]):
        text = body.text()
        for found in word.finditer(without_texts(text)):
            yield Spot.within(body, text, found.start(), found.end()), body


def without_texts(code: str) -> str:
    """C without its strings and comments, every offset and line kept."""
    return _TEXTS.sub(lambda found: _LINE.sub(lambda row: " " * len(row[0]), found[0]), code)
