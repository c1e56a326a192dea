"""Listing, filtering, paging and pruning the history."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.adapters.files.tree import DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.store import DiskStore
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import UndoBlocked, UnknownOperation
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Direction, HistoryQuery, Operation, Origin, Revert
from redline.engine.editor import JournalEditor
from tests.engine.bench import ORIGIN, Bench, snapshot
from tests.engine.quick import QuickDisk


def _ids(found: object) -> list[str]:
    assert isinstance(found, list)
    return [each.id for each in found]


def _write(bench: Bench, name: str, content: str, tool: str = "test") -> Operation:
    return bench.editor.commit(ChangeSet((bench.write(name, content),)), Origin(tool, "pytest"))


def test_pages_follow_each_other_newest_first(bench: Bench) -> None:
    made = [_write(bench, "f", str(number)).id for number in range(7)][::-1]
    first = _ids(bench.history.list(HistoryQuery(limit=3)))
    second = _ids(bench.history.list(HistoryQuery(limit=3, before_id=first[-1])))
    third = _ids(bench.history.list(HistoryQuery(limit=3, before_id=second[-1])))
    assert first + second + third == made
    with pytest.raises(UnknownOperation):
        bench.history.list(HistoryQuery(before_id="nothere0"))


def test_filters_by_path_tool_and_time(bench: Bench) -> None:
    a = _write(bench, "a", "a", "one")
    b = _write(bench, "b", "b", "two")
    bench.commit(bench.mkdir("d"))
    c = _write(bench, "d/c", "c", "two")
    assert _ids(bench.history.list(HistoryQuery(path="a"))) == [a.id]
    assert _ids(bench.history.list(HistoryQuery(path=str(bench.root / "b")))) == [b.id]
    assert _ids(bench.history.list(HistoryQuery(path="d")))[0] == c.id
    assert _ids(bench.history.list(HistoryQuery(tool="two"))) == [c.id, b.id]
    assert _ids(bench.history.list(HistoryQuery(until=b.time, tool="two"))) == [b.id]
    assert a.id not in _ids(bench.history.list(HistoryQuery(since=b.time)))
    assert bench.history.list(HistoryQuery(path="/nowhere/else")) == []


def test_a_place_that_became_a_link_outside_keeps_its_history(bench: Bench) -> None:
    bench.commit(bench.mkdir("d"))
    made = _write(bench, "d/c", "c")
    _write(bench, "c", "another of that name")
    (bench.root / "d").rename(bench.root / "moved")
    (bench.root / "d").symlink_to("/")
    for path in ("d/c", "./d//c", str(bench.root / "d/c")):
        assert _ids(bench.history.list(HistoryQuery(path=path))) == [made.id]
    assert bench.history.list(HistoryQuery(path="d/other")) == []


@pytest.mark.parametrize("name", ["plain", 'quo"te', "back\\slash", "caf\u00e9", "\udcff", "a\nb"])
def test_changes_are_found_by_every_kind_of_name(bench: Bench, name: str) -> None:
    bench.commit(bench.mkdir(name))
    made = _write(bench, f"{name}/f", "x")
    other = _write(bench, "other", "x")
    for path in (name, f"{name}/f"):
        found = _ids(bench.history.list(HistoryQuery(path=path)))
        assert found[0] == made.id
        assert other.id not in found


def test_an_operation_is_got_with_its_contents_and_origin(bench: Bench) -> None:
    (bench.root / "f").write_text("old\n")
    made = bench.editor.commit(
        ChangeSet((bench.write("f", "new\n"),)), Origin("edit_file", "claude 1", "me", "why")
    )
    found = bench.history.get(made.id)
    step = found.change_set.steps[0]
    assert (step.before.content, step.after.content) == (b"old\n", b"new\n")  # type: ignore[union-attr]
    assert found.origin == Origin("edit_file", "claude 1", "me", "why")
    listed = bench.history.list(HistoryQuery())[0].change_set.steps[0]
    assert listed.after.content is None  # type: ignore[union-attr]


def test_two_processes_share_one_history(bench: Bench) -> None:
    other = Bench(bench.root)
    made = _write(other, "f", "x")
    assert _ids(bench.history.list(HistoryQuery())) == [made.id]
    bench.undo(made.id)
    assert other.history.get(made.id).reverted_by is not None


def test_history_stands_outside_the_workspace_and_is_private(bench: Bench) -> None:
    _write(bench, "f", "x")
    assert os.listdir(bench.root) == ["f"]
    state = bench.app.state_dir
    assert not state.startswith(str(bench.root))
    assert os.stat(state).st_mode & 0o777 == 0o700


@pytest.mark.requirement("engine-retention")
def test_pruning_by_size_drops_the_oldest_and_every_listed_undo_still_works(bench: Bench) -> None:
    contents = [os.urandom(2000).hex() for _ in range(12)]
    for content in contents:
        _write(bench, "f", content)
    store = bench.app._store
    dropped = store.prune(days=30, size=12_000)
    assert os.path.getsize(os.path.join(bench.app.state_dir, "journal")) <= 12_000
    assert os.path.getsize(os.path.join(bench.app.state_dir, "journal")) > 6_000
    listed = bench.history.list(HistoryQuery())
    assert 0 < dropped < 12
    assert len(listed) == 12 - dropped
    for index in range(len(listed)):
        bench.undo()
        left = 11 - index - 1
        expected = contents[left] if left >= 0 else None
        assert expected is None or (bench.root / "f").read_text() == expected


def test_pruning_by_size_drops_blobs_that_no_listed_operation_needs(bench: Bench) -> None:
    for _ in range(12):
        _write(bench, "f", os.urandom(20_000).hex())
    dropped = bench.app._store.prune(days=30, size=120_000)
    names = os.listdir(os.path.join(bench.app.state_dir, "blobs"))
    assert 0 < dropped < 12
    assert len(names) == 12 - dropped + 1
    for _ in range(12 - dropped):
        bench.undo()


def test_pruning_by_age_keeps_the_newest(bench: Bench) -> None:
    made = [_write(bench, "f", str(number)) for number in range(3)]
    assert bench.app._store.prune(days=-1, size=1 << 30) == 2
    assert _ids(bench.history.list(HistoryQuery())) == [made[-1].id]
    bench.undo()
    assert (bench.root / "f").read_text() == "1"


def test_other_processes_notice_a_pruned_journal(bench: Bench) -> None:
    other = Bench(bench.root)
    for number in range(4):
        _write(other, "f", str(number))
    assert len(bench.history.list(HistoryQuery())) == 4
    other.app._store.prune(days=-1, size=1 << 30)
    assert len(bench.history.list(HistoryQuery())) == 1
    made = _write(bench, "g", "x")
    assert _ids(other.history.list(HistoryQuery()))[0] == made.id


def test_an_undo_whose_change_was_pruned_can_still_be_redone(bench: Bench) -> None:
    _write(bench, "f", "x")
    bench.undo()
    assert bench.app._store.prune(days=-1, size=1 << 30) == 1
    bench.redo()
    assert (bench.root / "f").read_text() == "x"


def test_editing_prunes_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    bench = Bench(tmp_path / "ws", history_size=20_000)
    for _ in range(70):
        _write(bench, "f", os.urandom(1000).hex())
    assert len(bench.history.list(HistoryQuery(limit=100))) < 70


def test_a_torn_last_line_counts_for_nothing_and_the_next_operation_is_kept(bench: Bench) -> None:
    first = _write(bench, "f", "1")
    with open(os.path.join(bench.app.state_dir, "journal"), "ab") as file:
        file.write(b"12345678 R abcdefgh change - 1.0 0 {")
    second = _write(bench, "f", "2")
    assert _ids(Bench(bench.root).history.list(HistoryQuery())) == [second.id, first.id]


def test_ten_thousand_operations_are_listed_by_page(bench: Bench) -> None:
    from redline.adapters.journal import records
    from redline.adapters.journal.records import Head, format_operation

    store = bench.app._store
    change = bench.write("f", "x")
    body = records.encode_body(ChangeSet((change,)), Origin("t"), (), store.workspace.root_path)
    for number in range(10_000):
        head = Head(f"{number:08d}", "change", None, float(number), 0)
        store.journal.commit(format_operation(head, body))
    fresh = Bench(bench.root)
    page = _ids(fresh.history.list(HistoryQuery(limit=100, before_id="00005000")))
    assert page[0] == "00004999"
    assert len(page) == 100


def test_undo_of_a_deleted_directory_brings_everything_back(bench: Bench) -> None:
    (bench.root / "d/e").mkdir(parents=True)
    (bench.root / "d/e/f").write_bytes(b"\0binary\xff")
    (bench.root / "d/l").symlink_to("e/f")
    (bench.root / "d").chmod(0o711)
    before = bench.snapshot()
    bench.commit(*(bench.delete(name) for name in ("d/l", "d/e/f", "d/e", "d")))
    assert bench.snapshot() == {}
    bench.undo()
    assert bench.snapshot() == before


def test_undo_of_a_made_directory_is_refused_while_a_person_uses_it(bench: Bench) -> None:
    bench.commit(bench.mkdir("d"))
    (bench.root / "d/mine").write_text("mine")
    with pytest.raises(UndoBlocked, match="d") as caught:
        bench.undo()
    assert "mine" in caught.value.diff
    assert (bench.root / "d/mine").read_text() == "mine"


def test_a_mode_changed_by_a_person_does_not_block_an_undo_of_content(bench: Bench) -> None:
    bench.commit(bench.write("f", "1"))
    bench.commit(bench.write("f", "2"))
    (bench.root / "f").chmod(0o600)
    bench.undo()
    assert (bench.root / "f").read_text() == "1"
    assert (bench.root / "f").stat().st_mode & 0o777 == 0o600


def test_a_plan_is_shown_before_and_is_what_happens(bench: Bench) -> None:
    made = _write(bench, "f", "x")
    plan = bench.editor.plan_revert(Revert(Direction.UNDO, (made.id,))).change_set
    assert isinstance(plan.steps[0].before, FileState)  # type: ignore[union-attr]
    assert (bench.root / "f").exists()
    assert bench.undo(made.id).change_set.paths == plan.paths
    assert bench.editor.plan_revert(Revert(Direction.REDO)).change_set.paths == plan.paths


def test_more_than_fits_in_memory_is_deleted_and_brought_back(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    disk = QuickDisk()
    workspace = DiskWorkspace(disk, [str(root)])
    state, locks = str(tmp_path / "state"), str(tmp_path / "locks")
    store = DiskStore(disk, workspace, state, locks, max_held=100)
    editor = JournalEditor(workspace, DiskTree(disk, workspace), store)
    steps = []
    for number in range(10):
        content = b"%d" % number * 50
        (root / f"f{number}").write_bytes(content)
        path = WorkspacePath(0, (f"f{number}",))
        steps.append(Change(path, FileState.of(content), ABSENT))
    before = snapshot(root)
    made = editor.commit(ChangeSet(tuple(steps)), ORIGIN)
    assert snapshot(root) == {}
    held = [s for s in store.load(made.id).change_set.steps if s.before.content]  # type: ignore[union-attr]
    assert len(held) == 2
    editor.undo(None, ORIGIN)
    assert snapshot(root) == before
