"""The tree as the steps of a plan so far will have left it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from redline.core.budget import release_read
from redline.core.changes import ABSENT, Absent, Change, DirState, FileState, Rename, State
from redline.core.errors import PathError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree


@dataclass(slots=True)
class Outlook:
    """A plan in the making; `state` answers as if its steps had been carried out."""

    tree: Tree
    steps: list[Change | Rename] = field(default_factory=list)
    _expected: dict[WorkspacePath, State] = field(default_factory=dict)
    _renames: list[Rename] = field(default_factory=list)
    # Directories the plan makes: nothing is below them but what it puts there.
    _fresh: set[WorkspacePath] = field(default_factory=set)
    # The step that changes a path, as long as later changes of it can be made part of that step,
    # and which file it is about.
    _open: dict[WorkspacePath, tuple[int, object]] = field(default_factory=dict)

    def state(self, path: WorkspacePath) -> State:
        """Return what will be at *path*."""
        if path in self._expected:
            return self._expected[path]
        place = self._place_now(path)
        if place is None:
            return ABSENT
        found = self.tree.state(place)
        release_read(place)
        if place == path:
            self._expected[path] = found
        return found

    def change(self, path: WorkspacePath, after: State, file: object) -> None:
        """Plan that *path* becomes *after*; steps about one *file* become one."""
        before = self.state(path)
        self._expected[path] = _with_kept_mode(after, before)
        if isinstance(after, DirState) and not isinstance(before, DirState):
            self._fresh.add(path)
        at, about = self._open.get(path, (-1, None))
        if isinstance(before, DirState) and isinstance(after, Absent) and self._unmake(path):
            return
        if isinstance(before, DirState) or isinstance(after, DirState):
            self._open.clear()  # what follows may depend on this directory
            self.steps.append(Change(path, before, after))
        elif at < 0 or about is not file:
            self._open[path] = len(self.steps), file
            self.steps.append(Change(path, before, after))
        else:
            first = self.steps[at]
            assert isinstance(first, Change)
            self.steps[at] = Change(path, first.before, after)

    def _unmake(self, path: WorkspacePath) -> bool:
        """Leave out the directory *path* if the plan itself makes it and puts nothing there."""
        if path not in self._fresh:
            return False
        for at in range(len(self.steps) - 1, -1, -1):
            step = self.steps[at]
            if isinstance(step, Rename):
                if step.source.is_beneath(path) or step.target.is_beneath(path):
                    return False
            elif step.path == path and isinstance(step.before, Absent):
                self.steps[at] = Change(path, ABSENT, ABSENT)
                self._fresh.discard(path)
                return True
            elif step.path.is_beneath(path) and _differs(step):
                return False
        return False

    def rename(self, step: Rename) -> None:
        """Plan a rename."""
        moving = self.state(step.source)
        for path in [p for p in self._expected if p.is_beneath(step.source)]:
            self._expected[moved(path, step)] = self._expected.pop(path)
        self._expected[step.source] = ABSENT
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
        return [name for name in found if not isinstance(self.state(path.child(name)), Absent)]

    def finished_steps(self) -> tuple[Change | Rename, ...]:
        """Return the steps, without those that came to nothing."""
        return tuple(step for step in self.steps if isinstance(step, Rename) or _differs(step))

    def _place_now(self, path: WorkspacePath) -> WorkspacePath | None:
        """Where the disk has what will be at *path*; None if there will be nothing."""
        if any(path != made and path.is_beneath(made) for made in self._fresh):
            return None
        for rename in reversed(self._renames):
            if path.is_beneath(rename.target):
                path = moved(path, rename.inverse())
            elif path.is_beneath(rename.source):
                return None
        return path


def moved(path: WorkspacePath, rename: Rename) -> WorkspacePath:
    """Return where a rename moves *path*."""
    if not path.is_beneath(rename.source):
        return path
    rest = path.parts[len(rename.source.parts) :]
    return rename.target.child(*rest)


def _differs(step: Change) -> bool:
    return step.before != _with_kept_mode(step.after, step.before)


def _with_kept_mode(after: State, found: State) -> State:
    """Return *after* with the mode that a step without one leaves as it is."""
    if isinstance(after, FileState) and after.mode is None and isinstance(found, FileState):
        return replace(after, mode=found.mode)
    return after
