"""Undo takes back exactly what an operation did and keeps what happened since."""

from __future__ import annotations

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState
from redline.core.errors import AlreadyUndone, InvalidArgument, UndoBlocked
from redline.core.ports.history import Direction, HistoryQuery, Operation, Origin, Revert
from tests.engine.bench import ORIGIN, Bench

TEN = [f"line {number}\n" for number in range(1, 11)]


def _with(**lines: str) -> str:
    text = list(TEN)
    for name, line in lines.items():
        text[int(name[1:]) - 1] = line
    return "".join(text)


def _lay(bench: Bench, name: str = "f", text: str | None = None) -> None:
    (bench.root / name).write_text("".join(TEN) if text is None else text)


def _read(bench: Bench, name: str = "f") -> str:
    return (bench.root / name).read_text()


def _part(bench: Bench, operation: Operation, **chosen: object) -> Operation:
    request = Revert(Direction.UNDO, (operation.id,), **chosen)  # type: ignore[arg-type]
    return bench.editor.revert(request, ORIGIN)


@pytest.mark.requirement("history-undo-merges")
def test_an_undo_keeps_a_line_a_person_added_since(bench: Bench) -> None:
    _lay(bench)
    operation = bench.commit(bench.write("f", _with(_5="five\n")))
    (bench.root / "f").write_text(_with(_5="five\n") + "mine\n")
    undo = bench.undo(operation.id)
    assert undo.merged
    assert _read(bench) == "".join(TEN) + "mine\n"
    redo = bench.redo(operation.id)
    assert _read(bench) == _with(_5="five\n") + "mine\n"
    assert not redo.merged
    (bench.root / "f").write_text(_with(_5="five\n"))
    assert bench.undo(operation.id).kind == "undo"
    assert _read(bench) == "".join(TEN)


@pytest.mark.requirement("history-undo-merges")
def test_an_undo_keeps_a_later_operation_in_the_same_file(bench: Bench) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_2="two\n")))
    second = bench.commit(bench.write("f", _with(_2="two\n", _8="eight\n")))
    bench.undo(first.id)
    assert _read(bench) == _with(_8="eight\n")
    bench.undo(second.id)
    assert _read(bench) == "".join(TEN)
    bench.redo(first.id)
    bench.redo(second.id)
    assert _read(bench) == _with(_2="two\n", _8="eight\n")


@pytest.mark.requirement("history-undo-merges")
def test_repeated_lines_are_followed_through_the_journal(bench: Bench) -> None:
    _lay(bench, text="x\n" * 9)
    bench.commit(bench.write("f", "x\n" * 3 + "y\n" + "x\n" * 6))
    second = bench.commit(bench.write("f", "y\n" + "x\n" * 3 + "y\n" + "x\n" * 6))
    bench.commit(bench.write("f", "y\n" + "x\n" * 3 + "y\n" + "x\n" * 6 + "end\n"))
    bench.undo(second.id)
    assert _read(bench) == "x\n" * 3 + "y\n" + "x\n" * 6 + "end\n"


@pytest.mark.requirement("history-undo-merges")
def test_an_overlap_is_refused_with_the_lines_of_both_sides_and_who_is_in_the_way(
    bench: Bench,
) -> None:
    _lay(bench)
    _lay(bench, "g")
    first = bench.commit(bench.write("f", _with(_5="five\n")), bench.write("g", "g\n"))
    second = bench.commit(bench.write("f", _with(_5="cinq\n")))
    before = bench.snapshot()
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(first.id)
    assert bench.snapshot() == before, "g could have been undone, but nothing is half undone"
    error = caught.value
    assert error.operations == (second.id,)
    assert second.id in error.message
    (conflict,) = error.details["conflicts"]
    assert (conflict["line"], conflict["now"], conflict["wanted"]) == (5, ["cinq"], ["line 5"])
    assert "<<<<<<< now" in error.diff
    bench.undo(second.id)
    bench.undo(first.id)
    assert _read(bench) == "".join(TEN)


@pytest.mark.requirement("history-undo-merges")
def test_a_change_that_only_touches_the_neighbouring_line_is_refused_as_git_does(
    bench: Bench,
) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_5="five\n")))
    (bench.root / "f").write_text(_with(_5="five\n", _6="mine\n"))
    with pytest.raises(UndoBlocked, match="another program"):
        bench.undo(first.id)


