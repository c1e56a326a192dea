"""read_file and read_multiple_files over the wire."""

from __future__ import annotations

import base64
import os

import pytest

from tests.toolsets.files.conftest import Desk


@pytest.mark.requirement("files-read-file-text")
@pytest.mark.parametrize("content", ["hello\n", "", "\ufeffbom\r\nkept\r\n", "é😀\n", "a\rb\x0c\n"])
def test_text_comes_back_exactly_as_it_is(desk: Desk, content: str) -> None:
    assert desk.text("read_file", path=desk.file("a.txt", content)) == content


@pytest.mark.requirement("files-read-file-binary")
@pytest.mark.parametrize("content", [b"\x89PNG\0\x01", b"\x81\x8d\x8f\x90\n"])
def test_binary_comes_as_an_embedded_resource(desk: Desk, content: bytes) -> None:
    path = desk.file("a b.bin", content)
    (block,) = desk.call("read_file", path=path)["content"]
    assert block["type"] == "resource"
    assert base64.b64decode(block["resource"]["blob"]) == content
    assert block["resource"]["mimeType"] == "application/octet-stream"
    assert block["resource"]["uri"] == f"file://{path}".replace(" ", "%20")


@pytest.mark.requirement("files-read-file-denied", "files-code-not-allowed")
def test_a_path_outside_is_not_allowed(desk: Desk) -> None:
    (desk.outside / "secret").write_text("s")
    code, message = desk.error("read_file", path=desk.outside / "secret")
    assert code == -32001
    assert "list_allowed_directories" in message


@pytest.mark.requirement("files-read-file-missing", "files-code-not-found")
def test_a_missing_file_is_not_found(desk: Desk) -> None:
    assert desk.error("read_file", path=desk.here / "no")[0] == -32002


@pytest.mark.requirement("files-read-file-failed", "files-code-internal")
def test_what_is_no_file_cannot_be_read(desk: Desk) -> None:
    os.mkfifo(desk.here / "pipe")
    assert desk.error("read_file", path=desk.here)[0] == -32603
    assert desk.error("read_file", path=desk.here / "pipe")[0] == -32603


@pytest.mark.requirement("files-code-invalid-params")
def test_a_missing_or_mistyped_path_is_invalid(desk: Desk) -> None:
    assert desk.error("read_file")[0] == -32602
    assert desk.error("read_file", path=5)[0] == -32602


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start_line": 2, "end_line": 3}, "2\n3\n"),
        ({"start_line": 4}, "4\r\n5"),
        ({"end_line": 1}, "1\n"),
        ({"head": 2}, "1\n2\n"),
        ({"tail": 2}, "4\r\n5"),
        ({"tail": 99}, "1\n2\n3\n4\r\n5"),
    ],
)
def test_parts_by_line(desk: Desk, arguments: dict[str, int], expected: str) -> None:
    path = desk.file("a", "1\n2\n3\n4\r\n5")
    assert desk.text("read_file", path=path, **arguments) == expected


def test_impossible_parts_are_invalid(desk: Desk) -> None:
    path = desk.file("a", "1\n2\n")
    for arguments in ({"head": 1, "tail": 1}, {"start_line": 3, "end_line": 2}, {"start_line": 9}):
        assert desk.error("read_file", path=path, **arguments)[0] == -32602


def test_a_huge_file_answers_with_its_beginning_and_how_to_go_on(desk: Desk) -> None:
    lines = [f"{n:099d}\n" for n in range(120_000)]
    path = desk.file("huge", "".join(lines))
    text, notice = (block["text"] for block in desk.call("read_file", path=path)["content"])
    shown = text.count("\n")
    assert text == "".join(lines[:shown])
    assert 0 < shown < len(lines)
    assert f"start_line {shown + 1}" in notice
    assert desk.text("read_file", path=path, start_line=shown + 1, end_line=shown + 2) == (
        "".join(lines[shown : shown + 2])
    )
    assert desk.text("read_file", path=path, tail=2) == "".join(lines[-2:])


@pytest.mark.requirement("files-read-multiple-shape", "files-read-multiple-inline-errors")
def test_several_files_each_with_its_path_and_errors_in_place(desk: Desk) -> None:
    good, binary = desk.file("a.txt", "A\n"), desk.file("b.bin", b"\0\x01")
    missing, outside = desk.here / "no", desk.outside / "x"
    paths = [str(p) for p in (good, missing, outside, binary)]
    blocks = [b["text"] for b in desk.call("read_multiple_files", paths=paths)["content"]]
    assert blocks[0] == f"{good}:\nA\n"
    assert blocks[1].startswith(f"{missing}:\n[error: ")
    assert blocks[2].startswith(f"{outside}:\n[error: ")
    assert blocks[3] == f"{binary}:\n[binary, base64]\n{base64.b64encode(bytes([0, 1])).decode()}"


@pytest.mark.requirement("files-read-multiple-literal")
def test_globs_are_not_expanded(desk: Desk) -> None:
    desk.file("a.txt", "A")
    (block,) = desk.call("read_multiple_files", paths=[f"{desk.here}/*.txt"])["content"]
    assert "[error: " in block["text"]


@pytest.mark.requirement("files-read-multiple-fifty")
def test_the_fifty_first_file_is_refused_and_the_rest_dropped(desk: Desk) -> None:
    path = str(desk.file("a", "x"))
    blocks = desk.call("read_multiple_files", paths=[path] * 60)["content"]
    assert len(blocks) == 51
    assert "too many files (max 50)" in blocks[50]["text"]


@pytest.mark.requirement("files-read-multiple-missing")
def test_paths_are_needed(desk: Desk) -> None:
    assert desk.error("read_multiple_files")[0] == -32602
