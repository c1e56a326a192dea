"""What may be said not to be there: only what is named as things of its kind are."""

from __future__ import annotations

import re

from redline.instruct.language.words import key_form
from redline.instruct.lexicon.tree import DocumentTree, Nodes

_MARKS = re.compile(r"[^\w]+|_")
_RUNS = (
    (re.compile(r"[^\W\d_]+"), "a"),
    (re.compile(r"\d+"), "9"),
    (re.compile(r"a([ '-]a)+"), "a"),
)


def may_name(tree: DocumentTree, nodes: Nodes, name: str) -> bool:
    """Return whether a name is written like those of *nodes*: p-09 beside t-01, lint and build."""
    texts = []
    for node in nodes:
        if isinstance(tree.values[node], dict):
            kind = key_form(str(tree.keys[tree.parents[node]]))
            held = (
                n for n in tree.children(node)
                if tree.identifies(n) or key_form(str(tree.keys[n])) == kind
            )  # fmt: skip
            texts += [tree.text(n) for n in held]
            texts.append(str(tree.keys[node]) if isinstance(tree.keys[node], str) else None)
        else:
            texts.append(tree.text(node))
    shape = _shape(name)
    return any(_shape(text) == shape for text in texts if text)


def is_composed(tree: DocumentTree, name: str) -> bool:
    """Return whether a name is put together from values that are here: AMS-LIS."""
    parts = [part for part in _MARKS.split(name.strip("\"'`").lower()) if len(part) > 1]
    if len(parts) < 2:
        return False
    held = {v.lower() for v in tree.values if isinstance(v, str) and len(v) < 40}
    return all(part in held for part in parts)


def _shape(text: str) -> str:
    """Return how a text is written: its letters, digits and marks in their order."""
    text = text.strip("\"'`#")
    for pattern, mark in _RUNS:
        text = pattern.sub(mark, text)
    return text
