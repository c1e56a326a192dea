"""Noun phrases: names side by side, determiners, ordinals, possessives, restrictions, lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.kinds import generic_nouns, people, superlatives
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import (
    GENERIC,
    ORDINALS,
    QUANTIFIERS,
    STRUCTURAL,
    is_plural,
    key_form,
    number_in,
    singular,
)
from redline.instruct.lexicon.names import Sense, Sort
from redline.instruct.lexicon.tree import Nodes, Tree
from redline.instruct.model.values import Num

DETERMINERS = frozenset("the a an my our your this that these those existing current".split())
PRONOUNS = frozenset("it them they he she him her this that those these".split())
POSSESSIVES = frozenset("its their his her".split())
PREPOSITIONS = frozenset("of in for on under within inside from at to across into".split())
_EXCEPTIONS = (
    ("except", "for"), ("other", "than"), ("apart", "from"), ("but", "not"), ("except",),
    ("excluding",), ("besides",), ("but",), ("without",),
)  # fmt: skip
_MAX_PARTS = 6
_ROOT_NAMES = frozenset("company store shop library event project app team site".split())
_MEASURES = frozenset("size count number amount level rate length value total".split())
_TOP = (("top", "level"), ("root", "level"), ("root",), ("top-level",))


def _phrase(start: int, sense: Sense) -> Phrase:
    return Phrase(
        start, sense.end, sense.nodes, sense.sort, sense.cost, many=sense.plural,
        whole=sense.whole, weak=sense.weak, fields=sense.fields,
    )  # fmt: skip


@rule("NAME")
def _name(chart: Chart, start: int) -> Iterator[Edge]:
    """One name: a key, a value, a flag, a path, a generic noun, or `not` before a flag."""
    for sense in chart.lexicon.senses(start):
        yield Edge(sense.end, _phrase(start, sense))
    for phrase in generic_nouns(chart, start):
        yield Edge(phrase.end, phrase)
    if chart.low(start) in ("not", "non"):
        for sense in chart.lexicon.senses(start + 1):
            if sense.sort is Sort.FLAG:
                yield Edge(sense.end, _negated(chart.tree, start, sense))


def _negated(tree: Tree, start: int, sense: Sense) -> Phrase:
    """Return the records whose flag is the other way round."""
    keys = {tree.keys[n] for n in sense.fields}
    wanted = not tree.values[sense.fields[0]]
    nodes = [n for key in keys for n in tree.by_key[str(key)] if tree.values[n] is wanted]
    records = tuple(sorted({tree.record_of(n) for n in nodes}))
    return Phrase(start, sense.end, records, Sort.FLAG, sense.cost, fields=tuple(nodes))


@rule("CORE")
def _core(chart: Chart, start: int) -> Iterator[Edge]:
    """Names side by side, each narrowing the next: production database host, Widget A price."""
    agenda = [(edge.item, 1) for edge in chart.edges("NAME", start)]
    skip = _structural_prefix(chart, start)
    if skip > start:
        agenda += [
            (replace(edge.item, start=start), 1)
            for edge in chart.edges("NAME", skip)
            if edge.item.sort in (Sort.KEY, Sort.PATH, Sort.RECORD)
        ]
    seen: set[object] = set()
    while agenda:
        phrase, parts = agenda.pop()
        key = (phrase.end, phrase.meaning, phrase.cost)
        if key in seen:
            continue
        seen.add(key)
        yield Edge(phrase.end, phrase)
        tail = _structural_suffix(chart, phrase)
        if tail is not None:
            agenda.append((tail, parts))
        if parts >= _MAX_PARTS or not phrase.nodes:
            continue
        for edge in chart.edges("NAME", phrase.end):
            agenda += [(p, parts + 1) for p in combine(chart.tree, phrase, edge.item)]
        numbered = _numbered(chart, phrase)
        if numbered is not None:
            agenda.append((numbered, parts + 1))


def _structural_prefix(chart: Chart, start: int) -> int:
    """Return where the name begins behind `field`, `key`, `value of` and the like."""
    word = singular(chart.low(start))
    if word not in STRUCTURAL and word not in ("number", "amount", "name"):
        return start
    if chart.low(start + 1) == "of":
        after = start + 2
        return after + (chart.low(after) in DETERMINERS)
    return start + 1 if word in STRUCTURAL and word not in ("item", "element") else start


def _structural_suffix(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return the phrase with a word such as `field` or `section` behind it."""
    low = chart.low(phrase.end)
    measured = singular(low) in _MEASURES and phrase.nodes and all(
        isinstance(chart.tree.values[n], Num) for n in phrase.nodes
    )  # fmt: skip
    named = singular(low) in STRUCTURAL - GENERIC and phrase.sort in (Sort.KEY, Sort.PATH)
    if not measured and not named:
        return None
    many = phrase.many or (is_plural(low) and len(phrase.nodes) > 1)
    whole = phrase.whole or (named and low in ("list", "array", "collection"))
    return replace(phrase, end=phrase.end + 1, many=many, weak=False, whole=whole)


