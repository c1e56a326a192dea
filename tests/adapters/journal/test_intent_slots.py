"""What slot files say, in the form before series and in the one with them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.intent_slots import (
    ABANDONED,
    ACTIVE,
    DONE,
    INTENT,
    READY,
    SERIES,
    SlotIntent,
    encode_intent,
    encode_locks,
    new_ids,
    parse,
)
from redline.adapters.journal.store import DiskStore
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from tests.engine.quick import QuickDisk

STAGING = (("/ws", "d"),)


def _line(body: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _slot(first: bytes, state: bytes, second: bytes) -> bytes:
    return first.ljust(INTENT, b"\0") + state + second


@pytest.mark.parametrize("state", [ACTIVE, READY, ABANDONED])
def test_a_slot_of_one_change_is_read_as_before_there_were_series(state: bytes) -> None:
    found = parse(_slot(_line(b'["abc",[7,9]]'), state, _line(b'["abc",[["/ws","d"]]]')))
    assert (found.state, found.intent) == (state, SlotIntent(("abc",), STAGING))
    assert found.buckets == {7, 9}
    assert not found.is_series


@pytest.mark.parametrize("state", [ACTIVE, READY])
def test_the_state_of_a_series_is_that_of_its_newest_change(state: bytes) -> None:
    intent = encode_intent(("a", "b", "c"), '[["/ws","d"]]', is_series=True)
    found = parse(_slot(state + encode_locks("b", frozenset({3})), SERIES, intent))
    assert (found.state, found.newest, found.buckets) == (state, "b", {3})
    assert [found.is_finished(each) for each in "abc"] == [True, state == READY, False]


@pytest.mark.parametrize(
    "first", [b"", b"R", b"R0bad0bad [", _line(b'["x",[1]]'), b"R" + b"z" * 90]
)
def test_a_series_whose_first_block_was_lost_may_be_unfinished(first: bytes) -> None:
    intent = encode_intent(("a", "b"), "[]", is_series=True)
    found = parse(_slot(first, SERIES, intent))
    assert (found.state, found.buckets) == (ACTIVE, None)
    assert not found.is_finished("a")


def test_a_change_taken_out_of_its_series_still_tells_of_its_locks() -> None:
    alone = encode_intent(("b",), "[]", is_series=False)
    found = parse(_slot(ACTIVE + encode_locks("b", frozenset({5})), ABANDONED, alone))
    assert (found.state, found.buckets, found.is_series) == (ABANDONED, {5}, False)


@pytest.mark.parametrize("raw", [b"", b"\0" * 5000, _slot(b"", SERIES, b"12345678 [[]]\n")])
def test_what_was_cut_off_counts_as_done(raw: bytes) -> None:
    assert parse(raw).state == DONE


def test_ids_are_of_eight_characters_and_differ() -> None:
    ids = new_ids(200)
    assert {len(each) for each in ids} == {8}
    assert len(set(ids)) == 200


@pytest.mark.parametrize("is_series", [False, True])
def test_what_a_dead_change_staged_is_removed(tmp_path: Path, is_series: bool) -> None:
    """Whichever form its slot has."""
    root, state = tmp_path / "ws", tmp_path / "state"
    (root / "d").mkdir(parents=True)
    (state / "slots").mkdir(parents=True)
    (root / "d" / ".redline-abcdefgh-0").write_text("half")
    ids = ("zzzzzzzz", "abcdefgh") if is_series else ("abcdefgh",)
    intent = encode_intent(ids, f'[["{root}","d"]]', is_series=is_series)
    (state / "slots" / "s").write_bytes(_slot(b"", SERIES if is_series else ACTIVE, intent))
    disk = QuickDisk()
    workspace = DiskWorkspace(disk, [str(root)])
    store = DiskStore(disk, workspace, str(state), str(tmp_path / "locks"))
    assert list((root / "d").iterdir()) == []
    assert parse((state / "slots" / "s").read_bytes()).state == DONE
    assert store.recovery.settled == 1
    store.close()
    workspace.close()


@pytest.mark.parametrize("syncs", [False, True])
def test_there_are_series_only_where_directories_can_be_synced(tmp_path: Path, syncs: bool) -> None:
    """Without that, recovery needs to know of every change whether it came to its end."""

    class Syncing(QuickDisk):
        syncs_directories = syncs

    root, state = tmp_path / "ws", tmp_path / "state"
    root.mkdir()
    disk = Syncing()
    workspace = DiskWorkspace(disk, [str(root)])
    store = DiskStore(disk, workspace, str(state), str(tmp_path / "locks"))
    made = Change(WorkspacePath(0, ("f",)), ABSENT, FileState.of(b"new\n"))
    transaction = store.begin(ChangeSet((made,)), Origin("test", "pytest 1"))
    transaction.swap().finish()
    (slot,) = (state / "slots").iterdir()
    assert parse(slot.read_bytes()).is_series == syncs
    assert parse(slot.read_bytes()).state == READY
    store.close()
    workspace.close()
