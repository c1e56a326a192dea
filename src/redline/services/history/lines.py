"""Files as they were at points of history or at HEAD, and which operation made each line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.diff import changed_lines
from redline.core.encodings.opening import open_file, open_versions
from redline.core.errors import BinaryFile, NotFound, RedlineError
from redline.core.line_diff import LineCounts, count_hunks, diff_lines, split_lines
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.git import Committer
from redline.core.ports.history import History, HistoryQuery, Operation, Origin
from redline.core.records import dataclass, field
from redline.services.history.references import Point
from redline.services.names import display_name
from redline.services.runtime import Runtime

# How many operations are read at once: few at first, the point is often near.
_FIRST_PAGE, _MAX_PAGE = 50, 500


class BlamedLine(NamedTuple):
    """A line, and the operation that made it; None if that is not recorded."""

    text: bytes
    operation: Operation | None


def count_lines(change_set: ChangeSet) -> LineCounts:
    """Count the lines that the changes of files added and removed; binary files count nothing."""
    added = removed = 0
    for step in change_set.steps:
        if isinstance(step, Rename):
            continue
        texts = _texts(step)
        if texts is not None:
            counts = count_hunks(changed_lines(*texts))
            added, removed = added + counts.added, removed + counts.removed
    return LineCounts(added, removed)


def difference(runtime: Runtime, start: Point, end: Point | None = None) -> ChangeSet:
    """Return how files differ between two points; *end* None is now.

    Only files that recorded operations touched since *start* are compared.
    """
    before = states_at(runtime, start)
    after = {} if end is None else _states_between(runtime, start, end)
    steps = []
    for path, old in sorted(before.items()):
        new = after.get(path)
        new = _state_now(runtime, path) if new is None else new
        if old != new and (isinstance(old, FileState) or isinstance(new, FileState)):
            steps.append(Change(path, old, new))
    return runtime.history.fill(ChangeSet(tuple(steps)))


def states_at(runtime: Runtime, point: Point) -> dict[WorkspacePath, State]:
    """Return what was at each path that operations touched since *point*."""
    states: dict[WorkspacePath, State] = {}
    for operation in _newest_first(runtime.history, until=point.last):
        for step in reversed(operation.change_set.steps):
            if isinstance(step, Change):
                states[step.path] = step.before
                continue
            known = states.pop(step.target, None)
            states[step.target] = ABSENT
            states[step.source] = _state_now(runtime, step.target) if known is None else known
    return states


def _states_between(runtime: Runtime, start: Point, end: Point) -> dict[WorkspacePath, State]:
    """Return what was at *end* at each path touched since *start*, as operations left it."""
    states = states_at(runtime, end)
    if end.last is None:
        return states
    left: dict[WorkspacePath, State] = {}
    newest = runtime.history.get(end.last, 0)
    for operation in [newest, *_newest_first(runtime.history, until=start.last, start=newest.id)]:
        if operation.left_out:
            operation = runtime.history.get(operation.id)
        for step in reversed(operation.change_set.steps):
            if isinstance(step, Change):
                left.setdefault(step.path, step.after)
    return states | left


def restore(
    runtime: Runtime, path: WorkspacePath, point: Point, shown: str, origin: Origin
) -> Operation:
    """Make a file what it was at *point*, as one operation; an empty id if it is so already."""
    return runtime.editor.commit(plan_restore(runtime, path, point, shown), origin)


def plan_restore(runtime: Runtime, path: WorkspacePath, point: Point, shown: str) -> ChangeSet:
    """Return what `restore` would do; empty if the file is so already."""
    now = runtime.tree.state(path)
    then = states_at(runtime, point).get(path, now)
    if not isinstance(then, FileState):
        raise NotFound(shown, f"There was no such file then: {shown}")
    steps = () if now == then else (Change(path, now, then),)
    return runtime.history.fill(ChangeSet(steps))


def blame(runtime: Runtime, path: WorkspacePath) -> list[BlamedLine]:
    """Return the lines of a file with the operation that made each.

    Goes back only as far as it must: until every line has been found, or the history ends.
    """
    file = open_file(runtime.tree, path, runtime.tree.read(path))
    if file.is_binary:
        raise BinaryFile(display_name(runtime.workspace, path))
    lines = split_lines(file.view)
    makers: list[Operation | None] = [None] * len(lines)
    walk = _Walk(lines, list(range(len(lines))), makers)
    digest = ""
    changes = _changes_of(runtime, path)
    following = next(changes, None)
    while following is not None:
        operation, change = following
        after, before = change.after, change.before
        # Read first: most of the time that one has the content which is asked for next.
        following = next(changes, None)
        if not isinstance(after, FileState):
            break
        if after.digest != digest:
            walk.step_back(_lines_of(runtime, path, after), None)
        if not isinstance(before, FileState):
            walk.step_back([], operation)
            break
        walk.step_back(_lines_of(runtime, path, before), operation)
        digest = before.digest
        if not walk.has_unknown:
            break
    return [BlamedLine(*pair) for pair in zip(lines, makers, strict=True)]


@dataclass(slots=True)
class _Walk:
    """Goes from version to older version; `numbers` are the lines' numbers in the file now.

    Lines whose maker is known, or that are not in the file now, have the number -1.
    """

    version: list[bytes]
    numbers: list[int]
    makers: list[Operation | None]
    # Lines that an undo or redo put back: an older version has them, and tells who made them.
    restored: dict[bytes, list[int]] = field(default_factory=dict)

    @property
    def has_unknown(self) -> bool:
        return bool(self.restored) or any(number >= 0 for number in self.numbers)

    def step_back(self, older: list[bytes], maker: Operation | None) -> None:
        """Go to the version before; lines that it does not have were made by *maker*."""
        kept = [-1] * len(older)
        i = j = 0
        for hunk in diff_lines(older, self.version):
            kept[i : hunk.i1] = self.numbers[j : hunk.j1]
            i, j = hunk.i2, hunk.j2
            self._leave(range(hunk.j1, hunk.j2), maker)
            for at in range(hunk.i1, hunk.i2):
                kept[at] = self._find_restored(older[at])
        kept[i:] = self.numbers[j:]
        self.version, self.numbers = older, kept

    def _leave(self, lines: range, maker: Operation | None) -> None:
        for at in lines:
            number = self.numbers[at]
            if number < 0 or maker is None:
                continue
            if maker.kind == "change":
                self.makers[number] = maker
            else:
                self.restored.setdefault(self.version[at], []).append(number)

    def _find_restored(self, line: bytes) -> int:
        waiting = self.restored.get(line)
        if not waiting:
            return -1
        number = waiting.pop()
        if not waiting:
            del self.restored[line]
        return number


def operations_on(runtime: Runtime, path: WorkspacePath) -> Iterator[Operation]:
    """Yield what changed or moved a file, newest first, followed to the names it had before."""
    last = ""
    for operation, _, _ in _steps_on(runtime, path):
        if operation.id != last:
            yield operation
        last = operation.id


def _changes_of(runtime: Runtime, path: WorkspacePath) -> Iterator[tuple[Operation, Change]]:
    """Yield the changes of a file, newest first, followed to the names it had before."""
    for operation, step, is_move in _steps_on(runtime, path):
        if isinstance(step, Change) and not is_move:
            yield operation, step


def _steps_on(
    runtime: Runtime, path: WorkspacePath
) -> Iterator[tuple[Operation, Change | Rename, bool]]:
    """Yield the steps that changed a file or moved it, and whether they moved it."""
    before_id: str | None = None
    while True:
        moved = False
        for operation in runtime.history.touching(path, before_id):
            for step in reversed(operation.change_set.steps):
                source = _name_before(path, step, operation)
                if source is not None:
                    path, moved = source, True
                    yield operation, step, True
                elif _is_of(step, path) and not (moved and _is_gone(step)):
                    yield operation, step, isinstance(step, Rename)
            if moved:
                before_id = operation.id
                break
        if not moved:
            return


def _is_of(step: Change | Rename, path: WorkspacePath) -> bool:
    """Return whether a step changes what is at *path*, or moves it away."""
    return path.is_beneath(step.source) if isinstance(step, Rename) else step.path == path


def _is_gone(step: Change | Rename) -> bool:
    return isinstance(step, Rename) or step.after == ABSENT


def _name_before(
    path: WorkspacePath, step: Change | Rename, operation: Operation
) -> WorkspacePath | None:
    """Return the name from which a step moved *path*; None if it did not."""
    if isinstance(step, Rename):
        rest = path.parts[len(step.target.parts) :]
        is_moved = path.is_beneath(step.target)
        return step.source.child(*rest) if is_moved else None
    if step.path != path or not isinstance(step.before, Absent):
        return None
    moves = operation.change_set.moves_by_content()
    return next((source for source, target in moves.items() if target == path), None)


def _lines_of(runtime: Runtime, path: WorkspacePath, state: FileState) -> list[bytes]:
    content = runtime.history.load_content(state).content or b""
    return split_lines(open_file(runtime.tree, path, content).view)


def _newest_first(
    history: History, *, until: str | None, start: str | None = None
) -> Iterator[Operation]:
    """Operations after *start* (None: from the newest), up to but without *until*."""
    before, size = start, _FIRST_PAGE
    while True:
        page = history.list(HistoryQuery(before_id=before, limit=size, prompts=True))
        for operation in page:
            if operation.id == until:
                return
            yield operation
        if len(page) < size:
            return
        before, size = page[-1].id, min(2 * size, _MAX_PAGE)


def _state_now(runtime: Runtime, path: WorkspacePath) -> State:
    try:
        return runtime.tree.state(path)
    except RedlineError:
        return ABSENT


def _texts(step: Change) -> tuple[bytes, bytes] | None:
    """Both versions as UTF-8; None when one of them is not text."""
    contents = [s.content if isinstance(s, FileState) else b"" for s in (step.before, step.after)]
    old, new = contents
    if old is None or new is None:
        return None
    before, after = open_versions(old, new)
    return None if before.is_binary or after.is_binary else (before.view, after.view)


# The name under which commands take the commit as a point to compare with.
HEAD = "HEAD"


def difference_from_head(runtime: Runtime, committer: Committer) -> ChangeSet:
    """Return how the files of the first root differ from HEAD, new files included."""
    top = WorkspacePath(0, ())
    status = runtime.git.status(top, untracked=True)
    if status is None:
        raise NotFound(runtime.workspace.absolute(top), "The workspace is not a repository")
    names = {entry.path for entry in status.entries} | {
        entry.original for entry in status.entries if entry.original
    }
    steps = []
    for name in sorted(names):
        path = runtime.workspace.resolve(name, Access.READ, follow=False)
        before = _at_head(committer, runtime.workspace.absolute(path))
        after = _now(runtime, path)
        if before != after:
            steps.append(Change(path, before, after))
    return ChangeSet(tuple(steps))


def _at_head(committer: Committer, absolute: str) -> State:
    found = committer.head_file(absolute)
    if found is None:
        return ABSENT
    return LinkState(os.fsdecode(found.content)) if found.is_link else FileState.of(found.content)


def _now(runtime: Runtime, path: WorkspacePath) -> State:
    try:
        state = runtime.tree.state(path)
    except RedlineError:
        return ABSENT
    if isinstance(state, LinkState):
        return state
    return FileState.of(state.content or b"") if isinstance(state, FileState) else ABSENT
