"""Whole instructions: clauses joined, scopes in front, courtesies and remarks around them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from redline.instruct.grammar.adjuncts.announcements import AS_FOLLOWS, announcements
from redline.instruct.grammar.adjuncts.courtesies import (
    AFTER,
    AFTER_VALUES,
    BEFORE,
    ENDS,
    REASONS,
    SEPARATORS,
)
from redline.instruct.grammar.adjuncts.introductions import only_introduces
from redline.instruct.grammar.adjuncts.list_items import before_bullet, is_bullet
from redline.instruct.grammar.adjuncts.protections import (
    KEEPING_WORDS,
    PROTECTING,
    find_protections,
)
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import Clause, ScopePhrase, distribute_scope
from redline.instruct.grammar.frames import GAP_FRAMES, VERBS
from redline.instruct.language.word_classes import CLASSES
from redline.instruct.language.words import number_in, singular

MAX_READINGS = 60
MAX_STEPS = 1500
_EDITING = frozenset(CLASSES["SET"].split()) - {"move", "put"} | {"with"}
_FINDING = frozenset("find locate select pick look-up take open go-to".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """Clauses that together consume every token; remarks are spans that ask for nothing."""

    clauses: tuple[Clause, ...]
    cost: int
    remarks: tuple[tuple[int, int], ...] = ()
    protected: tuple[int, ...] = ()
    shared: bool = False
    unexplained: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _State:
    place: int
    clauses: tuple[Clause, ...] = ()
    fronts: tuple[ScopePhrase, ...] = ()
    cost: int = 0
    remarks: tuple[tuple[int, int], ...] = ()
    protected: tuple[int, ...] = ()
    headed: tuple[ScopePhrase, ...] = ()  # scopes of a heading, for every item of the list below
    joined: bool = False  # a separator that does not end the sentence was just read


def readings(
    chart: Chart, hopeless: Callable[[Reading], bool] = lambda _: False
) -> Iterator[Reading]:
    """Yield the ways to read the whole instruction, the cheapest first.

    A beginning that is *hopeless* by itself is not read on.
    """
    order = count()
    waiting: list[tuple[int, int, _State]] = [(0, next(order), _State(0))]
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
                    yield Reading(shared, cost, state.remarks, state.protected, shared=True)
            continue
        begun = state.joined and state.clauses
        if not (begun and hopeless(Reading(state.clauses, cost, state.remarks))):
            for new in _steps(chart, state):
                heapq.heappush(waiting, (new.cost, next(order), new))


def _steps(chart: Chart, state: _State) -> Iterator[_State]:
    place = state.place
    if state.clauses and not state.joined:
        yield from _closings(chart, state)
        return
    fresh = not state.clauses or chart.low(before_bullet(chart, place) - 1) in ENDS
    for end in _openings(chart, place, fresh):
        yield replace(state, place=end)
    for edge in chart.edges("CLAUSE", place):
        clause = edge.item
        if _may_end(chart, edge.end):
            yield _with(state, replace(clause, scopes=(*clause.scopes, *state.fronts)), edge.end)
    if state.clauses and chart.low(place - 1) not in ENDS:
        yield from _gaps(chart, state)
    if fresh:
        yield from _fronts(chart, state)
        yield from _skip_announcement(chart, state)
        yield from _prefaces(chart, state)
    yield from _protections(chart, state)


def _with(state: _State, clause: Clause, end: int) -> _State:
    return replace(
        state, place=end, clauses=(*state.clauses, clause), joined=False,
        cost=state.cost + clause.cost,
    )  # fmt: skip


def _may_end(chart: Chart, end: int) -> bool:
    if end >= chart.size or chart.low(end) in SEPARATORS or chart.low(end) == "but":
        return True
    if any(
        True
        for table in (AFTER, AFTER_VALUES, REASONS, PROTECTING)
        for _ in chart.phrases(end, table)
    ):
        return True
    return chart.low(end).startswith("(") or chart.low(end) in VERBS


def _openings(chart: Chart, place: int, fresh: bool) -> Iterator[int]:
    """Yield the places behind a courtesy, a separator, or the mark of a list item."""
    low = chart.low(place)
    if (low in SEPARATORS and low != "-") or (low == "-" and fresh):
        yield place + 1
    if fresh and is_bullet(chart, place):
        yield place + 1 + (chart.low(place + 1) in (".", ")") and low.isdigit())
    if fresh and low == "step" and chart.low(place + 1).isdigit():
        yield place + 2 + (chart.low(place + 2) in (":", ".", ")", "-", "–"))
    for end in chart.phrases(place, BEFORE):
        yield end + (chart.low(end) == ",")


def _gaps(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield clauses that leave out the verb of the one before."""
    last = state.clauses[-1]
    if last.effect not in GAP_FRAMES or last.role("pairs") is not None:
        return
    for edge in chart.edges(f"GAP:{last.effect}", state.place):
        if _may_end(chart, edge.end):
            clause = replace(edge.item, extra=last.extra, scopes=(*edge.item.scopes, *state.fronts))
            yield _with(state, clause, edge.end)


