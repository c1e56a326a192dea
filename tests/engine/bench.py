"""What engine tests work with: a Redline over a directory, and short words for plans."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, LinkState, Rename
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.engine.quick import QuickDisk

ORIGIN = Origin("test", "pytest 1", "", "a test")


class Bench:
    """One Redline over *root*."""

    def __init__(self, root: Path, **settings: object) -> None:
        self.root = root
        self.app = Redline(Settings(workspace=str(root), **settings))  # type: ignore[arg-type]
        self.app.__dict__["_disk"] = QuickDisk()
        self.editor = self.app.editor
        self.history = self.app.history
        self.tree = self.app.tree

    def at(self, name: str, access: Access = Access.WRITE) -> WorkspacePath:
        return self.app.workspace.resolve(name, access, follow=False)

    def write(self, name: str, content: bytes | str, mode: int | None = None) -> Change:
        data = content.encode() if isinstance(content, str) else content
        path = self.at(name)
        return Change(path, self.tree.state(path), FileState.of(data, mode))

    def delete(self, name: str) -> Change:
        path = self.at(name)
        return Change(path, self.tree.state(path), ABSENT)

    def mkdir(self, name: str, mode: int | None = None) -> Change:
        return Change(self.at(name), ABSENT, DirState(mode))

    def link(self, name: str, target: str) -> Change:
        path = self.at(name)
        return Change(path, self.tree.state(path), LinkState(target))

    def move(self, source: str, target: str) -> Rename:
        return Rename(self.at(source), self.at(target))

    def commit(self, *steps: Change | Rename) -> Operation:
        return self.editor.commit(ChangeSet(steps), ORIGIN)

    def undo(self, operation_id: str | None = None) -> Operation:
        return self.editor.undo(operation_id, ORIGIN)

    def redo(self, operation_id: str | None = None) -> Operation:
        return self.editor.redo(operation_id, ORIGIN)

    def snapshot(self) -> dict[str, tuple[object, ...]]:
        return snapshot(self.root)


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Every entry below *root*: kind, mode and content, byte for byte."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, names, files in os.walk(root):
        for name in [*names, *files]:
            path = os.path.join(directory, name)
            shown = os.path.relpath(path, root)
            info = os.lstat(path)
            if stat.S_ISLNK(info.st_mode):
                found[shown] = ("link", os.readlink(path))
            elif stat.S_ISDIR(info.st_mode):
                found[shown] = ("directory", stat.S_IMODE(info.st_mode))
            else:
                with open(path, "rb") as file:
                    found[shown] = ("file", stat.S_IMODE(info.st_mode), file.read())
    return found
