"""Lists of edits, regex templates and file operations as plans."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core.changes import Absent, Change, DirState, FileState, Rename
from redline.core.errors import (
    AlreadyExists,
    InvalidArgument,
    InvalidPattern,
    IsADirectory,
    MatchError,
    NoMatch,
    NotADirectory,
    NotFound,
    PathError,
    RedlineError,
    UnclearIndentation,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.search import RegexMatch
from redline.core.textfile import TextFile
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.plan.replace import (
    TextEdit,
    _splice_large,
    count_groups,
    parse_template,
    replace_all,
    replace_regex,
    with_repairs,
)
from tests.search.plain_tree import PlainTree


class Canned:
    """A regex engine that has one answer."""

    def __init__(self, *matches: RegexMatch) -> None:
        self.matches = list(matches)

    def check(self, pattern: str, flags: str = "m") -> None: ...

    def find(
        self, pattern: str, text: str, *, flags: str = "m", limit: int = 0, groups: int = 0
    ) -> list[RegexMatch]:
        return self.matches[: limit or None]

    def matching_lines(self, *_: object, **__: object) -> list[list[int]]:
        raise AssertionError("not asked here")


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [
        ("abc", 0),
        ("(a)(b)", 2),
        (r"\(a\)", 0),
        ("[(](a)[)]", 1),
        ("(?:a)(?=b)(?!c)(?<=d)(?<!e)", 0),
        ("(?<name>a)(b)", 2),
        (r"[\]()](x)", 1),
        ("((a)|(b))", 3),
    ],
)
def test_groups_are_counted(pattern: str, groups: int) -> None:
    assert count_groups(pattern) == groups


def test_a_template_is_text_and_groups() -> None:
    assert [p for p in parse_template(r"a\1$2$&\0$$\n\\x", 2) if p != ""] == [
        "a", 1, 2, 0, 0, "$", "\n", "\\", "x",
    ]  # fmt: skip
    with pytest.raises(InvalidPattern, match="capture group 3"):
        parse_template("$3", 2)


def test_groups_that_took_no_part_are_empty_and_line_ends_are_the_files() -> None:
    match = RegexMatch(0, 1, ((0, 1), None))
    changed = replace_regex(
        "a\r\nb\r\n", "(a)|(b)", r"[$1|$2]\n", Canned(match), limit=1, ignore_case=False
    )
    assert changed == "[a|]\r\n\r\nb\r\n"


def test_the_line_behind_a_final_newline_is_none() -> None:
    engine = Canned(RegexMatch(2, 2))
    with pytest.raises(NoMatch):
        replace_regex("a\n", "$", "!", engine, limit=0, ignore_case=False)


def test_an_error_knows_its_edit() -> None:
    with pytest.raises(NoMatch) as caught:
        replace_all("a", [TextEdit("a", "b"), TextEdit("zz", "c")], Canned())
    assert caught.value.details["edit"] == 1


METHODS = "class A:\n    def f(self):\n        a = one()\n    def g(self):\n        c = two()\n"


@pytest.mark.requirement("files-edit-doubts-together")
def test_edits_whose_indentation_is_unclear_are_refused_together() -> None:
    edits = [
        TextEdit("a = one()", "import os\na = one(os)"),
        TextEdit("def g(self)", "def g(cls)"),
        TextEdit("c = two()", "import sys\nc = two(sys)"),
    ]
    with pytest.raises(UnclearIndentation) as caught:
        replace_all(METHODS, edits, Canned())
    assert caught.value.details["edit"] == 0
    assert set(caught.value.repairs) == {0, 2}
    assert 'edits[0]: {"oldText": "        a = one()"' in caught.value.text
    assert 'edits[2]: {"oldText": "        c = two()"' in caught.value.text
    fixed = with_repairs(edits, caught.value.repairs)
    assert replace_all(METHODS, fixed, Canned()) == (
        "class A:\n    def f(self):\n        import os\n        a = one(os)\n"
        "    def g(cls):\n        import sys\n        c = two(sys)\n"
    )


@pytest.mark.requirement("files-edit-doubts-together")
def test_an_edit_that_fails_after_an_unclear_one_is_named_with_it() -> None:
    edits = [TextEdit("a = one()", "b()\na = one()"), TextEdit("nowhere = 1", "x")]
    with pytest.raises(UnclearIndentation, match="another indentation") as caught:
        replace_all(METHODS, edits, Canned())
    assert "edits[1] fails as well: The text is not in the file" in caught.value.text


@pytest.mark.requirement("files-edit-skip-untouched")
def test_an_edit_in_place_is_refused_if_another_one_touches_what_shows_it() -> None:
    text = "p = list(p)\nwhile p:\n    go()\n"
    made = TextEdit("while p:", "p = list(p)\nwhile p:")
    for other in (TextEdit("p = list(p)", "check(p)"), TextEdit("while p:\n", "while q:\n")):
        with pytest.raises(MatchError, match="edit of `while p:` looks as if it was made before"):
            replace_all(text, [made, other], Canned())
    notes: list[str] = []
    after = replace_all(text, [made, TextEdit("go()", "run()")], Canned(), notes)
    assert after == text.replace("go", "run")
    assert notes == ["edits[0] is already in place at line 1 and was skipped"]


def test_new_text_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        replace_all("a", [TextEdit("a", "\ud800")], Canned())
    with pytest.raises(MatchError):
        replace_all("a", [TextEdit("", "b")], Canned())


def test_a_negative_limit_means_all() -> None:
    assert replace_all("x x", [TextEdit("x", "y", limit=-1)], Canned()) == "y y"


def at(name: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(name.split("/")))


@pytest.fixture
def tree(tmp_path: Path) -> PlainTree:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"x")
    (tmp_path / "d" / "l").symlink_to("f")
    (tmp_path / "g").write_bytes(b"g")
    return PlainTree(tmp_path)


def test_writing_makes_parents_first_and_keeps_the_mode(tree: PlainTree) -> None:
    steps = plan_write(tree, at("a/b/c"), "a/b/c", b"new").steps
    assert [step.path.relative for step in steps if isinstance(step, Change)] == [
        "a", "a/b", "a/b/c",
    ]  # fmt: skip
    (tree.base / "g").chmod(0o640)
    (step,) = plan_write(tree, at("g"), "g", b"new").steps
    assert isinstance(step, Change)
    assert isinstance(step.after, FileState)
    assert step.after.mode == 0o640
    assert plan_write(tree, at("g"), "g", b"g").is_empty


def test_what_stands_in_the_way_is_named(tree: PlainTree) -> None:
    with pytest.raises(IsADirectory):
        plan_write(tree, at("d"), "d", b"")
    with pytest.raises(NotADirectory):
        plan_write(tree, at("g/x"), "g/x", b"")
    with pytest.raises(AlreadyExists):
        plan_make_directory(tree, at("g"), "g")
    assert plan_make_directory(tree, at("d"), "d").is_empty


def test_deleting_goes_from_the_leaves_up(tree: PlainTree) -> None:
    steps = plan_delete(tree, at("d"), "d").steps
    assert [step.path.relative for step in steps if isinstance(step, Change)] == ["d/f", "d/l", "d"]
    assert all(isinstance(s, Change) and isinstance(s.after, Absent) for s in steps)
    with pytest.raises(NotFound):
        plan_delete(tree, at("no"), "no")


def test_moving_is_a_rename_and_never_a_surprise(tree: PlainTree) -> None:
    *made, rename = plan_move(tree, at("g"), at("n/m"), "n/m").steps
    assert [step.after for step in made if isinstance(step, Change)] == [DirState()]
    assert rename == Rename(at("g"), at("n/m"))
    with pytest.raises(AlreadyExists):
        plan_move(tree, at("g"), at("d/f"), "d/f")
    with pytest.raises(IsADirectory):
        plan_move(tree, at("g"), at("d"), "d", overwrite=True)
    with pytest.raises(PathError, match="into itself"):
        plan_move(tree, at("d"), at("d/e"), "d/e")
    assert plan_move(tree, at("g"), at("g"), "g").is_empty


@settings(max_examples=300)
@given(
    raw=st.lists(
        st.sampled_from([b"a", b"b c", b"\n", b"\r\n", b"\xf0\x9f\x98\x80", b"\xc3\xa9", b"\xff"]),
        max_size=25,
    ).map(b"".join),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    old=st.text("abc \n\u00e9", min_size=1, max_size=4),
    new=st.text("abx\n\u00e9\u20ac", max_size=4),
    limit=st.integers(0, 2),
    ignore_case=st.booleans(),
)
@example(raw=b"a \xff b c", mark=b"", old="a", new="\u20ac", limit=1, ignore_case=False)
def test_a_large_file_becomes_the_same_bytes_as_a_small_one(
    raw: bytes, mark: bytes, old: str, new: str, limit: int, ignore_case: bool
) -> None:
    file, edit = TextFile(mark + raw), TextEdit(old, new, limit, ignore_case=ignore_case)
    try:
        expected: object = file.with_text(replace_all(file.text, [edit], Canned()))
    except RedlineError as error:
        expected = (type(error), error.message, error.details)
    try:
        found: object = _splice_large(file, [edit])
    except RedlineError as error:
        found = (type(error), error.message, error.details)
    if found is None:  # two encodings: the longer way says so
        assert not file.is_utf8
        assert not new.isascii()
    else:
        assert found == expected
