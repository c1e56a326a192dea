"""What git ignores and nobody recorded is in the way of no undo."""

from __future__ import annotations

import pytest

from redline.core.errors import UndoBlocked
from redline.core.ports.history import Direction, Operation, Revert
from tests.engine.bench import ORIGIN, Bench

pytestmark = pytest.mark.requirement("history-undo-ignored")


def _make_package(bench: Bench) -> Operation:
    return bench.commit(bench.mkdir("pkg"), bench.write("pkg/m.py", "x = 1\n"))


def _run(bench: Bench, directory: str = "pkg") -> None:
    """Leave behind what an import of Python does."""
    (bench.root / directory / "__pycache__").mkdir(exist_ok=True)
    (bench.root / directory / "__pycache__" / "m.pyc").write_bytes(b"\0compiled")


def _delete_cache(bench: Bench) -> Operation:
    return bench.commit(bench.delete("pkg/__pycache__/m.pyc"), bench.delete("pkg/__pycache__"))


def _rewind(bench: Bench, *operations: Operation) -> Operation:
    request = Revert(Direction.REWIND, tuple(operation.id for operation in operations))
    return bench.editor.revert(request, ORIGIN)


def _names(bench: Bench) -> list[str]:
    return sorted(str(path.relative_to(bench.root)) for path in bench.root.rglob("*"))


CACHE = ["pkg", "pkg/__pycache__", "pkg/__pycache__/m.pyc"]


def test_a_directory_stays_with_what_is_ignored_and_the_answer_says_so(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    planned = bench.editor.plan_revert(Revert(Direction.UNDO, (made.id,)))
    done = bench.undo(made.id)
    assert _names(bench) == CACHE
    assert done.notes == planned.notes == ("pkg stays, as it holds __pycache__ (ignored)",)


def test_redo_and_undo_go_on_around_the_directory_that_stayed(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    for _ in range(2):
        bench.undo(made.id)
        assert _names(bench) == CACHE
        bench.redo(made.id)
        assert _names(bench) == [*CACHE, "pkg/m.py"]
    bench.undo(made.id)
    (bench.root / "pkg/__pycache__/m.pyc").unlink()
    (bench.root / "pkg/__pycache__").rmdir()
    bench.redo(made.id)
    bench.undo(made.id)
    assert _names(bench) == []


def test_the_directories_around_it_stay_too(bench: Bench) -> None:
    steps = [bench.mkdir(name) for name in ("a", "a/b", "a/b/pkg")]
    made = bench.commit(*steps, bench.write("a/b/pkg/m.py", "x\n"))
    _run(bench, "a/b/pkg")
    notes = bench.undo(made.id).notes
    assert not (bench.root / "a/b/pkg/m.py").exists()
    assert (bench.root / "a/b/pkg/__pycache__/m.pyc").exists()
    assert notes[0] == "a/b/pkg stays, as it holds __pycache__ (ignored)"


def test_a_move_into_a_new_directory_is_taken_back(bench: Bench) -> None:
    (bench.root / "m.py").write_text("x = 1\n")
    made = bench.commit(bench.mkdir("pkg"), bench.move("m.py", "pkg/m.py"))
    _run(bench)
    bench.undo(made.id)
    assert _names(bench) == ["m.py", *CACHE]


def test_ignore_files_say_what_is_ignored(bench: Bench) -> None:
    (bench.root / ".gitignore").write_text("*.log\n")
    made = _make_package(bench)
    (bench.root / "pkg/run.log").write_text("ran\n")
    bench.undo(made.id)
    assert _names(bench) == [".gitignore", "pkg", "pkg/run.log"]


def test_a_file_that_is_not_ignored_is_still_in_the_way(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    (bench.root / "pkg/notes.txt").write_text("a person's\n")
    with pytest.raises(UndoBlocked) as caught:
        bench.undo(made.id)
    assert "notes.txt was added" in str(caught.value.details["diff"])
    assert "__pycache__" not in str(caught.value.details["diff"])


def test_an_ignored_file_that_was_recorded_is_still_in_the_way(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    bench.commit(bench.write("pkg/__pycache__/kept.txt", "recorded\n"))
    with pytest.raises(UndoBlocked):
        bench.undo(made.id)


def test_a_rewind_passes_the_deletion_of_what_is_ignored(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    deleted = _delete_cache(bench)
    done = _rewind(bench, deleted, made)
    assert _names(bench) == []
    assert done.notes == ("pkg/__pycache__ (ignored) is not brought back: its directory is gone",)


def test_a_rewind_passes_it_also_after_the_directory_was_undone(bench: Bench) -> None:
    made = _make_package(bench)
    _run(bench)
    deleted = _delete_cache(bench)
    bench.undo(made.id)
    assert _names(bench) == []
    _rewind(bench, deleted)
    assert _names(bench) == []


def test_an_undo_of_that_deletion_alone_brings_every_byte_back(bench: Bench) -> None:
    _make_package(bench)
    _run(bench)
    deleted = _delete_cache(bench)
    bench.undo(deleted.id)
    assert (bench.root / "pkg/__pycache__/m.pyc").read_bytes() == b"\0compiled"


def test_an_ignored_file_of_a_directory_that_others_removed_is_not_given_up(bench: Bench) -> None:
    (bench.root / "conf").mkdir()
    (bench.root / ".gitignore").write_text(".env\n")
    (bench.root / "conf/.env").write_text("KEY=1\n")
    deleted = bench.commit(bench.delete("conf/.env"))
    (bench.root / "conf").rmdir()
    with pytest.raises(UndoBlocked):
        bench.undo(deleted.id)
