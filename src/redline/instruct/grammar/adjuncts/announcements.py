"""Words that only say that changes follow, and for what: `Make these two edits to staging:`."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.adjuncts.protections import staying
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import ScopePhrase
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.lexicon.tree import Nodes

# Words in which an instruction says that changes follow, before a colon.
_ANNOUNCING = frozenset(
    "please make set value values field fields apply perform do carry out execute the these this "
    "following two three four five six few several edit edits change changes update updates "
    "modification modifications adjustment adjustments task tasks action actions step steps below "
    "i need we want as follows in order of to document file config json here are is requested "
    "list".split()
)

AS_FOLLOWS = phrase_table(
    tuple(text.split())
    for text in (
        "as follows|like this|like so|so that|with the following values|with these values|"
        "with the following changes|with the following|accordingly|to the following|"
        "to have the following values|only"
    ).split("|")
)


def announcements(chart: Chart, start: int) -> Iterator[tuple[int, ScopePhrase | None, Nodes]]:
    """Yield where the changes begin, the scope they are announced for, and what must stay."""
    place = start
    while chart.low(place) in _ANNOUNCING or _qualifies(chart, place, start):
        place += 1
        if chart.low(place) == ":" and place > start + 1:
            yield _begin(chart, place), None, ()
        if chart.low(place) not in ("to", "in", "for", "on") or place < start + 2:
            continue
        for edge in chart.edges("NPLIST", place + 1):
            end = edge.end + (chart.low(edge.end) == "only")
            for after, kept in ((end, ()), *staying(chart, end + 1)):
                if chart.low(after) == ":":
                    scope = ScopePhrase(edge.item, cost=edge.item.cost)
                    yield _begin(chart, after), scope, kept


def _qualifies(chart: Chart, place: int, start: int) -> bool:
    """Return whether a word only says of what kind the changes are: these rule changes."""
    return place > start and chart.low(place + 1) in _CHANGES and bool(chart.lexicon.senses(place))


_CHANGES = frozenset("change changes edit edits update updates adjustments modifications".split())


def _begin(chart: Chart, colon: int) -> int:
    return colon + 1 + (chart.low(colon + 1) == "\n")
