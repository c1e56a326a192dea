"""Readings in an exact form: a pointer assignment or RFC 6902, which mean one thing only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redline.core.errors import CannotApply, NodeNotFound
from redline.instruct.effects.outcome import Unclear
from redline.instruct.model.operations import (
    DocumentOperation,
    NoValue,
    apply_operations,
    is_index,
    pointer,
)
from redline.instruct.model.values import Value, dumps, type_name
from redline.instruct.patches import read_patch

MAX_LENGTH = 1000
_SHOWN = 3


def exact_form(document: Value, operations: Sequence[DocumentOperation]) -> str | None:
    """Return an instruction that does exactly *operations*, or None when it would be too long."""
    patch = dumps(_steps(operations))
    if len(patch) > MAX_LENGTH:
        return None
    try:
        found = read_patch(document, patch)
        wanted = dumps(apply_operations(document, operations))
        if found is None or dumps(apply_operations(document, found)) != wanted:
            return None
    except (Unclear, CannotApply, NodeNotFound):
        return None
    return _assignment(operations) or patch


def _assignment(operations: Sequence[DocumentOperation]) -> str | None:
    """Return `Set /a/b to 1` for the replacement of one scalar by another of its type."""
    [first, *rest] = operations
    where, value = pointer(first.path), first.value
    if rest or first.op != "replace" or isinstance(first.old, NoValue) or " " in where:
        return None
    if isinstance(value, NoValue | dict | list) or value is None:
        return None
    if type_name(first.old) != type_name(value) or len(first.path) < 2:
        return None
    text = dumps(value)
    return None if "\\" in text else f"Set {where} to {text}"


def _steps(operations: Sequence[DocumentOperation]) -> list[dict[str, Any]]:
    """Return RFC 6902 steps; those that shift positions go from the last place to the first."""
    still = [_step(o) for o in operations if o.op in ("replace", "add")]
    moving = sorted(
        (o for o in operations if o.op not in ("replace", "add")),
        key=lambda o: tuple((1, int(p), "") if is_index(p) else (0, 0, p) for p in o.path),
        reverse=True,
    )
    return [*still, *map(_step, moving)]


def _step(operation: DocumentOperation) -> dict[str, Any]:
    where = pointer(operation.path)
    if operation.op in ("replace", "remove"):
        step: dict[str, Any] = {"op": operation.op, "path": where}
    elif operation.op in ("add", "insert"):
        step = {"op": "add", "path": where}
    else:
        assert operation.new_path is not None
        return {"op": "move", "from": where, "path": pointer(_arrival(operation))}
    if operation.op != "remove":
        step["value"] = operation.value
    return step


def _arrival(operation: DocumentOperation) -> tuple[str, ...]:
    """Return where RFC 6902 says a move ends: counted without the moved element."""
    target, path = operation.new_path, operation.path
    assert target is not None
    beside = target[:-1] == path[:-1] and is_index(path[-1]) and is_index(target[-1])
    if beside and int(target[-1]) > int(path[-1]):
        return (*target[:-1], str(int(target[-1]) - 1))
    return target


def says(operations: Sequence[DocumentOperation]) -> str:
    """Return what the operations do, in a sentence a person can choose by."""
    parts = [_describe(operation) for operation in operations[:_SHOWN]]
    more = len(operations) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more else "")


def _describe(operation: DocumentOperation) -> str:
    where, target = pointer(operation.path) or "/", operation.new_path
    value = "" if isinstance(operation.value, NoValue) else _shorten(dumps(operation.value))
    if operation.op == "replace":
        return f"set {where} to {value}"
    if operation.op == "remove":
        return f"remove {where}"
    if operation.op in ("rename", "move"):
        assert target is not None
        return f"{operation.op} {where} to {pointer(target)}"
    return f"add {value} at {where}"


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
