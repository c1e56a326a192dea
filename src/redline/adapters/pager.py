"""Long output in the person's own pager."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess


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