@pytest.mark.requirement("history-undo-merges")
def test_what_was_changed_and_changed_back_is_not_in_the_way(bench: Bench) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_5="five\n")))
    second = bench.commit(bench.write("f", _with(_5="cinq\n")))
    bench.commit(bench.write("f", _with(_5="cinq\n", _9="nine\n")))
    bench.undo(second.id)
    assert _read(bench) == _with(_5="five\n", _9="nine\n")
    bench.undo(first.id)
    assert _read(bench) == _with(_9="nine\n")


@pytest.mark.requirement("history-undo-merges")
def test_what_was_undone_since_is_not_named_as_in_the_way_but_what_was_redone_is(
    bench: Bench,
) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_5="five\n")))
    second = bench.commit(bench.write("f", _with(_5="five\n", _6="six\n")))
    bench.undo(second.id)
    redo = bench.redo(second.id)
    third = bench.commit(bench.write("f", _with(_5="cinq\n", _6="six\n")))
    bench.undo(third.id)
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(first.id)
    assert caught.value.operations == (redo.id,)


@pytest.mark.requirement("history-undo-merges")
def test_a_file_written_whole_is_merged_by_its_changed_lines(bench: Bench) -> None:
    _lay(bench)
    whole = bench.commit(bench.write("f", _with(_1="ONE\n", _10="TEN\n")))
    (bench.root / "f").write_text(_with(_1="ONE\n", _5="mine\n", _10="TEN\n"))
    bench.undo(whole.id)
    assert _read(bench) == _with(_5="mine\n")


@pytest.mark.requirement("history-undo-follows-moves")
def test_an_edit_is_undone_in_a_file_that_was_moved_since(bench: Bench) -> None:
    (bench.root / "d").mkdir()
    _lay(bench, "d/f")
    edit = bench.commit(bench.write("d/f", _with(_5="five\n")))
    bench.commit(bench.move("d/f", "d/g"))
    bench.commit(bench.move("d", "e"))
    bench.commit(bench.write("e/g", _with(_5="five\n", _9="nine\n")))
    bench.undo(edit.id)
    assert _read(bench, "e/g") == _with(_9="nine\n")
    bench.redo(edit.id)
    assert _read(bench, "e/g") == _with(_5="five\n", _9="nine\n")


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_recorded_as_removal_and_creation_is_followed(bench: Bench) -> None:
    _lay(bench)
    edit = bench.commit(bench.write("f", _with(_5="five\n")))
    moved = FileState.of(_read(bench).encode(), 0o644)
    steps = (Change(bench.at("f"), moved, ABSENT), Change(bench.at("g"), ABSENT, moved))
    (bench.root / "f").rename(bench.root / "g")
    bench.editor.record(ChangeSet(steps), Origin("exec_command"))
    bench.undo(edit.id)
    assert _read(bench, "g") == "".join(TEN)


