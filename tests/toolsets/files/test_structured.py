"""Structured results, field by field, as clients of the specification's server read them."""

from __future__ import annotations

import os
import re
import socket
from typing import Any

import pytest

from tests.toolsets.files.conftest import Desk

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _facts(desk: Desk, tool: str, **arguments: Any) -> dict[str, Any]:
    facts: dict[str, Any] = desk.call(tool, **arguments)["structuredContent"]
    return facts


def _schema(desk: Desk, tool: str) -> dict[str, Any]:
    schema: dict[str, Any] = next(
        listed["outputSchema"] for listed in desk.client.list_tools() if listed["name"] == tool
    )
    return schema


@pytest.mark.requirement("files-structured-info")
def test_file_facts_tell_creation_and_both_forms_of_the_permissions(desk: Desk) -> None:
    path = desk.file("a", "12345")
    path.chmod(0o640)
    os.utime(path, (0, 86400))
    facts = _facts(desk, "get_file_info", path=path)
    assert _TIME.fullmatch(facts["created"])
    assert facts == {
        "path": str(path),
        "type": "file",
        "size": 5,
        "created": facts["created"],
        "modified": "1970-01-02T00:00:00Z",
        "permissions": "640",
        "mode": "-rw-r-----",
    }
    folder = _facts(desk, "get_file_info", path=desk.here)
    assert folder["type"] == "directory"
    assert folder["mode"].startswith("drwx")


@pytest.mark.requirement("files-structured-info")
def test_a_file_that_was_written_again_keeps_its_time_of_creation(desk: Desk) -> None:
    path = desk.file("a", "old")
    before = os.stat(path)
    created = _facts(desk, "get_file_info", path=path)["created"]
    os.utime(path, (before.st_atime, before.st_mtime + 90_000))
    after = _facts(desk, "get_file_info", path=path)
    assert after["modified"] > created
    assert after["created"] == created


@pytest.mark.requirement("files-structured-info")
def test_a_fifo_and_a_socket_are_of_the_type_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.here)  # a socket's address is short
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("sock")
    for name, letter in (("fifo", "p"), ("sock", "s")):
        facts = _facts(desk, "get_file_info", path=desk.here / name)
        assert facts["type"] == "other"
        assert facts["mode"][0] == letter
    assert _schema(desk, "get_file_info")["properties"]["type"]["enum"] == [
        "file",
        "directory",
        "symlink",
        "other",
    ]


@pytest.mark.requirement("files-structured-listing")
def test_entries_and_nodes_are_files_or_directories_at_every_depth(desk: Desk) -> None:
    desk.file("a/b/c")
    enum = ["file", "directory"]
    entries = _schema(desk, "list_directory")["properties"]["entries"]["items"]
    assert entries["properties"]["type"]["enum"] == enum
    assert _facts(desk, "list_directory", path=desk.here)["entries"] == [
        {"name": "a", "type": "directory"}
    ]
    tree = _schema(desk, "directory_tree")
    assert tree["properties"]["type"]["enum"] == enum
    reference = tree["properties"]["children"]["items"]["$ref"]
    node = tree["$defs"][reference.removeprefix("#/$defs/")]
    assert node["properties"]["children"]["items"]["$ref"] == reference
    assert node["properties"]["type"]["enum"] == enum


@pytest.mark.requirement("files-structured-roots")
def test_roots_say_whether_they_are_writable(desk: Desk) -> None:
    assert _facts(desk, "list_allowed_directories")["directories"] == [
        {"path": str(desk.root), "access": "read-write", "writable": True},
        {"path": str(desk.readable), "access": "read-only", "writable": False},
    ]
    listed = _schema(desk, "list_allowed_directories")["properties"]["directories"]["items"]
    assert "writable" in listed["required"]


