"""The processes below one process: found, signalled, ended; none is left.

The calling process must be a subreaper, so that no descendant can leave the tree.
"""

from __future__ import annotations

import os
import signal
import sys
import time


def parents() -> dict[int, tuple[int, str]]:
    """Every process of the system: its parent and its state letter."""
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
    """Every living process below *root*, parents first."""
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
    """Whether *pid* lives below *root*."""
    known = parents()
    while pid in known:
        pid = known[pid][0]
        if pid == root:
            return True
    return False


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
