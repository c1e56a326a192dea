"""Commands that run now, and the recorder that runs now: each by a lock on one file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence

from redline.adapters.files.platform import lock
from redline.core.ports.recording import RecorderCondition

_NAME = "commands.lock"
_RECORDER = "recorder.lock"
# Another process that only asks whether the lock is held has it for a moment.
_TRIES = 10
_MOMENT = 0.01
_MAX_CONDITION = 1 << 20


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
        """Return whether such a command runs, in any process."""
        held = self._open()
        try:
            return not lock(held, exclusive=True, wait=False)
        finally:
            os.close(held)

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


class RecorderLock:
    """Held by the one process that records a workspace; its file says how that goes."""

    def __init__(self, state_dir: str) -> None:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        path = os.path.join(state_dir, _RECORDER)
        self._held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._started = time.time()

    def take(self) -> bool:
        """Take it; False when another process records already."""
        for _ in range(_TRIES):
            if lock(self._held, exclusive=True, wait=False):
                return True
            time.sleep(_MOMENT)
        return False

    def publish(self, limits: Sequence[str]) -> None:
        """Say what this recorder does not record; only the holder of the lock may."""
        condition = RecorderCondition(os.getpid(), self._started, tuple(limits))
        text = json.dumps(condition).encode()
        os.pwrite(self._held, text, 0)
        os.ftruncate(self._held, len(text))

    def close(self) -> None:
        """Release it."""
        os.close(self._held)


def read_condition(state_dir: str) -> RecorderCondition | None:
    """Return which process records a workspace; None when none does."""
    try:
        held = os.open(os.path.join(state_dir, _RECORDER), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if lock(held, exclusive=False, wait=False):
            return None
        pid, started, limits = json.loads(os.pread(held, _MAX_CONDITION, 0))
        return RecorderCondition(pid, started, tuple(limits))
    except (OSError, ValueError):  # it is being written
        return RecorderCondition(0, time.time())
    finally:
        os.close(held)
