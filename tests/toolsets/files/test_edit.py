"""edit_file over the wire: every matching mode, every refusal."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.toolsets.files.conftest import Desk


def refused(desk: Desk, path: Path, *edits: dict[str, Any], **options: Any) -> tuple[int, str]:
    """Code and message; the file must be byte for byte what it was."""
    before = path.read_bytes()
    outcome = desk.error("edit_file", path=path, edits=list(edits), **options)
    assert path.read_bytes() == before
    return outcome


@pytest.mark.requirement("files-edit-success-text", "files-edit-literal-exact")
def test_a_literal_edit(desk: Desk) -> None:
    path = desk.file("a", "one two\nthree\n")
    assert desk.edit(path, "two", "2") == f"Successfully edited {path}"
    assert path.read_text() == "one 2\nthree\n"


@pytest.mark.requirement("files-edit-sequence")
def test_edits_run_in_sequence_each_on_the_outcome_of_the_last(desk: Desk) -> None:
    path = desk.file("a", "a\n")
    edits = [{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "c"}]
    desk.call("edit_file", path=path, edits=edits)
    assert path.read_text() == "c\n"


def test_one_failing_edit_keeps_all_from_happening(desk: Desk) -> None:
    path = desk.file("a", "a\n")
    edits = [{"oldText": "a", "newText": "b"}, {"oldText": "zzz", "newText": "c"}]
    assert refused(desk, path, *edits)[0] == -32603


@pytest.mark.requirement("files-edit-new-text-default")
def test_new_text_defaults_to_nothing(desk: Desk) -> None:
    path = desk.file("a", "keep drop")
    desk.call("edit_file", path=path, edits=[{"oldText": " drop"}])
    assert path.read_text() == "keep"


@pytest.mark.requirement("files-edit-unique")
def test_text_that_occurs_twice_is_refused_with_its_lines(desk: Desk) -> None:
    code, message = refused(desk, desk.file("a", "x\ny\nx\n"), {"oldText": "x", "newText": "z"})
    assert code == -32603
    assert "oldText is not unique: found 2 occurrences" in message
    assert "(lines 1, 3)" in message
    assert "limit: 0" in message
    _, message = refused(desk, desk.file("a", "x x x\n"), {"oldText": "x", "newText": "z"})
    assert "found 3 occurrences" in message
    assert "(lines 1)" in message


@pytest.mark.requirement("files-edit-normalised")
def test_a_block_quoted_at_another_indentation_is_found_and_kept_in_place(desk: Desk) -> None:
    path = desk.file("a.py", "class A:\n    def f(self):\n        return 1\n\nx = 1\n")
    desk.edit(path, "def f(self):\n    return 1", "def f(self):\n    y = 2\n    return y")
    assert path.read_text() == (
        "class A:\n    def f(self):\n        y = 2\n        return y\n\nx = 1\n"
    )


@pytest.mark.requirement("files-edit-normalised-unique")
def test_a_block_that_fits_two_places_is_refused(desk: Desk) -> None:
    path = desk.file("a", "  a\n  b\n\n    a\n    b\n")
    code, message = refused(desk, path, {"oldText": "a\nb", "newText": "c"})
    assert code == -32603
    assert "oldText is not unique: found 2 whitespace-normalized matches" in message


@pytest.mark.requirement("files-edit-idempotent")
def test_a_literal_edit_sent_twice_changes_nothing_the_second_time(desk: Desk) -> None:
    path = desk.file("a", "import a\n")
    edit = {"oldText": "import a\n", "newText": "import a\nimport b\n"}
    desk.call("edit_file", path=path, edits=[edit])
    code, message = refused(desk, path, edit)
    assert code == -32603
    assert "already in place" in message


def test_the_very_same_edit_is_not_made_again_where_its_text_still_stands(desk: Desk) -> None:
    path = desk.file("a", '"""\n\n\nimport sys\n')
    edit = {"oldText": "\n\nimport sys", "newText": "\nimport sys"}
    desk.call("edit_file", path=path, edits=[edit])
    code, message = refused(desk, path, edit)
    assert code == -32603
    assert message.startswith("The very same edit was made by the call before")
    assert path.read_text() == '"""\n\nimport sys\n'
    path.write_text("\n\nimport sys\n")
    desk.call("edit_file", path=path, edits=[edit])
    assert path.read_text() == "\nimport sys\n"


