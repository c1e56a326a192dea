"""Typed operations on JSON Pointers: the one form every proposal takes, and how they are applied.

Every operation addresses the document as it was before any of them, so any subset can be applied
and the order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redline.core.errors import CannotApply, NodeNotFound
from redline.core.records import dataclass, field
from redline.instruct.model.values import Value, dumps

Path = tuple[str, ...]


class NoValue:
    """No value at all, which is not null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = NoValue()


@dataclass(frozen=True, slots=True)
class DocumentOperation:
    """One change: replace, add (a key), insert (into an array), remove, rename or move.

    `old` is the value the place must still hold. `new_path` is where a rename or move leads.
    `confidence` is 1 for what the words say exactly and None for what a model proposes.
    """

    op: str
    path: Path
    old: Value | NoValue = ABSENT
    value: Value | NoValue = ABSENT
    new_path: Path | None = None
    confidence: float | None = 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the stored form; absent values are left out."""
        stored: dict[str, Any] = {"op": self.op, "path": list(self.path)}
        if not isinstance(self.old, NoValue):
            stored["old"] = self.old
        if not isinstance(self.value, NoValue):
            stored["value"] = self.value
        if self.new_path is not None:
            stored["new_path"] = list(self.new_path)
        if self.confidence is None:
            stored["proposed"] = True
        return stored

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> DocumentOperation:
        """Read what `to_json` returned, with numbers as they were written."""
        target = stored.get("new_path")
        return cls(
            stored["op"],
            tuple(stored["path"]),
            stored.get("old", ABSENT),
            stored.get("value", ABSENT),
            None if target is None else tuple(target),
            None if stored.get("proposed") else 1.0,
        )


def pointer(path: Sequence[str]) -> str:
    """*path* as a JSON Pointer."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def is_index(text: str) -> bool:
    """Return whether *text* is an array index as JSON Pointer writes it."""
    return text == "0" or (text.isascii() and text.isdigit() and text[0] != "0")


def value_at(document: Value, path: Path) -> Value:
    """Return the value at *path*; NodeNotFound when there is none."""
    value = document
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and is_index(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            raise NodeNotFound(f"Nothing at {pointer(path) or '/'}")
    return value


def exists(document: Value, path: Path) -> bool:
    """Return whether there is a value at *path*."""
    try:
        value_at(document, path)
    except NodeNotFound:
        return False
    return True


@dataclass(slots=True)
class _Edits:
    """What happens to the entries of one container."""

    replaced: dict[str, Value] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    added: list[tuple[str, Value]] = field(default_factory=list)


def apply_operations(document: Value, operations: Sequence[DocumentOperation]) -> Value:
    """*document* with every operation carried out; the argument is not touched.

    CannotApply when a place no longer holds the expected value or two operations collide.
    """
    check_applicable(document, operations)
    table: dict[Path, _Edits] = {}
    for operation in operations:
        if operation.op == "replace" and not operation.path:
            assert not isinstance(operation.value, NoValue)
            return operation.value
        _record(table, operation, document)
    touched = {path[:length] for path in table for length in range(len(path) + 1)}
    return _rebuild(document, (), table, touched) if table else document


def check_applicable(document: Value, operations: Sequence[DocumentOperation]) -> None:
    """CannotApply or NodeNotFound unless `apply_operations` would carry out all of them."""
    check_independent(document, operations)
    for operation in operations:
        check_expected(document, operation)
        # what holds an expected value is a container
        new = operation.path if isinstance(operation.old, NoValue) else ()
        for path in (new, operation.new_path):
            if path and not isinstance(value_at(document, path[:-1]), dict | list):
                raise CannotApply(f"Not a container: {pointer(path[:-1])}")


def check_expected(document: Value, operation: DocumentOperation) -> None:
    """CannotApply unless the place still holds what the operation expects."""
    if isinstance(operation.old, NoValue):
        return
    try:
        found = value_at(document, operation.path)
    except NodeNotFound:
        raise CannotApply(f"Nothing at {pointer(operation.path)}") from None
    if found is not operation.old and dumps(found) != dumps(operation.old):
        raise CannotApply(f"Value changed at {pointer(operation.path)}")


def _record(table: dict[Path, _Edits], operation: DocumentOperation, document: Value) -> None:
    path = operation.path
    edits = table.setdefault(path[:-1], _Edits())
    name, value = path[-1], operation.value
    if operation.op in ("add", "insert"):
        assert not isinstance(value, NoValue)
        edits.added.append((name, value))
    elif operation.op == "replace":
        assert not isinstance(value, NoValue)
        edits.replaced[name] = value
    elif operation.op == "rename":
        assert operation.new_path is not None
        edits.renamed[name] = operation.new_path[-1]
    else:
        edits.removed.add(name)
        if operation.op == "move":
            assert operation.new_path is not None
            target = table.setdefault(operation.new_path[:-1], _Edits())
            target.added.append((operation.new_path[-1], value_at(document, path)))


def _rebuild(value: Value, path: Path, table: dict[Path, _Edits], touched: set[Path]) -> Value:
    edits = table.get(path) or _Edits()

    def child(name: str, item: Value) -> Value:
        if name in edits.replaced:
            return edits.replaced[name]
        below = (*path, name)
        return _rebuild(item, below, table, touched) if below in touched else item

    if isinstance(value, dict):
        kept = {
            edits.renamed.get(name, name): child(name, item)
            for name, item in value.items()
            if name not in edits.removed
        }
        return kept | dict(edits.added)
    assert isinstance(value, list)
    return _rebuild_list(value, edits, child)


def _rebuild_list(value: list[Value], edits: _Edits, child: Any) -> list[Value]:
    inserts: dict[int, list[Value]] = {}
    for name, item in edits.added:
        inserts.setdefault(int(name), []).append(item)
    built: list[Value] = []
    for position, item in enumerate(value):
        built += inserts.pop(position, [])
        name = str(position)
        if name not in edits.removed:
            built.append(child(name, item))
    for position in sorted(inserts):
        built += inserts[position]
    return built


def check_independent(document: Value, operations: Sequence[DocumentOperation]) -> None:
    """CannotApply when two operations want the same place or one lies in another's way."""
    owned: dict[Path, DocumentOperation] = {}
    for operation in operations:
        if operation.op in ("add", "insert"):
            continue
        other = owned.get(operation.path)
        if other is not None and {other.op, operation.op} != {"rename", "replace"}:
            raise CannotApply(f"Two changes at {pointer(operation.path) or '/'}")
        if other is None or operation.op == "replace":
            owned[operation.path] = operation  # a new value is in the way of what is below it
    for operation in operations:
        _check_ancestors(owned, operation.path)
        if operation.new_path is not None and operation.op == "move":
            _check_ancestors(owned, operation.new_path)
    _check_new_names(document, operations)


def _check_ancestors(owned: dict[Path, DocumentOperation], path: Path) -> None:
    for length in range(len(path)):
        above = owned.get(path[:length])
        if above is not None and above.op != "rename":
            raise CannotApply(f"Changes overlap at {pointer(path)}")


def _check_new_names(document: Value, operations: Sequence[DocumentOperation]) -> None:
    new: set[Path] = set()
    for operation in operations:
        path = operation.path if operation.op == "add" else operation.new_path
        if path is None:
            continue
        parent = value_at(document, path[:-1])
        if isinstance(parent, list) and operation.op != "rename":
            continue
        if path in new or exists(document, path):
            raise CannotApply(f"Already there: {pointer(path)}")
        new.add(path)
