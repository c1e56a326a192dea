"""Globs never take long, and mean what they meant."""

from __future__ import annotations

import random
import time

import pytest

from redline.core.errors import InvalidArgument, InvalidPattern
from redline.search.es_regex import MAX_PATTERN, check_pattern
from redline.search.globs import matcher
from redline.search.patterns import MAX_GLOB, MAX_GLOBS, any_of, expand_braces


def plainly(pattern: list[str], path: list[str]) -> bool:
    """Whether names match name by name; `**` stands for any number of them, at the end for one."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return any(plainly(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and name_matches(pattern[0], path[0]) and plainly(pattern[1:], path[1:])


def name_matches(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(name_matches(pattern[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and pattern[0] in (name[0], "?") and name_matches(pattern[1:], name[1:])


def test_globs_select_what_a_search_of_every_possibility_selects() -> None:
    rng = random.Random(7)
    for _ in range(4000):
        parts = [
            rng.choice(["**", "".join(rng.choices("ab*?", k=rng.randint(1, 5)))])
            for _ in range(rng.randint(2, 5))
        ]
        path = ["".join(rng.choices("ab", k=rng.randint(1, 5))) for _ in range(rng.randint(1, 5))]
        if parts == ["**"] * len(parts) or "" in parts:
            continue
        parts = ["*" if set(part) == {"*"} and part != "**" else part for part in parts]
        found = any_of(("/".join(parts),)).fullmatch("/".join(path)) is not None
        assert found == plainly(parts, path), (parts, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 30 + "b", "a" * 250),
        ("**/a/" * 20 + "b", "a/" * 1000 + "c"),
        ("**a**a**a**b", "a/" * 1000),
        ("**a*a*a*b", "a" * 200 + "/" + "a" * 200),
        ("?*" * 40 + "b", "a" * 250),
    ],
)
def test_no_path_makes_a_glob_backtrack_without_end(pattern: str, path: str) -> None:
    started = time.process_time()
    assert any_of((pattern,)).fullmatch(path) is None
    matcher((pattern,))(path)
    assert time.process_time() - started < 2


def test_what_is_too_much_is_refused_with_the_limit() -> None:
    for pattern in ("{a,b}" * 9, "{" + "a," * 300 + "a}", "x" * (MAX_GLOB + 1)):
        with pytest.raises(InvalidArgument, match=r"256|8192"):
            expand_braces(pattern)
        with pytest.raises(InvalidArgument, match=r"256|8192"):
            matcher((pattern,))
    with pytest.raises(InvalidArgument, match="1000"):
        any_of(tuple(map(str, range(MAX_GLOBS + 1))))
    with pytest.raises(InvalidPattern, match=str(MAX_PATTERN)):
        check_pattern("é" * (MAX_PATTERN // 2 + 1))
    assert expand_braces("{a,b}{c,d}") == ["ac", "ad", "bc", "bd"]
