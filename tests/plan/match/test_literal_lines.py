"""Lines found in the text as a whole are those found by comparing it line by line."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.plan.match.lines import _Edit
from tests.support import LONG

BODIES = st.sampled_from(["a", "b", "", "ab", " a"])
TEXT = st.tuples(st.lists(BODIES, max_size=12), st.booleans()).map(
    lambda parts: "\n".join(parts[0]) + "\n" * parts[1]
)


@settings(max_examples=500 if LONG else 150, deadline=None)
@given(text=TEXT, old=st.lists(BODIES, min_size=1, max_size=3), ended=st.booleans())
@example(text="a\n", old=["a", ""], ended=True)
@example(text="a", old=["a"], ended=True)
@example(text="ab\na", old=["a"], ended=False)
def test_the_same_lines_and_the_same_blocks_are_found(
    text: str, old: list[str], ended: bool
) -> None:
    lines = [f"{body}\n" for body in old[:-1]] + [old[-1] + "\n" * ended]
    edit = _Edit(text, lines, [], None)
    found = dict(edit._literal_starts())
    assert list(found) == list(edit._key_starts(str))
    assert edit._line_count() == len(edit.lines)
    for start in found:
        plain = edit._block(start)
        edit._offsets = found
        assert edit._block(start) == plain
        edit._offsets = {}
