"""Statements in front of what is asked for: `I love this one, make it a favourite`."""

from __future__ import annotations

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import VERBS
from redline.instruct.language.words import number_in
from redline.instruct.lexicon.senses import Sort

# Words that begin a statement in front of what is asked for.
SPEAKING = frozenset(
    "i we they he she it it's there there's the my our this that someone somebody something nobody "
    "i've we've as following great good sorry since because given".split()
)


def only_introduces(chart: Chart, start: int, comma: int) -> bool:
    """Return whether words before a comma neither ask for something nor give a value."""
    opens = chart.low(comma + 1) in VERBS or chart.low(comma + 1) == "please"
    opens = opens or chart.low(start) in ("as", "following")
    speaks = chart.low(start) in SPEAKING or any(
        sense.sort is Sort.RECORD for sense in chart.lexicon.senses(start)
    )
    if not opens or not speaks:
        return False
    return all(
        chart.tokens[place].kind in ("word", "sign", "poss")
        and (chart.low(place) == "one" or number_in(chart.low(place)) is None)
        for place in range(start, comma)
    )