@pytest.mark.requirement("files-edit-regex", "files-edit-regex-multiline")
def test_a_regex_replaces_its_first_match_and_sees_line_ends(desk: Desk) -> None:
    path = desk.file("a", "one\ntwo\n")
    desk.edit(path, "^(.*)$", "<\\1>", isRegex=True)
    assert path.read_text() == "<one>\ntwo\n"


@pytest.mark.requirement("files-edit-regex-multiline")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\ntwo\n", "<one>\n<two>\n"),
        ("one\r\ntwo\r\n", "<one>\r\n<two>\r\n"),
        ("é\n\nno end", "<é>\n<>\n<no end>"),
    ],
)
def test_every_line_is_wrapped_once(desk: Desk, before: str, after: str) -> None:
    path = desk.file("a", before)
    desk.edit(path, "^(.*)$", "<$1>", isRegex=True, limit=0)
    assert path.read_bytes() == after.encode()


@pytest.mark.requirement("files-edit-references")
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (r"\1-\2", "ab-12"),
        ("$2$1", "12ab"),
        (r"[\0]", "[ab12]"),
        ("[$0]", "[ab12]"),
        ("[$&]", "[ab12]"),
        ("$$1", "$1"),
        ("$10", "ab0"),
        (r"a\\b", "a\\b"),
        (r"\q $x", r"\q $x"),
    ],
)
def test_references_in_the_replacement(desk: Desk, template: str, expected: str) -> None:
    path = desk.file("a", "ab12")
    desk.edit(path, "([a-z]+)([0-9]+)", template, isRegex=True)
    assert path.read_text() == expected


@pytest.mark.requirement("files-edit-missing-group")
@pytest.mark.parametrize("template", [r"\1", "$1", "x $2"])
def test_a_group_the_pattern_lacks_is_an_error(desk: Desk, template: str) -> None:
    edit = {"oldText": ".*", "newText": template, "isRegex": True}
    code, message = refused(desk, desk.file("a", "text\n"), edit)
    assert code == -32603
    assert "capture group" in message


@pytest.mark.requirement("files-edit-regex-no-fallback")
def test_a_regex_is_never_tried_with_other_whitespace(desk: Desk) -> None:
    path = desk.file("a", "    one\n    two\n")
    edit = {"oldText": "^one\ntwo$", "newText": "x", "isRegex": True}
    code, message = refused(desk, path, edit)
    assert code == -32603
    assert "pattern not found" in message


@pytest.mark.requirement("files-edit-regex-no-guard")
def test_a_regex_needs_not_be_unique(desk: Desk) -> None:
    path = desk.file("a", "x x x")
    desk.edit(path, "x", "y", isRegex=True)
    assert path.read_text() == "y x x"


@pytest.mark.requirement("files-edit-invalid-regex")
def test_a_malformed_regex_is_refused(desk: Desk) -> None:
    edit = {"oldText": "(", "newText": "", "isRegex": True}
    assert refused(desk, desk.file("a", "(\n"), edit)[0] == -32603


def test_a_catastrophic_regex_is_stopped(desk: Desk) -> None:
    edit = {"oldText": "(a+)+$", "newText": "", "isRegex": True}
    code, message = refused(desk, desk.file("a", "a" * 40 + "!"), edit)
    assert code == -32603
    assert "took longer" in message


@pytest.mark.requirement("files-edit-case-insensitive")
def test_case_may_be_ignored_in_literals_and_regexes(desk: Desk) -> None:
    path = desk.file("a", "Hello É\n")
    desk.edit(path, "hELLO é", "bye", caseInsensitive=True)
    assert path.read_text() == "bye\n"
    desk.edit(path, "B(Y)E", "$1", caseInsensitive=True, isRegex=True)
    assert path.read_text() == "y\n"


@pytest.mark.requirement("files-edit-case-insensitive")
def test_ignoring_case_brings_no_other_tolerance(desk: Desk) -> None:
    path = desk.file("a", "    A\n    B\n")
    edit = {"oldText": "a\nb", "newText": "x", "caseInsensitive": True}
    assert refused(desk, path, edit)[0] == -32603
    twice = {"oldText": " a", "newText": "x", "caseInsensitive": True}
    assert refused(desk, desk.file("b", "x a\nX A\n"), twice)[0] == -32603


@pytest.mark.requirement("files-edit-limit")
@pytest.mark.parametrize(
    ("limit", "expected"), [(0, "y y y"), (2, "y y x"), (9, "y y y")], ids=["all", "two", "more"]
)
def test_limits(desk: Desk, limit: int, expected: str) -> None:
    path = desk.file("a", "x x x")
    desk.edit(path, "x", "y", limit=limit)
    assert path.read_text() == expected


