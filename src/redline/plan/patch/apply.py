"""A patch against a tree: every operation staged on the result of those before, then one ChangeSet.

Nothing is written here. An operation that does not fit refuses the whole patch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1, sha256

from redline.core import changes, errors
from redline.core.budget import check_lines
from redline.core.call_scope import cancellable
from redline.core.encodings.opening import open_file
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Tree
from redline.core.records import dataclass, field
from redline.core.splice import Splice
from redline.core.textfile import TextFile, encode, line_body, split_lines
from redline.plan.patch.hunks import FileBase, hunk_placements, place_hunks
from redline.plan.patch.model import AddFile, DeleteFile, PatchOperation, PatchReading, UpdateFile
from redline.plan.splices import apply_all_splices, splices_of


class Staging:
    """The tree with the operations so far laid over it."""

    def __init__(self, tree: Tree, encoding: str | None = None) -> None:
        self._tree = tree
        self._encoding = encoding
        self._initial: dict[WorkspacePath, changes.State] = {}
        self._now: dict[WorkspacePath, changes.State] = {}
        self._writes: dict[WorkspacePath, int] = {}
        self._moves: list[tuple[WorkspacePath, WorkspacePath, changes.FileState]] = []

    def state(self, path: WorkspacePath) -> changes.State:
        """Return what is at *path* after the operations so far."""
        if path not in self._now:
            self._refuse_file_parents(path)
            self._initial[path] = self._now[path] = self._tree.state(path)
        return self._now[path]

    def file(self, path: WorkspacePath) -> changes.FileState:
        """Return the regular file at *path*; anything else is refused."""
        state = self.state(path)
        shown = show_name(path.relative)
        if isinstance(state, changes.FileState):
            return state
        _refuse_link(state, shown)
        if isinstance(state, changes.DirState):
            raise _patch_failed(errors.IsADirectory.fact, shown)
        raise errors.NotFound(shown)

    def open(self, path: WorkspacePath) -> TextFile:
        """Return the text of the regular file at *path*."""
        return open_file(self._tree, path, self.file(path).content or b"", self._encoding)

    def occupant(self, path: WorkspacePath) -> changes.FileState | changes.DirState | None:
        """Return the file or directory at *path*, if any; `assign` refuses a link."""
        state = self.state(path)
        return state if isinstance(state, changes.FileState | changes.DirState) else None

    def assign(self, path: WorkspacePath, state: changes.State) -> None:
        """Set the state at *path*."""
        _refuse_link(self.state(path), show_name(path.relative))
        self._now[path] = state
        self._writes[path] = self._writes.get(path, 0) + 1

    def note_move(
        self, source: WorkspacePath, target: WorkspacePath, before: changes.FileState
    ) -> None:
        """Remember that *target* was created by a move."""
        self._moves.append((source, target, before))

    def _refuse_file_parents(self, path: WorkspacePath) -> None:
        """A name below a file of this patch cannot be used."""
        for depth in range(1, len(path.parts)):
            parent = self._now.get(WorkspacePath(path.root, path.parts[:depth]), changes.ABSENT)
            if isinstance(parent, changes.FileState):
                raise _patch_failed("A parent of the path is a file", show_name(path.relative))

    def changed_paths(self) -> dict[WorkspacePath, tuple[changes.State, changes.State]]:
        """Return every path whose state differs from what it was at the start."""
        return {
            path: (self._initial[path], now)
            for path, now in self._now.items()
            if now != self._initial[path]
        }

    def change_set(self) -> changes.ChangeSet:
        """Return the changes from the tree to the staged result; a plain move stays a move."""
        changed_paths = self.changed_paths()
        steps: list[changes.Change | changes.Rename] = []
        moved = {}
        for source, target, before in self._moves:
            if self._writes[source] == self._writes[target] == 1:
                moved[source] = target
                moved[target] = target
                steps += self._missing_parents(target, steps)
                steps.append(changes.Rename(source, target))
                after = self._now[target]
                if after != before:
                    steps.append(changes.Change(target, before, after))
        for path, (before_, after_) in changed_paths.items():
            if path in moved:
                continue
            if isinstance(before_, changes.Absent):
                steps += self._missing_parents(path, steps)
            steps.append(changes.Change(path, before_, after_))
        return changes.ChangeSet(tuple(steps))

    def _missing_parents(
        self, path: WorkspacePath, steps: Sequence[changes.Change | changes.Rename]
    ) -> list[changes.Change | changes.Rename]:
        made = {step.path for step in steps if isinstance(step, changes.Change)}
        missing: list[changes.Change | changes.Rename] = []
        for depth in range(1, len(path.parts)):
            parent = WorkspacePath(path.root, path.parts[:depth])
            if parent not in made and self._tree.stat(parent) is None:
                missing.append(changes.Change(parent, changes.ABSENT, changes.DirState()))
        return missing


def _refuse_link(state: changes.State, shown: str) -> None:
    if isinstance(state, changes.LinkState):
        raise errors.SymlinkEscape(shown, f"Writing through a symbolic link is denied: {shown}")


def _patch_failed(fact: str, shown: str) -> errors.PatchError:
    return errors.PatchError(f"{fact}: {shown}", details={"path": shown})


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

    change_set: changes.ChangeSet
    affected: tuple[Affected, ...]
    notes: tuple[str, ...] = ()
    states: Mapping[WorkspacePath, tuple[changes.State, changes.State]] = field(
        default_factory=dict
    )


def plan_patch(
    tree: Tree,
    readings: Sequence[PatchReading],
    resolve: Resolve,
    expected: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> PatchPlan:
    """The ChangeSet of the one reading that fits the files; if several do, the patch is refused.

    *expected* maps paths to the SHA-256 they must still have. *encoding* is that of the files to be
    updated, where the caller names it.
    """
    plans: list[PatchPlan] = []
    failure: errors.RedlineError | None = None
    for reading in readings:
        try:
            plan = _plan_reading(Staging(tree, encoding), reading, resolve, expected or {})
        except errors.AlreadyApplied:
            raise
        except _UNFIT as error:
            failure = failure or error
            continue
        if all(plan.change_set != other.change_set for other in plans):
            plans.append(plan)
    if len(plans) > 1:
        ways = " or ".join(f"[{_summarise(plan)}]" for plan in plans)
        raise errors.PatchError(
            f"The patch can be read in more than one way, and each fits the files: {ways}",
            hint="begin every *** header at the margin, and write paths without quotes or prefix",
        )
    if not plans and failure:
        raise failure
    return plans[0]


_UNFIT = (errors.PatchError, errors.MatchError, errors.PathError)


def _summarise(plan: PatchPlan) -> str:
    return ", ".join(affected.summary for affected in plan.affected)


def _plan_reading(
    staging: Staging, operations: PatchReading, resolve: Resolve, expected: Mapping[str, str]
) -> PatchPlan:
    for raw, digest in expected.items():
        _check_version(staging, resolve(raw), digest)
    notes: list[str] = []
    affected = [_stage(staging, each, resolve, notes) for each in cancellable(operations)]
    return PatchPlan(staging.change_set(), tuple(affected), tuple(notes), staging.changed_paths())


def _check_version(staging: Staging, path: WorkspacePath, digest: str) -> None:
    state = staging.state(path)
    if (
        not isinstance(state, changes.FileState)
        or state.digest != digest.removeprefix("sha256:").lower()
    ):
        raise errors.StaleBase(show_name(path.relative))


def _stage(
    staging: Staging, operation: PatchOperation, resolve: Resolve, notes: list[str]
) -> Affected:
    path = resolve(operation.path)
    if isinstance(operation, AddFile):
        return _stage_add(staging, operation, path)
    if isinstance(operation, DeleteFile):
        return _stage_delete(staging, operation, path)
    if _creates(operation) and isinstance(staging.state(path), changes.Absent):
        added = AddFile(operation.path, operation.hunks[0].added_lines, operation.at)
        return _stage_add(staging, added, path)
    return _stage_update(staging, operation, path, resolve, notes)


def _creates(operation: UpdateFile) -> bool:
    """Return whether a diff says that the file was empty: such a file may also not be there."""
    hunks = operation.hunks
    return len(hunks) == 1 and hunks[0].only_adds and hunks[0].start == 0


def _stage_add(staging: Staging, operation: AddFile, path: WorkspacePath) -> Affected:
    there = staging.occupant(path)
    text = "\n".join(operation.lines) + ("\n" if operation.final_newline else "")
    content = encode(text)
    shown = show_name(path.relative)
    if isinstance(there, changes.FileState) and there.content == content:
        raise errors.AlreadyApplied(
            f"The file to add is already there with this content: {shown}",
            hint="nothing to do: this part of the patch was already applied",
            details={"path": shown, "already_applied": True},
        )
    if there is not None:
        raise errors.AlreadyExists(
            shown,
            f"The file to add already exists: {shown}",
            hint="use *** Update File: to change it, or *** Delete File: it first",
        )
    staging.assign(path, changes.FileState.of(content, 0o755 if operation.executable else None))
    return Affected("add", path)


def _stage_delete(staging: Staging, operation: DeleteFile, path: WorkspacePath) -> Affected:
    before = staging.file(path)
    if operation.lines is not None:
        have = [line_body(line) for line in split_lines(TextFile(before.content or b"").text)]
        if have != list(operation.lines):
            shown = show_name(path.relative)
            raise errors.PatchError(
                f"The file to delete holds other lines than the diff: {shown}",
                hint="read the file again; *** Delete File: in an envelope needs no lines",
                details={"path": shown},
            )
    staging.assign(path, changes.ABSENT)
    return Affected("delete", path)


def _stage_update(
    staging: Staging,
    operation: UpdateFile,
    path: WorkspacePath,
    resolve: Resolve,
    notes: list[str],
) -> Affected:
    before = staging.file(path)
    after = before
    shown = show_name(path.relative)
    if operation.hunks:
        content = _patch(staging.open(path), operation, shown, notes)
        after = changes.FileState.of(content, before.mode)
    target = path if operation.move_to is None else resolve(operation.move_to)
    if target == path:
        if after == before:
            notes.append(f"{shown}: the patch changes nothing in this file")
        staging.assign(path, after)
        return Affected("update", path)
    if staging.occupant(target) is not None:
        shown = show_name(target.relative)
        raise errors.AlreadyExists(
            shown, f"The file to move to already exists: {shown}", hint="choose another name"
        )
    staging.assign(path, changes.ABSENT)
    staging.assign(target, after)
    staging.note_move(path, target, before)
    return Affected("move", target, path)


def _patch(file: TextFile, operation: UpdateFile, shown: str, notes: list[str]) -> bytes:
    """Return the bytes of a file with every hunk in its place."""
    base = FileBase(file.has_bom, _is_base(file.raw, operation.base))
    splices, overlooked = _hunk_splices(file, file.text, operation, shown, base)
    notes += overlooked
    after = apply_all_splices(file, splices)
    if after is None:
        after = file.with_text(place_hunks(file.text, operation.hunks, shown, base)[0])
    return after


def _hunk_splices(
    file: TextFile, text: str, operation: UpdateFile, shown: str, base: FileBase
) -> tuple[list[Splice], list[str]]:
    check_lines(text)
    placements, overlooked = hunk_placements(text, operation.hunks, shown, base)
    return splices_of(file, text, placements), overlooked


def _is_base(raw: bytes, base: str | None) -> bool:
    """Whether *base* is git's hash of *raw*: then the diff was made from this very content."""
    if base is None:
        return False
    blob = b"blob %d\0" % len(raw) + raw
    return any(
        hashed.hexdigest().startswith(base)
        for hashed in (sha1(blob, usedforsecurity=False), sha256(blob))
    )
