"""`python -m tests.crashes.through_server --files N`: mutated sources of all grammars, served.

Every file lies in a workspace whose server looks up a symbol of another file and is asked to edit
each of them. It must answer every call and every ping, and end in time.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.crashes.targets import CodeFiles
from tests.wire.client import Client, connect

BATCH = 100
_CONTEXT = "ai_code_editing.get_code_context"
_EDIT = "ai_code_editing.edit_file"
_PROMISED_PING = 0.1
_ANSWER = 120.0
# Now and then a file is one mark over and over: what parsers break on most.
_BOMBS = 0.002
_MARKS = [
    "(", "[", "{", "<", '"', "'", "`", '"${', "`${", '"#{', "/*", "{-", "--[[", "<!--", "- ", "? ",
    "a: ", "a(", "a<", "->", "=>", "$(", "${", "%w(", "<<A\n", "<<~A\n", "if ", "do ", "#if a\n",
    "template<", "lambda: ", "not ", "(*", "r#", "[[", "{{", "&a ", "|\n", "\n ", "\\", "\0", "@a(",
]  # fmt: skip


@dataclass(slots=True)
class Report:
    """What was served and how long clients waited."""

    files: int = 0
    left_out: int = 0
    unchecked: int = 0
    pings: int = 0
    late_pings: int = 0
    slowest_ping: float = 0.0
    slowest_answer: float = 0.0
    end_seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def run(files: int, seed: str, batch: int = BATCH, seconds: float = float("inf")) -> Report:
    """Serve *files* mutated files, or those there is time for; *batch* of them at once."""
    ends = time.monotonic() + seconds
    rng = random.Random(seed)
    report = Report()
    folder = Path(tempfile.mkdtemp(prefix="through-server-"))
    work = folder / "work"
    work.mkdir()
    client = connect("stdio", ["--tools", "code"], cwd=work)
    done = threading.Event()
    pinging = threading.Thread(target=_ping, args=(client, report, done))
    pinging.start()
    try:
        while report.files < files and not report.problems and time.monotonic() < ends:
            _serve_batch(client, work, rng, min(batch, files - report.files), report)
    except AssertionError as problem:
        report.problems.append(str(problem)[:2000])
    finally:
        done.set()
        pinging.join()
        report.end_seconds = _end(client)
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _serve_batch(client: Client, work: Path, rng: random.Random, size: int, report: Report) -> None:
    shutil.rmtree(work / "src", ignore_errors=True)
    (work / "src").mkdir()
    (work / "src" / "good.py").write_text("def wanted():\n    return 1\n\n\nwanted()\n")
    names = [_write(work / "src", number, rng) for number in range(size)]
    kind = rng.choice(["definition", "references"])
    found = _call(client, _CONTEXT, {"symbol": "wanted", "kind": kind}, report)
    if "src/good.py" not in json.dumps(found):
        report.problems.append(f"the other symbol was not found: {str(found)[:500]}")
    report.left_out += len(found.get("structuredContent", {}).get("warnings", []))
    for name in names:
        where = {"target_file": f"src/{name}", "start_line": 1, "dry_run": True}
        edit = {**where, "edit_instruction": "insert", "edit_type": "insert", "code_block": "x(\n"}
        report.unchecked += "not checked" in json.dumps(_call(client, _EDIT, edit, report))
    report.files += size


def _write(folder: Path, number: int, rng: random.Random) -> str:
    name, _, content = _SOURCES.make(rng).partition(b"\n")
    if rng.random() < _BOMBS:
        content = rng.choice(_MARKS).encode() * rng.choice([100, 300, 600, 3000])
    shown = f"{number}-{name.decode()}"
    (folder / shown).write_bytes(content)
    return shown


def _call(client: Client, tool: str, arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    start = time.monotonic()
    started = client.start("tools/call", {"name": tool, "arguments": arguments})
    reply = client.finish(started, timeout=_ANSWER)
    report.slowest_answer = max(report.slowest_answer, time.monotonic() - start)
    if reply.get("error", {}).get("code") == -32603 or "Internal error" in json.dumps(reply):
        report.problems.append(f"{arguments}: {str(reply)[:500]}")
    result: dict[str, Any] = reply.get("result", {})
    return result


def _ping(client: Client, report: Report, done: threading.Event) -> None:
    while not done.wait(0.05):
        start = time.monotonic()
        try:
            client.request("ping")
        except AssertionError as problem:
            report.problems.append(f"ping: {str(problem)[:500]}")
            return
        took = time.monotonic() - start
        report.pings += 1
        report.late_pings += took > _PROMISED_PING
        report.slowest_ping = max(report.slowest_ping, took)


def _end(client: Client) -> float:
    client.process.send_signal(signal.SIGTERM)
    start = time.monotonic()
    client.process.wait(30)
    took = time.monotonic() - start
    client.close()
    return took


_SOURCES = CodeFiles()


def main() -> int:
    """Serve as many files as asked for and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.crashes.through_server")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", default="campaign")
    args = parser.parse_args()
    report = run(args.files, args.seed, seconds=args.seconds)
    print(json.dumps(asdict(report), indent=1))
    return 1 if report.problems or report.end_seconds > 5 else 0


if __name__ == "__main__":
    sys.exit(main())
