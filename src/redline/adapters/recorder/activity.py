"""Commands that run now, in this process or another, by a lock on one file."""

from __future__ import annotations

import os
from collections.abc import Callable

from redline.adapters.files.platform import lock

_NAME = "commands.lock"


class LockedActivity:
    """See `core.ports.recording.Activity`."""

    def __init__(self, state_dir: str) -> None:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        self._path = os.path.join(state_dir, _NAME)

    def begin(self) -> Callable[[], None]:
        """Say that a command begins; closing the file releases the lock, as dying does."""
        held = self._open()
        lock(held, exclusive=False, wait=True)
        return lambda: os.close(held)

    def is_busy(self) -> bool:
        """Whether such a command runs, in any process."""
        held = self._open()
        try:
            return not lock(held, exclusive=True, wait=False)
        finally:
            os.close(held)

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


class RecorderLock:
    """Held by the one process that records a workspace."""

    def __init__(self, state_dir: str) -> None:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        path = os.path.join(state_dir, "recorder.lock")
        self._held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Take it; False when another process records already."""
        return lock(self._held, exclusive=True, wait=False)

    def close(self) -> None:
        """Release it."""
        os.close(self._held)
