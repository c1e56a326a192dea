"""read_file, list_dir, list_files and search_text over the wire."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from tests.toolsets.coding_tools.conftest import Tools

SECURITY = ("denied", "forbidden", "permission", "outside", "escape", "unsafe", "blocked")


def _speaks_of_security(error: dict[str, object]) -> bool:
    return any(word in str(error).lower() for word in SECURITY)


@pytest.mark.requirement("coding-read-whole", "coding-version")
def test_a_file_is_read_with_its_facts(tools: Tools) -> None:
    tools.write({"a.txt": "one\r\ntwo\nthree\n"})
    found = tools.ok("read_file", path="a.txt")
    raw = b"one\r\ntwo\nthree\n"
    assert found["content"].encode() == raw
    assert (found["path"], found["encoding"]) == ("a.txt", "utf-8")
    assert (found["start_line"], found["end_line"], found["total_lines"]) == (1, 3, 3)
    assert found["total_bytes"] == found["bytes_read"] == found["output_bytes"] == len(raw)
    assert found["output_lines"] == 4
    assert (found["truncated"], found["truncated_by"]) == (False, None)
    assert found["next_start_line"] is None
    version = found["version"]
    assert version["sha256"] == hashlib.sha256(raw).hexdigest()
    assert version["size"] == len(raw)
    assert version["mtime"].endswith("Z")


@pytest.mark.requirement("coding-read-slices")
def test_slices_by_lines_and_past_the_end(tools: Tools) -> None:
    tools.write({"a.txt": "1\n2\n3\n4\n", "empty": ""})
    found = tools.ok("read_file", path="a.txt", start_line=2, end_line=3)
    assert (found["content"], found["start_line"], found["end_line"]) == ("2\n3\n", 2, 3)
    assert found["next_start_line"] is None
    assert tools.ok("read_file", path="a.txt", start_line=9)["content"] == ""
    assert tools.ok("read_file", path="a.txt", start_line=3, end_line=2)["content"] == ""
    assert tools.ok("read_file", path="empty")["total_lines"] == 0


@pytest.mark.requirement("coding-read-continuation")
@pytest.mark.parametrize("limit", [1, 7, 50, 1000])
def test_what_is_cut_can_be_read_on_to_the_last_byte(tools: Tools, limit: int) -> None:
    text = "".join(f"line {n} é\n" for n in range(40)) + "x" * 300 + "\nlast"
    tools.write({"a.txt": text})
    pieces: list[str] = []
    start: dict[str, int] = {}
    for _ in range(2000):
        found = tools.ok("read_file", path="a.txt", max_bytes=max(limit, 4), **start)
        assert found["output_bytes"] <= max(limit, 4)
        pieces.append(found["content"])
        if not found["truncated"]:
            break
        assert found["truncated_by"] in ("bytes", "lines")
        start = {"start_byte": found["next_start_byte"]}
        if found["next_start_byte"] == len("".join(pieces).encode()) + 1:
            pieces.append("\n")
    assert "".join(pieces) == text


@pytest.mark.requirement("coding-read-line-cap")
def test_two_thousand_lines_are_the_most_and_the_next_line_is_named(tools: Tools) -> None:
    tools.write({"a.txt": "".join(f"{n}\n" for n in range(1, 5001))})
    found = tools.ok("read_file", path="a.txt")
    assert (found["truncated"], found["truncated_by"]) == (True, "lines")
    assert (found["end_line"], found["next_start_line"]) == (2000, 2001)
    assert found["content"].endswith("\n2000")
    found = tools.ok("read_file", path="a.txt", start_line=found["next_start_line"])
    assert found["content"].startswith("2001\n")


@pytest.mark.requirement("coding-read-long-line")
def test_a_first_line_that_is_too_long_is_cut_between_characters(tools: Tools) -> None:
    tools.write({"a.txt": "é" * 100 + "\nnext\n"})
    found = tools.ok("read_file", path="a.txt", max_bytes=15)
    assert found["content"] == "é" * 7
    assert len(found["warnings"]) == 2
    assert "go on at next_start_byte" in found["warnings"][0]
    assert not any("go on at next_start_line" in warning for warning in found["warnings"])


@pytest.mark.requirement("coding-read-line-ends")
def test_only_line_feeds_end_lines(tools: Tools) -> None:
    tools.write({"a.txt": "a\fb\x85c\u2028d\re\nf\n"})
    assert tools.ok("read_file", path="a.txt")["total_lines"] == 2


@pytest.mark.requirement("coding-read-errors", "coding-security-words", "coding-error-shape")
@pytest.mark.parametrize(
    ("path", "code", "category", "security"),
    [
        ("../x", "PATH_OUTSIDE_WORKSPACE", "security", True),
        ("d/../../x", "PATH_OUTSIDE_WORKSPACE", "security", True),
        ("/etc/passwd", "ABSOLUTE_PATH_DENIED", "security", True),
        ("escaping", "SYMLINK_ESCAPE", "security", True),
        ("linked_dir/passwd", "PATH_OUTSIDE_WORKSPACE", "security", True),
        ("bin", "BINARY_FILE", "validation", True),
        ("latin", "UNSUPPORTED_ENCODING", "validation", False),
        ("d", "IS_DIRECTORY", "validation", False),
        ("missing", "NOT_FOUND", "not_found", False),
        ("nul\0", "INVALID_ARGUMENT", "validation", False),
    ],
)
def test_what_cannot_be_read_says_why(
    tools: Tools, path: str, code: str, category: str, security: bool
) -> None:
    tools.write({"bin": b"\0x", "latin": b"caf\xe9\n", "d/f": "x"})
    (tools.base / "escaping").symlink_to("/etc/passwd")
    (tools.base / "linked_dir").symlink_to("/etc")
    error = tools.fails("read_file", path=path)
    assert (error["code"], error["category"]) == (code, category)
    assert not security or _speaks_of_security(error)


@pytest.mark.requirement("coding-links-inside")
def test_a_link_that_stays_inside_is_followed_and_the_real_path_told(tools: Tools) -> None:
    tools.write({"d/real.txt": "x\n"})
    (tools.base / "link").symlink_to("d/real.txt")
    assert tools.ok("read_file", path="link")["path"] == "d/real.txt"


@pytest.mark.requirement("coding-names-any-bytes")
def test_a_name_that_is_not_utf8_is_shown_and_taken_back(tools: Tools) -> None:
    (tools.base / os.fsdecode(b"caf\xe9.txt")).write_text("x\n")
    [listed] = tools.ok("list_files")["files"]
    assert listed["path"] == "caf\\xe9.txt"
    assert tools.ok("read_file", path=listed["path"])["content"] == "x\n"


@pytest.fixture
def tree(tools: Tools) -> Tools:
    tools.write(
        {
            ".gitignore": "*.log\n/out\n",
            ".hidden": "x",
            "a.txt": "needle\n",
            "b.py": "needle\n",
            "noise.log": "needle\n",
            "out/x.txt": "needle\n",
            "sub/c.py": "x needle\n",
            "sub/deep/d.py": "needle\n",
            "node_modules/m.js": "needle\n",
            "build": "a file named like an excluded directory: needle\n",
        }
    )
    (tools.base / "link").symlink_to("a.txt")
    (tools.base / "escaping").symlink_to("/etc/passwd")
    (tools.base / "dir_link").symlink_to("sub")
    return tools


def _names(found: dict[str, list[dict[str, str]]], key: str) -> list[str]:
    return [entry["path"] for entry in found[key]]


@pytest.mark.requirement("coding-list-dir")
def test_a_directory_lists_what_is_not_left_out(tree: Tools) -> None:
    found = tree.ok("list_dir")
    assert _names(found, "entries") == [
        "a.txt", "b.py", "build", "dir_link", "escaping", "link", "sub",
    ]  # fmt: skip
    assert (found["path"], found["truncated"], found["warnings"]) == (".", False, [])
    by_name = {entry["name"]: entry for entry in found["entries"]}
    assert by_name["sub"]["type"] == "directory"
    assert by_name["link"]["type"] == "symlink"
    assert by_name["link"]["symlink_target"] == "a.txt"
    assert by_name["a.txt"]["size_bytes"] == 7
    assert by_name["a.txt"]["modified"].endswith("Z")
    assert by_name["a.txt"]["is_hidden"] is by_name["a.txt"]["is_ignored"] is False


@pytest.mark.requirement("coding-list-dir-depth")
def test_recursion_goes_as_deep_as_it_is_told_and_enters_no_link(tree: Tools) -> None:
    one = _names(tree.ok("list_dir", recursive=True), "entries")
    assert "sub/c.py" not in one
    two = _names(tree.ok("list_dir", recursive=True, max_depth=2), "entries")
    assert "sub/c.py" in two
    assert "sub/deep" in two
    assert "sub/deep/d.py" not in two
    assert not any(path.startswith("dir_link/") for path in two)


@pytest.mark.requirement("coding-list-hidden-ignored")
def test_hidden_and_ignored_are_lifted_one_by_one(tree: Tools) -> None:
    hidden = _names(tree.ok("list_dir", include_hidden=True), "entries")
    assert ".hidden" in hidden
    assert "noise.log" not in hidden
    found = tree.ok("list_dir", include_ignored=True, recursive=True, max_depth=3)
    ignored = {entry["path"]: entry["is_ignored"] for entry in found["entries"]}
    assert ignored["noise.log"] is ignored["out/x.txt"] is ignored["node_modules/m.js"] is True
    assert ignored["a.txt"] is False
    assert ".hidden" not in ignored


@pytest.mark.requirement("coding-list-order-cap")
def test_the_cap_is_applied_after_sorting(tree: Tools) -> None:
    found = tree.ok("list_dir", max_entries=2)
    assert (_names(found, "entries"), found["truncated"]) == (["a.txt", "b.py"], True)
    assert _names(tree.ok("list_dir", sort="type", max_entries=1), "entries") == ["sub"]
    os.utime(tree.base / "b.py", (4e9, 4e9))
    assert _names(tree.ok("list_dir", sort="modified", max_entries=1), "entries") == ["b.py"]
    assert tree.ok("list_dir", max_entries=7)["truncated"] is False
    assert _names(tree.ok("list_files", max_results=1), "files") == ["a.txt"]
    assert _names(tree.ok("list_files", sort="modified", max_results=1), "files") == ["b.py"]


@pytest.mark.requirement("coding-list-errors")
def test_listing_errors(tree: Tools) -> None:
    for tool in ("list_dir", "list_files"):
        assert tree.fails(tool, path="a.txt")["code"] == "NOT_A_DIRECTORY"
        assert _speaks_of_security(tree.fails(tool, path=".."))
        assert tree.fails(tool, path="missing")["code"] == "NOT_FOUND"
        assert tree.ok(tool, path="")["path"] == "."


@pytest.mark.requirement("coding-list-files", "coding-globs-root-level")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["a.txt", "b.py", "build", "link", "sub/c.py", "sub/deep/d.py"]),
        ({"patterns": ["**/*"]}, ["a.txt", "b.py", "build", "link", "sub/c.py", "sub/deep/d.py"]),
        ({"patterns": ["**/*.py"]}, ["b.py", "sub/c.py", "sub/deep/d.py"]),
        ({"glob": "*.py"}, ["b.py", "sub/c.py", "sub/deep/d.py"]),
        ({"patterns": ["sub/*.py"]}, ["sub/c.py"]),
        ({"patterns": ["sub/**/*.py"]}, ["sub/c.py", "sub/deep/d.py"]),
        ({"patterns": ["*.{txt,js}"]}, ["a.txt"]),
        ({"glob": "*.py", "exclude_patterns": ["sub/deep/**"]}, ["b.py", "sub/c.py"]),
        ({"path": "sub", "glob": "*.py"}, ["sub/c.py", "sub/deep/d.py"]),
        ({"path": "sub", "patterns": ["deep/*.py"]}, ["sub/deep/d.py"]),
        ({"include_ignored": True, "glob": "*.js"}, ["node_modules/m.js"]),
        ({"include_ignored": True, "path": "out"}, ["out/x.txt"]),
        ({"include_hidden": True, "glob": ".hidden"}, [".hidden"]),
    ],
)
def test_files_by_glob(tree: Tools, arguments: dict[str, object], expected: list[str]) -> None:
    found = tree.ok("list_files", **arguments)
    assert _names(found, "files") == expected
    types = {entry["path"]: entry["type"] for entry in found["files"]}
    assert types.get("link", "symlink") == "symlink"


@pytest.mark.requirement("coding-search")
def test_search_is_literal_and_ignores_case_unless_told(tree: Tools) -> None:
    tree.write({"q.txt": "a.b\nAxB\n"})
    found = tree.ok("search_text", query="A.B")
    assert [(m["path"], m["line"], m["column"]) for m in found["matches"]] == [("q.txt", 1, 1)]
    assert (found["query"], found["total_matches"], found["truncated"]) == ("A.B", 1, False)
    assert found["engine"] == "rg"
    regex = tree.ok("search_text", query="A.B", regex=True)
    assert [m["line"] for m in regex["matches"]] == [1, 2]
    strict = tree.ok("search_text", query="A.B", regex=True, case_sensitive=True)
    assert [m["line"] for m in strict["matches"]] == [2]


@pytest.mark.requirement("coding-search-line-ends")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_regex_finds_the_end_of_a_line_whatever_ends_it(tools: Tools, end: str) -> None:
    tools.write({"a.txt": end.join(["one", "two", "twofold", ""])})
    for query, lines in (("^two$", [2]), ("e$", [1]), ("d$|^o", [1, 3]), (r"two\r$", [])):
        found = tools.ok("search_text", query=query, regex=True)["matches"]
        assert [m["line"] for m in found] == (lines or [2] * (end == "\r\n")), query
        assert all("\r" not in m["preview"] for m in found)


@pytest.mark.requirement("coding-search-scope")
def test_search_leaves_out_what_listings_leave_out(tree: Tools) -> None:
    tree.write({"bin.dat": b"needle\0", "latin.txt": b"needle \x81\x8d\x8f\x90\n"})
    everywhere = [m["path"] for m in tree.ok("search_text", query="needle")["matches"]]
    assert everywhere == ["a.txt", "b.py", "build", "sub/c.py", "sub/deep/d.py"]
    narrowed = tree.ok("search_text", query="needle", glob="*.py", exclude_globs=["sub/deep/**"])
    assert [m["path"] for m in narrowed["matches"]] == ["b.py", "sub/c.py"]
    included = tree.ok("search_text", query="needle", include_globs=["sub/**"], glob="*.txt")
    assert [m["path"] for m in included["matches"]] == ["a.txt", "sub/c.py", "sub/deep/d.py"]
    one = tree.ok("search_text", query="needle", path="sub/c.py")["matches"]
    assert [(m["path"], m["column"]) for m in one] == [("sub/c.py", 3)]
    below = tree.ok("search_text", query="needle", path="sub/deep")["matches"]
    assert [m["path"] for m in below] == ["sub/deep/d.py"]


@pytest.mark.requirement("coding-search-context")
def test_context_stands_before_and_after(tools: Tools) -> None:
    tools.write({"a.txt": "1\n2\nhit\n4\nhit\n6\n"})
    first, second = tools.ok("search_text", query="hit", context_lines=2)["matches"]
    assert (first["before"], first["after"]) == (["1", "2"], ["4", "hit"])
    assert (second["before"], second["after"]) == (["hit", "4"], ["6"])


@pytest.mark.requirement("coding-search-total")
def test_the_total_counts_beyond_the_cap(tools: Tools) -> None:
    tools.write({f"f{n}.txt": "hit\nhit hit\n" for n in range(10)})
    found = tools.ok("search_text", query="hit", max_results=3)
    assert (len(found["matches"]), found["total_matches"], found["truncated"]) == (3, 20, True)
    assert [m["path"] for m in found["matches"]] == ["f0.txt", "f0.txt", "f1.txt"]


@pytest.mark.requirement("coding-search-total")
def test_a_flood_of_matches_is_counted_on_request(tools: Tools) -> None:
    tools.write({f"f{n}.txt": "hit\n" * 2000 for n in range(10)})
    first = tools.ok("search_text", query="hit", max_results=3)
    assert (len(first["matches"]), first["truncated"]) == (3, True)
    assert first["total_matches"] > 3
    exact = tools.ok("search_text", query="hit", max_results=3, count_all=True)
    assert exact["total_matches"] == 20_000
    assert exact["matches"] == first["matches"]


@pytest.mark.requirement("coding-search-preview")
def test_previews_are_cut_by_characters_then_by_bytes(tools: Tools) -> None:
    tools.write({"a.txt": "hit " + "é" * 600 + "\n", "b.txt": "hit short\n"})
    long, short = tools.ok("search_text", query="hit", max_preview_bytes=4096)["matches"]
    assert len(long["preview"]) == 500
    assert long["preview"].endswith(" ... [truncated]")
    assert (long["preview_truncated"], long["preview_truncated_by"]) == (True, "chars")
    assert "preview_truncated" not in short
    cut = tools.ok("search_text", query="hit", max_preview_bytes=80)["matches"][0]
    assert len(cut["preview"].encode()) <= 80
    assert cut["preview_truncated_by"] == "bytes"


@pytest.mark.requirement("coding-search-errors")
def test_search_errors(tools: Tools) -> None:
    assert tools.fails("search_text", query="(", regex=True)["code"] == "INVALID_ARGUMENT"
    assert tools.fails("search_text", query="x", path="missing")["code"] == "NOT_FOUND"
    assert _speaks_of_security(tools.fails("search_text", query="x", path="../.."))


def test_one_regex_flavour_with_character_columns(tools: Tools, tmp_path: Path) -> None:
    tools.write({"a.txt": "ééé number 42\n"})
    [found] = tools.ok("search_text", query=r"\d+", regex=True)["matches"]
    assert found["column"] == 12
