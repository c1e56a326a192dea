"""Scopes in front of the clauses they apply to: in staging, for each user, `staging:`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.adjuncts.announcements import AS_FOLLOWS
from redline.instruct.grammar.chart import Chart, Edge
from redline.instruct.grammar.clauses import ScopePhrase
from redline.instruct.grammar.frames import VERBS
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.reading_state import ReadingState
from redline.instruct.language.word_classes import CLASSES
from redline.instruct.language.words import ARTICLES, QUANTIFIERS, singular
from redline.instruct.lexicon.senses import Sort

_EDITING = frozenset(CLASSES["SET"].split()) - {"move", "put"} | {"with"}
_FINDING = frozenset(
    "find locate select pick look-up take open go-to promote demote process handle treat adapt "
    "prepare refresh migrate cancel retire renew reopen finish complete close start begin launch "
    "publish archive restore relocate reassign expose".split()
)
# Those of them that ask for nothing by themselves.
_SEEKING = frozenset(
    "find locate select pick look-up take go-to process handle treat adapt prepare refresh".split()
)


def find_fronts(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield scopes said before the clauses they apply to."""
    place = state.place + (chart.low(state.place) == "only")
    verb = chart.low(place) in _EDITING | _FINDING
    if verb or chart.low(place) in ("for", "in", "on", "under", "within", "inside", "at", "from",
                                    "across"):  # fmt: skip
        for edge in chart.edges("NPLIST", place + 1):
            yield from _front_scope(
                chart, state, edge.end, ScopePhrase(edge.item, cost=edge.item.cost), verb
            )
    yield from _find_announced(chart, state, place)
    yield from _headings(chart, state)
    for edge in chart.edges("SCOPE", place):
        if edge.item.condition is not None or edge.item.is_if:
            yield from _front_scope(chart, state, edge.end, edge.item, False)
            yield from _located_condition(chart, state, edge.end, edge.item)


def find_inner_fronts(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield `and for staging, set ...`: a scope of what follows it in the same sentence."""
    place = state.place
    if chart.low(place) not in _INNER or chart.low(place - 1) not in ("and", ",", "then", ";"):
        return
    for edge in chart.edges("NPLIST", place + 1):
        after = edge.end + (chart.low(edge.end) == ",")
        if chart.low(after) not in VERBS:
            continue
        scope = ScopePhrase(edge.item, cost=edge.item.cost)
        for fronts in {(scope,), (*state.fronts, scope)}:
            yield replace(state, place=after, fronts=fronts, cost=state.cost + scope.cost + 1)


_INNER = frozenset("for in on under within inside".split())


def _find_announced(chart: Chart, state: ReadingState, place: int) -> Iterator[ReadingState]:
    """Yield `Discharge the patient in bed 4:` as the scope of the steps that say how."""
    for edge in chart.edges("NPLIST", _behind_verb(chart, place)):
        bare = edge.item.sort is not Sort.RECORD and chart.tokens[edge.item.start].kind == "word"
        if bare and chart.low(edge.item.start) not in ARTICLES | QUANTIFIERS:
            continue  # "European servers:" begins with no verb
        if chart.low(edge.end) == ":" and _may_announce(chart, place):
            scope = ScopePhrase(_around(chart, edge.item), cost=edge.item.cost + 1)
            yield from _front_scope(chart, state, edge.end, scope, True)


def _may_announce(chart: Chart, place: int) -> bool:
    """Return whether a word may be the verb of what the steps behind a colon do: `Discharge`."""
    low = chart.low(place)
    if _behind_verb(chart, place) > place + 1:
        return True  # "Check out the guest in room 4"
    return low.isalpha() and len(low) > 3 and low not in VERBS and not chart.lexicon.senses(place)


def _behind_verb(chart: Chart, place: int) -> int:
    """Return where the object of a verb begins; a particle before an article belongs to it."""
    particle = chart.low(place + 1) in _PARTICLES and chart.tokens[place].kind == "word"
    article = chart.low(place + 2) in ARTICLES | QUANTIFIERS
    exact = place + 2 < chart.size and chart.tokens[place + 2].kind in ("code", "quoted")
    return place + 1 + (particle and (article or exact))


_PARTICLES = frozenset("out in off up down over back on away".split())


def _around(chart: Chart, phrase: Phrase) -> Phrase:
    """Return the records of what is named when that is no record itself: the patient in bed 4."""
    tree = chart.tree
    if any(isinstance(tree.values[n], dict | list) for n in phrase.nodes):
        return phrase
    records = tuple(sorted({tree.record_of(n) for n in phrase.nodes if n}))
    return replace(phrase, nodes=records, sort=Sort.RECORD) if records else phrase


def _located_condition(
    chart: Chart, state: ReadingState, end: int, scope: ScopePhrase
) -> Iterator[ReadingState]:
    """Yield `Where id is "a" in routes,`: a condition and the list it is to be looked up in."""
    if chart.low(end) not in ("in", "of", "within", "inside", "under"):
        return
    wider = replace(state, fronts=(*state.fronts, scope), cost=state.cost + scope.cost)
    for edge in chart.edges("NPLIST", end + 1):
        place = ScopePhrase(edge.item, cost=edge.item.cost)
        yield from _front_scope(chart, wider, edge.end, place, False)


def _headings(chart: Chart, state: ReadingState) -> Iterator[ReadingState]:
    """Yield `staging:` and `Close the job by` as scopes of what follows."""
    place = state.place
    for edge in chart.edges("NPLIST", place):
        # "B1 returned: rented=false": what happened to it
        happened = chart.low(edge.end).endswith("ed") and not chart.lexicon.senses(edge.end)
        if chart.low(edge.end + happened) == ":":
            scope = ScopePhrase(edge.item, cost=edge.item.cost + 1 + happened)
            yield from _front_scope(chart, state, edge.end + happened, scope, True)
    for way in find_ways(chart, place):
        yield from _front_scope(chart, state, way.end - 1, way.item, True)


def find_ways(chart: Chart, place: int) -> Iterator[Edge]:
    """Yield `Close the job by`, up to the verb that says how, as the scope of what it says."""
    if place >= chart.size or chart.tokens[place].kind != "word":
        return
    for edge in chart.edges("NPLIST", _behind_verb(chart, place)):
        if chart.low(edge.end) == "by" and chart.low(edge.end + 1).endswith("ing"):
            scope = ScopePhrase(edge.item, cost=edge.item.cost, leads=True)
            yield Edge(edge.end + 1, scope)


def _may_act(chart: Chart, place: int, explained: bool) -> bool:
    """Return whether the verb before what is found may ask for a change itself: close, open.

    Behind a colon it is explained, unless something in the document is called so.
    """
    acts = chart.low(place) in _FINDING - _SEEKING
    return acts and not (explained and not chart.lexicon.senses(place))


def _front_scope(
    chart: Chart, state: ReadingState, end: int, scope: ScopePhrase, strict: bool
) -> Iterator[ReadingState]:
    end = next(chart.phrases(end, AS_FOLLOWS), end)
    low = chart.low(end)
    cost = state.cost + scope.cost
    found = strict and low == "and" and chart.low(state.place) in _FINDING
    if strict and low != "by" and _may_act(chart, state.place, low == ":"):
        return
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
