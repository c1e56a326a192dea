"""The depth of brackets counted fast is the depth counted one by one."""

from __future__ import annotations

import random

import pytest

from redline.documents.base.depth import nests_too_deep
from tests.support import LONG

ROUNDS = 100_000 if LONG else 4_000
TOKENS = [b"[", b"]", b"{", b"}", b"[[[", b"]]]", b'"', b"'", b"\\", b'\\"', b"\\\\", b"a", b",\n"]
STRINGS = [b'"]"', b"'['", b'"it\'s ]"', b"'say \"{'", b'"\\\\"', b'"\\""', b"'\\'}'", b'""', b"''"]


def deepest(text: bytes) -> int:
    """The depth of *text*, byte by byte."""
    depth = most = 0
    quote, escaped = 0, False
    for byte in text:
        if quote:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == quote:
                quote = 0
        elif byte in b"\"'":
            quote = byte
        elif byte in b"[{":
            depth += 1
            most = max(most, depth)
        elif byte in b"]}":
            depth = max(0, depth - 1)
    return most


def made(rng: random.Random) -> bytes:
    """Brackets and strings in any order; a backslash stands only where it can, in strings."""
    strings = rng.choices(STRINGS, k=rng.randrange(1, 5))
    tokens = [*TOKENS[:6], b"a", b",\n", *strings]
    text = b"".join(rng.choices(tokens, k=rng.randrange(60)))
    return text + b'"' + b"".join(rng.choices(TOKENS, k=rng.randrange(12))).replace(b'"', b"")


def test_brackets_outside_strings_are_counted_exactly() -> None:
    rng = random.Random("depth")
    for _ in range(ROUNDS):
        text = made(rng)
        depth = deepest(text)
        for limit in {max(0, depth - 1), depth, rng.randrange(8)}:
            assert nests_too_deep(text, limit) == (depth > limit), (text, depth, limit)


@pytest.mark.parametrize("depth", [199, 200, 201, 250, 70_000])
def test_long_texts_are_counted_across_windows(depth: int) -> None:
    around = b'["]",' * depth + b"[],{}," * 40_000 + b'"["' + b"]" * depth
    flat = b"[" * (depth - 1) + b'["]", [[1], {}]], ' * 30_000
    for text in (around, flat):
        found = deepest(text)
        assert nests_too_deep(text, found) is False
        assert nests_too_deep(text, found - 1) is True


def test_strings_that_go_on_in_the_next_window_hide_their_brackets() -> None:
    rng = random.Random("windows")
    for _ in range(30):
        parts = [b'"' + b"]x[" * 9_000 + b'"', b"'" + b'{"' * 40_000 + b"'", b'"\\\\"', b"[[", b"]"]
        parts += [b'"' + b"\\\\" * 40_000 + b"[" + b'"', b"{}, " * 5_000, b"'\\'['"]
        text = b"[".join(rng.choices(parts, k=rng.randrange(5, 12)))
        depth = deepest(text)
        assert nests_too_deep(text, depth) is False
        assert depth == 0 or nests_too_deep(text, depth - 1) is True


def test_a_staircase_takes_linear_time() -> None:
    """Each layer holds one pair less than the one above, so that peeling makes little progress."""
    text = b"".join(b"[" * n + b"]" * n for n in range(1, 600))
    assert nests_too_deep(text, 598)
    assert not nests_too_deep(text, 599)