def combine(tree: Tree, left: Phrase, right: Phrase) -> Iterator[Phrase]:
    """Yield what two names side by side denote together."""
    joint = replace(
        right, start=left.start, cost=left.cost + right.cost, part=_is_part(left, right),
        weak=False, filtered=left.filtered or right.filtered,
    )  # fmt: skip
    inside = _nearest(tree, tree.inside(right.nodes, left.nodes), left.nodes, right)
    if left.sort is Sort.FLAG:
        # "active users" are users; an `email` flag does not make its siblings e-mail ones
        owners = set(left.nodes)
        inside = tuple(n for n in inside if n in owners)
    if inside and not (left.weak and left.sort is Sort.ITEMS and not _equal(inside, left)):
        used = _used(tree, inside, left.nodes)
        named = left.sort in (Sort.RECORD, Sort.FLAG)
        yield replace(
            joint,
            nodes=inside,
            whole=right.whole and (left.whole or set(left.nodes).isdisjoint(inside)),
            filtered=joint.filtered or left.sort is Sort.FLAG,
            doubt=joint.doubt or left.doubt or part_doubt(right, left),
            many=right.many or (left.many and left.sort is not Sort.ITEMS),
            fields=right.fields,
            unsure=named and not left.many and used > 1 and left.sort is Sort.RECORD
            and not _is_kind(left),
        )  # fmt: skip
    if left.sort is Sort.KEY and right.sort is Sort.RECORD:
        yield from _by_field(tree, joint, right, left)
    elif left.sort is Sort.RECORD and right.sort is Sort.KEY:
        yield from _by_field(tree, joint, left, right)


def part_doubt(head: Phrase, by: Phrase) -> str:
    """Return a doubt when a part of a name is to say which of many records are meant."""
    several = head.many and head.sort is Sort.ITEMS
    return "part" if several and by.sort is Sort.RECORD and not by.whole else ""


def _is_part(left: Phrase, right: Phrase) -> bool:
    return left.part or right.part or not left.whole or not right.whole


def _nearest(tree: Tree, nodes: Nodes, holders: Nodes, head: Phrase) -> Nodes:
    """Return the direct members of *holders* when one key is meant and they have it."""
    if head.many or head.sort is not Sort.KEY or len(nodes) < 2:
        return nodes
    held = set(holders)
    return tuple(n for n in nodes if tree.parents[n] in held) or nodes


def _equal(inside: Nodes, left: Phrase) -> bool:
    held = set(left.nodes)
    return all(node in held for node in inside)


def _is_kind(phrase: Phrase) -> bool:
    """Return whether several records share the value, so that it says of what kind they are."""
    return len(phrase.nodes) > 1 and phrase.whole


