"""Swap, move, sort, reverse."""

from __future__ import annotations

from redline.instruct.effects.adding.members import check_new
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.places import index_in
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.grammar.additions.new_places import NewPlace
from redline.instruct.grammar.adjuncts.positions import ListPosition
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.slots import falls
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort
from redline.instruct.model.operations import DocumentOperation, Path
from redline.instruct.model.values import Num, Value, type_name

# Words with an order of their own, which the alphabet does not know.
_SCALE = frozenset("low medium high critical urgent minor major normal small large info".split())


def swap(context: EffectContext) -> EffectOutcome:
    """Let two places exchange their values."""
    clause = context.clause
    pair = clause.role("pair")
    if pair is not None:
        found = context.resolve(pair)
        nodes = found.nodes
    else:
        one = context.resolve(clause.role("one"), scoped=False)
        two = _second(context, clause.role("two"), one)
        nodes = (*one.nodes, *two)
    if len(nodes) != 2:
        raise Unclear("target", "it is not clear which two places are meant", nodes)
    left, right = nodes
    a, b = context.tree.values[left], context.tree.values[right]
    if type_name(a) != type_name(b) and None not in (a, b):
        raise Unclear("type", "the two places hold different types", nodes)
    if isinstance(a, dict) and _are_named(context):
        raise Unclear("target", "it is not clear which of their fields are to be swapped", nodes)
    operations = [*context.replace(left, b), *context.replace(right, a)]
    return context.outcome(operations, nodes, "both hold the same")


def _are_named(context: EffectContext) -> bool:
    """Return whether records are named otherwise than by place: a field of theirs may be meant."""
    phrases = [context.clause.role(role) for role in ("pair", "one", "two")]
    return any(
        p is not None and p.sort is not Sort.PATH and not (p.sort is Sort.ITEMS and p.filtered)
        for p in phrases
    )


def _second(context: EffectContext, phrase: Phrase, one: ResolvedNodes) -> tuple[int, ...]:
    """Return the other place: the field of the same name when only a record is named."""
    two = context.resolve(phrase, scoped=False)
    key = context.tree.keys[one.nodes[0]]
    if phrase.sort in (Sort.RECORD, Sort.ITEMS) and isinstance(key, str):
        inner = [context.tree.child(n, key) for n in two.nodes]
        return tuple(n for n in inner if n is not None)
    return two.nodes


def move(context: EffectContext) -> EffectOutcome:
    """Move an element within its array, or a place into another container."""
    clause = context.clause
    found = context.resolve(_at_origin(context))
    if len(found.nodes) != 1 and not _go_together(context, found):
        raise Unclear("several", "it is not clear what is to be moved", found.nodes)
    if len(found.nodes) > 1:
        outcomes = [_into_container(context, node, None) for node in found.nodes]
        moved = [operation for one in outcomes for operation in one.operations]
        return context.outcome(moved, found.nodes)
    node, place = found.nodes[0], clause.role("place")
    if not context.whole:
        context.doubt = "only a part of a name says what is to be moved"
    position = clause.role("pos")
    if position is not None and clause.role("holder") is None:
        return _within_array(context, node, position)
    if place is not None:
        return _to_new_place(context, node, place)
    return _into_container(context, node, position)


def _go_together(context: EffectContext, found: ResolvedNodes) -> bool:
    """Return whether several members are named that all go into one object."""
    clause, tree = context.clause, context.tree
    plain = all(clause.role(role) is None for role in ("pos", "place", "key"))
    target = clause.role("target")
    members = all(isinstance(tree.keys[n], str) for n in found.nodes)
    return bool(plain and target.joined and members and clause.role("holder") is not None)


def _into_container(
    context: EffectContext, node: int, position: ListPosition | None
) -> EffectOutcome:
    clause, tree = context.clause, context.tree
    holder = context.resolve(clause.role("holder"), scoped=False)
    if len(holder.nodes) != 1:
        raise Unclear("several", "it is not clear where it is to go", holder.nodes)
    target = _same_list(context, node, holder.nodes[0])
    if target == node or tree.inside((target,), (node,)):
        raise Unclear("target", "a value cannot move into itself", (node,))
    if target == tree.parents[node] and clause.role("key") is None:
        return context.outcome([], (node,), "already there")
    held = tree.values[target]
    if isinstance(tree.values[node], dict) and isinstance(held, list) and held and not any(
        isinstance(item, dict) for item in held
    ):  # fmt: skip
        raise Unclear("type", "it is a list of other things", (target,))
    key = clause.role("key")
    if key is not None:
        return _under_key(context, node, target, context.chart.tokens[key.start].text)
    return _move_node(context, node, _new_path(context, node, target, position))