@pytest.mark.requirement("files-edit-limit-no-fallback")
def test_a_limit_other_than_one_brings_no_tolerance(desk: Desk) -> None:
    path = desk.file("a", "    one\n    two\n")
    edit = {"oldText": "one\ntwo", "newText": "x", "limit": 0}
    assert refused(desk, path, edit)[0] == -32603


@pytest.mark.requirement("files-edit-dry-run", "files-edit-dry-run-diff")
def test_a_dry_run_answers_with_a_diff_and_writes_nothing(desk: Desk) -> None:
    path = desk.file("a", "1\n2\n3\n")
    text = desk.text(
        "edit_file", path=path, edits=[{"oldText": "2", "newText": "two"}], dryRun=True
    )
    assert text == f"--- {path}\n+++ {path}\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
    assert path.read_text() == "1\n2\n3\n"


@pytest.mark.requirement("files-edit-dry-run-no-changes")
def test_a_dry_run_without_a_difference_says_so(desk: Desk) -> None:
    edits = [{"oldText": "a", "newText": "a"}]
    assert desk.text("edit_file", path=desk.file("a", "a"), edits=edits, dryRun=True) == (
        "(no changes)"
    )


@pytest.mark.requirement("files-edit-dry-run-not-found")
def test_a_dry_run_fails_as_the_real_run_would(desk: Desk) -> None:
    path = desk.file("a", "a")
    for edit in ({"oldText": "b"}, {"oldText": "b", "isRegex": True}):
        dry = refused(desk, path, edit, dryRun=True)
        assert dry == refused(desk, path, edit)
        assert dry[0] == -32603


@pytest.mark.requirement("files-edit-dry-run-missing-file")
def test_a_dry_run_on_a_missing_file_lists_the_intended_edits(desk: Desk) -> None:
    edits = [{"oldText": "one", "newText": "two"}]
    text = desk.text("edit_file", path=desk.here / "no", edits=edits, dryRun=True)
    assert "one" in text
    assert "two" in text


@pytest.mark.requirement("files-edit-dry-run-read-permission")
def test_a_dry_run_needs_only_read_permission(desk: Desk) -> None:
    path = desk.readable / f"{desk.here.name}.txt"
    path.write_text("a")
    edits = [{"oldText": "a", "newText": "b"}]
    assert "+b" in desk.text("edit_file", path=path, edits=edits, dryRun=True)
    assert desk.error("edit_file", path=path, edits=edits)[0] == -32001


@pytest.mark.requirement("files-edit-errors")
def test_the_codes_of_refusals(desk: Desk) -> None:
    edits = [{"oldText": "a", "newText": "b"}]
    assert desk.error("edit_file", path=desk.outside / "a", edits=edits)[0] == -32001
    assert desk.error("edit_file", path=desk.here / "no", edits=edits)[0] == -32002
    path = desk.file("a", "x")
    assert desk.error("edit_file", path=path)[0] == -32602
    assert refused(desk, path, {"newText": "b"})[0] == -32602
    code, message = refused(desk, path, *edits)
    assert code == -32603
    assert message.startswith("oldText not found")
    assert refused(desk, path, {"oldText": "", "newText": "b"})[0] == -32603


@pytest.mark.parametrize("path_name", ["plain", "link"])
def test_mode_and_links_survive_an_edit(desk: Desk, path_name: str) -> None:
    path = desk.file("plain", "a")
    path.chmod(0o750)
    (desk.here / "link").symlink_to(path)
    desk.edit(desk.here / path_name, "a", "b")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("b", 0o750)
    assert (desk.here / "link").is_symlink()


def test_a_diff_of_several_places_and_no_final_newline_applies_with_git(desk: Desk) -> None:
    lines = [f"line {n}\n" for n in range(40)]
    path = desk.file("a.txt", "".join(lines) + "end")
    edits = [
        {"oldText": "line 3\n", "newText": "three\n"},
        {"oldText": "end", "newText": "END"},
    ]
    diff = desk.text("edit_file", path=path, edits=edits, dryRun=True)
    assert diff.count("@@ -") == 2
    assert diff.count("\\ No newline at end of file") == 2
    subprocess.run(
        ["git", "apply", "--unsafe-paths", f"-p{len(path.parts) - 1}"],
        input=diff.encode(),
        cwd=desk.here,
        check=True,
    )
    applied = path.read_bytes()
    path.write_text("".join(lines) + "end")
    desk.call("edit_file", path=path, edits=edits)
    assert path.read_bytes() == applied


