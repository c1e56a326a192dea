"""Whether a change set still fits the disk, and what exactly it will do there.

Steps are followed one after the other over what the earlier ones will have done, so a set may
move a directory and edit a file in it. The outcome is the set made concrete: every mode known,
every state the real one. That is what the journal keeps and what an undo takes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from redline.adapters.journal.steps.handles import DirectoryHandles, Observed
from redline.core import errors
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    DirState,
    FileState,
    Rename,
    SpecialState,
    State,
    digest_of,
)
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_DIR = DirState()


@dataclass(slots=True)
class Preconditions:
    """The disk as it will be after the steps so far."""

    handles: DirectoryHandles
    show: Callable[[WorkspacePath], str]
    # How many bytes of contents are kept in memory.
    max_held: int
    expected: dict[WorkspacePath, State] = field(default_factory=dict)
    renames: list[Rename] = field(default_factory=list)
    # What must still be true when everything is staged; of a directory, only which one it is.
    marks: dict[WorkspacePath, tuple[int, ...]] = field(default_factory=dict)
    observed: dict[WorkspacePath, Observed] = field(default_factory=dict)
    # Directories this set makes: whatever is below them is made by it too.
    fresh: set[WorkspacePath] = field(default_factory=set)
    held: int = 0
    unheld: dict[str, WorkspacePath] = field(default_factory=dict)
    # Everything it puts somewhere.
    arrived: set[WorkspacePath] = field(default_factory=set)

    def follow(self, step: Change | Rename) -> Change | Rename:
        """Check *step* and expect its outcome; the concrete step. Raises if it does not fit."""
        if isinstance(step, Rename):
            self._follow_rename(step)
            return step
        before = self.state(step.path, step.before)
        if not fits(step, before):
            raise self._stale(step)
        self._require_parent(step)
        if isinstance(before, DirState) and not isinstance(step.after, DirState):
            self._require_empty(step.path)
        change = Change(step.path, before, _fill_mode(step, before))
        self._expect(step.path, change.after)
        if isinstance(change.after, DirState) and not isinstance(before, DirState):
            self.fresh.add(step.path)
        else:
            self.fresh.discard(step.path)
        return change

    def state(self, path: WorkspacePath, known: State | None = None) -> State:
        """Return what will be at *path* after the steps so far; *known* is what it probably is."""
        if path in self.expected:
            return self.expected[path]
        above = path.parent
        while above.parts and self.expected:
            if above in self.fresh or not isinstance(self.expected.get(above, _DIR), DirState):
                return ABSENT
            if above in self.arrived:
                break  # it was renamed, maybe into a fresh directory, with all that is in it
            above = above.parent
        place = self._place_now(path) if self.renames else path
        return ABSENT if place is None else self._look(place, known)

    def _place_now(self, path: WorkspacePath) -> WorkspacePath | None:
        """Where the disk has what the renames so far put at *path*; None if they moved it away."""
        for rename in reversed(self.renames):
            if path.is_beneath(rename.target):
                rest = path.parts[len(rename.target.parts) :]
                path = rename.source.child(*rest)
            elif path.is_beneath(rename.source):
                return None
        return path

    def _look(self, place: WorkspacePath, known: State | None) -> State:
        seen = self.observed.get(place)
        if seen is None:
            seen = self._drop_content(place, self.handles.observe(place, known), known)
            if isinstance(seen.state, SpecialState) and isinstance(known, Absent | FileState):
                raise errors.NotARegularFile(self.show(place))
            self.observed[place] = seen
            is_directory = isinstance(seen.state, DirState)
            self.marks[place] = seen.mark[:2] if is_directory else seen.mark
        return seen.state

    def _drop_content(self, place: WorkspacePath, seen: Observed, known: State | None) -> Observed:
        """Drop a content beyond the limit from memory: `reread` reads it when it is saved."""
        state = seen.state
        if not isinstance(state, FileState) or state.content is None:
            return seen
        if isinstance(known, FileState) and state.content is known.content:
            return seen  # the plan holds it anyway
        self.held += len(state.content)
        if self.held <= self.max_held:
            return seen
        self.unheld[state.digest] = place
        dropped = FileState(state.digest, state.size, state.mode)
        return Observed(dropped, seen.mark, seen.links, seen.owner, seen.is_plain)

    def reread(self, digest: str) -> bytes:
        """A content that was dropped; StaleBase when another program has changed it since."""
        place = self.unheld[digest]
        content = self.handles.observe(place).content
        if content is None or digest_of(content) != digest:
            raise errors.StaleBase(self.show(place))
        return content

    def _follow_rename(self, step: Rename) -> None:
        moved = self.state(step.source)
        if isinstance(moved, Absent):
            raise errors.NotFound(self.show(step.source))
        if not isinstance(self.state(step.target), Absent):
            raise errors.AlreadyExists(self.show(step.target))
        if step.target.is_beneath(step.source):
            raise errors.WriteFailed(
                f"Cannot move a directory into itself: {self.show(step.target)}"
            )
        self._require_directory(step.target.parent)
        self._carry(step)
        self._expect(step.source, ABSENT)
        self._expect(step.target, moved)
        self.renames.append(step)

    def _expect(self, path: WorkspacePath, state: State) -> None:
        self.expected[path] = state
        if isinstance(state, Absent):
            self.arrived.discard(path)
        else:
            self.arrived.add(path)

    def _carry(self, step: Rename) -> None:
        """What is known below the source is known below the target from now on."""
        for path in [p for p in self.expected if p.is_beneath(step.source)]:
            rest = path.parts[len(step.source.parts) :]
            there = step.target.child(*rest)
            self._expect(there, self.expected.pop(path))
            self.arrived.discard(path)
            if path in self.fresh:
                self.fresh.discard(path)
                self.fresh.add(there)

    def _require_parent(self, step: Change) -> None:
        if isinstance(step.after, Absent):
            return
        self._require_directory(step.path.parent)

    def _require_directory(self, path: WorkspacePath) -> None:
        if not path.parts:
            return
        identity = self.handles.identities.get(path)
        if identity is not None and not self.expected:
            self.marks[path] = identity  # it is open, so it is a directory: is it there still?
            return
        state = self.state(path)
        if isinstance(state, Absent):
            raise errors.NotFound(self.show(path), f"No such directory: {self.show(path)}")
        if not isinstance(state, DirState):
            raise errors.NotADirectory(self.show(path))

    def _require_empty(self, path: WorkspacePath) -> None:
        place = None if path in self.fresh else self._place_now(path)
        names = self.handles.names(place) if place is not None else []
        kept = [n for n in names if not isinstance(self.state(path.child(n)), Absent)]
        added = [p for p in self.arrived if p.parent == path]
        if kept or added:
            first = path.child(kept[0]) if kept else added[0]
            raise errors.StaleBase(
                self.show(first), hint="the directory to remove is not empty; list it again"
            )

    def _stale(self, step: Change) -> errors.RedlineError:
        shown = self.show(step.path)
        if isinstance(step.before, Absent) and not isinstance(step.after, FileState):
            return errors.AlreadyExists(shown)
        return errors.StaleBase(shown)


def fits(step: Change, found: State) -> bool:
    """Return whether *found* is what *step* starts from; a mode counts when the step changes it."""
    before, after = step.before, step.after
    if isinstance(before, FileState) and isinstance(found, FileState):
        if before.digest != found.digest:
            return False
        new_mode = after.mode if isinstance(after, FileState) else None
        return before.mode in (None, new_mode) or new_mode is None or before.mode == found.mode
    if isinstance(before, DirState) and isinstance(found, DirState):
        new_mode = after.mode if isinstance(after, DirState) else None
        return before.mode in (None, new_mode) or new_mode is None or before.mode == found.mode
    return before == found


def _fill_mode(step: Change, before: State) -> State:
    """Return the after state with the mode it will have; None is left for a new file's default."""
    planned, after = step.before, step.after
    if isinstance(after, FileState):
        keeps = after.mode is None or (
            isinstance(planned, FileState) and planned.mode == after.mode
        )
        mode = before.mode if isinstance(before, FileState) and keeps else after.mode
        return FileState(after.digest, after.size, mode, after.content, after.attributes)
    if isinstance(after, DirState) and isinstance(before, DirState):
        keeps = after.mode is None or (isinstance(planned, DirState) and planned.mode == after.mode)
        return DirState(before.mode if keeps else after.mode)
    return after


def split_kind_changes(steps: Iterable[Change | Rename]) -> Iterator[Change | Rename]:
    """Split steps that turn a file into a directory or back, so that each is one atomic call."""
    for step in steps:
        if (
            isinstance(step, Change)
            and not isinstance(step.before, Absent)
            and not isinstance(step.after, Absent)
            and isinstance(step.before, DirState) != isinstance(step.after, DirState)
        ):
            yield Change(step.path, step.before, ABSENT)
            yield Change(step.path, ABSENT, step.after)
        else:
            yield step


def steps_depend_on_each_other(steps: tuple[Change | Rename, ...]) -> bool:
    """Return whether the outcome of a step depends on how far others got: these go one by one."""
    if len(steps) == 1:
        return False
    touched: set[WorkspacePath] = set()
    renames = [s for s in steps if isinstance(s, Rename)]
    places = [s.path for s in steps if isinstance(s, Change)]
    for rename in renames:
        places += [rename.source, rename.target]
    for place in places:
        if place in touched:
            return True
        touched.add(place)
    return any(
        place != end and place.is_beneath(end)
        for rename in renames
        for end in (rename.source, rename.target)
        for place in places
    )
