"""What history costs: log, status and blame on 10,000 operations, a rewind of 1,000.

    python -m bench.programs.history [--short]

Each command's CPU is the best of ten runs with its modules compiled, as an installation has them;
`--version` and `log` of an empty history are there to tell what starting costs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.library.measure import Report, Row
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Direction, Origin, Revert
from redline.settings import Settings
from redline.wiring.workspace import Redline

SHM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FILES = 50
LINES = 200


def fill(redline: Redline, count: int) -> None:
    """Record *count* edits of one line each, round the files."""
    texts = [[f"line {n}\n" for n in range(LINES)] for _ in range(FILES)]
    for number in range(count):
        at = number % FILES
        path = WorkspacePath(0, (f"f{at}.txt",))
        before = FileState.of("".join(texts[at]).encode(), 0o644)
        texts[at][number // FILES % LINES] = f"edit {number}\n"
        after = FileState.of("".join(texts[at]).encode(), 0o644)
        origin = Origin("edit_file", "bench 1", "", "edit", f"s{number // 100}")
        redline.editor.record(ChangeSet((Change(path, before, after),)), origin)
    for at, lines in enumerate(texts):
        Path(redline.settings.workspace, f"f{at}.txt").write_text("".join(lines))


def cpu_of(command: list[str], cwd: str, home: str) -> float:
    """Milliseconds of CPU of a command, the best of ten."""
    argv = [sys.executable, "-m", "redline", *command]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{home}/compiled"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    best = float("inf")
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(argv, cwd=cwd, check=False, capture_output=True, env=environment)
        assert done.returncode in (0, 3), done.stderr  # 3: there is nothing to show
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = min(best, spent)
    return best * 1000


def measure(report: Report, count: int, rewound: int) -> None:
    """The rows for a history of *count* operations."""
    with tempfile.TemporaryDirectory(dir=SHM) as home:
        root, state = f"{home}/ws", f"{home}/state"
        os.mkdir(root)
        with Redline(Settings(workspace=root, state_dir=state)) as redline:
            fill(redline, count)
        flags = ["--state-dir", state]
        _row(report, "--version", cpu_of(["--version"], root, home))
        empty = cpu_of(["log", "--state-dir", f"{home}/empty"], root, home)
        _row(report, "log, nothing recorded", empty)
        for command in (["log"], ["status"], ["blame", "f7.txt"], ["diff", "@-100"]):
            spent = cpu_of([*command, *flags], root, home)
            _row(report, f"{' '.join(command)}, {count} operations", spent)
        rewind(report, root, state, rewound)
        with open(f"{root}/f3.txt", "a") as file:
            file.write("a person's line\n")
        rewind(report, root, state, 2 * rewound)


def _row(report: Report, task: str, spent: float) -> None:
    report.add(Row(task, "redline", spent, spent, spent))


def rewind(report: Report, root: str, state: str, count: int) -> None:
    """Take the latest *count* changes back as one."""
    with Redline(Settings(workspace=root, state_dir=state)) as redline:
        ids = redline.history.changed_since(None, None)[:count]
        began, cpu = time.perf_counter(), time.process_time()
        done = redline.editor.revert(Revert(Direction.REWIND, tuple(ids)), Origin("rewind"))
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
    task = f"rewind of {len(ids)}" + (" around a person's edit" if done.merged else "")
    report.add(Row(task, "redline", spent * 1000, wall * 1000, wall * 1000))


def main(arguments: list[str]) -> int:
    """A history of 10,000 operations, or a short one."""
    short = "--short" in arguments
    report = Report("history")
    measure(report, 400 if short else 10_000, 50 if short else 1000)
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
