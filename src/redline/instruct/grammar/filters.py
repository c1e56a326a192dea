"""One condition, or several that are joined: `that is done and has no tags`."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.conditions import (
    RELATIVES,
    being_or_having,
    deny,
    state_of_subject,
)
from redline.instruct.grammar.selectors import Among, Condition, Exists, Itself, Joined, Sized


@rule("FILTER")
def _filter(chart: Chart, start: int) -> Iterator[Edge]:
    """One condition, or several joined by `and` or by `or`."""
    begin = start + (chart.low(start) == "," and chart.low(start + 1) in RELATIVES | {"where"})
    agenda: list[tuple[int, tuple[Condition, ...], str]] = [
        (edge.end, (edge.item,), "") for edge in chart.edges("SIMPLE", begin)
    ]
    while agenda:
        end, parts, joint = agenda.pop()
        yield Edge(end, parts[0] if len(parts) == 1 else Joined(parts, joint == "and"))
        word = chart.low(end)
        if word in ("and", "or") and (not joint or joint == word) and len(parts) < 5:
            chart.tree.spend(20)
            agenda += [
                (edge.end, (*parts, edge.item), word)
                for edge in _find_more(chart, end + 1, bare=word == "and" or _is_so(parts[-1]))
                if _go_together(parts[0], edge.item)
            ]
        if word == "unless" and not joint:
            denied = deny(state_of_subject(chart, end + 1))
            agenda += [(edge.end, (*parts, edge.item), "and") for edge in denied]


def _find_more(chart: Chart, start: int, *, bare: bool) -> Iterator[Edge]:
    """Yield what may be behind `and` or `or`, with an introducing word or verb of its own.

    With *bare* also without one. Behind a denial that is not so: `not red or blue` denies both.
    """
    yield from chart.edges("SIMPLE", start)
    yield from chart.edges("PREDICATE", start)
    yield from being_or_having(chart, start)
    if bare:
        yield from chart.edges("STATE", start)


def _is_so(condition: Condition) -> bool:
    """Return whether a condition says that something is so, and not that it is not."""
    return not isinstance(condition, Among | Exists | Itself) or condition.wanted


def _go_together(first: Condition, second: Condition) -> bool:
    """Return whether both are about the size of a number itself, or both about records."""
    return isinstance(first, Sized) == isinstance(second, Sized)
