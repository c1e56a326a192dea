"""Members added to objects: one value, an empty container, or an object by its fields."""

from __future__ import annotations

import re
from dataclasses import replace

from redline.instruct.effects.adding.elements import containers
from redline.instruct.effects.adding.keys import (
    check_key_name,
    key_text,
    named_pair,
    section_anywhere,
    section_for,
)
from redline.instruct.effects.adding.records import EMPTY, build_object
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.values.typing import doubt_of, type_value
from redline.instruct.grammar.additions.new_places import NewPlace
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort
from redline.instruct.model.operations import ABSENT, DocumentOperation
from redline.instruct.model.values import Num, Value, same


def newkey(context: EffectContext) -> EffectOutcome:
    """Add a member to an object."""
    tree, place = context.tree, context.clause.role("place")
    if place is not None:
        return _at_new_place(context, place)
    found = holders_of(context)
    check_key_name(context)
    operations = []
    for node in found.nodes:
        if not isinstance(tree.values[node], dict):
            raise Unclear("type", "a key can only be added to an object", (node,))
        section = section_for(context, node)
        if section is not None and isinstance(tree.values[section], list):
            operations.append(named_pair(context, section))
            continue
        operations += _member(context, *home_of(context, node if section is None else section))
    return context.outcome(operations, found.nodes, "already there")


def newkeys(context: EffectContext) -> EffectOutcome:
    """Add several members to an object: `"a": 1 and "b": 2`."""
    found = holders_of(context)
    pairs = context.clause.role("pairs").items
    operations: list[DocumentOperation] = []
    for node in found.nodes:
        held = context.tree.values[node]
        if not isinstance(held, dict):
            raise Unclear("type", "a key can only be added to an object", (node,))
        section = section_for(context, node)
        if section is not None:
            node, held = section, context.tree.values[section]
        if not isinstance(held, dict):
            raise Unclear("type", "a key can only be added to an object", (node,))
        for key_span, value in pairs:
            _check_written(context, key_span)
            key = key_text(context, key_span, list(held))
            check_new(context, node, key)
            tokens = context.chart.tokens[value.start : value.end]
            if value.extra or len(tokens) > 1:
                raise Unclear("value", f"{context.text(value)!r} may be more than the value")
            new = type_value(tokens, context.chart.source, ABSENT)
            path = (*context.tree.path(node), key)
            operations.append(DocumentOperation("add", path, value=new))
    return context.outcome(operations, found.nodes)


def _check_written(context: EffectContext, span: TokenSpan) -> None:
    """Refuse a key that is neither in quotes or backticks nor before a sign."""
    token = context.chart.tokens[span.start]
    signed = context.chart.low(span.end) in (":", "=")
    if span.end > span.start + 1 or (token.kind == "word" and not signed):
        raise Unclear("value", f"{context.text(span)!r} may not be the key")


def holders_of(context: EffectContext) -> ResolvedNodes:
    """Return the objects that get a member: named, of a kind, in scope, or the document."""
    clause = context.clause
    if clause.role("sibling") is not None:
        return _beside(context, clause.role("sibling"))
    holder, kind = clause.role("holder"), clause.role("kind")
    if holder is None and clause.gap and context.previous is not None:
        holder = context.previous.role("holder")
    if kind is not None:
        return ResolvedNodes(tuple(_objects_of(context, kind, holder)), many=True)
    if holder is None and clause.scopes and clause.extra != "top":
        return _scoped_holders(context)
    if holder is None and clause.extra != "top" and (home := section_anywhere(context)) is not None:
        return ResolvedNodes((home,))
    return _unnamed_holder(context) if holder is None else context.resolve(holder)


def _beside(context: EffectContext, sibling: Phrase) -> ResolvedNodes:
    """Return the objects that hold what a new member is to be next to."""
    nodes = context.focus if sibling.owner else context.resolve(sibling).nodes
    if (sibling.owner and sibling.nodes) or len(nodes) != 1:
        raise Unclear("target", "it is not clear next to what", nodes)
    context.scoped = True
    return ResolvedNodes((context.tree.parents[nodes[0]],))


def _unnamed_holder(context: EffectContext) -> ResolvedNodes:
    """Return the document, or the section that the clause before took something from."""
    tree, previous = context.tree, context.previous
    if previous is None or context.clause.extra == "top" or not context.focus:
        return ResolvedNodes((0,))
    homes = {n if isinstance(tree.values[n], dict) else tree.parents[n] for n in context.focus}
    home = homes.pop() if len(homes) == 1 else 0
    if home == 0 or not isinstance(tree.values[home], dict):
        return ResolvedNodes((0,))
    if previous.effect in _MEMBERSHIP:
        # "remove a from the dependencies and add b"
        context.cost += 1
        return ResolvedNodes((home,))
    context.doubt = context.doubt or f"it may belong into {context.key(home)!r}"
    return ResolvedNodes((0,))


_MEMBERSHIP = frozenset({"remove", "rename"})


_VERSION = re.compile(r"[\^~v<>=]*\d+(\.\d+)*.*|\*|latest")


