"""Where in a list something goes: at the end, at index 2, directly after X, between A and B."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import ORDINALS, STRUCTURAL, number_in

_LEADS = frozenset("to at in into as on onto".split())
_FRONT = frozenset("start beginning front top head".split())
_BACK = frozenset("end back bottom tail".split())
_ADVERBS = frozenset("directly immediately right just straight".split())
_BESIDE: dict[tuple[str, ...], str] = {
    ("before",): "before", ("ahead", "of"): "before", ("above",): "before",
    ("in", "front", "of"): "before", ("preceding",): "before", ("after",): "after",
    ("behind",): "after", ("below",): "after", ("following",): "after",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListPosition:
    """A place in a list: front, back, an index, or beside one or two anchors."""

    kind: str
    index: int = 0
    anchors: tuple[Phrase, ...] = ()
    of: Phrase | None = None
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        of = self.of.meaning if self.of else None
        return (self.kind, self.index, of, tuple(anchor.meaning for anchor in self.anchors))


def position_at(ordinal: int | None) -> ListPosition | None:
    """Return the place of an ordinal; None where something is only counted from the end."""
    if ordinal is None or ordinal < -1:
        return None
    if ordinal == -1:
        return ListPosition("back")
    return ListPosition("index", ordinal) if ordinal else ListPosition("front")


@rule("POS")
def _end_of_list(chart: Chart, start: int) -> Iterator[Edge]:
    """`at the very end`, `to the top`, `as the last element`, `first`."""
    led = start + (chart.low(start) in _LEADS)
    place = led + (chart.low(led) == "the")
    place += chart.low(place) == "very"
    low = chart.low(place)
    if led > start and low in _FRONT | _BACK:
        yield Edge(place + 1, ListPosition("front" if low in _FRONT else "back"))
    ordinal = ORDINALS.get(low)
    found = position_at(ordinal)
    if found is None:
        return
    if chart.low(place + 1) in STRUCTURAL | {"position", "place", "one", "spot"}:
        yield Edge(place + 2, found)
    elif led > start:
        for edge in chart.edges("ONEKIND", place + 1):
            yield Edge(edge.end, replace(found, of=edge.item, cost=edge.item.cost))
    if place == start and ordinal in (0, -1):
        yield Edge(place + 1, found)


@rule("POS")
def _at_index(chart: Chart, start: int) -> Iterator[Edge]:
    """`at index 2`, `to position 2`."""
    place = start + (chart.low(start) in _LEADS)
    place += chart.low(place) == "the"
    number = number_in(chart.low(place + 1).removesuffix("."))
    if chart.low(place) in ("index", "position") and number is not None and number.isdigit():
        yield Edge(place + 2, ListPosition("index", int(number)))


@rule("POS")
def _beside(chart: Chart, start: int) -> Iterator[Edge]:
    """`directly after X`, `between A and B`."""
    place = start + (chart.low(start) in _ADVERBS)
    for words, kind in _BESIDE.items():
        after = chart.words(place, words)
        if after > 0:
            for edge in chart.edges("NP", after):
                yield Edge(edge.end, ListPosition(kind, 0, (edge.item,), None, edge.item.cost))
    place += chart.low(place) == "in"
    if chart.low(place) != "between":
        return
    for left in chart.edges("NP", place + 1):
        if chart.low(left.end) != "and":
            continue
        for right in chart.edges("NP", left.end + 1):
            cost = left.item.cost + right.item.cost
            yield Edge(right.end, ListPosition("between", 0, (left.item, right.item), None, cost))


@dataclass(frozen=True, slots=True)
class ListPlace:
    """The list something goes into and its place there, as far as they are said."""

    listed: Phrase | None = None
    position: ListPosition | None = None
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        listed = self.listed.meaning if self.listed else None
        return (listed, self.position.meaning if self.position else None)


_INTO = frozenset("to into onto in on under within inside for".split())
_WITHIN = frozenset("of in to into within for".split())


@rule("WHERE")
def _where(chart: Chart, start: int) -> Iterator[Edge]:
    """`to the tags at index 1`, `at the end of the tags`, `after X`."""
    if chart.low(start) in _INTO:
        for edge in chart.edges("NPLIST", start + 1):
            yield Edge(edge.end, ListPlace(edge.item, None, edge.item.cost))
            after = edge.end + (chart.low(edge.end) == ",")
            for pos in chart.edges("POS", after):
                cost = edge.item.cost + pos.item.cost
                yield Edge(pos.end, ListPlace(edge.item, pos.item, cost))
    for pos in chart.edges("POS", start):
        yield Edge(pos.end, ListPlace(None, pos.item, pos.item.cost))
        if chart.low(pos.end) in _WITHIN:
            for edge in chart.edges("NPLIST", pos.end + 1):
                cost = edge.item.cost + pos.item.cost
                yield Edge(edge.end, ListPlace(edge.item, pos.item, cost))
