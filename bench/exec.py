"""What the sandbox costs: `true` in a shell, plainly and held, over a plain spawn."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from redline.adapters.processes.commands import SandboxedCommands
from redline.core.errors import SandboxUnavailable
from redline.core.paths import WorkspacePath
from redline.core.ports import Command, Root

RESULTS = Path(__file__).resolve().parent / "results"
TOP = WorkspacePath(0, ())
BUDGET = {"landlock": 5.0, "bubblewrap": 15.0}


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


def timed(action: Callable[[], object], count: int) -> dict[str, float]:
    """Milliseconds of *count* runs."""
    for _ in range(3):
        action()
    found = []
    for _ in range(count):
        began = time.perf_counter()
        action()
        found.append((time.perf_counter() - began) * 1000)
    found.sort()
    return {
        "min": found[0],
        "p50": statistics.median(found),
        "p95": found[int(len(found) * 0.95)],
    }


def plain() -> None:
    """What subprocess does."""
    subprocess.run(
        ["/bin/sh", "-c", "true"], capture_output=True, stdin=subprocess.DEVNULL, check=True
    )


def main(arguments: list[str]) -> int:
    """Print the table and keep it as JSON."""
    count = 40 if "--short" in arguments else 300
    rows: dict[str, dict[str, float]] = {"plain spawn": timed(plain, count)}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for mode, backend in (("dangerous", "auto"), ("safe", "landlock"), ("safe", "bubblewrap")):
            made = SandboxedCommands(Folder(folder), mode, backend=backend)  # type: ignore[arg-type]
            name = "supervised, not held" if mode == "dangerous" else backend
            command = Command("true", TOP)
            try:
                rows[name] = timed(
                    lambda made=made, command=command: made.finish(  # type: ignore[misc]
                        made.start(command), Patience(), 1 << 16
                    ),
                    count,
                )
            except SandboxUnavailable as missing:
                print(f"{name}: not available here ({missing.message})")
            finally:
                made.close()
    report(rows)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "exec.json").write_text(json.dumps({"count": count, "ms": rows}, indent=2) + "\n")
    return 0


def report(rows: dict[str, dict[str, float]]) -> None:
    """One line per way, with what it costs over the plain one."""
    base = rows["plain spawn"]
    load = os.getloadavg()[0]
    print(f"one command, milliseconds ({os.cpu_count()} processors, load {load:.1f})")
    print(f"{'':22}{'min':>8}{'p50':>8}{'p95':>8}{'over plain p50':>16}{'budget':>8}")
    for name, row in rows.items():
        over = row["p50"] - base["p50"]
        budget = BUDGET.get(name)
        print(
            f"{name:22}{row['min']:8.2f}{row['p50']:8.2f}{row['p95']:8.2f}{over:16.2f}"
            + (f"{budget:8.0f}" if budget else "")
        )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
