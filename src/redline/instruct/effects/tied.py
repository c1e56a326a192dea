"""Which places a condition, a name or a pronoun speaks of, among those that would fit."""

from __future__ import annotations

from collections import Counter
from typing import Any

from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.clauses import Clause
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import compared_fields, nearest_fields
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes


def nearest_to(tree: DocumentTree, condition: Any, nodes: Nodes) -> tuple[Nodes, bool]:
    """Return the nodes beside the fields of a condition, and whether each has a field of its own.

    `level where days is 7` is the level beside the days, not one in another section.
    """
    fields = tuple(sorted({node for each in compared_fields(condition) for node in each}))
    if not fields or len(nodes) < 2:
        return nodes, True
    holders = {tree.parents[field] for field in fields}
    parents = tree.parents
    direct = tuple(n for n in nodes if parents[n] in holders or n in holders)
    if len(direct) == len(nodes):
        return nodes, True
    keys = {tree.keys[n] for n in direct}
    kept = tuple(n for n in nodes if n in set(direct) or tree.keys[n] not in keys)
    kept = kept if direct else nodes
    ties = Counter((tree.keys[n], tuple(nearest_fields(tree, n, fields))) for n in kept
                   if isinstance(tree.keys[n], str) and not tree.is_record(n))  # fmt: skip
    return kept, all(count == 1 for count in ties.values())


def is_settled(parts: tuple[Nodes, ...], nodes: Nodes) -> bool:
    """Return whether of each of several names exactly one place is left."""
    return bool(parts) and all(len({*part} & {*nodes}) == 1 for part in parts)


def named_nodes(tree: DocumentTree, phrase: Phrase) -> Nodes:
    """Return what a phrase names; Refusal for the document by what one of its fields holds."""
    held = phrase.sort is Sort.RECORD and phrase.nodes == (0,) and bool(phrase.fields)
    if held and not any(map(tree.identifies, phrase.fields)):
        raise Unclear("target", "it is what a field of the document holds", phrase.fields)
    return phrase.nodes


def is_field(tree: DocumentTree, clause: Clause, previous: Clause | None, focus: Nodes) -> bool:
    """Return whether one field was spoken of, and `it` may be that rather than its record."""
    if len(focus) != 1 or isinstance(tree.values[focus[0]], dict):
        return False
    for scope in clause.scopes:
        led = scope.leads and scope.phrase is not None and scope.phrase.sort is not Sort.RECORD
        if led or getattr(scope.condition, "fields", ()) == focus:
            return True
    before = previous.role("target") if previous is not None else None
    return before is not None and before.sort in (Sort.KEY, Sort.PATH)


def tested_fields(tree: DocumentTree, clause: Clause) -> Nodes:
    """Return the fields `it` is about: `for all users whose plan is "a", change it to "b"`."""
    scopes = [s for s in clause.scopes if s.phrase is not None and s.phrase.tested]
    if len(scopes) != 1 or clause.effect != "assign" or scopes[0].phrase is None:
        return ()
    records = set(scopes[0].phrase.nodes)
    return tuple(n for n in scopes[0].phrase.tested if tree.parents[n] in records)


def is_tested(clause: Clause, nodes: Nodes) -> bool:
    """Return whether *nodes* are the fields that a condition on several records compares."""
    target = clause.role("target")
    if not nodes or clause.effect != "assign" or target is None or not target.owner:
        return False
    return any(
        s.phrase is not None and s.phrase.many and set(nodes) <= set(s.phrase.tested)
        for s in clause.scopes
    )


def labels_document(tree: DocumentTree, phrase: Phrase, node: int) -> bool:
    """Return whether a text says what the document is: the survey of {"survey": "Quarter 2"}."""
    named = phrase.sort is Sort.KEY and phrase.whole and not phrase.owner and not phrase.many
    return named and tree.parents[node] == 0 and isinstance(tree.values[node], str)
