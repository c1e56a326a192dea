"""What narrows a noun phrase: possessives, prepositions, conditions, exceptions; and lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.nouns.compounds import (
    count_holders,
    is_kind,
    is_part,
    nearest,
    part_doubt,
)
from redline.instruct.grammar.nouns.kinds import superlatives
from redline.instruct.grammar.nouns.ordinals import ordinal
from redline.instruct.grammar.nouns.ways import leading_to
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import Sized, is_about
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes

PREPOSITIONS = frozenset("of in for on under within inside from at across by".split())
_EXCEPTIONS = (
    ("except", "for"), ("other", "than"), ("apart", "from"), ("but", "not"), ("except",),
    ("excluding",), ("besides",), ("but",), ("without",), ("w/o",),
)  # fmt: skip
_EXCEPTING = frozenset("except excluding besides but without".split())
# Prepositions behind which a group is named rather than one of its members.
_AMONG = frozenset("in from at on within".split())
_ROOT_NAMES = frozenset("company store shop library event project app team site".split())


@rule("NP")
def _noun_phrase(chart: Chart, start: int) -> Iterator[Edge]:
    """A head with its possessives, restrictions and conditions."""
    agenda = [(edge.item, 0) for edge in chart.edges("HEAD", start)]
    agenda += [(p, 0) for p in _shared_owners(chart, start)]
    seen: set[object] = set()
    while agenda:
        phrase, posts = agenda.pop()
        key = (phrase.end, phrase.meaning, phrase.cost)
        if key in seen:
            continue
        seen.add(key)
        yield Edge(phrase.end, phrase)
        if posts < 5:
            agenda += [(p, posts + 1) for p in _posts(chart, phrase)]


def _posts(chart: Chart, phrase: Phrase) -> Iterator[Phrase]:
    """Yield the phrase with one more thing behind it."""
    end = phrase.end
    if chart.low(end) in ("only", "alone") and not phrase.many:
        yield replace(phrase, end=end + 1)
    if chart.low(end) == "'s":
        for edge in chart.edges("OWNED", end + 1):
            yield from own(chart.tree, phrase, edge.item)
        return
    if chart.low(end) in PREPOSITIONS:
        yield from _place_within(chart, phrase)
    yield from leading_to(chart, phrase)
    for words in _EXCEPTIONS:
        after = chart.words(end, words)
        if after > 0:
            for edge in chart.edges("NPLIST", after):
                yield from _without(chart.tree, phrase, edge.item)
            break
    narrowed = (
        filter_phrase(chart.tree, phrase, e.item, e.end)
        for e in chart.edges("FILTER", end + (chart.low(end) in ("currently", "presently")))
        if is_about(chart.tree, phrase.nodes, e.item) or chart.low(end) in ("if", "when")
        if not isinstance(e.item, Sized) or _ends_with_key(chart, phrase)
    )
    yield from (found for found in narrowed if found is not None)


def _ends_with_key(chart: Chart, phrase: Phrase) -> bool:
    """Return whether the word before a size is the key it is of: every price below 70."""
    return any(
        sense.end == phrase.end and sense.sort is Sort.KEY and set(phrase.nodes) <= set(sense.nodes)
        for start in range(phrase.start, phrase.end)
        for sense in chart.lexicon.senses(start)
    )


def _place_within(chart: Chart, phrase: Phrase) -> Iterator[Phrase]:
    """Yield the phrase within what a preposition introduces."""
    low, after = chart.low(phrase.end), phrase.end + 1
    for edge in chart.edges("NPLIST", after):
        if low == "by" and (edge.item.sort is not Sort.RECORD or not edge.item.whole):
            continue
        if edge.item.sort is not Sort.FLAG or edge.item.end - edge.item.start > 1:
            yield from restrict(chart.tree, phrase, edge.item, low)
    yield from _at_index(chart, phrase, after)


def filter_phrase(tree: DocumentTree, phrase: Phrase, condition: Any, end: int) -> Phrase | None:
    """Return the phrase narrowed to the nodes for which *condition* holds."""
    if phrase.owner and not phrase.nodes:
        return None
    tree.spend(len(phrase.nodes) * 2)
    single = tuple(n for n in phrase.nodes if not tree.is_group(n))
    nodes = condition.select(tree, single) if single else None
    if nodes is None:
        return None
    return replace(
        phrase, end=end, nodes=nodes, filtered=True, cost=phrase.cost + condition.cost,
        whole=phrase.whole and condition.whole, unsure=False,
        tested=getattr(condition, "fields", ()),
    )  # fmt: skip


def _at_index(chart: Chart, phrase: Phrase, after: int) -> Iterator[Phrase]:
    """Yield `the user at index 1`."""
    if chart.low(after) not in ("index", "position") or not chart.low(after + 1).isdigit():
        return
    if phrase.sort is Sort.RECORD or phrase.filtered:
        # which one is meant has been said: the index is of something else
        return
    place = int(chart.low(after + 1)) - (chart.low(after) == "position")
    nodes = tuple(n for n in phrase.nodes if chart.tree.keys[n] == place)
    if not nodes:
        return
    yield replace(phrase, end=after + 2, nodes=nodes, filtered=True, many=False)


def own(tree: DocumentTree, owner: Phrase, owned: Phrase) -> Iterator[Phrase]:
    """Yield what *owned* denotes within *owner*: Alice's age."""
    if owner.owner and not owner.nodes:
        yield replace(owned, start=owner.start, owner=True)
        return
    found = list(restrict(tree, replace(owned, start=owner.start), owner, "'s", end=owned.end))
    yield from found
    if not found and owner.sort is Sort.KEY and owned.sort is Sort.KEY:
        # "Saturday's opening hours" are the Saturday of the opening hours
        inner = tree.directly_in(owner.nodes, owned.nodes)
        if inner:
            yield replace(owner, end=owned.end, nodes=inner, cost=owner.cost + owned.cost + 1)