def _move_outside(bench: Bench, source: str, target: str, *more: Change) -> str:
    """Move a file as another program does, and record it as the recorder does."""
    moved = bench.tree.state(bench.at(source))
    halves = Change(bench.at(target), ABSENT, moved), Change(bench.at(source), moved, ABSENT)
    (bench.root / target).parent.mkdir(exist_ok=True)
    (bench.root / source).rename(bench.root / target)
    return bench.editor.record(ChangeSet((*more, *halves)), Origin("outside")).id


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_by_another_program_is_undone_with_what_was_edited_since(bench: Bench) -> None:
    _lay(bench)
    move = _move_outside(bench, "f", "new/g", bench.mkdir("new"))
    edit = bench.commit(bench.write("new/g", _with(_5="five\n")))
    with open(bench.root / "new/g", "a") as file:
        file.write("a person's line\n")
    undone = bench.undo(move)
    assert _read(bench) == _with(_5="five\n") + "a person's line\n"
    assert not (bench.root / "new").exists()
    bench.undo(edit.id)
    assert _read(bench) == "".join(TEN) + "a person's line\n"
    bench.redo(undone.id)
    assert _read(bench, "new/g") == "".join(TEN) + "a person's line\n"
    assert not (bench.root / "f").exists()


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_by_another_program_is_redone_and_taken_back_in_a_group(bench: Bench) -> None:
    _lay(bench)
    move = _move_outside(bench, "f", "g")
    edit = bench.commit(bench.write("g", _with(_5="five\n")))
    rewind = Revert(Direction.REWIND, (edit.id, move))
    bench.editor.revert(rewind, ORIGIN)
    assert _read(bench) == "".join(TEN)
    bench.redo(edit.id)
    assert _read(bench) == _with(_5="five\n")
    bench.redo(move)
    assert _read(bench, "g") == _with(_5="five\n")
    assert not (bench.root / "f").exists()


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_that_also_made_the_file_executable_is_taken_back_with_the_edit_before(
    bench: Bench,
) -> None:
    _lay(bench)
    before = bench.tree.state(bench.at("f"))
    edit = bench.commit(bench.write("f", _with(_5="five\n")))
    moved = bench.tree.state(bench.at("f"))
    (bench.root / "f").rename(bench.root / "g")
    (bench.root / "g").chmod(0o755)
    made = bench.tree.state(bench.at("g"))
    halves = Change(bench.at("g"), ABSENT, made), Change(bench.at("f"), moved, ABSENT)
    move = bench.editor.record(ChangeSet(halves), Origin("outside"))
    undone = bench.editor.revert(Revert(Direction.REWIND, (move.id, edit.id)), ORIGIN)
    assert bench.tree.state(bench.at("f")) == before
    assert not (bench.root / "g").exists()
    bench.redo(undone.id)
    assert bench.tree.state(bench.at("g")) == made
    assert not (bench.root / "f").exists()


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_directory_moved_by_another_program_is_undone_with_what_was_edited_since(
    bench: Bench,
) -> None:
    (bench.root / "d").mkdir()
    for name in ("d/f", "d/g"):
        _lay(bench, name, f"{name}\n" * 3)
    states = {name: bench.tree.state(bench.at(name)) for name in ("d", "d/f", "d/g")}
    gone = [Change(bench.at(name), states[name], ABSENT) for name in ("d/g", "d/f", "d")]
    made = [Change(bench.at("e" + name[1:]), ABSENT, state) for name, state in states.items()]
    (bench.root / "d").rename(bench.root / "e")
    move = bench.editor.record(ChangeSet((*gone, *made)), Origin("outside"))
    (bench.root / "e/f").write_text("d/f\n" * 3 + "more\n")
    undo = bench.undo(move.id)
    assert sorted(path.name for path in bench.root.iterdir()) == ["d"]
    assert _read(bench, "d/f") == "d/f\n" * 3 + "more\n"
    assert _read(bench, "d/g") == "d/g\n" * 3
    bench.redo(undo.id)
    assert sorted(path.name for path in bench.root.iterdir()) == ["e"]
    assert _read(bench, "e/f") == "d/f\n" * 3 + "more\n"
    (bench.root / "e/h").write_text("another\n")
    with pytest.raises(UndoBlocked):
        bench.undo(move.id)


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_file_moved_into_a_directory_of_its_name_is_undone(bench: Bench) -> None:
    _lay(bench)
    was = bench.tree.state(bench.at("f"))
    steps = [
        Change(bench.at("f"), was, ABSENT),
        Change(bench.at("f"), ABSENT, DirState(0o755)),
        Change(bench.at("f").child("f"), ABSENT, was),
    ]
    (bench.root / "f").rename(bench.root / "moving")
    (bench.root / "f").mkdir()
    (bench.root / "moving").rename(bench.root / "f/f")
    move = bench.editor.record(ChangeSet(tuple(steps)), Origin("outside"))
    bench.undo(move.id)
    assert _read(bench) == "".join(TEN)
    bench.redo(move.id)
    assert _read(bench, "f/f") == "".join(TEN)


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_half_of_a_move_is_a_part_and_what_took_the_old_name_is_in_the_way(bench: Bench) -> None:
    _lay(bench)
    move = _move_outside(bench, "f", "g")
    bench.editor.revert(Revert(Direction.UNDO, (move,), paths=(bench.at("f"),)), ORIGIN)
    assert _read(bench) == _read(bench, "g") == "".join(TEN)
    (bench.root / "f").unlink()
    other = bench.commit(bench.write("f", "another\n"))
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(move)
    assert caught.value.operations == (other.id,)
    assert _read(bench) == "another\n"


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_keeps_what_was_edited_since_and_a_second_move_is_in_the_way(bench: Bench) -> None:
    _lay(bench)
    move = bench.commit(bench.move("f", "g"))
    (bench.root / "g").write_text("edited\n")
    again = bench.commit(bench.move("g", "h"))
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(move.id)
    assert caught.value.operations == (again.id,)
    bench.undo(again.id)
    bench.undo(move.id)
    assert _read(bench) == "edited\n"


@pytest.mark.requirement("history-undo-merges")
def test_binary_files_are_all_or_nothing(bench: Bench) -> None:
    (bench.root / "f").write_bytes(b"a\n\0b\nc\nd\n")
    operation = bench.commit(bench.write("f", b"A\n\0b\nc\nd\n"))
    (bench.root / "f").write_bytes(b"A\n\0b\nc\nD\n")
    with pytest.raises(UndoBlocked, match="another program"):
        bench.undo(operation.id)
    (bench.root / "f").write_bytes(b"A\n\0b\nc\nd\n")
    bench.undo(operation.id)
    assert (bench.root / "f").read_bytes() == b"a\n\0b\nc\nd\n"


