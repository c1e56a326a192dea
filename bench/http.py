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

from bench.load import call_many, open_session
from bench.measure import Report, Row, cpu_of, spread
from bench.peers import CACHE, NODE, npm_package

HERE = Path(__file__).resolve().parent


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
        return cpu_of(self.process.pid)

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
    flags += ["--max-sessions", "5000", "--rate-limit", "0"]
    redline = [sys.executable, "-m", "redline", "serve", "--http", f"127.0.0.1:{ports[0]}", *flags]
    bare = [sys.executable, "-m", "bench.peer_servers.bare_sdk", str(ports[1])]
    script = str(HERE / "peer_servers" / "typescript.mjs")
    return [
        ("redline", redline, ports[0], "list_allowed_directories"),
        ("bare python sdk", bare, ports[1], "echo"),
        ("bare typescript sdk", [str(NODE), script, modules, str(ports[2])], ports[2], "echo"),
    ]


def measure(server: HttpServer, report: Report, calls: int, idle: int) -> None:
    """All figures of one server; what it loads at its first calls is not counted."""
    asyncio.run(call_many(server.port, 1, calls // 20, server.tool))
    for clients in (1, 8, 64):
        before = server.cpu_ms()
        seconds, walls = asyncio.run(call_many(server.port, clients, calls, server.tool))
        cpu = (server.cpu_ms() - before) / len(walls)
        row = Row(f"call, {clients} clients", server.who, cpu, *spread(walls))
        row.rss_mb = server.rss_kb() / 1024
        row.note = f"{len(walls) / seconds:.0f} calls/s"
        report.add(row)

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


def main(arguments: list[str]) -> int:
    """Measure every server one after the other."""
    short = "--short" in arguments
    calls, idle = (192, 100) if short else (1920, 1000)
    report = Report("http")
    with tempfile.TemporaryDirectory() as home:
        workspace = os.path.join(home, "ws")
        os.mkdir(workspace)
        for who, argv, port, tool in servers(workspace):
            server = HttpServer(who, argv, port, tool)
            try:
                measure(server, report, calls, idle)
            finally:
                server.stop()
    report.ratios("redline")
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
