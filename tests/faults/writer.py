"""A process that edits one file over and over through the library, until told or killed.

    python -m tests.faults.writer ROOT STATE NAME COUNT

Each acknowledged edit is printed as one line; a refused one is tried again from a new read.
"""

from __future__ import annotations

import os
import sys

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import Locked, StaleBase
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.engine.quick import QuickDisk


def main() -> None:
    """Append COUNT lines to every `f*` file of ROOT, all files of one edit together."""
    root, state, name, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    os.environ["XDG_STATE_HOME"] = state
    app = Redline(Settings(workspace=root))
    app.__dict__["_disk"] = QuickDisk()
    paths = [
        app.workspace.resolve(entry, Access.WRITE)
        for entry in sorted(os.listdir(root))
        if entry.startswith("f")
    ]
    done = 0
    refused = 0
    while done < count:
        line = f"{name}-{done}\n".encode()
        steps = []
        for path in paths:
            before = app.tree.state(path)
            assert isinstance(before, FileState)
            assert before.content is not None
            steps.append(Change(path, before, FileState.of(before.content + line)))
        try:
            app.editor.commit(ChangeSet(tuple(steps)), Origin("writer", name))
        except (StaleBase, Locked):
            refused += 1
            continue
        os.write(1, line)
        done += 1
    os.write(2, f"refused {refused}\n".encode())


if __name__ == "__main__":
    main()
