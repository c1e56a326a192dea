"""list_directory, directory_tree, get_file_info and list_allowed_directories over the wire."""

from __future__ import annotations

import json
import os

import pytest

from tests.toolsets.files.conftest import Desk


@pytest.mark.requirement("files-list-directory")
def test_entries_are_marked_and_sorted(desk: Desk) -> None:
    desk.file("b.txt")
    desk.file("a/x")
    desk.file(".hidden")
    (desk.here / "link").symlink_to(desk.here / "a")
    (desk.here / "out").symlink_to(desk.outside)
    result = desk.call("list_directory", path=desk.here)
    assert result["content"][0]["text"].split("\n") == [
        "[FILE] .hidden",
        "[DIR]  a",
        "[FILE] b.txt",
        "[DIR]  link",
        "[FILE] out",
    ]
    assert result["structuredContent"]["entries"][1] == {"name": "a", "type": "directory"}


@pytest.mark.requirement("files-list-directory-errors")
@pytest.mark.parametrize("tool", ["list_directory", "directory_tree"])
def test_a_missing_or_foreign_directory_is_refused(desk: Desk, tool: str) -> None:
    assert desk.error(tool, path=desk.here / "no")[0] == -32002
    assert desk.error(tool, path=desk.file("f"))[0] == -32002
    assert desk.error(tool, path=desk.outside)[0] == -32001


def _tree(desk: Desk, **options: int) -> dict[str, object]:
    result = desk.call("directory_tree", path=desk.here, **options)
    tree: dict[str, object] = json.loads(result["content"][0]["text"])
    assert result["structuredContent"] == tree
    return tree


@pytest.mark.requirement("files-directory-tree", "files-directory-tree-depth")
def test_the_tree_is_whole_or_as_deep_as_asked(desk: Desk) -> None:
    desk.file("a/b/c")
    desk.file("z")
    (desk.here / "loop").symlink_to(desk.here)
    file_c = {"name": "c", "type": "file"}
    whole = [
        {
            "name": "a",
            "type": "directory",
            "children": [{"name": "b", "type": "directory", "children": [file_c]}],
        },
        {"name": "loop", "type": "directory", "children": []},
        {"name": "z", "type": "file"},
    ]
    assert _tree(desk) == {"name": desk.here.name, "type": "directory", "children": whole}
    assert _tree(desk, depth=0)["children"] == []
    assert _tree(desk, depth=1)["children"] == [{**whole[0], "children": []}, *whole[1:]]
    assert _tree(desk, depth=2)["children"] != whole
    assert _tree(desk, depth=3)["children"] == whole


@pytest.mark.requirement("files-directory-tree-errors")
def test_a_negative_depth_is_invalid(desk: Desk) -> None:
    assert desk.error("directory_tree", path=desk.here, depth=-1)[0] == -32602
    assert desk.error("directory_tree", path=desk.outside)[0] == -32001
    assert desk.error("directory_tree", path=desk.here / "no")[0] == -32002


@pytest.mark.requirement("files-file-info")
def test_the_facts_of_a_file_and_of_a_directory(desk: Desk) -> None:
    path = desk.file("a", "12345")
    path.chmod(0o640)
    os.utime(path, (0, 86400))
    assert desk.text("get_file_info", path=path).split("\n") == [
        "type: file",
        "size: 5",
        "modified: 1970-01-02T00:00:00Z",
        "permissions: 640",
    ]
    assert desk.text("get_file_info", path=desk.here).startswith("type: directory\n")


@pytest.mark.requirement("files-file-info-errors")
def test_facts_of_what_is_not_there_or_not_ours(desk: Desk) -> None:
    assert desk.error("get_file_info", path=desk.here / "no")[0] == -32002
    assert desk.error("get_file_info", path=desk.outside)[0] == -32001


@pytest.mark.requirement("files-allowed-directories")
def test_each_root_is_listed_with_its_access(desk: Desk) -> None:
    assert desk.text("list_allowed_directories").split("\n") == [
        f"{desk.root} (read-write)",
        f"{desk.readable} (read-only)",
    ]