def restrict(
    tree: DocumentTree, head: Phrase, by: Phrase, word: str, end: int = 0
) -> Iterator[Phrase]:
    """Yield *head* narrowed to what lies in *by*."""
    after = end or by.end
    if by.owner and not by.nodes:
        if word in ("of", "for", "in", "on", "from"):
            yield replace(head, end=after, owner=True)
        return
    joint = replace(
        head, end=after, cost=head.cost + by.cost, part=is_part(head, by),
        owner=head.owner or by.owner, doubt=head.doubt or by.doubt or _doubt(head, by, word),
        filtered=head.filtered or (by.filtered and not by.nodes),
    )  # fmt: skip
    if by.filtered and not by.nodes:
        yield replace(joint, nodes=())
        return
    held = set(by.nodes)
    within = tree.inside(head.nodes, by.nodes)
    inside = tuple(n for n in within if n not in held) or (
        within if by.sort in (Sort.RECORD, Sort.FLAG) else ()
    )
    if not inside and word in ("'s", "of") and _names_root(tree, by):
        inside, joint = head.nodes, replace(joint, cost=joint.cost + 1)
    if not inside and by.sort in (Sort.KEY, Sort.ELEMENT, Sort.RECORD) and word in ("in", "with"):
        inside = _find_holding(tree, head, by)
    if not inside:
        yield from _members_of(tree, joint, by, word)
        return
    inside = _direct_items(tree, nearest(tree, inside, by.nodes, head), by, head)
    count = count_holders(tree, inside, by.nodes)
    if by.joined and count < len(tree.outermost(by.nodes)):
        return  # each of "api and worker" has one
    kind = by.sort is Sort.RECORD and not by.many and is_kind(by) and head.sort is Sort.ITEMS
    yield replace(
        joint,
        nodes=inside,
        whole=head.whole and (by.whole or held.isdisjoint(inside)),
        many=head.many or by.many,
        quantified=head.quantified or by.quantified,
        unsure=head.unsure or by.unsure
        or (not by.many and count > 1 and not kind and not by.owner and head.many),
        filtered=joint.filtered or kind,
    )  # fmt: skip


def _doubt(head: Phrase, by: Phrase, word: str) -> str:
    """Return a doubt when a part of a name is to say which records are meant."""
    among = word in _AMONG and head.sort is Sort.ITEMS and by.sort is Sort.RECORD
    return "part" if among and not by.whole else part_doubt(head, by)


def _direct_items(tree: DocumentTree, nodes: Nodes, by: Phrase, head: Phrase) -> Nodes:
    """Return the elements of what is named itself, where there are any: every object in `a`."""
    if by.top:
        return tuple(n for n in nodes if tree.parents[n] == 0)
    if head.sort is not Sort.ITEMS or by.sort not in (Sort.KEY, Sort.PATH):
        return nodes
    return tree.directly_in(nodes, by.nodes) or nodes


def _members_of(tree: DocumentTree, head: Phrase, by: Phrase, word: str) -> Iterator[Phrase]:
    """Yield `the RSVP of Hugo`: the Hugo among the RSVPs."""
    if head.sort is not Sort.KEY or by.sort is not Sort.KEY or word not in ("of", "for"):
        return
    inner = tree.directly_in(by.nodes, head.nodes)
    if inner:
        yield replace(head, nodes=inner, whole=by.whole, many=by.many, cost=head.cost + 1)


def _names_root(tree: DocumentTree, by: Phrase) -> bool:
    """Return whether a phrase is what the document is about: the store of {"store": "Blue"}."""
    return by.sort is Sort.KEY and all(
        tree.parents[n] == 0
        and isinstance(tree.values[n], str)
        and key_form(str(tree.keys[n])) in _ROOT_NAMES
        for n in by.nodes
    )


