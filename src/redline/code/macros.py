"""Words in the bodies of macros: text to the grammar, code to whoever uses the macro."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.named import Node, Spot

_NO_CODE = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/', re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*")


def words_in_macros(root: Node, name: str | None = None) -> Iterator[tuple[Spot, Node]]:
    """Where bodies of macros spell a word, or *name* alone, each with its body."""
    word = _WORD if name is None else re.compile(rf"\b{re.escape(name)}\b")
    for body in root.find_all(all=[{"kind": "preproc_arg"}, {"regex": word.pattern}]):
        text = body.text()
        plain = _NO_CODE.sub(lambda found: " " * len(found[0]), text)
        for found in word.finditer(plain):
            yield Spot.within(body, text, found.start(), found.end()), body
