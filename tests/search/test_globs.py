"""Globs mean what the toolset's reference says, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.errors import InvalidArgument
from redline.search import globs
from redline.search.globs import expand, is_glob, matcher, selects, split_base


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.PY", "c.py", True),
        ("**/*.py", "c.py", True),
        ("**/*.py", "a/b/c.py", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "a/x/y/c.py", True),
        ("a/**", "a", True),
        ("a/**", "a/b/c", True),
        ("a/**", "ab", False),
        ("?.py", "x.py", True),
        ("?.py", "xy.py", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("[^ab].py", "c.py", True),
        ("{a,b*}.py", "bcd.py", True),
        ("{a,{b,c}d}.py", "cd.py", True),
        (r"\*.py", "*.py", True),
        (r"\*.py", "a.py", False),
        (".*", ".hidden", True),
        ("*", ".hidden", True),
        ("[x", "[x", False),
        ("{a,b", "{a,b", False),
        ("a.c", "abc", False),
        ("**", "a/b", True),
    ],
)
def test_a_pattern_and_a_path(pattern: str, path: str, expected: bool) -> None:
    assert selects([pattern])(path) is expected


def test_a_literal_beginning_is_the_base() -> None:
    assert split_base("/a/b/*.py") == ("/a/b", "*.py")
    assert split_base("/*.py") == ("/", "*.py")
    assert split_base("a/{b,c}/d") == ("a", "{b,c}/d")
    assert split_base("/a/plain") == ("/a", "plain")
    assert [is_glob(t) for t in ("a*", "a?", "{a}", "a}", "[a]", "plain")] == [True] * 5 + [False]


@settings(max_examples=300)
@given(
    pattern=st.lists(st.sampled_from(["a", "b", "/", "*", "**", "?", "[ab]"]), max_size=7).map(
        "".join
    ),
    path=st.text("ab/", max_size=8),
)
def test_the_simulation_agrees_with_the_regular_expression(pattern: str, path: str) -> None:
    import re

    tokens = globs.parse(pattern)
    assert tokens is not None
    regex = re.compile(globs._regex(tokens), re.IGNORECASE | re.DOTALL)
    assert globs._Simulation(tokens)(path) == (regex.fullmatch(path) is not None)


def test_many_stars_cost_no_more_than_the_length_of_the_path() -> None:
    test = matcher(("*a" * 40 + "b",))
    start = time.process_time()
    assert test("a" * 4000) is False
    assert time.process_time() - start < 5  # backtracking would outlive the machine


def test_alternatives_are_bounded() -> None:
    assert expand("{a,b}{c,d}") == ["ac", "ad", "bc", "bd"]
    with pytest.raises(InvalidArgument):
        expand("{a,b}" * 12)
