"""A text that its file has once is replaced to the letter, whatever the new text is like."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.noise.literal_edits import (
    ALTERED,
    BY_COLUMN,
    BY_LINE,
    BY_NO_RULE,
    BY_PARSER,
    LITERAL,
    Edit,
    _rule,
    meets_bars,
    run,
)
from tests.support import LONG

COUNT = 2000 if LONG else 150


@pytest.mark.requirement("files-edit-to-the-letter")
def test_unique_literal_edits_are_written_to_the_letter_or_refused_by_a_rule() -> None:
    outcomes = run(COUNT, seed=7, fixed=not LONG)
    counts = Counter(outcome.verdict for outcome in outcomes)
    odd = [o for o in outcomes if o.verdict in (ALTERED, BY_NO_RULE)]
    assert not odd, odd[0]
    assert meets_bars(counts), counts
    assert counts.total() == COUNT


def test_the_judge_knows_the_rules_and_the_bars() -> None:
    text = "def f():\n    a()\n    b()\n"
    back = Edit("a.py", text, text.index("a()"), "a()\n", "x()\na()\n")
    assert _rule(back, text) == BY_LINE
    wrapped = Edit("a.py", text, text.index("a()"), "a()\n", "if x:\n    c()\n")
    assert _rule(wrapped, text) == BY_PARSER
    assert _rule(wrapped, "def f(") == BY_NO_RULE
    at_0 = Edit("a.py", text, text.index("a()"), "a()\n", "c()\nd()\n")
    assert _rule(at_0, text) == BY_COLUMN
    plain = Edit("a.py", text, text.index("a()"), "a()\n", "c()\n")
    assert _rule(plain, text) == BY_NO_RULE
    assert meets_bars(Counter({LITERAL: 98, BY_LINE: 1, BY_PARSER: 1}))
    for bad in ({ALTERED: 1}, {BY_NO_RULE: 1}, {BY_LINE: 3}):
        assert not meets_bars(Counter({LITERAL: 97, **bad}))
