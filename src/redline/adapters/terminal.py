"""The person at the terminal: long output in a pager, and a question that only they answer."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

_MAX_ANSWER = 1024


def page_text(text: str) -> bool:
    """Run $PAGER, or less, with *text* as its input; False if it cannot be started."""
    words = shlex.split(os.environ.get("PAGER") or "less")
    program = shutil.which(words[0]) if words else None
    if program is None:
        return False
    environment = {"LESS": "FRX", **os.environ}
    try:
        running = subprocess.Popen([program, *words[1:]], stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    try:
        running.communicate(text.encode("utf-8", "replace"))
    except (BrokenPipeError, KeyboardInterrupt):
        running.wait()
    return True


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
