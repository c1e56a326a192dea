"""What it costs to start, to answer the first tools/list, and to make one trivial call.

Peers in the same run: the official filesystem and git servers, DesktopCommander and
coding-tools-mcp. CPU comes from the kernel's account
of each process, so a busy machine does not change it much.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.library.measure import (
    REPO,
    Report,
    Row,
    StdioServer,
    measure_calls,
    redline_argv,
    spread,
)
from bench.library.peers import desktop_commander, filesystem_server, git_server, python_program
from bench.trials.process import family_cpu_ms

LIMITS = {"cpu_ms": 100.0, "rss_mb": 30.0, "call_ms": 0.2}
_LIST = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}})
_HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    }
)
_READY = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})


def first_list(argv: Sequence[str], env: dict[str, str]) -> tuple[float, float, float, int]:
    """CPU ms and wall ms from spawn to the answer, peak MB, and how many tools it has."""
    start = time.perf_counter()
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **env},
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n".join([_HELLO, _READY, _LIST, ""]).encode())
    process.stdin.flush()
    tools = 0
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            tools = len(answer["result"]["tools"])
            break
    wall = (time.perf_counter() - start) * 1000
    cpu = family_cpu_ms(process.pid)  # at the answer: shutting down is not part of the first list
    status = Path(f"/proc/{process.pid}/status").read_text()
    peak = next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))
    process.stdin.close()
    process.kill()
    process.wait()
    process.stdout.close()
    return cpu, wall, peak / 1024, tools


def bare_row(n: int) -> Row:
    """What the interpreter alone costs, until it has written a line."""
    cpus, walls = [], []
    for _ in range(n):
        start = time.perf_counter()
        argv = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout
        process.stdout.readline()
        walls.append((time.perf_counter() - start) * 1000)
        cpus.append(family_cpu_ms(process.pid))
        process.communicate()
    return Row("spawn to first line", "a bare interpreter", sorted(cpus)[n // 2], *spread(walls))


def start_row(who: str, argv: Sequence[str], env: dict[str, str], n: int) -> Row:
    """The medians of *n* starts."""
    runs = [first_list(argv, env) for _ in range(n)]
    cpu = sorted(run[0] for run in runs)[n // 2]
    peak = max(run[2] for run in runs)
    p50, p95 = spread([run[1] for run in runs])
    return Row("spawn to first tools/list", who, cpu, p50, p95, peak, note=f"{runs[0][3]} tools")


def call_row(who: str, argv: Sequence[str], env: dict[str, str], tool: str, n: int) -> Row:
    """The cost of *n* calls of a tool that does next to nothing."""
    task = "a call that does nothing"
    with StdioServer(argv, env=env) as server:
        server.initialize()
        arguments = {"text": "hello"} if tool == "echo" else {}
        return measure_calls(server, task, who, lambda _: server.call(tool, arguments), n)


def others(
    folder: str, desktop: list[str], quiet: dict[str, str]
) -> list[tuple[str, list[str], dict[str, str]]]:
    """The peers that are only started."""
    coding = str(python_program("coding-tools-mcp", "coding-tools-mcp"))
    telemetry = {"CODING_TOOLS_MCP_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
    subprocess.run(["git", "init", "-q", folder], check=True)
    return [
        ("coding-tools-mcp", [coding, "--stdio", "--workspace", folder], telemetry),
        ("mcp-server-git", git_server(folder), telemetry),
        ("desktop-commander", desktop, quiet),
    ]


def main() -> int:
    """Print the table; exit 1 when a limit of ours is not kept."""
    short = "--short" in sys.argv
    starts, calls = (5, 500) if short else (15, 5000)
    report = Report("cold_start", facts={"limits": LIMITS, "starts": starts, "calls": calls})
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        (Path(folder) / "a.txt").write_text("hello\n")
        env = {"REDLINE_STATE_DIR": state}  # outside the workspace, as it must be
        ours = redline_argv("--workspace", folder)
        fixtures = {**env, "REDLINE_TEST_TOOLSET": "tests.wire.fixtures", "PYTHONPATH": str(REPO)}
        peer = filesystem_server(folder)
        desktop, quiet = desktop_commander(Path(folder) / "home")
        first_list(ours, env)  # compiles the modules once
        first = report.add(start_row("redline, all toolsets", ours, env, starts))
        alone = report.add(bare_row(starts))
        report.facts["times a bare interpreter"] = round(first.cpu_ms / alone.cpu_ms, 2)
        report.add(start_row("server-filesystem (npm)", peer, {}, starts))
        for who, argv, settings in others(folder, desktop, quiet):
            report.add(start_row(who, argv, settings, max(starts // 3, 1)))
        bare = redline_argv("--workspace", folder, "--tools", "fixtures")
        call = report.add(call_row("redline, all toolsets", bare, fixtures, "echo", calls))
        name = "list_allowed_directories"
        report.add(call_row("server-filesystem (npm)", peer, {}, name, calls))
        slow = max(calls // 10, 1)
        report.add(call_row("desktop-commander", desktop, quiet, "list_sessions", slow))
    report.ratios("redline, all toolsets")
    report.finish(short=short)
    kept = (
        first.cpu_ms < LIMITS["cpu_ms"]
        and first.rss_mb < LIMITS["rss_mb"]
        and call.cpu_ms < LIMITS["call_ms"]
    )
    print(f"limits {LIMITS}: {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
