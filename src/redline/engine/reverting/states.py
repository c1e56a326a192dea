"""How the state of a path compares with what an operation left and what is wanted."""

from __future__ import annotations

from dataclasses import replace

from redline.core.changes import DirState, FileState, State


def fits(now: State, base: State, wanted: State) -> bool:
    """Whether a path still is as the operation left it."""
    if isinstance(base, FileState) and isinstance(now, FileState):
        asks_mode = isinstance(wanted, FileState) and base.mode != wanted.mode
        return base.digest == now.digest and (not asks_mode or base.mode == now.mode)
    if isinstance(base, DirState) and isinstance(now, DirState):
        return True
    return base == now


def is_same(now: State, wanted: State, base: State) -> bool:
    """Whether a path already is as it is to become."""
    if isinstance(now, FileState) and isinstance(wanted, FileState):
        keeps_mode = isinstance(base, FileState) and base.mode == wanted.mode
        return now.digest == wanted.digest and (keeps_mode or now.mode == wanted.mode)
    if isinstance(now, DirState) and isinstance(wanted, DirState):
        return now.mode == wanted.mode or not isinstance(base, DirState)
    return now == wanted


def keep_mode(base: State, wanted: State) -> State:
    """Return *wanted* without a mode if the operation did not change it: later modes are kept."""
    if isinstance(base, FileState) and isinstance(wanted, FileState) and base.mode == wanted.mode:
        return replace(wanted, mode=None)
    return wanted


def merge_modes(base: int | None, wanted: int | None, now: int | None) -> int:
    """Return the mode to set, 0 to keep what is there, -1 if both sides changed it."""
    if base == wanted or now == wanted:
        return 0
    return -1 if now != base else wanted or 0
