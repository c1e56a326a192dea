"""The coding toolset beside plain ripgrep and coding-tools-mcp, on one tree of 20,000 files.

    python -m bench.coding [--short]

Servers are driven over stdio. CPU is what the server and its ended children used per call, the
command's own for ripgrep.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.measure import (
    Report,
    StdioServer,
    measure_calls,
    measure_command,
    redline_argv,
)
from bench.peers import python_program
from redline.adapters.ripgrep import find_ripgrep

US, PEER, RG = "redline", "coding-tools-mcp", "rg"
QUIET = {"CODING_TOOLS_MCP_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
WORDS = [
    *("alpha", "beta", "gamma", "delta", "config", "value", "return", "import", "handler"),
    *("request", "result", "index", "buffer", "stream", "token", "parse", "render", "queue"),
]


def build_tree(base: Path, files: int) -> None:
    """Source-like files of one to four kilobytes, 100 to a directory, with ignore rules."""
    chance = random.Random(7)
    (base / ".gitignore").write_text("*.log\n__pycache__/\n/out/\n*.py[cod]\n.env\n")
    for number in range(files):
        folder = base / f"pkg{number // 1000:02}" / f"mod{number // 100 % 10}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        lines = [
            "    " * chance.randrange(3) + " ".join(chance.choices(WORDS, k=chance.randrange(2, 9)))
            for _ in range(chance.randrange(20, 80))
        ]
        if number % 400 == 0:
            lines[len(lines) // 2] = f"needle_{number} = 1"
        (folder / f"file{number:05}.{'py' if number % 3 else 'txt'}").write_text(
            "\n".join(lines) + "\n"
        )


def patch_of(number: int) -> str:
    """A patch that changes one line back and forth."""
    old, new = ("one", "two") if number % 2 else ("two", "one")
    return (
        "*** Begin Patch\n*** Update File: target.txt\n@@\n before\n"
        f"-value = {old}\n+value = {new}\n after\n*** End Patch"
    )


def measure(report: Report, base: Path, rounds: int) -> None:
    """Each task by each program, one after the other."""
    ours = redline_argv("--tools", "coding", "--workspace", str(base))
    peer = [str(python_program(PEER, PEER)), "--stdio", "--workspace", str(base)]
    (base / "target.txt").write_text("before\nvalue = one\nafter\n")
    for who, argv in ((US, ours), (PEER, peer)):
        with StdioServer(argv, env=QUIET, cwd=str(base)) as server:
            server.initialize()
            _tasks(report, server, who, rounds)
    for task, flags in (
        ("search_text: rare word", ["-n", "-F", "-i", "needle_"]),
        ("search_text: common word", ["-n", "-F", "-i", "handler"]),
        ("search_text: regex", ["-n", "-i", r"config\s+value\s+\w+$"]),
    ):
        command = [find_ripgrep(), "--no-config", "--color=never", *flags, "."]
        report.add(measure_command(task, RG, command, rounds * 2, cwd=str(base)))


def _tasks(report: Report, server: StdioServer, who: str, rounds: int) -> None:
    searches: dict[str, dict[str, Any]] = {
        "search_text: rare word": {"query": "needle_"},
        "search_text: common word": {"query": "handler"},
        "search_text: regex": {"query": r"config\s+value\s+\w+$", "regex": True},
    }
    for task, arguments in searches.items():
        call = _caller(server, "search_text", arguments)
        report.add(measure_calls(server, task, who, call, rounds * 2))
    lists: dict[str, dict[str, Any]] = {
        "list_files: all": {"max_results": 50000},
        "list_files: first 5000": {},
        "list_files: **/*.py": {"patterns": ["**/*.py"], "max_results": 50000},
    }
    for task, arguments in lists.items():
        call = _caller(server, "list_files", arguments)
        report.add(measure_calls(server, task, who, call, rounds))
    report.add(
        measure_calls(
            server,
            "apply_patch: one line",
            who,
            lambda number: server.call("apply_patch", {"patch": patch_of(number)}),
            # Odd, after one warm-up: the file ends as it began.
            rounds * 20 + 1,
        )
    )


def _caller(server: StdioServer, tool: str, arguments: dict[str, Any]) -> Any:
    return lambda _number: server.call(tool, arguments)


def judge(report: Report) -> list[str]:
    """The goals that are missed."""
    rows = {(row.task, row.who): row for row in report.rows}
    missed = []
    for task in {row.task for row in report.rows}:
        mine = rows[task, US]
        if (task, RG) in rows and mine.p50_ms > 1.3 * rows[task, RG].p50_ms:
            missed.append(f"{task}: over 1.3 times ripgrep")
        if task.startswith("list_files") and rows[task, PEER].cpu_ms < 10 * mine.cpu_ms:
            missed.append(f"{task}: not ten times cheaper than {PEER}")
        if task.startswith("apply_patch") and rows[task, PEER].cpu_ms < mine.cpu_ms:
            missed.append(f"{task}: dearer than {PEER}")
    return sorted(missed)


def main(arguments: list[str]) -> int:
    """Measure, show, save; exit 1 when a goal is missed."""
    short = "--short" in arguments
    files, rounds = (2_000, 2) if short else (20_000, 5)
    report = Report("coding", facts={"files": files})
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as directory:
        base = Path(directory) / "tree"
        base.mkdir()
        build_tree(base, files)
        measure(report, base, rounds)
    report.ratios(US)
    report.show()
    missed = judge(report)
    report.facts["missed"] = missed
    if not short:
        report.save()
    for goal in missed:
        print("missed:", goal)
    return 1 if missed and not short else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
