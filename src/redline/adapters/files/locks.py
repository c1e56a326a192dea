"""Locks on paths, across threads and processes, on a bounded set of lock files.

Each place hashes to one of a few hundred lock files in a directory that all workspaces of a user
share, so two servers with overlapping roots still meet. Lock files are taken in sorted order, so
there is no deadlock. Changes to files also share one lock that moving or removing a
directory takes alone.
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from redline.adapters.files import platform
from redline.core.errors import Locked

BUCKETS = 251
DIRECTORIES = -1
_WAIT = 15.0
_MAX_IDLE = 24
_FIRST_NAP, _LAST_NAP = 0.0005, 0.02


def bucket_of(parent: tuple[int, int], name: str) -> int:
    """Return the lock file of an entry of a directory known by device and inode.

    Case is folded so that file systems that ignore it are safe too.
    """
    text = f"{parent[0]}:{parent[1]}:{name.casefold()}"
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % BUCKETS


class LockFiles:
    """Lock files, some of which stay open between uses: a lock taken again costs no opening."""

    def __init__(self, opened: Callable[[str], int]) -> None:
        self._open_lock = opened
        self._guard = threading.Lock()
        # Open but not locked, longest unused first; two holders never share a descriptor.
        self._idle: dict[str, int] = {}

    def take(self, name: str, *, exclusive: bool, wait: bool) -> int | None:
        """Return a descriptor that holds the lock *name*; None when another holder has it."""
        while True:
            with self._guard:
                fd = self._idle.pop(name, -1)
            if fd < 0:
                fd = self._open_lock(name)
            try:
                taken = platform.lock(fd, exclusive=exclusive, wait=wait)
                if taken and os.fstat(fd).st_nlink:
                    return fd
            except BaseException:
                os.close(fd)
                raise
            if not taken:
                self.release(name, fd)
                return None
            os.close(fd)  # the file was removed: others lock the one that is there now

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Hold the lock *name* exclusively for the length of a `with`."""
        fd = self.take(name, exclusive=True, wait=True)
        assert fd is not None
        try:
            yield
        finally:
            self.release(name, fd)

    def release(self, name: str, fd: int) -> None:
        """Release a lock that `take` returned, and keep its file open."""
        try:
            platform.unlock(fd)
        except OSError:
            os.close(fd)  # which releases it as well
            return
        with self._guard:
            if name not in self._idle:
                self._idle[name] = fd
                if len(self._idle) <= _MAX_IDLE:
                    return
                fd = self._idle.pop(next(iter(self._idle)))
        os.close(fd)

    def close(self) -> None:
        """Close the files that are not locked."""
        with self._guard:
            while self._idle:
                os.close(self._idle.popitem()[1])

    def __del__(self) -> None:
        self.close()


class Held:
    """Lock files that are held until `release`."""

    def __init__(self, files: LockFiles, buckets: frozenset[int]) -> None:
        self.buckets = buckets
        self._files = files
        self.taken: list[tuple[str, int]] = []

    def release(self) -> None:
        """Release every lock; harmless when called twice."""
        while self.taken:
            self._files.release(*self.taken.pop())


class PlaceLocks:
    """The lock files of one user."""

    def __init__(self, directory: str, wait: float = _WAIT) -> None:
        self._directory = directory
        self._wait = wait
        self._files = LockFiles(self._open_lock)
        os.makedirs(directory, 0o700, exist_ok=True)

    def _open_lock(self, name: str) -> int:
        path = os.path.join(self._directory, name)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    def acquire(self, buckets: Iterable[int], *, directories: bool) -> Held:
        """Hold every bucket exclusively; with *directories*, keep out every other change."""
        wanted = frozenset(buckets)
        held = Held(self._files, wanted)
        deadline = time.monotonic() + self._wait
        try:
            self._take(held, DIRECTORIES, exclusive=directories, deadline=deadline)
            for bucket in sorted(wanted):
                self._take(held, bucket, exclusive=True, deadline=deadline)
        except BaseException:
            held.release()
            raise
        return held

    def _take(self, held: Held, bucket: int, *, exclusive: bool, deadline: float) -> None:
        name = "directories" if bucket == DIRECTORIES else f"{bucket:03d}"
        nap = _FIRST_NAP
        while (fd := self._files.take(name, exclusive=exclusive, wait=False)) is None:
            if time.monotonic() > deadline:
                raise Locked(
                    "Another change to the same files is still running",
                    hint="repeat the call",
                )
            time.sleep(nap)
            nap = min(nap * 2, _LAST_NAP)
        held.taken.append((name, fd))