@pytest.mark.requirement("history-undo-merges")
def test_what_a_person_took_back_already_counts_as_undone(bench: Bench) -> None:
    _lay(bench)
    operation = bench.commit(bench.write("f", _with(_5="five\n")))
    _lay(bench)
    undo = bench.undo(operation.id)
    assert (undo.kind, undo.reverts, undo.change_set.steps) == ("undo", operation.id, ())
    with pytest.raises(AlreadyUndone):
        bench.undo(operation.id)


@pytest.mark.requirement("history-undo-merges")
def test_a_file_that_others_removed_or_made_again_is_in_the_way(bench: Bench) -> None:
    _lay(bench)
    edit = bench.commit(bench.write("f", _with(_5="five\n")))
    gone = bench.commit(bench.delete("f"))
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(edit.id)
    assert caught.value.operations == (gone.id,)
    (bench.root / "f").write_text("another\n")
    with pytest.raises(UndoBlocked):
        bench.undo(gone.id)
    assert _read(bench) == "another\n"


@pytest.mark.requirement("history-undo-parts")
def test_some_files_of_a_change_are_undone_and_the_rest_later(bench: Bench) -> None:
    _lay(bench, "a")
    _lay(bench, "b")
    both = bench.commit(bench.write("a", "A\n"), bench.write("b", "B\n"))
    part = _part(bench, both, paths=(bench.at("a"),))
    assert (_read(bench, "a"), _read(bench, "b")) == ("".join(TEN), "B\n")
    assert part.reverts == f"{both.id}~"
    listed = {each.id: each for each in bench.history.list(HistoryQuery())}
    assert listed[both.id].reverted_by is None, "the change as a whole is not undone"
    bench.undo(part.id)
    assert _read(bench, "a") == "A\n"
    bench.undo(part.id)
    assert _read(bench, "a") == "".join(TEN)
    bench.undo(both.id)
    assert _read(bench, "b") == "".join(TEN)


@pytest.mark.requirement("history-undo-parts")
def test_some_hunks_of_a_change_are_undone(bench: Bench) -> None:
    text = [f"line {number}\n" for number in range(60)]
    (bench.root / "f").write_text("".join(text))
    changed = list(text)
    for number in (5, 30, 55):
        changed[number] = f"changed {number}\n"
    operation = bench.commit(bench.write("f", "".join(changed)))
    (bench.root / "f").write_text("mine\n" + "".join(changed))
    part = _part(bench, operation, hunks=frozenset({2}))
    changed[30] = text[30]
    assert _read(bench) == "mine\n" + "".join(changed)
    bench.redo(part.id)
    changed[30] = "changed 30\n"
    assert _read(bench) == "mine\n" + "".join(changed)
    bench.undo(operation.id)
    assert _read(bench) == "mine\n" + "".join(text)


@pytest.mark.requirement("history-undo-parts")
def test_a_hunk_or_path_that_is_not_in_the_change_is_refused(bench: Bench) -> None:
    _lay(bench)
    operation = bench.commit(bench.write("f", _with(_5="five\n")))
    with pytest.raises(InvalidArgument, match="2"):
        _part(bench, operation, hunks=frozenset({2}))
    with pytest.raises(InvalidArgument, match="none of these"):
        _part(bench, operation, paths=(bench.at("g"),))


def _rewind(bench: Bench, since: str | None) -> Operation:
    ids = tuple(bench.history.changed_since(since, None))
    return bench.editor.revert(Revert(Direction.REWIND, ids), ORIGIN)


@pytest.mark.requirement("history-undo-groups")
def test_many_operations_are_taken_back_as_one_and_given_back_as_one(bench: Bench) -> None:
    _lay(bench)
    states = [bench.snapshot()]
    first = bench.commit(bench.write("f", _with(_2="two\n")))
    states.append(bench.snapshot())
    bench.commit(bench.mkdir("d"), bench.write("d/new", "new\n"))
    bench.commit(bench.write("f", _with(_2="two\n", _5="five\n")), bench.move("d/new", "d/newer"))
    last = bench.commit(bench.write("d/newer", "newer\n"))
    states.append(bench.snapshot())
    group = _rewind(bench, first.id)
    assert bench.snapshot() == states[1]
    assert len(bench.history.list(HistoryQuery())) == 5
    with pytest.raises(AlreadyUndone):
        bench.undo(last.id)
    bench.redo(group.id)
    assert bench.snapshot() == states[2]
    _rewind(bench, None)
    assert bench.snapshot() == states[0]
    bench.redo()
    assert bench.snapshot() == states[2]


