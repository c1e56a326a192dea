"""The diff engine: every result is applied, small ones are as short as can be."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core import line_diff
from redline.core.diff import hunks_of_files, unified_diff
from redline.core.line_diff import LineHunk, diff_lines

LINES = st.lists(st.sampled_from("abcdefg"), max_size=60)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines, and what edits made of them, or others."""
    old = draw(LINES)
    new = list(old)
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(new)))
        new[start : start + draw(st.integers(0, 4))] = draw(LINES)[:4]
    return old, draw(LINES) if draw(st.booleans()) else new


def apply(old: list[str], new: list[str], hunks: list[LineHunk]) -> list[str]:
    """Return what the hunks make of *old*, taking from *new* only what they name."""
    made: list[str] = []
    at = 0
    for hunk in hunks:
        assert hunk.i1 >= at
        made += old[at : hunk.i1]
        assert len(made) == hunk.j1
        made += new[hunk.j1 : hunk.j2]
        at = hunk.i2
    return made + old[at:]


def shortest(old: list[str], new: list[str]) -> int:
    """Return how many lines differ at least, found in a table of all beginnings."""
    row = list(range(len(new) + 1))
    for i, line in enumerate(old, 1):
        before, row = row, [i]
        for j, other in enumerate(new, 1):
            row.append(before[j - 1] if line == other else 1 + min(before[j], row[-1]))
    return row[-1]


@pytest.mark.requirement("engine-diff-any-size")
@settings(max_examples=500)
@given(texts=edited())
@example(texts=([], ["a"]))
@example(texts=(["a", "b"], ["b", "a"]))
def test_a_diff_makes_the_new_text_with_as_few_lines_as_can_be(
    texts: tuple[list[str], list[str]],
) -> None:
    old, new = texts
    hunks = diff_lines(old, new)
    assert apply(old, new, hunks) == new
    assert sum(h.i2 - h.i1 + h.j2 - h.j1 for h in hunks) == shortest(old, new)


@pytest.mark.requirement("engine-diff-any-size")
@settings(max_examples=300)
@given(texts=edited(), effort=st.sampled_from([0, 40, 400]))
def test_a_diff_that_is_found_in_pieces_makes_the_new_text_too(
    texts: tuple[list[str], list[str]], effort: int
) -> None:
    old, new = texts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_DEEPEST", 3)
        patch.setattr(line_diff, "_SHALLOWEST", 1)
        patch.setattr(line_diff, "_EVIDENCE", 2)
        patch.setattr(line_diff, "_EFFORT", effort)
        patch.setattr(line_diff, "_OVERDRAFT", effort)
        assert apply(old, new, diff_lines(old, new)) == new


@pytest.mark.requirement("engine-diff-any-size")
@pytest.mark.parametrize("kinds", [2, 20, 400, 10**6])
def test_many_edits_of_a_long_text_are_found_where_they_are(kinds: int) -> None:
    rng = random.Random(kinds)
    old = [str(rng.randrange(kinds)) for _ in range(20_000)]
    new = list(old)
    for at in sorted(rng.sample(range(20_000), 700), reverse=True):
        new[at : at + rng.randrange(3)] = [str(rng.randrange(kinds))] * rng.randrange(3)
    hunks = diff_lines(old, new)
    assert apply(old, new, hunks) == new
    assert len(hunks) > 300
    # Each edit changes at most two lines and adds two.
    assert sum(h.i2 - h.i1 + h.j2 - h.j1 for h in hunks) <= 4 * 700


@pytest.mark.requirement("engine-diff-any-size")
def test_texts_with_nothing_in_the_same_order_are_compared_within_the_effort() -> None:
    rng = random.Random(3)
    old, new = ([str(rng.randrange(30)) for _ in range(6000)] for _ in range(2))
    search = line_diff._Search([int(line) for line in old], [int(line) for line in new])
    runs = list(search.matches())
    assert all(old[x : x + size] == new[y : y + size] for x, y, size in runs)
    # Once the effort is used up, a search goes no deeper than a few edits.
    most = len(old) + len(new)
    assert -search.effort <= 4 * line_diff._SHALLOWEST * most


@pytest.mark.requirement("engine-diff-any-size")
def test_behind_more_than_anybody_reads_distant_edits_are_still_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_diff, "_EFFORT", 0)
    monkeypatch.setattr(line_diff, "_OVERDRAFT", 2000)
    rng = random.Random(4)
    old, new = ([str(rng.randrange(10)) for _ in range(2000)] for _ in range(2))
    tail = [f"line {number}" for number in range(3000)]
    changed = list(tail)
    places = [500, 1500, 2900]
    for at in places:
        changed[at] = "changed"
    hunks = diff_lines([*old, *tail], [*new, *changed])
    assert apply([*old, *tail], [*new, *changed], hunks) == [*new, *changed]
    # The search stopped: what it did not look at is one block.
    assert max(hunk.i2 - hunk.i1 for hunk in hunks) > 1000
    assert hunks[-3:] == [LineHunk(*[at + 2000, at + 2001] * 2) for at in places]


@pytest.mark.requirement("engine-diff-any-size")
@settings(max_examples=200)
@given(texts=edited())
def test_the_hunks_of_a_diff_are_those_that_are_undone(texts: tuple[list[str], list[str]]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines) for lines in texts)
    found = hunks_of_files(old.encode(), new.encode())
    heads = re.findall(r"^@@ .*$", unified_diff(old, new, "a", "b"), re.MULTILINE)
    assert heads == [f"@@ -{line_range(h.i1, h.i2)} +{line_range(h.j1, h.j2)} @@" for h, _ in found]
    assert [part for hunk in found for part in hunk.parts] == diff_lines(
        old.splitlines(), new.splitlines()
    )


def line_range(start: int, end: int) -> str:
    """Return a range as `diff -u` writes it."""
    if end - start == 1:
        return str(end)
    return f"{start + (end > start)},{end - start}"
