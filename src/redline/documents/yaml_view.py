"""Readings of valid YAML that rapidyaml can take in.

rapidyaml's trees have no collections as keys, and it wants spaces where YAML also allows tabs. For
documents that have these, it is given the same text with such keys replaced by a scalar made of
their bytes and separating tabs replaced by spaces. Old and new go through the same reading, so a
difference stays a difference.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from redline.core.errors import CannotApply
from redline.core.splice import Splice, apply_splices
from redline.documents.yaml_flow import Node
from redline.documents.yaml_scan import Scanner

_TAB_AFTER = re.compile(rb"(?<=[:\-?])[ ]*\t[ \t]*(?=[^ \t\r\n])")
_TAB_BEFORE_COMMENT = re.compile(rb"[ ]*\t[ \t]*(?=#)")
_TRAILING = re.compile(rb"(?<=[^ \t\n])[ ]*\t[ \t]*(?=\n|\Z)")
# A tab may separate an indicator from a scalar, but not from a nested block collection.
_TAB_AS_INDENT = re.compile(
    rb"^ *(?:[-?:] +)*[-?:] *\t[ \t]*"
    rb"(?:[-?:](?=[ \t\r\n]|\Z)|[^ \t\r\n'\"\[{#|>&!*][^\r\n#'\"]*?:(?=[ \t\r\n]|\Z))",
    re.MULTILINE,
)
_HANDLE = re.compile(rb"(?<![^ \t\r\n,\[{])!([0-9A-Za-z-]+)!")
_BOUNDARY = re.compile(rb"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_DECLARED = re.compile(rb"^%TAG[ \t]+!([0-9A-Za-z-]+)!", re.MULTILINE)


def without_tabs(text: bytes) -> bytes:
    """*text* with the tabs that only separate turned into spaces."""
    text = _TAB_AFTER.sub(b" ", text)
    text = _TAB_BEFORE_COMMENT.sub(b" ", text)
    return _TRAILING.sub(b"", text)


def without_collection_keys(text: bytes) -> bytes:
    """*text* with every key that is a collection replaced by a quoted scalar."""
    scanner = Scanner(text)
    splices: list[Splice] = []
    for part in scanner.parts():
        _collect(scanner, scanner.root(part), splices)
    return apply_splices(text, splices)


def _collect(scanner: Scanner, top: Node, splices: list[Splice]) -> None:
    stack = [top]
    while stack:
        node = stack.pop()
        if node.kind not in ("mapping", "sequence"):
            continue
        for child in scanner.children(node):
            first = scanner.source[child.key_start : child.key_start + 1]
            if child.is_complex and first not in (b"*", b"|", b">"):
                key = scanner.source[child.key_start : child.key_end]
                scalar = b'"%b"' % key.hex().encode()
                if child.context == "noval":
                    scalar += b"\n" + b" " * node.column + b":"
                splices.append(Splice(child.key_start, child.key_end, scalar))
            stack.append(scanner.value_of(node, child))


def misused_tab(text: bytes) -> int | None:
    """The offset of a tab that stands for indentation, which YAML forbids."""
    match = _TAB_AS_INDENT.search(text)
    while match:
        end = _text_end(text, match.start() + 1)
        if end is None:
            return match.end()
        match = _TAB_AS_INDENT.search(text, end)
    return None


def _text_end(text: bytes, at: int) -> int | None:
    """The end of the scalar of several lines that *at* lies in, where anything may stand."""
    scanner = Scanner(text)
    try:
        stack = [scanner.root(part) for part in scanner.parts() if part.start <= at < part.end]
        while stack:
            node = stack.pop()
            if node.kind == "scalar" and node.start < at < node.end:
                return node.end if b"\n" in text[node.start : at] else None
            if node.kind in ("mapping", "sequence"):
                stack += [
                    scanner.value_of(node, child)
                    for child in scanner.children(node)
                    if child.start <= at <= child.limit
                ]
    except CannotApply:
        return None
    return None


def undeclared_handle(text: bytes) -> int | None:
    """The offset of a tag whose handle its own document does not declare."""
    match = _HANDLE.search(text)
    if match is None:
        return None
    bounds = [found.start() for found in _BOUNDARY.finditer(text)]
    while match:
        end: int | None = match.end()
        if not _is_declared(text, match, bounds):
            end = _text_end(text, match.start())
        if end is None:
            return match.start()
        match = _HANDLE.search(text, end)
    return None


def _is_declared(text: bytes, handle: re.Match[bytes], bounds: list[int]) -> bool:
    if text.startswith(b"%", text.rfind(b"\n", 0, handle.start()) + 1):
        return True
    position = bisect_right(bounds, handle.start())
    start = bounds[position - 1] if position else 0
    above = bounds[position - 2] if position > 1 else 0
    return any(found[1] == handle[1] for found in _DECLARED.finditer(text, above, start))


def readable(text: bytes, reason: str) -> bytes | None:
    """Another reading to try after rapidyaml refused *text* for *reason*, or None."""
    if "containers as keys" not in reason:
        return None
    try:
        changed = without_collection_keys(text)
    except CannotApply:
        return None
    return changed if changed != text else None
