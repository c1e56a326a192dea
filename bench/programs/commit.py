"""CPU and wall time of one durable one-line edit, and of one proven open.

    python -m bench.programs.commit [edits]

With a number of edits of its own it only prints.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable

from bench.library.measure import Report, measure_work
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import HistoryQuery, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline


def main(arguments: list[str]) -> int:
    """Measure on a throw-away workspace."""
    given = [a for a in arguments if a.isdigit()]
    short = "--short" in arguments or bool(given)
    edits = int(given[0]) if given else 50 if short else 500
    report = Report("commit", facts={"edits": edits})
    with tempfile.TemporaryDirectory() as top:
        measure(report, top, edits)
    report.finish(short=short)
    return 0


def measure(report: Report, top: str, edits: int) -> None:
    """All figures, in a workspace under *top*."""
    os.environ["XDG_STATE_HOME"] = os.path.join(top, "state")
    root = os.path.join(top, "ws")
    os.makedirs(os.path.join(root, "src/deep/down"))
    with open(os.path.join(root, "src/deep/down/f.py"), "w") as file:
        file.write("line of some code here\n" * 400)
    origin = Origin("bench", "bench")
    with Redline(Settings(workspace=root)) as app:
        path = app.workspace.resolve("src/deep/down/f.py", Access.WRITE)

        def edit(number: int) -> None:
            before = app.tree.state(path)
            assert isinstance(before, FileState)
            assert before.content is not None
            lines = before.content.splitlines(keepends=True)
            lines[number % len(lines)] = b"edited %d\n" % number
            after = FileState.of(b"".join(lines))
            app.editor.commit(ChangeSet((Change(path, before, after),)), origin)

        def add(task: str, work: Callable[[int], object], times: int) -> None:
            report.add(measure_work(task, "redline", work, times))

        edit(0)
        add("durable one-line edit of a 9 kB file", edit, edits)
        add("resolve a path", lambda _: app.workspace.resolve(path.relative, Access.READ), edits)
        add("read the file", lambda _: app.tree.read(path), edits)
        add("list 50 of the history", lambda _: app.history.list(HistoryQuery()), 20)
        add("undo", lambda _: app.editor.undo(None, origin), min(edits, 100))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
