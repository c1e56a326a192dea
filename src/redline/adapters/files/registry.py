"""Which workspaces have a history on this machine, and which one a directory belongs to."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from redline.adapters.files.own_places import state_home
from redline.adapters.files.platform import lock, state_dir_of

_NAME, _SERVER, FORMER = "roots", "server-", "former-paths"
_MAX_KEPT = 32


class WorkspacePlace(NamedTuple):
    """The roots of a workspace as (path, writable), the workspace first, and its state directory.

    `state_dir` is None where nothing has been recorded yet.
    """

    roots: tuple[tuple[str, bool], ...]
    state_dir: str | None = None


def remember_roots(state_dir: str, roots: Sequence[tuple[str, bool]]) -> None:
    """Note beside a history which roots it is about; a failure costs only convenience."""
    known = _read(state_dir)
    wanted = tuple(roots)
    if wanted in known:
        return
    kept = [*known, wanted][-_MAX_KEPT:]
    half = os.path.join(state_dir, f"{_NAME}.{os.getpid()}")
    try:
        with open(half, "w", encoding="utf-8", opener=_private) as stream:
            json.dump(kept, stream)
        os.replace(half, os.path.join(state_dir, _NAME))
    except OSError:
        return


def read_former_paths(state_dir: str) -> list[str]:
    """Return where the workspace of a history was before it was moved here."""
    try:
        with open(os.path.join(state_dir, FORMER), encoding="utf-8") as stream:
            return [str(path) for path in json.load(stream)]
    except (OSError, ValueError):
        return []


def find_workspace(start: str, state_dir: str | None) -> WorkspacePlace:
    """Return the workspace *start* lies in: one with a history, else a repository, else itself."""
    start = os.path.realpath(start)
    found = _with_history(start, state_dir)
    if found is not None:
        return found
    for folder in _upwards(start):
        if os.path.lexists(os.path.join(folder, ".git")):
            return WorkspacePlace(((folder, True),), state_dir)
    return WorkspacePlace(((start, True),), state_dir)


def list_workspaces() -> list[WorkspacePlace]:
    """Return every workspace of this user that has a history, by path."""
    found = [
        WorkspacePlace(roots, home) for home in _homes() for roots in _read(home)[-1:] if roots
    ]
    return sorted(found)


class RunningServer(NamedTuple):
    """A server that works on a history."""

    pid: int
    address: str
    started: float


def announce_server(state_dir: str, address: str) -> Callable[[], None]:
    """Note that this process serves a workspace; the function returned takes the note back."""
    _remove_stale_notes(state_dir)
    # A process may have a workspace open twice for a moment: one that it is about to close.
    path = os.path.join(state_dir, f"{_SERVER}{os.getpid()}-{os.urandom(4).hex()}")
    held = -1
    try:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:  # locked as long as the process lives, and before anything is written
            lock(held, exclusive=True, wait=True)
        finally:
            os.write(held, json.dumps([os.getpid(), address, time.time()]).encode())
    except OSError:
        pass

    def withdraw() -> None:
        try:
            if held >= 0:
                os.close(held)
            os.unlink(path)
        except OSError:
            pass

    return withdraw


def list_servers(state_dir: str) -> list[RunningServer]:
    """Return the servers that are still running."""
    found = (_read_note(path) for path in _notes(state_dir))
    return [server for server in found if server is not None and _is_running(server.pid)]


def _remove_stale_notes(state_dir: str) -> None:
    """Remove the notes of servers that were killed; a failure leaves them to the next start."""
    try:
        for path in _notes(state_dir):
            server = _read_note(path)
            # One on another machine or in another container is not found, but holds its lock.
            if server is not None and not _is_running(server.pid) and not _is_locked(path):
                os.unlink(path)
    except OSError:
        pass


def _notes(state_dir: str) -> list[str]:
    names = sorted(name for name in os.listdir(state_dir) if name.startswith(_SERVER))
    return [os.path.join(state_dir, name) for name in names]


def _read_note(path: str) -> RunningServer | None:
    try:
        with open(path, encoding="utf-8") as stream:
            pid, address, started = json.load(stream)
        return RunningServer(int(pid), str(address), float(started))
    except (OSError, ValueError, TypeError):
        return None


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _is_locked(path: str) -> bool:
    held = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        return not lock(held, exclusive=True, wait=False)
    finally:
        os.close(held)


def _with_history(start: str, state_dir: str | None) -> WorkspacePlace | None:
    if state_dir is not None:
        return _nearest(start, [(state_dir, roots) for roots in _read(state_dir)])
    for folder in _upwards(start):
        home = state_dir_of(folder)
        if _is_used(home):
            own = [roots for roots in _read(home) if roots and roots[0][0] == folder]
            return WorkspacePlace(_keep_existing(own[-1]) if own else ((folder, True),), None)
    # A directory of a workspace with several roots.
    return _nearest(start, [(home, roots) for home in _homes() for roots in _read(home)[-1:]])


def _nearest(
    start: str, candidates: Sequence[tuple[str, tuple[tuple[str, bool], ...]]]
) -> WorkspacePlace | None:
    """Return the candidate with the innermost root around *start*."""
    best: tuple[int, WorkspacePlace] | None = None
    for home, roots in candidates:
        for path, _ in roots:
            inside = start == path or start.startswith(path.rstrip(os.sep) + os.sep)
            if inside and (best is None or len(path) >= best[0]):
                best = len(path), WorkspacePlace(_keep_existing(roots), home)
    return None if best is None else best[1]


def _keep_existing(roots: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    return tuple(root for root in roots if os.path.isdir(root[0])) or roots[:1]


def _homes() -> Iterator[str]:
    try:
        names = sorted(os.listdir(state_home()))
    except OSError:
        return
    for name in names:
        home = os.path.join(state_home(), name)
        if _is_used(home):
            yield home


def _is_used(home: str) -> bool:
    try:
        return os.stat(os.path.join(home, "journal")).st_size > 0
    except OSError:
        return False


def _read(state_dir: str) -> list[tuple[tuple[str, bool], ...]]:
    try:
        with open(os.path.join(state_dir, _NAME), encoding="utf-8") as stream:
            found = json.load(stream)
        return [tuple((str(path), bool(w)) for path, w in roots) for roots in found]
    except (OSError, ValueError, TypeError):
        return []


def _upwards(path: str) -> Iterator[str]:
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
