"""YAML nodes, and flow collections with the ranges of everything inside them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from redline.core.errors import CannotApply

PROPERTY = re.compile(rb"&[^ \t\r\n,\[\]{}]+|!<[^>\r\n]*>|![^ \t\r\n,\[\]{}]*")
ALIAS = re.compile(rb"\*[^ \t\r\n,\[\]{}]+")
_SPACE = re.compile(rb"(?:[ \t\r\n]+|(?<![^ \t\r\n])#[^\r\n]*)*")
_DOUBLE = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(rb"'(?:[^']|'')*'")
_FLOW_PLAIN = re.compile(
    rb"(?:[^ \t\r\n\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\r\n,\[\]{}]))"
    rb"(?:[^ \t\r\n,\[\]{}:#]|:(?=[^ \t\r\n,\[\]{}])|(?<![ \t\r\n])#"
    rb"|[ \t\r\n]+(?=[^ \t\r\n,\[\]{}:#]|:[^ \t\r\n,\[\]{}]))*"
)
_QUESTION = re.compile(rb"\?(?=[ \t\r\n,\[\]{}])")
_COLON = re.compile(rb":(?=[ \t\r\n,\[\]{}])")
_FOLD = re.compile(r"[ \t]*\r?\n[ \t]*((?:\r?\n[ \t]*)*)")
_ESCAPE = re.compile(
    r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)", re.DOTALL
)
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
MAX_FLOW = 200


@dataclass(slots=True)
class Node:
    """Where a node stands. `start` and `end` are the content without its tag and anchor.

    `slot` is the offset behind the indicator (`:`, `-`, `?`, `---`) the node belongs to, `indent`
    the column of the collection around it, `context` how it hangs there: root, map, seq,
    explicit, noval (a `?` key without value) or flow.
    """

    kind: str
    style: str
    start: int
    end: int
    props: int
    slot: int
    indent: int
    context: str
    props_end: int = -1
    tag: bytes | None = None
    anchor: bytes | None = None
    column: int = -1
    limit: int = -1
    header_end: int = -1
    marks: bytes = b""
    content_indent: int = -1
    children: Any = None
    pairs: list[Pair] = field(default_factory=list)
    lead: bytes = b" "

    @property
    def has_props(self) -> bool:
        """Whether a tag or an anchor stands before the content."""
        return self.tag is not None or self.anchor is not None


@dataclass(slots=True)
class Pair:
    """One entry of a flow collection; `key` is None for plain list items."""

    key: Node | None
    value: Node
    start: int
    end: int
    key_start: int = -1
    key_end: int = -1
    key_text: bytes = b""
    is_complex: bool = False


@dataclass(slots=True)
class FlowScanner:
    """Reads flow nodes out of `source`."""

    source: bytes
    depth: int = 0

    def flow_node(self, at: int, limit: int) -> Node:
        """The flow node that starts at *at*, everything inside it located."""
        node = Node("empty", "flow", at, at, at, at, -1, "flow")
        at = self._properties(node, at, limit)
        first = self.source[at : at + 1]
        if node.has_props:
            node.start = node.end = at
        if first in (b"[", b"{"):
            self._collection(node, at, limit)
        elif first in (b'"', b"'"):
            node.kind, node.style = "scalar", "double" if first == b'"' else "single"
            node.start, node.end = at, quoted_end(self.source, at, limit)
        elif first == b"*" and (alias := ALIAS.match(self.source, at, limit)):
            node.kind, node.start, node.end = "alias", at, alias.end()
        elif plain := _FLOW_PLAIN.match(self.source, at, limit):
            node.kind, node.style, node.start, node.end = "scalar", "plain", at, plain.end()
        elif node.has_props:
            node.start = node.end = node.props_end
        if not node.has_props:
            node.props = node.start
        return node

    def finish_flow(self, node: Node, flow: Node) -> Node:
        """*node* with the kind, range and entries of *flow*."""
        node.kind, node.style = flow.kind, "flow"
        node.start, node.end, node.pairs = flow.start, flow.end, flow.pairs
        return node

    def _properties(self, node: Node, at: int, limit: int) -> int:
        while prop := PROPERTY.match(self.source, at, limit):
            if not node.has_props:
                node.props = at
            if prop[0][0] == 0x26:
                node.anchor = prop[0][1:]
            else:
                node.tag = prop[0]
            node.props_end = prop.end()
            at = self._space(prop.end(), limit)
        return at

    def _space(self, at: int, limit: int) -> int:
        match = _SPACE.match(self.source, at, limit)
        return match.end() if match else at

    def _collection(self, node: Node, at: int, limit: int) -> None:
        self.depth += 1
        if self.depth > MAX_FLOW:
            self.depth = 0
            raise CannotApply(f"Document is nested deeper than {MAX_FLOW} levels")
        is_map = self.source[at] == 0x7B
        node.kind, node.style, node.start = "mapping" if is_map else "sequence", "flow", at
        closer = b"}" if is_map else b"]"
        at = self._space(at + 1, limit)
        while self.source[at : at + 1] != closer:
            if at >= limit:
                raise CannotApply("A flow collection is not closed")
            pair = self._pair(at, limit, is_map=is_map)
            node.pairs.append(pair)
            at = self._space(pair.end, limit)
            if self.source[at : at + 1] == b",":
                at = self._space(at + 1, limit)
            elif self.source[at : at + 1] != closer or at >= limit:
                raise CannotApply("A flow collection is malformed")
        node.end = at + 1
        self.depth -= 1

    def _pair(self, at: int, limit: int, *, is_map: bool) -> Pair:
        start = at
        explicit = _QUESTION.match(self.source, at, limit)
        if explicit:
            at = self._space(explicit.end(), limit)
        key = self.flow_node(at, limit)
        end = max(key.end, key.props_end, at)
        colon = self._colon(key, end, limit)
        if colon is None:
            if end == start and not explicit:
                raise CannotApply("A flow collection is malformed")
            if not is_map and not explicit:
                key.slot = start
                return Pair(None, key, start, end)
            value = Node("empty", "", end, end, end, end, -1, "flow", lead=b": ")
        else:
            value = self._flow_value(colon, limit)
        stop = max(value.end, value.props_end, end)
        pair = Pair(key, value, start, stop, key.start, key.end)
        pair.key_text = self.source[key.start : key.end] if key.kind == "scalar" else b""
        pair.is_complex = key.kind not in ("scalar", "empty")
        return pair if is_map else self._single(pair)

    def _flow_value(self, colon: int, limit: int) -> Node:
        value = self.flow_node(self._space(colon, limit), limit)
        if value.kind == "empty" and not value.has_props:
            value.start = value.end = value.props = colon
        value.slot = colon
        return value

    def _single(self, pair: Pair) -> Pair:
        """A key with a value inside a list is a mapping of one pair."""
        mapping = Node("mapping", "flow", pair.start, pair.end, pair.start, pair.start, -1, "flow")
        mapping.pairs = [pair]
        mapping.marks = b"pair"
        return Pair(None, mapping, pair.start, pair.end)

    def _colon(self, key: Node, at: int, limit: int) -> int | None:
        at = self._space(at, limit)
        if self.source[at : at + 1] != b":":
            return None
        json_like = key.style in ("single", "double") or key.kind in ("mapping", "sequence")
        if json_like or _COLON.match(self.source, at, limit):
            return at + 1
        return None


def quoted_end(source: bytes, at: int, limit: int) -> int:
    """Where the quoted scalar at *at* ends."""
    match = (_DOUBLE if source[at] == 0x22 else _SINGLE).match(source, at, limit)
    if match is None:
        raise CannotApply("A quoted scalar is not closed")
    return match.end()


def decode_key(token: bytes) -> str:
    """The text a scalar token stands for."""
    text = token.decode("utf-8", "surrogateescape")
    if text[:1] == "'":
        return _FOLD.sub(_folded, text[1:-1]).replace("''", "'")
    if text[:1] == '"':
        return _ESCAPE.sub(_unescape, _fold_double(text[1:-1]))
    return _FOLD.sub(_folded, text)


def _fold_double(text: str) -> str:
    return _FOLD.sub(_folded, text) if "\n" in text and "\\\n" not in text else text


def _folded(match: re.Match[str]) -> str:
    return "\n" * match[1].count("\n") or " "


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] in "xuU":
        try:
            return chr(int(escape[1:], 16))
        except ValueError:
            return escape
    return "" if "\n" in escape else _ESCAPES.get(escape, escape)
