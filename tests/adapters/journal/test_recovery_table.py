"""Every row of the recovery table in the journal's README, set up on disk and recovered."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import redline.adapters.journal as journal
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal import records
from redline.adapters.journal.intent_slots import (
    ABANDONED,
    ACTIVE,
    DONE,
    INTENT,
    READY,
    SERIES,
    encode_intent,
    encode_locks,
    parse,
)
from redline.adapters.journal.records import Head, format_operation
from redline.adapters.journal.store import DiskStore
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from tests.engine.quick import QuickDisk

ID = "abcdefgh"
STAGED = f".redline-{ID}-0"
CONTENT = {"old": b"old\n" * 20, "new": b"new\n" * 20, "other": b"other\n", "half": b"new\nne"}
STATES = {"DONE": DONE, "READY": READY, "ACTIVE": ACTIVE, "ABANDONED": ABANDONED}


class Row(NamedTuple):
    slot: str
    line: str
    path: str
    staged: str
    recovery: str
    path_then: str
    history_then: str


def read_table() -> list[Row]:
    text = Path(journal.__file__).with_name("README.md").read_text("utf-8")
    lines = text.partition("## What recovery does")[2].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [Row(*each) for each in cells[2:]]


class Crash:
    """A workspace with one file, left by a process that died in the state of a row."""

    def __init__(self, top: Path, row: Row) -> None:
        self.root, self.state, self.locks = top / "ws", top / "state", top / "locks"
        self.root.mkdir()
        store = self.open(recover=False)
        self._write_line(store, row.line)
        self.close(store)
        (self.root / "f").write_bytes(CONTENT[row.path])
        if row.staged != "none":
            (self.root / STAGED).write_bytes(CONTENT[row.staged])
        (self.state / "slots" / "s").write_bytes(self._slot(row.slot))

    def open(self, *, recover: bool = True) -> DiskStore:
        disk = QuickDisk()
        workspace = DiskWorkspace(disk, [str(self.root)])
        return DiskStore(disk, workspace, str(self.state), str(self.locks), recover=recover)

    def close(self, store: DiskStore) -> None:
        store.close()
        store.workspace.close()

    def _write_line(self, store: DiskStore, line: str) -> None:
        if line == "none":
            return
        old, new = FileState.of(CONTENT["old"], 0o644), FileState.of(CONTENT["new"], 0o644)
        change_set = ChangeSet((Change(WorkspacePath(0, ("f",)), old, new),))
        contents = {old.digest: CONTENT["old"], new.digest: CONTENT["new"]}
        inline, added = store.contents.save(contents, ID, {})
        body = records.encode_body(change_set, Origin("test"), (), store.workspace.root_path)
        data = format_operation(Head(ID, "change", None, 1.0, added), body, inline)
        if line == "cut off":
            (self.state / "journal").write_bytes(data[:-10])
            return
        store.journal.commit(data, inline, added)
        if line == "operation, revoked":
            store.journal.revoke(ID)
        elif line == "operation, finished":
            store.journal.finish(ID)
        else:
            assert line == "operation"

    def _slot(self, slot: str) -> bytes:
        kind, _, state = slot.partition(", ")
        directories = f'[["{self.root}",""]]'
        if kind == "SERIES":
            first = b"" if state == "lost" else STATES[state] + encode_locks(ID, frozenset({1}))
            intent = SERIES + encode_intent(
                ("earlier0", ID, "later000"), directories, is_series=True
            )
            return first.ljust(INTENT, b"\0") + intent
        first = encode_locks(ID, frozenset({1}))
        intent = encode_intent((ID,), directories, is_series=False)
        if kind == "cut off":
            return first.ljust(INTENT, b"\0") + ACTIVE + intent[:-4]
        return first.ljust(INTENT, b"\0") + STATES[kind] + intent


@pytest.mark.requirement("engine-recovery-table")
@pytest.mark.parametrize("row", read_table(), ids=lambda row: f"{row[:4]}")
def test_recovery_does_what_the_readme_says(tmp_path: Path, row: Row) -> None:
    crash = Crash(tmp_path, row)
    store = crash.open()
    try:
        found = {path.name: path.read_bytes() for path in crash.root.iterdir()}
        assert found == {"f": CONTENT[row.path_then]}
        history = [operation.id for operation in store.newest_first()]
        assert history == ([ID] if row.history_then == "operation" else [])
        assert parse((crash.state / "slots" / "s").read_bytes()).state == DONE
    finally:
        crash.close(store)


def test_recovery_of_a_row_may_be_repeated_without_harm(tmp_path: Path) -> None:
    for number, row in enumerate(read_table()):
        top = tmp_path / str(number)
        top.mkdir()
        crash = Crash(top, row)
        crash.close(crash.open())
        found = {path.name: path.read_bytes() for path in crash.root.iterdir()}
        again = crash.open()
        assert {path.name: path.read_bytes() for path in crash.root.iterdir()} == found
        crash.close(again)


def test_the_table_has_every_slot_state_and_every_line() -> None:
    rows = read_table()
    assert {row.slot for row in rows} >= {*STATES, "SERIES, ACTIVE", "SERIES, READY"}
    lines = {"none", "cut off", "operation", "operation, revoked", "operation, finished"}
    assert {row.line for row in rows} == lines
    assert {row.path for row in rows} == {"old", "new", "other"}
    assert {row.staged for row in rows} == {"none", "half", "old", "new", "other"}
