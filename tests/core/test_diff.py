"""Diffs apply with git; hidden characters are shown."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core import diff as diff_module
from redline.core import spans as spans_module
from redline.core.diff import (
    NO_NEWLINE,
    diff_of_files,
    first_of,
    pieces_of_diff,
    unified_diff,
    visible,
    visible_diff,
)
from redline.core.textfile import TextFile, split_lines

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "x"]), max_size=30).map("".join)


@settings(max_examples=30)
@given(old=TEXT, new=TEXT)
def test_a_diff_applied_with_git_gives_the_new_text(
    tmp_path_factory: object, old: str, new: str
) -> None:
    diff = unified_diff(old, new, "a/f", "b/f")
    if not diff:
        assert old == new
        return
    folder = Path(tmp_path_factory.mktemp("diff"))  # type: ignore[attr-defined]
    target = folder / "f"
    target.write_bytes(old.encode())
    if not old or not new:
        return  # git wants /dev/null labels for created and deleted files
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], input=diff.encode(), cwd=folder, check=True
    )
    assert target.read_bytes() == new.encode()


def test_distant_changes_give_separate_hunks() -> None:
    old = "".join(f"{n}\n" for n in range(40))
    new = old.replace("3\n", "three\n", 1).replace("35\n", "thirtyfive\n", 1)
    assert unified_diff(old, new, "a", "b").count("@@ -") == 2


def test_a_change_of_only_the_final_newline_is_visible() -> None:
    diff = unified_diff("a\n", "a", "a", "b")
    assert "-a\n+a\n\\ No newline at end of file\n" in diff


@settings(max_examples=100)
@given(old=TEXT, new=TEXT)
def test_line_ends_that_all_lines_of_a_file_share_are_not_shown(old: str, new: str) -> None:
    old, new = (text.replace("\r\n", "\n") for text in (old, new))
    plain = unified_diff(old, new, "a/f", "b/f")
    with_cr = [text.replace("\n", "\r\n") for text in (old, new)]
    diff = unified_diff(*with_cr, "a/f", "b/f")
    shown, hidden = visible_diff(diff + diff)
    assert (shown, hidden) == (plain + plain, 0)


def test_a_line_end_that_only_some_lines_have_is_shown() -> None:
    diff = unified_diff("a\r\nb\n", "a\r\nc\r\n", "a/f", "b/f")
    assert visible_diff(diff)[0].endswith(" a\\u000d\n-b\n+c\\u000d\n")
    assert visible_diff(diff)[1] == 2
    twice = unified_diff("a\r\r\n", "b\r\r\n", "a/f", "b/f")
    assert visible_diff(twice)[0].endswith("-a\\u000d\n+b\\u000d\n")


def test_hidden_characters_are_escaped_and_counted() -> None:
    assert visible("a\u202eb\x1b[0m\tc\n") == ("a\\u202eb\\u001b[0m\tc\n", 2)


PIECES = [
    b"a\n",
    b"b\n",
    b"a\r\n",
    b"\n",
    b"x",
    b"\xff",
    b"\xe2\x82\xac",
    b"\xe2\x82",
    b"long " * 9,
]
BYTES = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
MARK = st.sampled_from([b"", b"", b"\xef\xbb\xbf"])


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file and what a few edits make of it, or two files that have little in common."""
    old = new = draw(BYTES)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(new)))
        new = new[:start] + draw(BYTES)[:9] + new[start + draw(st.integers(0, 9)) :]
    if draw(st.booleans()):
        new = draw(BYTES)
    return draw(MARK) + old, draw(MARK) + new


@settings(max_examples=400)
@given(texts=edited(), context=st.integers(0, 4), piece=st.sampled_from([1, 4, 7, 1 << 16]))
@example(texts=(b"", b"a"), context=3, piece=4)
@example(texts=(b"a\nb", b"a\nb\n"), context=3, piece=4)
@example(texts=(b"x\n", b"y\nx\n"), context=3, piece=1)
def test_the_diff_is_that_of_all_lines_compared_one_by_one(
    texts: tuple[bytes, bytes], context: int, piece: int
) -> None:
    old, new = TextFile(texts[0]).text, TextFile(texts[1]).text
    expected = plain_diff(old, new, context)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans_module, "_PIECE", piece)
        patch.setattr(diff_module, "_PIECE", max(piece, 4))
        patch.setattr(diff_module, "_LONG_LINE", piece)
        assert unified_diff(old, new, "a", "b", context) == expected
        assert diff_of_files(*texts, "a", "b", context) == expected


def test_a_block_that_is_too_large_to_match_is_replaced_as_a_whole() -> None:
    old = "".join(f"{n}\n" for n in range(9000))
    new = "0\n" + "".join(f"{n}x\n" if n % 2 else f"{n}\n" for n in range(1, 8999)) + "8999\n"
    found = diff_of_files(old.encode(), new.encode(), "a", "b")
    assert found == unified_diff(old, new, "a", "b") == plain_diff(old, new, 3)
    assert found.count("@@ -") == 1


def test_the_first_part_of_a_diff_and_its_size_are_those_of_all_of_it() -> None:
    old, new = b"\xe2\x82\xac" * 100_000, b"\xe2\x82\xac" * 100_001
    whole = diff_of_files(old, new, "a", "b")
    assert whole == plain_diff(old.decode(), new.decode(), 3)
    pieces = list(pieces_of_diff(old, new, "a", "b"))
    assert max(map(len, pieces)) <= 1 << 16
    assert first_of(pieces, 1000) == (whole[:1000], len(whole))
    assert first_of(pieces, 10**6) == (whole, len(whole))


def plain_diff(old: str, new: str, context: int) -> str:
    """The whole files split into lines, the lines in common trimmed, the rest matched."""
    if old == new:
        return ""
    before, after = split_lines(old), split_lines(new)
    head, limit = 0, min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    ends = len(before) - tail, len(after) - tail
    middle = [("replace", head, ends[0], head, ends[1])]
    if ends[0] - head > 0 and ends[1] - head > 0 and sum(ends) - 2 * head <= 6000:
        left, right = before[head : ends[0]], after[head : ends[1]]
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        middle = [(code[0], *(head + n for n in code[1:])) for code in matcher.get_opcodes()]
    codes = [("equal", 0, head, 0, head)] if head else []
    codes += middle
    if tail:
        codes.append(("equal", ends[0], len(before), ends[1], len(after)))
    shown = ["--- a\n+++ b\n"]
    for group in diff_module._group_hunks(codes, context):
        (_, i, _, j, _), (_, _, i_end, _, j_end) = group[0], group[-1]
        ranges = diff_module._range(i, i_end), diff_module._range(j, j_end)
        shown.append(f"@@ -{ranges[0]} +{ranges[1]} @@\n")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                shown += [" " + line for line in before[i1:i2]]
                continue
            shown += ["-" + line for line in before[i1:i2]]
            shown += ["+" + line for line in after[j1:j2]]
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in shown)
