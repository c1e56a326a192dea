"""What is held against every clause, whatever its effect: its conditions and its words."""

from __future__ import annotations

from itertools import pairwise

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import Nothing
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import Clause
from redline.instruct.grammar.conditions import RELATIVES
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import Most
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.dates import date_in
from redline.instruct.language.words import is_plural, key_form, number_in
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.operations import Path

# Effects that ask for something to be gone, which it is when nothing fits.
_REMOVALS = frozenset({"remove", "absent", "dedupe"})
_BEGIN_CONDITIONS = RELATIVES | {"whose"}
# What words may cost of which it is said that they fit nothing.
_SURE = 2


def check_words(context: EffectContext) -> None:
    """Refuse a clause whose words belong to something else than its effect takes them for."""
    _check_whole_date(context.chart, context.clause)
    _check_joined(context)
    _check_everywhere(context)
    _check_terse(context)
    _check_stated(context)


def check_outcome(context: EffectContext, outcome: EffectOutcome) -> None:
    """Refuse to change more than the clause allows."""
    if context.clause.scopes and not context.scoped:
        raise Unclear("clause", "it is not clear what the scope applies to")
    _check_conditions(context, outcome)
    _check_one_list(context, outcome)


def _check_joined(context: EffectContext) -> None:
    """Refuse `set a to 5 if b is 1 and c is 2` as a wish for c: it belongs to the condition.

    So does `live in Rome` in `remove all who are active and live in Rome`.
    """
    before, clause, chart = context.previous, context.clause, context.chart
    if before is None:
        return
    in_condition = context.is_statement and any(scope.is_if for scope in before.scopes)
    is_bare = clause.effect == "implied" and clause.role("owner") is None
    if is_bare or chart.low(clause.start) in _BEGIN_CONDITIONS:
        words = {chart.low(place) for place in range(before.start, before.end)}
        in_condition = in_condition or not words.isdisjoint(_BEGIN_CONDITIONS)
    if in_condition:
        raise Unclear("clause", "it is not clear where the condition ends")


def _check_terse(context: EffectContext) -> None:
    """Refuse `Cancel Main` as a note on an act called The Cancel: a verb is likelier there."""
    owner = context.clause.role("owner")
    said = context.clause.role("said") or context.clause.role("value")
    if owner is None or said is None or owner.whole or owner.start != context.clause.start:
        return
    if owner.end == owner.start + 1 and said.start == owner.end:
        raise Unclear("clause", f"{context.text(owner)!r} is only a part of a name")


def _check_stated(context: EffectContext) -> None:
    """Refuse `and one to won` as a statement: it shares the verb of what is before it."""
    clause, chart = context.clause, context.chart
    if clause.effect != "implied" or context.previous is None:
        return
    if chart.low(clause.start + 1) == "to" and number_in(chart.low(clause.start)) is not None:
        raise Unclear(
            "clause", f"it is not clear what {chart.text(clause.start, clause.end)!r} asks for"
        )


def _check_everywhere(context: EffectContext) -> None:
    """Refuse `replace x with y everywhere` as a change of the one list that has an x."""
    target = context.clause.role("target")
    if context.clause.effect != "assign" or target is None or target.sort is not Sort.ELEMENT:
        return
    if any(scope.is_everywhere for scope in context.clause.scopes):
        raise Unclear("target", f"{context.text(target)!r} is not meant in one place only")


def why_nothing(context: EffectContext, nothing: Nothing) -> str:
    """Return why a clause has nothing to do; Refusal where it may be meant otherwise."""
    _check_unused(context)
    clause = context.clause
    if nothing.unmet and context.is_statement:
        raise Unclear("clause", "it may only say what would be so") from None
    if nothing.unmet:
        return "the condition does not hold"
    target = clause.role("target")
    partly = isinstance(target, Phrase) and not target.whole
    is_fact = clause.effect in ("implied", "swap") or partly
    is_there = key_form(str(nothing).strip("`'\"")) in context.tree.by_form
    # "so that it is 10" asks for it
    is_filter = nothing.filtered and ("so", "that") not in pairwise(context.chart.lows)
    if is_filter and nothing.many and is_there and not is_fact:
        return "nothing fits the condition"
    is_one = not nothing.many and clause.effect not in _REMOVALS
    if is_fact or is_there or is_one or clause.cost > _SURE:
        raise Unclear("target", f"nothing here is {str(nothing)!r}") from None
    return f"nothing here is {str(nothing)!r}"


