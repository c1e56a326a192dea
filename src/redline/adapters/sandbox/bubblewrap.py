"""bubblewrap: makes the namespaces and the mount tree of a command, and holds them."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from typing import Any

from redline.adapters.sandbox.program import FIXED_ENVIRONMENT
from redline.adapters.sandbox.visible_paths import SandboxView, mount_tree

# Where bubblewrap may come from. Never PATH: it may name directories that commands can write.
_TRUSTED_DIRECTORIES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"


@cache
def executable() -> str | None:
    """A bubblewrap that works here, tried with the namespaces we need; None if there is none."""
    path = shutil.which("bwrap", path=_TRUSTED_DIRECTORIES)
    if path is None or os.stat(path).st_mode & 0o4000:
        return None  # what a setuid one makes belongs to root: we could not enter it
    attempt = [path, "--unshare-all", "--cap-drop", "ALL", "--die-with-parent"]
    attempt += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    try:
        done = subprocess.run(
            [*attempt, "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=10,
            check=False,
            cwd="/",
            env=FIXED_ENVIRONMENT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return path if done.returncode == 0 else None


def arguments(program: str, view: SandboxView) -> list[str]:
    """A command line that makes the tree of all commands and then waits for the end of its input.

    It runs once, before there is a command: nothing in it is a caller's words.
    """
    args = [program, "--unshare-user-try", "--unshare-pid", "--cap-drop", "ALL"]
    args += ["--die-with-parent", "--clearenv"]
    sealed = [] if view.wide else ["/"]
    for step in mount_tree(view):
        args += _mount(step)
        if step[0] in ("empty", "dev"):
            sealed.append(step[1])
    # Empty mounts stay empty, so that a command cannot fill memory through them.
    for path in sealed:
        args += ["--remount-ro", path]
    return [*args, "--chdir", "/", "--", "/bin/sh", "-c", "echo; read x"]


def _mount(step: list[Any]) -> list[str]:
    what, path = step[0], step[1]
    if what in ("ro", "rw"):
        return ["--ro-bind" if what == "ro" else "--bind", step[2], path]
    if what == "link":
        return ["--symlink", step[2], path]
    return [{"proc": "--proc", "dev": "--dev", "empty": "--tmpfs"}[what], path]
