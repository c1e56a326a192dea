"""Values copied: over the value of another place, or under a new key."""

from __future__ import annotations

from redline.instruct.effects.adding.keys import field_of
from redline.instruct.effects.adding.members import check_new, holders_of, home_of
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Value, type_name


def copy(context: EffectContext) -> EffectOutcome:
    """Give the target the value of another place of the same type."""
    source = context.resolve(context.clause.role("source"), scoped=False)
    if len(source.nodes) != 1:
        raise Unclear("several", "it is not clear what is to be copied", source.nodes)
    origin = source.nodes[0]
    value, key = context.tree.values[origin], context.tree.keys[origin]
    found = context.resolve(context.clause.role("target"))
    own = [context.tree.child(node, key) for node in found.nodes if isinstance(key, str)]
    inner = [node for node in own if node is not None]
    if inner and len(inner) == len(found.nodes) and origin not in inner:
        found = ResolvedNodes(tuple(inner), found.many, found.whole, found.cost, found.phrase)

    def fitting(node: int) -> Value:
        now = context.tree.values[node]
        if now is not None and type_name(now) != type_name(value):
            raise Unclear("type", "the two places hold different types", (node,))
        if isinstance(now, dict) and not _are_alike(now, value):
            raise Unclear("type", "the two are not of one kind", (node,))
        return value

    return context.each(found, fitting)


def _are_alike(now: dict[str, Value], value: Value) -> bool:
    """Return whether two objects have a key in common, or one of them has none."""
    return not now or not isinstance(value, dict) or not value or bool(set(now) & set(value))


def copy_to_key(context: EffectContext) -> EffectOutcome:
    """Add a member that holds the value of another place; in each record its own."""
    clause, tree = context.clause, context.tree
    source, place = clause.role("source"), clause.role("place")
    if place is not None:
        origin = _one_source(context, source)
        if not isinstance(tree.values[place.holder], dict):
            raise Unclear("type", "a key can only be added to an object", (place.holder,))
        return context.outcome(_copy_to(context, place.holder, place.key, origin), (place.holder,))
    origins: dict[int, int] = {}
    if clause.extra == "top":
        origins[0] = _one_source(context, source)
    elif clause.extra == "beside" and clause.role("holder") is None and not clause.scopes:
        origin = _one_source(context, source)
        origins[tree.parents[origin]] = origin
    else:
        if clause.role("holder") is not None and clause.role("holder").owner:
            context.focus = (_one_source(context, source),)
        holders = holders_of(context)
        origins = {node: _source_for(context, source, node, holders) for node in holders.nodes}
    operations = []
    for node, origin in origins.items():
        held = tree.values[node]
        if not isinstance(held, dict):
            raise Unclear("type", "a key can only be added to an object", (node,))
        home, key = home_of(context, node)
        operations += _copy_to(context, home, key, origin)
    return context.outcome(operations, tuple(origins))


def _one_source(context: EffectContext, source: Phrase) -> int:
    found = context.resolve(source, scoped=False)
    if len(found.nodes) != 1 or 0 in found.nodes:
        raise Unclear("several", "it is not clear what is to be copied", found.nodes)
    return found.nodes[0]


def _source_for(context: EffectContext, source: Phrase, node: int, holders: ResolvedNodes) -> int:
    """Return the place to copy for one holder: its own where each of several has one."""
    own = [n for n in source.nodes if context.tree.parents[n] == node]
    if len(own) == 1 and (len(holders.nodes) > 1 or source.owner):
        return own[0]
    if source.owner:
        raise Unclear("target", "not every one has what is to be copied", holders.nodes)
    return _one_source(context, source)


def _copy_to(context: EffectContext, node: int, key: str, origin: int) -> list[DocumentOperation]:
    check_new(context, node, key)
    tree = context.tree
    if tree.inside((node,), (origin,)):
        raise Unclear("target", "a value cannot be copied into itself", (node,))
    path = (*tree.path(node), key)
    added = DocumentOperation("add", path, value=_vary_copy(context, origin))
    return [added.with_confidence(context.rate(0.95))]


def _vary_copy(context: EffectContext, origin: int) -> Value:
    """Return what is copied, with the fields that are given another value."""
    value, pairs = context.tree.values[origin], context.clause.role("pairs")
    if pairs is None:
        return value
    if not isinstance(value, dict):
        raise Unclear("type", "only an object has fields", (origin,))
    new = dict(value)
    for key_span, span in pairs.items:
        field = field_of(context, origin, key_span)
        new[str(context.tree.keys[field])] = context.type_value(span, field)
    return new


def merge(context: EffectContext) -> EffectOutcome:
    """Give an object the members of another: those it has change, the others are added."""
    found = context.resolve(context.clause.role("target"))
    new = context.chart.tokens[context.clause.role("value").start].value
    if not isinstance(new, dict) or not new:
        raise Unclear("type", "only an object can be merged", found.nodes)
    operations: list[DocumentOperation] = []
    for node in found.nodes:
        if not isinstance(context.tree.values[node], dict):
            raise Unclear("type", "only an object can be merged into", (node,))
        for key, value in new.items():
            child = context.tree.child(node, key)
            if child is None:
                path = (*context.tree.path(node), key)
                operations.append(DocumentOperation("add", path, value=value))
            elif isinstance(value, dict) and isinstance(context.tree.values[child], dict):
                raise Unclear("value", f"how deep {key!r} is to be merged is not said", (child,))
            else:
                operations += context.replace(child, value)
    return context.outcome(operations, found.nodes)
