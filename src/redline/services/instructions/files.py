"""Typed operations as a lossless edit of a file."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import CannotApply
from redline.core.ports.confined import Confined
from redline.documents import isolated
from redline.documents.json.operations import JsonOp, plan_operations
from redline.instruct.model.operations import (
    DocumentOperation,
    NoValue,
    Path,
    apply_operations,
    is_index,
    pointer,
    value_at,
)
from redline.instruct.model.values import Value, dumps
from redline.services.instructions.inputs import Source, read_document


def plan_file(confined: Confined, source: Source, operations: Sequence[DocumentOperation]) -> bytes:
    """Return the file's bytes after *operations*; what they do not touch stays as it is."""
    if not operations:
        return source.raw
    steps = in_sequence(source.document, operations)
    if source.form in ("json", "jsonc"):
        after = plan_operations(source.raw, steps, source.form).after
    else:
        native = isolated.DocumentSource(source.raw, source.form)
        after = isolated.apply_steps(confined, native, steps)
    expected = apply_operations(source.document, operations)
    written = read_document(confined, after, source.form)
    if source.form in ("json", "jsonc"):
        is_same = dumps(written) == dumps(expected)
    else:
        # other formats read 12.50 as 12.5, and the order of their keys means nothing
        is_same = written == expected
    if not is_same:
        raise CannotApply("The file cannot be changed as previewed")
    return after


_Rank = tuple[tuple[int, int, str], ...]
_Step = tuple[_Rank, int, JsonOp]


def in_sequence(document: Value, operations: Sequence[DocumentOperation]) -> list[JsonOp]:
    """Operations that all speak of the first state, in an order in which each still finds its
    place: new values first, then whatever moves others, from the last place to the first."""
    values: list[JsonOp] = []
    moving: list[_Step] = []
    for place, operation in enumerate(operations):
        where, rank = pointer(operation.path), _rank(operation.path)
        if operation.op in ("replace", "add"):
            values.append(JsonOp(operation.op, where, _text(operation.value)))
        elif operation.op == "insert":
            moving.append((rank, place, JsonOp("insert", where, _text(operation.value))))
        elif operation.op == "rename":
            assert operation.new_path is not None
            moving.append((rank, -1, JsonOp("rename", where, operation.new_path[-1])))
        else:
            moving.append((rank, -1, JsonOp("remove", where)))
        if operation.op == "move":
            moving.append(_arrival(document, operation, place))
    return [*values, *_stable(sorted(moving, key=lambda step: step[0], reverse=True))]


def _stable(ordered: list[_Step]) -> list[JsonOp]:
    """Within one place: what happens to the element, then insertions from the last to the first."""
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


def _arrival(document: Value, operation: DocumentOperation, place: int) -> _Step:
    assert operation.new_path is not None
    holder = value_at(document, operation.new_path[:-1])
    action = "insert" if isinstance(holder, list) else "add"
    step = JsonOp(action, pointer(operation.new_path), _text(operation.old))
    return _rank(operation.new_path), place, step


def _rank(path: Path) -> _Rank:
    return tuple((1, int(p), "") if is_index(p) else (0, 0, p) for p in path)


def _text(value: Value | NoValue) -> str:
    if isinstance(value, NoValue):
        raise CannotApply("The operation has no value")
    return dumps(value)
