"""`python -m tests.crashes.through_server --files N`: mutated sources of all grammars, served.

Batches of files are written into a workspace. Its server looks up a symbol of another file, which
makes it index them all, and is asked to edit each of them. It must answer every call and every
ping. After a while it is terminated in the middle of such work, must end in time, and another
server goes on; so does one when a server died or did not answer.

A ping of the server goes out together with one of an idle process that only echoes. A ping is late
when it takes over 100 ms longer than the echo and than server and client waited for a processor,
by the kernel's own count: that is the machine's doing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.crashes.targets import CodeFiles
from tests.processor import queued_seconds, seconds_to_end
from tests.wire.client import Client, connect

# As many as the server indexes before it answers; more are left to a process of its own.
BATCH = 140
_CONTEXT = "ai_code_editing.get_code_context"
_EDIT = "ai_code_editing.edit_file"
_WANTED = {"symbol": "wanted", "kind": "references"}
_PROMISED_PING = 0.1
_ANSWER = 120.0
# Files that one server sees before it is terminated, and problems after which no more is tried.
_LIFETIME = 20_000
_MAX_PROBLEMS = 20
# Edits under way at once: as many as the server has parsers at hand.
_AT_ONCE = 2
# Now and then a file is one mark over and over: what parsers break on most.
_BOMBS = 0.0005
_MARKS = [
    "(", "[", "{", "<", '"', "'", "`", '"${', "`${", '"#{', "/*", "{-", "--[[", "<!--", "- ", "? ",
    "a: ", "a(", "a<", "->", "=>", "$(", "${", "%w(", "<<A\n", "<<~A\n", "if ", "do ", "#if a\n",
    "template<", "lambda: ", "not ", "(*", "r#", "[[", "{{", "&a ", "|\n", "\n ", "\\", "\0", "@a(",
]  # fmt: skip
_SHOWN_EVERY = 30.0
_ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)"


@dataclass(slots=True)
class Report:
    """What was served and how long clients waited."""

    files: int = 0
    seconds: float = 0.0
    left_out: int = 0
    unchecked: int = 0
    pings: int = 0
    # Over 100 ms: pings by the clock, answers of the idle process, pings by the server's doing.
    slow_pings: int = 0
    slow_echoes: int = 0
    late_pings: int = 0
    slowest_ping: float = 0.0
    slowest_echo: float = 0.0
    latest_ping: float = 0.0
    slowest_answer: float = 0.0
    servers: int = 0
    deaths: int = 0
    # The longest time between SIGTERM and the end of a server, waits for a processor aside.
    end_seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def run(files: int, seed: str, batch: int = BATCH, seconds: float = float("inf")) -> Report:
    """Serve *files* mutated files, or those there is time for; *batch* of them at once."""
    report = Report()
    for _ in serve(report, files, seed, batch, seconds):
        pass
    return report


def serve(
    report: Report, files: int, seed: str, batch: int = BATCH, seconds: float = float("inf")
) -> Iterator[None]:
    """Do what `run` does, in steps of a batch."""
    started = time.monotonic()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="through-server-") as folder:
        while len(report.problems) < _MAX_PROBLEMS:
            with _server(Path(folder), report) as client:
                last = min(files, report.files + _LIFETIME)
                while report.files < last and report.seconds < seconds:
                    size = min(batch, last - report.files)
                    _serve_batch(client, Path(folder), rng, size, report)
                    report.seconds = time.monotonic() - started
                    yield
                _write_batch(Path(folder), rng, batch)
                client.start("tools/call", {"name": _CONTEXT, "arguments": _WANTED})
            if report.files >= files or report.seconds >= seconds:
                return


@contextlib.contextmanager
def _server(work: Path, report: Report) -> Iterator[Client]:
    """Start a server that is pinged, and terminate it; note it if it had ended by itself."""
    client = connect("stdio", ["--tools", "code"], cwd=work)
    report.servers += 1
    done = threading.Event()
    pinging = threading.Thread(target=_ping, args=(client, report, done))
    pinging.start()
    try:
        yield client
    except (AssertionError, OSError) as problem:
        report.problems.append(str(problem)[:2000])
    finally:
        done.set()
        pinging.join()
        report.deaths += client.process.poll() is not None
        report.end_seconds = max(report.end_seconds, seconds_to_end(client.process))
        client.close()


def _write_batch(work: Path, rng: random.Random, size: int) -> list[str]:
    shutil.rmtree(work / "src", ignore_errors=True)
    (work / "src").mkdir()
    (work / "src" / "good.py").write_text("def wanted():\n    return 1\n\n\nwanted()\n")
    return [_write(work / "src", number, rng) for number in range(size)]


def _serve_batch(client: Client, work: Path, rng: random.Random, size: int, report: Report) -> None:
    names = _write_batch(work, rng, size)
    _look_up(client, rng, report)
    running: deque[tuple[str, Any]] = deque()
    for name in names:
        where = {"target_file": f"src/{name}", "start_line": 1, "dry_run": True}
        edit = {**where, "edit_instruction": "insert", "edit_type": "insert", "code_block": "x(\n"}
        running.append((name, client.start("tools/call", {"name": _EDIT, "arguments": edit})))
        if len(running) == _AT_ONCE:
            _take_edit(client, *running.popleft(), report)
    while running:
        _take_edit(client, *running.popleft(), report)
    report.files += size


def _look_up(client: Client, rng: random.Random, report: Report) -> None:
    """Ask for another file's symbol until the server has indexed all files, or says which not."""
    arguments = {**_WANTED, "kind": rng.choice(["definition", "references"])}
    start = time.monotonic()
    state = "building"
    while state == "building":
        asked = time.monotonic()
        call = client.start("tools/call", {"name": _CONTEXT, "arguments": arguments})
        reply = client.finish(call, timeout=_ANSWER)
        report.slowest_answer = max(report.slowest_answer, time.monotonic() - asked)
        found = reply.get("result", {}).get("structuredContent", {})
        state = found.get("index", "ready")
        assert asked - start < _ANSWER, "the index was not built"
    _note_internal_error(reply, arguments, report)
    if "src/good.py" not in json.dumps(found):
        report.problems.append(f"the other symbol was not found: {str(reply)[:500]}")
    report.left_out += len(found.get("warnings", []))


