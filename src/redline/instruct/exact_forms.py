"""Render operations as an exact instruction that repeats them, and as a sentence for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redline.instruct.model.operations import DocumentOperation, NoValue, is_index, pointer
from redline.instruct.model.values import Value, dumps

MAX_LENGTH = 1000
_SHOWN = 3


def exact_form(operations: Sequence[DocumentOperation]) -> str:
    """Return an instruction that performs exactly *operations*; empty when it would be too long."""
    lines = [_statement(operation) for operation in operations]
    text = "\n".join(line for line in lines if line)
    if not all(lines) or (
        len(operations) > 1 and any(o.op not in ("replace", "add") for o in operations)
    ):
        text = dumps(_steps(operations))
    return text if len(text) <= MAX_LENGTH else ""


def _statement(operation: DocumentOperation) -> str:
    """Return one exact statement; empty where only a JSON Patch can express the operation."""
    where, value = pointer(operation.path), operation.value
    if any(c.isspace() or c == "=" for c in where) or not operation.path:
        return ""
    if operation.op in ("replace", "add") and not isinstance(value, NoValue):
        if operation.op == "replace" and not _keeps_type(operation.old, value):
            return ""
        return f"{where} = {dumps(value)}"
    if operation.op == "remove" and not is_index(operation.path[-1]):
        return f"delete {where}"
    return ""


def _keeps_type(old: Value | NoValue, value: Value) -> bool:
    """Return whether `path = value` sets exactly *value*.

    An assignment converts its value to the type of the old one.
    """
    if isinstance(value, str | dict | list) or value is None:
        return not (
            isinstance(old, dict | list)
            and not isinstance(value, dict | list)
            and value is not None
        )
    return type(old) is type(value) or old is None


def _steps(operations: Sequence[DocumentOperation]) -> list[dict[str, Any]]:
    """Return RFC 6902 steps; those that shift positions run from the last position to the first."""
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
        return {"op": "move", "from": where, "path": pointer(_arrival(operation))}
    if operation.op != "remove":
        step["value"] = operation.value
    return step


def _arrival(operation: DocumentOperation) -> tuple[str, ...]:
    """Return the target path of a move as RFC 6902 counts it: without the moved element."""
    target, path = operation.new_path or (), operation.path
    beside = target[:-1] == path[:-1] and is_index(path[-1]) and is_index(target[-1])
    if beside and int(target[-1]) > int(path[-1]):
        return (*target[:-1], str(int(target[-1]) - 1))
    return target


def describe_operations(operations: Sequence[DocumentOperation]) -> str:
    """Return a sentence that says what the operations do, for a person who chooses a candidate."""
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
        return f"{operation.op} {where} to {pointer(target or ())}"
    return f"add {value} at {where}"


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
