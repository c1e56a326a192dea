"""Carry steps out on the disk, in order, and find out how far a dead process got.

A file is replaced by exchanging it with the new one, so that what was replaced can still be
looked at: if it is not what the change was planned on, because another program saved it in the
meantime, it is put back and the change is refused.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.journal.steps.file_guards import FileGuards
from redline.adapters.journal.steps.handles import DirectoryHandles, Observed
from redline.adapters.journal.steps.preconditions import steps_depend_on_each_other
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    DirState,
    FileAttributes,
    FileState,
    LinkState,
    Rename,
    SpecialState,
    State,
)
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

Step = Change | Rename


def needs_staging(step: Step) -> bool:
    """Return whether a step brings a new file or link."""
    if isinstance(step, Rename) or isinstance(step.after, Absent | DirState | SpecialState):
        return False
    if isinstance(step.after, FileState) and isinstance(step.before, FileState):
        return step.after.digest != step.before.digest
    return step.after != step.before


def staged_name(transaction: str, number: int) -> str:
    """Return the hidden name of a staged file."""
    return f".redline-{transaction}-{number}"


def kept_name(name: str, transaction: str) -> str:
    """Return the name under which another program's save is kept when its own is taken."""
    return f"{name}.saved-{transaction}"


def remove_if_there(
    disk: Disk, handles: DirectoryHandles, directory: WorkspacePath, name: str
) -> bool:
    """Remove a staged file if it still waits; whether it did."""
    try:
        disk.unlink(handles.directory(directory), name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def staging_directory(
    path: WorkspacePath, handles: DirectoryHandles, avoided: Collection[WorkspacePath]
) -> WorkspacePath:
    """Return the nearest existing directory that the set neither moves nor removes."""
    parent = where = path.parent
    for length in range(1, len(where.parts) + 1 if avoided else 0):
        above = WorkspacePath(where.root, where.parts[:length])
        if above in avoided:
            where = above.parent
            break
    while where.parts and handles.device(where) is None:
        where = where.parent
    if where != parent:
        device = handles.device(parent)
        if device is not None and device != handles.device(where):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return where


# What is at a path.
Look = Callable[[WorkspacePath], State]
_PRESENT = object()


class Verdict(Enum):
    """How far a step got on the disk."""

    DONE = "done"
    TO_DO = "to do"
    CONFLICT = "conflict"


def judge(steps: Sequence[Step], look: Look) -> list[Verdict]:
    """Return how far each step got; for dependent steps, the furthest point that fits the disk."""
    if not steps_depend_on_each_other(tuple(steps)):
        return [_judge(step, look) for step in steps]
    count = len(steps)
    seen = {path: look(path) for path in _paths(steps)}
    ways = {path: _values(path, steps) for path in seen}
    for done in range(count, -1, -1):
        if all(_agrees(ways[path][done], seen[path]) for path in seen):
            return [Verdict.DONE] * done + [Verdict.TO_DO] * (count - done)
    return [Verdict.CONFLICT] * count


def _judge(step: Step, look: Look) -> Verdict:
    if isinstance(step, Rename):
        there = look(step.source) != ABSENT, look(step.target) != ABSENT
        return {(True, False): Verdict.TO_DO, (False, True): Verdict.DONE}.get(
            there, Verdict.CONFLICT
        )
    found = look(step.path)
    if is_state(step.after, found, step):
        return Verdict.DONE
    return Verdict.TO_DO if is_state(step.before, found, step) else Verdict.CONFLICT


def is_state(wanted: State, found: State, step: Change) -> bool:
    """Return whether *found* is *wanted*, as far as *step* is concerned."""
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        if wanted.digest != found.digest:
            return False
        return needs_staging(step) or wanted.mode is None or wanted.mode == found.mode
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        changes_mode = isinstance(step.before, DirState) and isinstance(step.after, DirState)
        return not changes_mode or wanted.mode is None or wanted.mode == found.mode
    return wanted == found


def _paths(steps: Sequence[Step]) -> list[WorkspacePath]:
    found: dict[WorkspacePath, None] = {}
    for step in steps:
        if isinstance(step, Rename):
            found[step.source] = found[step.target] = None
        else:
            found[step.path] = None
    return list(found)


def _values(path: WorkspacePath, steps: Sequence[Step]) -> list[object]:
    """Return what is at *path* after 0, 1, ... steps; None where the steps do not determine it."""
    values: list[object] = [None] * (len(steps) + 1)
    begin = 0
    for number, step in enumerate(steps):
        effect = _effect(path, step)
        if effect is None:
            values[number + 1] = values[number]
            continue
        before, after = effect
        for earlier in range(begin, number + 1):
            if values[earlier] is None:
                values[earlier] = before
        values[number + 1] = after
        begin = number + 1
    return values


def _effect(path: WorkspacePath, step: Step) -> tuple[object, object] | None:
    if isinstance(step, Change):
        return (step.before, step.after) if step.path == path else None
    if path == step.source:
        return _PRESENT, ABSENT
    if path == step.target:
        return ABSENT, _PRESENT
    if path.is_beneath(step.source):
        return None, ABSENT
    return (ABSENT, None) if path.is_beneath(step.target) else None


def _agrees(wanted: object, found: State) -> bool:
    if wanted is None:
        return True
    if wanted is _PRESENT:
        return not isinstance(found, Absent)
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        return wanted.digest == found.digest and wanted.mode in (None, found.mode)
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        return True
    return wanted == found


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
        """Return the hidden name a step's new file has until it is swapped in."""
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
            attributes = step.after.attributes
            if attributes is not None and attributes.modified_ns is not None:
                self.disk.set_modified(fd, attributes.modified_ns)
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
        """Give a new file the owner and extended attributes of the old; what was refused.

        A command that wrote it decided about the latter.
        """
        if not isinstance(step.before, FileState):
            assert isinstance(step.after, FileState)
            return self._restore(step.after.attributes, target, made_by)
        seen = self.observed.get(step.path)
        if seen is not None and seen.is_plain and not getattr(step.after, "attributes", None):
            return self._keep_owner(target, seen.owner, made_by)
        try:
            old = self.disk.open_read(self.handles.parent(step.path), (step.path.name,))
        except OSError:
            return ()
        try:
            found = self.disk.fstat(old)
            refused = self._keep_owner(target, (found.st_uid, found.st_gid), made_by)
            given = getattr(step.after, "attributes", None)
            extended, unread = (given.extended, ()) if given else self.disk.read_attributes(old)
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


# A smaller file is compared byte by byte: that costs less than being wrong.
_MIN_BY_MARK = 1 << 20
# A file written this lately may be written again without its time changing.
_MAX_CLOCK_STEP_NS = 3_000_000_000
_NO_EXCHANGE = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL})


