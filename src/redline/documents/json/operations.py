"""A list of typed operations at JSON pointers becomes one verified lossless edit.

Operations mean what RFC 6902 says: each sees the document its predecessors left. Those that do
not touch each other are planned together on one parse and verified once, so a thousand changes
cost little more than one. Removals from one list share a batch when they come from the back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from redline.core.errors import CannotApply, DocumentSyntax, InvalidArgument
from redline.core.records import dataclass, field
from redline.core.splice import Splice
from redline.documents.base.model import DocumentEdit
from redline.documents.base.path import Path, Segment
from redline.documents.json import layout
from redline.documents.json.source import JsonText
from redline.documents.json.verify import Step, verify_all
from redline.documents.json.walk import JsonEntry

ACTIONS = ("replace", "add", "remove", "insert", "rename")
_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class JsonOp:
    """One operation; `value` is JSON text, for rename `value` is the new key as plain text.

    replace: the node must exist. add: a key of an object (replaced when there), or a list item
    as insert does. insert: before a list index; `-` or the length appends. remove, rename: the
    node must exist; rename wants a member of an object and a name that is free.
    """

    action: str
    pointer: str
    value: str = ""


@dataclass(slots=True)
class _Batch:
    """Operations planned on one parse of one state of the document."""

    text: JsonText
    splices: list[Splice] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    touched: set[Path] = field(default_factory=set)
    above: set[Path] = field(default_factory=set)
    shifted: dict[Path, int] = field(default_factory=dict)
    removed: dict[int, tuple[JsonEntry, set[int]]] = field(default_factory=dict)
    grown: set[int] = field(default_factory=set)

    def touch(self, path: Path, *, shifts: bool = False) -> None:
        """Remember that *path* is taken and, for a list, from where on indexes moved."""
        self.touched.add(path)
        self.above.update(path[:depth] for depth in range(len(path)))
        if shifts and path:
            index = path[-1] if isinstance(path[-1], int) else 0
            self.shifted[path[:-1]] = min(index, self.shifted.get(path[:-1], index))

    def depends(self, path: Path) -> bool:
        """Return whether an operation at *path* must see what an earlier one of this batch did."""
        if path in self.above:
            return True
        for depth in range(len(path) + 1):
            if path[:depth] in self.touched:
                return True
            moved = self.shifted.get(path[:depth])
            if moved is not None and depth < len(path):
                here = path[depth]
                if not isinstance(here, int) or here >= moved:
                    return True
        return False


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of an RFC 6901 pointer; InvalidArgument when it is malformed."""
    if not pointer:
        return ()
    if not pointer.startswith("/") or _BAD_ESCAPE.search(pointer):
        raise InvalidArgument(f"Not a JSON pointer: {pointer}", field="pointer")
    return tuple(t.replace("~1", "/").replace("~0", "~") for t in pointer[1:].split("/"))


def render_pointer(path: Sequence[Segment]) -> str:
    """Return the RFC 6901 pointer of *path*."""
    return "".join("/" + str(s).replace("~", "~0").replace("/", "~1") for s in path)


def plan_operations(
    source: bytes, operations: Sequence[JsonOp], form: str = "json"
) -> DocumentEdit:
    """Return the edit that carries out *operations* in order; CannotApply, nothing changed."""
    pieces = _Pieces(source)
    current = source
    batch = _Batch(JsonText(source, form))
    for operation in operations:
        tokens = parse_pointer(operation.pointer)
        if not _plan(batch, operation, tokens):
            current = _finish(batch, current, pieces)
            batch = _Batch(JsonText(current, form))
            if not _plan(batch, operation, tokens):
                raise CannotApply(f"Operation cannot be planned: {operation.pointer}")
    current = _finish(batch, current, pieces)
    return DocumentEdit(source, pieces.splices(), current)


def _finish(batch: _Batch, current: bytes, pieces: _Pieces) -> bytes:
    if not batch.steps:
        return current
    for container, gone in batch.removed.values():
        batch.splices += layout.splices_to_delete_all(batch.text, container, gone)
    edit = DocumentEdit.of(current, batch.splices)
    verify_all(batch.text, edit, batch.steps)
    pieces.apply(batch.splices)
    return edit.after


