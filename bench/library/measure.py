"""Drive MCP servers over stdio; measure CPU, wall time and memory; print ratios; keep results."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bench.library.peers import versions
from bench.trials.process import family_cpu_ms, family_of
from redline._version import __version__

REPO = Path(__file__).resolve().parents[2]
RESULTS = REPO / "bench" / "results"


@dataclass
class Row:
    """One measured thing: milliseconds of CPU and wall per call, megabytes at the peak."""

    task: str
    who: str
    cpu_ms: float
    p50_ms: float
    p95_ms: float
    rss_mb: float = 0.0
    ratio: float | None = None
    note: str = ""


@dataclass
class Report:
    """The rows of one program, written to bench/results/<name>.json."""

    name: str
    rows: list[Row] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, row: Row) -> Row:
        """Keep *row*."""
        self.rows.append(row)
        return row

    def ratios(self, base: str) -> None:
        """Fill in `ratio`: how many times the CPU of *base* each row used for the same task."""
        ours = {row.task: row for row in self.rows if row.who == base}
        for row in self.rows:
            mine = ours.get(row.task)
            if mine and mine.cpu_ms:
                row.ratio = round(row.cpu_ms / mine.cpu_ms, 2)

    def show(self) -> None:
        """Print the table."""
        head = ("cpu ms", "p50 ms", "p95 ms", "rss MB", "x")
        print(f"\n{self.name}\n{'task':34}{'who':26}" + "".join(f"{h:>10}" for h in head))
        for row in self.rows:
            ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
            print(
                f"{row.task[:33]:34}{row.who[:25]:26}{row.cpu_ms:>10.2f}{row.p50_ms:>10.2f}"
                f"{row.p95_ms:>10.2f}{row.rss_mb:>10.1f}{ratio:>10}  {row.note}"
            )

    def finish(self, *, short: bool = False) -> None:
        """Print the table, and keep it unless it is of a *short* run."""
        self.show()
        if short:
            print("a short run: bench/results is left as it is")
        else:
            print(f"saved to {self.save().relative_to(REPO)}")

    def save(self) -> Path:
        """Write the results with the machine they were measured on."""
        RESULTS.mkdir(parents=True, exist_ok=True)
        target = RESULTS / f"{self.name}.json"
        body = {
            "name": self.name,
            "machine": machine(),
            "versions": {"redline": __version__, **versions()},
            "facts": self.facts,
            "rows": [asdict(row) for row in self.rows],
        }
        target.write_text(json.dumps(body, indent=1) + "\n", "utf-8")
        return target


def machine() -> dict[str, Any]:
    """Where and when this is measured; the load tells how quiet it was there."""
    # `chrt -r 1` lets a program and its peers run before all others of a busy machine.
    real_time = os.sched_getscheduler(0) != os.SCHED_OTHER
    return {
        **({"scheduling": "real-time"} if real_time else {}),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "load": round(os.getloadavg()[0], 1),
    }


class StdioServer:
    """An MCP server process spoken to line by line."""

    def __init__(
        self, argv: Sequence[str], *, env: dict[str, str] | None = None, cwd: str | None = None
    ) -> None:
        self.process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )
        self._next = 0

    def __enter__(self) -> StdioServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}})
        assert self.process.stdout
        for line in self.process.stdout:
            if not line.strip():
                continue
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._next and "method" not in answer:
                return answer
        raise RuntimeError(f"server ended: {self.process.args!r}")

    def initialize(self, protocol: str = "2025-06-18") -> dict[str, Any]:
        """The handshake."""
        answer = self.request(
            "initialize",
            {
                "protocolVersion": protocol,
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """tools/call; a failure is the benchmark's own mistake, so it is raised."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{tool}: {json.dumps(answer)[:400]}")
        result: dict[str, Any] = answer["result"]
        return result

    def cpu_ms(self) -> float:
        """CPU the process and all that it started have used."""
        return family_cpu_ms(self.process.pid)

    def peak_mb(self) -> float:
        """The most memory the process has held."""
        return self._memory_mb("VmHWM")

    def growth_mb(self, work: Callable[[], object]) -> float:
        """How much more memory than before the process held at most during *work*."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")  # the peak starts anew
        before = self._memory_mb("VmRSS")
        work()
        return max(self.peak_mb() - before, 0.0)

    def _memory_mb(self, name: str) -> float:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) / 1024
        return 0.0

    def close(self) -> None:
        """End of input, then wait; kill what does not go."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class MemoryWatch:
    """Looks twice a second at the memory of this process and of all that it started."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._done = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(0.5):
            self.peak_mb = max(self.peak_mb, sum(map(_own_mb, family_of(os.getpid()))))


def _own_mb(pid: int) -> float:
    """Return what a process holds; of pages that several share, its part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended just now
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measure_work(task: str, who: str, work: Callable[[int], object], n: int) -> Row:
    """Run *work* *n* times in this process, after one warm-up."""
    work(-1)
    before, walls = time.process_time(), []
    for index in range(n):
        start = time.perf_counter()
        work(index)
        walls.append((time.perf_counter() - start) * 1000)
    return Row(task, who, (time.process_time() - before) * 1000 / n, *spread(walls))


def measure_calls(
    server: StdioServer, task: str, who: str, call: Callable[[int], object], n: int
) -> Row:
    """Run *call* *n* times after one warm-up; CPU is the server's own, averaged."""
    call(-1)
    before, walls = server.cpu_ms(), []
    for index in range(n):
        start = time.perf_counter()
        call(index)
        walls.append((time.perf_counter() - start) * 1000)
    return Row(task, who, (server.cpu_ms() - before) / n, *spread(walls), server.peak_mb())


def measure_command(
    task: str, who: str, argv: Sequence[str], n: int, cwd: str | None = None
) -> Row:
    """Run a plain command *n* times."""
    walls, cpu = [], 0.0
    for _ in range(n):
        before, start = os.times(), time.perf_counter()
        subprocess.run(list(argv), cwd=cwd, stdout=subprocess.DEVNULL, check=False)
        after = os.times()
        walls.append((time.perf_counter() - start) * 1000)
        cpu += after.children_user - before.children_user
        cpu += after.children_system - before.children_system
    return Row(task, who, cpu * 1000 / n, *spread(walls))


def redline_argv(*flags: str) -> list[str]:
    """How a bench starts Redline over stdio; what recording costs has a program of its own."""
    tools = () if "--tools" in flags else ("--tools", "all")
    return [sys.executable, "-m", "redline", "serve", "--stdio", "--no-record", *tools, *flags]


def spread(walls: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    ordered = sorted(walls)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