def _write(folder: Path, number: int, rng: random.Random) -> str:
    name, _, content = _SOURCES.make(rng).partition(b"\n")
    if rng.random() < _BOMBS:
        content = rng.choice(_MARKS).encode() * rng.choice([100, 300, 600, 3000])
    shown = f"{number}-{name.decode()}"
    (folder / shown).write_bytes(content)
    return shown


def _take_edit(client: Client, name: str, started: Any, report: Report) -> None:
    reply = client.finish(started, timeout=_ANSWER)
    _note_internal_error(reply, name, report)
    report.unchecked += "not checked" in json.dumps(reply)


def _note_internal_error(reply: dict[str, Any], what: object, report: Report) -> None:
    if reply.get("error", {}).get("code") == -32603 or "Internal error" in json.dumps(reply):
        report.problems.append(f"{what}: {str(reply)[:500]}")


def _ping(client: Client, report: Report, done: threading.Event) -> None:
    command = [sys.executable, "-c", _ECHO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as echo:
        assert echo.stdin
        while not done.wait(0.05):
            try:
                _compare(client, echo, report)
            except (AssertionError, OSError) as problem:
                report.problems.append(f"ping: {str(problem)[:500]}")
                break
        echo.stdin.close()


def _compare(client: Client, echo: subprocess.Popen[bytes], report: Report) -> None:
    """Ping the server and the idle process at the same moment."""
    assert echo.stdin
    assert echo.stdout
    answered: list[float] = []
    source = echo.stdout

    def wait() -> None:
        source.readline()
        answered.append(time.monotonic())

    waiting = threading.Thread(target=wait)
    queued = queued_seconds(client.process.pid, os.getpid())
    start = time.monotonic()
    echo.stdin.write(b"ping\n")
    echo.stdin.flush()
    waiting.start()
    client.request("ping")
    took = time.monotonic() - start
    queued = queued_seconds(client.process.pid, os.getpid()) - queued
    waiting.join()
    echoed = answered[0] - start
    own = took - max(echoed, queued)
    report.pings += 1
    report.slow_pings += took > _PROMISED_PING
    report.slow_echoes += echoed > _PROMISED_PING
    report.late_pings += own > _PROMISED_PING
    report.slowest_ping = max(report.slowest_ping, took)
    report.slowest_echo = max(report.slowest_echo, echoed)
    report.latest_ping = max(report.latest_ping, own)


_SOURCES = CodeFiles()


def main() -> int:
    """Serve as many files as asked for; print a line now and then, and at the end what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.crashes.through_server")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", default="campaign")
    args = parser.parse_args()
    report, shown = Report(), 0.0
    for _ in serve(report, args.files, args.seed, seconds=args.seconds):
        if report.seconds > shown + _SHOWN_EVERY:
            shown = report.seconds
            print(json.dumps(asdict(report)), file=sys.stderr, flush=True)
    print(json.dumps(asdict(report), indent=1))
    return 1 if report.problems or report.late_pings or report.end_seconds > 5 else 0


if __name__ == "__main__":
    sys.exit(main())
