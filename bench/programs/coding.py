"""The coding toolset beside plain ripgrep, coding-tools-mcp and mcp-server-git, on the same files.

    python -m bench.programs.coding [--short]

Servers are driven over stdio. CPU is what the server and its ended children used per call, the
command's own for ripgrep.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.library.measure import (
    Report,
    Row,
    StdioServer,
    measure_command,
    redline_argv,
    spread,
)
from bench.library.peers import git_server, python_program
from redline.adapters.ripgrep.process import find_ripgrep

US, PEER, RG, GIT = "redline", "coding-tools-mcp", "rg", "mcp-server-git"
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


def patch_of(name: str, number: int) -> str:
    """A patch that changes one line back and forth."""
    old, new = ("one", "two") if number % 2 else ("two", "one")
    return (
        f"*** Begin Patch\n*** Update File: {name}\n@@\n before\n"
        f"-value = {old}\n+value = {new}\n after\n*** End Patch"
    )


SEARCHES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "search_text: rare word": ({"query": "needle_"}, ["-F", "needle_"]),
    "search_text: common word": ({"query": "handler"}, ["-F", "handler"]),
    "search_text: regex": (
        {"query": r"config\s+value\s+\w+$", "regex": True},
        [r"config\s+value\s+\w+$"],
    ),
}
LISTS: dict[str, dict[str, Any]] = {
    "list_files: all": {"max_results": 50000},
    "list_files: first 5000": {},
    "list_files: **/*.py": {"patterns": ["**/*.py"], "max_results": 50000},
}


def measure(report: Report, base: Path, rounds: int) -> None:
    """Each task by each program, in turns, so that a busy moment meets all of them."""
    ours = redline_argv("--tools", "coding", "--workspace", str(base))
    peer = [str(python_program(PEER, PEER)), "--stdio", "--workspace", str(base)]
    with (
        StdioServer(ours, env=QUIET, cwd=str(base)) as redline,
        StdioServer(peer, env=QUIET, cwd=str(base)) as other,
    ):
        servers = {US: redline, PEER: other}
        for server in servers.values():
            server.initialize()
        for task, (arguments, flags) in SEARCHES.items():
            command = [find_ripgrep(), "--no-config", "--color=never", "-n", "-i", *flags, "."]
            rows = _first_rows(servers, task, "search_text", arguments)
            rows[RG] = [measure_command(task, RG, command, 1, cwd=str(base))]
            for _ in range(rounds * 2 - 1):
                for who, server in servers.items():
                    rows[who].append(_once(server, task, who, "search_text", arguments))
                rows[RG].append(measure_command(task, RG, command, 1, cwd=str(base)))
            _add_medians(report, rows)
        for task, arguments in LISTS.items():
            rows = _first_rows(servers, task, "list_files", arguments)
            for _ in range(rounds - 1):
                for who, server in servers.items():
                    rows[who].append(_once(server, task, who, "list_files", arguments))
            _add_medians(report, rows)
        _patches(report, servers, base, rounds * 20)


def _patches(report: Report, servers: dict[str, StdioServer], base: Path, rounds: int) -> None:
    """One changed line per call, each server in a file of its own."""
    task = "apply_patch: one line"
    rows: dict[str, list[Row]] = {who: [] for who in servers}
    for who in servers:
        (base / f"{who}.txt").write_text("before\nvalue = two\nafter\n")
    for number in range(rounds):
        for who, server in servers.items():
            arguments = {"patch": patch_of(f"{who}.txt", number)}
            rows[who].append(_once(server, task, who, "apply_patch", arguments))
    _add_medians(report, {who: many[1:] for who, many in rows.items()})


GIT_TASKS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "git_status": {who: ("git_status", {}) for who in (US, PEER, GIT)},
    "git_diff": {US: ("git_diff", {}), PEER: ("git_diff", {}), GIT: ("git_diff_unstaged", {})},
}


def build_repository(base: Path, files: int) -> None:
    """A committed tree, then a few files changed and a few new."""
    build_tree(base, files)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], cwd=base, check=True)
    for number in range(0, files, max(files // 10, 1)):
        found = next(base.rglob(f"file{number:05}.*"))
        found.write_text("# changed\n" + found.read_text())
        found.with_name(f"new{number}.txt").write_text("new\n")


def repositories(report: Report, base: Path, rounds: int) -> None:
    """Status and diff of a repository, each server in turns."""
    build_repository(base, 2_000)
    argvs = {
        US: redline_argv("--tools", "coding", "--workspace", str(base)),
        PEER: [str(python_program(PEER, PEER)), "--stdio", "--workspace", str(base)],
        GIT: git_server(str(base)),
    }
    with ExitStack() as stack:
        servers = {
            who: stack.enter_context(StdioServer(argv, env=QUIET, cwd=str(base)))
            for who, argv in argvs.items()
        }
        for server in servers.values():
            server.initialize()
        for task, tools in GIT_TASKS.items():
            rows: dict[str, list[Row]] = {who: [] for who in servers}
            for _ in range(rounds * 5 + 1):
                for who, server in servers.items():
                    tool, arguments = tools[who]
                    if who == GIT:
                        arguments = {**arguments, "repo_path": str(base)}
                    rows[who].append(_once(server, task, who, tool, arguments))
            _add_medians(report, {who: many[1:] for who, many in rows.items()})


def _first_rows(
    servers: dict[str, StdioServer], task: str, tool: str, arguments: dict[str, Any]
) -> dict[str, list[Row]]:
    """One row each, after a warm-up."""
    for server in servers.values():
        server.call(tool, arguments)
    return {who: [_once(s, task, who, tool, arguments)] for who, s in servers.items()}


def _once(server: StdioServer, task: str, who: str, tool: str, arguments: dict[str, Any]) -> Row:
    before, start = server.cpu_ms(), time.perf_counter()
    server.call(tool, arguments)
    wall = (time.perf_counter() - start) * 1000
    return Row(task, who, server.cpu_ms() - before, wall, wall, server.peak_mb())


def _add_medians(report: Report, rows: dict[str, list[Row]]) -> None:
    for who, many in rows.items():
        walls = [row.p50_ms for row in many]
        # The mean: children are accounted in ticks of 10 ms, which a median would round away.
        cpu = statistics.fmean(row.cpu_ms for row in many)
        report.add(Row(many[0].task, who, cpu, *spread(walls), many[-1].rss_mb))


def judge(report: Report) -> list[str]:
    """The goals that are missed."""
    rows = {(row.task, row.who): row for row in report.rows}
    missed = []
    for task in {row.task for row in report.rows}:
        mine = rows[task, US]
        if (task, RG) in rows and mine.p50_ms > 1.3 * rows[task, RG].p50_ms:
            missed.append(f"{task}: over 1.3 times ripgrep")
        if task.endswith("common word") and mine.cpu_ms > 1.2 * rows[task, PEER].cpu_ms:
            missed.append(f"{task}: over 1.2 times {PEER}")
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
        repository = Path(directory) / "repository"
        repository.mkdir()
        repositories(report, repository, rounds)
    report.ratios(US)
    missed = judge(report)
    report.facts["missed"] = missed
    report.finish(short=short)
    for goal in missed:
        print("missed:", goal)
    return 1 if missed and not short else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
