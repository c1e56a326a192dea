"""An MCP server that is tried: its process, its directory, and what its edits are made of."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from redline._version import __version__
from redline.core.errors import RedlineError, TimeLimit

Json = dict[str, Any]
_PROTOCOL = "2025-06-18"
_SUFFIXES = (".py", ".js", ".css", ".md")
_END_SECONDS = 5.0
# A clock of the kernel: what the scheduler gave to a process.
_SCHEDULER_TIME = 2
# In a command: the directory that the server is to serve.
DIRECTORY = "{dir}"


class ServerEnded(RedlineError):
    """The server that is tried did not start, or ended."""


@contextmanager
def make_directory() -> Iterator[Path]:
    """A directory for one trial, removed afterwards."""
    top = Path(tempfile.mkdtemp(prefix="redline-trial-")).resolve()
    try:
        (top / "files").mkdir()
        yield top
    finally:
        shutil.rmtree(top, ignore_errors=True)


def read_sources() -> Iterator[tuple[str, bytes]]:
    """The text files of Redline by name: the same for everybody who has this version."""
    top = Path(__file__).resolve().parents[2] / "src" / "redline"
    for path in sorted(top.rglob("*")):
        if path.suffix in _SUFFIXES and "__pycache__" not in path.parts:
            yield path.name, path.read_bytes()


class CaseFile:
    """The file of one case, in a folder of its own."""

    def __init__(self, top: Path, number: int, name: str, content: bytes) -> None:
        self.path = top / "files" / f"case{number}" / name
        self.path.parent.mkdir(parents=True)
        self.path.write_bytes(content)

    def read(self) -> bytes:
        """What it holds now; nothing where the server removed it."""
        return self.path.read_bytes() if self.path.is_file() else b""

    def remove(self) -> None:
        """Remove it and what the server left beside it."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


class TriedServer:
    """A server spoken to over stdio, one call at a time."""

    def __init__(self, command: Sequence[str], top: Path, seconds: float) -> None:
        files = top / "files"
        argv = [part.replace(DIRECTORY, str(files)) for part in command]
        if os.path.dirname(argv[0]):
            argv[0] = os.path.abspath(argv[0])  # it is started in another directory
        self._seconds = seconds
        self._count = 0
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        # State of its own, so that a trial leaves nothing behind.
        environment = {**os.environ, "XDG_STATE_HOME": str(top / "state")}
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=files,
                env=environment,
            )
        except OSError as error:
            raise ServerEnded(
                f"The server cannot be started: {argv[0]}: {error.strerror}"
            ) from None
        threading.Thread(target=self._read, name="tried-server", daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def initialize(self) -> Json:
        """The handshake."""
        client = {"name": "redline try_server", "version": __version__}
        params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        answer = self.request("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def list_tools(self) -> list[Json]:
        """Every tool, page by page."""
        tools: list[Json] = []
        cursor: str | None = None
        while True:
            answer = self.request("tools/list", {"cursor": cursor} if cursor else {})
            tools += answer.get("result", {}).get("tools", [])
            cursor = answer.get("result", {}).get("nextCursor")
            if not cursor:
                return tools

    def call(self, tool: str, arguments: Json) -> bool:
        """Whether the server says that a call succeeded."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return "error" not in answer and not answer.get("result", {}).get("isError")

    def request(self, method: str, params: Json) -> Json:
        """Send a request and wait for its answer; ServerEnded, TimeLimit."""
        self._count += 1
        number = self._count
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self._receive(method)
            if message.get("id") == number and "method" not in message:
                return message
            if "id" in message and "method" in message:
                self._refuse(message)

    def _receive(self, method: str) -> Json:
        while True:
            try:
                line = self._lines.get(timeout=self._seconds)
            except queue.Empty:
                raise TimeLimit(
                    f"The server gave no answer in {self._seconds:g} s: {method}"
                ) from None
            if line is None:
                raise ServerEnded(f"The server ended before it answered: {method}")
            try:
                found = json.loads(line)
            except ValueError:
                continue  # something that was printed by mistake
            if isinstance(found, dict):
                return found

    def _refuse(self, message: Json) -> None:
        """Answer a question of the server: this client can do nothing for it."""
        error = {"code": -32601, "message": "Method not found"}
        self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        try:
            # Lone surrogates in file names or texts travel escaped.
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ServerEnded("The server ended and takes no more calls") from None

    def cpu_ms(self) -> float | None:
        """Processor time of the server and its children so far; None where that is unknown."""
        try:
            return family_cpu_ms(self._process.pid)
        except OSError:
            return None

    def peak_mb(self) -> float | None:
        """The most memory that the server itself has held; None where that is unknown."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return None
        found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
        return int(found[0]) / 1024 if found else None

    def close(self) -> None:
        """Close its input, wait, and end it if it does not end by itself."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # it has ended
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def family_cpu_ms(pid: int) -> float:
    """Return the milliseconds of processor time of a process and all that it started."""
    spent = 0.0
    for one in family_of(pid):
        try:
            spent += _cpu_of(one)
        except OSError:
            if one == pid:
                raise
            continue  # it ended just now, and is its parent's from here on
    return spent


def family_of(pid: int) -> Iterator[int]:
    """A process and all that it started and that still run."""
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            try:
                yield from family_of(int(child))
            except OSError:
                continue  # it ended just now


def _cpu_of(pid: int) -> float:
    """Milliseconds of a process and its ended children; its own are exact, ended threads too."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = sum(int(fields[number]) for number in (13, 14)) * 1000 / os.sysconf("SC_CLK_TCK")
    clock = ~pid << 3 | _SCHEDULER_TIME  # as clock_getcpuclockid(3) makes it
    return time.clock_gettime(clock) * 1000 + ended
