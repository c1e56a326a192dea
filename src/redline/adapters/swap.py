"""Carrying steps out on the disk, in order, and finding out how far somebody else got."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from redline.adapters.basis import is_tangled
from redline.adapters.disk import Dir, Disk
from redline.adapters.places import Observed, OtherKind, Places
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.paths import WorkspacePath

Step = Change | Rename
# A content of the history by its digest, in pieces.
Saved = Callable[[str], Iterable[bytes]]
# Staged files are synced together, so many at a time.
_MOST_UNSYNCED = 32


class Verdict(Enum):
    """How a step stands on the disk."""

    DONE = "done"
    TO_DO = "to do"
    CONFLICT = "conflict"


@dataclass(slots=True)
class Swap:
    """The steps of one transaction and where their new files wait.

    `staging` gives for each step the directory its new file waits in; `suffix` keeps the files
    of a roll-back apart from those of the way forward.
    """

    disk: Disk
    places: Places
    transaction: str
    steps: Sequence[Step]
    staging: Sequence[WorkspacePath]
    suffix: str = ""
    # What was found at the places before, where somebody looked.
    observed: Mapping[WorkspacePath, Observed] = field(default_factory=dict)
    # Staged files that do not last yet, open.
    unsynced: list[int] = field(default_factory=list)
    dirty: dict[WorkspacePath, None] = field(default_factory=dict)
    # The step being carried out, to name it when it fails.
    current: int = 0

    # -- staging ------------------------------------------------------------------------------

    def staged_name(self, number: int) -> str:
        """The hidden name a step's new file has until it is swapped in."""
        return staged_name(self.transaction, number) + self.suffix

    def stage(self, number: int, saved: Saved) -> tuple[Step, tuple[str, ...]]:
        """Put a step's new file or link next to its place; the settled step, and what was lost.

        It lasts when `sync_staged` is done.
        """
        step = self.steps[number]
        if not needs_staging(step):
            return step, ()
        assert isinstance(step, Change)
        where = self.places.directory(self.staging[number])
        name = self.staged_name(number)
        if isinstance(step.after, LinkState):
            self.disk.symlink(where, name, step.after.target)
            return step, ()
        assert isinstance(step.after, FileState)
        after = step.after
        held = after.content
        pieces = saved(after.digest) if held is None else (held,)
        mode, notes = self._write(step, where, name, pieces)
        after = FileState(after.digest, after.size, mode, held)
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
        if len(self.unsynced) >= _MOST_UNSYNCED:
            self.sync_staged()
        return mode, notes

    def sync_staged(self) -> None:
        """Make the new files that wait last."""
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
            return ()
        seen = self.observed.get(step.path)
        if seen is not None and seen.is_plain:
            return self._keep_owner(target, seen.owner, made_by)
        try:
            old = self.disk.open_read(self.places.parent(step.path), (step.path.name,))
        except OSError:
            return ()
        try:
            found = self.disk.fstat(old)
            refused = self._keep_owner(target, (found.st_uid, found.st_gid), made_by)
            return refused + self.disk.copy_attributes(old, target)
        finally:
            self.disk.close_fd(old)

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
        """Remove new files that wait no longer, for good: soon nobody looks for them."""
        while self.unsynced:
            self.disk.close_fd(self.unsynced.pop())
        swept: set[WorkspacePath] = set()
        for number in numbers:
            where = self.staging[number]
            for name in {self.staged_name(number), staged_name(self.transaction, number)}:
                if remove_if_there(self.disk, self.places, where, name):
                    swept.add(where)
        for where in swept:
            self.disk.sync_dir(self.places.directory(where))

    # -- carrying out -------------------------------------------------------------------------

    def carry_out(self, numbers: Iterable[int]) -> None:
        """Do these steps in order and make them last."""
        # What a rename moves exists nowhere else: the way there must last before it goes, and its
        # arrival before anything is removed behind it.
        steps = tuple(self.steps)
        one_by_one = len(steps) > 1 and (
            any(isinstance(step, Rename) for step in steps) or is_tangled(steps)
        )
        for number in numbers:
            self.current = number
            step = self.steps[number]
            if isinstance(step, Rename):
                self._rename(step)
            else:
                self._change(number, step)
            if one_by_one:
                self.make_last()
        self.make_last()

    def make_last(self) -> None:
        """Sync every directory that was touched."""
        for path in self.dirty:
            try:
                self.disk.sync_dir(self.places.directory(path))
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed by a later step; its parent is synced as well
        self.dirty.clear()

    def _rename(self, step: Rename) -> None:
        source, target = self.places.parent(step.source), self.places.parent(step.target)
        self.disk.rename_new(source, step.source.name, target, step.target.name)
        self.places.forget()
        self.dirty[step.source.parent] = None
        self.dirty[step.target.parent] = None

    def _change(self, number: int, step: Change) -> None:
        above, name = step.path.parent, step.path.name
        parent = self.places.directory(above)
        self.dirty[above] = None
        if needs_staging(step):
            self._swap_in(number, step, parent)
        elif isinstance(step.after, Absent):
            self._remove(step)
        elif isinstance(step.after, DirState):
            if not isinstance(step.before, DirState):
                self.disk.mkdir(parent, name)
            if step.after.mode is not None:
                self._chmod(step, step.after.mode)
        elif isinstance(step.after, FileState) and step.after.mode is not None:
            self._chmod(step, step.after.mode)

    def _chmod(self, step: Change, mode: int) -> None:
        parent, name = self.places.parent(step.path), step.path.name
        self.disk.chmod(parent, name, mode)
        self.disk.sync_entry(parent, name)

    def _swap_in(self, number: int, step: Change, parent: Dir) -> None:
        name, staged = step.path.name, self.staged_name(number)
        where = self.places.directory(self.staging[number])
        self.dirty[self.staging[number]] = None
        if isinstance(step.before, Absent):
            self.disk.rename_new(where, staged, parent, name)
        else:
            self.disk.rename(where, staged, parent, name)

    def _remove(self, step: Change) -> None:
        parent, name = self.places.parent(step.path), step.path.name
        if isinstance(step.before, DirState):
            self.disk.rmdir(parent, name)
            self.places.forget()
        else:
            self.disk.unlink(parent, name)

    # -- finding out --------------------------------------------------------------------------

    def judge(self) -> list[Verdict]:
        """How each step stands; for a tangled set, as the furthest point that fits the disk."""
        if not is_tangled(tuple(self.steps)):
            return [self._judge(step) for step in self.steps]
        count = len(self.steps)
        seen = {path: self._look(path) for path in _paths(self.steps)}
        ways = {path: _values(path, self.steps) for path in seen}
        for done in range(count, -1, -1):
            if all(_agrees(ways[path][done], seen[path]) for path in seen):
                return [Verdict.DONE] * done + [Verdict.TO_DO] * (count - done)
        return [Verdict.CONFLICT] * count

    def _judge(self, step: Step) -> Verdict:
        if isinstance(step, Rename):
            there = self._look(step.source) != ABSENT, self._look(step.target) != ABSENT
            return {(True, False): Verdict.TO_DO, (False, True): Verdict.DONE}.get(
                there, Verdict.CONFLICT
            )
        found = self._look(step.path)
        if found is None:
            return Verdict.CONFLICT
        if _same(step.after, found, step):
            return Verdict.DONE
        return Verdict.TO_DO if _same(step.before, found, step) else Verdict.CONFLICT

    def _look(self, path: WorkspacePath) -> State | None:
        try:
            return self.places.observe(path).state
        except OtherKind:
            return None

    def is_waiting(self, number: int) -> bool:
        """Whether a step's new file waits, and is whole."""
        step = self.steps[number]
        assert isinstance(step, Change)
        waiting = self._look(self.staging[number].child(self.staged_name(number)))
        return waiting is not None and _same(step.after, waiting, step)

    def restage(self, number: int, saved: Saved) -> None:
        """Make sure a step's new file waits, writing it again when it is not whole."""
        step = self.steps[number]
        if not needs_staging(step):
            return
        if self.is_waiting(number):
            return
        remove_if_there(self.disk, self.places, self.staging[number], self.staged_name(number))
        self.stage(number, saved)
        self.sync_staged()


