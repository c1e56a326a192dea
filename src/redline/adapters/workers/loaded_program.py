"""Redline's files as they were when the server started; import this early.

The server and its workers import Redline's modules from disk when they need them, which may be long
after the start. They refuse what has changed since: a file whose change time, which no program can
set back, is not before the start, and a file in a directory that is not one of those that were
there before anything ran. An installer that links such a file elsewhere changes its time too, so
the hash in the installation's RECORD still counts.
"""

from __future__ import annotations

import json
import os
import time
from functools import cache

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_DISTRIBUTION = "redline-"
_CLOCK = getattr(time, "CLOCK_REALTIME_COARSE", None)  # the one that stamps files


def _now() -> int:
    return time.time_ns() if _CLOCK is None else time.clock_gettime_ns(_CLOCK)


def _identify(directory: str) -> tuple[int, int]:
    there = os.stat(directory)
    return there.st_dev, there.st_ino


def _directories() -> list[tuple[int, int]]:
    """Device and number of every directory of the package; none if it is another one by now."""
    found: list[tuple[int, int]] = []
    waiting = [_PACKAGE] if _identify(_PACKAGE) == _IDENTITY else []
    while waiting:
        here = waiting.pop()
        found.append(_identify(here))
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


_STARTED, _IDENTITY, _RECORD = _now(), _identify(_PACKAGE), _record()


@cache
def describe_state() -> str:
    """Return what `child.guard_imports` compares with, as JSON; call it before anything runs.

    Looking at every directory takes longer than listing all tools: it can wait for the first call.
    """
    return json.dumps({"started": _STARTED, "directories": _directories(), "record": _RECORD})


CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
with open(CHILD, encoding="utf-8") as _file:
    CHILD_SOURCE = _file.read()