def _by_field(tree: Tree, joint: Phrase, value: Phrase, key: Phrase) -> Iterator[Phrase]:
    """Yield the records whose named field has the value: sku B2, high priority."""
    held = set(key.nodes)
    fields = tuple(n for n in value.fields if n in held)
    if fields:
        records = tuple(sorted({tree.record_of(n) for n in fields}))
        yield replace(
            joint, nodes=records, sort=Sort.RECORD, many=False, fields=fields, filtered=True,
            whole=value.whole and key.whole,
        )  # fmt: skip


def _used(tree: Tree, nodes: Nodes, holders: Nodes) -> int:
    """Return how many of *holders* have one of *nodes* inside."""
    tops = tree.outermost(holders)
    return sum(1 for top in tops if tree.below(top, nodes))


def _numbered(chart: Chart, phrase: Phrase) -> Phrase | None:
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
    return replace(phrase, nodes=picked, end=phrase.end + 1, cost=phrase.cost + 1, filtered=True,
                   weak=False)  # fmt: skip


def _pick(tree: Tree, nodes: Nodes, place: int, count: int) -> Nodes:
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


@rule("HEAD")
def _head(chart: Chart, start: int) -> Iterator[Edge]:
    """A determiner, quantifier, ordinal or superlative and the names behind it."""
    place, quantified, article = _determiner(chart, start)
    if place > start:
        yield from _determined(chart, start, place, quantified, article)
    if article and chart.low(place) == "new":
        for edge in chart.edges("CORE", place + 1):
            if not edge.item.weak:
                yield Edge(edge.end, replace(edge.item, start=start, cost=edge.item.cost + 1))
    for edge in chart.edges("CORE", start):
        if not edge.item.weak:
            yield edge
    yield from _ordinal(chart, start, start, quantified=False)
    for phrase in (*superlatives(chart, start), *people(chart, start)):
        yield Edge(phrase.end, phrase)
    low = chart.low(start)
    if low in PRONOUNS:
        many = low in ("them", "they", "those", "these")
        yield Edge(start + 1, Phrase(start, start + 1, (), Sort.KEY, many=many, owner=True))
    if low in POSSESSIVES:
        for edge in chart.edges("CORE", start + 1):
            if not edge.item.weak:
                yield Edge(edge.end, replace(edge.item, start=start, owner=True))
    for top in _TOP:
        after = chart.words(start + (chart.low(start) == "the"), top)
        if after > 0:
            yield Edge(after, Phrase(start, after, (0,), Sort.PATH))


def _determiner(chart: Chart, start: int) -> tuple[int, bool, bool]:
    """Return where the noun begins, whether a quantifier and whether an article precedes it."""
    place, quantified, article = start, False, False
    if chart.low(place) in QUANTIFIERS:
        quantified, place = True, place + 1
        if chart.low(place) == "of":
            place += 1
    elif chart.low(place) in ("only", "just"):
        place += 1
    if chart.low(place) in DETERMINERS and place + 1 < chart.size:
        article, place = True, place + 1
    if article and chart.low(place) in QUANTIFIERS:
        quantified, place = True, place + 1
    if chart.low(place) in ("other", "remaining", "various", "individual", "single", "specific"):
        return start, False, False
    return place, quantified, article


def _determined(
    chart: Chart, start: int, place: int, quantified: bool, article: bool
) -> Iterator[Edge]:
    for edge in chart.edges("CORE", place):
        phrase: Phrase = edge.item
        if phrase.weak and not (quantified or (phrase.many and phrase.sort is Sort.ITEMS)):
            continue
        if not quantified:
            yield Edge(edge.end, replace(phrase, start=start))
            continue
        if phrase.sort is Sort.KEY and _is_container(chart.tree, phrase) and phrase.cost < 2:
            # "all users" are the users, hardly the array that holds them
            phrase = phrase.dearer(2)
        yield Edge(edge.end, replace(phrase, start=start, many=True, quantified=True, weak=False))
    yield from _ordinal(chart, start, place, quantified=quantified)
    count = number_in(chart.low(place))
    if count and count.isdigit() and int(count) > 1 and (article or quantified):
        for edge in chart.edges("CORE", place + 1):
            if edge.item.many and len(edge.item.nodes) == int(count):
                yield Edge(edge.end, replace(edge.item, start=start, many=True, quantified=True))
    for phrase in superlatives(chart, place):
        yield Edge(phrase.end, replace(phrase, start=start))