def _at_new_place(context: EffectContext, place: NewPlace) -> EffectOutcome:
    """Add a member, or an element at the end of a list, where a path leads."""
    if context.clause.scopes:
        raise Unclear("clause", "a path says all of where it goes", (place.holder,))
    held = context.tree.values[place.holder]
    if isinstance(held, dict) and context.clause.extra == "end":
        raise Unclear("target", f"there is no list at {context.text(place)!r}", (place.holder,))
    if isinstance(held, dict):
        operations = _member(context, place.holder, place.key)
        return context.outcome(operations, (place.holder,), "already there")
    value = context.clause.role("value")
    if value is None:
        raise Unclear("value", "no value is given", (place.holder,))
    path = (*context.tree.path(place.holder), place.key)
    tokens = context.chart.tokens[value.start : value.end]
    new = type_value(tokens, context.chart.source, ABSENT)
    operation = DocumentOperation("insert", path, value=new)
    return context.outcome([operation], (place.holder,))


def home_of(context: EffectContext, node: int) -> tuple[int, str]:
    """Return the object and the key there that a new key means: `a.b` is the b of an a."""
    tree, span = context.tree, context.clause.role("key")
    held = tree.values[node]
    assert isinstance(held, dict)
    key = key_text(context, span, list(held))
    front, dot, last = key.rpartition(".")
    home = tree.node_at(front.split("."), node) if dot and front and last else None
    if home is None or not isinstance(tree.values[home], dict):
        return node, key
    if context.chart.tokens[span.start].kind == "quoted":
        context.doubt = context.doubt or f"{key!r} may be a path"
    return home, last


def _scoped_holders(context: EffectContext) -> ResolvedNodes:
    scope = context.clause.scopes[0]
    if scope.phrase is None or len(context.clause.scopes) > 1:
        raise Unclear("clause", "it is not clear where it is to be added")
    phrase = scope.phrase
    if phrase.owner or not phrase.nodes or not scope.wanted:
        raise Unclear("clause", "it is not clear where it is to be added")
    if len(phrase.nodes) > 1 and not phrase.many:
        raise Unclear("several", "it is not clear where it is to be added", phrase.nodes)
    context.whole = context.whole and phrase.whole
    context.scoped = True
    return ResolvedNodes(phrase.nodes, phrase.many, phrase.whole)


def _objects_of(context: EffectContext, kind: Phrase, holder: Phrase | None) -> list[int]:
    tree = context.tree
    objects = [n for n in containers(context, kind) if isinstance(tree.values[n], dict)]
    many = False
    if holder is not None:
        objects = list(tree.inside(objects, context.resolve(holder).nodes))
    elif context.clause.scopes and objects:
        objects, many = _objects_in_scope(context, kind, tuple(objects))
    if not objects or (len(objects) > 1 and not many):
        rank = "several" if objects else "target"
        raise Unclear(rank, f"{context.text(kind)!r} is not one section", tuple(objects))
    return objects


def _objects_in_scope(
    context: EffectContext, kind: Phrase, objects: tuple[int, ...]
) -> tuple[list[int], bool]:
    """Return the sections of a kind in the clause's scopes: one, or that of each record."""
    named = [scope.phrase.nodes for scope in context.clause.scopes if scope.phrase is not None]
    if len(context.clause.scopes) == 1 and named == [objects] and len(objects) == 1:
        context.scoped = True
        return list(objects), False
    found = context.resolve(replace(kind, nodes=objects, sort=Sort.KEY, many=False))
    return list(found.nodes), found.many


def _member(context: EffectContext, node: int, key: str) -> list[DocumentOperation]:
    """Return the operation that adds the key to one object."""
    tree, value = context.tree, context.clause.role("value")
    held = tree.values[node]
    assert isinstance(held, dict)
    if context.clause.role("pairs") is not None:
        return _object_member(context, node, key)
    if context.clause.role("values") is not None:
        return _list_member(context, node, key)
    if value is None:
        return _empty_member(context, node, key)
    tokens = context.chart.tokens[value.start : value.end]
    _check_noun(context, value, held)
    known = _siblings(context, node) if key in tree.by_key else []
    peers = [item[key] for item in known if key in item]
    if key in held:
        same_now = same(held[key], type_value(tokens, context.chart.source, held[key], peers, key))
        if same_now:
            return []
        raise Unclear("value", f"{key!r} is there already", (node,))
    check_new(context, node, key)
    peers = [] if value.extra == "literal" else peers or _numbers_beside(held)
    new = (
        EMPTY[value.extra]
        if value.extra in EMPTY
        else type_value(tokens, context.chart.source, ABSENT, peers, key)
    )
    if isinstance(new, str) and len(tokens) > 1:
        context.doubt = context.doubt or doubt_of(tokens, "", peers, key)
        _doubt_words(context, value, new)
    if _names_collection(context, key):
        raise Unclear("target", f"{key!r} is what something else holds", (node,))
    path = (*tree.path(node), key)
    return [DocumentOperation("add", path, value=new).with_confidence(context.rate(0.95))]


