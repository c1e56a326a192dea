"""Single pairs in flow sequences, `[a: {b: 1, c: 2}]`, as the strict parser reads them right.

py-yaml12 ends the mapping of such a pair at its first comma, and takes what follows for further
keys without values. After `? ` it reads the whole pair.
"""

from __future__ import annotations

import re
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.yaml.skim.scan import Scanner

_MAY_BE_PAIR = re.compile(rb"[\[,]([^\[\]{},]*)\{")


def may_be_misread(source: bytes, nodes: Any) -> bool:
    """Whether some mapping among *nodes* may be what is left of a single pair's value."""
    return (
        b"[" in source
        and any(b":" in found[1] for found in _MAY_BE_PAIR.finditer(source))
        and any(isinstance(node, dict) and None in list(node.values())[1:] for node in nodes)
    )


def with_explicit_keys(source: bytes) -> bytes:
    """Return the stream with `? ` before the key of every single pair; DocumentSyntax."""
    scanner = Scanner(source)
    try:
        starts = sorted(
            start
            for part in scanner.stream.parts()
            for start in _pairs(scanner, scanner.root(part))
        )
    except CannotApply as error:
        raise DocumentSyntax(f"Invalid YAML: {error.message}") from None
    pieces, at = [], 0
    for start in starts:
        pieces += [source[at:start], b"? "]
        at = start
    return b"".join([*pieces, source[at:]])


def _pairs(scanner: Scanner, root: Any) -> list[int]:
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.kind not in ("mapping", "sequence"):
            continue
        if node.pair is not None and scanner.source[node.start : node.start + 1] != b"?":
            found.append(node.start)
        stack += [scanner.value_of(node, child) for child in scanner.entries(node)]
    return found
