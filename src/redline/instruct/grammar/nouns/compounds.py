"""Names side by side: what two noun phrases denote together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.phrase import Phrase
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes


def combine(tree: DocumentTree, left: Phrase, right: Phrase) -> Iterator[Phrase]:
    """Yield what two names side by side denote together."""
    joint = replace(
        right, start=left.start, cost=left.cost + right.cost, part=is_part(left, right),
        weak=False, filtered=left.filtered or right.filtered,
    )  # fmt: skip
    inside = nearest(tree, tree.inside(right.nodes, left.nodes), left.nodes, right)
    if left.sort is Sort.FLAG:
        # "active users" are users; an `email` flag does not make its siblings e-mail ones
        owners = set(left.nodes)
        inside = tuple(n for n in inside if n in owners and (right.sort is not Sort.KEY
                                                             or tree.is_record(n)))  # fmt: skip
    if inside and not (left.weak and left.sort is Sort.ITEMS and not _equal(inside, left)):
        count = count_holders(tree, inside, left.nodes)
        named = left.sort in (Sort.RECORD, Sort.FLAG)
        yield replace(
            joint,
            nodes=inside,
            whole=right.whole and (left.whole or set(left.nodes).isdisjoint(inside)),
            filtered=joint.filtered or left.sort is Sort.FLAG,
            doubt=joint.doubt or left.doubt or part_doubt(right, left),
            many=right.many or (left.many and left.sort is not Sort.ITEMS),
            fields=left.fields if _is_same(inside, left) else right.fields,
            unsure=named and not left.many and count > 1 and left.sort is Sort.RECORD
            and not is_kind(left),
        )  # fmt: skip
    if left.sort is Sort.KEY and not inside:
        yield from _member_first(tree, joint, left, right)
    if left.sort is Sort.KEY and right.sort is Sort.RECORD:
        yield from _by_field(tree, joint, right, left)
    elif left.sort is Sort.RECORD and right.sort is Sort.KEY:
        yield from _by_field(tree, joint, left, right)


def _member_first(
    tree: DocumentTree, joint: Phrase, left: Phrase, right: Phrase
) -> Iterator[Phrase]:
    """Yield a member named before what holds it: GET /pets, the weekend (opening) hours."""
    if right.sort is not Sort.PATH and (right.sort is not Sort.KEY or not left.whole):
        return
    direct = tree.directly_in(left.nodes, right.nodes)
    if direct:
        cost = joint.cost + (right.sort is Sort.KEY)
        yield replace(joint, nodes=direct, sort=Sort.KEY, whole=left.whole, many=False,
                      part=not right.whole, cost=cost)  # fmt: skip


def part_doubt(head: Phrase, by: Phrase) -> str:
    """Return a doubt when a part of a name is to say which of many records are meant."""
    several = head.many and head.sort is Sort.ITEMS
    return "part" if several and by.sort is Sort.RECORD and not by.whole else ""


def is_part(left: Phrase, right: Phrase) -> bool:
    """Return whether a name is given in part only."""
    return left.part or right.part or not left.whole or not right.whole


def nearest(tree: DocumentTree, nodes: Nodes, holders: Nodes, head: Phrase) -> Nodes:
    """Return the direct members of *holders* when one key is meant and they have it."""
    if head.many or head.sort is not Sort.KEY or len(nodes) < 2:
        return nodes
    return tree.directly_in(nodes, holders) or nodes


def _is_same(inside: Nodes, left: Phrase) -> bool:
    """Return whether a value names the very records that are denoted."""
    return left.sort is Sort.RECORD and set(inside) <= set(left.nodes)


def _equal(inside: Nodes, left: Phrase) -> bool:
    held = set(left.nodes)
    return all(node in held for node in inside)


def is_kind(phrase: Phrase) -> bool:
    """Return whether several records share the value, so that it says of what kind they are."""
    return len(phrase.nodes) > 1 and phrase.whole


def _by_field(tree: DocumentTree, joint: Phrase, value: Phrase, key: Phrase) -> Iterator[Phrase]:
    """Yield the records whose named field has the value: sku B2, high priority."""
    held = set(key.nodes)
    fields = tuple(n for n in value.fields if n in held)
    direct = tuple(sorted({tree.parents[n] for n in value.fields if tree.parents[n] in held}))
    if direct and value.whole:
        # "the owner Sam Ode": the section whose name that is
        yield replace(joint, nodes=direct, sort=Sort.RECORD, many=False, fields=value.fields,
                      filtered=True, whole=key.whole)  # fmt: skip
    if fields:
        records = tuple(sorted({tree.record_of(n) for n in fields}))
        yield replace(
            joint, nodes=records, sort=Sort.RECORD, many=False, fields=fields, filtered=True,
            whole=value.whole and key.whole,
        )  # fmt: skip


def count_holders(tree: DocumentTree, nodes: Nodes, holders: Nodes) -> int:
    """Return how many of *holders* have one of *nodes* inside."""
    tops = tree.outermost(holders)
    return sum(1 for top in tops if tree.below(top, nodes))
