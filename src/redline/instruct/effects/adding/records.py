"""New records: fields typed as those of the records beside them."""

from __future__ import annotations

from redline.instruct.effects.adding.elements import lists_of_kind
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.places import index_in
from redline.instruct.effects.values.typing import doubt_of, type_value
from redline.instruct.grammar.adjuncts.positions import ListPosition
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form, key_words
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import ID_FORMS, NAME_FORMS
from redline.instruct.model.operations import ABSENT, DocumentOperation
from redline.instruct.model.values import Value

EMPTY: dict[str, Value] = {"[]": [], "{}": {}, '""': ""}


def newrecord(context: EffectContext) -> EffectOutcome:
    """Add a record to a collection: given as JSON, or by its name and fields."""
    clause, tree = context.clause, context.tree
    where, kind = clause.role("where"), clause.role("kind")
    position = where.position if where is not None else None
    listed = where.listed if where is not None else clause.role("within")
    arrays = _find_lists(context, listed, kind) if listed is not None else []
    if listed is None and kind is not None:
        arrays = _record_arrays(context, kind, position)
    if len(arrays) != 1:
        rank = "several" if arrays else "target"
        raise Unclear(rank, "it is not clear where it is to be added", tuple(arrays))
    array = arrays[0]
    held = tree.values[array]
    assert isinstance(held, list)
    value = clause.role("value")
    if value is not None:
        new = context.chart.tokens[value.start].value
        if not isinstance(new, dict) and any(isinstance(item, dict) for item in held):
            raise Unclear("type", "its elements are objects", (array,))
    else:
        new = _build_record(context, held)
    path = (*tree.path(array), str(index_in(context, array, position)))
    operation = DocumentOperation("insert", path, value=new).with_confidence(context.rate(0.95))
    return context.outcome([operation], (array,))


def _find_lists(context: EffectContext, listed: Phrase, kind: Phrase | None) -> list[int]:
    """Return the list that is named, or the one of a kind within what is named."""
    tree = context.tree
    found = context.resolve(listed)
    homes = lists_of_kind(context, kind) if kind is not None else []
    lists = [n for n in found.nodes if isinstance(tree.values[n], list)]
    if len(lists) == len(found.nodes):
        if kind is not None and not set(lists) & set(homes):
            raise Unclear("target", f"{context.text(kind)!r} is not what it holds", found.nodes)
        return lists
    return list(tree.strictly_inside(homes, found.nodes))


def _record_arrays(
    context: EffectContext, kind: Phrase, position: ListPosition | None
) -> list[int]:
    arrays = lists_of_kind(context, kind, position)
    if context.clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, tuple(arrays), Sort.KEY))
        arrays = list(found.nodes)
    return arrays


def _build_record(context: EffectContext, held: list[Value]) -> Value:
    """Return an object from a name and pairs of key and value, typed as its siblings are."""
    clause = context.clause
    siblings = [item for item in held if isinstance(item, dict)]
    if held and not siblings:
        raise Unclear("type", "its elements are not objects")
    first: dict[str, Value] = {}
    name, pairs = clause.role("name"), clause.role("pairs")
    if name is not None:
        keys = _name_keys(context, siblings)
        if len(keys) != 1:
            raise Unclear("target", "which field is its name is not known")
        first[keys[0]] = _typed_as(context, name, keys[0], siblings)
    if pairs is None and (not siblings or len(siblings[0]) > 1):
        context.doubt = context.doubt or "its other fields are not given"
    return build_object(context, siblings, first)


def _name_keys(context: EffectContext, siblings: list[dict[str, Value]]) -> list[str]:
    """Return the fields that may hold a record's name: else the one by which it is known."""
    if not siblings:
        return ["name"]
    named = [key for key in siblings[0] if key_form(key) in NAME_FORMS]
    kind = context.clause.role("kind")
    own = key_form(context.text(kind)) if kind is not None else ""
    alike = [key for key in siblings[0] if key_form(key) == own]
    return named or alike or [key for key in siblings[0] if key_form(key) in ID_FORMS]


def build_object(
    context: EffectContext,
    siblings: list[dict[str, Value]],
    first: dict[str, Value] | None = None,
) -> Value:
    """Return an object from the clause's pairs, in the order its siblings have."""
    built = dict(first or {})
    pairs = context.clause.role("pairs")
    for key_span, value in pairs.items if pairs is not None else ():
        key = _known_key(context, key_span, siblings)
        if key in built:
            raise Unclear("value", f"{key!r} is given twice")
        built[key] = _typed_as(context, value, key, siblings)
    if siblings and all(key in siblings[0] for key in built):
        built = {key: built[key] for key in siblings[0] if key in built}
    return built


def _known_key(context: EffectContext, span: TokenSpan, siblings: list[dict[str, Value]]) -> str:
    text = context.chart.lexicon.text(span.start, span.end)
    said = context.chart.tokens[span.start].text if span.end == span.start + 1 else text
    if context.chart.tokens[span.start].kind != "word":
        return said
    form = "".join(key_words(text))
    known = {key for item in siblings for key in item if key_form(key) == key_form(form)}
    if len(known) == 1:
        return known.pop()
    if len(known) > 1 or span.end > span.start + 1:
        raise Unclear("target", f"{text!r} is not a field of such a record")
    return said


def _typed_as(
    context: EffectContext, span: TokenSpan, key: str, siblings: list[dict[str, Value]]
) -> Value:
    tokens = context.chart.tokens[span.start : span.end]
    peers = [item[key] for item in siblings if key in item]
    if span.extra in EMPTY:
        return EMPTY[span.extra]
    if span.extra == "empty":
        return _empty_like(peers, key)
    context.doubt = context.doubt or doubt_of(tokens, ABSENT, peers, key)
    model = peers[0] if peers and not isinstance(peers[0], str) else ABSENT
    return type_value(tokens, context.chart.source, model, peers, key)


def _empty_like(peers: list[Value], key: str) -> Value:
    """Return what is empty where others have lists, objects or texts."""
    kinds = {type(peer) for peer in peers if peer is not None}
    for kind, empty in ((list, []), (dict, {}), (str, "")):
        if kinds == {kind}:
            return empty
    raise Unclear("value", f"it is not clear what {key!r} is when empty")
