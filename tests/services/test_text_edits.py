"""Text edits checked against the syntax of the file, and those that need no check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.code.syntax.errors import check_syntax
from redline.code.syntax.languages import language_of
from redline.code.syntax.word_changes import changes_words_only
from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import ParserFailed, UnclearIndentation
from redline.core.paths import Access
from redline.plan.patch.parse import parse_patch
from redline.plan.replace import Replaced, TextEdit
from redline.services.text_edits import (
    FileEdits,
    plan_checked_patch,
    plan_many_edits,
    plan_text_edits,
    replace_text,
)
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import REPO

PYTHON = "def f():\n    a(1)\n    b('x')\n"
SHIFTED = TextEdit("a(1)\n", "if x:\n    a(1)\n")


class NoParser:
    """The ports of a runtime that must not parse anything."""

    def __init__(self, redline: Redline, error: Exception | None = None) -> None:
        self.tree, self.regex = redline.tree, redline.regex
        self._error = error

    @property
    def confined(self) -> None:
        raise AssertionError("nothing needs to be parsed")

    @property
    def analysis(self) -> NoParser:
        if self._error is None:
            raise AssertionError("nothing needs to be parsed")
        return self

    def first_issue(self, *_: object) -> None:
        assert self._error is not None
        raise self._error


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    (tmp_path / "ws").mkdir()
    settings = Settings(workspace=str(tmp_path / "ws"), state_dir=str(tmp_path / "state"))
    with Redline(settings) as opened:
        yield opened


def plan(redline: Redline, ports: object, name: str, text: str, *edits: TextEdit) -> Replaced:
    path = redline.workspace.resolve(name, Access.WRITE)
    Path(redline.workspace.absolute(path)).write_text(text)
    return plan_text_edits(ports, path, name, edits)  # type: ignore[arg-type]


@pytest.mark.requirement("files-edit-broken-note")
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.txt", "a(1)", "a(1"),
        ("a", "a(1)\n", "if x:\n    a(1)\n"),
        ("a.py", "a(1)", "alpha(27)"),
        ("a.py", "b('x')", "beta('y')"),
        ("a.py", "a(1)", "a(1)"),
    ],
)
def test_an_edit_that_cannot_break_the_syntax_is_not_parsed(
    redline: Redline, name: str, old: str, new: str
) -> None:
    done = plan(redline, NoParser(redline), name, PYTHON, TextEdit(old, new))
    assert done.after.decode() == PYTHON.replace(old, new)
    assert done.notes == ()


@pytest.mark.requirement("files-edit-shift-parses")
def test_where_the_parser_fails_the_edit_is_made_to_the_letter(redline: Redline) -> None:
    ports = NoParser(redline, ParserFailed("the parser crashed"))
    done = plan(redline, ports, "a.py", PYTHON, SHIFTED)
    assert done.after.decode() == PYTHON.replace(SHIFTED.old, SHIFTED.new)
    assert done.notes == ()


@pytest.mark.requirement("files-edit-shift-parses")
def test_a_large_file_is_not_parsed(redline: Redline) -> None:
    text = PYTHON + "# more\n" * 200_000
    done = plan(redline, NoParser(redline), "a.py", text, SHIFTED)
    assert done.after.decode() == text.replace(SHIFTED.old, SHIFTED.new)


@pytest.mark.requirement("files-edit-broken-note")
def test_a_file_that_did_not_parse_before_is_edited_without_a_word(redline: Redline) -> None:
    done = plan(redline, redline, "a.py", PYTHON + "x = (\n", SHIFTED)
    assert done.after.decode() == PYTHON.replace(SHIFTED.old, SHIFTED.new) + "x = (\n"
    assert done.notes == ()


@pytest.mark.requirement("files-edit-shift-parses")
def test_the_library_refuses_the_same_and_parses_only_for_that(redline: Redline) -> None:
    with pytest.raises(UnclearIndentation) as caught:
        replace_text(redline, "a.py", PYTHON, [SHIFTED])
    assert caught.value.details["new"] == "    if x:\n        a(1)\n"
    broken = TextEdit("    b('x')\n", "    b('x'\n")
    assert replace_text(NoParser(redline), "a.py", PYTHON, [broken]).endswith("'x'\n")  # type: ignore[arg-type]


@pytest.mark.requirement("files-edit-doubts-together")
def test_edits_that_only_parse_when_all_are_shifted_are_repaired_together(redline: Redline) -> None:
    text = "def f():\n    a(1)\n    b(2)\n\n\ndef g():\n    c(3)\n    d(4)\n"
    edits = [
        TextEdit("a(1)\n", "if x:\n    a(1)\n"),
        TextEdit("b(2)\n", "b(3)\n"),
        TextEdit("c(3)\n", "if x:\n    c(3)\n"),
    ]
    with pytest.raises(UnclearIndentation) as caught:
        plan(redline, redline, "a.py", text, *edits)
    assert {number: new for number, (_, new) in caught.value.repairs.items()} == {
        0: "    if x:\n        a(1)\n",
        2: "    if x:\n        c(3)\n",
    }


@pytest.mark.requirement("files-edit-shift-parses")
def test_a_call_that_would_not_parse_is_not_printed(redline: Redline) -> None:
    broken = TextEdit("a(1)\n", "if x:\na(1)\n")
    with pytest.raises(UnclearIndentation) as caught:
        plan(redline, redline, "a.py", PYTHON, broken)
    assert caught.value.repairs == {}
    assert "old" not in caught.value.details
    assert '{"oldText"' not in caught.value.text


@pytest.mark.requirement("files-edit-doubts-together")
def test_unclear_edits_of_several_files_are_repaired_together(redline: Redline) -> None:
    files = []
    for number, name in enumerate(("a.py", "b.py", "c.py")):
        path = redline.workspace.resolve(name, Access.WRITE)
        Path(redline.workspace.absolute(path)).write_text(PYTHON)
        new = "a(2)\n" if name == "b.py" else "z()\na(1)\n"
        files.append(FileEdits(path, [TextEdit("a(1)\n", new)], [number], by_glob=False))
    with pytest.raises(UnclearIndentation) as caught:
        plan_many_edits(redline, files, UNCANCELLABLE)
    assert [f"edits[{n}]: {{" in caught.value.text for n in range(3)] == [True, False, True]


@pytest.mark.requirement("coding-patch-broken-note")
def test_a_patch_says_which_files_stop_parsing(redline: Redline) -> None:
    for name in ("a.py", "b.py", "c.txt", "d.py"):
        path = redline.workspace.resolve(name, Access.WRITE)
        Path(redline.workspace.absolute(path)).write_text(PYTHON)
    broken = ["@@", "-    a(1)", "+    a(1"]
    patch = [
        *("*** Update File: a.py", *broken),
        *("*** Update File: b.py", "@@", "-    a(1)", "+    a(2)"),
        *("*** Update File: c.txt", *broken),
        *("*** Update File: d.py", "*** Move to: e.py", *broken),
    ]
    readings = parse_patch("\n".join(["*** Begin Patch", *patch, "*** End Patch"]))
    planned = plan_checked_patch(
        redline, readings, lambda raw: redline.workspace.resolve(raw, Access.WRITE)
    )
    said = "the file parsed before this patch and no longer does"
    assert [note.split(": ")[:2] for note in planned.notes] == [["a.py", said], ["e.py", said]]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", "x = y\n", "x = class\n"),
        ("a.py", "x = y\n", "  x = y\n"),
        ("a.py", "x = 10\n", "x = 08\n"),
        ("a.py", "x = r'\\d'\n", "x = q'\\d'\n"),
        ("a.py", "x = 1\n", "x = 1\ny = 2\n"),
        ("a.py", "print(x)\n", "print x)\n"),
        ("a.tsx", "x = <b>c</b>\n", "x = <i>c</b>\n"),
        ("a.json", '{"a": true}\n', '{"a": truth}\n'),
        ("a.sh", "cat <<EOF\nx\nEOF\n", "cat <<EOF\nx\nEND\n"),
    ],
)
def test_a_change_that_may_decide_the_syntax_is_not_one_of_words(
    name: str, before: str, after: str
) -> None:
    language = language_of(name)
    assert language is not None
    assert not changes_words_only(before, after, language)


@pytest.mark.parametrize("name", ["sample.go", "sample.js", "sample.ts", "sample.py"])
def test_words_do_not_decide_whether_a_sample_parses(name: str) -> None:
    text = (REPO / "tests/code/samples" / name).read_text()
    language = language_of(name)
    assert language is not None
    known = check_syntax(text, language).issues
    tried = 0
    for number, line in enumerate(text.split("\n")):
        for word in line.replace("(", " ").replace(")", " ").split():
            changed = line.replace(word, word + "x", 1)
            after = "\n".join(
                [*text.split("\n")[:number], changed, *text.split("\n")[number + 1 :]]
            )
            if word.isalnum() and changes_words_only(text, after, language):
                tried += 1
                assert len(check_syntax(after, language).issues) == len(known), changed
    assert tried > 5
