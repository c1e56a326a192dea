"""Paths that lead outside, cannot exist, or name what is no file, over the wire."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toolsets.files.conftest import Desk
from tests.wire.client import Client, connect

_EDITS = [{"oldText": "old", "newText": "new"}]


@pytest.mark.requirement("files-edit-many-outside")
@pytest.mark.parametrize("is_dry", [False, True])
def test_a_glob_that_takes_in_a_link_to_outside_is_refused_before_any_write(
    desk: Desk, is_dry: bool
) -> None:
    first = desk.file("a.txt", "old\n")
    secret = desk.outside / f"{desk.here.name}.txt"
    secret.write_text("old\n")
    (desk.here / "b.txt").symlink_to(secret)
    for glob in ("*.txt", "**/*.txt"):
        code, message = desk.error(
            "edit_files", paths=[str(desk.here / glob)], edits=_EDITS, dryRun=is_dry
        )
        assert code == -32001
        assert "b.txt" in message
    assert first.read_text() == "old\n"
    assert secret.read_text() == "old\n"


@pytest.mark.requirement("files-edit-many-outside")
def test_a_glob_takes_in_links_that_stay_inside_once(desk: Desk) -> None:
    real = desk.file("real/a.md", "old\n")
    (desk.here / "b.md").symlink_to(real)
    (desk.here / "gone.md").symlink_to(desk.here / "nothing")
    (desk.here / "folder.md").symlink_to(desk.here / "real")
    globs = [str(desk.here / "*.md"), str(desk.here / "real" / "*.md")]
    content = desk.call("edit_files", paths=globs, edits=_EDITS)["content"]
    assert [block["text"] for block in content] == [f"Successfully edited {real}"]
    assert real.read_text() == "new\n"
    assert (desk.here / "b.md").is_symlink()


@pytest.mark.requirement("files-grep-skipped-links")
def test_grep_counts_the_links_that_lead_outside(desk: Desk) -> None:
    desk.file("a.txt", "needle\n")
    (desk.outside / f"{desk.here.name}.txt").write_text("needle\n")
    (desk.here / "b.txt").symlink_to(desk.outside / f"{desk.here.name}.txt")
    (desk.here / "inside.txt").symlink_to(desk.here / "a.txt")
    (desk.here / "folder").symlink_to(desk.outside)
    everything = desk.call("grep_files", regex="needle", directory=desk.here)
    assert everything["structuredContent"]["skipped"] == 2
    assert everything["structuredContent"]["count"] == 1
    assert "[2 path(s) skipped: outside allowed directories]" in everything["content"][0]["text"]
    chosen = desk.call("grep_files", regex="needle", directory=desk.here, globs=["*.txt"])
    assert chosen["structuredContent"]["skipped"] == 1
    without = desk.call(
        "grep_files", regex="needle", directory=desk.here, excludeGlobs=["folder", "b.*"]
    )
    assert without["structuredContent"]["skipped"] == 0
    assert "skipped" not in without["content"][0]["text"]


@pytest.mark.requirement("files-dots-behind-missing")
def test_dots_behind_a_missing_directory_are_not_allowed(desk: Desk) -> None:
    desk.file("real.txt", "old\n")
    inside = f"{desk.here}/absent/../real.txt"
    outside = f"{desk.here}/absent/../../../../outside/x"
    for path in (inside, outside):
        assert desk.error("read_file", path=path)[0] == -32001
        assert desk.error("write_file", path=path, content="")[0] == -32001
        assert desk.error("edit_file", path=path, edits=_EDITS)[0] == -32001
        assert desk.error("create_directory", path=path)[0] == -32001
        assert desk.error("delete_file", path=path)[0] == -32001
        assert desk.error("get_file_info", path=path)[0] == -32001
    assert not (desk.here / "absent").exists()


@pytest.mark.requirement("files-name-too-long")
@pytest.mark.parametrize("name", ["n" * 256, "é" * 128])
def test_a_name_too_long_is_one_error_and_leaves_no_directory(desk: Desk, name: str) -> None:
    source = desk.file("source", "x")
    for path in (desk.here / name, desk.here / "new" / name, desk.here / "new" / name / "below"):
        answers = {
            desk.error("write_file", path=path, content="x"),
            desk.error("write_file", path=path, content="x", dryRun=True),
            desk.error("create_directory", path=path),
            desk.error("move_file", source=source, destination=path),
            desk.error("read_file", path=path),
        }
        assert len(answers) == 1
        code, message = answers.pop()
        assert code == -32603
        assert message.startswith("File name too long: ")
    assert os.listdir(desk.here) == ["source"]


@pytest.fixture(params=["stdio", "http"])
def with_history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    with connect(request.param, ["--tools", "files,history"], cwd=tmp_path) as client:
        yield client


@pytest.mark.requirement("files-delete-special")
def test_a_directory_with_fifo_and_socket_is_deleted_and_undo_says_what_is_lost(
    with_history: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "kept.txt").write_text("kept\n")
    monkeypatch.chdir(folder)  # a socket's address is short
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("sock")
    shown = with_history.call("delete_file", {"path": str(folder), "dryRun": True})["result"]
    assert f"removed fifo {folder}/fifo" in shown["content"][0]["text"]
    assert folder.exists()
    deleted = with_history.call("delete_file", {"path": str(folder)})["result"]
    first, *notes = (block["text"] for block in deleted["content"])
    assert first == f"Deleted {folder}"
    text = "\n".join(notes)
    assert f"note: an undo will not restore the FIFO {folder}/fifo" in text
    assert f"note: an undo will not restore the socket {folder}/sock" in text
    assert not folder.exists()
    undone = with_history.call("undo_change", {})["result"]
    assert not undone["isError"]
    text = undone["content"][0]["text"]
    assert f"the FIFO {folder}/fifo is not restored" in text
    assert f"the socket {folder}/sock is not restored" in text
    assert os.listdir(folder) == ["kept.txt"]


@pytest.mark.requirement("files-delete-special")
def test_a_fifo_alone_is_deleted_and_its_undo_is_refused(
    with_history: Client, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "fifo")
    with_history.call("delete_file", {"path": str(tmp_path / "fifo")})
    assert not (tmp_path / "fifo").exists()
    undone = with_history.call("undo_change", {})["result"]
    assert undone["isError"]
    assert "cannot be brought back" in undone["content"][0]["text"]
