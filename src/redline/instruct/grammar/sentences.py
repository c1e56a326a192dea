"""Whole instructions: clauses joined, scopes in front, courtesies and remarks around them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from redline.instruct.grammar.adjuncts.announcements import announcements
from redline.instruct.grammar.adjuncts.courtesies import (
    AFTER,
    AFTER_VALUES,
    BEFORE,
    ENDS,
    REASONS,
    SEPARATORS,
)
from redline.instruct.grammar.adjuncts.fronts import find_fronts, find_inner_fronts, find_ways
from redline.instruct.grammar.adjuncts.introductions import SPEAKING, only_introduces
from redline.instruct.grammar.adjuncts.list_items import before_bullet, is_bullet, is_lettered
from redline.instruct.grammar.adjuncts.protections import (
    KEEPING_WORDS,
    PROTECTING,
    find_protections,
)
from redline.instruct.grammar.adjuncts.tails import rounding
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import Clause, ScopePhrase, distribute_scope
from redline.instruct.grammar.frames import GAP_FRAMES, VERBS
from redline.instruct.grammar.reading_state import ReadingState
from redline.instruct.language.words import number_in
from redline.instruct.lexicon.senses import Sort

MAX_READINGS = 60
_CALCULATING = frozenset({"shift", "scale", "money"})
_NAMING = (Sort.KEY, Sort.PATH)
MAX_STEPS = 1500


@dataclass(frozen=True, slots=True)
class Reading:
    """Clauses that together consume every token; remarks are spans that ask for nothing."""

    clauses: tuple[Clause, ...]
    cost: int
    remarks: tuple[tuple[int, int], ...] = ()
    protected: tuple[int, ...] = ()


def readings(
    chart: Chart, hopeless: Callable[[Reading], bool] = lambda _: False
) -> Iterator[Reading]:
    """Yield the ways to read the whole instruction, the cheapest first.

    A beginning that is *hopeless* by itself is not read on.
    """
    order = count()
    waiting: list[tuple[int, int, ReadingState]] = [(0, next(order), ReadingState(0))]
    seen: set[object] = set()
    found = steps = 0
    while waiting and found < MAX_READINGS and steps < MAX_STEPS:
        cost, _, state = heapq.heappop(waiting)
        steps += 1
        chart.tree.spend(30)
        key = (
            state.place, tuple(c.meaning for c in state.clauses),
            tuple(s.meaning for s in state.fronts), state.remarks, state.joined,
        )  # fmt: skip
        if key in seen:
            continue
        seen.add(key)
        if state.place >= chart.size:
            if state.clauses or state.protected:
                found += 1
                yield Reading(state.clauses, cost, state.remarks, state.protected)
                shared = distribute_scope(state.clauses)
                if shared is not None:
                    yield Reading(shared, cost, state.remarks, state.protected)
            continue
        begun = state.joined and state.clauses
        if not (begun and hopeless(Reading(state.clauses, cost, state.remarks))):
            for new in _steps(chart, state):
                heapq.heappush(waiting, (new.cost, next(order), new))


def _steps(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    place = state.place
    if state.clauses and not state.joined:
        yield from _closings(chart, state)
        return
    fresh = not state.clauses or chart.low(before_bullet(chart, place) - 1) in ENDS
    for end in _openings(chart, place, fresh):
        yield replace(state, place=end)
    yield from _clauses(chart, state, place)
    for way in find_ways(chart, place):
        yield from _clauses(chart, state, way.end, (way.item,))
    if state.clauses and chart.low(place - 1) not in ENDS:
        yield from _gaps(chart, state)
        yield from find_inner_fronts(chart, state)
    if fresh:
        yield from find_fronts(chart, state)
        yield from _skip_announcement(chart, state)
        yield from _prefaces(chart, state)
    yield from _protections(chart, state)


def _clauses(
    chart: Chart, state: ReadingState, place: int, leading: tuple[ScopePhrase, ...] = ()
) -> Iterator[ReadingState]:
    """Yield each clause that begins at *place*, under the scopes said before it."""
    for edge in chart.edges("CLAUSE", place):
        if _may_end(chart, edge.end):
            scopes = (*edge.item.scopes, *state.fronts, *leading)
            cost = edge.item.cost + sum(scope.cost for scope in leading)
            yield _with(state, replace(edge.item, scopes=scopes, cost=cost), edge.end)


def _with(state: ReadingState, clause: Clause, end: int) -> ReadingState:
    return replace(
        state, place=end, clauses=(*state.clauses, clause), joined=False,
        cost=state.cost + clause.cost,
    )  # fmt: skip


def _may_end(chart: Chart, end: int) -> bool:
    if end >= chart.size or chart.low(end) in SEPARATORS or chart.low(end) in ("but", ")", "+"):
        return True
    if any(
        True
        for table in (AFTER, AFTER_VALUES, REASONS, PROTECTING)
        for _ in chart.phrases(end, table)
    ):
        return True
    return chart.low(end).startswith("(") or chart.low(end) in VERBS or _is_pair(chart, end)


def _is_pair(chart: Chart, place: int) -> bool:
    """Return whether `key=value` begins here, which needs no separator before it."""
    signed = chart.low(place + 1) in ("=", "->", "=>", "→")
    return signed and any(s.sort in _NAMING for s in chart.lexicon.senses(place))


def _openings(chart: Chart, place: int, fresh: bool) -> Iterator[int]:
    """Yield the places behind a courtesy, a separator, or the mark of a list item."""
    low = chart.low(place)
    if (low in SEPARATORS and low != "-") or (low == "-" and fresh):
        yield place + 1
    if is_lettered(low):
        yield place + 1
    if fresh and is_bullet(chart, place):
        yield place + 1 + (chart.low(place + 1) in (".", ")") and low.isdigit())
    if fresh and low == "step" and chart.low(place + 1).isdigit():
        yield place + 2 + (chart.low(place + 2) in (":", ".", ")", "-", "–"))
    for end in chart.phrases(place, BEFORE):
        yield end + (chart.low(end) == ",")


def _gaps(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield clauses that leave out the verb of the one before."""
    last = state.clauses[-1]
    if last.effect not in GAP_FRAMES or last.role("pairs") is not None:
        return
    for edge in chart.edges(f"GAP:{last.effect}", state.place):
        if _may_end(chart, edge.end):
            clause = replace(edge.item, extra=last.extra, scopes=(*edge.item.scopes, *state.fronts))
            yield _with(state, clause, edge.end)


