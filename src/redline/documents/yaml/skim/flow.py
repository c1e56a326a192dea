"""YAML nodes, and flow collections with the ranges of everything inside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.yaml.skim.skip import BLOCK, PLAIN, Passing, quoted_end

PROPERTY = re.compile(rb"&[^ \t\r\n,\[\]{}]+|!<[^>\r\n]*>|![^ \t\r\n,\[\]{}]*")
ALIAS = re.compile(rb"\*[^ \t\r\n,\[\]{}]+")
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
# Some entries of a collection: where they start and end, and how many they are.
Portion = tuple[int, int, int]
_LARGE = 256


@dataclass(slots=True)
class Node:
    """The offsets of a node. `start` and `end` are the content without its tag and anchor.

    `slot` is the offset after the indicator (`:`, `-`, `?`, `---`) the node belongs to, `indent`
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
    pair: Pair | None = None
    lead: bytes = b" "

    @property
    def has_props(self) -> bool:
        """Whether a tag or an anchor is before the content."""
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
class FlowScanner(Passing):
    """Reads flow nodes out of `source`, one level at a time."""

    def flow_node(self, at: int, limit: int) -> Node:
        """The flow node that starts at *at*."""
        node = Node("empty", "flow", at, at, at, at, -1, "flow", limit=limit)
        at = self._properties(node, at, limit)
        first = self.source[at : at + 1]
        if node.has_props:
            node.start = node.end = at
        if first in (b"[", b"{"):
            node.kind, node.start = "sequence" if first == b"[" else "mapping", at
            node.end = self.flow_end(at, limit)
        elif first in (b'"', b"'"):
            node.kind, node.style = "scalar", "double" if first == b'"' else "single"
            node.start, node.end = at, quoted_end(self.source, at, limit)
        elif first == b"*" and (alias := ALIAS.match(self.source, at, limit)):
            node.kind, node.start, node.end = "alias", at, alias.end()
        elif plain := PLAIN.match(self.source, at, limit):
            node.kind, node.style, node.start, node.end = "scalar", "plain", at, plain.end()
        elif node.has_props:
            node.start = node.end = node.props_end
        if not node.has_props:
            node.props = node.start
        return node

    def flow_parts(self, node: Node) -> Iterator[Portion]:
        """The entries in order as `start, end, how many`, one or a block, with what ends them."""
        limit = node.end if node.end >= 0 else node.limit
        closer = b"]" if self.source[node.start] == 0x5B else b"}"
        at, single = self.space(node.start + 1, limit), BLOCK
        while self.source[at : at + 1] != closer:
            if not single:
                single = BLOCK
                if (end := self.block_end(at, limit)) > at:
                    yield at, end, BLOCK
                    at, single = self.space(end, limit), 0
                    continue
            end = self.entry_end(at, limit)
            # Large entries are as quickly passed over one by one.
            single = max(single - 1, 0) if end - at < _LARGE else BLOCK
            has_comma = self.source[end : end + 1] == b","
            if end == at or not (has_comma or self.source[end : end + 1] == closer):
                raise CannotApply("A flow collection is malformed or not closed")
            yield at, end + 1, 1
            at = self.space(end + has_comma, limit)

    def flow_pairs(self, node: Node, start: int, end: int) -> Iterator[Pair]:
        """Yield the entries of a collection in [start, end), each with its key and value."""
        if node.pair is not None:
            yield node.pair
            return
        is_map = self.source[node.start] == 0x7B
        while start < end and self.source[start] not in b"]}":
            pair = self._pair(start, end, is_map=is_map)
            yield pair
            start = self.space(pair.end, end)
            if start < end and self.source[start] == 0x2C:
                start = self.space(start + 1, end)
            elif start < end and self.source[start] not in b"]}":
                raise CannotApply("A flow collection is malformed")

    def _properties(self, node: Node, at: int, limit: int) -> int:
        while prop := PROPERTY.match(self.source, at, limit):
            if not node.has_props:
                node.props = at
            if prop[0][0] == 0x26:
                node.anchor = prop[0][1:]
            else:
                node.tag = prop[0]
            node.props_end = prop.end()
            at = self.space(prop.end(), limit)
        return at

    def _pair(self, at: int, limit: int, *, is_map: bool) -> Pair:
        start = at
        explicit = _QUESTION.match(self.source, at, limit)
        if explicit:
            at = self.space(explicit.end(), limit)
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
        value = self.flow_node(self.space(colon, limit), limit)
        if value.kind == "empty" and not value.has_props:
            value.start = value.end = value.props = colon
        value.slot = colon
        return value

    def _single(self, pair: Pair) -> Pair:
        """A key with a value inside a list is a mapping of one pair."""
        mapping = Node("mapping", "flow", pair.start, pair.end, pair.start, pair.start, -1, "flow")
        mapping.pair = pair
        mapping.marks = b"pair"
        return Pair(None, mapping, pair.start, pair.end)

    def _colon(self, key: Node, at: int, limit: int) -> int | None:
        at = self.space(at, limit)
        if self.source[at : at + 1] != b":":
            return None
        json_like = key.style in ("single", "double") or key.kind in ("mapping", "sequence")
        if json_like or _COLON.match(self.source, at, limit):
            return at + 1
        return None


def decode_key(token: bytes) -> str:
    """Return the text that a scalar token denotes."""
    text = token.decode("utf-8", "surrogateescape")
    if text[:1] == "'":
        return _FOLD.sub(_fold_break, text[1:-1]).replace("''", "'")
    if text[:1] == '"':
        return _ESCAPE.sub(_unescape, _fold_double(text[1:-1]))
    return _FOLD.sub(_fold_break, text)


def _fold_double(text: str) -> str:
    return _FOLD.sub(_fold_break, text) if "\n" in text and "\\\n" not in text else text


def _fold_break(match: re.Match[str]) -> str:
    return "\n" * match[1].count("\n") or " "


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] in "xuU":
        try:
            return chr(int(escape[1:], 16))
        except ValueError:
            return escape
    return "" if "\n" in escape else _ESCAPES.get(escape, escape)
