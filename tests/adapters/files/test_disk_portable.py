"""The way without directory descriptors, and the modules without POSIX."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redline.adapters.files.disk import Disk
from redline.adapters.files.disk_portable import PortableDisk
from redline.adapters.files.tree import DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.store import DiskStore
from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, Rename
from redline.core.errors import StaleBase
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from redline.engine.editor import JournalEditor
from tests.engine.bench import snapshot

ORIGIN = Origin("portable")


def _at(*parts: str) -> WorkspacePath:
    return WorkspacePath(0, parts)


@pytest.mark.parametrize("way", [PortableDisk, Disk])
def test_commit_undo_redo_and_prune_work_in_every_way(tmp_path: Path, way: type[Disk]) -> None:
    disk = way()
    root = tmp_path / "ws"
    root.mkdir()
    (root / "old").write_bytes(b"old")
    before = snapshot(root)
    workspace = DiskWorkspace(disk, [str(root)])
    store = DiskStore(disk, workspace, str(tmp_path / "j"), str(tmp_path / "locks"))
    tree = DiskTree(disk, workspace)
    editor = JournalEditor(workspace, tree, store)
    stale = Change(_at("old"), tree.state(_at("old")), FileState.of(b"late"))
    editor.commit(
        ChangeSet(
            (
                Change(_at("d"), ABSENT, DirState()),
                Change(_at("d", "f"), ABSENT, FileState.of(b"new")),
                Change(_at("old"), tree.state(_at("old")), FileState.of(b"edited")),
                Rename(_at("old"), _at("d", "moved")),
            )
        ),
        ORIGIN,
    )
    after = snapshot(root)
    assert after["d/moved"][2] == b"edited"
    with pytest.raises(StaleBase):
        editor.commit(ChangeSet((stale,)), ORIGIN)
    editor.undo(None, ORIGIN)
    assert snapshot(root) == before
    editor.redo(None, ORIGIN)
    assert snapshot(root) == after
    assert store.prune(days=-1, size=1) == 2
    assert [o.kind for o in store.newest_first()] == ["redo"]
    store.close()
    workspace.close()


WITHOUT_POSIX = """
import os, subprocess, sys, types
names = "O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK O_NOCTTY O_PATH pread pwrite fchmod fchown"
names += " fork listxattr getxattr setxattr fdatasync mkfifo uname"
for name in names.split():
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd = set()
sys.modules["fcntl"] = None
sys.platform = "win32"
locking = types.ModuleType("msvcrt")
locking.LK_UNLCK, locking.LK_LOCK, locking.LK_NBLCK = 0, 1, 2
locking.locking = lambda fd, mode, size: None
sys.modules["msvcrt"] = locking
from redline import Workspace
with Workspace.open(sys.argv[1], state_dir=sys.argv[2]) as workspace:
    workspace.write("d/a.txt", "one\\n")
    workspace.replace("d/a.txt", "one", "two")
    workspace.undo()
    print(workspace.read("d/a.txt"), len(workspace.log()))
"""


def test_everything_works_where_there_is_no_posix(tmp_path: Path) -> None:
    """Windows is not at hand here: take away what it lacks and edit."""
    (tmp_path / "ws").mkdir()
    out = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, str(tmp_path / "ws"), str(tmp_path / "state")],
        capture_output=True,
        text=True,
        env={**os.environ, "LOCALAPPDATA": str(tmp_path / "local")},
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.split() == ["one", "3"]
