"""The commit every fault test uses: five files edited, made, removed and moved at once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from redline.adapters.files.disk import Disk
from redline.adapters.files.tree import DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.content_store import MAX_INLINE
from redline.adapters.journal.intent_slots import DONE, READY, parse
from redline.adapters.journal.store import DiskStore
from redline.core.changes import (
    ABSENT,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.engine.editor import JournalEditor
from tests.engine.bench import snapshot
from tests.engine.quick import QuickDisk

ORIGIN = Origin("fault", "harness")
Snapshot = dict[str, tuple[object, ...]]


def at(name: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(name.split("/")))


class Scene:
    """A workspace with a state directory beside it, made anew for every fault."""

    def __init__(self, top: Path, *, tangled: bool = False, blobs: bool = False) -> None:
        self.top = top
        self.tangled = tangled
        self.blobs = blobs
        self.root = top / "ws"
        self.state = top / "state"

    def lay_out(self) -> None:
        """The same few files, and a journal with one operation in it."""
        shutil.rmtree(self.top, ignore_errors=True)
        self.root.mkdir(parents=True)
        (self.root / "d").mkdir()
        for name in ("a", "d/b", "gone", "old-name"):
            (self.root / name).write_bytes(b"old content of " + name.encode() + b"\n" * 50)
        (self.root / "d/b").chmod(0o755)
        store, editor = self.open()
        editor.commit(ChangeSet((Change(at("first"), ABSENT, FileState.of(b"first\n")),)), ORIGIN)
        store.close()
        store.workspace.close()

    def open(self, disk: Disk | None = None) -> tuple[DiskStore, JournalEditor]:
        """A store (which recovers as it opens) and an editor over it."""
        disk = disk or QuickDisk()
        workspace = DiskWorkspace(disk, [str(self.root)])
        state, locks = str(self.state / "j"), str(self.state / "locks")
        most = 0 if self.blobs else MAX_INLINE
        store = DiskStore(disk, workspace, state, locks, max_inline=most, min_delta=0)
        return store, JournalEditor(workspace, DiskTree(disk, workspace), store)

    def change(self, editor: JournalEditor) -> Operation:
        """Carry out the five-file change."""
        return editor.commit(self.plan(), ORIGIN)

    def plan(self) -> ChangeSet:
        def state(name: str) -> FileState:
            path = self.root / name
            return FileState.of(path.read_bytes(), path.stat().st_mode & 0o7777)

        if self.tangled:
            return ChangeSet(
                (
                    Change(at("a"), state("a"), FileState.of(b"between\n")),
                    Rename(at("d"), at("e")),
                    Change(at("e/b"), state("d/b"), FileState.of(b"new b\n" * 100)),
                    Change(at("a"), FileState.of(b"between\n"), FileState.of(b"new a\n")),
                    Change(at("d"), ABSENT, DirState()),
                    Change(at("d/c"), ABSENT, FileState.of(b"new c\n")),
                    Change(at("gone"), state("gone"), ABSENT),
                    Rename(at("old-name"), at("e/new-name")),
                )
            )
        return ChangeSet(
            (
                Change(at("a"), state("a"), FileState.of(b"new a\n")),
                Change(at("d/b"), state("d/b"), FileState.of(b"new b\n" * 100)),
                Change(at("made"), ABSENT, DirState()),
                Change(at("made/c"), ABSENT, FileState.of(b"new c\n")),
                Change(at("gone"), state("gone"), ABSENT),
                Rename(at("old-name"), at("made/new-name")),
                Change(at("made/link"), ABSENT, LinkState("../a")),
            )
        )

    def snapshot(self) -> Snapshot:
        return snapshot(self.root)

    def both(self) -> tuple[Snapshot, Snapshot]:
        """How the workspace looks before and after an undisturbed change."""
        self.lay_out()
        before = self.snapshot()
        store, editor = self.open()
        self.change(editor)
        store.close()
        return before, self.snapshot()

    def keep(self, name: str = "kept") -> None:
        """Remember the whole scene as it is now."""
        kept = self.top.with_name(name)
        shutil.rmtree(kept, ignore_errors=True)
        _copy(self.top, kept)

    def bring_back(self, name: str = "kept") -> None:
        """Make the scene what it was when it was kept."""
        shutil.rmtree(self.top)
        _copy(self.top.with_name(name), self.top)

    def recover(self) -> None:
        """What the next start does."""
        store, _ = self.open()
        store.close()
        store.workspace.close()

    def litter(self) -> list[str]:
        """Everything left over in the workspace and the journal."""
        found = [name for name in self.snapshot() if ".redline-" in name]
        found += [n for n in os.listdir(self.state / "j/blobs") if n.startswith("new-")]
        for name in os.listdir(self.state / "j/slots"):
            raw = (self.state / "j/slots" / name).read_bytes()
            if parse(raw).state not in (DONE, READY):
                found.append(f"slot {name}: {raw[:60]!r}")
        return found


def _copy(source: Path, target: Path) -> None:
    """Copy a directory: entries, contents and modes, which is all a scene consists of."""
    os.mkdir(target)
    for entry in os.scandir(source):
        to = target / entry.name
        if entry.is_symlink():
            os.symlink(os.readlink(entry), to)
        elif entry.is_dir():
            _copy(Path(entry), to)
        else:
            to.write_bytes(Path(entry).read_bytes())
            os.chmod(to, entry.stat().st_mode & 0o7777)
    os.chmod(target, os.stat(source).st_mode & 0o7777)
