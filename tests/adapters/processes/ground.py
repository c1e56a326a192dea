"""A directory as a workspace, and commands on it, for tests without the rest of Redline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from redline.adapters.processes.commands import SandboxedCommands
from redline.adapters.processes.helper import Helper
from redline.adapters.sandbox import bubblewrap
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished
from redline.core.ports.tree import Root
from redline.server.rpc.messages import CancelToken
from tests.support import need

ROOT = WorkspacePath(0, ())
BACKENDS = ("bubblewrap", "landlock")


class PlainWorkspace:
    """Just enough of a Workspace to run commands in."""

    def __init__(self, path: str) -> None:
        self.roots = [Root(os.path.realpath(path), True)]

    def absolute(self, path: WorkspacePath) -> str:
        return os.path.join(self.roots[path.root].path, *path.parts)


class Patience(CancelToken):
    """A token as a call has one, that a test may cancel."""

    def __init__(self) -> None:
        super().__init__(print)


def require(backend: str) -> None:
    """Skip out loud where the guard does not exist; in CI that is a failure."""
    if backend == "bubblewrap":
        need(bubblewrap.executable() is not None, "a usable bubblewrap (make system installs it)")
        return
    helper = Helper()
    offer = helper.offer()
    helper.close()
    need(offer["abi"] >= 3 and offer["seccomp"], "a kernel with Landlock version 3 and seccomp")


@contextmanager
def commands_in(
    path: object, mode: str = "safe", backend: str = "auto", **options: int
) -> Iterator[SandboxedCommands]:
    """Commands of that mode and guard in the directory, ended afterwards."""
    made = SandboxedCommands(PlainWorkspace(str(path)), mode, backend=backend, grace=0.1, **options)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def run(made: SandboxedCommands, line: str, **terms: object) -> Finished:
    """Run *line* at the root and return its end."""
    command = Command(line, ROOT, **{"timeout": 60.0, **terms})  # type: ignore[arg-type]
    return made.finish(made.start(command), Patience(), 1 << 20)


def processes_with(marker: str) -> list[int]:
    """The living processes whose command line holds *marker*."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    line = file.read()
                with open(f"/proc/{name}/stat", "rb") as file:
                    state = file.read().rsplit(b")", 1)[1].split()[0]
            except OSError:
                continue
            if marker.encode() in line and state != b"Z":
                found.append(int(name))
    return found