def _under_key(context: EffectContext, node: int, holder: int, key: str) -> EffectOutcome:
    """Move a value into an object under a key that is given."""
    held = context.tree.values[holder]
    if not isinstance(held, dict) or key in held:
        raise Unclear("value", f"{key!r} cannot be put there", (holder,))
    return _move_node(context, node, (*context.tree.path(holder), key))


def _to_new_place(context: EffectContext, node: int, place: NewPlace) -> EffectOutcome:
    """Move a value to a path that is free."""
    if place.inner:
        return _into_new_object(context, node, place)
    if place.holder == node or context.tree.inside((place.holder,), (node,)):
        raise Unclear("target", "a value cannot move into itself", (node,))
    if place.holder == context.tree.parents[node]:
        path, value = context.tree.path(node), context.tree.values[node]
        if not isinstance(context.tree.values[place.holder], dict):
            raise Unclear("type", "only a key can be renamed", (node,))
        renamed = DocumentOperation("rename", path, value, value, (*path[:-1], place.key))
        return context.outcome([renamed.with_confidence(context.rate(0.95))], (node,))
    return _move_node(context, node, (*context.tree.path(place.holder), place.key))


def _into_new_object(context: EffectContext, node: int, place: NewPlace) -> EffectOutcome:
    """Move a value into an object that is made for it."""
    tree, key = context.tree, context.tree.keys[node]
    if not isinstance(key, str) or tree.inside((place.holder,), (node,)):
        raise Unclear("target", "it cannot be put there", (node,))
    if not place.said and context.clause.role("CREATING") is None:
        context.doubt = context.doubt or f"there is no {place.key!r} yet"
    value = tree.values[node]
    new = value
    for part in reversed(place.inner):
        new = {part or key: new}
    check_new(context, place.holder, place.key)
    operations = [
        DocumentOperation("remove", tree.path(node), value),
        DocumentOperation("add", (*tree.path(place.holder), place.key), value=new),
    ]
    rated = [operation.with_confidence(context.rate(0.95)) for operation in operations]
    return context.outcome(rated, (node,))


def _same_list(context: EffectContext, node: int, target: int) -> int:
    """Return the list of a record that is called as the one an element is in now."""
    tree = context.tree
    key = tree.keys[tree.parents[node]]
    if not tree.is_element(node) or not isinstance(key, str):
        return target
    listed = tree.child(target, key)
    return listed if listed is not None and isinstance(tree.values[listed], list) else target


def _at_origin(context: EffectContext) -> Phrase:
    """Return the target within where it is said to be now."""
    clause = context.clause
    target, origin = clause.role("target"), clause.role("origin") or clause.role("list")
    if origin is None:
        return target  # type: ignore[no-any-return]
    holders = context.resolve(origin, scoped=False)
    nodes = context.tree.strictly_inside(target.nodes, holders.nodes)
    if not nodes:
        raise Unclear("target", f"it is not in {context.text(origin)!r}", target.nodes)
    from dataclasses import replace

    return replace(target, nodes=nodes)  # type: ignore[no-any-return]


def _within_array(context: EffectContext, node: int, position: ListPosition) -> EffectOutcome:
    tree = context.tree
    array, now = tree.parents[node], tree.keys[node]
    held = tree.values[array]
    if not isinstance(held, list) or not isinstance(now, int):
        raise Unclear("type", "only an element of a list has a position", (node,))
    if position.kind == "index":
        if position.index >= len(held):
            raise Unclear("value", f"there is no index {position.index}", (node,))
        place = position.index + (position.index > now)
    else:
        place = index_in(context, array, position)
    return _move_node(context, node, (*tree.path(array), str(place)))


