"""The `files` toolset on a tree of 20,000 files, beside ripgrep and the official server."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.library.measure import (
    Report,
    StdioServer,
    measure_calls,
    measure_command,
    redline_argv,
)
from bench.library.peers import desktop_commander, filesystem_server
from redline.adapters.workers.regex_worker import BUDGET

US, THEM, DESKTOP, RG = "redline", "server-filesystem", "desktop-commander", "rg"
Args = dict[str, Any]
Ask = Callable[[], object]


def searches(tree: str) -> dict[str, dict[str, tuple[str, Args]]]:
    """What each task is called by us, and the nearest tool of the others."""
    return {
        "find by glob": {
            US: ("glob_search", {"directory": tree, "globs": ["**/*_7.py"], "max": 0}),
            THEM: ("search_files", {"path": tree, "pattern": "**/*_7.py"}),
            DESKTOP: ("start_search", {"path": tree, "searchType": "files", "pattern": "*_7.py"}),
        },
        "find by part of a name": {
            US: ("search_files", {"directory": tree, "nameContains": "_42."}),
            THEM: ("search_files", {"path": tree, "pattern": "**/*_42.*"}),
            DESKTOP: ("start_search", {"path": tree, "searchType": "files", "pattern": "*_42.*"}),
        },
        "whole tree": {
            US: ("directory_tree", {"path": tree}),
            THEM: ("directory_tree", {"path": tree}),
            DESKTOP: ("list_directory", {"path": tree, "depth": 9}),
        },
    }


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


def asking(server: StdioServer, tool: str, arguments: Args) -> Ask:
    """One call, or with DesktopCommander's searches as many as it takes to have all results."""
    if tool != "start_search":
        return lambda: server.call(tool, arguments)

    def search() -> object:
        limits = {"maxResults": 20_000, "contextLines": 0}
        text = server.call(tool, {**limits, **arguments})["content"][0]["text"]
        session = text.split("session: ", 1)[1].split()[0]
        while "Status: COMPLETED" not in text:
            time.sleep(0.01)  # as a client would: asking again at once would cost the server
            page = {"sessionId": session, "offset": 0, "length": 20_000}
            text = server.call("get_more_search_results", page)["content"][0]["text"]
        return text

    return search


def compare(report: Report, servers: dict[str, StdioServer], tree: Path, n: int) -> None:
    """The searches by name."""
    for task, tools in searches(str(tree)).items():
        for who, (tool, arguments) in tools.items():
            ask = asking(servers[who], tool, arguments)
            times = n if who == US else max(n // 5, 1)
            report.add(measure_calls(servers[who], task, who, lambda _, a=ask: a(), times))


def greps(report: Report, servers: dict[str, StdioServer], tree: Path, n: int) -> None:
    """The same query from grep_files, from ripgrep and from DesktopCommander's search."""
    rg = shutil.which("rg") or str(Path(sys.prefix) / "bin" / "rg")
    ours, other = servers[US], servers[DESKTOP]
    for task, regex in GREPS:
        arguments = {"directory": str(tree), "regex": regex, "maxResults": 10_000}
        argv = [rg, "--no-ignore", "--hidden", "-n", "--no-heading", regex, str(tree)]
        mine = asking(ours, "grep_files", arguments)
        report.add(measure_calls(ours, task, US, lambda _, a=mine: a(), n))
        report.add(measure_command(task, RG, argv, n))
        search = {"path": str(tree), "searchType": "content", "pattern": regex}
        theirs = asking(other, "start_search", {**search, "includeHidden": True})
        found = len(ours.call("grep_files", arguments)["structuredContent"]["matches"])
        if f"Total results found: {found} " not in str(theirs()):
            raise RuntimeError(f"{task}: the servers do not find the same lines")
        report.add(measure_calls(other, task, DESKTOP, lambda _, a=theirs: a(), max(n // 4, 1)))


READS = {US: "read_file", THEM: "read_text_file", DESKTOP: "read_file"}


def small_calls(report: Report, servers: dict[str, StdioServer], base: Path, n: int) -> None:
    """One small read and one durable one-line edit."""
    body = "".join(f"line {k}\n" for k in range(200))
    for who, server in servers.items():
        path = base / f"small-{who}.txt"
        path.write_text(body + "value = -1\n", "utf-8")
        read = asking(server, READS[who], {"path": str(path)})
        report.add(measure_calls(server, "read a small file", who, lambda _, a=read: a(), n))
    for who, server in servers.items():
        change = editor(server, who, base / f"small-{who}.txt")
        report.add(measure_calls(server, "edit one line", who, change, n))


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


def editor(server: StdioServer, who: str, path: Path) -> Callable[[int], object]:
    """Counts a line of *path* up by one at each call."""
    state = {"value": -1}

    def edit(_: int) -> object:
        old, state["value"] = state["value"], state["value"] + 1
        before, after = f"value = {old}\n", f"value = {old + 1}\n"
        if who == DESKTOP:
            change = {"file_path": str(path), "old_string": before, "new_string": after}
            return server.call("edit_block", change)
        edits = [{"oldText": before, "newText": after}]
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
        desktop, quiet = desktop_commander(base / "home")
        with (
            StdioServer(argv, env={"REDLINE_STATE_DIR": str(state)}) as ours,
            StdioServer(filesystem_server(str(work))) as theirs,
            StdioServer(desktop, env=quiet) as other,
        ):
            servers = {US: ours, THEM: theirs, DESKTOP: other}
            for server in servers.values():
                server.initialize()
            n = 4 if short else 20
            greps(report, servers, tree, n)
            compare(report, servers, tree, n)
            small_calls(report, servers, work, n * 10)
            runaway(report, ours, work, 2 if short else 5)
        report.ratios(US)
        report.finish(short=short)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
