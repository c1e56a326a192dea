"""Plan the ChangeSet that takes operations back and keeps what happened since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, DirState, FileState, Rename, State
from redline.core.errors import NotARegularFile
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Operation
from redline.core.ports.store import Store
from redline.core.ports.tree import PathResolver, Tree
from redline.core.textfile import TextFile
from redline.engine.reverting.clashes import Clash, blocked, describe_conflicts, describe_states
from redline.engine.reverting.outlook import Outlook
from redline.engine.reverting.timeline import Passed, Timeline
from redline.plan.merge.line_diff import split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines

# Larger files are taken back whole or not at all, and a longer way is not followed step by step.
MAX_MERGED_BYTES = 8 << 20
MAX_VERSIONS = 500


class Task(NamedTuple):
    """Steps to carry out, written down as of operation `since`; later ones have to be kept."""

    steps: Sequence[Change | Rename]
    since: str


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """What to change; `merged` names files whose later changes are kept."""

    change_set: ChangeSet
    merged: tuple[WorkspacePath, ...] = ()


class RevertPlanner:
    """Plans one revert; each needs a planner of its own."""

    def __init__(self, workspace: PathResolver, tree: Tree, store: Store) -> None:
        self._workspace = workspace
        self._store = store
        self._outlook = Outlook(tree)
        self._timeline = Timeline(())
        self._clashes: list[Clash] = []
        self._merged: dict[WorkspacePath, None] = {}
        self._cancelled: set[str] = set()

    def plan(self, tasks: Sequence[Task]) -> RevertPlan:
        """Return the plan for *tasks* in this order; UndoBlocked tells everything in the way."""
        later = self._later_operations({task.since for task in tasks})
        self._timeline = Timeline(later)
        self._cancelled = _cancelled(later)
        for task in _joined(tasks, self._timeline):
            self._outlook.begin_task()
            for step in task.steps:
                self._take_step(step, self._timeline.end_of(task.since))
        if self._clashes:
            raise blocked(self._clashes, self._show, {task.since for task in tasks})
        return RevertPlan(ChangeSet(self._outlook.finished_steps()), tuple(self._merged))

    def _later_operations(self, wanted: set[str]) -> list[Operation]:
        """The operations from the oldest wanted one on, oldest first."""
        found: list[Operation] = []
        missing = set(wanted)
        for operation in self._store.newest_first():
            found.append(operation)
            missing.discard(operation.id)
            if not missing:
                break
        return found[::-1]

    def _take_step(self, step: Change | Rename, since: int) -> None:
        try:
            if isinstance(step, Rename):
                self._take_rename(step, since)
            else:
                self._take_change(step, since)
        except NotARegularFile:
            path = step.source if isinstance(step, Rename) else step.path
            self._clash(path, f"{self._show(path)} is no longer a regular file\n")

    # -- one path -----------------------------------------------------------------------------

    def _take_change(self, step: Change, since: int) -> None:
        base, wanted = step.before, step.after
        if isinstance(base, Absent):  # what was made there since is another file
            path = self._beside(step.path, since)
        else:
            located = self._timeline.locate(step.path, since)
            path = self._outlook.relocate(located.path)
            if isinstance(wanted, Absent) and not located.is_there and not self._plans(path):
                return  # removed already; what is there now is another file
        now = self._outlook.state(path)
        if _is_same(now, wanted, base):
            return
        if _fits(now, base, wanted):
            if isinstance(base, DirState) and isinstance(wanted, Absent):
                self._check_empty(path)
            self._outlook.change(path, _keep_mode(base, wanted))
            return
        result = self._merge(step, path, now, since)
        self._outlook.change(path, wanted if result is None else result)

    def _merge(self, step: Change, path: WorkspacePath, now: State, since: int) -> FileState | None:
        """Return what keeps later changes of a text file; None after noting why there is none."""
        base, wanted = step.before, step.after
        passed = list(self._timeline.passed(step.path, since))
        if isinstance(now, FileState) and isinstance(base, FileState):
            base, now = self._load(base), self._load(now)
        if not (
            isinstance(base, FileState)
            and isinstance(now, FileState)
            and isinstance(wanted, FileState)
        ):
            self._clash(path, describe_states(self._show(path), base, now), _makers(passed, base))
            return None
        wanted = self._load(wanted)
        mode = _merge_modes(base.mode, wanted.mode, now.mode)
        if not all(map(_is_text, (base, now, wanted))) or mode < 0:
            self._clash(path, describe_states(self._show(path), base, now), _makers(passed, base))
            return None
        merged = merge_lines(_lines(base), _lines(wanted), self._versions(base, now, passed))
        if merged.conflicts:
            conflicts = [c._replace(makers=self._in_the_way(c.makers)) for c in merged.conflicts]
            text = describe_conflicts(self._show(path), conflicts)
            makers = tuple(name for each in conflicts for name in each.makers)
            self._clashes.append(Clash(path, text, makers, tuple(conflicts)))
            return None
        self._merged[path] = None
        return FileState.of(b"".join(merged.lines), mode or None)

    def _versions(self, base: FileState, now: FileState, passed: Sequence[Passed]) -> list[Version]:
        """The contents between *base* and *now*: known from the journal, else the last alone."""
        way: list[tuple[FileState, str]] = []
        last = base.digest
        for each in passed:
            before, after = each.before, each.after
            if isinstance(before, FileState) and before.digest != last:
                way.append((before, ""))
            if isinstance(after, FileState):
                way.append((after, each.operation))
                last = after.digest
        # What led back to the same content is no change.
        start = max((n for n, (s, _) in enumerate(way) if s.digest == base.digest), default=-1)
        way = way[start + 1 :]
        size = sum(state.size for state, _ in way)
        if len(way) > MAX_VERSIONS or size > 8 * MAX_MERGED_BYTES:
            way = []
        found = [Version(_lines(self._load(state)), maker) for state, maker in way]
        if not way or way[-1][0].digest != now.digest:
            found.append(Version(_lines(now), ""))
        return found

    def _take_rename(self, step: Rename, since: int) -> None:
        source = self._timeline.locate(step.source, since)
        here = self._outlook.relocate(source.path)
        there = self._beside(step.target, since)
        if here == there:
            return
        is_lost = not source.is_there and not self._plans(here)  # what is there is another file
        if is_lost or isinstance(self._outlook.state(here), Absent):
            passed = self._timeline.passed(step.source, since)
            makers = tuple(p.operation for p in passed if isinstance(p.after, Absent))
            self._clash(here, f"{self._show(here)} is gone\n", makers)
        elif not isinstance(self._outlook.state(there), Absent):
            self._clash(there, f"{self._show(there)} exists again\n")
        elif here != self._beside(step.source, since):
            text = f"{self._show(here)} was moved again\n"
            self._clash(here, text, (source.moved_by,))
        self._outlook.rename(Rename(here, there))

    def _beside(self, path: WorkspacePath, since: int) -> WorkspacePath:
        """Where *path* is if nothing but directories above it was moved since."""
        folder = self._timeline.locate(path.parent, since).path
        return self._outlook.relocate(folder).child(path.name)

    def _plans(self, path: WorkspacePath) -> bool:
        """Whether an earlier step of the plan changes *path*."""
        return any(isinstance(s, Change) and s.path == path for s in self._outlook.steps)

    def _check_empty(self, path: WorkspacePath) -> None:
        kept = self._outlook.names_in(path)
        if kept:
            lines = "".join(f"{self._show(path.child(name))} was added\n" for name in kept)
            self._clash(path, lines)

    # -- helpers ------------------------------------------------------------------------------

    def _clash(self, path: WorkspacePath, text: str, makers: tuple[str, ...] = ()) -> None:
        self._clashes.append(Clash(path, text, self._in_the_way(makers)))

    def _in_the_way(self, makers: tuple[str, ...]) -> tuple[str, ...]:
        """Return *makers* without operations that were taken back, and those that did so."""
        return tuple(name for name in makers if name not in self._cancelled) or makers

    def _load(self, state: FileState) -> FileState:
        if state.content is not None or state.size > MAX_MERGED_BYTES:
            return state
        return self._store.load_content(state)

    def _show(self, path: WorkspacePath) -> str:
        return show_name(self._workspace.absolute(path))


def _cancelled(operations: Sequence[Operation]) -> set[str]:
    """Operations that one of the others took back, and that one: together they did nothing."""
    names = {operation.id for operation in operations}
    pairs = ((each.id, each.reverted_by) for each in operations if each.reverted_by in names)
    return {name for pair in pairs for name in pair if name}


def _joined(tasks: Sequence[Task], timeline: Timeline) -> list[Task]:
    """Join tasks that take back consecutive contents of the same file into one.

    Changes of different files do not depend on each other; anything else keeps its place.
    """
    joined: list[Task] = []
    latest: dict[WorkspacePath, int] = {}
    for task in tasks:
        if not all(isinstance(step, Change) and _is_file(step) for step in task.steps):
            latest.clear()
            joined.append(task)
            continue
        for step in task.steps:
            assert isinstance(step, Change)
            at = latest.get(step.path)
            both = None if at is None else _join(joined[at], step, task.since, timeline)
            if at is None or both is None:
                latest[step.path] = len(joined)
                joined.append(Task((step,), task.since))
            else:
                joined[at] = both
    return joined


def _join(later: Task, older: Change, since: str, timeline: Timeline) -> Task | None:
    newer = later.steps[0]
    assert isinstance(newer, Change)
    in_order = timeline.end_of(later.since) >= timeline.end_of(since)
    if newer.after != older.before or not in_order:
        return None
    return Task((Change(newer.path, newer.before, older.after),), later.since)


def _is_file(change: Change) -> bool:
    return isinstance(change.before, FileState) and isinstance(change.after, FileState)


def _fits(now: State, base: State, wanted: State) -> bool:
    """Whether a path still is as the operation left it."""
    if isinstance(base, FileState) and isinstance(now, FileState):
        asks_mode = isinstance(wanted, FileState) and base.mode != wanted.mode
        return base.digest == now.digest and (not asks_mode or base.mode == now.mode)
    if isinstance(base, DirState) and isinstance(now, DirState):
        return True
    return base == now


def _is_same(now: State, wanted: State, base: State) -> bool:
    """Whether a path already is as it is to become."""
    if isinstance(now, FileState) and isinstance(wanted, FileState):
        keeps_mode = isinstance(base, FileState) and base.mode == wanted.mode
        return now.digest == wanted.digest and (keeps_mode or now.mode == wanted.mode)
    if isinstance(now, DirState) and isinstance(wanted, DirState):
        return now.mode == wanted.mode or not isinstance(base, DirState)
    return now == wanted


def _keep_mode(base: State, wanted: State) -> State:
    """Return *wanted* without a mode if the operation did not change it: later modes are kept."""
    if isinstance(base, FileState) and isinstance(wanted, FileState) and base.mode == wanted.mode:
        return replace(wanted, mode=None)
    return wanted


def _merge_modes(base: int | None, wanted: int | None, now: int | None) -> int:
    """Return the mode to set, 0 to keep what is there, -1 if both sides changed it."""
    if base == wanted or now == wanted:
        return 0
    return -1 if now != base else wanted or 0


def _is_text(state: FileState) -> bool:
    return state.content is not None and not TextFile(state.content).is_binary


def _lines(state: FileState) -> list[bytes]:
    return split_lines(state.content or b"")


def _makers(passed: Sequence[Passed], base: State) -> tuple[str, ...]:
    """Who changed a path since it was *base*."""
    same = [n for n, each in enumerate(passed) if each.after == base]
    later = passed[same[-1] + 1 :] if same else passed
    return tuple(each.operation for each in later)
