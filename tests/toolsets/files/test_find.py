"""search_files, glob_search and grep_files over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from tests.toolsets.files.conftest import Desk


def names(desk: Desk, result: dict[str, Any]) -> list[str]:
    """The matches of a name search, relative to this test's folder."""
    return [m.removeprefix(f"{desk.here}/") for m in result["structuredContent"]["matches"]]


@pytest.fixture
def tree(desk: Desk) -> Desk:
    for name in ("Report.txt", "sub/report-2.md", "sub/REPORTS/x.py", ".hidden/report", "z.PY"):
        desk.file(name, "text\n")
    return desk


@pytest.mark.requirement("files-search-substring", "files-search-recursive", "files-search-output")
def test_names_are_searched_for_a_part_whatever_the_case(tree: Desk) -> None:
    result = tree.call("search_files", directory=tree.here, nameContains="rePort")
    assert names(tree, result) == [
        ".hidden/report",
        "Report.txt",
        "sub/REPORTS",
        "sub/report-2.md",
    ]


@pytest.mark.requirement("files-search-literal")
def test_the_part_is_neither_glob_nor_regex(tree: Desk) -> None:
    tree.file("a[1].txt")
    result = tree.call("search_files", directory=tree.here, nameContains="[1].")
    assert names(tree, result) == ["a[1].txt"]
    empty = tree.call("search_files", directory=tree.here, nameContains="*.md")
    assert empty["content"][0]["text"] == "(no matches found)"


@pytest.mark.requirement("files-search-excludes")
def test_excludes_leave_out_names_and_whole_directories(tree: Desk) -> None:
    for exclude, expected in (
        (["*.md"], [".hidden/report", "Report.txt", "sub/REPORTS"]),
        (["sub"], [".hidden/report", "Report.txt"]),
        (["sub/REPORTS", ".hidden"], ["Report.txt", "sub/report-2.md"]),
    ):
        found = tree.call(
            "search_files", directory=tree.here, nameContains="report", excludeGlobs=exclude
        )
        assert names(tree, found) == expected


@pytest.mark.requirement("files-search-aliases")
def test_older_names_of_the_arguments_are_accepted_and_newer_ones_win(tree: Desk) -> None:
    old = tree.call(
        "search_files", path=tree.here, pattern="report", excludePatterns=["sub", ".hidden"]
    )
    assert names(tree, old) == ["Report.txt"]
    both = tree.call(
        "search_files", path="/nowhere", directory=tree.here, pattern="z", nameContains="x.py"
    )
    assert names(tree, both) == ["sub/REPORTS/x.py"]
    listed = {t["name"]: t for t in tree.client.list_tools()}["search_files"]["inputSchema"]
    assert set(listed["properties"]) == {"directory", "nameContains", "excludeGlobs"}
    assert listed["required"] == ["directory", "nameContains"]


@pytest.mark.requirement("files-search-errors")
def test_refused_name_searches(tree: Desk) -> None:
    assert tree.error("search_files", nameContains="x")[0] == -32602
    assert tree.error("search_files", directory=tree.here)[0] == -32602
    assert tree.error("search_files", directory=tree.outside, nameContains="x")[0] == -32001
    empty = tree.error("search_files", directory=tree.here, nameContains="")
    assert empty == (-32602, "nameContains must be a non-empty string")


@pytest.mark.requirement("files-not-a-directory")
def test_what_lies_beneath_a_file_is_not_found_by_any_tool_that_reads(desk: Desk) -> None:
    file = desk.file("a.txt", "x")
    for tool, given in (
        ("list_directory", {"path": file}),
        ("directory_tree", {"path": file}),
        ("search_files", {"directory": file, "nameContains": "x"}),
        ("grep_files", {"directory": file, "regex": "x"}),
        ("glob_search", {"directory": file, "globs": ["*"]}),
        ("read_file", {"path": file / "b"}),
        ("get_file_info", {"path": file / "b"}),
        ("delete_file", {"path": file / "b"}),
    ):
        assert desk.error(tool, **given)[0] == -32002, tool
    assert desk.error("write_file", path=file / "b", content="")[0] == -32603
    assert desk.error("create_directory", path=file / "b")[0] == -32603