def needs_staging(step: Step) -> bool:
    """Whether a step brings a new file or link."""
    if isinstance(step, Rename) or isinstance(step.after, Absent | DirState):
        return False
    if isinstance(step.after, FileState) and isinstance(step.before, FileState):
        return step.after.digest != step.before.digest
    return step.after != step.before


def staged_name(transaction: str, number: int) -> str:
    """The hidden name of a staged file."""
    return f".redline-{transaction}-{number}"


def remove_if_there(disk: Disk, places: Places, directory: WorkspacePath, name: str) -> bool:
    """Remove a staged file if it still waits; whether it did."""
    try:
        disk.unlink(places.directory(directory), name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _same(wanted: State, found: State, step: Change) -> bool:
    """Whether *found* is *wanted*, as far as *step* is concerned."""
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        if wanted.digest != found.digest:
            return False
        return needs_staging(step) or wanted.mode is None or wanted.mode == found.mode
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        changes_mode = isinstance(step.before, DirState) and isinstance(step.after, DirState)
        return not changes_mode or wanted.mode is None or wanted.mode == found.mode
    return wanted == found


_PRESENT = object()


def _paths(steps: Sequence[Step]) -> list[WorkspacePath]:
    found: dict[WorkspacePath, None] = {}
    for step in steps:
        if isinstance(step, Rename):
            found[step.source] = found[step.target] = None
        else:
            found[step.path] = None
    return list(found)


def _values(path: WorkspacePath, steps: Sequence[Step]) -> list[object]:
    """What stands at *path* after 0, 1, ... steps; None where the steps do not tell."""
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


def _agrees(wanted: object, found: State | None) -> bool:
    if wanted is None:
        return True
    if wanted is _PRESENT:
        return not isinstance(found, Absent)
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        return wanted.digest == found.digest and wanted.mode in (None, found.mode)
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        return True
    return wanted == found


def staging_directory(
    path: WorkspacePath, places: Places, avoided: Collection[WorkspacePath]
) -> WorkspacePath:
    """The nearest existing directory that the set neither moves nor removes."""
    parent = where = path.parent
    for length in range(1, len(where.parts) + 1 if avoided else 0):
        above = WorkspacePath(where.root, where.parts[:length])
        if above in avoided:
            where = above.parent
            break
    while where.parts and places.device(where) is None:
        where = where.parent
    if where != parent:
        device = places.device(parent)
        if device is not None and device != places.device(where):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return where