def _new_path(
    context: EffectContext, node: int, holder: int, position: ListPosition | None
) -> Path:
    value, key = context.tree.values[holder], context.tree.keys[node]
    path = context.tree.path(holder)
    if isinstance(value, list):
        return (*path, str(index_in(context, holder, position)))
    if position is not None:
        raise Unclear("type", "only a list has positions", (holder,))
    if not isinstance(value, dict) or not isinstance(key, str):
        raise Unclear("type", "it cannot be put there", (holder,))
    if key in value:
        raise Unclear("value", f"{key!r} is there already", (holder,))
    return (*path, key)


def _move_node(context: EffectContext, node: int, target: Path) -> EffectOutcome:
    path, value = context.tree.path(node), context.tree.values[node]
    beside = context.tree.is_element(node) and path[:-1] == target[:-1]
    if beside and int(target[-1]) in (int(path[-1]), int(path[-1]) + 1):
        return context.outcome([], (node,), "already there")
    operation = DocumentOperation("move", path, value, value, target).with_confidence(
        context.rate(0.95)
    )
    return context.outcome([operation], (node,))


def sort(context: EffectContext) -> EffectOutcome:
    """Put an array in order of its elements or of one of their fields."""
    clause = context.clause
    target = clause.role("target")
    if target is None:
        if not isinstance(context.tree.document, list):
            raise Unclear("target", "it is not clear what is to be sorted")
        found = ResolvedNodes((0,))
    else:
        found = context.resolve(_array_of(context, target))
    field, counted = clause.role("key"), clause.role("count")
    said = clause.role("DIRECTION")
    return context.each(found, lambda n: _sort_value(context, n, field, counted, said))


def _array_of(context: EffectContext, phrase: Phrase) -> Phrase:
    """Return the array when all its elements are named: `sort the items by due`."""
    from dataclasses import replace

    if phrase.sort is not Sort.ITEMS:
        return phrase
    homes = {context.tree.parents[n] for n in phrase.nodes}
    arrays = tuple(sorted(homes))
    return replace(phrase, nodes=arrays, sort=Sort.KEY, many=len(arrays) > 1 and phrase.quantified)


def _sort_value(
    context: EffectContext, node: int, field: Phrase | None, counted: Phrase | None, said: object
) -> Value:
    value = context.tree.values[node]
    if not isinstance(value, list):
        raise Unclear("type", "only an array can be sorted", (node,))
    chosen = field or counted
    keys = _sort_keys(context, node, chosen, counted is not None) if chosen else list(value)
    kinds = {type(key) for key in keys}
    if len(kinds) > 1 or not kinds <= {str, Num}:
        raise Unclear("type", "the elements cannot be ordered by that", (node,))
    if any(isinstance(key, str) and key.lower() in _SCALE for key in keys):
        raise Unclear("value", "which of these words ranks higher is not known", (node,))
    name = key_form(str(context.tree.keys[chosen.nodes[0]])) if chosen else ""
    down = said is not None and falls(said.extra, name)  # type: ignore[attr-defined]
    order = sorted(range(len(value)), key=lambda i: _rank(keys[i]), reverse=down)
    return [value[i] for i in order]


def _rank(key: Value) -> tuple[object, ...]:
    if isinstance(key, Num):
        return (key.decimal,)
    assert isinstance(key, str)
    return (key.lower(), key)


def _sort_keys(context: EffectContext, node: int, field: Phrase, counted: bool) -> list[Value]:
    tree = context.tree
    keys: list[Value] = []
    for record in tree.children(node):
        inner = [n for n in tree.below(record, field.nodes) if tree.parents[n] == record]
        inner = inner or list(tree.below(record, field.nodes))
        if len(inner) != 1:
            raise Unclear("target", f"not every element has {context.text(field)!r}", (node,))
        held = tree.values[inner[0]]
        if counted:
            if not isinstance(held, dict | list):
                raise Unclear("type", "only what a list holds can be counted", (node,))
            held = Num(str(len(held)))
        keys.append(held)
    return keys


def reverse(context: EffectContext) -> EffectOutcome:
    """Put an array back to front."""
    found = context.resolve(context.clause.role("target"))

    def reverse_value(node: int) -> Value:
        value = context.tree.values[node]
        if not isinstance(value, list):
            raise Unclear("type", "only an array can be reversed", (node,))
        return value[::-1]

    return context.each(found, reverse_value)