def _is_container(tree: Tree, phrase: Phrase) -> bool:
    return all(isinstance(tree.values[n], dict | list) for n in phrase.nodes)


def _ordinal(chart: Chart, start: int, place: int, *, quantified: bool) -> Iterator[Edge]:
    """Yield `second user`, `first two products`, `very last item`."""
    del quantified
    if chart.low(place) == "very":
        place += 1
    position = ORDINALS.get(chart.low(place))
    if position is None:
        return
    count, after = 1, place + 1
    if chart.low(after) in ("and", "&") and chart.low(after + 1) in ORDINALS:
        yield from _two_ordinals(chart, start, position, after + 1)
    if after >= chart.size or chart.low(after) in (".", ",", ";", "and", "!"):
        for phrase in generic_nouns(chart, -1):
            picked = _pick(chart.tree, phrase.nodes, position, 1)
            if picked:
                yield Edge(after, replace(phrase, start=start, end=after, nodes=picked))
    said = number_in(chart.low(after))
    if said and said.isdigit() and int(said) > 1:
        count, after = int(said), after + 1
    for edge in chart.edges("CORE", after):
        phrase: Phrase = edge.item
        if phrase.sort is Sort.KEY:
            phrase = _contents(chart.tree, phrase)
        if phrase.sort not in (Sort.ITEMS, Sort.RECORD, Sort.ELEMENT) or not phrase.nodes:
            continue
        picked = _pick(chart.tree, phrase.nodes, position, count)
        if not picked:
            continue
        yield Edge(
            edge.end,
            replace(phrase, start=start, nodes=picked, many=count > 1, weak=False, filtered=True,
                    quantified=False),
        )  # fmt: skip


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


def _contents(tree: Tree, phrase: Phrase) -> Phrase:
    """Return the elements of the arrays a phrase names."""
    arrays = [n for n in phrase.nodes if isinstance(tree.values[n], list)]
    elements = tuple(sorted(c for n in arrays for c in tree.children(n)))
    return replace(phrase, nodes=elements, sort=Sort.ITEMS, cost=phrase.cost + 1)


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
    end = phrase.end
    low = chart.low(end)
    if low == "'s":
        for edge in chart.edges("OWNED", end + 1):
            yield from own(chart.tree, phrase, edge.item)
        return
    if low in PREPOSITIONS or low == ",":
        after = end + 1 if low != "," else end
        if low != ",":
            for edge in chart.edges("NPLIST", after):
                if edge.item.sort is not Sort.FLAG or edge.item.end - edge.item.start > 1:
                    yield from restrict(chart.tree, phrase, edge.item, low)
            yield from _at_index(chart, phrase, after)
    for words in _EXCEPTIONS:
        after = chart.words(end, words)
        if after > 0:
            for edge in chart.edges("NPLIST", after):
                yield from _without(chart.tree, phrase, edge.item)
            break
    for edge in chart.edges("FILTER", end):
        narrowed = filtered(chart.tree, phrase, edge.item, edge.end)
        if narrowed is not None:
            yield narrowed


def filtered(tree: Tree, phrase: Phrase, condition: Any, end: int) -> Phrase | None:
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
    )  # fmt: skip


def _at_index(chart: Chart, phrase: Phrase, after: int) -> Iterator[Phrase]:
    """Yield `the user at index 1`."""
    if chart.low(after) not in ("index", "position") or not chart.low(after + 1).isdigit():
        return
    place = int(chart.low(after + 1)) - (chart.low(after) == "position")
    nodes = tuple(n for n in phrase.nodes if chart.tree.keys[n] == place)
    if not nodes:
        return
    yield replace(phrase, end=after + 2, nodes=nodes, filtered=True, many=False)


