"""Clauses: a verb frame with its roles filled, and the scopes behind it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import BY_WORD, GAP_FRAMES, OPEN, FrameSymbol
from redline.instruct.grammar.phrase import Phrase

_SCOPING = frozenset("for in on of at under within inside from across throughout with".split())
_CONDITIONAL = frozenset("if when where whenever unless whose that which who only for".split())
_EVERYWHERE = frozenset("everywhere throughout globally".split())


@dataclass(frozen=True, slots=True)
class ScopePhrase:
    """Where a clause applies: within a phrase, where a condition holds, or everywhere."""

    phrase: Phrase | None = None
    condition: Any = None
    wanted: bool = True
    cost: int = 0
    about: Phrase | None = None
    leads: bool = False  # said right before the clause, whose pronouns are about it
    loose: bool = False  # a condition without `if` or `where`, which may be part of the change
    is_if: bool = False  # a condition that may not be so at all

    @property
    def is_everywhere(self) -> bool:
        """Whether all places are meant; a condition that holds means no more than without it."""
        return self.phrase is None and self.condition is None and not self.is_if

    @property
    def meaning(self) -> Hashable:
        phrase = self.phrase.meaning if self.phrase else None
        return (phrase, self.condition.meaning if self.condition else None, self.wanted)


@dataclass(frozen=True, slots=True)
class Clause:
    """A frame with its roles; `gap` when its verb is that of the clause before."""

    effect: str
    extra: str
    roles: tuple[tuple[str, Any], ...]
    start: int
    end: int
    cost: int = 0
    scopes: tuple[ScopePhrase, ...] = ()
    gap: bool = False

    @property
    def meaning(self) -> Hashable:
        filled = tuple((role, item.meaning) for role, item in self.roles)
        return (self.effect, self.extra, filled, tuple(s.meaning for s in self.scopes))

    def role(self, name: str) -> Any:
        """Return what fills a role, or None."""
        return next((item for role, item in self.roles if role == name), None)


Roles = tuple[tuple[str, Any], ...]


def _match(
    chart: Chart, symbols: tuple[FrameSymbol, ...], place: int, roles: Roles, cost: int
) -> Iterator[tuple[int, Roles, int]]:
    """Yield every way the symbols match the tokens from *place* on."""
    if not symbols:
        yield place, roles, cost
        return
    symbol, rest = symbols[0], symbols[1:]
    if symbol.optional:
        yield from _match(chart, rest, place, roles, cost)
    if symbol.category:
        for edge in chart.edges(symbol.category, place):
            filled = (*roles, (symbol.role or symbol.category, edge.item))
            yield from _match(chart, rest, edge.end, filled, cost + edge.item.cost)
        return
    for end in chart.phrases(place, symbol.words):
        yield from _match(chart, rest, end, roles, cost)


@rule("BODY")
def _body(chart: Chart, start: int) -> Iterator[Edge]:
    """Every frame that matches here."""
    frames = [*BY_WORD.get(chart.low(start), ()), *OPEN]
    for frame in frames:
        chart.tree.spend(5)
        for end, roles, cost in _match(chart, frame.symbols, start, (), frame.cost):
            chart.tree.spend(3)
            yield Edge(end, Clause(frame.effect, frame.extra, roles, start, end, cost))


def _gap_rule(effect: str) -> None:
    @rule(f"GAP:{effect}")
    def _gap(chart: Chart, start: int) -> Iterator[Edge]:
        for frame in GAP_FRAMES[effect]:
            for end, roles, cost in _match(chart, frame.symbols, start, (), frame.cost):
                clause = Clause(effect, frame.extra, roles, start, end, cost, gap=True)
                yield from _with_scopes(chart, clause)


for _effect in GAP_FRAMES:
    _gap_rule(_effect)


@rule("CLAUSE")
def _clause(chart: Chart, start: int) -> Iterator[Edge]:
    """A body and up to three scopes behind it."""
    for edge in chart.edges("BODY", start):
        yield from _with_scopes(chart, edge.item)


def _with_scopes(chart: Chart, clause: Clause) -> Iterator[Edge]:
    yield Edge(clause.end, clause)
    if len(clause.scopes) == 3:
        return
    for edge in chart.edges("SCOPE", clause.end):
        wider = replace(
            clause, end=edge.end, cost=clause.cost + edge.item.cost,
            scopes=(*clause.scopes, edge.item),
        )  # fmt: skip
        yield from _with_scopes(chart, wider)


@rule("SCOPE")
def _scope(chart: Chart, start: int) -> Iterator[Edge]:
    """`for all users`, `in staging`; `everywhere`, `for all`."""
    start += chart.low(start) in ("only", "just") and chart.low(start + 1) in _SCOPING
    low = chart.low(start)
    if low in _SCOPING:
        for edge in chart.edges("NPLIST", start + 1):
            scope = ScopePhrase(edge.item, cost=edge.item.cost)
            yield Edge(edge.end, scope)
            if chart.low(edge.end) == "only":
                yield Edge(edge.end + 1, scope)
    if low in ("for", "in", "on") and chart.low(start + 1) == "all" and start + 2 == chart.size:
        yield Edge(start + 2, ScopePhrase())
    begin = start + (low == ",")
    if chart.low(begin) in _EVERYWHERE:
        yield Edge(begin + 1, ScopePhrase())


@rule("SCOPE")
def _exception(chart: Chart, start: int) -> Iterator[Edge]:
    """`except Bob`, `but not in staging`."""
    begin = start + (chart.low(start) == ",")
    if chart.low(begin) not in ("except", "excluding", "but"):
        return
    after = begin + 1 + (chart.low(begin + 1) in ("for", "not"))
    if chart.low(after) in ("that", "those") and chart.low(after + 1) in ("of", "in", "for"):
        after += 2
    if chart.words(after, ("the", "one", "in")) > 0 or chart.words(after, ("the", "one", "of")) > 0:
        after += 3
    after += chart.low(after) in ("in", "on", "for", "of")
    for edge in chart.edges("NPLIST", after):
        end = edge.end + (chart.low(edge.end) == "'s")
        yield Edge(end, ScopePhrase(edge.item, wanted=False, cost=edge.item.cost))


@rule("SCOPE")
def _conditional(chart: Chart, start: int) -> Iterator[Edge]:
    """`where price is 0`, `if it is null`, `unless they are active`."""
    begin = start + (chart.low(start) == ",")
    begin += chart.low(begin) == "only" and chart.low(begin + 1) in ("if", "when", "where")
    wanted = chart.low(begin) != "unless"
    found = chart.edges("FILTER", begin)
    if not wanted:
        found = [*chart.edges("PREDICATE", begin + 1), *chart.edges("STATE", begin + 1)]
    loose = chart.low(begin) not in _CONDITIONAL
    for edge in found:
        cost = edge.item.cost + 2 * (loose and begin > start)
        is_if = chart.low(begin) in ("if", "when", "unless")
        scope = ScopePhrase(None, edge.item, wanted, cost, loose=loose, is_if=is_if)
        yield Edge(edge.end, scope)


def distribute_scope(clauses: tuple[Clause, ...]) -> tuple[Clause, ...] | None:
    """Return the clauses with the last one's scope applied to those whose verb it shares."""
    built: list[Clause] = []
    start, changed = 0, False
    for place in range(len(clauses)):
        if place + 1 < len(clauses) and clauses[place + 1].gap:
            continue
        group = clauses[start : place + 1]
        shared = _distribute(group)
        changed = changed or shared is not None
        built += shared or group
        start = place + 1
    return tuple(built) if changed else None


def _distribute(clauses: tuple[Clause, ...]) -> tuple[Clause, ...] | None:
    """Return clauses that share one verb with the scope of the last, which they share too."""
    last = clauses[-1]
    if not last.gap or not last.scopes:
        return None
    built = list(clauses)
    for place in range(len(clauses) - 2, -1, -1):
        own = clauses[place].scopes
        # what is said in front of all of them is shared anyway
        if own and own != last.scopes[-len(own) :]:
            return None
        built[place] = replace(clauses[place], scopes=last.scopes)
        if not clauses[place].gap:
            return tuple(built)
    return None
