"""One process at a time moves a workspace."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from redline.core.errors import Busy

if sys.platform != "win32":
    import fcntl


@contextmanager
def moving_alone(root: str) -> Iterator[None]:
    """Hold the lock of moving the workspace at *root*; Busy when another process has it."""
    if sys.platform == "win32":
        yield
        return
    folder, name = os.path.split(root.rstrip(os.sep))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f".{name}.redline-moving")
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"The workspace is being moved: {name}", hint="try again") from None
            if not _is_at(lock, path):
                continue  # its last holder has removed it
            try:
                yield
            finally:
                os.unlink(path)
            return
        finally:
            os.close(lock)


def _is_at(lock: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except FileNotFoundError:
        return False
