"""What dry runs would have changed, kept until one is applied: on disk, and within bounds."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from threading import Lock
from typing import BinaryIO, NamedTuple

from redline.core.ports.commands import Difference

MAX_RUNS = 16
MAX_BYTES = 256 << 20


class DryRun(NamedTuple):
    """The proposal of one command; `owner` may apply it, with the same command line."""

    owner: str
    line: str
    found: Difference


class _Kept(NamedTuple):
    owner: str
    size: int
    file: BinaryIO


class KeptDryRuns:
    """Keeps the newest proposals, up to a number and a size in all; the oldest are dropped.

    *open_file* returns a new file without a name, which nothing else can write.
    """

    def __init__(self, open_file: Callable[[], BinaryIO]) -> None:
        self._open_file = open_file
        self._lock = Lock()
        self._kept: dict[str, _Kept] = {}

    def keep(self, job_id: str, run: DryRun) -> bool:
        """Keep a proposal; False when it alone has more bytes than all may have."""
        data = pickle.dumps(run, pickle.HIGHEST_PROTOCOL)
        if len(data) > MAX_BYTES:
            return False
        file = self._open_file()
        try:
            file.write(data)
            file.flush()
        except BaseException:
            file.close()
            raise
        with self._lock:
            while len(self._kept) >= MAX_RUNS or self._size() + len(data) > MAX_BYTES:
                self._drop(next(iter(self._kept)))
            self._kept[job_id] = _Kept(run.owner, len(data), file)
        return True

    def get(self, job_id: str, owner: str) -> DryRun | None:
        """Return the proposal of a dry run of *owner*."""
        with self._lock:
            kept = self._kept.get(job_id)
            if kept is None or kept.owner != owner:
                return None
            kept.file.seek(0)
            run: DryRun = pickle.load(kept.file)  # noqa: S301 - no one else can write this file
        return run

    def drop(self, job_id: str, owner: str) -> None:
        """Forget the proposal of a dry run of *owner*."""
        with self._lock:
            if job_id in self._kept and self._kept[job_id].owner == owner:
                self._drop(job_id)

    def close(self) -> None:
        """Forget every proposal."""
        with self._lock:
            for job_id in list(self._kept):
                self._drop(job_id)

    def _size(self) -> int:
        return sum(kept.size for kept in self._kept.values())

    def _drop(self, job_id: str) -> None:
        self._kept.pop(job_id).file.close()
