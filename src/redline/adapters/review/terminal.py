"""The terminal that a process belongs to, and the person in front of it."""

from __future__ import annotations

import os

_MAX_ANSWER = 1024


def ask_at_terminal(question: str) -> str | None:
    """Write *question* and return the line that is typed; None where there is no terminal.

    It is read from the terminal itself: what a program pipes in is not a person's answer.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | getattr(os, "O_NOCTTY", 0))
    except OSError:
        return None
    try:
        os.write(terminal, question.encode("utf-8", "replace"))
        return os.read(terminal, _MAX_ANSWER).decode("utf-8", "replace")
    except OSError:  # it went away, or this process is in the background of it
        return None
    finally:
        os.close(terminal)