@pytest.mark.requirement("history-undo-groups")
def test_a_rewind_restores_what_was_undone_since(bench: Bench) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_2="two\n")))
    second = bench.commit(bench.write("f", _with(_2="two\n", _8="eight\n")))
    bench.undo(first.id)
    group = _rewind(bench, second.id)
    assert _read(bench) == _with(_2="two\n", _8="eight\n")
    bench.undo(group.id)
    assert _read(bench) == _with(_8="eight\n")
    bench.redo(first.id)
    assert _read(bench) == _with(_2="two\n", _8="eight\n")


@pytest.mark.requirement("history-undo-groups")
def test_one_change_of_a_group_is_redone_alone(bench: Bench) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_2="two\n")))
    second = bench.commit(bench.write("f", _with(_2="two\n", _8="eight\n")))
    group = _rewind(bench, None)
    assert _read(bench) == "".join(TEN)
    bench.redo(first.id)
    assert _read(bench) == _with(_2="two\n")
    bench.redo(group.id)
    assert _read(bench) == _with(_2="two\n", _8="eight\n")
    bench.undo(second.id)
    assert _read(bench) == _with(_2="two\n")


@pytest.mark.requirement("history-undo-groups")
def test_what_is_left_of_a_group_is_redone_as_one_change_around_a_persons_edit(
    bench: Bench,
) -> None:
    _lay(bench)
    first = bench.commit(bench.write("f", _with(_5="five\n", _9="nine\n")))
    second = bench.commit(bench.write("f", _with(_5="five\n")))
    other = bench.commit(bench.write("g", "g\n"))
    group = bench.editor.revert(Revert(Direction.REWIND, (other.id, second.id, first.id)), ORIGIN)
    bench.redo(other.id)
    _lay(bench, "f", _with(_9="a person's\n"))
    bench.redo(group.id)
    assert _read(bench) == _with(_5="five\n", _9="a person's\n")


@pytest.mark.requirement("history-undo-groups")
def test_a_group_is_merged_around_other_work_or_refused_as_a_whole(bench: Bench) -> None:
    _lay(bench)
    _lay(bench, "g")
    start = bench.commit(bench.write("start", "x"))
    bench.commit(bench.write("f", _with(_2="two\n")))
    bench.commit(bench.write("f", _with(_2="two\n", _5="five\n")))
    bench.commit(bench.write("g", _with(_1="one\n")))
    (bench.root / "f").write_text(_with(_2="two\n", _5="five\n", _9="mine\n"))
    (bench.root / "g").write_text(_with(_1="mine too\n"))
    before = bench.snapshot()
    with pytest.raises(UndoBlocked):
        _rewind(bench, start.id)
    assert bench.snapshot() == before
    (bench.root / "g").write_text(_with(_1="one\n"))
    assert _rewind(bench, start.id).merged
    assert (_read(bench), _read(bench, "g")) == (_with(_9="mine\n"), "".join(TEN))


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_is_not_undone_with_another_file_that_took_the_name(bench: Bench) -> None:
    (bench.root / "a").write_text("first\n")
    moved = bench.commit(bench.move("a", "e"))
    removed = bench.commit(bench.delete("e"))
    bench.commit(bench.write("e", "another file\n"))
    before = bench.snapshot()
    with pytest.raises(UndoBlocked, match=removed.id):
        bench.undo(moved.id)
    assert bench.snapshot() == before
    ids = tuple(bench.history.changed_since(None, None))
    bench.editor.revert(Revert(Direction.REWIND, ids), ORIGIN)
    assert bench.snapshot().keys() == {"a"}


@pytest.mark.requirement("history-undo-groups")
def test_a_rewind_is_redone_where_two_files_had_one_name_in_turn(bench: Bench) -> None:
    (bench.root / "a").write_text("first\n")
    bench.commit(bench.move("a", "d"))
    bench.commit(bench.write("a", "second\n"))
    bench.commit(bench.move("a", "e"))
    end = bench.snapshot()
    ids = tuple(bench.history.changed_since(None, None))
    done = bench.editor.revert(Revert(Direction.REWIND, ids), ORIGIN)
    assert bench.snapshot().keys() == {"a"}
    bench.redo(done.id)
    assert bench.snapshot() == end
