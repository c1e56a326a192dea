"""CPU and wall time of one durable one-line edit, and of one proven open.

python bench/commit.py [edits]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable

from redline.app import Redline
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import HistoryQuery, Origin
from redline.settings import Settings


def measured(label: str, times: int, work: Callable[[int], None]) -> None:
    """Run *work* and print what each run cost."""
    cpu, wall = time.process_time(), time.perf_counter()
    for number in range(times):
        work(number)
    cpu = (time.process_time() - cpu) / times * 1e6
    wall = (time.perf_counter() - wall) / times * 1e6
    print(f"{label:<44} {cpu:>9.1f} us CPU {wall:>9.1f} us wall   ({times} times)")


def main() -> None:
    """Measure on a throw-away workspace."""
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as top:
        os.environ["XDG_STATE_HOME"] = os.path.join(top, "state")
        root = os.path.join(top, "ws")
        os.makedirs(os.path.join(root, "src/deep/down"))
        with open(os.path.join(root, "src/deep/down/f.py"), "w") as file:
            file.write("line of some code here\n" * 400)
        app = Redline(Settings(workspace=root))
        origin = Origin("bench", "bench")
        path = app.workspace.resolve("src/deep/down/f.py", Access.WRITE)

        def edit(number: int) -> None:
            before = app.tree.state(path)
            assert isinstance(before, FileState)
            assert before.content is not None
            lines = before.content.splitlines(keepends=True)
            lines[number % len(lines)] = b"edited %d\n" % number
            after = FileState.of(b"".join(lines))
            app.editor.commit(ChangeSet((Change(path, before, after),)), origin)

        edit(0)
        measured("durable one-line edit of a 9 kB file", edits, edit)
        measured(
            "resolve",
            20 * edits,
            lambda _: _drop(app.workspace.resolve(path.relative, Access.READ)),
        )
        measured("read", 20 * edits, lambda _: _drop(app.tree.read(path)))
        measured("list 50 of the history", 20, lambda _: _drop(app.history.list(HistoryQuery())))
        measured("undo", min(edits, 100), lambda _: _drop(app.editor.undo(None, origin)))
        app.close()


def _drop(_: object) -> None:
    pass


if __name__ == "__main__":
    main()
