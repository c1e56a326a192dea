"""What sandbox and undo cost a command: `true` in a shell, plainly and held.

The CPU column is the server's own share; wall time is what a caller waits. The goal, 3 ms over a
plain spawn after a pause, is meant for a machine with a free processor. After a pause, as between
an agent's calls, the namespaces of the next command are ready; commands that follow each other at
once wait for them to be made, which takes 10 ms of CPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bench.library.measure import Report, Row, spread
from redline.adapters.processes.commands import SandboxedCommands
from redline.core.errors import SandboxUnavailable
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command
from redline.core.ports.tree import Root
from redline.settings import Settings
from redline.wiring.workspace import Redline

PAUSE = 0.05
TOP = WorkspacePath(0, ())
WAYS = (
    ("redline, supervised only", "dangerous", "auto"),
    ("redline, landlock", "safe", "landlock"),
    ("redline, bubblewrap", "safe", "bubblewrap"),
)


class Folder:
    """A directory as a workspace."""

    def __init__(self, path: str) -> None:
        self.roots = [Root(os.path.realpath(path), True)]

    def absolute(self, path: WorkspacePath) -> str:
        """The directory itself."""
        return self.roots[path.root].path


class Patience:
    """Nobody gives up."""

    def check(self) -> None:
        """Never."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Never."""


def timed(task: str, who: str, action: Callable[[], object], count: int, pause: float = 0.0) -> Row:
    """*count* runs, each after a *pause* in seconds, after a few that do not count."""
    for _ in range(3):
        action()
    walls = []
    own = time.process_time()
    for _ in range(count):
        time.sleep(pause)
        began = time.perf_counter()
        action()
        walls.append((time.perf_counter() - began) * 1000)
    cpu = (time.process_time() - own) * 1000 / count
    return Row(task, who, cpu, *spread(walls), note=f"min {min(walls):.2f} ms")


def plain() -> None:
    """What subprocess does."""
    line = ["/bin/sh", "-c", "true"]
    subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, check=True)


@contextmanager
def commands(folder: str, mode: str, backend: str) -> Iterator[Callable[[], object]]:
    """A way to run `true` there."""
    made = SandboxedCommands(Folder(folder), mode, backend=backend)  # type: ignore[arg-type]
    command = Command("true", TOP)
    try:
        yield lambda: made.finish(made.start(command), Patience(), 1 << 16)
    finally:
        made.close()


def spawns(report: Report, count: int, pause: float) -> None:
    """The same command in every way."""
    task = f"sh -c true, after {pause * 1000:.0f} ms" if pause else "sh -c true"
    base = report.add(timed(task, "plain spawn", plain, count, pause))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for who, mode, backend in WAYS:
            try:
                with commands(folder, mode, backend) as run:
                    row = report.add(timed(task, who, run, count, pause))
            except SandboxUnavailable as missing:
                print(f"{who}: not available here ({missing.message})")
                continue
            row.ratio = round(row.p50_ms / base.p50_ms, 2)
            fact = f"{who}: ms over a plain spawn (median)" + (", after a pause" if pause else "")
            report.facts[fact] = round(row.p50_ms - base.p50_ms, 2)


def looks(report: Report, files: int, count: int) -> None:
    """What looking at the workspace before and after a command adds."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        for number in range(files):
            where = f"{folder}/d{number // 100}"
            os.makedirs(where, exist_ok=True)
            with open(f"{where}/f{number}.txt", "w") as file:
                file.write("x" * 1000)
        with Redline(Settings(workspace=folder, state_dir=state)) as redline:
            both = redline._snapshots
            report.add(
                timed(
                    f"undo: {files} files",
                    "redline, both looks",
                    lambda: both.compare(both.take()),
                    count,
                )
            )


def main(arguments: list[str]) -> int:
    """Print the table and keep it."""
    short = "--short" in arguments
    report = Report("exec", facts={"load": round(os.getloadavg()[0], 1)})
    spawns(report, 40 if short else 300, 0.0)
    spawns(report, 10 if short else 100, PAUSE)
    for files in (300, 20_000):
        looks(report, files, 3 if short else 10)
    for fact, value in report.facts.items():
        print(f"{fact}: {value}")
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
