"""Three servers on one workspace, one Redis, a plain TCP balancer; one server is killed midway.

Every client works through the balancer without sessions (2026-07-28): it edits one shared file and
previews on whichever server it meets, then applies on another. Nothing acknowledged may be lost.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.library.balancer import Balancer
from bench.library.measure import Report, Row, spread
from bench.programs.http import HttpServer, free_port

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "scale", "version": "1"},
}


class Client(threading.Thread):
    """Edits and previews its share; after a cut connection it looks, it does not assume."""

    def __init__(self, number: int, port: int, workspace: Path, rounds: int) -> None:
        super().__init__()
        self.number, self.port, self.rounds = number, port, rounds
        self.file = str(workspace / "shared.txt")
        self.acknowledged: list[str] = []
        self.applied = 0
        self.lost = 0
        self.refused = 0
        self.walls: list[float] = []

    def run(self) -> None:
        for round_number in range(self.rounds):
            self._edit(f"c{self.number}-{round_number}")
            self._preview_and_apply(round_number)

    def _edit(self, token: str) -> None:
        edit = {"oldText": "END\n", "newText": f"{token}\nEND\n"}
        while True:
            answer = self._call("edit_file", {"path": self.file, "edits": [edit]})
            if answer is None:
                if token in Path(self.file).read_text().split():
                    break
            elif not answer.get("isError"):
                break
            else:
                self.refused += 1
        self.acknowledged.append(token)

    def _preview_and_apply(self, value: int) -> None:
        document = {"name": "a", "count": -1}
        arguments = {"document": document, "instruction": f"set count to {value}"}
        while (shown := self._call("json_editor_preview", arguments)) is None:
            pass
        session = shown["structuredContent"]["session_id"]
        while (done := self._call("json_editor_apply", {"session_id": session})) is None:
            pass
        if done["structuredContent"]["modified_document"] == {"name": "a", "count": value}:
            self.applied += 1

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        params = {"name": tool, "arguments": arguments, "_meta": META}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        start = time.perf_counter()
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request("POST", "/mcp", json.dumps(body), headers)
            text = link.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            self.lost += 1
            time.sleep(0.02)
            return None
        finally:
            link.close()
        self.walls.append((time.perf_counter() - start) * 1000)
        line = next((li[6:] for li in text.splitlines() if li.startswith("data: {")), text)
        result: dict[str, Any] = json.loads(line)["result"]
        return result


def start_redis(home: str) -> tuple[subprocess.Popen[bytes], str]:
    """A Redis of our own."""
    port = free_port()
    flags = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", home]
    process = subprocess.Popen(["redis-server", *flags], stdout=subprocess.DEVNULL)
    return process, f"redis://127.0.0.1:{port}/0"


def main(arguments: list[str]) -> int:
    """Run it, say what happened; 1 when anything was lost."""
    if shutil.which("redis-server") is None:
        print("scale: redis-server is not installed (make system); nothing was measured")
        return 0
    clients, rounds = (4, 5) if "--short" in arguments else (8, 40)
    with tempfile.TemporaryDirectory() as home:
        workspace = Path(home) / "ws"
        workspace.mkdir()
        (workspace / "shared.txt").write_text("END\n")
        redis, url = start_redis(home)
        try:
            report, lost = simulate(workspace, url, clients, rounds)
        finally:
            redis.terminate()
            redis.wait()
    print(json.dumps(report.facts, indent=1))
    report.finish(short="--short" in arguments)
    return 1 if lost else 0


def simulate(workspace: Path, redis: str, clients: int, rounds: int) -> tuple[Report, int]:
    """The whole run; how much was lost."""
    flags = ["--workspace", str(workspace), "--state-dir", f"{workspace}-state"]
    flags += [
        "--no-record",
        "--sessions",
        redis,
        "--rate-limit",
        "0",
        "--tools",
        "files,json,history",
    ]
    ports = [free_port() for _ in range(3)]
    balancer = Balancer(ports)
    flags += ["--allowed-hosts", f"127.0.0.1:{balancer.port}"]
    argv = [sys.executable, "-m", "redline", "serve"]
    servers = [
        HttpServer(f"server {n}", [*argv, "--http", f"127.0.0.1:{port}", *flags], port, "")
        for n, port in enumerate(ports)
    ]
    workers = [Client(n, balancer.port, workspace, rounds) for n in range(clients)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    time.sleep(0.5 if rounds < 10 else 2.0)
    os.kill(servers[0].process.pid, signal.SIGKILL)
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - start
    for server in servers:
        server.stop()
    balancer.stop()
    return _judge(workspace, workers, seconds)


def _judge(workspace: Path, workers: list[Client], seconds: float) -> tuple[Report, int]:
    there = (workspace / "shared.txt").read_text().split()
    wanted = [token for worker in workers for token in worker.acknowledged]
    missing = [token for token in wanted if there.count(token) != 1]
    unapplied = sum(worker.rounds - worker.applied for worker in workers)
    litter = [p.name for p in workspace.iterdir() if p.name != "shared.txt"]
    walls = [wall for worker in workers for wall in worker.walls]
    report = Report("scale")
    row = Row("edit, preview, apply", "3 servers, 1 killed", 0.0, *spread(walls))
    row.note = f"{len(walls) / seconds:.0f} calls/s"
    report.add(row)
    report.facts = {
        "clients": len(workers),
        "edits acknowledged": len(wanted),
        "edits missing or doubled": len(missing),
        "previews applied on any server": sum(worker.applied for worker in workers),
        "previews lost": unapplied,
        "connections cut by the kill": sum(worker.lost for worker in workers),
        "edits refused and repeated": sum(worker.refused for worker in workers),
        "litter left in the workspace": len(litter),
    }
    return report, len(missing) + unapplied + len(litter)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
