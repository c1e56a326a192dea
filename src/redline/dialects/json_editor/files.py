"""Typed operations as a lossless edit of a JSON file."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import CannotApply
from redline.dialects.json_editor.inputs import Source
from redline.documents.json_ops import JsonOp, plan_operations
from redline.instruct.operations import (
    Absent,
    Operation,
    Path,
    apply_operations,
    is_index,
    pointer,
    value_at,
)
from redline.instruct.values import Value, dumps, parse


def plan_file(source: Source, operations: Sequence[Operation], form: str = "json") -> bytes:
    """The file's bytes after *operations*; everything they do not touch stays as it is."""
    if not operations:
        return source.raw
    steps = in_sequence(source.document, operations)
    edit = plan_operations(source.raw, steps, form)
    expected = apply_operations(source.document, operations)
    written = parse(edit.after.removeprefix(b"\xef\xbb\xbf"))
    if dumps(written) != dumps(expected):
        raise CannotApply("The file cannot be changed as previewed")
    return edit.after


def in_sequence(document: Value, operations: Sequence[Operation]) -> list[JsonOp]:
    """Operations that all speak of the first state, in an order in which each still finds its
    place: values first, then elements from the highest index down, renames last."""
    values: list[JsonOp] = []
    shifting: list[tuple[tuple[tuple[int, int, str], ...], int, JsonOp]] = []
    renames: list[tuple[int, JsonOp]] = []
    for place, operation in enumerate(operations):
        where = pointer(operation.path)
        if operation.op == "rename":
            assert operation.new_path is not None
            renames.append((-len(operation.path), JsonOp("rename", where, operation.new_path[-1])))
            continue
        if operation.op in ("replace", "add"):
            values.append(JsonOp(operation.op, where, _text(operation.value)))
            continue
        if operation.op == "insert":
            item = JsonOp("insert", where, _text(operation.value))
            shifting.append((_rank(operation.path), place, item))
            continue
        shifting.append((_rank(operation.path), -1, JsonOp("remove", where)))
        if operation.op == "move":
            shifting.append(_arrival(document, operation, place))
    ordered = sorted(shifting, key=lambda item: item[0], reverse=True)
    return [*values, *_stable(ordered), *(op for _, op in sorted(renames, key=lambda r: r[0]))]


def _stable(
    ordered: list[tuple[tuple[tuple[int, int, str], ...], int, JsonOp]],
) -> list[JsonOp]:
    """Within one place: the removal, then insertions from the last to the first."""
    found: list[JsonOp] = []
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        group = ordered[start:end]
        found += [op for _, place, op in group if place < 0]
        inserts = sorted((g for g in group if g[1] >= 0), key=lambda g: -g[1])
        found += [op for _, _, op in inserts]
        start = end
    return found


def _arrival(
    document: Value, operation: Operation, place: int
) -> tuple[tuple[tuple[int, int, str], ...], int, JsonOp]:
    assert operation.new_path is not None
    holder = value_at(document, operation.new_path[:-1])
    action = "insert" if isinstance(holder, list) else "add"
    step = JsonOp(action, pointer(operation.new_path), _text(operation.old))
    return _rank(operation.new_path), place, step


def _rank(path: Path) -> tuple[tuple[int, int, str], ...]:
    return tuple((1, int(p), "") if is_index(p) else (0, 0, p) for p in path)


def _text(value: Value | Absent) -> str:
    if isinstance(value, Absent):
        raise CannotApply("The operation has no value")
    return dumps(value)
