"""When a workspace was last called, noted beside its history for every server."""

from __future__ import annotations

import os

# Its own time is that of the call. The name begins as those of notices do that are not parked.
_NOTE = "server-last-call"


def note_call(state_dir: str, at: float) -> None:
    """Note the time of a call."""
    os.makedirs(state_dir, mode=0o700, exist_ok=True)
    path = os.path.join(state_dir, _NOTE)
    with open(path, "ab"):
        os.utime(path, (at, at))


def read_last_call(state_dir: str) -> float | None:
    """Return the time of the last call that was noted."""
    try:
        return os.stat(os.path.join(state_dir, _NOTE)).st_mtime
    except OSError:
        return None
