"""Random histories of several agents and a person, undone in any order, beside the model.

python -m tests.history.test_against_model 10000 [SEED]
"""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from redline.core.errors import RedlineError
from tests.history.runs import run_history
from tests.support import LONG

COUNT = 10_000 if LONG else 60


@pytest.mark.requirement("history-undo-model")
def test_random_histories_agree_with_the_model() -> None:
    totals: Counter[str] = Counter()
    for seed in range(COUNT):
        try:
            totals += run_history(seed)
        except (AssertionError, RedlineError) as error:
            raise AssertionError(f"history {seed}: {error}") from error
    assert totals["merged"] > COUNT / 4
    assert totals["refused"] > COUNT / 10
    assert totals["hunk"] > COUNT / 20
    assert totals["group"] > COUNT / 4
    assert totals["move folder"] > COUNT / 20


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found: Counter[str] = Counter()
    for number in range(first, first + int(sys.argv[1])):
        try:
            found += run_history(number)
        except Exception as failure:
            print(number, type(failure).__name__, str(failure)[:300], flush=True)
            found["wrong"] += 1
    print(dict(found))
    sys.exit(1 if found["wrong"] else 0)
