"""The digests of contents that no parser gets again, one line each, in the state directory.

Every process that serves the workspace appends to the one file and reads what others added. It
is a cache: a line that cannot be written or read only costs another worker.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress

_MAX_SIZE = 4 << 20


class FailedContent:
    """Answers `ports.Failures` over the file at *path*."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._size = 0

    def reason(self, digest: str) -> str | None:
        """Return why that content is not parsed; None when it may be."""
        with self._lock:
            self._read_new_lines()
            return self._known.get(digest)

    def remember(self, digest: str, reason: str) -> None:
        """Do not parse that content again, in this process or a later one."""
        line = f"{digest} {' '.join(reason.split())}\n".encode("utf-8", "replace")
        with self._lock, suppress(OSError):
            self._known[digest] = reason
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
            if self._size > _MAX_SIZE:
                flags |= os.O_TRUNC
            file = os.open(self._path, flags, 0o600)
            try:
                os.write(file, line)
            finally:
                os.close(file)

    def _read_new_lines(self) -> None:
        try:
            size = os.stat(self._path).st_size
            if size == self._size:
                return
            with open(self._path, "rb") as file:
                lines = file.read(2 * _MAX_SIZE).split(b"\n")
        except OSError:
            return
        self._size = size
        for line in lines:
            digest, _, reason = line.decode("utf-8", "replace").partition(" ")
            if reason:
                self._known[digest] = reason
