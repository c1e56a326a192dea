"""Fields of a record that another record, the value they hold now or the verb singles out."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.contrasts import holds
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.places import doubt_case
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import unit_of
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

_MAX_RECORDS = 500


def copy_field(context: EffectContext) -> EffectOutcome:
    """Give a field what another record has there: `give www the same ttl as api`."""
    target, source = context.clause.role("target"), context.clause.role("source")
    model = context.resolve(source, scoped=False)
    if len(model.nodes) != 1:
        raise Unclear("several", f"{context.text(source)!r} is not one thing", model.nodes)
    given = _one_field(context, target.nodes, model.nodes[0])
    holders = context.resolve(context.clause.role("owner"))
    fields = tuple(_one_field(context, target.nodes, node) for node in holders.nodes)
    tree = context.tree
    wanted = tree.values[given]
    for field in fields:
        held = tree.values[field]
        if held is not None and wanted is not None and type(held) is not type(wanted):
            raise Unclear("type", "what is there is of another type", (field,))
        if tree.keys[field] != tree.keys[given] or tree.identifies(field):
            raise Unclear("target", "it is not the same field", (field,))
    context.whole = context.whole and target.whole
    return context.each(ResolvedNodes(fields, holders.many), lambda _: wanted)


def _one_field(context: EffectContext, nodes: tuple[int, ...], holder: int) -> int:
    inner = context.tree.directly_in(nodes, (holder,))
    if len(inner) != 1:
        name = context.text(context.clause.role("target"))
        raise Unclear("target", f"it has no one field {name!r}", (holder,))
    return inner[0]


def change_held(context: EffectContext) -> EffectOutcome:
    """Give the one field of a record that holds the old value another: `from Monday to Friday`."""
    old, value = context.clause.role("old"), context.clause.role("value")
    holders = context.resolve(context.clause.role("owner"))
    if len(holders.nodes) > _MAX_RECORDS:
        raise Unclear("several", "there are too many of them", holders.nodes)
    if unit_of(context.chart.low(value.end)):
        raise Unclear("value", "an amount is in another unit", holders.nodes)
    value = _without_unit(context, holders.nodes, value)
    old = _without_unit(context, holders.nodes, old)
    fields = tuple(_holding_field(context, node, old) for node in holders.nodes)
    if len({context.tree.keys[field] for field in fields}) > 1:
        raise Unclear("several", "several fields may be meant", fields)
    for field in fields:
        _check_new(context, field, value)
    return context.each(ResolvedNodes(fields, holders.many), lambda n: context.type_value(value, n))


def _without_unit(context: EffectContext, nodes: tuple[int, ...], span: TokenSpan) -> TokenSpan:
    """Return an amount without the unit that a field beside it says: 100 grams of sugar."""
    unit = unit_of(context.chart.low(span.end - 1)) if span.end - span.start == 2 else None
    values = [context.tree.values[node] for node in nodes]
    said = unit is not None and all(
        isinstance(held, dict)
        and any(isinstance(text, str) and unit_of(text) == unit for text in held.values())
        for held in values
    )
    return TokenSpan(span.start, span.end - 1) if said else span


def _holding_field(context: EffectContext, holder: int, old: TokenSpan) -> int:
    """Return the one field that holds a value; a number must be the only one of its record."""
    tree = context.tree
    if holder == 0 or not isinstance(tree.values[holder], dict):
        raise Unclear("type", "it is not a record", (holder,))
    own = [c for c in tree.children(holder) if not tree.identifies(c)]
    fields = [c for c in own if holds(context, c, old)]
    if len(fields) != 1:
        rank = "several" if fields else "value"
        raise Unclear(rank, f"no one field of it is {context.text(old)!r} now", (holder,))
    numbers = [c for c in own if isinstance(tree.values[c], Num)]
    if fields[0] in numbers and len(numbers) > 1:
        raise Unclear("several", "several numbers may be meant", tuple(numbers))
    return fields[0]


def _check_new(context: EffectContext, field: int, value: TokenSpan) -> None:
    """Doubt bare words that are not written as the value they take the place of is."""
    held, said = context.tree.values[field], context.text(value)
    bare = context.chart.tokens[value.start].kind == "word"
    if not bare or not isinstance(held, str) or said in context.tree.peers(field):
        return
    alike = said[:1].isupper() == held[:1].isupper() and len(said.split()) <= len(held.split()) + 1
    if not alike:
        context.doubt = context.doubt or f"it is not clear that {said!r} is the value"


def tag(context: EffectContext) -> EffectOutcome:
    """Put a text into the list that the verb names: `tag every draft with "todo"`."""
    holders = context.resolve(context.clause.role("owner"))
    span, tree = context.clause.role("value"), context.tree
    token = context.chart.tokens[span.start]
    operations: list[DocumentOperation] = []
    for holder in holders.nodes:
        lists = tree.children_called(holder, context.clause.extra)
        held: Value = tree.values[lists[0]] if len(lists) == 1 else None
        if not isinstance(held, list) or not all(isinstance(item, str) for item in held):
            raise Unclear("target", f"it has no {context.clause.extra}s", (holder,))
        if token.text in held:
            continue
        if token.kind != "quoted":
            doubt_case(context, token, held)
        path = (*tree.path(lists[0]), str(len(held)))
        operations.append(DocumentOperation("insert", path, value=token.text).with_confidence(0.93))
    return context.outcome(operations, holders.nodes, "already there")
