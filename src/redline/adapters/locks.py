"""Locks on places, across threads and processes, on a bounded set of lock files.

Each place hashes to one of a few hundred lock files in a directory that all workspaces of a user
share, so two servers with overlapping roots still meet. Lock files are taken in sorted order, so
nobody waits in a circle. Changes to files also share one lock that moving or removing a
directory takes alone.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterable

from redline.adapters import platform
from redline.core.errors import Locked

BUCKETS = 251
DIRECTORIES = -1
_WAIT = 15.0
_FIRST_NAP, _LAST_NAP = 0.0005, 0.02


def bucket_of(parent: tuple[int, int], name: str) -> int:
    """The lock file of an entry of a directory known by device and inode.

    Case is folded so that file systems that ignore it are safe too.
    """
    text = f"{parent[0]}:{parent[1]}:{name.casefold()}"
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % BUCKETS


class Held:
    """Lock files held; let go with `release`."""

    def __init__(self, buckets: frozenset[int]) -> None:
        self.buckets = buckets
        self._fds: list[int] = []

    def add(self, fd: int) -> None:
        """Keep *fd*, whose lock was taken."""
        self._fds.append(fd)

    def release(self) -> None:
        """Let go of everything; harmless when called twice."""
        while self._fds:
            os.close(self._fds.pop())


class PlaceLocks:
    """The lock files of one user."""

    def __init__(self, directory: str, wait: float = _WAIT) -> None:
        self._directory = directory
        self._wait = wait
        os.makedirs(directory, 0o700, exist_ok=True)

    def acquire(self, buckets: Iterable[int], *, directories: bool) -> Held:
        """Hold every bucket, alone; with *directories* nobody else changes anything meanwhile."""
        wanted = frozenset(buckets)
        held = Held(wanted)
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
        path = os.path.join(self._directory, name)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        nap = _FIRST_NAP
        while not platform.lock(fd, exclusive=exclusive, wait=False):
            if time.monotonic() > deadline:
                os.close(fd)
                raise Locked(
                    "Another change to the same files is still running",
                    hint="repeat the call",
                )
            time.sleep(nap)
            nap = min(nap * 2, _LAST_NAP)
        held.add(fd)