def own(tree: Tree, owner: Phrase, owned: Phrase) -> Iterator[Phrase]:
    """Yield what *owned* denotes within *owner*: Alice's age."""
    if owner.owner and not owner.nodes:
        yield replace(owned, start=owner.start, owner=True)
        return
    found = list(restrict(tree, replace(owned, start=owner.start), owner, "'s", end=owned.end))
    yield from found
    if not found and owner.sort is Sort.KEY and owned.sort is Sort.KEY:
        # "Saturday's opening hours" are the Saturday of the opening hours
        held = set(owned.nodes)
        inner = tuple(n for n in owner.nodes if tree.parents[n] in held)
        if inner:
            yield replace(owner, end=owned.end, nodes=inner, cost=owner.cost + owned.cost + 1)


def restrict(tree: Tree, head: Phrase, by: Phrase, word: str, end: int = 0) -> Iterator[Phrase]:
    """Yield *head* narrowed to what lies in *by*."""
    after = end or by.end
    if by.owner and not by.nodes:
        if word in ("of", "for", "in", "on", "from"):
            yield replace(head, end=after, owner=True)
        return
    joint = replace(
        head, end=after, cost=head.cost + by.cost, part=_is_part(head, by),
        owner=head.owner or by.owner, doubt=head.doubt or by.doubt or part_doubt(head, by),
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
        inside = _holding(tree, head, by)
    if not inside:
        return
    inside = _nearest(tree, inside, by.nodes, head)
    used = _used(tree, inside, by.nodes)
    kind = by.sort is Sort.RECORD and not by.many and _is_kind(by) and head.sort is Sort.ITEMS
    yield replace(
        joint,
        nodes=inside,
        whole=head.whole and (by.whole or held.isdisjoint(inside)),
        many=head.many or by.many,
        quantified=head.quantified or by.quantified,
        unsure=head.unsure or by.unsure
        or (not by.many and used > 1 and not kind and not by.owner and head.many),
        filtered=joint.filtered or kind,
    )  # fmt: skip


def _names_root(tree: Tree, by: Phrase) -> bool:
    """Return whether a phrase is what the document is about: the store of {"store": "Blue"}."""
    return by.sort is Sort.KEY and all(
        tree.parents[n] == 0
        and isinstance(tree.values[n], str)
        and key_form(str(tree.keys[n])) in _ROOT_NAMES
        for n in by.nodes
    )


def _holding(tree: Tree, head: Phrase, by: Phrase) -> Nodes:
    """Return the records of *head* in which a named value stands deeper inside."""
    if head.sort is not Sort.ITEMS:
        return ()
    return tuple(n for n in head.nodes if by.fields and tree.below(n, by.fields))


def _without(tree: Tree, phrase: Phrase, removed: Phrase) -> Iterator[Phrase]:
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
def _owned(chart: Chart, start: int) -> Iterable[Edge]:
    """What follows a possessive: names, an ordinal, or nothing when it was said before."""
    yield from (e for e in chart.edges("CORE", start) if not e.item.weak)
    yield from _ordinal(chart, start, start, quantified=False)
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
        chart.tree.spend(30)
        for edge in chart.edges("NP", after):
            agenda.append((edge.end, [*parts, edge.item], low != ","))


def join(tree: Tree, parts: list[Phrase]) -> Phrase:
    """Return the phrases as one; a name that fits several places is one beside the others."""
    sure = [p for p in parts if p.many or len(p.nodes) == 1]
    homes = {tree.parents[n] for p in sure for n in p.nodes}
    chosen: list[Phrase] = []
    for part in parts:
        if not part.many and len(part.nodes) > 1 and homes:
            near = tuple(n for n in part.nodes if tree.parents[n] in homes)
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
        filtered=all(p.filtered for p in chosen),
    )


def numbers_below(tree: Tree, node: int) -> list[int]:
    """Return the members of an object that are numbers."""
    return [c for c in tree.children(node) if isinstance(tree.values[c], Num)]
