"""The processes below one process: found, signalled, ended; none is left.

The calling process must be a subreaper, so that no descendant can leave the tree.
"""

from __future__ import annotations

import os
import signal
import sys
import time

_MAX_MEASURING = 0.25  # seconds of our own processor time for one measurement of memory


def parents() -> dict[int, tuple[int, str]]:
    """Return every process of the system: its parent and its state letter."""
    if not sys.platform.startswith("linux"):
        return {}
    found: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                    text = file.read(512)
            except OSError:
                continue
            state, parent = text[text.rindex(b")") + 2 :].split(None, 2)[:2]
            found[int(name)] = (int(parent), state.decode())
    return found


def descendants(root: int) -> list[int]:
    """Return every living process below *root*, parents first."""
    known = parents()
    children: dict[int, list[int]] = {}
    for pid, (parent, state) in known.items():
        if state != "Z" and state != "X":
            children.setdefault(parent, []).append(pid)
        else:
            children.setdefault(parent, [])
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def is_descendant(pid: int, root: int) -> bool:
    """Return whether *pid* lives below *root*."""
    known = parents()
    while pid in known:
        pid = known[pid][0]
        if pid == root:
            return True
    return False


def memory(pids: list[int], limit: int) -> int:
    """Return how many bytes of memory *pids* use together; no more than needed to pass *limit*.

    Pages that several of them share, as after a fork, count once. The kernel looks through every
    page for that, so it is asked only where the plain sum is over *limit*. A process that cannot be
    asked, or not within the time for it, counts whole.
    """
    resident = {pid: _resident(pid) for pid in pids}
    total = sum(resident.values())
    until = time.thread_time() + _MAX_MEASURING
    for pid in sorted(resident, key=lambda pid: resident[pid], reverse=True):
        if total <= limit or time.thread_time() > until:
            break
        total -= max(0, resident[pid] - _proportional(pid, resident[pid]))
    return total


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:
            return int(file.read(100).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _proportional(pid: int, otherwise: int) -> int:
    """Return the memory of *pid* with each shared page divided by the processes that share it."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb", buffering=0) as file:
            for line in file.read(4096).splitlines():
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return otherwise


def send(pids: list[int], number: int) -> None:
    """Signal each of them that is still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def end_all(root: int, reap: bool = True, patience: float = 5.0) -> int:
    """Stop all, kill all, repeat until nothing is left below *root*; how many there were."""
    seen: set[int] = set()
    until = time.monotonic() + patience
    while True:
        while fresh := [pid for pid in descendants(root) if pid not in seen]:
            send(fresh, signal.SIGSTOP)  # so that none forks while we look
            seen.update(fresh)
        send(descendants(root), signal.SIGKILL)
        if reap:
            _reap()
        left = descendants(root)
        if not left or time.monotonic() > until:
            return len(seen)
        seen.difference_update(left)
        time.sleep(0.001)


def _reap() -> None:
    while True:
        try:
            pid, _status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
