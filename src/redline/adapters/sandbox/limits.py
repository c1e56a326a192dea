"""How much a command may take: memory, processes, file size."""

from __future__ import annotations

import os

MEMORY = 4 << 30
FILE_SIZE = 4 << 30
PROCESSES = 512


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


def cgroups() -> str:
    """The start of names for groups that count processes; empty where we may not make any."""
    try:
        with open("/proc/self/cgroup") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return ""
    for _number, controllers, path in lines:
        base = ""
        if controllers == "":
            base = _unified(path)
        elif "pids" in controllers.split(","):
            base = f"/sys/fs/cgroup/{controllers}{path}".rstrip("/")
        if base and os.access(base, os.W_OK) and os.path.exists(f"{base}/cgroup.procs"):
            return f"{base}/redline-{os.getpid()}"
    return ""


def _unified(path: str) -> str:
    for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        base = f"{top}{path}".rstrip("/")
        try:
            with open(f"{base}/cgroup.subtree_control") as file:
                if "pids" in file.read().split():
                    return base
        except OSError:
            continue
    return ""
