"""Undo knows a file by what happened to it, not by a name that another one may have now."""

from __future__ import annotations

import pytest

from redline.core.changes import ABSENT, Change, DirState
from redline.core.errors import UndoBlocked
from redline.core.ports.history import Direction, Operation, Revert
from tests.engine.bench import ORIGIN, Bench

TEN = "".join(f"line {number}\n" for number in range(1, 11))
EDITED = TEN.replace("line 5", "five")

pytestmark = pytest.mark.requirement("history-undo-identity")


def _rewind(bench: Bench, *operations: Operation) -> Operation:
    """Take operations back as one, given from the latest to the oldest."""
    request = Revert(Direction.REWIND, tuple(operation.id for operation in operations))
    return bench.editor.revert(request, ORIGIN)


def _refuse(bench: Bench, operation: Operation) -> UndoBlocked:
    before = bench.snapshot()
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(operation.id)
    assert bench.snapshot() == before
    return caught.value


def _files(bench: Bench) -> dict[str, str]:
    found = bench.root.rglob("*")
    return {str(path.relative_to(bench.root)): path.read_text() for path in found if path.is_file()}


def _rmdir(bench: Bench, name: str) -> Change:
    path = bench.at(name)
    return Change(path, bench.tree.state(path), ABSENT)


def test_an_edit_is_found_after_two_files_had_one_name_and_were_taken_back_together(
    bench: Bench,
) -> None:
    (bench.root / "a").write_text(TEN)
    edit = bench.commit(bench.write("a", EDITED))
    removal = bench.commit(bench.delete("a"))
    other = bench.commit(bench.write("a", "other\n"))
    _rewind(bench, other, removal)
    bench.commit(bench.move("a", "b"))
    bench.redo(other.id)
    bench.undo(edit.id)
    assert _files(bench) == {"a": "other\n", "b": TEN}


def test_an_edit_of_a_removed_file_is_not_looked_for_in_another_of_that_name(bench: Bench) -> None:
    (bench.root / "a").write_text("x\n")
    edit = bench.commit(bench.write("a", ""))
    removal = bench.commit(bench.delete("a"))
    bench.commit(bench.write("a", "x\n"))
    assert _refuse(bench, edit).operations == (removal.id,)


def test_a_file_that_comes_back_with_another_content_is_the_same_file(bench: Bench) -> None:
    (bench.root / "a").write_text(TEN)
    edit = bench.commit(bench.write("a", EDITED))
    removal = bench.commit(bench.delete("a"))
    _rewind(bench, removal, edit)
    bench.commit(bench.move("a", "b"))
    bench.redo(edit.id)
    assert _files(bench) == {"b": EDITED}


def test_a_file_that_another_program_removes_and_brings_back_is_the_same_file(bench: Bench) -> None:
    (bench.root / "a").write_text(TEN)
    edit = bench.commit(bench.write("a", EDITED))
    bench.commit(bench.delete("a"))
    (bench.root / "a").write_text(EDITED)
    bench.commit(bench.write("a", EDITED + "more\n"))
    bench.undo(edit.id)
    assert _files(bench) == {"a": TEN + "more\n"}


def test_a_move_is_redone_although_another_file_had_the_old_name_in_between(bench: Bench) -> None:
    (bench.root / "a").write_text("first\n")
    move = bench.commit(bench.move("a", "b"))
    second = bench.commit(bench.write("a", "second\n"))
    removal = bench.commit(bench.delete("a"))
    _rewind(bench, removal, second, move)
    bench.redo(move.id)
    assert _files(bench) == {"b": "first\n"}
    bench.redo(second.id)
    assert _files(bench) == {"a": "second\n", "b": "first\n"}


def test_who_has_the_name_that_a_file_had_is_named(bench: Bench) -> None:
    (bench.root / "a").write_text("first\n")
    move = bench.commit(bench.move("a", "b"))
    second = bench.commit(bench.write("a", "second\n"))
    assert _refuse(bench, move).operations == (second.id,)


def test_going_back_over_a_group_does_its_changes_again_in_the_order_they_need(
    bench: Bench,
) -> None:
    (bench.root / "a").write_text("0\n")
    edits = [bench.commit(bench.write("a", f"{number}\n")) for number in range(1, 7)]
    _rewind(bench, *reversed(edits))
    assert _files(bench) == {"a": "0\n"}
    ids = bench.history.changed_since(edits[-1].id, None)
    assert list(ids) == [edit.id for edit in edits]
    bench.editor.revert(Revert(Direction.REWIND, tuple(ids)), ORIGIN)
    assert _files(bench) == {"a": "6\n"}


