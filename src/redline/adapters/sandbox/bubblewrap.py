"""bubblewrap: a command sees the system read-only, the workspace writable, nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from redline.adapters.processes.program import FIXED_ENVIRONMENT
from redline.adapters.sandbox import places

_SHARED_MEMORY = 1 << 30
# Where bubblewrap may come from. Never PATH: it may name directories that commands can write.
_TRUSTED_DIRECTORIES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"


@cache
def executable() -> str | None:
    """A bubblewrap that works here, tried with the namespaces we need; None if there is none."""
    path = shutil.which("bwrap", path=_TRUSTED_DIRECTORIES)
    if path is None:
        return None
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


@dataclass(frozen=True, slots=True)
class View:
    """What a command is to see, as absolute canonical paths."""

    cwd: str
    private: str
    writable: tuple[str, ...]
    readable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    search_path: str = ""
    network: bool = False
    wide: bool = False
    tty: bool = False


def arguments(program: str, view: View) -> list[str]:
    """The command line of bubblewrap up to the command."""
    args = [program, "--unshare-all", "--cap-drop", "ALL", "--die-with-parent"]
    if view.network:
        args += ["--share-net"]
    if not view.tty:
        args += ["--new-session"]
    args += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    args += _kernel_files()
    args += _blinds()
    args += _private_places(view)
    if not view.wide:
        args += _masks(view)
    home = os.path.join(view.private, "home")
    binds = [("--ro-bind", path) for path in view.readable]
    binds += [("--bind", path) for path in (*view.writable, home)]
    binds += [("--ro-bind-try", path) for path in view.protected]
    args += [part for how, path in binds for part in (how, path, path)]
    args += [part for path in _hidden(view) for part in ("--tmpfs", path)]
    args += _sealed(view)
    return [*args, "--chdir", view.cwd]


def _sealed(view: View) -> list[str]:
    """Empty places stay empty, so that nobody fills memory through them; last of all mounts."""
    empty = ["/dev", *(["/run"] if os.path.isdir("/run") else []), *_hidden(view)]
    if not view.wide:
        empty += places.homes()
    shown = (*view.writable, *view.readable)
    bound = ["--size", str(_SHARED_MEMORY)] if _knows_size() else []
    shared = [*bound, "--tmpfs", "/dev/shm"]  # noqa: S108 - a private one
    sealed = [path for path in empty if path not in shown]
    return shared + [part for path in sealed for part in ("--remount-ro", path)]


@cache
def _knows_size() -> bool:
    """Whether this bubblewrap can bound a tmpfs (0.8 and later)."""
    shown = subprocess.run(
        [executable() or "bwrap", "--help"],
        capture_output=True,
        timeout=10,
        check=False,
        env=FIXED_ENVIRONMENT,
    )
    return b"--size" in shown.stdout


def _hidden(view: View) -> list[str]:
    """Last, so that nothing shows them again; never a directory that holds the workspace."""
    held = (*view.writable, *view.readable, view.private)
    return [
        path
        for path in view.hidden
        if os.path.isdir(path) and not any(f"{place}/".startswith(f"{path}/") for place in held)
    ]


def _private_places(view: View) -> list[str]:
    scratch = os.path.join(view.private, "tmp")
    args = ["--bind", scratch, "/tmp"]  # noqa: S108 - that is the place we replace
    if os.path.isdir("/var/tmp"):  # noqa: S108
        args += ["--bind", scratch, "/var/tmp"]  # noqa: S108
    if os.path.isdir("/run"):
        args += ["--tmpfs", "/run"]  # sockets there (docker, dbus) lead out
        if view.network:
            resolver = "/run/systemd/resolve"
            args += ["--ro-bind-try", resolver, resolver]
    return args


def _kernel_files() -> list[str]:
    """Files in /proc that root may write even without any capability: read-only for commands."""
    if os.geteuid() != 0:
        return []
    paths = (f"/proc/{name}" for name in places.KERNEL_FILES)
    return [part for path in paths if os.path.exists(path) for part in ("--ro-bind", path, path)]


def _blinds() -> list[str]:
    args: list[str] = []
    for path in places.listening_sockets():
        if not path.startswith(("/run/", "/tmp/", "/dev/", "/proc/")):  # noqa: S108 - replaced anyway
            args += ["--ro-bind", "/dev/null", path]
    return args


def _masks(view: View) -> list[str]:
    args: list[str] = []
    for home in places.homes():
        args += ["--tmpfs", home]
    for path in places.toolchains(view.search_path):
        args += ["--ro-bind", path, path]
    for path in places.SECRETS:
        if os.path.exists(path):
            args += ["--ro-bind", "/dev/null", path]
    return args