def _plan(batch: _Batch, operation: JsonOp, tokens: tuple[str, ...]) -> bool:
    """Add the operation to the batch; False when it depends on one already there."""
    if operation.action not in ACTIONS:
        raise InvalidArgument(f"Unknown operation: {operation.action}", field="action")
    probe = tuple(int(t) if _INDEX.fullmatch(t) else t for t in tokens)
    if batch.depends(probe):
        return False
    if not tokens:
        return _plan_root(batch, operation)
    parent, path = _walk(batch.text, tokens[:-1], operation.pointer)
    kind = batch.text.kind(parent)
    if kind == "sequence":
        done = _plan_item(batch, operation, parent, path, tokens[-1])
    elif kind == "mapping":
        done = _plan_member(batch, operation, parent, path, tokens[-1])
    else:
        raise CannotApply(f"Not a container: {operation.pointer}")
    if done:
        shifts = kind == "sequence" and operation.action in ("add", "insert", "remove")
        batch.touch(probe, shifts=shifts)
    return done


def _walk(text: JsonText, tokens: Sequence[str], pointer: str) -> tuple[JsonEntry, Path]:
    entry = text.root
    path: Path = ()
    for token in tokens:
        found: JsonEntry | None = None
        segment: Segment = token
        kind = text.kind(entry)
        if kind == "sequence" and _INDEX.fullmatch(token):
            segment = int(token)
            found, _ = text.item(entry, segment)
        elif kind == "mapping":
            found = _only(text, entry, token, pointer)
        if found is None:
            raise CannotApply(f"Nothing at {render_pointer((*path, token))}: {pointer}")
        entry, path = found, (*path, segment)
    return entry, path


def _only(text: JsonText, container: JsonEntry, key: str, pointer: str) -> JsonEntry | None:
    found, count = text.member(container, key)
    if count > 1:
        raise CannotApply(f"Key {key!r} is there {count} times: {pointer}")
    return found


def _plan_root(batch: _Batch, operation: JsonOp) -> bool:
    if operation.action not in ("replace", "add"):
        raise CannotApply(f"The whole document cannot be the target of {operation.action}")
    value = _value(batch.text, operation.value)
    root = batch.text.root
    batch.splices.append(Splice(root.start, root.end, value.encode("utf-8")))
    batch.steps.append(Step("set", (), value))
    batch.touch(())
    return True


def _plan_item(batch: _Batch, op: JsonOp, parent: JsonEntry, path: Path, token: str) -> bool:
    text = batch.text
    if op.action == "rename":
        raise CannotApply(f"A list item has no name: {op.pointer}")
    _, length = text.item(parent, 0)
    grows = op.action in ("add", "insert")
    if parent.start in batch.grown or (grows and parent.start in batch.removed):
        return False
    index = length if token == "-" and grows else _index(token, op.pointer)  # noqa: S105
    if index > length or (index == length and not grows):
        raise CannotApply(f"Index {index} is out of range ({length} items): {op.pointer}")
    target = (*path, index)
    if grows:
        batch.grown.add(parent.start)
        _grow(batch, parent, target, None, op.value, before=text.item(parent, index)[0])
    elif op.action == "remove":
        batch.removed.setdefault(parent.start, (parent, set()))[1].add(index)
        batch.steps.append(Step("delete", target))
    else:
        found = text.item(parent, index)[0]
        _replace(batch, found, target, op)
    return True


def _plan_member(batch: _Batch, op: JsonOp, parent: JsonEntry, path: Path, key: str) -> bool:
    text = batch.text
    found = _only(text, parent, key, op.pointer)
    target = (*path, key)
    if op.action in ("add", "insert") and found is None:
        if parent.start in batch.grown or parent.start in batch.removed:
            return False
        batch.grown.add(parent.start)
        _grow(batch, parent, target, key, op.value, before=None)
        return True
    if found is None:
        raise CannotApply(f"No such member: {op.pointer}")
    if op.action == "insert":
        raise CannotApply(f"Key already exists: {op.pointer}")
    if parent.start in batch.grown and op.action == "remove":
        return False
    if op.action == "remove":
        position = [entry.key for entry in text.entries(parent)].index(key)
        batch.removed.setdefault(parent.start, (parent, set()))[1].add(position)
        batch.steps.append(Step("delete", target))
    elif op.action == "rename":
        _rename(batch, parent, found, target, op)
    else:
        _replace(batch, found, target, op)
    return True