def test_what_is_left_of_a_group_is_redone_in_the_order_it_needs(bench: Bench) -> None:
    (bench.root / "a").write_text("0\n")
    first, second, third = (bench.commit(bench.write("a", f"{n}\n")) for n in (1, 2, 3))
    group = _rewind(bench, third, second, first)
    for edit in (first, second, third):
        bench.redo(edit.id)
    for edit in (third, second):
        bench.undo(edit.id)
    bench.redo(group.id)
    assert _files(bench) == {"a": "3\n"}


def test_a_directory_that_was_moved_onto_the_name_of_a_removed_one_is_another(
    bench: Bench,
) -> None:
    for name in ("p", "q"):
        (bench.root / name).mkdir()
        (bench.root / name / "x").write_text(f"{name}\n")
    edit = bench.commit(bench.write("p/x", "edited\n"))
    file = bench.commit(bench.delete("p/x"))
    folder = bench.commit(_rmdir(bench, "p"))
    bench.commit(bench.move("q", "p"))
    _refuse(bench, edit)
    _refuse(bench, file)
    _refuse(bench, folder)
    bench.commit(bench.move("p", "r"))
    assert "p is not a directory" in _refuse(bench, file).diff
    for operation in (folder, file, edit):
        bench.undo(operation.id)
    assert _files(bench) == {"p/x": "p\n", "r/x": "q\n"}


def test_a_directory_is_not_moved_back_into_itself(bench: Bench) -> None:
    (bench.root / "x/d").mkdir(parents=True)
    first = bench.commit(bench.move("x/d", "d"))
    second = bench.commit(bench.move("x", "d/x"))
    assert _refuse(bench, first).operations == (second.id,)
    bench.undo(second.id)
    bench.undo(first.id)
    assert (bench.root / "x/d").is_dir()


def test_a_directory_that_was_made_again_is_not_removed_with_the_first_one(bench: Bench) -> None:
    first = bench.commit(bench.mkdir("d"))
    removal = bench.commit(_rmdir(bench, "d"))
    second = bench.commit(bench.mkdir("d"))
    bench.undo(first.id)
    assert (bench.root / "d").is_dir()
    bench.redo(first.id)
    bench.undo(second.id)
    bench.undo(removal.id)
    assert (bench.root / "d").is_dir()
    bench.undo(first.id)
    assert not (bench.root / "d").exists()


def test_a_group_brought_back_knows_which_of_two_directories_of_one_name_is_there(
    bench: Bench,
) -> None:
    first = bench.commit(bench.mkdir("d"))
    bench.undo(first.id)
    second = bench.commit(bench.mkdir("d"))
    group = _rewind(bench, second, first)
    bench.redo(group.id)
    bench.undo(second.id)
    assert not (bench.root / "d").exists()


def test_a_file_that_a_group_brings_back_moves_and_removes_again_is_one_file(bench: Bench) -> None:
    made = bench.commit(bench.write("c", TEN))
    move = bench.commit(bench.move("c", "d"))
    removal = bench.commit(bench.delete("d"))
    _rewind(bench, removal, move, made)
    assert _files(bench) == {}
    with pytest.raises(UndoBlocked):
        bench.redo(move.id)


def test_files_of_one_name_that_a_group_brings_back_are_told_apart(bench: Bench) -> None:
    (bench.root / "b").write_text("first\n")
    (bench.root / "c").write_text(TEN)
    first = bench.commit(bench.delete("b"))
    move = bench.commit(bench.move("c", "b"))
    edit = bench.commit(bench.write("b", EDITED))
    second = bench.commit(bench.delete("b"))
    _rewind(bench, second, edit, move, first)
    assert _files(bench) == {"b": "first\n", "c": TEN}
    with pytest.raises(UndoBlocked):
        bench.redo(move.id)


def test_a_group_in_which_a_directory_was_made_and_removed_is_taken_back(bench: Bench) -> None:
    (bench.root / "a").write_text(TEN)
    operations = [
        bench.commit(bench.write("a", EDITED)),
        bench.commit(bench.mkdir("d")),
        bench.commit(bench.write("d/f", "f\n")),
        bench.commit(bench.move("d/f", "f")),
        bench.commit(bench.delete("f")),
        bench.commit(_rmdir(bench, "d")),
        bench.commit(bench.write("d", "a file now\n")),
    ]
    undo = _rewind(bench, *reversed(operations))
    assert _files(bench) == {"a": TEN}
    bench.redo(undo.id)
    assert _files(bench) == {"a": EDITED, "d": "a file now\n"}


def test_one_change_may_make_a_directory_and_remove_it(bench: Bench) -> None:
    path = bench.at("d")
    made = Change(path, ABSENT, DirState())
    bench.commit(made, Change(path, DirState(), ABSENT), bench.write("a", "a\n"))
    assert _files(bench) == {"a": "a\n"}
    assert not (bench.root / "d").exists()
