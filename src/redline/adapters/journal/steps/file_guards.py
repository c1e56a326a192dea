"""Locks on the files themselves that a change replaces or removes, wherever its history is kept.

The lock files of `locks.py` lie beside the history, so two servers that keep their history in
different directories do not share them. Every change therefore also holds an `flock` on each
file it replaces or removes, and on the new file before that becomes visible. A lock on the file
itself needs no directory that all servers can write, works between users and between containers
that share the workspace, and costs one system call. Since a replacement has another
inode, a process that gets the lock checks that the file still has its name.

Programs that know nothing of these locks, such as a person's editor, are noticed by a read lease
(Linux): while it is held, the kernel lets no process open the file for writing without telling us.
The file is read under its lease, so what was read is what it holds until the lease is broken.
What neither lock nor lease can show is found by comparing what was replaced with what the change
was planned on (`apply.py`).

A lock held by another program is waited for, for a limited time. At most `MAX_GUARDED` files of a
change are guarded, so that descriptors do not run out; the comparison covers the others.
"""

from __future__ import annotations

import os
import stat as modes
import time
from collections.abc import Callable, Iterable

from redline.adapters.files import platform
from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.platform import Writers
from redline.adapters.journal.steps.handles import DirectoryHandles, OpenFile
from redline.core.changes import Change, FileState, Rename
from redline.core.errors import Locked
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

MAX_GUARDED = 128
_LOCK_WAIT = 15.0
_WRITER_WAIT = 1.0
_FIRST_NAP, _LAST_NAP = 0.0005, 0.01


@dataclass(slots=True)
class _Guard:
    """A file that is going to be replaced, open and locked."""

    file: OpenFile
    mark: tuple[int, ...]
    is_leased: bool = False
    # The new file, once it waits to be swapped in, and its mark.
    new: int = -1
    new_mark: tuple[int, ...] = ()


