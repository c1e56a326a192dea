"""The envelope is read exactly; what is malformed is named by its line."""

from __future__ import annotations

import pytest

from redline.core.errors import PatchError
from redline.plan.patch.model import AddFile, DeleteFile, UpdateFile
from redline.plan.patch.parse import parse_patch


def _patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def test_every_kind_of_operation_is_read_in_order() -> None:
    [operations] = parse_patch(
        _patch(
            "*** Add File: a b.txt",
            "+one",
            "+",
            "",
            "*** Delete File: gone",
            "*** Update File: old",
            "*** Move to: new",
            "@@",
            " keep",
            "-out",
            "+in",
        )
    )
    add, delete, update = operations
    assert add == AddFile("a b.txt", ("one", ""), 2)
    assert delete == DeleteFile("gone", 6)
    assert isinstance(update, UpdateFile)
    assert (update.path, update.move_to) == ("old", "new")
    assert update.hunks[0].lines == ((" ", "keep"), ("-", "out"), ("+", "in"))


def test_blank_lines_around_the_envelope_and_crlf_mean_nothing() -> None:
    text = "\n\n" + _patch("*** Delete File: a").replace("\n", "\r\n") + "\r\n\r\n\n"
    assert parse_patch(text) == ((DeleteFile("a", 4),),)


def test_an_empty_line_in_a_hunk_is_blank_context_but_not_at_its_end() -> None:
    [[update]] = parse_patch(_patch("*** Update File: a", "@@", " x", "", "-y", "", ""))
    assert isinstance(update, UpdateFile)
    assert update.hunks[0].lines == ((" ", "x"), (" ", ""), ("-", "y"))


@pytest.mark.parametrize(
    ("line", "headings", "firm"),
    [
        ("@@", (), True),
        ("@@ def f():", ("def f():",), True),
        ("@@ -1,2 +3,4 @@", (), False),
        ("@@ -1 +3,4 @@ class A:", ("class A:",), False),
        ("@@ class A @@", ("class A",), True),
    ],
)
def test_headings_and_line_numbers_are_told_apart(
    line: str, headings: tuple[str, ...], firm: bool
) -> None:
    [[update]] = parse_patch(_patch("*** Update File: a", line, "-x"))
    assert isinstance(update, UpdateFile)
    assert (update.hunks[0].headings, update.hunks[0].firm) == (headings, firm)


def test_end_of_file_closes_a_hunk_and_another_may_follow() -> None:
    [[update]] = parse_patch(
        _patch("*** Update File: a", "@@", "-x", "*** End of File", "@@", "-z", "+w")
    )
    assert isinstance(update, UpdateFile)
    assert [hunk.at_end for hunk in update.hunks] == [True, False]


def test_the_first_hunk_needs_no_opening_line() -> None:
    [[update]] = parse_patch(_patch("*** Update File: a", " x", "+y"))
    assert isinstance(update, UpdateFile)
    assert update.hunks[0].lines == ((" ", "x"), ("+", "y"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "first line"),
        ("*** Begin Patch", "last line"),
        ("*** Begin Patch\n*** End Patch", "no operation"),
        (_patch("*** Frob File: a"), "Line 2"),
        (_patch("*** Add File: a", "x"), "Line 3"),
        (_patch("*** Add File: a", "+x", "", "+y"), "Line 4"),
        (_patch("*** Add File:  "), "names no file"),
        (_patch("*** Update File: a", "@@", "-x", "*** End of File", "-z"), "outside a hunk"),
        (_patch("*** Update File: a", "@@", " x", "*** Move to: b"), "Line 5"),
    ],
)
def test_what_is_malformed_is_named(text: str, said: str) -> None:
    with pytest.raises(PatchError, match=said):
        parse_patch(text)
