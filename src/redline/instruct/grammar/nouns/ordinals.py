"""Which of several is meant: second user, first two products, item 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge
from redline.instruct.grammar.nouns.kinds import number_fields, outer_items
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import ORDINALS, number_in, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.values import Num


def pick_by_number(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return `item 2` as the second of a collection whose records have no such id."""
    if phrase.sort is not Sort.ITEMS or phrase.many:
        return None
    digits = chart.low(phrase.end).lstrip("#")
    if not digits.isdigit() or any(
        s.sort is Sort.RECORD and chart.tree.inside(s.nodes, phrase.nodes)
        for s in chart.lexicon.senses(phrase.end)
    ):
        return None
    picked = _pick(chart.tree, phrase.nodes, int(digits) - 1, 1)
    if not picked or _bear_numbers(chart, phrase):
        return None
    return replace(phrase, nodes=picked, end=phrase.end + 1, cost=phrase.cost + 1, filtered=True,
                   weak=False)  # fmt: skip


def _bear_numbers(chart: Chart, phrase: Phrase) -> bool:
    """Return whether the records have numbers of their own: levels 0 and 1, classes 2a and 2b."""
    digits = chart.low(phrase.end).lstrip("#")
    members = (child for node in phrase.nodes for child in chart.tree.children(node))
    if any(
        (
            chart.tree.keys[n] in ("number", "no", "nr", "id")
            and isinstance(chart.tree.values[n], Num)
        )
        or (chart.tree.identifies(n) and (chart.tree.text(n) or "").startswith(digits))
        for n in members
    ):
        return True
    return any(
        number_fields(chart.tree, sense.nodes)
        for place in range(phrase.start, phrase.end)
        for sense in chart.lexicon.senses(place)
        if sense.sort is Sort.KEY and sense.end == phrase.end
    )


def _pick(tree: DocumentTree, nodes: Nodes, place: int, count: int) -> Nodes:
    """Return the elements at *place* of each collection, or *count* from there."""
    groups: dict[int, list[int]] = {}
    for node in nodes:
        groups.setdefault(tree.parents[node], []).append(node)
    found: list[int] = []
    for group in groups.values():
        if place < 0:
            chosen = group[len(group) - count :] if place == -1 else group[place : place + 1]
        else:
            chosen = group[place : place + count]
        if len(chosen) == count:
            found += chosen
    return tuple(sorted(found))


def ordinal(chart: Chart, start: int, place: int) -> Iterator[Edge]:
    """Yield `second user`, `first two products`, `very last item`."""
    place += chart.low(place) == "very"
    position = ORDINALS.get(chart.low(place))
    if position is None:
        return
    count, after = 1, place + 1
    second = after + 1 + (chart.low(after + 1) == "the")
    if chart.low(after) in ("and", "&", "with") and chart.low(second) in ORDINALS:
        yield from _two_ordinals(chart, start, position, second)
    if after >= chart.size or chart.low(after) in (".", ",", ";", "and", "!"):
        yield from _bare_ordinal(chart, start, after, position)
    said = number_in(chart.low(after))
    if said and said.isdigit() and int(said) > 1:
        count, after = int(said), after + 1
    held = _behind_contents(chart, after)
    sorts = (Sort.ITEMS, Sort.RECORD, Sort.ELEMENT)[: 1 if held > after else 3]
    for edge in chart.edges("CORE", held):
        phrase: Phrase = _contents(chart.tree, edge.item)
        if phrase.sort not in sorts:
            continue
        picked = _pick(chart.tree, phrase.nodes, position, count)
        if picked:
            yield Edge(
                edge.end,
                replace(phrase, start=start, nodes=picked, many=count > 1, weak=False,
                        filtered=True, quantified=False),
            )  # fmt: skip


def _behind_contents(chart: Chart, place: int) -> int:
    """Return where the list is named of which a `value of` is meant."""
    if singular(chart.low(place)) not in _CONTENTS or chart.low(place + 1) not in ("of", "in"):
        return place
    return place + 2 + (chart.low(place + 2) in ("the", "its"))


_CONTENTS = frozenset("value number string figure coordinate".split())


def _bare_ordinal(chart: Chart, start: int, after: int, position: int) -> Iterator[Edge]:
    """Yield `the second` without a noun: of the outermost list."""
    for phrase in outer_items(chart.tree):
        picked = _pick(chart.tree, phrase.nodes, position, 1)
        if picked:
            yield Edge(after, replace(phrase, start=start, end=after, nodes=picked))


def _two_ordinals(chart: Chart, start: int, first: int, place: int) -> Iterator[Edge]:
    """Yield `first and second book`."""
    second = ORDINALS[chart.low(place)]
    for edge in chart.edges("CORE", place + 1):
        phrase: Phrase = edge.item
        if phrase.sort is not Sort.ITEMS:
            continue
        one = _pick(chart.tree, phrase.nodes, first, 1)
        two = _pick(chart.tree, phrase.nodes, second, 1)
        if len(one) == len(two) == 1 and one != two:
            both = tuple(sorted(one + two))
            yield Edge(edge.end, replace(phrase, start=start, nodes=both, many=True, weak=False,
                                         filtered=True))  # fmt: skip


def _contents(tree: DocumentTree, phrase: Phrase) -> Phrase:
    """Return the elements of the arrays a phrase names; other phrases as they are."""
    if phrase.sort not in (Sort.KEY, Sort.PATH):
        return phrase
    arrays = [n for n in phrase.nodes if isinstance(tree.values[n], list)]
    elements = tuple(sorted(c for n in arrays for c in tree.children(n)))
    return replace(phrase, nodes=elements, sort=Sort.ITEMS, cost=phrase.cost + 1)