@pytest.mark.requirement("files-edit-files-literal", "files-edit-files-shape")
def test_the_same_edits_in_several_files(desk: Desk) -> None:
    one, two, three = desk.file("1", "x"), desk.file("2", "y"), desk.here / "3"
    content = desk.call(
        "edit_files",
        paths=[str(p) for p in (one, two, three)],
        edits=[{"oldText": "x", "newText": "z"}],
    )["content"]
    assert content[0]["text"] == f"Successfully edited {one}"
    assert content[1]["text"].startswith(f"{two}: [error -32603] oldText not found")
    assert content[2]["text"].startswith(f"{three}: [error -32002] ")
    assert (one.read_text(), two.read_text()) == ("z", "y")


@pytest.mark.requirement("files-edit-files-globs")
def test_globs_are_expanded(desk: Desk) -> None:
    top, deep, other = desk.file("a.txt", "x"), desk.file("d/b.txt", "x"), desk.file("c.md", "x")
    edits = [{"oldText": "x", "newText": "z"}]
    desk.call("edit_files", paths=[f"{desk.here}/*.txt"], edits=edits)
    assert (top.read_text(), deep.read_text()) == ("z", "x")
    desk.call("edit_files", paths=[f"{desk.here}/**/*.{{txt,md}}"], edits=[{"oldText": "x"}])
    assert (deep.read_text(), other.read_text()) == ("", "")


@pytest.mark.requirement("files-edit-files-bracket-names")
def test_a_name_that_looks_like_a_glob_is_told_how_it_is_written(desk: Desk) -> None:
    path = desk.file("app/[id]/page{x}.tsx", "x")
    edits = [{"oldText": "x", "newText": "z"}]
    code, message = desk.error("edit_files", paths=[str(path)], edits=edits)
    assert code == -32002
    written = message.partition("write ")[2]
    assert written.endswith("/app/\\[id\\]/page\\{x\\}.tsx")
    desk.call("edit_files", paths=[written], edits=edits)
    assert path.read_text() == "z"
    assert "hint" not in desk.error("edit_files", paths=[f"{desk.here}/[no]"], edits=edits)[1]


@pytest.mark.requirement("files-edit-files-glob-errors", "files-edit-files-errors")
def test_a_glob_without_a_hit_or_outside_stops_the_whole_call(desk: Desk) -> None:
    path = desk.file("a.txt", "x")
    edits = [{"oldText": "x", "newText": "z"}]
    (desk.outside / "o.txt").write_text("x")
    for paths, code in (
        ([str(path), f"{desk.here}/*.none"], -32002),
        ([str(path), f"{desk.outside}/*.txt"], -32001),
        ([str(path), str(desk.outside / "o.txt")], -32001),
        ([], -32602),
    ):
        assert desk.error("edit_files", paths=paths, edits=edits)[0] == code
    assert desk.error("edit_files", paths=[str(path)])[0] == -32602
    assert path.read_text() == "x"


@pytest.mark.requirement("files-edit-files-dry-run")
def test_a_dry_run_shows_every_diff_and_writes_nothing(desk: Desk) -> None:
    one, two = desk.file("1.txt", "x\n"), desk.file("2.txt", "x\n")
    content = desk.call(
        "edit_files",
        paths=[f"{desk.here}/*.txt"],
        edits=[{"oldText": "x", "newText": "z"}],
        dryRun=True,
    )["content"]
    assert [block["text"].split("\n")[0] for block in content] == [f"--- {one}", f"--- {two}"]
    assert one.read_text() == two.read_text() == "x\n"


def test_what_cannot_be_seen_in_a_diff_is_counted(desk: Desk) -> None:
    path = desk.file("a", "a\r\n")
    edits = [{"oldText": "a", "newText": "a\u202eb\u200b"}]
    diff, note = (
        block["text"]
        for block in desk.call("edit_file", path=path, edits=edits, dryRun=True)["content"]
    )
    assert "+a\u202eb\u200b\r\n" in diff
    assert "2 control or invisible characters" in note
    (one,) = desk.call("edit_files", paths=[str(path)], edits=edits, dryRun=True)["content"]
    assert one["text"].endswith("2 control or invisible characters")
