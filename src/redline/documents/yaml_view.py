"""Readings of valid YAML that rapidyaml can take in.

rapidyaml's trees have no collections as keys, and it wants spaces where YAML also allows tabs. For
documents that have these, it is given the same text with such keys replaced by a scalar made of
their bytes and separating tabs replaced by spaces. Old and new go through the same reading, so a
difference stays a difference.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from redline.core.errors import CannotApply
from redline.core.splice import Splice, apply_splices
from redline.documents.possessive import compiled
from redline.documents.yaml_flow import Node
from redline.documents.yaml_scan import Scanner

# A tab comes first where it can: it is found fast.
_TAB_AFTER = re.compile(rb"(?<=[:\-?])[ ]*\t[ \t]*(?=[^ \t\r\n])")
_TAB_RIGHT_AFTER = compiled(rb"\t(?<=[:\-?]\t)[ \t]*+(?=[^ \t\r\n])")
_TAB_BEFORE_COMMENT = compiled(rb"\t[ \t]*+(?=#)")
_TAB_AT_END = compiled(rb"\t[ \t]*+(?=\n|\Z)")
_TRAILING = re.compile(rb"(?<=[^ \t\n])[ ]*\t[ \t]*(?=\n|\Z)")
# Spaces behind an indicator, and then a tab.
_SPACED_TABS = tuple(compiled(indicator + rb" ++\t") for indicator in (b":", b"-", rb"\?"))
# A tab may separate an indicator from a scalar, but not from a nested block collection.
_INDENTED = (
    rb" *+(?:[-?:] ++(?=[-?:]))*+[-?:] *+\t[ \t]*+"
    rb"(?:[-?:](?=[ \t\r\n]|\Z)|[^ \t\r\n'\"\[{#|>&!*][^\r\n#'\"]*?:(?=[ \t\r\n]|\Z))"
)
_TAB_AT_START = compiled(_INDENTED)
_TAB_AS_INDENT = compiled(rb"\n" + _INDENTED)
_HANDLE = compiled(rb"!(?=[0-9A-Za-z-]++!)(?:(?<=[ \t\r\n,\[{]!)|(?<=\A!))([0-9A-Za-z-]++)!")
# The lines of a literal or folded scalar whose header and indentation leave no doubt. They have no
# quotes: so if the header itself stands inside a text, all of them do.
_TEXT_LINES = tuple(
    compiled(
        rb"\n( *+)%b[\w.-]++:[ ][|>][-+]?+\n(\1%b ++)[^\n\"']*+(?:\n++\2[^\n\"']*+)*+"
        % (dash, b" " * len(dash))
    )
    for dash in (b"", b"- ")
)
# A key of words in brackets on a line, and its value on the next.
_FLAT_KEY = compiled(rb"(\n( *+)\? ++)([\[{][\w ,.:+-]*+[\]}])(?=[ \t]*+\n\2:[ \t\n])")
_TEXT_MARKS = (b"|", b">", b'"', b"'", b"#")
_BOUNDARY = re.compile(rb"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_BOUNDARIES = re.compile(rb"\n(?=(?:---|\.\.\.)(?:[ \t\r\n]|\Z))")
_DECLARED = re.compile(rb"%(?:(?<=\n%)|(?<=\A%))TAG[ \t]+!([0-9A-Za-z-]+)!")


def without_tabs(text: bytes) -> bytes:
    """*text* with the tabs that only separate turned into spaces."""
    is_spaced = any(indicator.search(text) for indicator in _SPACED_TABS)
    text = (_TAB_AFTER if is_spaced else _TAB_RIGHT_AFTER).sub(b" ", text)
    text = _TAB_BEFORE_COMMENT.sub(b" ", text)
    return _TRAILING.sub(b"", text) if _TAB_AT_END.search(text) else text


def without_collection_keys(text: bytes) -> bytes:
    """*text* with every key that is a collection replaced by a quoted scalar."""
    scanner = Scanner(text)
    splices: list[Splice] = []
    for part in scanner.stream.parts():
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
                scalar = _as_scalar(key)
                if child.context == "noval":
                    scalar += b"\n" + b" " * node.column + b":"
                splices.append(Splice(child.key_start, child.key_end, scalar))
            stack.append(scanner.value_of(node, child))


def _without_flat_keys(text: bytes) -> bytes:
    """As `without_collection_keys` for the simplest of them, if no text can hold what looks so."""
    if any(mark in text for mark in _TEXT_MARKS):
        return text
    return _FLAT_KEY.sub(lambda key: key[1] + _as_scalar(key[3]), b"\n" + text)[1:]


def _as_scalar(key: bytes) -> bytes:
    return b'"%b"' % key.hex().encode()


def has_odd_tab(text: bytes, start: int, end: int) -> bool:
    """Whether a line from *start* on looks as if a tab stood for its indentation."""
    start = text.rfind(b"\n", 0, start)
    return text.find(b"\t", max(start, 0), end) >= 0 and _odd_tab(text, start, end) is not None


def _odd_tab(text: bytes, break_at: int, end: int) -> tuple[int, int] | None:
    """Start and end of the first such line that follows a break; -1 stands before the text."""
    match = _TAB_AT_START.match(text, 0, end) if break_at < 0 else None
    if match:
        return 0, match.end()
    match = _TAB_AS_INDENT.search(text, max(break_at, 0), end)
    return (match.start() + 1, match.end()) if match else None


def misused_tab(text: bytes) -> int | None:
    """The offset of a tab that stands for indentation, which YAML forbids."""
    found, scalars = _odd_tab(text, -1, len(text)), _Scalars(text)
    while found:
        end = scalars.end_around(found[0] + 1)
        if end is None:
            return found[1]
        found = _odd_tab(text, end - 1, len(text))
    return None


class _Scalars:
    """Finds the scalars of several lines, in which anything may stand."""

    def __init__(self, text: bytes) -> None:
        self._scanner = Scanner(text)
        self._roots: list[tuple[int, Node]] = []

    def end_around(self, at: int) -> int | None:
        """The end of the scalar of several lines that *at* lies in."""
        try:
            node = self._root(at)
            while node is not None and node.kind in ("mapping", "sequence"):
                node = self._entry(node, at)
        except CannotApply:
            return None
        if node is None or node.kind != "scalar" or not node.start < at < node.end:
            return None
        return node.end if b"\n" in self._scanner.source[node.start : at] else None

    def _root(self, at: int) -> Node | None:
        if not self._roots:
            parts = self._scanner.stream.parts()
            self._roots = [(part.start, self._scanner.root(part)) for part in parts]
        position = bisect_right(self._roots, at, key=lambda root: root[0])
        return self._roots[position - 1][1] if position else None

    def _entry(self, node: Node, at: int) -> Node | None:
        children = self._scanner.children(node)
        position = bisect_right(children, at, key=lambda child: child.start)
        return self._scanner.value_of(node, children[position - 1]) if position else None


def undeclared_handle(text: bytes) -> int | None:
    """The offset of a tag whose handle its own document does not declare."""
    match = _HANDLE.search(text)
    if match is None:
        return None
    declared = _Declared(text)
    if declared.are_all() or not _HANDLE.search(_without_texts(text)):
        return None
    scalars = _Scalars(text)
    while match:
        end: int | None = match.end()
        if not declared.has(match):
            end = scalars.end_around(match.start())
        if end is None:
            return match.start()
        match = _HANDLE.search(text, end)
    return None


def _without_texts(text: bytes) -> bytes:
    """*text* without most of what stands in literal and folded scalars."""
    text = b"\n" + text
    for lines in _TEXT_LINES:
        text = lines.sub(b"\n", text)
    return text


@lru_cache(maxsize=8)
def _other(names: frozenset[bytes]) -> re.Pattern[bytes]:
    """A handle that is none of *names*."""
    known = rb"(?!(?:%b)!)" % b"|".join(sorted(names))
    return re.compile(_HANDLE.pattern.replace(rb"([", known + rb"(["))


class _Declared:
    """The handles that each document declares."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._bounds = [0] if _BOUNDARY.match(text) else []
        self._bounds += [found.end() for found in _BOUNDARIES.finditer(text)]
        self._position, self._names = -1, frozenset[bytes]()

    def are_all(self) -> bool:
        """Whether there is one document and it declares every handle; False when unsure."""
        names = frozenset(found[1] for found in _DECLARED.finditer(self._text))
        return len(self._bounds) == 1 and bool(names) and not _other(names).search(self._text)

    def has(self, handle: re.Match[bytes]) -> bool:
        """Whether the document of *handle* declares it, or its line is a directive itself."""
        text, at = self._text, handle.start()
        position = bisect_right(self._bounds, at)
        if position != self._position:
            start = self._bounds[position - 1] if position else 0
            above = self._bounds[position - 2] if position > 1 else 0
            names = (found[1] for found in _DECLARED.finditer(text, above, start))
            self._position, self._names = position, frozenset(names)
        return handle[1] in self._names or text.startswith(b"%", text.rfind(b"\n", 0, at) + 1)


def readable(text: bytes, reason: str) -> bytes | None:
    """Another reading to try after rapidyaml refused *text* for *reason*, or None."""
    if "containers as keys" not in reason:
        return None
    flat = _without_flat_keys(text)
    if flat != text:
        return flat
    try:
        changed = without_collection_keys(text)
    except CannotApply:
        return None
    return changed if changed != text else None
