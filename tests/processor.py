"""What a process used of the processors and waited for them: what it did, not the machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

_LOOK_EVERY = 0.02


def used_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    return _times(pid)[0]


def used_by_ended_children(pid: int) -> float:
    """Return the processor time that children of a process had used when they ended."""
    return _times(pid)[1]


def _times(pid: int) -> tuple[float, float]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own, system, children, their_system = (int(field) for field in fields[11:15])
    tick = os.sysconf("SC_CLK_TCK")
    return (own + system) / tick, (children + their_system) / tick


def queued_seconds(*pids: int) -> float:
    """Return the time that threads of these processes were ready but had no processor."""
    waited = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # the thread has ended
                waited += int(task.read_text().split()[1])
    return waited / 1e9


def seconds_to_end(process: subprocess.Popen[bytes], limit: float = 60.0) -> float:
    """Terminate a process; return how long it took to end, without waiting for a processor."""
    before = queued = queued_seconds(process.pid)
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)
    while time.monotonic() < start + limit:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_EVERY)
            break
        queued = max(queued, queued_seconds(process.pid))
    return time.monotonic() - start - (queued - before)