def _closings(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield what may follow a clause: a separator, a courtesy, a reason."""
    place = state.place
    for end in chart.phrases(place, AFTER):
        yield replace(state, place=end)
    if not _in_text(chart, state):
        yield from (replace(state, place=end) for end in chart.phrases(place, AFTER_VALUES))
    low = chart.low(place)
    if low in SEPARATORS:
        fronts = state.fronts
        if low in ENDS:
            fronts = state.headed if is_bullet(chart, place + 1) else ()
        yield replace(state, place=place + 1, joined=True, fronts=fronts)
        for end in chart.phrases(place + 1, AFTER):
            yield replace(state, place=end)
    elif low in VERBS or low == "but":
        yield replace(state, joined=True, cost=state.cost + 2)
    yield from _reasons(chart, state)
    yield from _asides(chart, state)
    yield from _protections(chart, state)


def _reasons(chart: Chart, state: _State) -> Iterator[_State]:
    place = state.place + (chart.low(state.place) in (",", "—", "–"))
    dash = chart.low(state.place) in ("—", "–")
    opened = chart.low(place).startswith("(")
    if not dash and not opened and next(chart.phrases(place, REASONS), None) is None:
        return
    for end in range(place + 2, chart.size + 1):
        if end == chart.size or chart.low(end) in ENDS:
            yield replace(
                state, place=end, cost=state.cost + 3, remarks=(*state.remarks, (place, end))
            )
            return


def _asides(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield the end of words behind a comma that name nothing: `, sorry for the late notice`."""
    place = state.place + 1
    if chart.low(state.place) not in (",", "-") or place >= chart.size:
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
    if silent and opening not in VERBS and opening not in BEFORE and not _in_text(chart, state):
        remarks = (*state.remarks, (place, end))
        yield replace(state, place=end, cost=state.cost + 4, remarks=remarks)


def _in_text(chart: Chart, state: _State) -> bool:
    """Return whether what was read last is bare words, which what follows may go on with."""
    last = chart.tokens[state.place - 1]
    return last.kind == "word" and number_in(last.text) is None and any(
        item.end == state.place for role, item in state.clauses[-1].roles if role == "value"
    )  # fmt: skip


def _prefaces(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield the place behind words that only introduce: a reason, a label, a sentence."""
    for place in range(state.place + 1, chart.size - 1):
        low = chart.low(place)
        after = place + 1
        if low in (",", ";") and chart.low(after) in ("so", "therefore", "hence"):
            after += 1
        elif low == "," and only_introduces(chart, state.place, place):
            pass
        elif low not in (":", "so", ".", "!", "\n", "—", "–", "therefore", "hence", "by"):
            continue
        if low == "by" and not chart.low(after).endswith("ing"):
            continue
        yield replace(
            state, place=after, joined=bool(state.clauses), cost=state.cost + 4,
            remarks=(*state.remarks, (state.place, place)),
        )  # fmt: skip
        if low in ENDS:
            return


def _fronts(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield scopes said before the clauses they apply to."""
    place = state.place + (chart.low(state.place) == "only")
    verb = chart.low(place) in _EDITING | _FINDING
    if verb or chart.low(place) in ("for", "in", "on", "under", "within", "inside", "at", "from",
                                    "across"):  # fmt: skip
        for edge in chart.edges("NPLIST", place + 1):
            yield from _front_scope(
                chart, state, edge.end, ScopePhrase(edge.item, cost=edge.item.cost), verb
            )
    yield from _headings(chart, state)
    for edge in chart.edges("SCOPE", place):
        if edge.item.condition is not None:
            yield from _front_scope(chart, state, edge.end, edge.item, False)
    if chart.low(place) in ("if", "unless", "when"):
        yield from _conditional(chart, state)


def _headings(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield `staging:` and `Close the job by` as scopes of what follows."""
    place = state.place
    for edge in chart.edges("NPLIST", place):
        if chart.low(edge.end) == ":":
            scope = ScopePhrase(edge.item, cost=edge.item.cost + 1)
            yield from _front_scope(chart, state, edge.end, scope, True)
    if chart.tokens[place].kind == "word":
        for edge in chart.edges("NPLIST", place + 1):
            if chart.low(edge.end) == "by":
                scope = ScopePhrase(edge.item, cost=edge.item.cost)
                yield from _front_scope(chart, state, edge.end, scope, True)


def _conditional(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield `If Alice is admin,`: a subject of its own and what it is."""
    wanted = chart.low(state.place) != "unless"
    for subject in chart.edges("NP", state.place + 1):
        phrase = subject.item
        if phrase.many or len(phrase.nodes) != 1 or chart.low(subject.end) not in ("is", "isn't"):
            continue
        positive = chart.low(subject.end) == "is"
        for edge in chart.edges("STATE", subject.end + 1):
            chosen = edge.item.select(chart.tree, phrase.nodes)
            if chosen is None:
                continue
            holds = bool(chosen) is positive
            scope = ScopePhrase(
                None if holds is wanted else replace(phrase, nodes=(), filtered=True),
                cost=phrase.cost,
                about=phrase,
            )
            yield from _front_scope(chart, state, edge.end, scope, False)


def _front_scope(
    chart: Chart, state: _State, end: int, scope: ScopePhrase, strict: bool
) -> Iterator[_State]:
    end = next(chart.phrases(end, AS_FOLLOWS), end)
    low = chart.low(end)
    cost = state.cost + scope.cost
    found = strict and low == "and" and chart.low(state.place) in _FINDING
    if low in (",", ":", "then") or found:
        after = end + 1 + (low == "," and chart.low(end + 1) in ("then", "and"))
        scopes = (*state.fronts, scope)
        headed = scopes if low == ":" and chart.low(after) == "\n" else ()
        yield replace(state, place=after, fronts=scopes, headed=headed, cost=cost, joined=True)
    elif low == "by" and chart.low(end + 1).endswith("ing"):
        scopes = (*state.fronts, scope)
        yield replace(state, place=end + 1, fronts=scopes, cost=cost + 1, joined=True)
    elif not strict and (low in VERBS or singular(low) in VERBS):
        yield replace(state, place=end, fronts=(*state.fronts, scope), cost=cost + 1, joined=True)


def _skip_announcement(chart: Chart, state: _State) -> Iterator[_State]:
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


def _protections(chart: Chart, state: _State) -> Iterator[_State]:
    """Yield `don't touch X`, `production must stay as it is`: an assertion over the result."""
    place = state.place + (chart.low(state.place) in (",", "and", ";"))
    last = state.clauses[-1].effect if state.clauses else ""
    for end, nodes in find_protections(chart, place, last):
        if (state.clauses or nodes) and _may_end(chart, end):
            kept = (*state.protected, *nodes)
            yield replace(state, place=end, joined=False, protected=kept)
