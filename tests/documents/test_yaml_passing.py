"""Ends of flow collections: the patterns for what looks like JSON find what the others find."""

from __future__ import annotations

import os
import random
from collections import Counter

from redline.core.errors import CannotApply
from redline.documents.yaml_passing import Passing, quoted_end
from tests.documents.test_yaml_brackets import flow, json_like

ROUNDS = 100_000 if os.environ.get("REDLINE_LONG") == "1" else 4_000
ODD = [
    "'",
    '"',
    "#",
    " #",
    "\\",
    "&a ",
    "!t ",
    "*a",
    ":",
    ",",
    "]",
    "}",
    "[",
    "- ",
    "? ",
    "\n",
    "a b",
]


def end_of(what: str, text: bytes, at: int, limit: int, *, misses: int) -> int:
    """Where something ends, or -1 when it is malformed; with many misses only by one kind."""
    passing = Passing(text, misses=misses)
    try:
        return int(getattr(passing, what)(at, limit))
    except CannotApply:
        return -1


def test_patterns_for_json_agree_with_those_for_all_of_yaml() -> None:
    rng = random.Random("passing")
    seen: Counter[str] = Counter()
    for _ in range(ROUNDS):
        depth = rng.randrange(1, 20)
        text = json_like(rng, depth) if rng.random() < 0.8 else flow(rng, depth % 4 + 1)
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(ODD) + text[at:]
        source = text.encode()
        limit = rng.choice([len(source), len(source), rng.randrange(1, len(source) + 1)])
        for what, start in (("flow_end", 0), ("entry_end", 0), ("entry_end", 1)):
            mine = end_of(what, source, start, limit, misses=0)
            assert mine == end_of(what, source, start, limit, misses=1 << 20), (source, what, limit)
            seen[what if mine > 0 else "refused"] += 1
        at, whole = 1, [1]
        while (end := end_of("entries_end", source, at, limit, misses=0)) > at:
            at = end
        while (
            0 < (end := end_of("entry_end", source, whole[-1], limit, misses=1 << 20)) < limit
            and source[end] == 0x2C
        ):
            whole.append(end + 1)
        assert at in whole, (source, limit)
        seen["entries_end"] += at > 1
    assert all(seen[what] > ROUNDS // 8 for what in ("flow_end", "entry_end", "entries_end")), seen
    assert seen["refused"] > ROUNDS // 8, seen


def test_quotes_end_where_they_are_not_doubled_or_escaped() -> None:
    for text, end in [
        ('"a" b', 3),
        ('"a\\" b" c', 7),
        ('"a\\\\" c', 5),
        ("'a' b", 3),
        ("'it''s' b", 7),
        ("'' b", 2),
        ("'''' b", 4),
        ('"" "', 2),
    ]:
        assert quoted_end(text.encode(), 0, len(text)) == end, text
        assert quoted_end(b"x" + text.encode(), 1, end + 1) == end + 1, text
