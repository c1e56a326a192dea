"""Compare the three versions of lines that block an undo, and make the merge a person chooses."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.errors import CannotApply, RedlineError, UndoBlocked
from redline.core.line_diff import split_lines
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Operation, Origin
from redline.core.records import dataclass
from redline.core.textfile import TextFile
from redline.engine.reverting.selection import part_of
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import LineConflict, merge_lines
from redline.services.runtime import Runtime

Lines = list[bytes]


@dataclass(frozen=True, slots=True)
class ThreeVersions:
    """Lines that were changed after the change to undo: before it, after it, and now.

    `line` is the 1-based line in the present file.
    """

    line: int
    before: tuple[bytes, ...]
    left: tuple[bytes, ...]
    now: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class BlockedFile:
    """A file whose change is to be undone; it can be undone if there are no conflicts.

    `kept` is the content if the conflicting lines stay as they are now, `restored` if they are
    reset to what the change found. Both are None where lines cannot be matched.
    """

    path: WorkspacePath
    now: State
    conflicts: tuple[ThreeVersions, ...]
    kept: bytes | None
    restored: bytes | None
    # The state to restore where the file is undone as a whole: one created, deleted or binary.
    whole: State | None = None


def compare_versions(
    runtime: Runtime, operation: Operation, paths: Sequence[WorkspacePath], hunks: frozenset[int]
) -> list[BlockedFile] | None:
    """Return the files of a blocked undo; None if more than lines of text differ."""
    found: list[BlockedFile] = []
    for _, step in part_of(operation.change_set, paths, hunks):
        if not isinstance(step, Change):
            return None
        if _is_like(runtime.tree.state(step.path), step.after):
            continue
        file = _compare(runtime, step)
        if file is None:
            return None
        found.append(file)
    return found


def take_back_parts(
    runtime: Runtime,
    operation: Operation,
    paths: Sequence[WorkspacePath],
    hunks: frozenset[int],
    origin: Origin,
) -> Operation:
    """Undo parts of a combined change that is not in the journal itself, keeping later work.

    Raises UndoBlocked, and changes nothing, if others changed the same lines since.
    """
    moves: list[Rename] = []
    found: list[BlockedFile] = []
    for _, step in part_of(operation.change_set, paths, hunks):
        if isinstance(step, Rename):
            moves.append(step)
            continue
        now = runtime.tree.state(step.path)
        if _is_like(now, step.after):
            continue
        file = _compare(runtime, step)
        if file is None or file.conflicts:
            name = show_name(step.path.relative)
            raise UndoBlocked(f"Changed since by others: {name}", paths=[name], diff="")
        found.append(file)
    return commit_merge(runtime, found, origin, restore=False, moves=moves)


def hunks_gone(
    runtime: Runtime, operation: Operation, counts: Sequence[int], most: int
) -> frozenset[int]:
    """Return the numbers of the hunks that nothing is left to undo of.

    *counts* has the number of hunks of each step; files with more than *most* are not checked.
    """
    found: set[int] = set()
    number = 0
    for step, count in zip(operation.change_set.steps, counts, strict=True):
        if isinstance(step, Change) and 0 < count <= most:
            now = runtime.tree.state(step.path)
            for n in range(1, count + 1) if not _is_like(now, step.after) else ():
                ((_, part),) = part_of(ChangeSet((step,)), (), frozenset({n}))
                file = _compare(runtime, part) if isinstance(part, Change) else None
                is_merged = file is not None and not file.conflicts and file.whole is None
                kept = file.kept if file is not None and is_merged else None
                is_back = kept is not None and kept == getattr(now, "content", None)
                if is_back or _is_like(now, step.before):
                    found.add(number + n)
        number += count
    return frozenset(found)


def _is_like(first: object, second: object) -> bool:
    if isinstance(first, FileState) and isinstance(second, FileState):
        return first.digest == second.digest
    return first == second


def _compare(runtime: Runtime, step: Change) -> BlockedFile | None:
    try:
        now = runtime.tree.state(step.path)
    except RedlineError:
        return None
    if _is_like(now, step.before):
        return BlockedFile(step.path, now, (), b"", b"", step.after)
    texts = [_text(state) for state in (step.before, step.after, now)]
    left, wanted, present = texts
    if left is None or wanted is None or present is None or not isinstance(now, FileState):
        return None
    merged = merge_lines(left, wanted, [Version(present)])
    if not merged.conflicts:
        content = b"".join(merged.lines)
        return BlockedFile(step.path, now, (), content, content)
    conflicts = tuple(
        ThreeVersions(c.now_line, c.wanted, tuple(left[c.start : c.end]), c.now)
        for c in merged.conflicts
    )
    return BlockedFile(
        step.path,
        now,
        conflicts,
        _merge_keeping(left, wanted, present, merged.conflicts),
        _merge_restoring(left, wanted, present, merged.conflicts),
    )


def _merge_keeping(
    left: Lines, wanted: Lines, now: Lines, conflicts: Sequence[LineConflict]
) -> bytes | None:
    """Undo everything except the conflicting lines, which stay as they are now."""
    asked = list(wanted)
    for conflict in reversed(conflicts):
        at = _find(asked, conflict.wanted, _nearest(left, wanted, conflict.start))
        if at is None:
            return None
        asked[at : at + len(conflict.wanted)] = left[conflict.start : conflict.end]
    return _merge(left, asked, now)


def _merge_restoring(
    left: Lines, wanted: Lines, now: Lines, conflicts: Sequence[LineConflict]
) -> bytes | None:
    """Undo everything, including the conflicting lines, and discard later changes of these."""
    present = list(now)
    for conflict in reversed(conflicts):
        at = conflict.now_line - 1
        if tuple(present[at : at + len(conflict.now)]) != conflict.now:
            return None
        present[at : at + len(conflict.now)] = left[conflict.start : conflict.end]
    return _merge(left, wanted, present)


def _merge(left: Lines, wanted: Lines, now: Lines) -> bytes | None:
    merged = merge_lines(left, wanted, [Version(now)])
    return None if merged.conflicts else b"".join(merged.lines)


def _nearest(left: Lines, wanted: Lines, start: int) -> int:
    return start + (len(wanted) - len(left)) // 2


def _find(lines: Lines, part: tuple[bytes, ...], near: int) -> int | None:
    """Return where *part* begins in *lines*, nearest to a line; None if it is not there."""
    size = len(part)
    found = [n for n in range(len(lines) - size + 1) if tuple(lines[n : n + size]) == part]
    return min(found, key=lambda n: abs(n - near), default=None)


def commit_merge(
    runtime: Runtime,
    files: Sequence[BlockedFile],
    origin: Origin,
    *,
    restore: bool,
    moves: Sequence[Rename] = (),
) -> Operation:
    """Commit the merge that the person chose, as one operation."""
    steps: list[Change | Rename] = [*moves]
    for file in files:
        if file.whole is not None:
            steps.append(Change(file.path, file.now, file.whole))
            continue
        content = file.restored if restore else file.kept
        if content is None or not isinstance(file.now, FileState):
            raise CannotApply("The lines cannot be merged; edit the file by hand")
        after = FileState.of(content, file.now.mode)
        if after != file.now:
            steps.append(Change(file.path, file.now, after))
    return runtime.editor.commit(ChangeSet(tuple(steps)), origin)


def _text(state: object) -> Lines | None:
    if not isinstance(state, FileState) or state.content is None:
        return None
    return None if TextFile(state.content).is_binary else split_lines(state.content)
