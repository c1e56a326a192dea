"""Splices: the named bytes are replaced, every other byte is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.errors import OverlappingEdits
from redline.core.splice import Splice, apply_splices


@st.composite
def spliced_sources(draw: st.DrawFn) -> tuple[list[tuple[bytes, bytes | None]], list[int]]:
    """A source in pieces, each kept (None) or replaced, and an order for the splices."""
    piece = st.tuples(st.binary(min_size=1, max_size=6), st.none() | st.binary(max_size=6))
    pieces = draw(st.lists(piece, max_size=8))
    return pieces, draw(st.permutations(range(len(pieces))))


@given(spliced_sources())
def test_replaced_pieces_change_and_kept_ones_stay_in_any_order(
    drawn: tuple[list[tuple[bytes, bytes | None]], list[int]],
) -> None:
    pieces, order = drawn
    splices: dict[int, Splice] = {}
    position = 0
    for number, (old, new) in enumerate(pieces):
        if new is not None:
            splices[number] = Splice(position, position + len(old), new)
        position += len(old)
    source = b"".join(old for old, _ in pieces)
    expected = b"".join(old if new is None else new for old, new in pieces)
    assert apply_splices(source, [splices[n] for n in order if n in splices]) == expected


@given(st.binary(max_size=20), st.binary(max_size=5), st.data())
def test_an_insertion_keeps_everything(source: bytes, data: bytes, drawn: st.DataObject) -> None:
    at = drawn.draw(st.integers(0, len(source)))
    assert apply_splices(source, [Splice(at, at, data)]) == source[:at] + data + source[at:]


def test_two_splices_of_one_byte_are_refused() -> None:
    with pytest.raises(OverlappingEdits, match="byte 2"):
        apply_splices(b"abcdef", [Splice(0, 3, b"x"), Splice(2, 4, b"y")])


def test_splices_that_touch_do_not_overlap() -> None:
    assert apply_splices(b"abcd", [Splice(2, 4, b"Y"), Splice(0, 2, b"X")]) == b"XY"


def test_a_range_beyond_the_source_or_turned_around_is_an_error() -> None:
    with pytest.raises(ValueError, match="source has 2 bytes"):
        apply_splices(b"ab", [Splice(1, 3, b"")])
    with pytest.raises(ValueError, match="bad splice range"):
        Splice(2, 1, b"")
