"""Commit, undo and redo over a real directory."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState
from redline.core.errors import (
    AlreadyUndone,
    InvalidArgument,
    NothingToUndo,
    PathDenied,
    ReadOnlyMode,
    StaleBase,
    UndoBlocked,
    UnknownOperation,
    WriteFailed,
)
from redline.core.ports.history import HistoryQuery
from redline.plan.file_ops import plan_delete
from tests.engine.bench import ORIGIN, Bench


def test_a_commit_changes_every_file_and_is_one_operation(bench: Bench) -> None:
    (bench.root / "old").write_text("old\n")
    operation = bench.commit(
        bench.write("old", "new\n"), bench.mkdir("d"), bench.write("d/f", "made\n")
    )
    assert (bench.root / "old").read_text() == "new\n"
    assert (bench.root / "d/f").read_text() == "made\n"
    assert [each.id for each in bench.history.list(HistoryQuery())] == [operation.id]
    assert len(operation.id) == 8


def test_undo_puts_everything_back_and_redo_does_it_again(bench: Bench) -> None:
    (bench.root / "old").write_text("old\n")
    before = bench.snapshot()
    operation = bench.commit(
        bench.write("old", "new\n"), bench.mkdir("d"), bench.write("d/f", "made\n")
    )
    after = bench.snapshot()
    undo = bench.undo()
    assert bench.snapshot() == before
    assert (undo.kind, undo.reverts) == ("undo", operation.id)
    redo = bench.redo()
    assert bench.snapshot() == after
    assert (redo.kind, redo.reverts) == ("redo", undo.id)
    bench.undo()
    assert bench.snapshot() == before


def test_a_file_changed_since_the_plan_is_refused_and_nothing_is_touched(bench: Bench) -> None:
    (bench.root / "a").write_text("a")
    (bench.root / "b").write_text("b")
    plan = (bench.write("a", "A"), bench.write("b", "B"))
    (bench.root / "b").write_text("person")
    before = bench.snapshot()
    with pytest.raises(StaleBase, match="b"):
        bench.commit(*plan)
    assert bench.snapshot() == before
    assert bench.history.list(HistoryQuery()) == []


def test_undo_after_a_later_edit_is_refused_with_a_diff_and_changes_nothing(bench: Bench) -> None:
    operation = bench.commit(bench.write("a", "one\n"), bench.write("b", "b\n"))
    (bench.root / "a").write_text("one\ntwo\n")
    before = bench.snapshot()
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(operation.id)
    assert "+two" in caught.value.diff
    assert bench.snapshot() == before


def test_an_old_operation_is_undone_while_later_ones_stay(bench: Bench) -> None:
    first = bench.commit(bench.write("a", "a"))
    bench.commit(bench.write("b", "b"))
    bench.undo(first.id)
    assert sorted(os.listdir(bench.root)) == ["b"]
    with pytest.raises(AlreadyUndone):
        bench.undo(first.id)
    bench.undo()
    assert os.listdir(bench.root) == []
    with pytest.raises(NothingToUndo):
        bench.undo()


def test_undo_and_redo_walk_the_history_like_a_stack(bench: Bench) -> None:
    states = [bench.snapshot()]
    for content in ("1", "2", "3"):
        bench.commit(bench.write("f", content))
        states.append(bench.snapshot())
    for state in reversed(states[:-1]):
        bench.undo()
        assert bench.snapshot() == state
    for state in states[1:]:
        bench.redo()
        assert bench.snapshot() == state
    with pytest.raises(NothingToUndo):
        bench.redo()


def test_undoing_an_undo_is_a_redo(bench: Bench) -> None:
    operation = bench.commit(bench.write("f", "x"))
    undo = bench.undo(operation.id)
    assert bench.undo(undo.id).kind == "redo"
    assert (bench.root / "f").read_text() == "x"


def test_history_says_who_took_what_back(bench: Bench) -> None:
    operation = bench.commit(bench.write("f", "x"))
    undo = bench.undo()
    listed = {each.id: each for each in bench.history.list(HistoryQuery())}
    assert listed[operation.id].reverted_by == undo.id
    redo = bench.redo()
    listed = {each.id: each for each in bench.history.list(HistoryQuery())}
    assert listed[operation.id].reverted_by is None
    assert listed[undo.id].reverted_by == redo.id


def test_moving_a_directory_and_editing_in_it_is_one_operation(bench: Bench) -> None:
    (bench.root / "d").mkdir()
    (bench.root / "d/f").write_text("old")
    before = bench.snapshot()
    state = bench.tree.state(bench.at("d/f"))
    move = bench.move("d", "e")
    edit = Change(move.target.child("f"), state, FileState.of(b"new"))
    bench.commit(move, edit)
    assert bench.snapshot()["e/f"][2] == b"new"
    bench.undo()
    assert bench.snapshot() == before


def test_the_mode_of_an_edited_file_is_kept_and_a_mode_can_be_changed(bench: Bench) -> None:
    script = bench.root / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o750)
    bench.commit(bench.write("run.sh", "#!/bin/bash\n"))
    assert script.stat().st_mode & 0o7777 == 0o750
    bench.commit(bench.write("run.sh", "#!/bin/bash\n", 0o700))
    assert script.stat().st_mode & 0o7777 == 0o700
    bench.undo()
    assert script.stat().st_mode & 0o7777 == 0o750


def test_a_hard_link_that_an_edit_breaks_is_reported(bench: Bench) -> None:
    (bench.root / "a").write_text("x")
    os.link(bench.root / "a", bench.root / "b")
    operation = bench.commit(bench.write("a", "y"))
    assert any("hard link" in note for note in operation.notes)
    assert (bench.root / "b").read_text() == "x"


def test_read_only_refuses_every_change(bench: Bench) -> None:
    reader = Bench(bench.root, read_only=True)
    with pytest.raises(ReadOnlyMode):
        reader.commit(bench.write("a", "x"))
    assert os.listdir(bench.root) == []


def test_an_empty_change_set_is_no_operation(bench: Bench) -> None:
    assert bench.editor.commit(ChangeSet(), ORIGIN).id == ""
    assert bench.history.list(HistoryQuery()) == []


def test_an_unknown_operation_is_named(bench: Bench) -> None:
    with pytest.raises(UnknownOperation, match="nope"):
        bench.undo("nope")


def test_nothing_is_left_next_to_the_files(bench: Bench) -> None:
    bench.commit(bench.write("f", "x"))
    (bench.root / "g").write_text("g")
    stale = bench.write("g", "h")
    (bench.root / "g").write_text("changed")
    with pytest.raises(StaleBase):
        bench.commit(stale)
    assert sorted(os.listdir(bench.root)) == ["f", "g"]


def test_history_is_never_kept_inside_the_workspace(bench: Bench) -> None:
    with pytest.raises(InvalidArgument, match="inside the workspace"):
        Bench(bench.root, state_dir=str(bench.root / "state"))
    assert os.listdir(bench.root) == []


def test_a_root_is_not_moved_or_removed(bench: Bench) -> None:
    (bench.root / "d/inner").mkdir(parents=True)
    wide = Bench(bench.root, directories=((str(bench.root / "d/inner"), True),))
    for step in (wide.move("d", "e"), Change(wide.at("d"), DirState(), ABSENT)):
        with pytest.raises(PathDenied, match="cannot be replaced"):
            wide.commit(step)


def test_owner_and_attributes_are_kept_or_their_loss_is_noted(bench: Bench) -> None:
    file = bench.root / "f"
    file.write_text("x")
    try:
        os.setxattr(file, "user.redline", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    if os.getuid() == 0:
        os.chown(file, 1234, 1234)
    owner = file.stat().st_uid
    operation = bench.commit(bench.write("f", "y"))
    assert os.getxattr(file, "user.redline") == b"kept"
    assert file.stat().st_uid == owner
    assert operation.notes == ()
    bench.undo()
    assert os.getxattr(file, "user.redline") == b"kept"
    assert file.stat().st_uid == owner


def test_a_move_to_another_file_system_is_refused_and_changes_nothing(
    bench: Bench, tmp_path: Path
) -> None:
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at hand")
    other = Path(tempfile.mkdtemp(dir=shared))
    try:
        wide = Bench(bench.root, directories=((str(other), True),))
        (bench.root / "f").write_text("x")
        with pytest.raises(WriteFailed) as caught:
            wide.commit(wide.write("g", "new"), wide.move("f", str(other / "f")))
        assert "different file systems" in str(caught.value.hint)
        assert sorted(os.listdir(bench.root)) == ["f"]
        assert os.listdir(other) == []
        assert wide.history.list(HistoryQuery()) == []
    finally:
        shutil.rmtree(other)


def test_a_file_that_appears_at_the_last_moment_is_never_overwritten(bench: Bench) -> None:
    plan = ChangeSet((bench.write("a", "ours"), bench.write("b", "ours")))
    transaction = bench.app._store.begin(plan, ORIGIN)
    (bench.root / "b").write_text("theirs")
    with pytest.raises(StaleBase, match="b"):
        transaction.swap()
    assert (bench.root / "b").read_text() == "theirs"
    assert sorted(os.listdir(bench.root)) == ["b"]
    assert bench.history.list(HistoryQuery()) == []


def test_a_mode_and_a_content_changed_in_one_operation_are_undone_together(bench: Bench) -> None:
    bench.commit(bench.write("f", "1"))
    before = bench.snapshot()
    mode, content = bench.write("f", "1", 0o640), bench.write("f", "2")
    bench.commit(mode, content)
    assert bench.snapshot()["f"] == ("file", 0o640, b"2")
    bench.undo()
    assert bench.snapshot() == before


def test_a_name_that_the_file_system_refuses_leaves_no_directory_behind(bench: Bench) -> None:
    before = bench.snapshot()
    made = Change(bench.at("d").child("n" * 300), ABSENT, FileState.of(b"x"))
    with pytest.raises(WriteFailed, match="too long"):
        bench.commit(bench.mkdir("d"), made)
    assert bench.snapshot() == before
    assert bench.history.list(HistoryQuery()) == []


def test_undo_and_redo_of_a_deletion_leave_out_the_fifo_that_cannot_come_back(
    bench: Bench,
) -> None:
    (bench.root / "d").mkdir()
    (bench.root / "d/f").write_text("x")
    os.mkfifo(bench.root / "d/fifo")
    deleted = bench.editor.commit(plan_delete(bench.tree, bench.at("d"), "d"), ORIGIN)
    assert [note for note in deleted.notes if "FIFO" in note]
    undone = bench.undo()
    assert [note for note in undone.notes if "FIFO" in note]
    assert os.listdir(bench.root / "d") == ["f"]
    bench.redo()
    assert not (bench.root / "d").exists()
