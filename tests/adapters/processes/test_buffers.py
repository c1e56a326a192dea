"""Output in bounded memory: nothing is lost silently."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from redline.adapters.processes.job import HeadBuffer, RollingBuffer
from redline.core.ports.commands import Captured
from redline.services.commands.jobs import keep_tail

chunks = st.lists(st.binary(max_size=20), max_size=12)


@given(chunks, st.integers(0, 10), st.integers(1, 30))
def test_head_and_tail_are_the_ends_and_the_rest_is_counted(
    parts: list[bytes], head: int, tail: int
) -> None:
    buffer = RollingBuffer(head, tail)
    whole = b"".join(parts)
    for part in parts:
        buffer.append(part)
    got = buffer.take()
    assert whole.startswith(got.head)
    assert whole.endswith(got.tail)
    assert len(got.head) + len(got.tail) + got.lost == len(whole)
    assert len(got.head) <= head if got.lost else len(got.head) <= head + tail
    assert len(got.tail) <= tail
    assert not buffer.has_unread


@given(chunks, chunks)
def test_what_was_taken_is_not_given_again(first: list[bytes], second: list[bytes]) -> None:
    buffer = RollingBuffer(1000, 1000)
    for part in first:
        buffer.append(part)
    one = buffer.take()
    for part in second:
        buffer.append(part)
    two = buffer.take()
    assert one.head + one.tail == b"".join(first)
    assert two.head + two.tail == b"".join(second)


@given(st.lists(st.binary(max_size=9), max_size=9), st.integers(0, 40))
def test_a_head_buffer_keeps_the_first_bytes(parts: list[bytes], limit: int) -> None:
    buffer = HeadBuffer(limit)
    for part in parts:
        buffer.append(Captured(part, b""))
    whole = b"".join(parts)
    assert bytes(buffer.data) == whole[:limit]
    assert buffer.is_cut == (len(whole) > limit)


def test_nothing_behind_a_gap_is_taken_for_the_head() -> None:
    buffer = HeadBuffer(100)
    buffer.append(Captured(b"ab", b"yz", lost=5))
    buffer.append(Captured(b"more", b""))
    assert bytes(buffer.data) == b"ab"
    assert buffer.is_cut


@given(st.text(alphabet="ab\n\u00e9\U0001f600", max_size=80), st.integers(1, 60), st.integers(1, 9))
def test_a_cut_is_an_end_within_the_limits_and_whole_characters(
    text: str, most: int, lines: int
) -> None:
    data = text.encode()
    cut = keep_tail(data, most, lines)
    assert data.endswith(cut.data)
    assert len(cut.data) <= most
    assert len(cut.data.decode().splitlines()) <= lines
    assert (cut.by is None) == (cut.data == data)


@given(st.lists(st.text(alphabet="ab", max_size=5), min_size=1, max_size=20), st.integers(8, 60))
def test_a_cut_between_short_lines_keeps_whole_lines(lines: list[str], most: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    kept = keep_tail(data, most).data
    assert kept == data or data[: len(data) - len(kept)].endswith(b"\n")


@given(st.text(max_size=30), st.lists(st.integers(0, 100), max_size=8))
def test_characters_are_never_split_between_two_looks(text: str, cuts: list[int]) -> None:
    data = text.encode("utf-8", "replace")
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    buffer = RollingBuffer(5, 1000)
    seen = ""
    for start, end in pairwise(places):
        buffer.append(data[start:end])
        got = buffer.take(final=False)
        seen += (got.head + got.tail).decode()
    assert seen == data.decode()
    assert buffer.take() == Captured(b"", b"")


def test_bytes_that_are_no_text_are_not_held_back_for_ever() -> None:
    buffer = RollingBuffer()
    buffer.append(b"a\xe2\x82")
    assert buffer.take(final=False).head == b"a"
    assert not buffer.has_unread
    assert buffer.take().head == b"\xe2\x82"
    buffer.append(b"\x80\xff\xc0")
    assert buffer.take(final=False).head == b"\x80\xff\xc0"