class Displaced(OSError):
    """Another program saved the file after the change was planned; its save is in place again.

    `beside` is the name under which an older save is kept when two came in at once.
    """

    def __init__(self, beside: str = "") -> None:
        super().__init__(errno.ESTALE, os.strerror(errno.ESTALE))
        self.beside = beside


def has_no_exchange(error: OSError) -> bool:
    """Return whether system or file system cannot exchange two names."""
    return error.errno in _NO_EXCHANGE


def is_surely_unchanged(seen: State, mark: tuple[int, ...]) -> bool:
    """Return whether a large file whose *mark* is the same holds what was *seen*."""
    if not isinstance(seen, FileState) or seen.size < _MIN_BY_MARK:
        return False
    return time.time_ns() - mark[3] > _MAX_CLOCK_STEP_NS


@dataclass(slots=True)
class Swap(StagedFiles):
    """Steps as they are carried out, one system call at a time."""

    # -- applying steps -------------------------------------------------------------------------

    def carry_out(self, numbers: Iterable[int]) -> None:
        """Do these steps in order and sync them."""
        # What a rename moves exists nowhere else: its new directory must be durable before it
        # moves, and its arrival before anything is removed after it.
        steps = tuple(self.steps)
        one_by_one = len(steps) > 1 and (
            any(isinstance(step, Rename) for step in steps) or steps_depend_on_each_other(steps)
        )
        for number in numbers:
            self.current = number
            step = self.steps[number]
            if isinstance(step, Rename):
                self._rename(step)
            else:
                self._change(number, step)
            if one_by_one:
                self.sync_directories()
        self.sync_directories()

    def sync_directories(self) -> None:
        """Sync every directory that was touched."""
        for path in self.dirty:
            try:
                self.disk.sync_dir(self.handles.directory(path))
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed by a later step; its parent is synced as well
        self.dirty.clear()

    def _rename(self, step: Rename) -> None:
        source, target = self.handles.parent(step.source), self.handles.parent(step.target)
        self.disk.rename_new(source, step.source.name, target, step.target.name)
        self.handles.close()
        self.dirty[step.source.parent] = None
        self.dirty[step.target.parent] = None

    def _change(self, number: int, step: Change) -> None:
        above, name = step.path.parent, step.path.name
        parent = self.handles.directory(above)
        self.dirty[above] = None
        if needs_staging(step):
            self._swap_in(number, step, parent)
        elif isinstance(step.after, Absent):
            self._remove(number, step)
        elif isinstance(step.after, DirState):
            if not isinstance(step.before, DirState):
                self.disk.mkdir(parent, name)
            if step.after.mode is not None:
                self._chmod(step, step.after.mode)
        elif isinstance(step.after, FileState) and step.after.mode is not None:
            self._chmod(step, step.after.mode)

    def _chmod(self, step: Change, mode: int) -> None:
        parent, name = self.handles.parent(step.path), step.path.name
        self.disk.chmod(parent, name, mode)
        self.disk.sync_entry(parent, name)

    def _swap_in(self, number: int, step: Change, parent: Dir) -> None:
        name, staged = step.path.name, self.staged_name(number)
        where = self.handles.directory(self.staging[number])
        self.dirty[self.staging[number]] = None
        if isinstance(step.before, Absent):
            self.disk.rename_new(where, staged, parent, name)
            return
        self._refuse_disturbed(step)
        if self.guards is not None and isinstance(step.after, FileState):
            self.guards.guard_new(step.path, where, staged)
        try:
            self.disk.exchange(where, staged, parent, name)
        except OSError as error:
            if not has_no_exchange(error):
                raise
            self._replace_at_once(step, where, staged, parent)
            return
        if not self._is_base(self.staging[number].child(staged), step):
            self._exchange_back(number, step, where, parent)
        self.disk.unlink(where, staged)

    def _replace_at_once(self, step: Change, where: Dir, staged: str, parent: Dir) -> None:
        """Replace on a file system without exchange: compare what is there just before."""
        found = self.handles.observe(step.path, step.before).state
        if not is_state(step.before, found, step):
            raise Displaced
        self.disk.rename(where, staged, parent, step.path.name)

    def _remove(self, number: int, step: Change) -> None:
        parent, name = self.handles.parent(step.path), step.path.name
        if isinstance(step.before, DirState):
            self.disk.rmdir(parent, name)
            self.handles.close()
            return
        self._refuse_disturbed(step)
        where, staged = self.handles.directory(self.staging[number]), self.staged_name(number)
        self.dirty[self.staging[number]] = None
        self.disk.rename_new(parent, name, where, staged)
        if not self._is_base(self.staging[number].child(staged), step):
            self._move_back(number, step, where, parent)
        self.disk.unlink(where, staged)

    # -- finding out --------------------------------------------------------------------------

    def judge(self) -> list[Verdict]:
        """Return how far each step got on the disk."""
        return judge(self.steps, self._look)

    def is_waiting(self, number: int) -> bool:
        """Return whether a step's staged file is there and whole."""
        step = self.steps[number]
        assert isinstance(step, Change)
        waiting = self._look(self.staging[number].child(self.staged_name(number)))
        return is_state(step.after, waiting, step)

    def restage(self, number: int, saved: Saved) -> None:
        """Make sure a step's staged file is there, writing it again when it is not whole."""
        step = self.steps[number]
        if not needs_staging(step):
            return
        if self.is_waiting(number):
            return
        remove_if_there(self.disk, self.handles, self.staging[number], self.staged_name(number))
        self.stage(number, saved)
        self.sync_staged()

    # -- comparing what was replaced with what the change was planned on --------------------------

    def _refuse_disturbed(self, step: Change) -> None:
        if self.guards is not None and self.guards.is_disturbed(step.path):
            raise Displaced

    def _is_base(self, path: WorkspacePath, step: Change) -> bool:
        """Return whether what now has the staged name *path* is what the step was planned on."""
        guards, seen = self.guards, self.observed.get(step.path)
        if guards is not None and guards.is_disturbed(step.path):
            return False
        mark = self.handles.mark(path)
        if seen is not None and seen.mark == mark:
            was_leased = guards is not None and guards.was_read_under_lease(step.path)
            if was_leased or is_surely_unchanged(seen.state, mark):
                return True
        found = self.handles.observe(path, step.before).state
        return is_state(step.before, found, step)

    def _exchange_back(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """Put another program's save back, and refuse the step.

        If yet another save came in between, that one keeps the name, being the newer; the first
        stays beside it.
        """
        name, staged = step.path.name, self.staged_name(number)
        self.kept[number] = staged
        self.disk.exchange(where, staged, parent, name)
        if self._is_new(number, step):
            del self.kept[number]
            raise Displaced
        self.disk.exchange(where, staged, parent, name)
        self._keep_beside(number, step, where, parent)
        raise Displaced(self.kept[number])

    def _move_back(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """The same for a step that removes."""
        self.kept[number] = self.staged_name(number)
        try:
            self.disk.rename_new(where, self.staged_name(number), parent, step.path.name)
        except FileExistsError:
            self._keep_beside(number, step, where, parent)
            raise Displaced(self.kept[number]) from None
        del self.kept[number]
        raise Displaced

    def _keep_beside(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """Give what another program saved a name of its own next to where it was."""
        beside = kept_name(step.path.name, self.transaction)
        self.disk.rename_new(where, self.staged_name(number), parent, beside)
        self.kept[number] = beside

    def _is_new(self, number: int, step: Change) -> bool:
        path = self.staging[number].child(self.staged_name(number))
        found = self.handles.observe(path, step.after).state
        return is_state(step.after, found, step)

    def rescue(self, verdicts: list[Verdict]) -> list[Verdict]:
        """Put back what a dead process displaced without examining it; return the new verdicts.

        Of a change that reached the journal, a staged name holds the new file or what that
        replaced. Anything else was saved by another program just before it was replaced. A step
        whose path is put back is a conflict.
        """
        found = list(verdicts)
        for number, step in enumerate(self.steps):
            if isinstance(step, Rename) or isinstance(step.before, Absent | DirState):
                continue
            if found[number] is Verdict.TO_DO or not self._holds_a_save(number, step):
                continue
            try:
                self._put_back(number, step, found[number])
            except Displaced:
                found[number] = Verdict.CONFLICT
        return found

    def _put_back(self, number: int, step: Change, verdict: Verdict) -> None:
        where = self.handles.directory(self.staging[number])
        parent = self.handles.parent(step.path)
        self.dirty[self.staging[number]] = self.dirty[step.path.parent] = None
        if verdict is Verdict.CONFLICT:
            self._keep_beside(number, step, where, parent)
        elif isinstance(step.after, Absent):
            self._move_back(number, step, where, parent)
        else:
            self._exchange_back(number, step, where, parent)

    def _holds_a_save(self, number: int, step: Change) -> bool:
        path = self.staging[number].child(self.staged_name(number))
        found = self._look(path)
        if isinstance(found, Absent):
            return False
        return not any(is_state(state, found, step) for state in (step.before, step.after))
