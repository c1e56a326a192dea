"""A patch against a tree: every operation staged on the result of those before, then one ChangeSet.

Nothing is written here. An operation that does not fit refuses the whole patch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from redline.core.budget import check_lines
from redline.core.cancellation import cancellable
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
from redline.core.errors import (
    AlreadyApplied,
    AlreadyExists,
    IsADirectory,
    NotFound,
    PatchError,
    StaleBase,
    SymlinkEscape,
)
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Tree
from redline.core.splice import Splice
from redline.core.textfile import TextFile
from redline.plan.patch.envelope import AddFile, DeleteFile, PatchOperation, UpdateFile
from redline.plan.patch.hunks import hunk_placements, place_hunks
from redline.plan.splices import apply_all_splices, splices_of

Resolve = Callable[[str], WorkspacePath]


@dataclass(frozen=True, slots=True)
class Affected:
    """One operation as it went: add, update, delete or move."""

    operation: str
    path: WorkspacePath
    old_path: WorkspacePath | None = None

    @property
    def summary(self) -> str:
        """`A p`, `M p`, `D p` or `R old -> new`."""
        shown = show_name(self.path.relative)
        if self.old_path is not None:
            return f"R {show_name(self.old_path.relative)} -> {shown}"
        return f"{_LETTERS[self.operation]} {shown}"


_LETTERS = {"add": "A", "update": "M", "delete": "D"}


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """What a patch would do."""

    change_set: ChangeSet
    affected: tuple[Affected, ...]
    notes: tuple[str, ...] = ()
    states: Mapping[WorkspacePath, tuple[State, State]] = field(default_factory=dict)


def plan_patch(
    tree: Tree,
    operations: Sequence[PatchOperation],
    resolve: Resolve,
    expected: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> PatchPlan:
    """The ChangeSet of *operations*; *expected* maps paths to the SHA-256 they must still have.

    *encoding* is that of the files to be updated, where the caller names it.
    """
    staging = _Staging(tree, encoding)
    for raw, digest in (expected or {}).items():
        _check_version(staging, resolve(raw), digest)
    notes: list[str] = []
    affected = [_stage(staging, each, resolve, notes) for each in cancellable(operations)]
    return PatchPlan(staging.change_set(), tuple(affected), tuple(notes), staging.changed_paths())


def _check_version(staging: _Staging, path: WorkspacePath, digest: str) -> None:
    state = staging.state(path)
    if not isinstance(state, FileState) or state.digest != digest.removeprefix("sha256:").lower():
        raise StaleBase(show_name(path.relative))


def _stage(
    staging: _Staging, operation: PatchOperation, resolve: Resolve, notes: list[str]
) -> Affected:
    path = resolve(operation.path)
    if isinstance(operation, AddFile):
        return _stage_add(staging, operation, path)
    if isinstance(operation, DeleteFile):
        staging.file(path)
        staging.assign(path, ABSENT)
        return Affected("delete", path)
    return _stage_update(staging, operation, path, resolve, notes)


def _stage_add(staging: _Staging, operation: AddFile, path: WorkspacePath) -> Affected:
    state = staging.state(path)
    content = ("\n".join(operation.lines) + "\n").encode()
    shown = show_name(path.relative)
    if isinstance(state, FileState) and state.content == content:
        raise AlreadyApplied(
            f"The file to add is already there with this content: {shown}",
            hint="nothing to do: this part of the patch was already applied",
            details={"path": shown, "already_applied": True},
        )
    if not isinstance(state, Absent):
        raise AlreadyExists(
            shown,
            f"The file to add already exists: {shown}",
            hint="use *** Update File: to change it, or *** Delete File: it first",
        )
    staging.assign(path, FileState.of(content))
    return Affected("add", path)


def _stage_update(
    staging: _Staging,
    operation: UpdateFile,
    path: WorkspacePath,
    resolve: Resolve,
    notes: list[str],
) -> Affected:
    before = staging.file(path)
    after = before
    if operation.hunks:
        content = _patch(staging.open(path), operation, show_name(path.relative), notes)
        after = FileState.of(content, before.mode)
    if operation.move_to is None:
        staging.assign(path, after)
        return Affected("update", path)
    target = resolve(operation.move_to)
    if target == path:
        staging.assign(path, after)
        return Affected("update", path)
    if not isinstance(staging.state(target), Absent):
        shown = show_name(target.relative)
        raise AlreadyExists(
            shown, f"The file to move to already exists: {shown}", hint="choose another name"
        )
    staging.assign(path, ABSENT)
    staging.assign(target, after)
    staging.note_move(path, target, before)
    return Affected("move", target, path)


def _patch(file: TextFile, operation: UpdateFile, shown: str, notes: list[str]) -> bytes:
    """The bytes of a file with every hunk in its place."""
    splices, overlooked = _hunk_splices(file, file.text, operation, shown)
    notes += overlooked
    after = apply_all_splices(file, splices)
    if after is None:
        after = file.with_text(place_hunks(file.text, operation.hunks, shown)[0])
    return after


def _hunk_splices(
    file: TextFile, text: str, operation: UpdateFile, shown: str
) -> tuple[list[Splice], list[str]]:
    check_lines(text)
    placements, overlooked = hunk_placements(text, operation.hunks, shown)
    return splices_of(file, text, placements), overlooked


class _Staging:
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
        if isinstance(state, LinkState):
            raise SymlinkEscape(shown, f"Writing through a symbolic link is denied: {shown}")
        if isinstance(state, DirState):
            raise _patch_failed(IsADirectory.fact, shown)
        raise NotFound(shown)

    def open(self, path: WorkspacePath) -> TextFile:
        """The text of the regular file at *path*."""
        return open_file(self._tree, path, self.file(path).content or b"", self._encoding)

    def assign(self, path: WorkspacePath, state: State) -> None:
        """Let *state* be at *path*."""
        current = self.state(path)
        if isinstance(current, LinkState):
            shown = show_name(path.relative)
            raise SymlinkEscape(shown, f"Writing through a symbolic link is denied: {shown}")
        self._now[path] = state
        self._writes[path] = self._writes.get(path, 0) + 1

    def note_move(self, source: WorkspacePath, target: WorkspacePath, before: FileState) -> None:
        """Remember that *target* came to be by a move."""
        self._moves.append((source, target, before))

    def _refuse_file_parents(self, path: WorkspacePath) -> None:
        """A name below a file of this patch cannot be used."""
        for depth in range(1, len(path.parts)):
            parent = self._now.get(WorkspacePath(path.root, path.parts[:depth]), ABSENT)
            if isinstance(parent, FileState):
                raise _patch_failed("A parent of the path is a file", show_name(path.relative))

    def changed_paths(self) -> dict[WorkspacePath, tuple[State, State]]:
        """Every place that ends otherwise than it began."""
        return {
            path: (self._initial[path], now)
            for path, now in self._now.items()
            if now != self._initial[path]
        }

    def change_set(self) -> ChangeSet:
        """From how it is to how it shall be; a plain move stays a move."""
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


def _patch_failed(fact: str, shown: str) -> PatchError:
    return PatchError(f"{fact}: {shown}", details={"path": shown})
