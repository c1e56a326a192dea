"""Plan the ChangeSet that takes operations back and keeps what happened since."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from redline.core import changes
from redline.core.budget import release_read
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_text
from redline.core.errors import NotARegularFile, PathError, UndoBlocked
from redline.core.line_diff import split_lines
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Operation
from redline.core.ports.store import Store
from redline.core.ports.tree import PathResolver, Tree
from redline.core.records import dataclass, field, replace
from redline.core.textfile import TextFile
from redline.engine.ignore_rules import IgnoreRules
from redline.engine.reverting import timeline
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import LineConflict, merge_lines


@dataclass(slots=True)
class Outlook:
    """A plan in the making; `state` answers as if its steps had been carried out."""

    tree: Tree
    steps: list[changes.Change | changes.Rename] = field(default_factory=list)
    _expected: dict[WorkspacePath, changes.State] = field(default_factory=dict)
    _renames: list[changes.Rename] = field(default_factory=list)
    # Directories the plan makes: nothing is below them but what it puts there.
    _fresh: set[WorkspacePath] = field(default_factory=set)
    # The step that changes a path, as long as later changes of it can be made part of that step,
    # and which file it is about.
    _open: dict[WorkspacePath, tuple[int, object]] = field(default_factory=dict)

    def state(self, path: WorkspacePath) -> changes.State:
        """Return what will be at *path*."""
        if path in self._expected:
            return self._expected[path]
        place = self._place_now(path)
        if place is None:
            return changes.ABSENT
        found = self.tree.state(place)
        release_read(place)
        if place == path:
            self._expected[path] = found
        return found

    def change(self, path: WorkspacePath, after: changes.State, file: object) -> None:
        """Plan that *path* becomes *after*; steps about one *file* become one."""
        before = self.state(path)
        self._expected[path] = _with_kept_mode(after, before)
        if isinstance(after, changes.DirState) and not isinstance(before, changes.DirState):
            self._fresh.add(path)
        at, about = self._open.get(path, (-1, None))
        if (
            isinstance(before, changes.DirState)
            and isinstance(after, changes.Absent)
            and self._unmake(path)
        ):
            return
        if isinstance(before, changes.DirState) or isinstance(after, changes.DirState):
            self._open.clear()  # what follows may depend on this directory
            self.steps.append(changes.Change(path, before, after))
        elif at < 0 or about is not file:
            self._open[path] = len(self.steps), file
            self.steps.append(changes.Change(path, before, after))
        else:
            first = self.steps[at]
            assert isinstance(first, changes.Change)
            self.steps[at] = changes.Change(path, first.before, after)

    def _unmake(self, path: WorkspacePath) -> bool:
        """Leave out the directory *path* if the plan itself makes it and puts nothing there."""
        if path not in self._fresh:
            return False
        for at in range(len(self.steps) - 1, -1, -1):
            step = self.steps[at]
            if isinstance(step, changes.Rename):
                if step.source.is_beneath(path) or step.target.is_beneath(path):
                    return False
            elif step.path == path and isinstance(step.before, changes.Absent):
                self.steps[at] = changes.Change(path, changes.ABSENT, changes.ABSENT)
                self._fresh.discard(path)
                return True
            elif step.path.is_beneath(path) and _differs(step):
                return False
        return False

    def rename(self, step: changes.Rename) -> None:
        """Plan a rename."""
        moving = self.state(step.source)
        for path in [p for p in self._expected if p.is_beneath(step.source)]:
            self._expected[moved(path, step)] = self._expected.pop(path)
        self._expected[step.source] = changes.ABSENT
        self._expected[step.target] = moving
        self._renames.append(step)
        self._open.clear()
        self.steps.append(step)

    def names_in(self, path: WorkspacePath) -> list[str]:
        """Return the names that will be in a directory."""
        place = self._place_now(path)
        try:
            entries = [] if place is None else self.tree.scan(place)
        except PathError:
            entries = []
        names = [entry.path.name for entry in entries]
        names += [p.name for p in self._expected if p.parts and p.parent == path]
        found = dict.fromkeys(names)
        return [
            name for name in found if not isinstance(self.state(path.child(name)), changes.Absent)
        ]

    def finished_steps(self) -> tuple[changes.Change | changes.Rename, ...]:
        """Return the steps, without those that came to nothing."""
        return tuple(
            step for step in self.steps if isinstance(step, changes.Rename) or _differs(step)
        )

    def _place_now(self, path: WorkspacePath) -> WorkspacePath | None:
        """Return where the disk has what will be at *path*; None if there will be nothing."""
        if any(path != made and path.is_beneath(made) for made in self._fresh):
            return None
        for rename in reversed(self._renames):
            if path.is_beneath(rename.target):
                path = moved(path, rename.inverse())
            elif path.is_beneath(rename.source):
                return None
        return path


def moved(path: WorkspacePath, rename: changes.Rename) -> WorkspacePath:
    """Return where a rename moves *path*."""
    if not path.is_beneath(rename.source):
        return path
    rest = path.parts[len(rename.source.parts) :]
    return rename.target.child(*rest)


def _differs(step: changes.Change) -> bool:
    return step.before != _with_kept_mode(step.after, step.before)


def _with_kept_mode(after: changes.State, found: changes.State) -> changes.State:
    """Return *after* with the mode that a step without one leaves as it is."""
    if (
        isinstance(after, changes.FileState)
        and after.mode is None
        and isinstance(found, changes.FileState)
    ):
        return replace(after, mode=found.mode)
    return after


_MAX_LINES = 30
_MAX_MAKERS = 8


@dataclass(frozen=True, slots=True)
class Clash:
    """A path that cannot be taken back; `operations` changed it since, "" is another program."""

    path: WorkspacePath
    text: str
    operations: tuple[str, ...] = ()
    lines: tuple[LineConflict, ...] = ()


def blocked(
    clashes: Sequence[Clash], show: Callable[[WorkspacePath], str], selected: Collection[str]
) -> UndoBlocked:
    """Build the error that tells where the way is blocked, and by which of the other operations."""
    paths = list(dict.fromkeys(show(clash.path) for clash in clashes))
    makers = list(dict.fromkeys(name for clash in clashes for name in clash.operations))
    ids = [name for name in makers if name and name not in selected]
    others = not ids or "" in makers
    who = ", ".join(ids[:_MAX_MAKERS]) + (" and more" if len(ids) > _MAX_MAKERS else "")
    if who:
        who = f"change {who}" + (" and another program or client" if others else "")
    else:
        who = "another program or client"
    return UndoBlocked(
        f"Changed since by {who}: {', '.join(paths)}",
        paths=paths,
        diff="".join(clash.text for clash in clashes),
        operations=ids,
        conflicts=[_wire(clash.path, each, show) for clash in clashes for each in clash.lines],
    )


def _wire(
    path: WorkspacePath, conflict: LineConflict, show: Callable[[WorkspacePath], str]
) -> dict[str, object]:
    return {
        "path": show(path),
        "line": conflict.now_line,
        "now": [_text(line) for line in conflict.now[:_MAX_LINES]],
        "wanted": [_text(line) for line in conflict.wanted[:_MAX_LINES]],
        "operations": [name for name in conflict.makers if name],
    }


def describe_conflicts(shown: str, conflicts: Sequence[LineConflict]) -> str:
    """Return the conflicting lines of a file from both sides, as merge tools show them."""
    parts = []
    for each in conflicts:
        names = [name or "another program" for name in each.makers]
        who = f" by {', '.join(names)}" if names else ""
        parts.append(
            f"{shown} line {each.now_line}\n"
            f"<<<<<<< now, changed{who}\n{_block(each.now)}"
            f"=======\n{_block(each.wanted)}>>>>>>> wanted\n"
        )
    return "".join(parts)


def describe_states(shown: str, wanted: changes.State, found: changes.State) -> str:
    """Return how what was found differs from what the operation left."""
    if isinstance(wanted, changes.FileState) and isinstance(found, changes.FileState):
        old, new = _content(wanted), _content(found)
        if old is None or new is None:
            return f"Binary file {shown} differs\n"
        diff = unified_diff(old, new, f"a/{shown.lstrip('/')}", f"b/{shown.lstrip('/')}")
        return diff or f"{shown}: mode is {found.mode or 0:o}, was {wanted.mode or 0:o}\n"
    return f"{shown}: {_kind(found)}, was {_kind(wanted)}\n"


def _block(lines: Sequence[bytes]) -> str:
    kept = [_text(line) + "\n" for line in lines[:_MAX_LINES]]
    rest = len(lines) - _MAX_LINES
    return "".join(kept) + (f"[{rest} more lines]\n" if rest > 0 else "")


def _text(line: bytes) -> str:
    return show_name(line.decode("utf-8", "surrogateescape")).rstrip("\r\n")


def _content(state: changes.FileState) -> str | None:
    content = open_text(state.content or b"").view
    return None if b"\0" in content else show_name(content.decode("utf-8", "surrogateescape"))


def _kind(state: changes.State) -> str:
    match state:
        case changes.Absent():
            return "missing"
        case changes.DirState():
            return "a directory"
        case changes.LinkState():
            return f"a link to {show_name(state.target)}"
        case changes.SpecialState():
            return f"a {state.kind}"
        case changes.FileState():
            return "a file"


# Larger files are taken back whole or not at all, and a longer way is not followed step by step.
MAX_MERGED_BYTES = 8 << 20
MAX_VERSIONS = 500
_MAX_NAMED = 5


class _Located(NamedTuple):
    """A step, the entry it is about, and from which step on later ones have to be kept.

    A rename leads from `source` to `target`. A file is only removed in the `life` it was made in.
    """

    step: changes.Change | changes.Rename
    entry: timeline.TrackedEntry
    since: int
    source: timeline.TrackedPlace
    target: timeline.TrackedPlace
    life: int


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """What to change; `merged` names files whose later changes are kept.

    `notes` say what stays or stays away because git ignores it and no operation made it.
    """

    change_set: changes.ChangeSet
    merged: tuple[WorkspacePath, ...] = ()
    notes: tuple[str, ...] = ()


class RevertPlanner:
    """Plans one revert; each needs a planner of its own."""

    def __init__(self, workspace: PathResolver, tree: Tree, store: Store) -> None:
        self._workspace = workspace
        self._store = store
        self._outlook = Outlook(tree)
        self._timeline = timeline.Timeline(())
        self._clashes: list[Clash] = []
        self._merged: dict[WorkspacePath, None] = {}
        self._ignored = IgnoreRules(tree)
        # Directories that stay with what is ignored in them, and ignored entries left out.
        self._kept: dict[WorkspacePath, list[str]] = {}
        self._left_out: dict[WorkspacePath, None] = {}
        self._doomed: set[timeline.TrackedEntry] = set()
        self._cancelled: set[str] = set()

    def plan(self, steps: Sequence[timeline.RevertStep]) -> RevertPlan:
        """Return the plan for *steps* in this order; UndoBlocked tells everything in the way."""
        operations = {each.operation for each in steps}
        later = self._later_operations(operations)
        self._timeline = timeline.Timeline(later)
        self._cancelled = _find_cancelled(later)
        steps = timeline.with_moves(steps, self._timeline.moves_in)
        located = _join_steps([self._locate(each) for each in steps])
        self._doomed = {each.entry for each in located if _removes_directory(each.step)}
        for each in located:
            self._take_step(each)
        if self._clashes:
            raise blocked(self._clashes, self._show, operations)
        finished = changes.ChangeSet(self._outlook.finished_steps())
        return RevertPlan(finished, tuple(self._merged), tuple(self._say_ignored()))

    def _later_operations(self, wanted: set[str]) -> list[Operation]:
        """Return the operations from the oldest wanted one on, oldest first."""
        found: list[Operation] = []
        missing = set(wanted)
        for operation in self._store.newest_first():
            found.append(operation)
            missing.discard(operation.id)
            missing |= timeline.removers(operation)
            if not missing:
                break
        return found[::-1]

    def _locate(self, wanted: timeline.RevertStep) -> _Located:
        at, entry, source, target, life = self._timeline.trace(wanted.operation, wanted.number)
        if wanted.again:
            return _Located(wanted.step, entry, at, source, target, life)
        return _Located(wanted.step, entry, at + 1, target, source, life)

    def _take_step(self, each: _Located) -> None:
        try:
            if isinstance(each.step, changes.Rename):
                self._take_rename(each)
            else:
                self._take_change(each.step, each)
        except NotARegularFile:
            path = self._timeline.path_of(each.entry)
            self._clash(path, f"{self._show(path)} is no longer a regular file\n")

    # -- one path -----------------------------------------------------------------------------

    def _take_change(self, step: changes.Change, each: _Located) -> None:
        entry, is_removal = each.entry, isinstance(step.after, changes.Absent)
        if is_removal and entry.life != each.life:
            return  # removed already; what is there now was made again
        if entry.is_there:
            if is_removal and self._must_stay(step, entry):
                return
            self._change_entry(step, entry, each.since)
        elif isinstance(step.before, changes.Absent):
            if self._may_stay_away(step, each):
                return
            self._bring_back(step, entry)
        elif not is_removal:  # what may be at its path is another file
            path = self._timeline.path_of(entry)
            makers = _makers(entry.passed_since(each.since), step.before)
            self._clash(
                path, describe_states(self._show(path), step.before, changes.ABSENT), makers
            )
            return
        entry.become(is_there=not is_removal, life=each.life)

    def _change_entry(self, step: changes.Change, entry: timeline.TrackedEntry, since: int) -> None:
        base, wanted = step.before, step.after
        path = self._timeline.path_of(entry)
        now = self._outlook.state(path)
        if is_same(now, wanted, base):
            return
        result: changes.State | None
        if fits(now, base, wanted):
            result = keep_mode(base, wanted)
        else:
            result = self._merge(step, path, now, entry.passed_since(since))
        self._outlook.change(path, wanted if result is None else result, entry)

    def _bring_back(self, step: changes.Change, entry: timeline.TrackedEntry) -> None:
        path = self._timeline.path_of(entry)
        now = self._outlook.state(path)
        makers = self._timeline.makers_at(path)
        if isinstance(now, changes.Absent):
            self._check_directory(path)
            self._outlook.change(path, step.after, entry)
        elif makers or not is_same(now, step.after, step.before):
            self._clash(path, f"{self._show(path)} exists again\n", makers)

    def _merge(
        self,
        step: changes.Change,
        path: WorkspacePath,
        now: changes.State,
        passed: Sequence[timeline.Passed],
    ) -> changes.FileState | None:
        """Merge the revert with later changes of a text file; None after noting why it cannot."""
        base, wanted = step.before, step.after
        if isinstance(now, changes.FileState) and isinstance(base, changes.FileState):
            base, now = self._load(base), self._load(now)
        if not (
            isinstance(base, changes.FileState)
            and isinstance(now, changes.FileState)
            and isinstance(wanted, changes.FileState)
        ):
            self._clash(path, describe_states(self._show(path), base, now), _makers(passed, base))
            return None
        wanted = self._load(wanted)
        mode = merge_modes(base.mode, wanted.mode, now.mode)
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
        content = b"".join(merged.lines)
        if content != now.content:
            self._merged[path] = None
        return changes.FileState.of(content, mode or None)

    def _versions(
        self, base: changes.FileState, now: changes.FileState, passed: Sequence[timeline.Passed]
    ) -> list[Version]:
        """The contents between *base* and *now*: known from the journal, else the last alone."""
        way: list[tuple[changes.FileState, str]] = []
        last = base.digest
        for each in passed:
            before, after = each.before, each.after
            if isinstance(before, changes.FileState) and before.digest != last:
                way.append((before, ""))
            if isinstance(after, changes.FileState):
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

    def _take_rename(self, each: _Located) -> None:
        entry = each.entry
        here, there = self._timeline.path_of(entry), self._timeline.path_at(each.target)
        if here == there:
            return
        if not entry.is_there or isinstance(self._outlook.state(here), changes.Absent):
            passed = entry.passed_since(each.since)
            makers = tuple(p.operation for p in passed if isinstance(p.after, changes.Absent))
            self._clash(here, f"{self._show(here)} is gone\n", makers)
        elif not isinstance(self._outlook.state(there), changes.Absent):
            makers = self._timeline.makers_at(there)
            self._clash(there, f"{self._show(there)} exists again\n", makers)
        elif here != self._timeline.path_at(each.source):
            self._clash(here, f"{self._show(here)} was moved again\n", (entry.moved_by,))
        elif there.is_beneath(here):
            text = f"{self._show(there.parent)} was moved into it\n"
            self._clash(here, text, (each.target.directory.moved_by,))
        elif self._check_directory(there):
            self._outlook.rename(changes.Rename(here, there))
            entry.move(*each.target)

    def _check_directory(self, path: WorkspacePath) -> bool:
        """Return whether there is a directory for *path*; if not, that is in the way."""
        folder = path.parent
        is_there = isinstance(self._outlook.state(folder), changes.DirState)
        if not is_there:
            self._clash(path, f"{self._show(folder)} is not a directory any more\n")
        return is_there

    # -- what git ignores and nobody recorded -------------------------------------------------

    def _must_stay(self, step: changes.Change, entry: timeline.TrackedEntry) -> bool:
        """Return whether a directory stays, as it holds what is ignored; all else is in the way."""
        path = self._timeline.path_of(entry)
        if not _removes_directory(step) or not isinstance(
            self._outlook.state(path), changes.DirState
        ):
            return False
        names = self._outlook.names_in(path)
        others = [each for each in names if not self._is_forgotten(path, each, entry)]
        if others:
            lines = "".join(f"{self._show(path.child(name))} was added\n" for name in others)
            self._clash(path, lines)
        elif names:
            self._kept[path] = names
        return bool(names)

    def _is_forgotten(
        self, directory: WorkspacePath, name: str, entry: timeline.TrackedEntry
    ) -> bool:
        """Whether git ignores *name* and no operation made it, or it is a directory that stays."""
        path, known = directory.child(name), entry.entries.get(name)
        if path in self._kept:
            return True
        is_recorded = known is not None and known.is_recorded
        return not is_recorded and self._ignored.leave_out(path, self._outlook.state(path))

    def _may_stay_away(self, step: changes.Change, each: _Located) -> bool:
        """Whether something ignored and unrecorded need not come back, as its directory is undone.

        It was made after that directory, so it is not there at the point that is gone back to.
        """
        path = self._timeline.path_of(each.entry)
        if each.life or not self._ignored.leave_out(path, step.after):
            return False
        above = self._timeline.directories_above(each.entry)
        is_undone = any(one in self._doomed or self._was_taken_back(one) for one in above)
        if is_undone and path.parent not in self._left_out:
            self._left_out[path] = None
        return is_undone

    def _was_taken_back(self, directory: timeline.TrackedEntry) -> bool:
        if not self._timeline.is_taken_back(directory):
            return False
        return isinstance(self._outlook.state(self._timeline.path_of(directory)), changes.Absent)

    def _say_ignored(self) -> Iterator[str]:
        for path, names in self._kept.items():
            shown = ", ".join(show_name(name) for name in names[:_MAX_NAMED])
            more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
            held = "" if all(path.child(name) in self._kept for name in names) else " (ignored)"
            yield f"{show_name(path.relative)} stays, as it holds {shown}{more}{held}"
        for path in self._left_out:
            yield f"{show_name(path.relative)} (ignored) is not brought back: its directory is gone"

    # -- helpers ------------------------------------------------------------------------------

    def _clash(self, path: WorkspacePath, text: str, makers: tuple[str, ...] = ()) -> None:
        self._clashes.append(Clash(path, text, self._in_the_way(makers)))

    def _in_the_way(self, makers: tuple[str, ...]) -> tuple[str, ...]:
        """Return *makers* without operations that were taken back, and those that did so."""
        return tuple(name for name in makers if name not in self._cancelled) or makers

    def _load(self, state: changes.FileState) -> changes.FileState:
        if state.content is not None or state.size > MAX_MERGED_BYTES:
            return state
        return self._store.load_content(state)

    def _show(self, path: WorkspacePath) -> str:
        return show_name(self._workspace.absolute(path))


def _removes_directory(step: changes.Change | changes.Rename) -> bool:
    return (
        isinstance(step, changes.Change)
        and isinstance(step.before, changes.DirState)
        and isinstance(step.after, changes.Absent)
    )


def _find_cancelled(operations: Sequence[Operation]) -> set[str]:
    """Changes that one of the others took back, and that one; undos that were redone."""
    names = {operation.id for operation in operations}
    found: set[str] = set()
    for each in operations:
        if each.reverted_by in names:
            found.add(each.id)
            if each.kind == "change" and each.reverted_by is not None:
                found.add(each.reverted_by)
    return found


def _join_steps(steps: Sequence[_Located]) -> list[_Located]:
    """Join steps that take back consecutive contents of the same file into one.

    That it is moved in between makes no difference; that it is removed or made does.
    """
    joined: list[_Located] = []
    latest: dict[timeline.TrackedEntry, int] = {}
    for each in steps:
        if isinstance(each.step, changes.Rename):
            joined.append(each)
        elif not _is_file(each.step):
            latest.pop(each.entry, None)
            joined.append(each)
        else:
            at = latest.get(each.entry)
            both = None if at is None else _join(joined[at], each.step)
            if at is None or both is None:
                latest[each.entry] = len(joined)
                joined.append(each)
            else:
                joined[at] = both
    return joined


def _join(later: _Located, older: changes.Change) -> _Located | None:
    newer = later.step
    assert isinstance(newer, changes.Change)
    if newer.after != older.before:
        return None
    return later._replace(step=changes.Change(newer.path, newer.before, older.after))


def _is_file(change: changes.Change) -> bool:
    return isinstance(change.before, changes.FileState) and isinstance(
        change.after, changes.FileState
    )


def _is_text(state: changes.FileState) -> bool:
    return state.content is not None and not TextFile(state.content).is_binary


def _lines(state: changes.FileState) -> list[bytes]:
    return split_lines(state.content or b"")


def _makers(passed: Sequence[timeline.Passed], base: changes.State) -> tuple[str, ...]:
    """Who changed a path since it was *base*."""
    same = [n for n, each in enumerate(passed) if each.after == base]
    later = passed[same[-1] + 1 :] if same else passed
    return tuple(each.operation for each in later)


def fits(now: changes.State, base: changes.State, wanted: changes.State) -> bool:
    """Return whether a path still is as the operation left it."""
    if isinstance(base, changes.FileState) and isinstance(now, changes.FileState):
        asks_mode = isinstance(wanted, changes.FileState) and base.mode != wanted.mode
        return base.digest == now.digest and (not asks_mode or base.mode == now.mode)
    if isinstance(base, changes.DirState) and isinstance(now, changes.DirState):
        return True
    return base == now


def is_same(now: changes.State, wanted: changes.State, base: changes.State) -> bool:
    """Return whether a path already is as it is to become."""
    if isinstance(now, changes.FileState) and isinstance(wanted, changes.FileState):
        keeps_mode = isinstance(base, changes.FileState) and base.mode == wanted.mode
        return now.digest == wanted.digest and (keeps_mode or now.mode == wanted.mode)
    if isinstance(now, changes.DirState) and isinstance(wanted, changes.DirState):
        return now.mode == wanted.mode or not isinstance(base, changes.DirState)
    return now == wanted


def keep_mode(base: changes.State, wanted: changes.State) -> changes.State:
    """Return *wanted* without a mode if the operation did not change it: later modes are kept."""
    if (
        isinstance(base, changes.FileState)
        and isinstance(wanted, changes.FileState)
        and base.mode == wanted.mode
    ):
        return replace(wanted, mode=None)
    return wanted


def merge_modes(base: int | None, wanted: int | None, now: int | None) -> int:
    """Return the mode to set, 0 to keep what is there, -1 if both sides changed it."""
    if base == wanted or now == wanted:
        return 0
    return -1 if now != base else wanted or 0
