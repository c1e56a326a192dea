"""Redline as a library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline import Workspace
from redline.core.errors import (
    AmbiguousMatch,
    InvalidArgument,
    NodeNotFound,
    NoMatch,
    ReadOnlyMode,
    Unavailable,
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    return Workspace.open(str(tmp_path / "ws"))


def test_a_path_in_the_place_of_settings_is_answered_with_how_to_open_one(tmp_path: Path) -> None:
    made: Any = Workspace
    with pytest.raises(TypeError, match=r"Workspace\.open\(path\) opens a directory"):
        made(tmp_path)


def test_files_edited_together_are_one_operation(workspace: Workspace) -> None:
    workspace.write("a.txt", "one two\n")
    with workspace.edit("both") as edit:
        edit.replace("a.txt", "one", "1").replace("a.txt", "two", "2")
        edit.write("deep/down/b.txt", "b\n").write("deep/down/c.txt", "c\n")
        assert "+1 2" in edit.diff()
    assert workspace.read("a.txt") == "1 2\n"
    assert workspace.names("deep/down") == ["b.txt", "c.txt"]
    assert [each.origin.summary for each in workspace.log()] == ["both", "write a.txt"]
    workspace.undo()
    assert workspace.names() == ["a.txt"]
    assert workspace.read("a.txt") == "one two\n"
    workspace.redo()
    assert workspace.read("deep/down/b.txt") == "b\n"


def test_a_directory_is_made_and_undone(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.edit("make") as edit:
        edit.make_directory("deep/down")
    assert (tmp_path / "ws/deep/down").is_dir()
    workspace.undo()
    assert workspace.names() == []


def test_an_error_in_the_block_changes_nothing(workspace: Workspace) -> None:
    workspace.write("a.txt", "x x\n")

    def edit_two_files() -> None:
        with workspace.edit() as edit:
            edit.write("b.txt", "b").replace("a.txt", "x", "y")

    with pytest.raises(AmbiguousMatch):
        edit_two_files()
    with pytest.raises(NoMatch):
        workspace.replace("a.txt", "z", "y")
    assert workspace.names() == ["a.txt"]


def test_moves_deletes_and_what_they_changed(workspace: Workspace) -> None:
    workspace.write("d/a.txt", "a\n")
    workspace.move("d", "e")
    gone = workspace.delete("e")
    assert workspace.names() == []
    assert "-a" in workspace.show(gone.id)
    workspace.undo()
    workspace.undo()
    assert workspace.read("d/a.txt") == "a\n"


def test_read_only_reads(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("a.txt", "a\n")
    reader = Workspace.open(str(tmp_path / "ws"), read_only=True)
    assert reader.read("a.txt") == "a\n"
    with pytest.raises(ReadOnlyMode):
        reader.write("a.txt", "b\n")


def test_importing_redline_imports_nothing_heavy() -> None:
    code = "import sys, redline; print([m for m in sys.modules if m.startswith('redline')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(eval(out.stdout)) == ["redline", "redline._version"]


@pytest.mark.requirement("history-undo-groups")
def test_parts_groups_checkpoints_and_old_contents_are_there_for_programs(
    workspace: Workspace,
) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    workspace.write("a.txt", "".join(lines))
    mark = workspace.checkpoint("before")
    changed = [line.upper() if n in (3, 30) else line for n, line in enumerate(lines)]
    change = workspace.write("a.txt", "".join(changed))
    assert "@@ hunk 2\n" in workspace.show(change.id[:5])
    workspace.undo(hunks=[2])
    assert workspace.read("a.txt").splitlines()[30] == "line 30"
    makers = [line.operation and line.operation.id for line in workspace.blame("a.txt")]
    assert makers[3] == change.id
    workspace.write("b.txt", "b\n")
    undone = workspace.undo(to="before")
    assert workspace.read("a.txt") == "".join(lines)
    assert workspace.names() == ["a.txt"]
    workspace.redo(undone.id)
    assert workspace.read("b.txt") == "b\n"
    workspace.restore("a.txt", "before")
    assert workspace.read("a.txt") == "".join(lines)
    assert mark.id in [operation.id for operation in workspace.log(client="library")]
    assert workspace.log(client="another") == []


def test_every_error_is_at_the_top_level() -> None:
    import redline
    from redline.core import errors

    known = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    known = {name: kind for name, kind in known.items() if issubclass(kind, errors.RedlineError)}
    assert "NoMatch" in known
    for name, kind in known.items():
        assert getattr(redline, name) is kind
        assert name in dir(redline)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = redline.Nothing


def test_a_workspace_and_a_change_have_a_short_repr(workspace: Workspace) -> None:
    change = workspace.write("a.txt", "x" * 10_000)
    assert repr(workspace).startswith("Workspace('")
    assert repr(change) == f"<change {change.id} 'write a.txt', 1 step>"


def test_closing_twice_leaves_descriptors_of_others_open(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.write("a.txt", "one\n")
    workspace.close()
    others = [os.open(tmp_path, os.O_RDONLY) for _ in range(40)]
    workspace.close()
    for fd in others:
        os.fstat(fd)
        os.close(fd)


@pytest.mark.requirement("meta-library-errors")
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.toml"])
def test_a_value_that_is_not_there_is_said_with_the_keys_that_are(
    workspace: Workspace, name: str
) -> None:
    text = {"a.yaml": "a: text\n", "a.json": '{"a": "text"}', "a.toml": 'a = "text"\n'}[name]
    with workspace:
        workspace.write(name, text)
        for key in ("b", "a.b", "a[0]", "[0]", "$.b"):
            with pytest.raises(NodeNotFound):
                workspace.get(name, key)
        with pytest.raises(NodeNotFound) as raised:
            workspace.get(name, "b")
    assert raised.value.hint == "keys here: a"


@pytest.mark.requirement("meta-library-errors")
def test_what_documents_do_not_hold_is_refused(workspace: Workspace) -> None:
    with workspace:
        workspace.write("a.yaml", "a: 1\n")
        workspace.write("a.py", "a: int = 1\n")
        with pytest.raises(InvalidArgument, match="Not a value that documents hold"):
            workspace.set("a.yaml", "a", {1, 2})
        for ask in (
            lambda: workspace.get("a.py", "a"),
            lambda: workspace.set("a.py", "a", 1),
        ):
            with pytest.raises(InvalidArgument, match="but python"):
                ask()


@pytest.mark.requirement("meta-library-errors")
def test_a_closed_workspace_says_so(workspace: Workspace) -> None:
    with workspace:
        workspace.write("a.txt", "a")
    for ask in (lambda: workspace.read("a.txt"), lambda: workspace.write("a.txt", "b")):
        with pytest.raises(Unavailable, match="The workspace is closed"):
            ask()
    assert "Workspace(" in repr(workspace)


def test_a_program_that_completes_names_sees_every_public_one() -> None:
    import redline

    assert {"Workspace", "Editor", "NoMatch", "RedlineError"} <= set(dir(redline))


@pytest.mark.requirement("meta-first-hour")
def test_paths_may_be_of_pathlib(workspace: Workspace) -> None:
    workspace.write(Path("a.txt"), "one\n")
    workspace.write(Path("a.yaml"), bytearray(b"a: 1\n"))
    workspace.replace(Path("a.txt"), "one", "two")
    assert workspace.read(Path("a.txt")) == "two\n"
    workspace.set(Path("a.yaml"), "a", 2)
    assert workspace.get(Path("a.yaml"), "a") == 2
    assert len(workspace.log(path=Path("a.yaml"))) == 2
    workspace.move(Path("a.txt"), Path("b.txt"))
    assert workspace.names(Path(".")) == ["a.yaml", "b.txt"]
    workspace.restore(Path("a.yaml"), "@-3")
    workspace.undo(paths=[Path("a.yaml")])
    workspace.delete(Path("b.txt"))
    assert workspace.names() == ["a.yaml"]
    assert workspace.get("a.yaml", "a") == 2


@pytest.mark.requirement("meta-first-hour")
def test_what_is_neither_text_nor_bytes_is_said_by_its_name(workspace: Workspace) -> None:
    wrong: Any = 5
    for call, words in (
        (lambda: workspace.write("a.txt", wrong), "content must be text or bytes, not int"),
        (lambda: workspace.write(wrong, "x"), "path must be text or a pathlib.Path, not int"),
        (lambda: workspace.replace("a.txt", wrong, "x"), "old must be text, not int"),
        (lambda: workspace.replace("a.txt", "x", wrong), "new must be text, not int"),
        (lambda: workspace.show(wrong), "operation_id must be text, not int"),
        (lambda: workspace.undo(wrong), "operation_id must be text, not int"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            call()
