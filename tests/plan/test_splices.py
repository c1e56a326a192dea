"""Splices of the bytes do what placements do to the text."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core.textfile import TextFile
from redline.plan.match.engine import apply_placements
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.splices import apply_all_splices, splices_of

TEXT = st.text("ab\n\u00e9\u20ac\U0001f600", max_size=30)
CUTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), TEXT), max_size=5)


@settings(max_examples=300)
@given(text=TEXT, mark=st.sampled_from(["", "\ufeff"]), cuts=CUTS)
@example(text="ab", mark="", cuts=[(1, 0, "b"), (0, 0, "a"), (0, 1, "c")])
def test_the_bytes_become_those_of_the_new_text(
    text: str, mark: str, cuts: list[tuple[int, int, str]]
) -> None:
    spots, at = [], 0
    for gap, length, new in cuts:
        start = min(at + gap, len(text))
        at = min(start + length, len(text))
        spots.append(Placement(start, at, new, MatchLevel.LITERAL, 1))
    file = TextFile((mark + text).encode())
    assert apply_all_splices(file, splices_of(file, text, spots)) == file.with_text(
        apply_placements(text, spots)
    )


def test_a_file_that_is_not_utf8_is_left_to_those_who_look_at_all_of_it() -> None:
    file = TextFile(b"a \xff")
    spot = Placement(0, 1, "\u20ac", MatchLevel.LITERAL, 1)
    assert apply_all_splices(file, splices_of(file, file.text, [spot])) is None
    plain = Placement(0, 1, "b", MatchLevel.LITERAL, 1)
    assert apply_all_splices(file, splices_of(file, file.text, [plain])) == b"b \xff"
