"""A tool's answer, the command line, the page and undo have the same hunks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.diff import ShownHunk
from redline.core.paths import WorkspacePath
from redline.engine.reverting.selection import hunks_of
from redline.plan.describe import diff_of
from redline.review.page.diffs.model import read_files
from redline.services.history.listing import bounded_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "é\n", "\n"]), max_size=60)
HEAD = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def places_in(diff: str) -> list[tuple[int, ...]]:
    """Return first lines and sizes of the hunks that a text shows."""
    return [tuple(int(n or 1) for n in head.groups()) for head in HEAD.finditer(diff)]


def places_of(hunk: ShownHunk) -> tuple[int, ...]:
    """Return the same of a hunk."""
    i1, i2, j1, j2 = hunk.lines
    return i1 + (i2 > i1), i2 - i1, j1 + (j2 > j1), j2 - j1


@pytest.mark.requirement("engine-diff-any-size")
@settings(max_examples=150)
@given(old=LINES, new=LINES, keeps=st.booleans(), at=st.integers(0, 60))
def test_tool_command_line_page_and_undo_have_the_same_hunks(
    old: list[str], new: list[str], keeps: bool, at: int
) -> None:
    after = [*old[:at], *new[:2], *old[at + 1 :]] if keeps else new
    states = [FileState.of("".join(lines).encode()) for lines in (old, after)]
    change = Change(WorkspacePath(0, ("f",)), states[0], states[1])
    change_set = ChangeSet((change,))
    label = lambda path: path.relative  # noqa: E731
    undone = hunks_of(change)
    (page,) = read_files(change_set, label)
    assert [(hunk.lines, hunk.parts) for hunk in page.hunks] == undone
    wanted = [places_of(hunk) for hunk in undone]
    assert places_in(diff_of(change_set, label)) == wanted
    assert places_in(bounded_diff(change_set, label, 1 << 20).text) == wanted


@pytest.mark.requirement("engine-diff-any-size")
def test_a_diff_for_which_no_time_is_left_is_cut() -> None:
    states = [FileState.of(text) for text in (b"old\n", b"new\n")]
    change_set = ChangeSet((Change(WorkspacePath(0, ("f",)), *states),))
    assert bounded_diff(change_set, lambda path: path.relative, 100, None, started=0.0) == (
        "",
        True,
    )