@pytest.mark.requirement("files-structured-names")
def test_names_found_are_counted(desk: Desk) -> None:
    paths = [str(desk.file(name)) for name in ("a.md", "b.md", "c.md")]
    assert _facts(desk, "search_files", directory=desk.here, nameContains=".md") == {
        "matches": paths,
        "count": 3,
    }
    assert _facts(desk, "glob_search", directory=desk.here, globs=["*.md"], max=2) == {
        "matches": paths[:2],
        "count": 2,
        "truncated": True,
    }
    for tool in ("search_files", "glob_search"):
        assert "count" in _schema(desk, tool)["required"]


@pytest.mark.requirement("files-structured-grep")
def test_lines_around_a_match_are_listed_in_order_and_not_counted(desk: Desk) -> None:
    path = str(desk.file("a", "one\ntwo\nthree\nfour\n"))
    facts = _facts(desk, "grep_files", regex="t", directory=desk.here, contextLines=1)
    assert facts == {
        "matches": [
            {"path": path, "line": 1, "text": "one", "isMatch": False},
            {"path": path, "line": 2, "text": "two", "isMatch": True},
            {"path": path, "line": 3, "text": "three", "isMatch": True},
            {"path": path, "line": 4, "text": "four", "isMatch": False},
        ],
        "count": 2,
        "truncated": False,
        "skipped": 0,
    }
    schema = _schema(desk, "grep_files")
    assert "count" in schema["required"]
    assert "isMatch" in schema["properties"]["matches"]["items"]["required"]


@pytest.mark.requirement("files-structured-command")
def test_a_command_gives_its_streams_apart(desk: Desk) -> None:
    command = "printf out; printf err >&2; exit 3"
    facts = _facts(desk, "execute_command", command=command, workingDirectory=desk.here)
    assert {key: facts[key] for key in ("stdout", "stderr", "exitCode", "timedOut")} == {
        "stdout": "out",
        "stderr": "err",
        "exitCode": 3,
        "timedOut": False,
    }


_ENDINGS = {
    "text/plain": "txt text",
    "text/markdown": "md markdown",
    "application/json": "json",
    "application/xml": "xml",
    "text/html": "html htm",
    "text/css": "css",
    "text/javascript": "js mjs",
    "text/x-python": "py",
    "text/x-swift": "swift",
    "text/x-c": "c h",
    "text/x-c++": "cpp cc cxx hpp hh mm",
    "text/x-objcsrc": "m",
    "text/x-rust": "rs",
    "text/x-go": "go",
    "application/x-sh": "sh bash zsh",
    "application/yaml": "yml yaml",
    "application/toml": "toml",
    "application/pdf": "pdf",
    "image/png": "png",
    "image/jpeg": "jpg JPEG",
    "image/gif": "gif",
    "image/svg+xml": "svg",
    "": "unknown",
}


@pytest.mark.requirement("files-link-types")
def test_links_carry_the_mime_type_of_their_ending(desk: Desk) -> None:
    wanted = {
        f"x.{ending}": kind for kind, endings in _ENDINGS.items() for ending in endings.split()
    }
    for name in wanted:
        desk.file(name)
    blocks = desk.call("glob_search", directory=desk.here, globs=["x.*"])["content"][1:]
    assert {block["name"]: block.get("mimeType", "") for block in blocks} == wanted


@pytest.mark.requirement("files-search-text")
def test_the_text_lists_the_paths_for_hosts_that_show_only_text(desk: Desk) -> None:
    paths = [str(desk.file(f"{number:03}.md")) for number in range(201)]
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("search_files", {"nameContains": ".md"}),
        ("glob_search", {"globs": ["*.md"]}),
    )
    for tool, asked in calls:
        content = desk.call(tool, directory=desk.here, **asked)["content"]
        lines = content[0]["text"].split("\n")
        assert lines[0] == "[201 matches]"
        assert lines[1:201] == paths[:200]
        assert lines[201:] == ["[1 more in structuredContent]"]
        assert len(content) == 202
