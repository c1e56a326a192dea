"""The tree with the operations of a patch laid over it, and the ChangeSet that makes it so."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.encodings.opening import open_file
from redline.core.errors import IsADirectory, NotFound, PatchError, SymlinkEscape
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Tree
from redline.core.textfile import TextFile


class Staging:
    """The tree with the operations so far laid over it."""

    def __init__(self, tree: Tree, encoding: str | None = None) -> None:
        self._tree = tree
        self._encoding = encoding
        self._initial: dict[WorkspacePath, State] = {}
        self._now: dict[WorkspacePath, State] = {}
        self._writes: dict[WorkspacePath, int] = {}
        self._moves: list[tuple[WorkspacePath, WorkspacePath, FileState]] = []

    def state(self, path: WorkspacePath) -> State:
        """What is at *path* after the operations so far."""
        if path not in self._now:
            self._refuse_file_parents(path)
            self._initial[path] = self._now[path] = self._tree.state(path)
        return self._now[path]

    def file(self, path: WorkspacePath) -> FileState:
        """The regular file at *path*; anything else is refused."""
        state = self.state(path)
        shown = show_name(path.relative)
        if isinstance(state, FileState):
            return state
        _refuse_link(state, shown)
        if isinstance(state, DirState):
            raise _patch_failed(IsADirectory.fact, shown)
        raise NotFound(shown)

    def open(self, path: WorkspacePath) -> TextFile:
        """The text of the regular file at *path*."""
        return open_file(self._tree, path, self.file(path).content or b"", self._encoding)

    def occupant(self, path: WorkspacePath) -> FileState | DirState | None:
        """The file or directory at *path*, if any; `assign` refuses a link."""
        state = self.state(path)
        return state if isinstance(state, FileState | DirState) else None

    def assign(self, path: WorkspacePath, state: State) -> None:
        """Set the state at *path*."""
        _refuse_link(self.state(path), show_name(path.relative))
        self._now[path] = state
        self._writes[path] = self._writes.get(path, 0) + 1

    def note_move(self, source: WorkspacePath, target: WorkspacePath, before: FileState) -> None:
        """Remember that *target* was created by a move."""
        self._moves.append((source, target, before))

    def _refuse_file_parents(self, path: WorkspacePath) -> None:
        """A name below a file of this patch cannot be used."""
        for depth in range(1, len(path.parts)):
            parent = self._now.get(WorkspacePath(path.root, path.parts[:depth]), ABSENT)
            if isinstance(parent, FileState):
                raise _patch_failed("A parent of the path is a file", show_name(path.relative))

    def changed_paths(self) -> dict[WorkspacePath, tuple[State, State]]:
        """Every path whose state differs from what it was at the start."""
        return {
            path: (self._initial[path], now)
            for path, now in self._now.items()
            if now != self._initial[path]
        }

    def change_set(self) -> ChangeSet:
        """The changes from the tree to the staged result; a plain move stays a move."""
        changed_paths = self.changed_paths()
        steps: list[Change | Rename] = []
        moved = {}
        for source, target, before in self._moves:
            if self._writes[source] == self._writes[target] == 1:
                moved[source] = target
                moved[target] = target
                steps += self._missing_parents(target, steps)
                steps.append(Rename(source, target))
                after = self._now[target]
                if after != before:
                    steps.append(Change(target, before, after))
        for path, (before_, after_) in changed_paths.items():
            if path in moved:
                continue
            if isinstance(before_, Absent):
                steps += self._missing_parents(path, steps)
            steps.append(Change(path, before_, after_))
        return ChangeSet(tuple(steps))

    def _missing_parents(
        self, path: WorkspacePath, steps: Sequence[Change | Rename]
    ) -> list[Change | Rename]:
        made = {step.path for step in steps if isinstance(step, Change)}
        missing: list[Change | Rename] = []
        for depth in range(1, len(path.parts)):
            parent = WorkspacePath(path.root, path.parts[:depth])
            if parent not in made and self._tree.stat(parent) is None:
                missing.append(Change(parent, ABSENT, DirState()))
        return missing


def _refuse_link(state: State, shown: str) -> None:
    if isinstance(state, LinkState):
        raise SymlinkEscape(shown, f"Writing through a symbolic link is denied: {shown}")


def _patch_failed(fact: str, shown: str) -> PatchError:
    return PatchError(f"{fact}: {shown}", details={"path": shown})
