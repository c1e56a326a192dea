"""The operations of several clauses as one list in which none is in another's way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from redline.core.errors import CannotApply, NodeNotFound
from redline.instruct.model.operations import (
    DocumentOperation,
    NoValue,
    Path,
    apply_operations,
    is_index,
)
from redline.instruct.model.values import Value, dumps

Operations = tuple[DocumentOperation, ...]


def merge_clauses(clauses: Iterable[Sequence[DocumentOperation]]) -> Operations:
    """Return the operations of all clauses, each once; what holds a removal may be removed too."""
    merged: list[DocumentOperation] = []
    by_place: dict[object, list[DocumentOperation]] = {}
    for operations in clauses:
        for operation in operations:
            alike = by_place.setdefault((operation.op, operation.path, operation.new_path), [])
            if operation.op == "insert" or not any(_is_same_value(operation, o) for o in alike):
                alike.append(operation)
                merged.append(operation)
    gone = {o.path for o in merged if o.op == "remove"}
    return tuple(_rescue(o, gone) for o in merged if not _is_gone(o, gone))


def _is_same_value(left: DocumentOperation, right: DocumentOperation) -> bool:
    return repr(left.value) == repr(right.value)


def _is_gone(operation: DocumentOperation, gone: set[Path]) -> bool:
    """Return whether a removal lies in what is removed as a whole."""
    return operation.op == "remove" and _lies_in_any(operation.path, gone)


def _rescue(operation: DocumentOperation, gone: set[Path]) -> DocumentOperation:
    """Return a move out of what is then removed as the addition it comes to."""
    target = operation.new_path
    if operation.op != "move" or target is None or not _lies_in_any(operation.path, gone):
        return operation
    op = "insert" if is_index(target[-1]) else "add"
    return DocumentOperation(op, target, value=operation.value, confidence=operation.confidence)


def _lies_in_any(path: Path, holders: set[Path]) -> bool:
    return any(path[:length] in holders for length in range(len(path)))


def made_by(operation: DocumentOperation) -> Path | None:
    """Return the path of what an operation makes, renames or moves; None for the others."""
    if operation.op in ("add", "insert"):
        return operation.path
    return operation.new_path if operation.op in ("rename", "move") else None


def follow_up(
    document: Value, first: Operations, then: Operations, wanted: Value
) -> Operations | None:
    """Return *first* and, on its result, *then* as operations on the document itself.

    None unless they lead to *wanted*, which is what the two do one after the other.
    """
    merged = list(first)
    for operation in then:
        for place, made in enumerate(merged):
            path = made_by(made)
            if path is not None and operation.path[: len(path)] == path:
                changed = _change_made(made, path, operation)
                if changed is None:
                    return None
                merged[place : place + 1] = changed
                break
        else:
            merged.append(operation)
    try:
        after = apply_operations(document, merged)
    except (CannotApply, NodeNotFound):
        return None
    return tuple(merged) if dumps(after) == dumps(wanted) else None


def _change_made(
    made: DocumentOperation, path: Path, change: DocumentOperation
) -> list[DocumentOperation] | None:
    """Return an operation with a later change of what it makes."""
    rest = change.path[len(path) :]
    if not rest:
        if change.op != "rename" or made.op == "insert" or change.new_path is None:
            return None
        if made.op == "add":
            return [replace(made, path=change.new_path)]
        return [replace(made, new_path=change.new_path)]
    if made.op == "rename":
        target = change.new_path and (*made.path, *change.new_path[len(path) :])
        return [made, replace(change, path=(*made.path, *rest), new_path=target)]
    if isinstance(made.value, NoValue):
        return None
    inner = change.new_path and change.new_path[len(path) :]
    try:
        value = apply_operations(made.value, [replace(change, path=rest, new_path=inner)])
    except (CannotApply, NodeNotFound):
        return None
    if made.op != "move":
        return [replace(made, value=value)]
    removed = DocumentOperation("remove", made.path, made.old, confidence=made.confidence)
    op = "insert" if is_index(path[-1]) else "add"
    return [removed, DocumentOperation(op, path, value=value, confidence=made.confidence)]