@pytest.mark.requirement("files-glob-files", "files-glob-syntax")
@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (["**/*.py"], ["sub/REPORTS/x.py", "z.PY"]),
        (["*.py"], ["sub/REPORTS/x.py", "z.PY"]),
        (["sub/*"], ["sub/report-2.md"]),
        (["sub/**"], ["sub/REPORTS/x.py", "sub/report-2.md"]),
        (["?.py"], ["sub/REPORTS/x.py", "z.PY"]),
        (["*.{md,txt}"], ["Report.txt", "sub/report-2.md"]),
        (["[xz].py"], ["sub/REPORTS/x.py", "z.PY"]),
        (["[!x].py"], ["z.PY"]),
        (["*.md", "R*"], ["Report.txt", "sub/report-2.md", ".hidden/report"]),
        (["{a,b", "[x"], []),
    ],
)
def test_globs(tree: Desk, globs: list[str], expected: list[str]) -> None:
    found = tree.call("glob_search", directory=tree.here, globs=globs)
    assert names(tree, found) == sorted(expected)


@pytest.mark.requirement("files-glob-absolute")
def test_an_absolute_glob_beneath_the_directory_counts_from_it(tree: Desk) -> None:
    for glob, expected in (
        ("*.PY", ["z.PY"]),
        ("sub/*", ["sub/report-2.md"]),
        ("**/*.py", ["sub/REPORTS/x.py", "z.PY"]),
    ):
        globs = [f"{tree.here}/{glob}"]
        assert names(tree, tree.call("glob_search", directory=tree.here, globs=globs)) == expected
    elsewhere = tree.call("glob_search", directory=tree.here, globs=[f"{tree.outside}/*"])
    assert names(tree, elsewhere) == []


@pytest.mark.requirement("files-glob-excludes")
def test_globs_with_excludes(tree: Desk) -> None:
    found = tree.call(
        "glob_search", directory=tree.here, globs=["**"], excludeGlobs=["sub/**", ".hidden"]
    )
    assert names(tree, found) == ["Report.txt", "z.PY"]


@pytest.mark.requirement("files-glob-cap", "files-search-no-cap")
def test_the_cap_and_its_absence(desk: Desk) -> None:
    for number in range(1005):
        desk.file(f"{number:04}.x")
    capped = desk.call("glob_search", directory=desk.here, globs=["*.x"])
    assert len(names(desk, capped)) == 1000
    assert capped["structuredContent"]["truncated"] is True
    assert "[truncated at 1000]" in capped["content"][0]["text"]
    every = desk.call("glob_search", directory=desk.here, globs=["*.x"], max=0)
    assert len(names(desk, every)) == 1005
    three = desk.call("glob_search", directory=desk.here, globs=["*.x"], max=3)
    assert names(desk, three) == ["0000.x", "0001.x", "0002.x"]
    by_name = desk.call("search_files", directory=desk.here, nameContains=".x")
    assert len(names(desk, by_name)) == 1005
    exact = desk.call("glob_search", directory=desk.here, globs=["000[0-4].x"], max=5)
    assert exact["structuredContent"]["truncated"] is False


@pytest.mark.requirement("files-glob-errors")
def test_refused_glob_searches(desk: Desk) -> None:
    assert desk.error("glob_search", globs=["*"])[0] == -32602
    assert desk.error("glob_search", directory=desk.here)[0] == -32602
    assert desk.error("glob_search", directory=desk.outside, globs=["*"])[0] == -32001


def test_links_that_lead_out_are_named_but_not_entered(desk: Desk) -> None:
    (desk.outside / "secret.txt").write_text("needle")
    (desk.here / "out").symlink_to(desk.outside)
    found = desk.call("glob_search", directory=desk.here, globs=["**"])
    assert names(desk, found) == ["out"]
    assert (
        "needle" not in desk.text("grep_files", directory=desk.here, regex="needle").split("\n")[0]
    )


