"""What other programs change is written down once, and undoing it gives every byte back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.core.errors import WriteFailed
from redline.core.ports.history import OUTSIDE
from redline.recorder import recording as recorder
from redline.recorder.adapters.known_files import DatabaseOfFiles
from tests.recorder.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


@pytest.mark.requirement("recorder-records")
def test_the_first_look_learns_and_records_nothing(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    assert desk.start() == []
    assert desk.history() == []


@pytest.mark.requirement("recorder-records")
def test_an_edit_by_another_program_is_an_operation_that_can_be_undone(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("a.txt", b"one\ntwo\n")
    [operation] = desk.settle("a.txt")
    assert operation.origin.tool == OUTSIDE
    desk.undo(operation)
    assert (desk.root / "a.txt").read_bytes() == b"one\n"


@pytest.mark.requirement("recorder-records")
def test_a_burst_of_every_kind_is_one_operation_and_comes_back_whole(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.write("d/e/deep.bin", bytes(range(256)))
    desk.write("run.sh", b"#!/bin/sh\n")
    os.symlink("a.txt", desk.root / "link")
    desk.start()
    before = desk.picture()
    shutil.rmtree(desk.root / "d")
    os.rename(desk.root / "a.txt", desk.root / "b.txt")
    os.chmod(desk.root / "run.sh", 0o755)
    os.unlink(desk.root / "link")
    os.symlink("b.txt", desk.root / "link")
    desk.write("new/file.txt", b"new\n")
    after = desk.picture()
    [operation] = desk.settle()
    desk.undo(operation)
    assert desk.picture() == before
    desk.redline.editor.redo(None, operation.origin)
    assert desk.picture() == after


@pytest.mark.requirement("recorder-own-once")
def test_redlines_own_changes_are_not_recorded_again(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    mine = desk.edit("a.txt", b"two\n")
    new = desk.edit("b.txt", b"new\n")
    assert desk.settle() == []
    desk.undo(new)
    assert desk.settle("a.txt", "b.txt") == []
    assert [o.origin.tool for o in desk.history()] == ["undo_change", "edit_file", "edit_file"]
    assert mine.id == desk.history()[-1].id


@pytest.mark.requirement("recorder-own-once")
def test_an_edit_of_a_person_just_before_ours_is_recorded_too(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("a.txt", b"one\nperson\n")
    desk.edit("a.txt", b"one\nperson\nagent\n")
    [between] = desk.settle("a.txt")
    assert between.origin.tool == OUTSIDE
    [step] = desk.redline.history.get(between.id).change_set.steps
    assert step.before.content == b"one\n"  # type: ignore[union-attr]
    assert step.after.content == b"one\nperson\n"  # type: ignore[union-attr]


@pytest.mark.requirement("recorder-own-once")
def test_an_edit_of_a_person_just_after_ours_starts_from_ours(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.edit("a.txt", b"agent\n")
    desk.write("a.txt", b"person\n")
    [after] = desk.settle("a.txt")
    [step] = desk.redline.history.get(after.id).change_set.steps
    assert step.before.content == b"agent\n"  # type: ignore[union-attr]
    desk.undo(after)
    assert (desk.root / "a.txt").read_bytes() == b"agent\n"


@pytest.mark.requirement("recorder-restart")
def test_what_happened_while_nobody_watched_is_one_operation(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.write("b.txt", b"b\n")
    desk.start()
    before = desk.picture()
    desk.write("a.txt", b"two\n")
    os.unlink(desk.root / "b.txt")
    desk.edit("c.txt", b"ours\n")
    [operation] = desk.restart()
    assert operation.origin.summary == "while not watching"
    assert desk.restart() == []
    desk.undo(operation)
    assert {k: v for k, v in desk.picture().items() if k != "c.txt"} == before


@pytest.mark.requirement("recorder-restart")
def test_a_recorder_killed_before_it_saved_does_not_record_twice(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("a.txt", b"two\n")

    def killed(*_: object, **__: object) -> None:
        raise WriteFailed("killed")

    monkeypatch.setattr(desk.files, "save", killed)
    with pytest.raises(WriteFailed):
        desk.settle("a.txt")
    assert desk.restart() == []
    assert len(desk.history()) == 1


@pytest.mark.requirement("recorder-restart")
def test_a_recorder_killed_while_it_learns_takes_nothing_for_new(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        desk.write(f"f{number}.txt", b"x" * 10)
    monkeypatch.setattr("redline.recorder.recording._MAX_BATCH_BYTES", 15)
    saves = 0

    def killed(*given: Any, is_whole: bool = True) -> None:
        nonlocal saves
        saves += 1
        if saves == 2:
            raise WriteFailed("killed")
        DatabaseOfFiles.save(desk.files, *given, is_whole=is_whole)

    monkeypatch.setattr(desk.files, "save", killed)
    with pytest.raises(WriteFailed):
        desk.start()
    assert desk.restart() == []
    assert desk.restart() == []
    assert desk.history() == []


@pytest.mark.requirement("recorder-ignores")
def test_what_git_ignores_is_not_recorded_and_a_new_rule_removes_nothing(desk: Desk) -> None:
    desk.write(".gitignore", b"*.log\n")
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("x.log", b"noise\n")
    desk.write("node_modules/m.js", b"noise\n")
    assert desk.settle() == []
    desk.write(".gitignore", b"*.log\n*.txt\n")
    [operation] = desk.settle()
    assert [p.relative for p in operation.change_set.paths] == [".gitignore"]


@pytest.mark.requirement("recorder-ignores")
def test_an_edit_of_an_ignored_file_does_not_make_it_new(desk: Desk) -> None:
    desk.write(".gitignore", b"*.log\nbuild/\n")
    desk.write("x.log", b"one\n")
    desk.write("build/deep/y.txt", b"one\n")
    desk.write("node_modules/m.js", b"one\n")
    desk.start()
    for content in (b"two\n", b"three\n"):
        for name in ("x.log", "build/deep/y.txt", "node_modules/m.js"):
            desk.edit(name, content)
        assert desk.settle() == []
    assert {o.origin.tool for o in desk.history()} == {"edit_file"}


@pytest.mark.requirement("recorder-order")
def test_a_new_file_that_is_edited_before_it_was_seen_was_made_by_another(desk: Desk) -> None:
    desk.write(".gitignore", b"*.log\n")
    desk.start()
    desk.write("a.txt", b"one\n")
    desk.edit("a.txt", b"two\n")
    [made] = desk.settle()
    assert [(p.relative, o.origin.tool) for o in desk.history() for p in o.change_set.paths] == [
        ("a.txt", "edit_file"),
        ("a.txt", made.origin.tool),
    ]


@pytest.mark.requirement("recorder-ignores")
def test_what_was_ignored_and_is_moved_is_not_new(desk: Desk) -> None:
    desk.write(".gitignore", b"*.log\nbuild/\n")
    desk.write("x.log", b"one\n")
    desk.write("build/deep/y.txt", b"one\n")
    desk.start()
    desk.move("x.log", "x.txt")
    desk.move("build", "out")
    assert desk.settle() == []
    assert desk.recorder.uncovered == ()
    desk.write("out/deep/y.txt", b"two\n")
    [operation] = desk.settle()
    assert [p.relative for p in operation.change_set.paths] == ["out/deep/y.txt"]


@pytest.mark.requirement("recorder-ignores")
@pytest.mark.parametrize("who", ["another", "redline", "while not watching"])
def test_an_ignore_rule_that_goes_makes_no_file(desk: Desk, who: str) -> None:
    desk.write(".gitignore", b"*.log\nbuild/\n")
    desk.write("x.log", b"kept\n")
    desk.write("build/deep/y.txt", b"kept\n")
    desk.start()
    if who == "redline":
        desk.edit(".gitignore", b"none\n")
        assert desk.settle() == []
        [operation] = desk.history()
    else:
        desk.write(".gitignore", b"none\n")
        desk.write("new.txt", b"new\n")
        found = desk.settle() if who == "another" else desk.restart()
        [operation] = found
        assert {p.relative for p in operation.change_set.paths} == {".gitignore", "new.txt"}
    desk.undo(operation)
    assert (desk.root / "x.log").read_bytes() == b"kept\n"
    assert (desk.root / "build/deep/y.txt").read_bytes() == b"kept\n"


@pytest.mark.requirement("recorder-records")
def test_a_file_over_the_limit_is_named_as_not_recorded(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("big.bin", b"\0" * (5 << 20))
    assert desk.settle() == []
    assert desk.recorder.uncovered == ("big.bin",)


@pytest.mark.requirement("recorder-records")
def test_a_burst_that_one_operation_cannot_hold_is_several_and_nothing_is_left_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "MAX_CHANGES", 10)
    desk.start()
    before = desk.picture()
    for number in range(24):
        desk.write(f"new/{number}.txt", b"%d\n" % number)
    made = desk.settle()
    assert [len(operation.change_set.steps) for operation in made] == [10, 10, 5]
    assert not desk.recorder.uncovered
    for operation in reversed(made):
        desk.undo(operation)
    assert desk.picture() == before


@pytest.mark.requirement("recorder-git")
def test_contents_that_git_has_are_not_stored_again(desk: Desk) -> None:
    desk.git("init", "-q")
    desk.write("a.txt", b"one\n" * 50)
    desk.git("add", ".")
    desk.git("commit", "-qm", "first")
    desk.write("b.txt", b"not in git\n")
    desk.start()
    rows = desk.files._database.execute("select git is not null, packed is not null from contents")
    assert sorted(rows) == [(0, 1), (1, 0)]
    desk.write("a.txt", b"two\n")
    [operation] = desk.settle()
    desk.undo(operation)
    assert (desk.root / "a.txt").read_bytes() == b"one\n" * 50


NAMES = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt"]
STEP = st.tuples(
    st.sampled_from(["write", "delete", "move", "ours", "settle", "restart", "mode", "rmtree"]),
    st.sampled_from(NAMES),
    st.binary(max_size=12),
)


@pytest.mark.requirement("recorder-records")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=14))
def test_any_mix_of_programs_is_undone_to_the_first_byte(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, bytes]]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("recorded"))
    try:
        for name in NAMES[:3]:
            desk.write(name, name.encode())
        desk.start()
        first = desk.picture()
        for kind, name, content in steps:
            _carry_out(desk, kind, name, content)
        desk.settle()
        last = desk.picture()
        undone = [o for o in desk.history() if o.kind == "change"]
        for operation in undone:
            desk.undo(operation)
        assert desk.picture() == first
        for operation in reversed(undone):
            desk.redline.editor.redo(None, operation.origin)
        assert desk.picture() == last
    finally:
        desk.close()


def _carry_out(desk: Desk, kind: str, name: str, content: bytes) -> None:
    path = desk.root / name
    if kind == "write":
        desk.write(name, content)
    elif kind == "delete" and path.exists():
        path.unlink()
    elif kind == "move" and path.exists():
        os.replace(path, desk.root / "moved.txt")
    elif kind == "ours":
        # Seen before it begins: what another program does in the middle is another test.
        desk.settle()
        desk.edit(name, content) if path.parent.exists() else None
    elif kind == "settle":
        desk.settle()
    elif kind == "restart":
        desk.restart()
    elif kind == "mode" and path.exists():
        os.chmod(path, 0o600 if content else 0o644)
    elif kind == "rmtree":
        shutil.rmtree(desk.root / "d", ignore_errors=True)