def _find_holding(tree: DocumentTree, head: Phrase, by: Phrase) -> Nodes:
    """Return the records of *head* in which a named value is found deeper inside."""
    if head.sort is not Sort.ITEMS:
        return ()
    return tuple(n for n in head.nodes if by.fields and tree.below(n, by.fields))


def _without(tree: DocumentTree, phrase: Phrase, removed: Phrase) -> Iterator[Phrase]:
    """Yield the phrase without the nodes that lie in *removed*."""
    if not phrase.many or not removed.nodes:
        return
    gone = set(tree.inside(phrase.nodes, removed.nodes))
    if not gone:
        return
    kept = tuple(n for n in phrase.nodes if n not in gone)
    yield replace(
        phrase, end=removed.end, nodes=kept, cost=phrase.cost + removed.cost, filtered=True,
        unsure=phrase.unsure or (len(removed.nodes) > 1 and not removed.many),
        # leaving too much out is as wrong as taking too much in
        whole=phrase.whole and (removed.whole or len(removed.nodes) == 1),
    )  # fmt: skip


@rule("OWNED")
def _after_possessive(chart: Chart, start: int) -> Iterable[Edge]:
    """What follows a possessive: names, an ordinal, a superlative."""
    if chart.low(start) == "new":
        for edge in chart.edges("CORE", start + 1):
            if not edge.item.weak:
                yield Edge(edge.end, edge.item.dearer(1))
    yield from (e for e in chart.edges("CORE", start) if not e.item.weak)
    yield from ordinal(chart, start, start)
    for phrase in superlatives(chart, start):
        yield Edge(phrase.end, phrase)


def _shared_owners(chart: Chart, start: int) -> Iterator[Phrase]:
    """Yield `Bob's and Carol's role`: what is owned is said once."""
    for first in chart.edges("HEAD", start):
        end = first.end + (chart.low(first.end) == "'s")
        if chart.low(end) not in ("and", "&") or first.item.owner:
            continue
        for second in chart.edges("HEAD", end + 1):
            if chart.low(second.end) != "'s" or second.item.owner:
                continue
            both = join(chart.tree, [first.item, second.item])
            for edge in chart.edges("OWNED", second.end + 1):
                yield from own(chart.tree, both, edge.item)


@rule("NPLIST")
def _list(chart: Chart, start: int) -> Iterator[Edge]:
    """One noun phrase, or several joined by commas and `and`; `both X and Y`."""
    begin = start + 1 if chart.low(start) == "both" else start
    singles = chart.edges("NP", start)
    yield from singles
    agenda: list[tuple[int, list[Phrase], bool]] = [
        (edge.end, [edge.item], False) for edge in chart.edges("NP", begin)
    ]
    while agenda:
        end, parts, closed = agenda.pop()
        if len(parts) > 1 and closed:
            yield Edge(end, replace(join(chart.tree, parts), start=start))
        if closed or len(parts) > 7:
            continue
        low, after = chart.low(end), end + 1
        if low == "," and chart.low(after) in ("and", "&"):
            after += 1
            low = "and"
        if low not in (",", "and", "&", "plus"):
            continue
        if _EXCEPTING & set(chart.lows[parts[-1].start : end]):
            parts[-1] = parts[-1].dearer(2)  # "all but a and b": both are left out
        chart.tree.spend(30)
        agenda += [(e.end, [*parts, e.item], low != ",") for e in chart.edges("NP", after)]


def join(tree: DocumentTree, parts: list[Phrase]) -> Phrase:
    """Return the phrases as one; a name that fits several places is one beside the others."""
    sure = [p for p in parts if p.many or len(p.nodes) == 1]
    homes = {tree.parents[n] for p in sure for n in p.nodes}
    chosen: list[Phrase] = []
    for part in parts:
        if not part.many and len(part.nodes) > 1 and homes:
            near = tree.directly_in(part.nodes, homes)
            if len(near) == 1:
                chosen.append(replace(part, nodes=near, cost=part.cost + 1))
                continue
        chosen.append(part)
    nodes = tuple(sorted({n for p in chosen for n in p.nodes}))
    single = all(p.many or len(p.nodes) == 1 for p in chosen)
    return Phrase(
        parts[0].start,
        parts[-1].end,
        nodes,
        parts[-1].sort,
        sum(p.cost for p in chosen),
        many=True,
        quantified=any(p.quantified for p in chosen),
        whole=all(p.whole for p in chosen),
        part=any(p.part or not p.whole for p in chosen),
        unsure=not single or any(p.unsure for p in chosen),
        owner=any(p.owner for p in chosen),
        fields=tuple(n for p in chosen for n in p.fields),
        joined=True,
        parts=tuple(part for p in chosen for part in (p.parts or (p.nodes,))),
        filtered=all(p.filtered for p in chosen),
    )
