"""A workspace whose changes are recorded by hand, step by step."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from redline.core.changes import Change, ChangeSet, FileState, Rename
from redline.core.paths import Access
from redline.core.ports.history import HistoryQuery, Operation, Origin
from redline.recorder.adapters.known_files import DatabaseOfFiles
from redline.recorder.claims import Claims
from redline.recorder.entries import EntryReader
from redline.recorder.recording import Recorder
from redline.settings import Settings
from redline.wiring.workspace import Redline


class Desk:
    """One workspace, its recorder, and a person's hands."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root = base / "ws"
        self.root.mkdir(exist_ok=True)
        self.hear_hooks: Callable[[], None] = lambda: None
        self.open()

    def open(self) -> None:
        self.redline = Redline(
            Settings(workspace=str(self.root), state_dir=str(self.base / "state"))
        )
        self.claims = Claims()
        self.files = DatabaseOfFiles(
            self.redline.workspace, self.redline.state_dir, self.redline.git
        )
        self.recorder = Recorder(
            EntryReader(self.redline.tree, self.redline.workspace),
            self.files,
            self.redline.editor,
            self.redline._store,
            self.claims,
            lambda: self.hear_hooks(),
        )

    def now(self) -> int:
        return time.time_ns()

    def start(self) -> list[Operation]:
        return list(self.recorder.start(time.time_ns()))

    def restart(self) -> list[Operation]:
        """Begin again with nothing but what is on the disk, as after a kill."""
        self.files.close()
        self.redline.close()
        self.open()
        return self.start()

    def settle(self, *names: str, cause: str = "") -> list[Operation]:
        """Record what changed: at *names*, or anywhere."""
        paths = [self.redline.workspace.resolve(n, Access.READ, follow=False) for n in names]
        found = list(self.recorder.settle(paths or None, time.time_ns(), cause))
        while self.recorder.is_waiting:
            time.sleep(0.03)  # longer than a tick of the file system's clock
            found += self.recorder.settle((), time.time_ns(), cause)
        return found

    def write(self, name: str, content: bytes) -> None:
        """Write a file as another program does."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def edit(self, name: str, content: bytes) -> Operation:
        """Write a file as Redline's own tools do."""
        path = self.redline.workspace.resolve(name, Access.WRITE)
        before = self.redline.tree.state(path)
        change = Change(path, before, FileState.of(content))
        return self.redline.editor.commit(ChangeSet((change,)), Origin("edit_file"))

    def move(self, source: str, target: str) -> Operation:
        """Rename a file or directory as Redline's own tools do."""
        old, new = (self.redline.workspace.resolve(n, Access.WRITE) for n in (source, target))
        return self.redline.editor.commit(ChangeSet((Rename(old, new),)), Origin("move"))

    def undo(self, operation: Operation) -> None:
        self.redline.editor.undo(operation.id, Origin("undo_change"))

    def history(self) -> list[Operation]:
        return list(self.redline.history.list(HistoryQuery(limit=10_000)))

    def picture(self) -> dict[str, object]:
        """Everything in the workspace: kind, permissions, content."""
        found: dict[str, object] = {}
        for where, directories, files in os.walk(self.root):
            if ".git" in directories:
                directories.remove(".git")
            for name in directories + files:
                path = Path(where, name)
                key = str(path.relative_to(self.root))
                if path.is_symlink():
                    found[key] = ("link", os.readlink(path))
                else:
                    content = path.read_bytes() if path.is_file() else None
                    found[key] = (path.lstat().st_mode, content)
        return found

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def close(self) -> None:
        self.files.close()
        self.redline.close()
