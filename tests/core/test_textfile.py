"""Text files: any bytes go through text and back; line ends, BOM and encoding are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.errors import InvalidArgument
from redline.core.textfile import (
    BOM,
    TextFile,
    encode,
    encoded_length,
    line_body,
    line_end,
    split_lines,
    undecodable_at,
)

RAW = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "ignore")),
    st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\xff", BOM])).map(b"".join),
)
TEXTS = RAW.map(lambda raw: TextFile(raw).text)


@given(RAW)
def test_any_bytes_go_through_text_and_back(raw: bytes) -> None:
    file = TextFile(raw)
    assert file.with_text(file.text) == raw


@given(RAW)
def test_the_first_undecodable_byte_is_found(raw: bytes) -> None:
    try:
        raw.decode("utf-8")
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    assert undecodable_at(raw) == expected
    assert TextFile(raw).is_utf8 == (expected is None)


@pytest.mark.parametrize("before", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1])
def test_a_character_across_two_pieces_is_decoded_and_a_cut_one_is_found(before: int) -> None:
    assert undecodable_at(b"a" * before + "é".encode()) is None
    assert undecodable_at(b"a" * before + "é".encode()[:1]) == before


@given(TEXTS)
def test_lines_join_to_the_text_and_end_only_in_lf_or_crlf(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line and "\n" not in line_body(line) for line in lines)
    assert all(line_body(line) + line_end(line) == line for line in lines)
    assert all(line_end(line) in ("\n", "\r\n") for line in lines[:-1])


@given(TEXTS, st.data())
def test_the_encoded_length_is_that_of_the_encoded_part(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert encoded_length(text, start, end) == len(encode(text[start:end]))


@pytest.mark.parametrize(
    ("raw", "newline"),
    [
        (b"", "\n"),
        (b"a\rb", "\n"),
        (b"a\r\nb\n", "\r\n"),
        (b"a\nb\r\n", "\n"),
        (b"a\nb\r\nc\r\n", "\r\n"),
        (b"a\nb\nc\r\n", "\n"),
    ],
)
def test_the_line_end_most_lines_have_wins_and_the_first_on_a_tie(raw: bytes, newline: str) -> None:
    assert TextFile(raw).newline == newline


def test_a_byte_order_mark_is_no_part_of_the_text_and_is_kept() -> None:
    file = TextFile(BOM + b"text")
    assert file.has_bom
    assert file.text == "text"
    assert file.with_text("new") == BOM + b"new"


def test_a_nul_beyond_the_first_4096_bytes_does_not_make_a_file_binary() -> None:
    assert TextFile(b"a" * 4095 + b"\0").is_binary
    assert not TextFile(b"a" * 4096 + b"\0").is_binary


def test_a_letter_in_another_encoding_is_refused_and_one_that_is_there_is_not() -> None:
    latin = TextFile("é = 1\n".encode("latin-1"))
    with pytest.raises(InvalidArgument, match="would be written in another encoding"):
        latin.with_text("ü = 1\n")
    assert latin.with_text(latin.text + "more\n") == latin.raw + b"more\n"