@dataclass(slots=True)
class FileGuards:
    """The guards of one change; `release` ends them all."""

    disk: Disk
    show: Callable[[WorkspacePath], str]
    lock_wait: float = _LOCK_WAIT
    writer_wait: float = _WRITER_WAIT
    _guards: dict[WorkspacePath, _Guard] = field(default_factory=dict)

    def lock(self, steps: Iterable[Change | Rename], handles: DirectoryHandles) -> None:
        """Lock and lease the files that *steps* replace or remove; Locked when one stays taken."""
        if not self.disk.locks_files:
            return
        wanted = {
            step.path
            for step in steps
            if isinstance(step, Change) and isinstance(step.before, FileState)
        }
        deadline = time.monotonic() + self.lock_wait
        # In one order, so that two changes do not wait for each other.
        for path in sorted(wanted)[:MAX_GUARDED]:
            file = self._acquire(path, handles, deadline)
            if file is not None:
                self._guards[path] = _Guard(file, _mark(file.facts))
        self._lease()
        for path, guard in self._guards.items():
            handles.open_files[path] = guard.file

    def _acquire(
        self, path: WorkspacePath, handles: DirectoryHandles, deadline: float
    ) -> OpenFile | None:
        """Return the file at *path*, open and locked; None when there is none."""
        nap, name = _FIRST_NAP, path.parts[-1]
        while True:
            try:
                parent = handles.parent(path)
                fd = self.disk.open_read(parent, (name,))
            except OSError:
                return None  # the base check says what is there instead
            opened = os.fstat(fd)
            if not modes.S_ISREG(opened.st_mode):
                os.close(fd)
                return None
            is_locked = _try_lock(fd)
            there = self._stat(parent, name) if is_locked else None
            if there is not None and os.path.samestat(there, opened):
                return OpenFile(fd, there)
            os.close(fd)
            if is_locked and there is None:
                return None
            if is_locked:
                continue  # it was replaced before we had the lock
            if time.monotonic() > deadline:
                raise Locked(
                    f"Another program holds a lock on the file: {self.show(path)}",
                    hint="repeat the call when that program is done",
                    details={"path": self.show(path)},
                )
            time.sleep(nap)
            nap = min(nap * 2, _LAST_NAP)

    def _stat(self, parent: Dir, name: str) -> os.stat_result | None:
        try:
            return self.disk.stat(parent, name)
        except OSError:
            return None

    # -- writers that take no locks -----------------------------------------------------------

    def _lease(self) -> None:
        """Lease every file, to notice writers; Locked when one does not close its file."""
        deadline = time.monotonic() + self.writer_wait
        for path, guard in self._guards.items():
            nap = _FIRST_NAP
            while (writers := platform.lease(guard.file.fd)) is Writers.SOME:
                if time.monotonic() > deadline:
                    raise Locked(
                        f"Another program has the file open for writing: {self.show(path)}",
                        hint="repeat the call when that program has closed it",
                        details={"path": self.show(path)},
                    )
                time.sleep(nap)
                nap = min(nap * 2, _LAST_NAP)
            guard.is_leased = writers is Writers.NONE

    def find_writer(self) -> WorkspacePath | None:
        """The path of a file that another process waits to write; that process goes first."""
        for path, guard in self._guards.items():
            if guard.is_leased and self.is_disturbed(path):
                self._let_write(guard)
                return path
        return None

    def was_read_under_lease(self, path: WorkspacePath) -> bool:
        """Whether the file that is or was at *path* holds what was read, unless it is disturbed."""
        guard = self._guards.get(path)
        return guard is not None and guard.is_leased and guard.file.was_read

    def is_disturbed(self, path: WorkspacePath) -> bool:
        """Return whether a process wrote, or waits to write, the file that is or was at *path*."""
        guard = self._guards.get(path)
        if guard is None:
            return False
        if guard.is_leased:
            return platform.lease_broken(guard.file.fd)
        return _mark(os.fstat(guard.file.fd)) != guard.mark

    def guard_new(self, path: WorkspacePath, where: Dir, name: str) -> None:
        """Lock the new file that is about to take the place of the one at *path*."""
        guard = self._guards.get(path)
        if guard is None or guard.new >= 0:
            return
        guard.new = self.disk.open_read(where, (name,))
        _try_lock(guard.new)
        guard.new_mark = _mark(os.fstat(guard.new))

    def overwritten(self, handles: DirectoryHandles) -> list[WorkspacePath]:
        """The paths at which another program has written over or into the new file already."""
        return [path for path in self._guards if not self._is_as_left(path, handles)]

    def _is_as_left(self, path: WorkspacePath, handles: DirectoryHandles) -> bool:
        guard = self._guards[path]
        if guard.new < 0:
            return True
        try:
            return _mark(self.disk.stat(handles.parent(path), path.name)) == guard.new_mark
        except OSError:
            return False

    def late_writes(self) -> list[tuple[WorkspacePath, bytes]]:
        """Return what processes wrote into files after these had been replaced.

        They had found the file before it was replaced, and opened it after. Each is given
        `writer_wait` seconds to finish.
        """
        found = []
        for path, guard in self._guards.items():
            if self.is_disturbed(path):
                self._await_writer(guard)
                fd = guard.file.fd
                found.append((path, self.disk.pread(fd, os.fstat(fd).st_size, 0)))
        return found

    def _let_write(self, guard: _Guard) -> None:
        """Let a process that waits to write open the file, and wait until it has closed it."""
        deadline = time.monotonic() + self.writer_wait
        platform.end_lease(guard.file.fd)
        guard.is_leased = False
        time.sleep(_LAST_NAP)
        while platform.lease(guard.file.fd) is Writers.SOME and time.monotonic() < deadline:
            time.sleep(_LAST_NAP)

    def _await_writer(self, guard: _Guard) -> None:
        """Let a process that waits to write do so, until it closes the file."""
        deadline = time.monotonic() + self.writer_wait
        if guard.is_leased:
            platform.end_lease(guard.file.fd)
            guard.is_leased = False
        while time.monotonic() < deadline:
            time.sleep(_LAST_NAP)
            has_written = _mark(os.fstat(guard.file.fd)) != guard.mark
            if has_written and platform.lease(guard.file.fd) is not Writers.SOME:
                return

    def release(self) -> None:
        """End every lock and lease; harmless when called twice."""
        while self._guards:
            _, guard = self._guards.popitem()
            os.close(guard.file.fd)
            if guard.new >= 0:
                os.close(guard.new)


def _try_lock(fd: int) -> bool:
    """Lock an open file; False when another holds it. A file system without locks has none."""
    try:
        return platform.lock(fd, exclusive=True, wait=False)
    except OSError:
        return True


def _mark(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
