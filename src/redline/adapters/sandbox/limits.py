"""How much a command may take: memory, processes, file size."""

from __future__ import annotations

import os
from typing import Any

MEMORY = 4 << 30
FILE_SIZE = 4 << 30
PROCESSES = 512
_COUNTED = ("pids", "memory")


def rlimits() -> dict[str, int]:
    """The resource limits of one process; processes are counted per user, so ours come on top."""
    return {
        "data": MEMORY,
        "fsize": FILE_SIZE,
        "core": 0,
        "nproc": _tasks_now() + PROCESSES,
    }


def _tasks_now() -> int:
    try:
        with open("/proc/loadavg", "rb", buffering=0) as file:
            return int(file.read(128).split()[3].split(b"/")[1])
    except (OSError, ValueError, IndexError):
        return 4096


def cgroups() -> list[dict[str, Any]]:
    """Return where groups that count can be made: `at`, the start of their names, and `for` which
    controllers (pids, memory). Empty where we may not make any.
    """
    try:
        with open("/proc/self/cgroup") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    for _number, controllers, path in lines:
        if controllers == "":
            base, names = _find_unified(path)
        else:
            names = [name for name in controllers.split(",") if name in _COUNTED]
            base = f"/sys/fs/cgroup/{controllers}{path}".rstrip("/")
        if names and os.access(base, os.W_OK) and os.path.exists(f"{base}/cgroup.procs"):
            found.append({"at": f"{base}/redline-{os.getpid()}", "for": names})
    return found


def _find_unified(path: str) -> tuple[str, list[str]]:
    for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        base = f"{top}{path}".rstrip("/")
        try:
            with open(f"{base}/cgroup.subtree_control") as file:
                names = [name for name in file.read().split() if name in _COUNTED]
        except OSError:
            continue
        if names:
            return base, names
    return "", []