def _replace(batch: _Batch, found: JsonEntry | None, target: Path, op: JsonOp) -> None:
    if found is None:
        raise CannotApply(f"Nothing at {op.pointer}")
    value = _indent_value(_value(batch.text, op.value), batch.text, found.start)
    batch.splices.append(Splice(found.start, found.end, value.encode("utf-8")))
    batch.steps.append(Step("set", target, value))


def _rename(batch: _Batch, parent: JsonEntry, found: JsonEntry, target: Path, op: JsonOp) -> None:
    if batch.text.member(parent, op.value)[1]:
        raise CannotApply(f"Key {op.value!r} already exists beside {op.pointer}")
    name = json.dumps(op.value, ensure_ascii=False)
    batch.splices.append(Splice(found.key_start, found.key_end, name.encode("utf-8")))
    batch.steps.append(Step("rename", target, name))
    # The new name must not be used by a later operation of this batch.
    batch.touch((*target[:-1], op.value))


def _grow(
    batch: _Batch,
    parent: JsonEntry,
    target: Path,
    key: str | None,
    raw: str,
    before: JsonEntry | None,
) -> None:
    text = batch.text
    value = _value(text, raw)
    if before is not None:
        value = _indent_value(value, text, before.start)
        batch.splices += layout.splices_to_insert(text, parent, before, value)
    else:
        gap = text.newline + layout.append_indent(text, parent)
        value = gap.decode().join(value.splitlines()) if "\n" in value else value
        batch.splices += layout.splices_to_append(text, parent, key, value)
    batch.steps.append(Step("insert", target, value))


def _value(text: JsonText, raw: str) -> str:
    try:
        parsed = JsonText(raw.encode("utf-8"), text.form)
    except DocumentSyntax as error:
        raise CannotApply(f"Value is not {text.form.upper()}: {error.message}") from None
    return parsed.source[parsed.root.start : parsed.root.end].decode("utf-8")


def _indent_value(value: str, text: JsonText, at: int) -> str:
    if "\n" not in value or text.form == "json5":
        return value
    gap = text.newline + layout.indent_of(text.source, at)
    return gap.decode().join(value.splitlines())


def _index(token: str, pointer: str) -> int:
    if not _INDEX.fullmatch(token):
        raise CannotApply(f"Not a list index: {token!r} in {pointer}")
    return int(token)


class _Pieces:
    """A text as ranges of the original and new bytes, so that later splices refer to the first."""

    def __init__(self, source: bytes) -> None:
        self._size = len(source)
        self._pieces: list[tuple[int, int, bytes]] = [(0, len(source), b"")]

    def apply(self, splices: Sequence[Splice]) -> None:
        """Carry out *splices*, whose offsets refer to the text as it is now."""
        out: list[tuple[int, int, bytes]] = []
        at = 0
        queue = list(self._pieces)
        for splice in sorted(splices):
            at = self._copy(queue, out, at, splice.start)
            at = self._copy(queue, None, at, splice.end)
            out.append((-1, -1, splice.data))
        out.extend(queue)
        self._pieces = out

    @staticmethod
    def _copy(
        queue: list[tuple[int, int, bytes]],
        out: list[tuple[int, int, bytes]] | None,
        at: int,
        until: int,
    ) -> int:
        while at < until:
            start, end, data = queue.pop(0)
            size = end - start if start >= 0 else len(data)
            take = min(size, until - at)
            kept = (start, start + take, b"") if start >= 0 else (-1, -1, data[:take])
            if take < size:
                rest = (start + take, end, b"") if start >= 0 else (-1, -1, data[take:])
                queue.insert(0, rest)
            if out is not None:
                out.append(kept)
            at += take
        return at

    def splices(self) -> tuple[Splice, ...]:
        """Return what all of it does to the original."""
        found: list[Splice] = []
        position, fresh = 0, b""
        for start, end, data in [*self._pieces, (self._size, self._size, b"")]:
            if start < 0:
                fresh += data
                continue
            if start > position or fresh:
                found.append(Splice(position, start, fresh))
            position, fresh = end, b""
        return tuple(found)
