"""The `files` toolset on a tree of 20,000 files, beside ripgrep and the official server."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import (
    Report,
    StdioServer,
    measure_calls,
    measure_command,
    redline_argv,
)
from bench.peers import filesystem_server
from redline.adapters.regex_worker import BUDGET

US, THEM, RG = "redline", "server-filesystem", "rg"
Args = dict[str, Any]
# What each task is called by us, and by the official server's nearest tool.
SEARCHES: tuple[tuple[str, tuple[str, Args], tuple[str, Args]], ...] = (
    (
        "find by glob",
        ("glob_search", {"directory": "{tree}", "globs": ["**/*_7.py"], "max": 0}),
        ("search_files", {"path": "{tree}", "pattern": "**/*_7.py"}),
    ),
    (
        "find by part of a name",
        ("search_files", {"directory": "{tree}", "nameContains": "_42."}),
        ("search_files", {"path": "{tree}", "pattern": "**/*_42.*"}),
    ),
    (
        "whole tree",
        ("directory_tree", {"path": "{tree}"}),
        ("directory_tree", {"path": "{tree}"}),
    ),
)
GREPS = (
    ("grep rare word", "needle_in_[0-9]+"),
    ("grep 2000 hits", "function_[0-9]*5_11"),
    ("grep 400 hits", "return value_1[0-9]$"),
    ("grep nothing", "absent_everywhere"),
)


def make_tree(base: Path, files: int) -> Path:
    """Directories of twenty files each, three levels, some forty lines per file."""
    tree = base / "tree"
    for number in range(files):
        group = number // 20
        folder = tree / f"pkg_{group // 100}" / f"mod_{group % 100}"
        if number % 20 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        body = "".join(
            f"def function_{number}_{k}(value_{k}):\n    return value_{k} + {number}\n\n"
            for k in range(13)
        )
        if number % 50 == 0:
            body += f"    return value_{10 + number % 10}\n"
        if number % 4000 == 0:
            body += f"# needle_in_{number}\n"
        (folder / f"file_{number}_{number % 100}.py").write_text(body, "utf-8")
    return tree


def filled(arguments: Args, tree: Path) -> Args:
    """The arguments with the tree's path put in."""
    text = json.dumps(arguments).replace("{tree}", str(tree))
    result: Args = json.loads(text)
    return result


def compare(report: Report, ours: StdioServer, theirs: StdioServer, tree: Path, n: int) -> None:
    """The searches by name."""
    for task, (tool, arguments), (their_tool, their_arguments) in SEARCHES:
        mine, other = filled(arguments, tree), filled(their_arguments, tree)
        report.add(measure_calls(ours, task, US, lambda _, t=tool, a=mine: ours.call(t, a), n))
        report.add(
            measure_calls(
                theirs,
                task,
                THEM,
                lambda _, t=their_tool, a=other: theirs.call(t, a),
                max(n // 4, 1),
            )
        )


def greps(report: Report, ours: StdioServer, tree: Path, n: int) -> None:
    """The same query and output from ripgrep and from grep_files."""
    rg = shutil.which("rg") or str(Path(sys.prefix) / "bin" / "rg")
    for task, regex in GREPS:
        arguments = {"directory": str(tree), "regex": regex, "maxResults": 10_000}
        argv = [rg, "--no-ignore", "--hidden", "-n", "--no-heading", regex, str(tree)]
        report.add(
            measure_calls(ours, task, US, lambda _, a=arguments: ours.call("grep_files", a), n)
        )
        report.add(measure_command(task, RG, argv, n))


def small_calls(report: Report, ours: StdioServer, theirs: StdioServer, base: Path, n: int) -> None:
    """One small read and one durable one-line edit."""
    body = "".join(f"line {k}\n" for k in range(200))
    for server, who in ((ours, US), (theirs, THEM)):
        path = base / f"small-{who}.txt"
        path.write_text(body + "value = -1\n", "utf-8")
        name = "read_file" if who == US else "read_text_file"
        report.add(
            measure_calls(
                server,
                "read a small file",
                who,
                lambda _, s=server, t=name, p=path: s.call(t, {"path": str(p)}),
                n,
            )
        )
        report.add(measure_calls(server, "edit one line", who, editor(server, path), n))


def runaway(report: Report, ours: StdioServer, base: Path, n: int) -> None:
    """How long after its budget a catastrophic regex is answered, other calls going on."""
    path = base / "runaway.txt"
    path.write_text("a" * 40 + "!", "utf-8")
    edits = [{"oldText": "(a+)+$", "newText": "", "isRegex": True}]
    params = {"name": "edit_file", "arguments": {"path": str(path), "edits": edits}}

    def call(_: int) -> None:
        answer = ours.request("tools/call", params)
        assert "took longer" in answer["error"]["message"], answer

    row = measure_calls(ours, "stop a runaway regex", US, call, n)
    row.p50_ms, row.p95_ms = row.p50_ms - BUDGET * 1000, row.p95_ms - BUDGET * 1000
    row.note = f"wall time beyond the budget of {BUDGET:g} s"
    report.add(row)


def editor(server: StdioServer, path: Path) -> Callable[[int], object]:
    """Counts a line of *path* up by one at each call."""
    state = {"value": -1}

    def edit(_: int) -> object:
        old, state["value"] = state["value"], state["value"] + 1
        edits = [{"oldText": f"value = {old}\n", "newText": f"value = {old + 1}\n"}]
        return server.call("edit_file", {"path": str(path), "edits": edits})

    return edit


def main(arguments: list[str]) -> int:
    """Print the table and write bench/results/files.json."""
    short = "--short" in arguments
    report = Report("files")
    base = Path(tempfile.mkdtemp(prefix="redline-bench-")).resolve()
    state = base / "state"
    try:
        work = base / "work"
        work.mkdir()
        files = 2_000 if short else 20_000
        tree = make_tree(work, files)
        report.facts = {"files": files, "short": short}
        argv = redline_argv("--tools", "files", "--allow-write", str(work))
        with (
            StdioServer(argv, env={"REDLINE_STATE_DIR": str(state)}) as ours,
            StdioServer(filesystem_server(str(work))) as theirs,
        ):
            ours.initialize()
            theirs.initialize()
            n = 4 if short else 20
            greps(report, ours, tree, n)
            compare(report, ours, theirs, tree, n)
            small_calls(report, ours, theirs, work, n * 10)
            runaway(report, ours, work, 2 if short else 5)
        report.ratios(US)
        report.show()
        print(f"\nx: CPU of that row over CPU of {US}; saved to {report.save()}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
