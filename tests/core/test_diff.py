"""Diffs apply with git; hidden characters are shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core import diff as diff_module
from redline.core import long_lines
from redline.core import spans as spans_module
from redline.core.diff import (
    NO_NEWLINE,
    diff_of_files,
    first_of,
    hunks_of_files,
    pieces_of_diff,
    unified_diff,
    visible,
    visible_diff,
)
from redline.core.line_diff import diff_lines
from redline.core.long_lines import RawLine, fold_line, fold_raw_line
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


@pytest.mark.requirement("engine-diff-any-size")
@pytest.mark.parametrize("repeats", [9000, 7])
def test_distant_edits_of_a_long_file_are_hunks_of_their_own(repeats: int) -> None:
    old = [f"{n % repeats}\n" for n in range(9000)]
    new = [*old[:1], "x\n", *old[2:4500], *old[4501:8998], "y\n", old[8999]]
    texts = ["".join(lines) for lines in (old, new)]
    found = diff_of_files(*(text.encode() for text in texts), "a", "b")
    assert found == unified_diff(*texts, "a", "b") == plain_diff(*texts, 3)
    assert found.count("@@ -") == 3


@pytest.mark.requirement("engine-diff-any-size")
def test_an_edit_in_each_of_many_repeated_blocks_is_a_hunk_of_two_lines() -> None:
    block = "export function handler{n}(req, res) {{\n  return res.{w}({n});\n}}\n\n"
    old, new = ("".join(block.format(n=n, w=w) for n in range(600)) for w in ("send", "json"))
    hunks = hunks_of_files(old.encode(), new.encode())
    assert len(hunks) == 1  # they are so near that their context touches
    assert [part.i2 - part.i1 for part in hunks[0].parts] == [1] * 600


def test_the_first_part_of_a_diff_and_its_size_are_those_of_all_of_it() -> None:
    old, new = b"\xe2\x82\xac" * 100_000, b"\xe2\x82\xac" * 100_001
    whole = diff_of_files(old, new, "a", "b")
    assert whole == plain_diff(old.decode(), new.decode(), 3)
    pieces = list(pieces_of_diff(old, new, "a", "b"))
    assert max(map(len, pieces)) <= 1 << 16
    assert first_of(pieces, 1000) == (whole[:1000], len(whole))
    assert first_of(pieces, 10**6) == (whole, len(whole))


def plain_diff(old: str, new: str, context: int) -> str:
    """The whole files split into lines, all of them compared, and each hunk put together."""
    if old == new:
        return ""
    before, after = split_lines(old), split_lines(new)
    parts = diff_lines(before, after)
    groups = [[part] for part in parts[:1]]
    for part in parts[1:]:
        if part.i1 - groups[-1][-1].i2 > 2 * context:
            groups.append([])
        groups[-1].append(part)
    shown = ["--- a\n+++ b\n"]
    for group in groups:
        i, j = max(0, group[0].i1 - context), max(0, group[0].j1 - context)
        i_end, j_end = group[-1].i2 + context, group[-1].j2 + context
        ranges = [
            diff_module._range(i, min(i_end, len(before))),
            diff_module._range(j, min(j_end, len(after))),
        ]
        shown.append(f"@@ -{ranges[0]} +{ranges[1]} @@\n")
        for i1, i2, j1, j2 in group:
            shown += [" " + line for line in before[i:i1]]
            shown += ["-" + line for line in before[i1:i2]]
            shown += ["+" + line for line in after[j1:j2]]
            i = i2
        shown += [" " + line for line in before[i:i_end]]
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in shown)


@pytest.mark.requirement("engine-long-lines")
@given(
    parts=st.lists(st.text("aé€\u20ad😀", max_size=4), min_size=4, max_size=4),
    sizes=st.tuples(*[st.sampled_from([0, 1, 90, 500, 5000])] * 4),
    ends=st.tuples(*[st.sampled_from(["", "\n"])] * 2),
)
def test_a_huge_line_is_folded_as_if_it_had_been_decoded(
    parts: list[str], sizes: tuple[int, ...], ends: tuple[str, str]
) -> None:
    head, tail, *middles = (part * size for part, size in zip(parts, sizes, strict=True))
    old, new = (head + middle + tail for middle in middles)
    lines = []
    for text, end in zip((old, new), ends, strict=True):
        raw = f"é\n{text}{end}".encode()
        lines.append(RawLine(raw, 3, len(raw) - len(end)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "_MAX_CHARS", -1)
        wanted = fold_line(old, new, is_old=True), fold_line(new, old, is_old=False)
        alone = fold_line(old, None, is_old=True)
        patch.setattr(long_lines, "_MAX_CHARS", 4 * long_lines.LONG)
        patch.setattr(long_lines, "_PIECE", 64)
        if max(len(line.decode().encode()) for line in lines) <= 4 * long_lines.LONG:
            return
        assert fold_raw_line(lines[0], lines[1], is_old=True) == wanted[0]
        assert fold_raw_line(lines[1], lines[0], is_old=False) == wanted[1]
        assert fold_raw_line(lines[0], None, is_old=True) == alone


@pytest.mark.requirement("engine-long-lines")
@pytest.mark.parametrize("size", [2_000, 200_000])
def test_of_a_long_line_only_the_changed_place_is_shown(size: int) -> None:
    old, new = (f"{'a ' * size}{word}{' b' * size}\n".encode() for word in ("one", "two"))
    left = f"[... {2 * size - 80:,} characters ...]"
    shown = diff_of_files(old, new, "a", "b", fold=True).splitlines()[3:]
    around = left + "a " * 40, " b" * 40 + left
    assert shown == [f"-{around[0]}one{around[1]}", f"+{around[0]}two{around[1]}"]
