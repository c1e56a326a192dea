"""Many workspaces in one process: what an idle one, an open one and a first call cost.

    python -m bench.programs.workspaces [--short] [--record]

1,000 workspaces: at most 200 KB for each that is closed (never opened, or opened and closed
again), 10 MB for each that is open, also while it is in use, with the processes it started, and
150 ms of CPU for the first call to a closed one.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.library.measure import Report
from bench.programs.http import free_port

GOALS = {
    "never opened, KB each": 200.0,
    "opened and closed, KB each": 200.0,
    "open, MB each": 10.0,
    "open, in use with parser and commands, MB each": 10.0,
    "open, 30 s after its last call, MB each": 10.0,
    "first call to a closed one, ms of CPU": 150.0,
    "first call to a closed one, longest": 150.0,
}
FILES = 20
_TICK = os.sysconf("SC_CLK_TCK")
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


class Server:
    """A server of many workspaces, and what it and its children use."""

    def __init__(self, top: Path, folder: Path, *flags: str) -> None:
        self.port = free_port()
        env = {**os.environ, "XDG_STATE_HOME": str(top / "state"), "XDG_CONFIG_HOME": str(top)}
        argv = [sys.executable, "-m", "redline", "serve", "--workspaces", str(folder), "--port",
                str(self.port), "--rate-limit", "0", "--tools", "all", *flags]  # fmt: skip
        self.process = subprocess.Popen(
            argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if self.get("/readyz") == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def get(self, path: str) -> int:
        return self.read(path)[0]

    def read(self, path: str) -> tuple[int, str]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request("GET", path)
        answer = link.getresponse()
        found = answer.status, answer.read().decode()
        link.close()
        return found

    def call(self, name: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of one call in a workspace, on a connection of its own."""
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Content-Type": "application/json", "Accept": "application/json",
                   "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                   "Mcp-Name": tool}  # fmt: skip
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request("POST", f"/w/{name}/mcp", json.dumps(body), headers)
        found: dict[str, Any] = json.loads(link.getresponse().read())
        link.close()
        assert not found.get("result", {}).get("isError", True), found
        return found

    def memory_kb(self) -> float:
        """Memory of the server and of all it started; shared pages are divided."""
        return sum(_pss(pid) for pid in _tree(self.process.pid))

    def cpu_ms(self) -> float:
        """CPU of the server and of all it started, also of what has ended."""
        return sum(_cpu(pid) for pid in _tree(self.process.pid)) * 1000

    def wait_until_closed(self) -> None:
        """Until no workspace is open."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if "\nredline_open_workspaces 0\n" in self.read("/metrics")[1]:
                return
            time.sleep(0.2)
        raise RuntimeError("workspaces stay open")

    def wait_until_at_rest(self) -> None:
        """Until the server has no child but the templates of its workers and helpers."""
        end = time.monotonic() + 120
        while len(_tree(self.process.pid)) > 3:
            assert time.monotonic() < end, "processes stay"
            time.sleep(0.5)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def _tree(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [each for child in task.read_text().split() for each in _tree(int(child))]
        except OSError:
            continue
    return found


def _pss(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return float(line.split()[1])
    except OSError:
        pass
    return 0.0


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(each) for each in fields[11:15]) / _TICK


def make_workspaces(folder: Path, count: int) -> list[str]:
    """Directories with some files each."""
    names = [f"team-{number:04}" for number in range(count)]
    for name in names:
        for number in range(FILES):
            path = folder / name / f"part{number % 4}" / f"module{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"def f{number}():\n    return {number}\n")
        (folder / name / "settings.yaml").write_text("a: 1\nb:\n  - 2\n")
    return names


def visit(server: Server, name: str) -> None:
    """Look, edit, and look again."""
    path = "part1/module1.py"
    server.call(name, "list_files", {"path": "."})
    patch = (
        f"*** Begin Patch\n*** Update File: {path}\n@@\n-    return 1\n+    return 1  # seen\n"
        "*** End Patch"
    )
    server.call(name, "apply_patch", {"patch": patch})
    server.call(name, "search_text", {"query": "seen"})


def work(server: Server, name: str) -> None:
    """Start the processes that a workspace may have: for documents, code and commands."""
    server.call(name, "doc_set", {"file": "settings.yaml", "path": "a", "value": "2"})
    server.call(name, "ai_code_editing.get_code_context", {"file": "part1/module1.py"})
    server.call(name, "exec_command", {"cmd": "true", "yield_time_ms": 10000})


def measure(top: Path, count: int, opened: int, *flags: str) -> dict[str, float]:
    """The figures of one run."""
    folder = top / "workspaces"
    names = make_workspaces(folder, count)
    found: dict[str, float] = {}
    server = Server(top, folder, *flags, "--max-open", str(opened), "--workspace-idle", "1")
    try:
        empty = server.memory_kb()
        for _ in range(3):
            assert server.get("/workspaces") == 200
        found["never opened, KB each"] = max(0.0, server.memory_kb() - empty) / count
        visit(server, names[0])  # loads what every workspace needs
        server.wait_until_closed()
        base, spent, costs = server.memory_kb(), server.cpu_ms(), []
        for name in names[1:]:
            before = server.cpu_ms()
            server.call(name, "read_file", {"path": "part1/module1.py"})
            costs.append(server.cpu_ms() - before)
        found["first call to a closed one, ms of CPU"] = (server.cpu_ms() - spent) / len(costs)
        found["first call to a closed one, longest"] = max(costs)
        server.wait_until_closed()
        found["opened and closed, KB each"] = max(0.0, server.memory_kb() - base) / count
    finally:
        server.close()
    server = Server(top, folder, *flags, "--max-open", str(opened * 2))
    try:
        visit(server, names[1])
        work(server, names[1])
        server.wait_until_at_rest()
        base = server.memory_kb()

        def each() -> float:
            return (server.memory_kb() - base) / opened / 1024

        for name in names[2 : opened + 2]:
            visit(server, name)
        found["open, MB each"] = each()
        for name in names[2 : opened + 2]:
            work(server, name)
        found["open, in use with parser and commands, MB each"] = each()
        server.wait_until_at_rest()
        found["open, 30 s after its last call, MB each"] = each()
    finally:
        server.close()
    return found


def main(arguments: list[str]) -> int:
    """Measure and compare with the goals."""
    short = "--short" in arguments
    flags = [] if "--record" in arguments else ["--no-record"]
    count, opened = (60, 10) if short else (1000, 50)
    report = Report("workspaces", facts={"workspaces": count, "open": opened, "files": FILES})
    with tempfile.TemporaryDirectory() as top:
        found = measure(Path(top), count, opened, *flags)
    report.facts |= {task: round(value, 2) for task, value in found.items()}
    for task, value in found.items():
        print(f"{task:44}{value:10.2f}")
    if not short:
        print(f"saved to {report.save()}")
    over = [task for task, most in GOALS.items() if found[task] > most]
    print(f"over the goal: {', '.join(over) or 'none'}")
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