def _numbers_beside(held: dict[str, Value]) -> list[Value]:
    """Return what an object holds when that is numbers only, so that a new member is one."""
    beside = list(held.values())
    return beside if len(beside) > 1 and all(isinstance(v, Num) for v in beside) else []


def _doubt_words(context: EffectContext, value: TokenSpan, new: str) -> None:
    """Doubt bare words behind `with`, of which some may only say what the value is."""
    if new and context.chart.low(value.start - 1) == "with":
        said = context.text(value)
        context.doubt = context.doubt or f"{said!r} may be more than the value"


def _names_list(context: EffectContext, value: TokenSpan) -> bool:
    """Return whether a value is rather the kind of what a list holds: as a nameserver."""
    return any(edge.end == value.end for edge in context.chart.edges("KIND", value.start))


def _object_member(context: EffectContext, node: int, key: str) -> list[DocumentOperation]:
    """Return the operation that adds an object given by its fields."""
    held = context.tree.values[node]
    assert isinstance(held, dict)
    check_new(context, node, key)
    if _names_collection(context, key):
        raise Unclear("target", f"{key!r} is what something else holds", (node,))
    pairs = context.clause.role("pairs").items
    if len(pairs) == 1 and context.text(pairs[0][0]).strip("`\"'").lower() in ("value", "values"):
        raise Unclear("value", "it is a value rather than a field", (node,))
    if held and not any(isinstance(item, dict | list) for item in held.values()) and node:
        context.doubt = context.doubt or "the others beside it are no objects"
    beside = list(held.values()) if context.tree.is_map(node) else []
    new = build_object(context, [item for item in beside if isinstance(item, dict)])
    path = (*context.tree.path(node), key)
    return [DocumentOperation("add", path, value=new).with_confidence(context.rate(0.95))]


def _list_member(context: EffectContext, node: int, key: str) -> list[DocumentOperation]:
    """Return the operation that adds a list of the values given."""
    check_new(context, node, key)
    tokens, source = context.chart.tokens, context.chart.source
    places = [int(place) for place in context.clause.role("values").extra.split(",")]
    values = [type_value(tokens[p : p + 1], source, ABSENT) for p in places]
    path = (*context.tree.path(node), key)
    return [DocumentOperation("add", path, value=values).with_confidence(context.rate(0.95))]


def check_new(context: EffectContext, node: int, key: str) -> None:
    """Refuse a key that the object has, or has in another form, and one that is a path."""
    held, root = context.tree.values[node], context.tree.values[0]
    assert isinstance(held, dict)
    first, dot, _ = key.partition(".")
    is_known = first in held or (isinstance(root, dict) and first in root)
    if dot and is_known and not any("." in other for other in held):
        raise Unclear("value", f"{key!r} may be a path", (node,))
    close = [k for k in held if key_form(k) == key_form(key)]
    if close:
        raise Unclear("value", f"{close[0]!r} is there already", (node,))


def _empty_member(context: EffectContext, node: int, key: str) -> list[DocumentOperation]:
    held = context.tree.values[node]
    if isinstance(held, dict) and key in held:
        raise Unclear("value", f"{key!r} is there already", (node,))
    new: Value = [] if context.clause.extra == "array" else {}
    return [DocumentOperation("add", (*context.tree.path(node), key), value=new)]


def _check_noun(context: EffectContext, value: TokenSpan, held: dict[str, Value]) -> None:
    """Refuse `with the version 2` unless the members there are such values."""
    tokens = context.chart.tokens[value.start : value.end]
    if context.chart.low(value.start - 1) == "as" and _names_list(context, value):
        raise Unclear("value", f"{context.text(value)!r} is what it is to be")
    texts = [item for item in held.values() if isinstance(item, str)]
    if context.clause.extra == "version" and (
        len(texts) < len(held) or not any(map(_VERSION.fullmatch, texts))
    ):
        raise Unclear("value", f"{context.text(value)!r} is a version of nothing here")
    kinds = {type(item) for item in held.values() if item is not None}
    new = type_value(tokens, context.chart.source, ABSENT) if value.extra == "noun" else None
    if value.extra == "noun" and new is None and len(kinds) == 1 and len(held) > 1:
        return
    if value.extra == "noun" and {type(item) for item in held.values()} != {
        type(type_value(tokens, context.chart.source, ABSENT))
    }:
        raise Unclear("value", f"{context.text(value)!r} is not all it is to hold")


def _names_collection(context: EffectContext, key: str) -> bool:
    """Return whether a bare new key is the singular of a collection there is: a note, the notes."""
    tree = context.tree
    span = context.clause.role("key")
    if span is None or context.chart.tokens[span.start].kind != "word":
        return False
    return any(
        isinstance(tree.values[n], dict | list) and str(tree.keys[n]).lower() != key.lower()
        for n in tree.by_form.get(key_form(key), ())
    )


def _siblings(context: EffectContext, node: int) -> list[dict[str, Value]]:
    parent = context.tree.parents[node]
    if parent < 0 or not context.tree.is_record(node):
        return []
    held = context.tree.values[parent]
    items = held if isinstance(held, list) else list(held.values())  # type: ignore[union-attr]
    return [item for item in items if isinstance(item, dict)]
