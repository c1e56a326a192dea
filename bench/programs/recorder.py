"""What recording costs on 20,000 files: first look, restart, doing nothing, a change, a hook.

python -m bench.programs.recorder [--short]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from bench.library.measure import REPO, Report, Row, spread
from redline.core.ports.history import Operation
from redline.recorder.wiring import hook_program
from redline.settings import Settings
from redline.wiring.workspace import Redline

_IDLE_SECONDS = 10.0
_CHANGES = 20
_MANY = 10_000


class _Watched:
    """A workspace being recorded, and what was reported of it."""

    def __init__(self, base: Path) -> None:
        self.root = base / "ws"
        self.count = 0
        self.learned = threading.Event()
        settings = Settings(workspace=str(self.root), state_dir=str(base / "state"))
        self.redline = Redline(settings)
        session = self.redline.recording.open(self._report)
        assert session is not None
        session.start()
        self.learned.wait()

    def _report(self, operations: Sequence[Operation]) -> None:
        self.count += len(operations)
        self.learned.set()


def _make(root: Path, files: int, *, git: bool) -> None:
    sources = [path.read_bytes() for path in sorted((REPO / "src").rglob("*.py"))]
    for number in range(files):
        path = root / f"d{number % 20}" / f"e{number % 400}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sources[number % len(sources)] + b"# %d\n" % number)
    who = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    quiet = ["-c", "gc.auto=0", "-c", "maintenance.auto=false"]
    for step in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]) if git else ():
        subprocess.run(["git", *quiet, *step], cwd=root, check=True)


def _timed(report: Report, task: str, base: Path) -> _Watched:
    before = time.process_time()
    watched = _Watched(base)
    spent = (time.process_time() - before) * 1000
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report.add(Row(task, "redline", spent, spent, spent, size))
    return watched


def measure(report: Report, files: int, *, git: bool) -> None:
    """The rows for one kind of workspace."""
    kind = f"{files} files in git" if git else f"{files} files"
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        _make(base / "ws", files, git=git)
        watched = _timed(report, f"first look, {kind}", base)
        before = time.process_time()
        time.sleep(_IDLE_SECONDS)
        share = (time.process_time() - before) / _IDLE_SECONDS
        idle = Row(f"doing nothing, {kind}", "redline", share * 1000, share * 1000, share * 1000)
        idle.note = f"{share:.2%} of a core"
        report.add(idle)
        _latency(report, watched, kind)
        watched.redline.close()
        _timed(report, f"restart, {kind}", base).redline.close()


def _latency(report: Report, watched: _Watched, kind: str) -> None:
    times = []
    before = time.process_time()
    for number in range(_CHANGES):
        seen, started = watched.count, time.perf_counter()
        (watched.root / "d1" / f"new{number}.txt").write_text("new\n")
        while watched.count == seen:
            time.sleep(0.002)
        times.append((time.perf_counter() - started) * 1000)
    cpu = (time.process_time() - before) * 1000 / _CHANGES
    report.add(Row(f"from a change to the history, {kind}", "redline", cpu, *spread(times)))


def measure_growth(report: Report, changes: int) -> None:
    """How memory grows over many changes, in bursts of 100, beside 2,000 files."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        _make(base / "ws", 2000, git=False)
        watched = _Watched(base)
        sizes: list[float] = []
        before = time.process_time()
        for burst in range(changes // 100):
            seen = watched.count
            for number in range(100):
                (base / "ws" / f"n{number}.txt").write_text(f"{burst} {number}\n" * 50)
            while watched.count == seen:
                time.sleep(0.01)
            if burst % (changes // 1000 or 1) == 0:
                sizes.append(_resident_mb())
        cpu = (time.process_time() - before) * 1000 / changes
        row = Row(f"one of {changes} changes", "redline", cpu, cpu, cpu, sizes[-1])
        row.note = f"resident {sizes[0]:.0f} MB at first, {max(sizes):.0f} MB at most"
        report.add(row)
        watched.redline.close()


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024 / 1024


def measure_hook(report: Report, rounds: int) -> None:
    """What a client waits for its hook, beside an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        _make(base / "ws", 5, git=False)
        watched = _Watched(base)
        event = {"session_id": "s", "cwd": str(base / "ws"), "hook_event_name": "PreToolUse"}
        event |= {"tool_name": "Bash", "tool_use_id": "1"}
        stdin = json.dumps({**event, "tool_input": {"command": "make"}}).encode()
        bare = [sys.executable, "-I", "-S", "-c", ""]
        hook = [*bare[:3], hook_program(), "claude-code", str(base / "state")]
        times: dict[str, list[float]] = {"interpreter": [], "redline": []}
        spent = dict.fromkeys(times, 0.0)
        for _ in range(rounds):
            for name, argv in (("interpreter", bare), ("redline", hook)):
                before, started = _children_ms(), time.perf_counter()
                subprocess.run(argv, input=stdin, check=True, capture_output=True)
                times[name].append((time.perf_counter() - started) * 1000)
                spent[name] += (_children_ms() - before) / rounds
        for name, found in times.items():
            report.add(Row("one hook of a client", name, spent[name], *spread(found)))
        watched.redline.close()


def _children_ms() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def main(arguments: list[str]) -> int:
    """With and without a repository."""
    short = "--short" in arguments
    report = Report("recorder")
    for git in (False, True):
        measure(report, 500 if short else 20_000, git=git)
    measure_growth(report, 1000 if short else _MANY)
    measure_hook(report, 20 if short else 100)
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
