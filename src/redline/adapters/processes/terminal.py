"""Terminals for commands that ask for one."""

from __future__ import annotations

import os


def open_terminal(rows: int, cols: int) -> tuple[int, list[int]]:
    """Open a terminal of that size; return our end, and the end a command gets."""
    import termios

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (rows, cols))
    return ours, [theirs]
