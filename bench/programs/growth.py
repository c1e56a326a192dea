"""How cost grows: trees of up to 1,000,000 files, documents of up to 50 MB, a long history.

    python -m bench.programs.growth [--short] [PART...]

Without a part all are measured; rows of the parts left out stay as they were kept before.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.library.measure import (
    RESULTS,
    Report,
    Row,
    StdioServer,
    measure_calls,
    redline_argv,
    spread,
)

SHM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def make_tree(root: Path, files: int) -> None:
    """*files* small files, a hundred to a directory."""
    for number in range(files):
        folder = root / f"d{number // 100:04}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        text = f"line one of {number}\nvalue = {number}\n" + "filler\n" * 5
        (folder / f"f{number % 100:02}.txt").write_text(text)


def trees(report: Report, sizes: list[int]) -> None:
    """Searching and reading in trees of different sizes."""
    for files in sizes:
        with tempfile.TemporaryDirectory(dir=SHM) as home:
            root = Path(home) / "ws"
            make_tree(root, files)
            flags = ("--workspace", str(root), "--state-dir", f"{home}/state")
            with StdioServer(redline_argv(*flags)) as server:
                server.initialize()
                name = str(root / "d0000" / "f05.txt")
                calls = {
                    "find by glob": (
                        "glob_search",
                        {"directory": str(root), "globs": ["**/f42.*"]},
                    ),
                    "list a directory": ("list_directory", {"path": str(root)}),
                    "grep": ("grep_files", {"directory": str(root), "regex": "value = 4242$"}),
                    "read a file": ("read_file", {"path": name}),
                }
                for task, (tool, arguments) in calls.items():
                    row = measure_calls(
                        server,
                        task,
                        f"{files:,} files",
                        lambda _, t=tool, a=arguments: server.call(t, a),
                        5,
                    )
                    report.add(row)


def watching(report: Report, sizes: list[int]) -> None:
    """Hearing of changes in trees of different sizes."""
    for files in sizes:
        with tempfile.TemporaryDirectory(dir=SHM) as home:
            root = Path(home) / "ws"
            make_tree(root, files)
            report.add(hear(root, f"{home}/watching", f"{files:,} files"))


def hear(root: Path, state: str, who: str) -> Row:
    """How long a change that another program makes takes until it is in the history."""
    flags = ("--workspace", str(root), "--state-dir", state)
    argv = [word for word in redline_argv(*flags) if word != "--no-record"]
    file = root / "d0000" / "f07.txt"
    walls: list[float] = []
    with StdioServer(argv) as server:
        server.initialize()
        began = time.perf_counter()
        while not _count_changes(server):  # until the first look at the tree is over
            file.write_text(f"another program, {time.perf_counter()}\n")
            time.sleep(0.5)
        looked = time.perf_counter() - began
        note = f"first look within {looked:.1f} s, {server.cpu_ms() / 1000:.1f} s of CPU"
        time.sleep(1)
        cpu = server.cpu_ms()
        for number in range(5):
            before = _count_changes(server)
            file.write_text(f"another program, {number}\n")
            began = time.perf_counter()
            while _count_changes(server) == before:
                time.sleep(0.02)
            walls.append((time.perf_counter() - began) * 1000)
        cpu = (server.cpu_ms() - cpu) / len(walls)
        return Row("hear of a change", who, cpu, *spread(walls), server.peak_mb(), note=note)


def _count_changes(server: StdioServer) -> int:
    found = server.call("list_changes", {"path": "d0000/f07.txt"})
    return len(found["structuredContent"]["changes"])


def documents(report: Report, sizes: list[tuple[str, int]]) -> None:
    """One value set in documents of different sizes."""
    with tempfile.TemporaryDirectory(dir=SHM) as home:
        root = Path(home) / "ws"
        root.mkdir()
        for label, size in sizes:
            entries = max(1, size // 60)
            data = {f"key{n:07}": {"name": f"item {n}", "count": n} for n in range(entries)}
            (root / f"{label}.json").write_text(json.dumps(data, indent=1))
            body = "".join(f"key{n:07}:\n  name: item {n}\n  count: {n}\n" for n in range(entries))
            (root / f"{label}.yaml").write_text(body)
        flags = ("--workspace", str(root), "--state-dir", f"{home}/state", "--history-size", "8G")
        with StdioServer(redline_argv(*flags)) as server:
            server.initialize()
            for label, size in sizes:
                middle = f"key{max(1, size // 60) // 2:07}.count"
                # YAML is changed up to 32 MB.
                for form in ("json", "yaml") if size <= 30_000_000 else ("json",):

                    def call(
                        n: int, form: str = form, label: str = label, path: str = middle
                    ) -> None:
                        file = f"{label}.{form}"
                        server.call("doc_set", {"file": file, "path": path, "value": str(n + 100)})

                    report.add(measure_calls(server, f"set a value, {form}", label, call, 3))


def history(report: Report, lengths: list[int]) -> None:
    """Committing, listing and undoing with a short and a long history behind."""
    from redline.core.changes import Change, ChangeSet, FileState
    from redline.core.paths import Access
    from redline.core.ports.history import Origin
    from redline.settings import Settings
    from redline.wiring.workspace import Redline

    with tempfile.TemporaryDirectory(dir=SHM) as home:
        root = Path(home) / "ws"
        root.mkdir()
        (root / "a.txt").write_text("0\n")
        made = 0
        for length in lengths:
            with Redline(Settings(workspace=str(root), state_dir=f"{home}/state")) as redline:
                path = redline.workspace.resolve("a.txt", Access.WRITE)
                for number in range(made, length):
                    after = FileState.of(b"%d\n" % (number + 1))
                    step = Change(path, redline.tree.state(path), after)
                    redline.editor.commit(ChangeSet((step,)), Origin("bench"))
            made = length
            flags = ("--workspace", str(root), "--state-dir", f"{home}/state")
            with StdioServer(redline_argv(*flags)) as server:
                server.initialize()
                who = f"{length:,} operations"
                report.add(
                    measure_calls(
                        server,
                        "list the latest 20",
                        who,
                        lambda _: server.call("list_changes", {}),
                        20,
                    )
                )
                report.add(
                    measure_calls(
                        server,
                        "write a file",
                        who,
                        lambda n: server.call(
                            "write_file", {"path": "a.txt", "content": f"w{n}\n"}
                        ),
                        20,
                    )
                )
                report.add(
                    measure_calls(
                        server, "undo the latest", who, lambda _: server.call("undo_change", {}), 10
                    )
                )
                made += 21 + 11


def large_changes(report: Report, sizes: list[int]) -> None:
    """Listing when each of the latest changes touched many files."""
    from redline.core.changes import ABSENT, Change, ChangeSet, FileState
    from redline.core.paths import WorkspacePath
    from redline.core.ports.history import Origin
    from redline.settings import Settings
    from redline.wiring.workspace import Redline

    for files in sizes:
        with tempfile.TemporaryDirectory(dir=SHM) as home:
            root = Path(home) / "ws"
            root.mkdir()
            after = FileState.of(b"text\n")
            paths = [WorkspacePath(0, (f"d{n // 100:04}", f"f{n:05}")) for n in range(files)]
            change_set = ChangeSet(tuple(Change(path, ABSENT, after) for path in paths))
            with Redline(Settings(workspace=str(root), state_dir=f"{home}/state")) as redline:
                for _ in range(25):
                    redline.editor.record(change_set, Origin("bench"))
            flags = ("--workspace", str(root), "--state-dir", f"{home}/state")
            with StdioServer(redline_argv(*flags)) as server:
                server.initialize()
                who = f"{files:,} files each"
                row = measure_calls(
                    server,
                    "list the latest 20 changes",
                    who,
                    lambda _: server.call("list_changes", {}),
                    5,
                )
                report.add(row)


def main(arguments: list[str]) -> int:
    """Measure all, or some parts."""
    short = "--short" in arguments
    trees_of = [1000] if short else [1000, 10_000, 100_000, 1_000_000]
    sizes = [("10 KB", 10_000), ("1 MB", 1_000_000)]
    if not short:
        sizes += [("10 MB", 10_000_000), ("50 MB", 50_000_000)]
    parts: dict[str, Callable[[Report], None]] = {
        "trees": lambda report: trees(report, trees_of),
        "watching": lambda report: watching(report, trees_of),
        "documents": lambda report: documents(report, sizes),
        "history": lambda report: history(
            report, [10, 100] if short else [10, 1000, 10_000, 100_000]
        ),
        "large_changes": lambda report: large_changes(report, [100] if short else [100, 5000]),
    }
    asked = [word for word in arguments if not word.startswith("-")]
    report = Report("growth")
    for part in asked or parts:
        parts[part](report)
    if asked:
        report.rows = _beside_kept(report.rows)
    report.finish(short=short)
    return 0


def _beside_kept(rows: list[Row]) -> list[Row]:
    """The rows that were kept before, but for the tasks that were measured now, and these."""
    kept = json.loads((RESULTS / "growth.json").read_text("utf-8"))["rows"]
    tasks = {row.task for row in rows}
    return [row for row in (Row(**each) for each in kept) if row.task not in tasks] + rows


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
