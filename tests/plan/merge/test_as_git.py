"""The three-way merge beside `git merge-file`."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.line_diff import diff_lines, split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines
from tests.plan.merge.pairs import Pair, compare, git_merge, our_merge
from tests.plan.merge.undone_files import compare_files
from tests.support import LONG

COUNT = 10_000 if LONG else 300


@pytest.mark.requirement("history-merge-as-git")
def test_random_pairs_merge_as_git_merges_them_or_are_refused(tmp_path: Path) -> None:
    counts, wrong = compare(COUNT, 7, tmp_path)
    assert wrong == []
    assert counts["same"] > COUNT / 4
    # A short run is too small a sample for 2 %.
    share = 0.02 if COUNT > 5000 else 0.05
    assert counts["refused"] <= share * (counts["same"] + counts["refused"])


@pytest.mark.requirement("history-merge-as-git")
def test_undoing_in_real_files_also_moved_ones_gives_what_git_merges_or_changes_nothing() -> None:
    count = COUNT if COUNT > 5000 else 100
    counts, wrong = compare_files(count, 7)
    assert wrong == []
    for feature in ("by a person", "by Redline", "move before", "move after", "CRLF", "Unicode"):
        assert counts[feature] > count / 10, feature
    assert counts["no final newline"] > count / 50
    assert counts["both refuse"] > count / 10
    assert counts["same"] > count / 4
    assert counts["refused"] <= (0.02 if count > 5000 else 0.1) * (counts["same"] + 1)


@pytest.mark.requirement("history-merge-as-git")
def test_hunks_rebuild_the_new_text_also_beyond_the_limit_on_work() -> None:
    old = [b"%d\n" % (n % 700) for n in range(2000)]
    new = [b"x%d\n" % n if n % 3 == 0 else line for n, line in enumerate(old)]
    rebuilt = list(old)
    for hunk in reversed(diff_lines(old, new)):
        rebuilt[hunk.i1 : hunk.i2] = new[hunk.j1 : hunk.j2]
    assert rebuilt == new


def test_a_line_removed_and_restored_in_between_counts_as_kept() -> None:
    base, wanted = split_lines(b"a\nb\nc\nd\ne\n"), split_lines(b"a\nB\nc\nd\ne\n")
    versions = [
        Version(split_lines(b"a\nx\nc\nd\ne\n"), "one"),
        Version(split_lines(b"a\nx\nc\nd\ne\nf\n"), "two"),
        Version(split_lines(b"a\nb\nc\nd\ne\nf\n"), "three"),
    ]
    merged = merge_lines(base, wanted, versions)
    assert b"".join(merged.lines) == b"a\nB\nc\nd\ne\nf\n"
    assert merged.conflicts == ()
    (conflict,) = merge_lines(base, wanted, versions[:2]).conflicts
    assert (conflict.now, conflict.wanted, conflict.makers) == ((b"x\n",), (b"B\n",), ("one",))


@pytest.mark.requirement("history-merge-as-git")
def test_repeated_lines_are_merged_as_git_does_unless_both_sides_share_a_change(
    tmp_path: Path,
) -> None:
    # Read from the end, the line is repeated right where the other side adds one.
    clear = Pair(b"a\n", b"a\na\n", b"b\na\n")
    assert our_merge(clear) == git_merge(clear, tmp_path) == b"b\na\na\n"
    # The lines between are the same either way, but which of them both sides removed is unclear.
    base, wanted = b"x\ng\nr\nz\n", b"g\nn\ng\nr\nz\ny\n"
    unclear = Pair(base, wanted, b"g\nr\nz\n")
    assert our_merge(unclear) is None
    assert git_merge(unclear, tmp_path) is None
    # Everything that is wanted is there already, but which line was repeated is unclear.
    unclear = Pair(b"a\nb\nc\nd\n", b"e\na\nb\nb\nc\nd\n", b"e\na\nb\nb\nc\nc\n")
    assert our_merge(unclear) is None
    assert git_merge(unclear, tmp_path) is None
    # Both removed the same line, but which lines were repeated behind it is unclear.
    unclear = Pair(b"a\nb\nc\nd\ne\nf\n", b"a\nb\nd\ne\nf\n", b"g\na\nb\nd\nb\nd\ne\n")
    assert our_merge(unclear) is None
    assert git_merge(unclear, tmp_path) is None
