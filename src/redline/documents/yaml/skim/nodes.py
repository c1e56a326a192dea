"""YAML nodes and the entries of collections, by the offsets of what they are made of."""

from __future__ import annotations

import re
from typing import Any

from redline.core.records import dataclass

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
_BLANKS = (b" ", b"\t", b"\r", b"\n")


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
class Child:
    """One entry of a collection: its key and the room its value has."""

    key: str | None
    start: int
    key_start: int
    key_end: int
    slot: int
    limit: int
    context: str
    value: Node | None = None
    is_complex: bool = False
    key_text: bytes = b""

    def key_source(self, source: bytes) -> bytes:
        """Return the key as the file writes it, with its tag and anchor."""
        text = source[self.start : self.key_end]
        return text[1:] if text[:1] == b"?" and text[1:2] in (b"", *_BLANKS) else text


def flow_child(pair: Pair) -> Child:
    """Return an entry of a flow collection as an entry of any collection."""
    named = pair.key is not None and not pair.is_complex
    return Child(
        decode_key(pair.key_text) if named else None,
        pair.start,
        pair.key_start,
        pair.key_end,
        pair.value.slot,
        pair.end,
        "flow",
        pair.value,
        pair.is_complex,
        pair.key_text,
    )


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