def _closings(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield what may follow a clause: a separator, a courtesy, a reason."""
    place = state.place
    for end in chart.phrases(place, AFTER):
        yield replace(state, place=end)
    if not _in_text(chart, state):
        yield from (replace(state, place=end) for end in chart.phrases(place, AFTER_VALUES))
    low = chart.low(place)
    if low == ")" and _is_bracketed(chart, state):
        yield replace(state, place=place + 1)
    verb_follows = chart.low(place + 1) in VERBS or chart.low(place + 1) == ","
    if (low in SEPARATORS and low != "next") or (low in ("next", "+") and verb_follows):
        fronts = state.fronts
        if low in ENDS:
            fronts = state.headed if is_bullet(chart, place + 1) else ()
        yield replace(state, place=place + 1, joined=True, fronts=fronts)
        for end in chart.phrases(place + 1, AFTER):
            yield replace(state, place=end)
    elif low in VERBS or low == "but" or _is_pair(chart, place):
        yield replace(state, joined=True, cost=state.cost + 2)
    yield from _manner(chart, state)
    yield from _reasons(chart, state)
    yield from _asides(chart, state)
    yield from _protections(chart, state)


def _manner(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield what follows the words that say how results are rounded."""
    if state.clauses[-1].effect in _CALCULATING:
        rounded = rounding(chart, state.place)
        if rounded is not None:
            yield replace(state, place=rounded[0])


def _reasons(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    place = state.place + (chart.low(state.place) in (",", "—", "–"))
    dash = chart.low(state.place) in ("—", "–")
    opened = chart.low(place).startswith("(")
    if not dash and not opened and next(chart.phrases(place, REASONS), None) is None:
        return
    for end in range(place + 2, chart.size + 1):
        if opened and chart.low(end) == ")":
            yield replace(
                state, place=end + 1, cost=state.cost + 3,
                remarks=(*state.remarks, (place, end + 1)),
            )  # fmt: skip
            return
        if end == chart.size or chart.low(end) in ENDS:
            yield replace(
                state, place=end, cost=state.cost + 3, remarks=(*state.remarks, (place, end))
            )
            return


def _asides(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield the end of words behind a comma that name nothing: `, sorry for the late notice`."""
    place = state.place + 1
    if chart.low(state.place) not in (",", "-", ";", ".", "!") or place >= chart.size:
        return
    end = next((p for p in range(place, chart.size) if chart.low(p) in ENDS), chart.size)
    silent = all(
        chart.tokens[p].kind in ("word", "sign", "poss")
        and not chart.lexicon.senses(p)
        and chart.low(p) not in KEEPING_WORDS
        and number_in(chart.low(p)) is None
        and not any(map(str.isdigit, chart.low(p)))
        for p in range(place, end)
    )
    opening = chart.low(place)
    inside = chart.low(state.place) in (",", "-") and _in_text(chart, state)
    is_remark = chart.low(state.place) in (",", "-") or (end - place > 3 and opening in SPEAKING)
    if silent and is_remark and opening not in VERBS and opening not in BEFORE and not inside:
        remarks = (*state.remarks, (place, end))
        yield replace(state, place=end, cost=state.cost + 4, remarks=remarks)


def _in_text(chart: Chart, state: ReadingState) -> bool:
    """Return whether what was read last is bare words, which what follows may go on with."""
    last = chart.tokens[state.place - 1]
    return last.kind == "word" and number_in(last.text) is None and any(
        item.end == state.place for role, item in state.clauses[-1].roles if role == "value"
    )  # fmt: skip


def _prefaces(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield the place behind words that only introduce: a reason, a label, a sentence."""
    for place in range(state.place + 1, chart.size - 1):
        low = chart.low(place)
        after = place + 1
        if low in (",", ";") and chart.low(after) in ("so", "therefore", "hence"):
            after += 1
        elif low == "," and only_introduces(chart, state.place, place):
            pass
        elif low not in (":", "so", ".", "!", "\n", "—", "–", "therefore", "hence", "by", "("):
            continue
        if low == "(" and (chart.low(after) not in VERBS or ")" not in chart.lows[after:]):
            continue
        if low == "by" and not chart.low(after).endswith("ing"):
            continue
        yield replace(
            state, place=after, joined=bool(state.clauses), cost=state.cost + 4,
            remarks=(*state.remarks, (state.place, place)),
        )  # fmt: skip
        if low in ENDS:
            return


def _is_bracketed(chart: Chart, state: ReadingState) -> bool:
    """Return whether the clauses read last began behind a bracket that explains a remark."""
    opened = [end for _, end in state.remarks if chart.low(end) == "("]
    return bool(opened) and ")" not in chart.lows[opened[-1] : state.place]


def _skip_announcement(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield the place behind `Make the following two changes to staging only:`."""
    for after, scope, kept in announcements(chart, state.place):
        joined = bool(state.clauses)
        if scope is None:
            yield replace(state, place=after, joined=joined)
            continue
        scopes = (*state.fronts, scope)
        yield replace(
            state, place=after, fronts=scopes, headed=scopes, joined=joined,
            protected=(*state.protected, *kept), cost=state.cost + scope.cost,
        )  # fmt: skip


def _protections(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield `don't touch X`, `production must stay as it is`: an assertion over the result."""
    place = state.place + (chart.low(state.place) in (",", "and", ";"))
    last = state.clauses[-1].effect if state.clauses else ""
    if chart.low(place) == "(":
        for end, nodes in find_protections(chart, place + 1, last):
            if chart.low(end) == ")":
                yield replace(state, place=end + 1, protected=(*state.protected, *nodes))
        return
    for end, nodes in find_protections(chart, place, last):
        if (state.clauses or nodes) and _may_end(chart, end):
            kept = (*state.protected, *nodes)
            yield replace(state, place=end, joined=False, protected=kept)
