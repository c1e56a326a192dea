"""The new files of one change: written beside their targets, synced, removed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from redline.adapters.files.disk import Disk
from redline.adapters.journal.steps.file_guards import FileGuards
from redline.adapters.journal.steps.handles import DirectoryHandles, Observed
from redline.adapters.journal.steps.staging import Step, needs_staging, remove_if_there, staged_name
from redline.core.changes import Change, FileAttributes, FileState, LinkState, State
from redline.core.paths import WorkspacePath

# A content of the history by its digest, in pieces.
Saved = Callable[[str], Iterable[bytes]]
# Staged files are synced together, this many at a time.
_MAX_UNSYNCED = 32


@dataclass(slots=True)
class StagedFiles:
    """The steps of one transaction and where their new files wait.

    `staging` gives for each step the directory its new file waits in; `suffix` keeps the files
    of a roll-back apart from those of the way forward.
    """

    disk: Disk
    handles: DirectoryHandles
    transaction: str
    steps: Sequence[Step]
    staging: Sequence[WorkspacePath]
    suffix: str = ""
    # What was at the paths before, where that was read.
    observed: Mapping[WorkspacePath, Observed] = field(default_factory=dict)
    # Staged files that are not synced yet, open.
    unsynced: list[int] = field(default_factory=list)
    dirty: dict[WorkspacePath, None] = field(default_factory=dict)
    # The step being carried out, to name it when it fails.
    current: int = 0
    guards: FileGuards | None = None
    # Steps whose staged name holds what another program saved: that is never removed.
    kept: dict[int, str] = field(default_factory=dict)

    # -- staging ------------------------------------------------------------------------------

    def staged_name(self, number: int) -> str:
        """The hidden name a step's new file has until it is swapped in."""
        return staged_name(self.transaction, number) + self.suffix

    def stage(self, number: int, saved: Saved) -> tuple[Step, tuple[str, ...]]:
        """Write a step's new file or link beside its path; the step with its mode, and losses.

        It is durable after `sync_staged`.
        """
        step = self.steps[number]
        if not needs_staging(step):
            return step, ()
        assert isinstance(step, Change)
        where = self.handles.directory(self.staging[number])
        name = self.staged_name(number)
        if isinstance(step.after, LinkState):
            self.disk.symlink(where, name, step.after.target)
            return step, ()
        assert isinstance(step.after, FileState)
        after = step.after
        held = after.content
        pieces = saved(after.digest) if held is None else (held,)
        mode, notes = self._write(step, where, name, pieces)
        after = FileState(after.digest, after.size, mode, held, after.attributes)
        return Change(step.path, step.before, after), notes

    def _write(
        self, step: Change, where: int | str, name: str, pieces: Iterable[bytes]
    ) -> tuple[int, tuple[str, ...]]:
        assert isinstance(step.after, FileState)
        mode = step.after.mode
        fd = self.disk.create(where, name, 0o666 if mode is None else 0o600)
        try:
            for piece in pieces:
                self.disk.append(fd, piece)
            made = self.disk.fstat(fd)
            notes = self._keep_attributes(step, fd, (made.st_uid, made.st_gid))
            if mode is None:
                mode = made.st_mode & 0o7777
            else:
                self.disk.fchmod(fd, mode)
        except BaseException:
            self.disk.close_fd(fd)
            raise
        self.unsynced.append(fd)
        if len(self.unsynced) >= _MAX_UNSYNCED:
            self.sync_staged()
        return mode, notes

    def sync_staged(self) -> None:
        """Sync the staged files."""
        while self.unsynced:
            fd = self.unsynced.pop()
            try:
                self.disk.sync(fd)
            finally:
                self.disk.close_fd(fd)

    def _keep_attributes(
        self, step: Change, target: int, made_by: tuple[int, int]
    ) -> tuple[str, ...]:
        """Give a new file the owner and extended attributes of the old; what was refused."""
        if not isinstance(step.before, FileState):
            assert isinstance(step.after, FileState)
            return self._restore(step.after.attributes, target, made_by)
        seen = self.observed.get(step.path)
        if seen is not None and seen.is_plain:
            return self._keep_owner(target, seen.owner, made_by)
        try:
            old = self.disk.open_read(self.handles.parent(step.path), (step.path.name,))
        except OSError:
            return ()
        try:
            found = self.disk.fstat(old)
            refused = self._keep_owner(target, (found.st_uid, found.st_gid), made_by)
            extended, unread = self.disk.read_attributes(old)
            unset = self.disk.set_attributes(target, extended)
            return (*refused, *map(_not_kept, (*unread, *unset)))
        finally:
            self.disk.close_fd(old)

    def _restore(
        self, attributes: FileAttributes | None, target: int, made_by: tuple[int, int]
    ) -> tuple[str, ...]:
        """Give a new file what the removed one had; what was refused."""
        if attributes is None:
            return ()
        refused = self._keep_owner(target, attributes.owner or made_by, made_by)
        unset = self.disk.set_attributes(target, attributes.extended)
        return (*refused, *map(_not_kept, unset))

    def _keep_owner(
        self, target: int, owner: tuple[int, int], made_by: tuple[int, int]
    ) -> tuple[str, ...]:
        if owner == made_by:
            return ()
        try:
            self.disk.fchown(target, owner)
        except OSError:
            return ("owner not kept",)
        return ()

    def sweep(self, numbers: Iterable[int]) -> None:
        """Durably remove staged files: after this no process looks for them."""
        while self.unsynced:
            self.disk.close_fd(self.unsynced.pop())
        swept: set[WorkspacePath] = set()
        for number in numbers:
            if number in self.kept:
                continue
            where = self.staging[number]
            for name in {self.staged_name(number), staged_name(self.transaction, number)}:
                if remove_if_there(self.disk, self.handles, where, name):
                    swept.add(where)
        for where in swept:
            self.disk.sync_dir(self.handles.directory(where))

    def _look(self, path: WorkspacePath) -> State:
        return self.handles.observe(path).state


def _not_kept(attribute: str) -> str:
    return f"extended attribute not kept: {attribute}"
