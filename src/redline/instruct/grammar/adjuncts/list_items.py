"""The marks of list items: -, *, 1. or 1), and `Step 2:`."""

from __future__ import annotations

import re

from redline.instruct.grammar.adjuncts.courtesies import ENDS
from redline.instruct.grammar.chart import Chart

_LETTERED = re.compile(r"\(?(?:\d{1,2}|[a-h]|i{1,3}|iv|v)\)")


def before_bullet(chart: Chart, place: int) -> int:
    """Return the place of the mark of a list item that ends here, or *place* itself."""
    for length in (1, 2, 3):
        start = place - length
        numbered = length == 3 and chart.low(start) == "step"
        marked = numbered or (length < 3 and is_bullet(chart, start))
        if start >= 0 and marked and (start == 0 or chart.low(start - 1) in (*ENDS, ":", ",")):
            return start
    return place


def is_lettered(low: str) -> bool:
    """Return whether a word is the mark of a list item in brackets: (a), b), (2), ii)."""
    return _LETTERED.fullmatch(low) is not None


def is_bullet(chart: Chart, place: int) -> bool:
    """Return whether an item of a list begins here: -, *, 1. or 1)."""
    low = chart.low(place)
    numbered = low.isdigit() and chart.low(place + 1) in (".", ")")
    return low in ("-", "*", "•") or numbered or (low[:-1].isdigit() and low[-1:] == ")")
