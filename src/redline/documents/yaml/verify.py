"""Verify a YAML edit: old and new, parsed whole by the strict parser, differ only as intended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.yaml import strict
from redline.documents.yaml.strict import without_tag

Step: TypeAlias = bytes | int
_ANCHOR = re.compile(rb"&(?<![^ \t\r\n,\[{:]&)([^ \t\r\n,\[\]{}]+)")


class Where(NamedTuple):
    """A node: its document, then keys as the file writes them, and indexes."""

    document: int
    steps: tuple[Step, ...]

    @property
    def parent(self) -> Where:
        """The collection around it."""
        return Where(self.document, self.steps[:-1])

    def entry(self, step: Step) -> Where:
        """Return an entry of it."""
        return Where(self.document, (*self.steps, step))


class YamlVerifier:
    """The parsed stream that edits are compared with; making it validates the stream."""

    def __init__(self, source: bytes) -> None:
        self.documents = _parse_defined(source)

    @property
    def count(self) -> int:
        """How many documents there are; nothing at all counts as one."""
        return max(len(self.documents), 1)

    def find(self, where: Where) -> Any:
        """Return the value at *where*; CannotApply when the parser finds none there."""
        return _find(self.documents, where)

    def check_set(self, after: bytes, where: Where, readings: Sequence[Any]) -> None:
        """The node at *where* alone changed, and it became one of *readings*."""
        stream = _parse_result(after)
        _require_reading(_find(stream, where), readings)
        old, new = _require_same_around(self.documents, stream, where.parent)
        if where.steps:
            _require_same_tag(old, new)
            old, new = without_tag(old), without_tag(new)
            _require_same_keys(old, new)
            key = _position(old, where.steps[-1])
            _require_equal(_without(old, key), _without(new, key))

    def check_added(self, after: bytes, where: Where, readings: Sequence[Any]) -> None:
        """The entry at *where* alone is new, and it is one of *readings*."""
        stream = _parse_result(after)
        _require_reading(_find(stream, where), readings)
        old, new = _require_same_around(self.documents, stream, where.parent)
        _require_same_tag(old, new)
        old, new = without_tag(old), without_tag(new)
        key = _position(new, where.steps[-1])
        if isinstance(old, dict) and key in old:
            raise CannotApply("The key is there already, in another spelling; nothing was changed")
        _require_equal(old if old is not None else type(new)(), _without(new, key))

    def check_removed(self, after: bytes, where: Where) -> None:
        """The entry at *where* alone is gone."""
        old, new = _require_same_around(self.documents, _parse_result(after), where.parent)
        _require_same_tag(old, new)
        old, new = without_tag(old), without_tag(new)
        _require_equal(_without(old, _position(old, where.steps[-1])), new)

    def check_renamed(self, after: bytes, where: Where, key: bytes) -> None:
        """The entry at *where* alone has another key, which is *key*."""
        old, new = _require_same_around(self.documents, _parse_result(after), where.parent)
        _require_same_tag(old, new)
        old, new = without_tag(old), without_tag(new)
        name, was = strict.parse_key(key), _position(old, where.steps[-1])
        if name in old:
            raise CannotApply("The key is there already, in another spelling; nothing was changed")
        entries = [(name if each == was else each, value) for each, value in old.items()]
        _require_equal(entries, list(new.items()))


def _parse_result(after: bytes) -> list[Any]:
    try:
        return _parse_defined(after)
    except DocumentSyntax as error:
        raise CannotApply(f"The result would not parse: {error.message}", hint=error.hint) from None


def _parse_defined(source: bytes) -> list[Any]:
    """Parse a stream in which every alias has an anchor."""
    documents = strict.parse(source)
    if b"*" in source:
        anchors = set(_ANCHOR.findall(source))
        for document in documents:
            for node in strict.nodes(document):
                name = strict.alias_name(node)
                if name is not None and name.encode("utf-8") not in anchors:
                    raise DocumentSyntax(f"Invalid YAML: no anchor for the alias *{name}")
    return documents


def _require_same_around(old: list[Any], new: list[Any], where: Where) -> tuple[Any, Any]:
    """Everything but the node at *where* is equal; return that node of both."""
    old_stream, new_stream = old or [None], new or [None]
    _require_equal(_without(old_stream, where.document), _without(new_stream, where.document))
    mine, theirs = old_stream[where.document], new_stream[where.document]
    for step in where.steps:
        _require_same_tag(mine, theirs)
        mine, theirs = without_tag(mine), without_tag(theirs)
        _require_same_keys(mine, theirs)
        key = _position(mine, step)
        _require_equal(_without(mine, key), _without(theirs, key))
        mine, theirs = mine[key], theirs[key]
    return mine, theirs


def _find(documents: list[Any], where: Where) -> Any:
    stream = documents or [None]
    if where.document >= len(stream):
        raise CannotApply("The two parsers disagree on the number of documents")
    node = stream[where.document]
    for step in where.steps:
        node = without_tag(node)
        node = node[_position(node, step)]
    return node


def _position(node: Any, step: Step) -> Any:
    """Return the key or index of *step* in a collection."""
    try:
        key = strict.parse_key(step) if isinstance(step, bytes) else step
        if key in node if isinstance(node, dict) else _has_index(node, key):
            return key
    except (DocumentSyntax, ValueError, TypeError):  # not one key, or not one that can be looked up
        pass
    raise CannotApply("The two parsers disagree on where the path leads; nothing was changed")


def _has_index(node: Any, index: Any) -> bool:
    return isinstance(node, list) and isinstance(index, int) and 0 <= index < len(node)


def _without(node: Any, key: Any) -> Any:
    if isinstance(node, dict):
        return {name: value for name, value in node.items() if name != key}
    return [*node[:key], *node[key + 1 :]]


def _require_same_keys(old: Any, new: Any) -> None:
    same = type(old) is type(new) and len(old) == len(new)
    if not same or (isinstance(old, dict) and list(old) != list(new)):
        raise _changes_more()


def _require_same_tag(old: Any, new: Any) -> None:
    if getattr(old, "tag", None) != getattr(new, "tag", None):
        raise _changes_more()


def _require_equal(old: Any, new: Any) -> None:
    # A NaN equals nothing, but is written like another.
    if old != new and repr(old) != repr(new):
        raise _changes_more()


def _require_reading(value: Any, readings: Sequence[Any]) -> None:
    # 1 and true are equal, but are not written alike.
    text = repr(value)
    if not any(repr(reading) == text for reading in readings):
        raise CannotApply(
            "The value would read differently at this place; nothing was changed",
            hint="quote it, or give it in flow style",
        )


def _changes_more() -> CannotApply:
    return CannotApply("The result would change something else too; nothing was changed")
