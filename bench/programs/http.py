"""HTTP: calls per second and memory per idle client, next to two bare SDK servers."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench.library.load import call_many, open_session
from bench.library.measure import Report, Row, spread
from bench.library.peers import CACHE, NODE, npm_package
from bench.trials.process import family_cpu_ms

HERE = Path(__file__).resolve().parents[1]
BARE = "bare python sdk"
TYPESCRIPT = "bare typescript sdk"
ROUNDS = 5
# Calls per second to those of servers that do nothing but the protocol: of one client, whose calls
# wait for each other, and of several.
LEAST_SPEED, LEAST_SPEED_OF_SEVERAL, MOST_IDLE_KB = 0.83, 1.0, 40
# Until the TypeScript server's code is compiled; the others are warm long before.
WARM_UP = 3000


class Round(NamedTuple):
    """One turn of one server."""

    per_second: float
    cpu_ms: float
    walls: list[float]


class HttpServer:
    """A server process on a port of its own."""

    def __init__(self, who: str, argv: list[str], port: int, tool: str) -> None:
        self.who, self.port, self.tool = who, port, tool
        self.process = subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=HERE.parent
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{who} did not start")

    def cpu_ms(self) -> float:
        """CPU used so far."""
        return family_cpu_ms(self.process.pid)

    def rss_kb(self) -> int:
        """Memory held now."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        return 0

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def servers(workspace: str) -> list[tuple[str, list[str], int, str]]:
    """Who takes part and how each is started."""
    ports = [free_port() for _ in range(3)]
    npm_package("@modelcontextprotocol/server")
    npm_package("@modelcontextprotocol/node")
    modules = str(CACHE / "peers" / "npm" / "node_modules")
    flags = ["--workspace", workspace, "--state-dir", f"{workspace}-state"]
    flags += ["--max-sessions", "5000", "--rate-limit", "0", "--no-record", "--tools", "all"]
    redline = [sys.executable, "-m", "redline", "serve", "--http", f"127.0.0.1:{ports[0]}", *flags]
    bare = [sys.executable, "-m", "bench.peer_servers.bare_sdk", str(ports[1])]
    script = str(HERE / "peer_servers" / "typescript.mjs")
    return [
        ("redline", redline, ports[0], "list_allowed_directories"),
        (BARE, bare, ports[1], "echo"),
        (TYPESCRIPT, [str(NODE), script, modules, str(ports[2])], ports[2], "echo"),
    ]


def measure_calls(running: list[HttpServer], report: Report, clients: int, calls: int) -> None:
    """Calls of each server in turn, round after round, so that a busy second is everybody's."""
    rounds: dict[str, list[Round]] = {server.who: [] for server in running}
    for turn in range(ROUNDS):
        for server in running[turn % len(running) :] + running[: turn % len(running)]:
            before = server.cpu_ms()
            seconds, walls = asyncio.run(call_many(server.port, clients, calls, server.tool))
            cpu = (server.cpu_ms() - before) / len(walls)
            rounds[server.who].append(Round(len(walls) / seconds, cpu, walls))
    for server in running:
        mine = rounds[server.who]
        walls = [wall for one in mine for wall in one.walls]
        cpu = median(one.cpu_ms for one in mine)
        row = Row(f"call, {clients} clients", server.who, cpu, *spread(walls))
        row.rss_mb = server.rss_kb() / 1024
        row.note = f"{median(one.per_second for one in mine):.0f} calls/s"
        report.add(row)
    for peer in (BARE, TYPESCRIPT):
        pairs = zip(rounds["redline"], rounds[peer], strict=True)
        ratio = median(ours.per_second / bare.per_second for ours, bare in pairs)
        report.facts[f"calls/s to the {peer}, {clients} clients"] = round(ratio, 2)


def measure_idle(server: HttpServer, report: Report, idle: int) -> None:
    """What a client that has shaken hands and says nothing costs."""

    async def hold() -> int:
        before = server.rss_kb()
        held = [await open_session(server.port) for _ in range(idle)]
        grown = server.rss_kb() - before
        for connection in held:
            connection.writer.close()
        return grown

    per_client = asyncio.run(hold()) / idle
    note = f"{per_client:.1f} KB per idle client"
    report.facts[f"idle KB: {server.who}"] = round(per_client, 1)
    report.add(Row(f"{idle} idle clients", server.who, 0, 0, 0, server.rss_kb() / 1024, note=note))


def judge(facts: dict[str, Any]) -> list[str]:
    """The goals that are missed."""
    missed = []
    for name, ratio in facts.items():
        least = LEAST_SPEED if name.endswith(" 1 clients") else LEAST_SPEED_OF_SEVERAL
        if name.startswith("calls/s to the") and ratio < least:
            missed.append(f"{name}: {ratio}, below {least}")
    if facts["idle KB: redline"] > MOST_IDLE_KB:
        missed.append(f"an idle client: {facts['idle KB: redline']} KB, over {MOST_IDLE_KB}")
    return missed


def main(arguments: list[str]) -> int:
    """Measure the servers round by round; exit 1 when a goal is missed."""
    short = "--short" in arguments
    calls, idle, warm_up = (192, 100, 96) if short else (960, 1000, WARM_UP)
    report = Report("http")
    running: list[HttpServer] = []
    with tempfile.TemporaryDirectory() as home:
        workspace = os.path.join(home, "ws")
        os.mkdir(workspace)
        try:
            running += [HttpServer(*started) for started in servers(workspace)]
            for server in running:  # what a server loads at its first calls is not counted
                asyncio.run(call_many(server.port, 1, warm_up, server.tool))
            for server in running:  # first: memory that calls gave back would be used again
                measure_idle(server, report, idle)
            for clients in (1, 8, 64):
                measure_calls(running, report, clients, calls)
        finally:
            for server in running:
                server.stop()
    report.ratios("redline")
    missed = report.facts["missed"] = judge(report.facts)
    report.finish(short=short)
    for goal in missed:
        print("missed:", goal)
    return 1 if missed and not short else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