def test_results_link_to_the_files_found(desk: Desk) -> None:
    path = desk.file("a b é.md")
    content = desk.call("glob_search", directory=desk.here, globs=["*.md"])["content"]
    assert content[0] == {"type": "text", "text": f"[1 match]\n{path}"}
    assert content[1]["type"] == "resource_link"
    assert content[1]["name"] == "a b é.md"
    assert content[1]["mimeType"] == "text/markdown"
    assert content[1]["uri"] == f"file://{path}".replace(" ", "%20").replace("é", "%C3%A9")


@pytest.mark.requirement("files-gate-old-search")
def test_old_clients_get_one_path_per_line(old_desk: Desk) -> None:
    one, two = old_desk.file("a.md"), old_desk.file("b.md")
    for tool, arguments in (
        ("search_files", {"nameContains": ".md"}),
        ("glob_search", {"globs": ["*.md"]}),
    ):
        result = old_desk.call(tool, directory=old_desk.here, **arguments)
        assert result["content"] == [{"type": "text", "text": f"{one}\n{two}"}]
        assert "structuredContent" not in result
    assert old_desk.text("search_files", directory=old_desk.here, nameContains="zz") == (
        "(no matches found)"
    )


def grep(desk: Desk, regex: str, **options: Any) -> list[str]:
    """The answer's lines with this test's folder taken out."""
    options.setdefault("directory", desk.here)
    text = desk.text("grep_files", regex=regex, **options)
    return text.replace(f"{desk.here}/", "").split("\n")


@pytest.fixture
def code(desk: Desk) -> Desk:
    desk.file("a.txt", "one\ntwo TODO\nthree\nfour\nfive todo\nsix\n")
    desk.file("src/b.py", "x = 1  # TODO\r\ny = 2\r\n")
    desk.file("bin", b"TODO\0")
    desk.file("late", b"TODO\n" + b"x" * 5000 + b"\0\n")
    return desk


@pytest.mark.requirement("files-grep-directory", "files-grep-format", "files-grep-binary")
@pytest.mark.parametrize("regex", ["TODO", "(?=TODO)TODO"], ids=["ripgrep", "worker"])
def test_matching_lines_with_path_and_number(code: Desk, regex: str) -> None:
    assert grep(code, regex) == [
        "a.txt:2:two TODO",
        "late:1:TODO",
        "src/b.py:1:x = 1  # TODO",
        "[3 matches]",
    ]


@pytest.mark.requirement("files-grep-context")
@pytest.mark.parametrize("regex", ["todo", "(?=todo)todo"], ids=["ripgrep", "worker"])
def test_context_lines_and_groups(code: Desk, regex: str) -> None:
    assert grep(code, regex, contextLines=1, caseInsensitive=True, globs=["*.txt"]) == [
        "a.txt-1-one",
        "a.txt:2:two TODO",
        "a.txt-3-three",
        "a.txt-4-four",
        "a.txt:5:five todo",
        "a.txt-6-six",
        "[2 matches]",
    ]
    code.file("c.txt", "todo\n2\n3\n4\ntodo\n")
    assert grep(code, regex, contextLines=1, globs=["c.txt"]) == [
        "c.txt:1:todo",
        "c.txt-2-2",
        "--",
        "c.txt-4-4",
        "c.txt:5:todo",
        "[2 matches]",
    ]
    assert len(grep(code, regex, contextLines=99, globs=["c.txt"])) == 6


@pytest.mark.requirement("files-grep-case")
def test_case_counts_unless_told_otherwise(code: Desk) -> None:
    assert grep(code, "todo", globs=["*.txt"]) == ["a.txt:5:five todo", "[1 match]"]
    assert len(grep(code, "todo", globs=["*.txt"], caseInsensitive=True)) == 3


