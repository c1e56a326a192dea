"""Lines found in the text as a whole are those found by comparing it line by line."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from redline.core.errors import NoMatch
from redline.plan.match.lines import _Edit, hunk_candidates
from redline.plan.match.placement import MatchLevel
from redline.plan.match.searched_text import SearchedText
from redline.plan.match.text import literal_spans
from tests.support import LONG

BODIES = st.sampled_from(["a", "b", "", "ab", " a"])
ODD_BODIES = st.sampled_from(["a", "b", "", " a", "\ta ", "a \u2019 b", "a ' b", "b\u00a0", "\r"])
TEXT = st.tuples(st.lists(BODIES, max_size=12), st.booleans()).map(
    lambda parts: "\n".join(parts[0]) + "\n" * parts[1]
)


@settings(max_examples=500 if LONG else 150)
@given(text=TEXT, old=st.lists(BODIES, min_size=1, max_size=3), ended=st.booleans())
@example(text="a\n", old=["a", ""], ended=True)
@example(text="a", old=["a"], ended=True)
@example(text="ab\na", old=["a"], ended=False)
def test_the_same_lines_and_the_same_blocks_are_found(
    text: str, old: list[str], ended: bool
) -> None:
    lines = [f"{body}\n" for body in old[:-1]] + [old[-1] + "\n" * ended]
    edit = _Edit(SearchedText(text), lines, [], None)
    found = dict(edit._literal_starts())
    assert list(found) == list(edit._key_starts(MatchLevel.LITERAL))
    assert edit.file.line_count == len(edit.file.lines)
    for start in found:
        plain = edit._block(start)
        edit._offsets = found
        assert edit._block(start) == plain
        edit._offsets = {}


@settings(max_examples=600 if LONG else 200)
@given(
    text=st.lists(st.tuples(ODD_BODIES, st.sampled_from(["\n", "\r\n"])), max_size=12).map(
        lambda lines: "".join(body + end for body, end in lines)
    ),
    hunk=st.lists(st.tuples(st.sampled_from(" -+"), ODD_BODIES), min_size=1, max_size=4),
    at_end=st.booleans(),
    cut=st.integers(0, 2),
)
def test_an_index_of_the_lines_finds_what_a_search_finds(
    text: str, hunk: list[tuple[str, str]], at_end: bool, cut: int
) -> None:
    assume(any(role != "+" for role, _ in hunk))
    text = text[: len(text) - cut]
    for within in (None, range(1, 6)):
        plain = _candidates(SearchedText(text), hunk, within, at_end)
        assert _candidates(SearchedText(text, is_indexed=True), hunk, within, at_end) == plain


def _candidates(
    text: SearchedText, hunk: list[tuple[str, str]], within: range | None, at_end: bool
) -> object:
    try:
        return hunk_candidates(text, hunk, within, at_end)
    except NoMatch as error:
        return error.message


@settings(max_examples=600 if LONG else 200)
@given(
    lines=st.lists(ODD_BODIES, max_size=8),
    old=st.text(alphabet="ab \n\r", min_size=1, max_size=6),
)
def test_a_file_with_crlf_alone_is_searched_as_one_with_mixed_ends(
    lines: list[str], old: str
) -> None:
    """One more line that ends in LF makes the same text a mixed one."""
    text = "".join(f"{line}\r\n" for line in lines)
    mixed = literal_spans(f"{text}zz\n", old)
    assert list(literal_spans(text, old)) == [span for span in mixed if span[1] <= len(text)]