def _check_conditions(context: EffectContext, outcome: EffectOutcome) -> None:
    """Refuse to change what a condition of the clause does not hold for, however it was found."""
    tree = context.tree
    for scope in context.clause.scopes:
        phrase = scope.phrase if scope.wanted else None
        if phrase is not None and phrase.filtered and not phrase.nodes and outcome.operations:
            raise Unclear("target", "the condition does not hold")
        # the highest of what changes is not the highest of all
        if scope.condition is None or isinstance(scope.condition, Most) or not outcome.operations:
            continue
        nodes = tuple(sorted({_nearest_node(tree, o.path) for o in outcome.operations}))
        chosen = scope.condition.select(tree, nodes)
        if chosen is None or len(chosen) != (len(nodes) if scope.wanted else 0):
            raise Unclear("target", "the condition does not hold there", nodes)


def _nearest_node(tree: DocumentTree, path: Path) -> int:
    """Return the node at *path*, or that which a new one is to be added to."""
    while (node := tree.node_at(path)) is None:
        path = path[:-1]
    return node


def _check_one_list(context: EffectContext, outcome: EffectOutcome) -> None:
    """Refuse one element of one list where several lists have it: `the rope in the inventory`."""
    target, tree = context.clause.role("target"), context.tree
    if not isinstance(target, Phrase) or target.quantified:
        return
    if target.sort is not Sort.ELEMENT and not _change_elements(tree, outcome):
        return
    nodes = tuple(n for n in (tree.node_at(o.path) for o in outcome.operations) if n is not None)
    lists = {tree.parents[n] for n in nodes}
    if len(lists) > 1 and all(map(tree.is_element, (*nodes, *lists))):
        raise Unclear("several", f"{context.text(target)!r} is in several lists", nodes)
    if target.sort is not Sort.ELEMENT or target.many:
        return
    phrases = [scope.phrase for scope in context.clause.scopes]
    if len(lists) < 2 or any(p is None or p.quantified for p in phrases):
        return
    said = [context.chart.low(p.end - 1) for p in phrases if p is not None]
    named_as_several = any(is_plural(str(tree.keys[n])) for n in lists)
    if said and (named_as_several or not any(map(is_plural, said))):
        raise Unclear("several", f"{context.text(target)!r} is in several lists", nodes)


def _change_elements(tree: DocumentTree, outcome: EffectOutcome) -> bool:
    """Return whether all that changes are elements of lists, which mostly the first one says."""
    nodes = (tree.node_at(operation.path) for operation in outcome.operations)
    return all(tree.is_element(node) for node in nodes if node is not None)


def _check_whole_date(chart: Chart, clause: Clause) -> None:
    """Refuse a clause that begins with the year of a date: `April 7, 2025`."""
    start = clause.start
    if start > 2 and chart.low(start - 1) == "," and date_in(chart.text(start - 3, start + 1)):
        raise Unclear("value", f"{chart.text(start - 3, start + 1)!r} is one date")


def _check_unused(context: EffectContext) -> None:
    """Refuse a clause that fits nothing when its value would not be one either."""
    value = context.clause.role("value")
    target = context.clause.role("target") or context.clause.role("owner")
    if context.clause.effect == "setfields":
        raise Unclear("target", "nothing here has these fields")
    if not isinstance(value, TokenSpan) or target is None:
        return
    is_text = not target.nodes or isinstance(context.type_value(value, target.nodes[0]), str)
    if value.cost or context.doubt or (is_text and value.end - value.start > 1):
        raise Unclear("value", f"{context.text(value)!r} may be more than the value")
