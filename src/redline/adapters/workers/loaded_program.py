"""Redline's files as they were when the server started; import this early.

A worker imports Redline's modules from disk when it needs them, which may be long after the start.
It refuses what has changed since: a file in a directory that is not one of these, and a file
whose change time, which no program can set back, is not before the start. An installer that links
such a file elsewhere changes that time too, so the hash in the installation's RECORD still counts.
"""

from __future__ import annotations

import json
import os
import sys
import time

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_DISTRIBUTION = "redline-"
# CLOCK_REALTIME_COARSE, which stamps files and runs behind; Python has no name for it.
_STAMPING_CLOCK: int | None = 5 if sys.platform == "linux" else None


def stamping_time() -> int:
    """Return the time that a file gets which is changed now."""
    if _STAMPING_CLOCK is None:
        return time.time_ns()
    return time.clock_gettime_ns(_STAMPING_CLOCK)


def _directories() -> list[tuple[int, int]]:
    """Device and number of every directory of the package."""
    found: list[tuple[int, int]] = []
    waiting = [_PACKAGE]
    while waiting:
        here = waiting.pop()
        there = os.stat(here)
        found.append((there.st_dev, there.st_ino))
        if here.endswith("__pycache__"):
            continue  # it has no directories
        with os.scandir(here) as entries:
            waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    return found


def _record() -> list[object] | None:
    """The path of RECORD, and what tells it from another file; None where nothing is installed."""
    base = os.path.dirname(_PACKAGE)
    for name in os.listdir(base):
        if name.startswith(_DISTRIBUTION) and name.endswith(".dist-info"):
            path = os.path.join(base, name, "RECORD")
            try:
                there = os.stat(path)
            except OSError:
                return None
            return [path, there.st_dev, there.st_ino, there.st_size, there.st_ctime_ns]
    return None


STATE = json.dumps({"started": stamping_time(), "directories": _directories(), "record": _record()})
CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
with open(CHILD, encoding="utf-8") as _file:
    CHILD_SOURCE = _file.read()
