"""Noise made by a second hand: it knows the written rules, not the engine that follows them."""

from __future__ import annotations

import itertools
import json
import os
import random
from pathlib import Path

import pytest

from tests.noise.independent.build import cases
from tests.noise.independent.cases import APPLY, DIALECTS, EITHER, REFUSE, STILL, Ask, Case, Json
from tests.noise.independent.corpus import Pair, from_history, from_installed
from tests.noise.independent.score import (
    EXACT,
    MISSED,
    QUIET,
    REFUSED,
    WRONG,
    Score,
    judge,
    report,
    run,
    show,
)
from tests.noise.independent.text import Doc
from tests.support import LONG, REPO

CALLS = 20_000 if LONG else 450
# Of a few hundred calls one miss would be more than one in a thousand.
MOST_MISSED = 0.001 if LONG else 0.01
SEED = int(os.environ.get("REDLINE_SEED", "20261116"))


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Versions of this repository's files; installed sources besides, or where it has none."""
    found = from_history(REPO, commits=500 if LONG else 40) if (REPO / ".git").exists() else []
    installed = Path(pytest.__file__).parent.parent / "_pytest"
    return found + from_installed(installed, random.Random(SEED))


@pytest.fixture(scope="module")
def score(pairs: list[Pair]) -> Score:
    """What came of the calls of one seed, over the real server."""
    return run(itertools.islice(cases(pairs, SEED), CALLS))


def _first(score: Score, found: str) -> str:
    rows = [show(*row) for row in score.disagreements if row[1] == found]
    return f"{report(score)}\n{json.dumps(rows[:1], indent=1, default=str)[:6000]}"


@pytest.mark.requirement("code-noise")
def test_no_edit_writes_anything_but_what_was_meant(score: Score) -> None:
    assert score.total(found=WRONG) == 0, _first(score, WRONG)


def test_what_has_two_readings_or_none_is_refused(score: Score) -> None:
    assert score.total(must=REFUSE) > CALLS / 5
    assert score.total(must=REFUSE, found=REFUSED) == score.total(must=REFUSE), _first(score, QUIET)


def test_what_has_one_reading_is_applied(score: Score) -> None:
    assert score.total(must=APPLY) > CALLS / 3
    missed = score.total(must=APPLY, found=MISSED)
    assert missed <= score.total(must=APPLY) * MOST_MISSED, _first(score, MISSED)


def test_every_dialect_and_every_kind_of_verdict_is_drawn(pairs: list[Pair]) -> None:
    drawn = list(itertools.islice(cases(pairs, SEED), max(CALLS, 4000)))
    seen = {(case.dialect, case.must) for case in drawn}
    assert seen == set(itertools.product(DIALECTS, (APPLY, REFUSE, EITHER, STILL)))
    rules = {case.rule.split(" [")[0] for case in drawn if case.must != EITHER}
    assert rules >= {"blank lines differ", "hanging line returns", "elided", "one edit in place"}


def test_a_seed_draws_the_same_cases_again(pairs: list[Pair]) -> None:
    one, two = (list(itertools.islice(cases(pairs, 5), 40)) for _ in range(2))
    assert one == two
    assert one != list(itertools.islice(cases(pairs, 6), 40))


FINE: Json = {"result": {}}
FAILED: Json = {"result": {"isError": True}}


@pytest.mark.parametrize(
    ("must", "after", "reply", "verdict"),
    [
        (APPLY, b"b\n", FINE, EXACT),
        (APPLY, b"a\n", FAILED, MISSED),
        (APPLY, b"a\n", FINE, WRONG),
        (APPLY, b"c\n", FINE, WRONG),
        (APPLY, b"b\n", FAILED, WRONG),
        (EITHER, b"b\n", FINE, EXACT),
        (EITHER, b"a\n", FAILED, REFUSED),
        (EITHER, b"c\n", FINE, WRONG),
        (REFUSE, b"a\n", FAILED, REFUSED),
        (REFUSE, b"a\n", FINE, QUIET),
        (REFUSE, b"b\n", FINE, WRONG),
        (STILL, b"a\n", FINE, WRONG),
    ],
)
def test_the_judge_knows_each_outcome(must: str, after: bytes, reply: Json, verdict: str) -> None:
    outcomes = () if must == REFUSE else (Doc.of("b\n"),)
    case = Case("r", "d", must, {"f": b"a\n"}, (Ask("t", {}),), {"f": outcomes})
    assert judge(case, {"f": b"a\n"}, {"f": after}, reply) == verdict


def test_an_open_line_end_may_be_either_and_nothing_else() -> None:
    doc = Doc(("a", "b"), ("\r\n", "any"))
    assert doc.fits(b"a\r\nb\n")
    assert doc.fits(b"a\r\nb\r\n")
    assert not doc.fits(b"a\nb\n")
    assert not doc.fits(b"a\r\nb")