@pytest.mark.requirement("files-grep-globs", "files-grep-excludes")
def test_globs_choose_files_relative_or_absolute(code: Desk) -> None:
    only = ["src/b.py:1:x = 1  # TODO", "[1 match]"]
    assert grep(code, "TODO", globs=["**/*.py"]) == only
    assert grep(code, "TODO", globs=["src/*"]) == only
    absolute = code.text("grep_files", regex="TODO", globs=[f"{code.here}/src/*.py"])
    assert absolute.replace(f"{code.here}/", "").split("\n") == only
    relative = code.text("grep_files", regex="TODO", globs=[f"{code.here.name}/**/*.py"])
    assert relative.replace(f"{code.here}/", "").split("\n") == only
    assert grep(code, "TODO", excludeGlobs=["*.txt", "late"]) == only
    assert grep(code, "TODO", excludeGlobs=["src", "late"])[-1] == "[1 match]"


@pytest.mark.requirement("files-grep-cap")
@pytest.mark.parametrize("regex", ["x", "x(?!y)"], ids=["ripgrep", "worker"])
def test_a_cap_is_said_first(desk: Desk, regex: str) -> None:
    desk.file("a", "x\n" * 600)
    lines = grep(desk, regex)
    assert lines[0] == "[truncated at 500 matches]"
    assert (len(lines), lines[-1]) == (502, "[500 matches]")
    assert grep(desk, regex, maxResults=2)[1:] == ["a:1:x", "a:2:x", "[2 matches]"]
    assert grep(desk, regex, maxResults=99_999)[-1] == "[600 matches]"
    desk.file("b", "x\n" * 10_000)
    assert grep(desk, regex, maxResults=99_999)[-1] == "[10000 matches]"
    (desk.here / "b").unlink()
    assert grep(desk, regex, maxResults=600)[0] == "a:1:x"


@pytest.mark.requirement("files-grep-skipped")
def test_what_lies_outside_is_skipped_and_counted(code: Desk) -> None:
    (code.outside / "o.py").write_text("TODO")
    lines = grep(code, "TODO", globs=["*.py", f"{code.outside}/*.py"])
    assert lines[-2:] == ["[1 match]", "[1 path(s) skipped: outside allowed directories]"]


@pytest.mark.requirement("files-grep-literal")
def test_metacharacters_can_be_escaped(desk: Desk) -> None:
    desk.file("a", "f(x*y.z)\nf(xxyz)\n")
    assert grep(desk, r"x\*y\.z") == ["a:1:f(x*y.z)", "[1 match]"]


@pytest.mark.requirement("files-grep-errors")
def test_refused_content_searches(code: Desk) -> None:
    assert code.error("grep_files", directory=code.here)[0] == -32602
    assert code.error("grep_files", directory=code.here, regex=True)[0] == -32602
    assert code.error("grep_files", regex="x")[0] == -32602
    assert code.error("grep_files", regex="x", directory=code.outside)[0] == -32001
    assert code.error("grep_files", regex="(", directory=code.here)[0] == -32603


def test_nothing_found_and_nothing_to_search(code: Desk) -> None:
    assert grep(code, "absent") == ["(no matches found)"]
    assert grep(code, "x", globs=["*.none"]) == ["(no files to search)"]
    assert code.call("grep_files", regex="absent", directory=code.here)["structuredContent"] == {
        "matches": [],
        "count": 0,
        "truncated": False,
        "skipped": 0,
    }


def test_a_line_in_no_certain_encoding_is_shown_with_its_bytes_escaped(desk: Desk) -> None:
    desk.file("a", b"\x81\x8d TODO\n")
    assert grep(desk, "TODO") == ["a:1:\\x81\\x8d TODO", "[1 match]"]


def test_a_catastrophic_search_is_stopped_and_others_go_on(desk: Desk) -> None:
    desk.file("a", "a" * 40 + "!\n")
    code, message = desk.error("grep_files", directory=desk.here, regex=r"(?=a)(a+)+$")
    assert code == -32603
    assert "took longer" in message
    assert grep(desk, "a!")[-1] == "[1 match]"
