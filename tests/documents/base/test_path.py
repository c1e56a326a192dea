"""The path grammar is strict and round-trips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.errors import InvalidArgument
from redline.documents.base.path import parse_path, render_path


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("", ()),
        ("name", ("name",)),
        ("server.host", ("server", "host")),
        ("items[0]", ("items", 0)),
        ("items[-1].name", ("items", -1, "name")),
        ('a["x.y"].b', ("a", "x.y", "b")),
        ("a['z']", ("a", "z")),
        ('["x"]', ("x",)),
        ("[0][1]", (0, 1)),
        (r'a["q\"\\"]', ("a", 'q"\\')),
        ("on push", ("on push",)),
        (r'["\ud835\udc2dx"]', ("\U0001d42dx",)),
        (r'["\ud835"]', ("\ud835",)),
        ("ports.8080", ("ports", "8080")),
    ],
)
def test_every_form_of_the_grammar_is_read(text: str, segments: tuple[object, ...]) -> None:
    assert parse_path(text) == segments


@pytest.mark.parametrize(
    "text",
    [
        *(".", ".a", "a.", "a..b", "a[", "a[]", "a[x]", "a[0", "a]b", "a[0]b", 'a["x]', '"a"'),
        *("a[01]", "a[0].", "a.[0]", "a b ", " a", "a[--1]", "a[1.5]"),
    ],
)
def test_a_malformed_path_is_an_error_and_never_a_prefix_of_one(text: str) -> None:
    with pytest.raises(InvalidArgument) as failure:
        parse_path(text)
    assert text in failure.value.message
    assert failure.value.field == "path"


def test_a_list_of_segments_is_accepted_and_checked() -> None:
    assert parse_path(["a.b", 0]) == ("a.b", 0)
    with pytest.raises(InvalidArgument):
        parse_path([True])


@given(st.lists(st.one_of(st.text(max_size=8), st.integers(-9, 99)), max_size=6))
def test_rendered_paths_read_back_as_themselves(segments: list[str | int]) -> None:
    assert parse_path(render_path(segments)) == tuple(segments)
