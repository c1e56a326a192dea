"""write_file, create_directory, move_file and delete_file over the wire."""

from __future__ import annotations

import os

import pytest

from tests.toolsets.files.conftest import Desk


@pytest.mark.requirement("files-write-file")
def test_a_file_is_written_with_its_parents(desk: Desk) -> None:
    path = desk.here / "a" / "b" / "c.txt"
    assert desk.text("write_file", path=path, content="é\n") == f"Successfully wrote {path}"
    assert path.read_bytes() == "é\n".encode()


@pytest.mark.requirement("files-write-file")
def test_a_file_is_replaced_and_keeps_its_mode(desk: Desk) -> None:
    path = desk.file("run.sh", "old")
    path.chmod(0o755)
    desk.call("write_file", path=path, content="new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o755)


@pytest.mark.requirement("files-write-file-errors")
def test_writing_fails_where_it_may_not_or_cannot(desk: Desk) -> None:
    assert desk.error("write_file", path=desk.outside / "x", content="")[0] == -32001
    assert desk.error("write_file", path=desk.readable / "x", content="")[0] == -32001
    assert desk.error("write_file", path=desk.here / "x")[0] == -32602
    assert desk.error("write_file", path=desk.here, content="")[0] == -32603
    inside = desk.file("plain", "") / "x"
    assert desk.error("write_file", path=inside, content="")[0] == -32603
    assert not (desk.outside / "x").exists()


def test_no_dots_behind_a_missing_folder_lead_out(desk: Desk) -> None:
    target = f"{desk.here}/absent/../../../../outside/x"
    assert desk.error("write_file", path=target, content="")[0] == -32001
    assert not (desk.outside / "x").exists()
    assert not (desk.here / "absent").exists()


@pytest.mark.parametrize("tool", ["write_file", "read_file", "edit_file"])
def test_no_link_leads_out(desk: Desk, tool: str) -> None:
    (desk.here / "dangling").symlink_to(desk.outside / "new")
    (desk.here / "folder").symlink_to(desk.outside)
    rest = {"content": ""} if tool == "write_file" else {}
    if tool == "edit_file":
        rest = {"edits": [{"oldText": "a"}]}  # type: ignore[dict-item]
    assert desk.error(tool, path=desk.here / "dangling", **rest)[0] == -32001
    assert desk.error(tool, path=desk.here / "folder" / "new", **rest)[0] == -32001
    assert not (desk.outside / "new").exists()


@pytest.mark.requirement("files-create-directory")
def test_directories_are_made_with_parents_and_may_exist(desk: Desk) -> None:
    path = desk.here / "a" / "b"
    desk.call("create_directory", path=path)
    assert path.is_dir()
    desk.call("create_directory", path=path)


@pytest.mark.requirement("files-create-directory-errors")
def test_directories_are_not_made_outside_or_over_files(desk: Desk) -> None:
    assert desk.error("create_directory", path=desk.outside / "d")[0] == -32001
    assert desk.error("create_directory", path=desk.file("f"))[0] == -32603


@pytest.mark.requirement("files-move-file")
def test_moving_makes_parents_and_leaves_nothing_behind(desk: Desk) -> None:
    source, target = desk.file("a", "x"), desk.here / "n" / "m" / "b"
    assert (
        desk.text("move_file", source=source, destination=target) == f"Moved {source} -> {target}"
    )
    assert (target.read_text(), source.exists()) == ("x", False)


@pytest.mark.requirement("files-move-file")
def test_a_directory_moves_with_what_is_in_it(desk: Desk) -> None:
    desk.file("d/e/f", "x")
    desk.call("move_file", source=desk.here / "d", destination=desk.here / "z")
    assert (desk.here / "z" / "e" / "f").read_text() == "x"


@pytest.mark.requirement("files-move-file-errors")
def test_moving_fails_where_it_may_not_or_cannot(desk: Desk) -> None:
    source = desk.file("a", "x")
    assert desk.error("move_file", source=desk.here / "no", destination=source)[0] == -32002
    assert desk.error("move_file", source=source, destination=desk.outside / "b")[0] == -32001
    assert desk.error("move_file", source=desk.outside, destination=desk.here / "b")[0] == -32001
    assert desk.error("move_file", source=desk.root, destination=desk.here / "b")[0] == -32001
    desk.file("d/x", "")
    inside = desk.here / "d" / "e"
    assert desk.error("move_file", source=desk.here / "d", destination=inside)[0] == -32603
    assert source.read_text() == "x"


def test_nothing_is_overwritten_unless_asked_for(desk: Desk) -> None:
    source, target = desk.file("a", "new"), desk.file("b", "old")
    code, message = desk.error("move_file", source=source, destination=target)
    assert code == -32603
    assert "overwrite" in message
    assert (source.read_text(), target.read_text()) == ("new", "old")
    desk.call("move_file", source=source, destination=target, overwrite=True)
    assert (source.exists(), target.read_text()) == (False, "new")


@pytest.mark.requirement("files-delete-file")
def test_files_and_whole_directories_are_deleted(desk: Desk) -> None:
    path = desk.file("a", "x")
    desk.file("d/e/f", "x")
    (desk.here / "d" / "link").symlink_to(desk.outside)
    desk.call("delete_file", path=path)
    desk.call("delete_file", path=desk.here / "d")
    assert os.listdir(desk.here) == []
    assert desk.outside.is_dir()


def test_deleting_a_link_leaves_what_it_points_at(desk: Desk) -> None:
    target = desk.file("target", "x")
    (desk.here / "link").symlink_to(target)
    desk.call("delete_file", path=desk.here / "link")
    assert (target.read_text(), os.listdir(desk.here)) == ("x", ["target"])


@pytest.mark.requirement("files-delete-file-errors")
def test_deleting_fails_where_it_may_not_or_nothing_is(desk: Desk) -> None:
    assert desk.error("delete_file", path=desk.here / "no")[0] == -32002
    assert desk.error("delete_file", path=desk.outside)[0] == -32001
    assert desk.error("delete_file", path=desk.root)[0] == -32001
    (desk.readable / "kept").write_text("x")
    assert desk.error("delete_file", path=desk.readable / "kept")[0] == -32001
    assert desk.root.is_dir()
