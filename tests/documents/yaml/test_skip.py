"""Ends of flow collections: the patterns for what looks like JSON find what the others find."""

from __future__ import annotations

import random
from collections import Counter

from redline.core.errors import CannotApply
from redline.documents.yaml.skim.skip import Passing, quoted_end
from tests.support import LONG

ROUNDS = 100_000 if LONG else 4_000
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

SCALARS = ["1", "it's", "a 's", 'b "c', "'x]'", '"]"', "'it''s ]'", '"\\"] "', "'], '", "x:y"]
SCALARS += ["'['", '"{"', "&a 'x]'", "&it's ']'", "!t ']'", "'a'", '"b"', '"it\'s"', "- 'x"]
SCALARS += ["!Ref a", '!Sub "b"', "!t [x, 1]", "!a.b ']'", "!t {a: ']'}"]
SCALARS += ["':'", "a#]", '"\\"]"', '"\\\\", "]"', "''", "'''x]'", "!it's 'x]'"]
SEPARATORS = [", ", ",", " , ", ",\n ", ", # it's ]\n ", ' # "]\n , ', " # [\n, "]


def flow(rng: random.Random, depth: int) -> str:
    """A flow collection nested *depth* deep, with brackets hidden wherever they can be."""
    entries = [rng.choice(SCALARS) for _ in range(rng.randrange(3))]
    if depth > 1:
        key = rng.choice(["", "", "", "k: ", "'k]' : ", '"k": ', '"]":', "it's: "])
        entries.insert(rng.randrange(len(entries) + 1), key + flow(rng, depth - 1))
    text = ""
    for entry in entries:
        text += (rng.choice(SEPARATORS) if text else rng.choice(["", " ", "\n "])) + entry
    text += rng.choice(["", "", " ", ",", " # ']\n "])
    return f"[{text}]" if rng.random() < 0.6 else f"{{{text}}}"


def json_like(rng: random.Random, depth: int) -> str:
    """A text that looks like JSON, nested *depth* deep; now and then it is something else."""
    scalars = [
        "1",
        "null",
        '"a"',
        '"["',
        '"}"',
        '"\\"]"',
        '"\\\\"',
        '"it\'s # &a !t"',
        '"a,b:c"',
        '""',
    ]
    odd = [
        "a b",
        'a "b',
        'a:"]"',
        '"a" "]"',
        "it's ]",
        "# ]\n",
        "\\",
        '\\"',
        "*a",
        "x-y",
        "a: ",
        "? a",
    ]
    entries = [rng.choice(scalars) for _ in range(rng.randrange(3))]
    if rng.random() < 0.04:
        entries.append(rng.choice(odd))
    if depth > 1:
        entries.insert(rng.randrange(len(entries) + 1), json_like(rng, depth - 1))
    if rng.random() < 0.6:
        return "[" + rng.choice([",", ", ", ",\n  "]).join(entries) + "]"
    keys = ['"k":', '"]": ', '"\\"" : ', '"k":\n ']
    return "{" + ",".join(rng.choice(keys) + entry for entry in entries) + "}"


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
    assert all(seen[what] > ROUNDS // 8 for what in ("flow_end", "entry_end")), seen
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
