"""JSON Pointers, dotted and bracketed paths as names of nodes."""

from __future__ import annotations

import re

from redline.instruct.language.words import key_form
from redline.instruct.lexicon.tree import DocumentTree, Nodes

_PART = re.compile(r"\[\"([^\"]+)\"\]|\['([^']+)'\]|([^.\[\]/]+)")


def nodes_of_path(tree: DocumentTree, text: str) -> Nodes:
    """Return the nodes a path leads to: from the root, else from wherever its first key is.

    A key that is written like the path is one of them, so that `a.b` beside {"a": {"b": ..}} and
    {"a.b": ..} is two places.
    """
    same_key = tree.by_key.get(text, [])
    parts = path_parts(text)
    if text.startswith("/"):
        node = tree.node_at(parts)
        return tuple(sorted({*same_key, *(() if node is None else (node,))}))
    if not parts:
        return ()
    node = _follow(tree, parts)
    if node is not None:
        return tuple(sorted({node, *same_key}))
    if same_key:
        return tuple(same_key)
    starts = [n for n in tree.by_form.get(key_form(parts[0]), []) if tree.keys[n] == parts[0]]
    ends = (tree.node_at(parts[1:], start) for start in starts)
    return tuple(sorted(n for n in ends if n is not None))


def with_dotted(tree: DocumentTree, nodes: list[int]) -> list[int]:
    """Return *nodes* and those of their kind whose dotted key ends so: `editor.size` for `size`."""
    name, kind = key_form(str(tree.keys[nodes[0]])), type(tree.values[nodes[0]])
    dotted = [key for key in tree.by_key if "." in key and key_form(key.rpartition(".")[2]) == name]
    more = (n for key in dotted for n in tree.by_key[key] if type(tree.values[n]) is kind)
    return sorted({*nodes, *more})


def _follow(tree: DocumentTree, parts: list[str]) -> int | None:
    """Return the node at a path; an index below 0 counts from the end."""
    node: int | None = 0
    for part in parts:
        assert node is not None
        held = tree.values[node]
        if isinstance(held, list) and part.startswith("-") and part[1:].isdigit():
            part = str(len(held) - int(part[1:]))
        node = tree.node_at([part], node)
        if node is None:
            return None
    return node


def path_parts(text: str) -> list[str]:
    """Return the keys and indexes that a path names one after another."""
    if text.startswith("/"):
        return [p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/")]
    found = _PART.findall(text.removeprefix("$"))
    return [double or single or plain for double, single, plain in found]
