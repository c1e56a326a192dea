"""New records: fields typed as those of the records beside them."""

from __future__ import annotations

from redline.instruct.effects.additions import containers
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.typing import doubt_of, type_value
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form, key_words
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import NAME_FORMS
from redline.instruct.model.operations import ABSENT, DocumentOperation
from redline.instruct.model.values import Value


def newrecord(context: EffectContext) -> EffectOutcome:
    """Add a record to a collection: given as JSON, or by its name and fields."""
    clause, tree = context.clause, context.tree
    listed = clause.role("list")
    if listed is not None:
        found = context.resolve(listed)
        arrays = [n for n in found.nodes if isinstance(tree.values[n], list)]
        if len(arrays) != len(found.nodes) or len(arrays) != 1:
            raise Unclear("type", f"{context.text(listed)!r} is not one list", found.nodes)
    else:
        arrays = _record_arrays(context, clause.role("kind"))
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
    path = (*tree.path(array), str(len(held)))
    operation = DocumentOperation("insert", path, value=new).with_confidence(context.rate(0.95))
    return context.outcome([operation], (array,))


def _record_arrays(context: EffectContext, kind: Phrase) -> list[int]:
    tree = context.tree
    arrays = [n for n in containers(context, kind) if isinstance(tree.values[n], list)]
    if context.clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, tuple(arrays), Sort.KEY))
        arrays = list(found.nodes)
    if len(arrays) != 1:
        rank = "several" if arrays else "target"
        raise Unclear(rank, f"{context.text(kind)!r} is not of one list", tuple(arrays))
    return arrays


def _build_record(context: EffectContext, held: list[Value]) -> Value:
    """Return an object from a name and pairs of key and value, typed as its siblings are."""
    clause = context.clause
    siblings = [item for item in held if isinstance(item, dict)]
    if not siblings:
        raise Unclear("type", "the fields of such a record are not known")
    built: dict[str, Value] = {}
    name = clause.role("name")
    if name is not None:
        keys = [k for k in siblings[0] if key_form(k) in NAME_FORMS]
        if len(keys) != 1:
            raise Unclear("target", "which field is its name is not known")
        built[keys[0]] = _typed_as(context, name, keys[0], siblings)
    pairs = clause.role("pairs")
    for key_span, value in pairs.items if pairs is not None else ():
        key = _known_key(context, key_span, siblings)
        if key in built:
            raise Unclear("value", f"{key!r} is given twice")
        built[key] = _typed_as(context, value, key, siblings)
    if pairs is None and len(siblings[0]) > 1:
        context.doubt = context.doubt or "its other fields are not given"
    if all(key in siblings[0] for key in built):
        built = {key: built[key] for key in siblings[0] if key in built}
    return built


def _known_key(context: EffectContext, span: TokenSpan, siblings: list[dict[str, Value]]) -> str:
    text = context.chart.lexicon.text(span.start, span.end)
    said = context.chart.tokens[span.start].text if span.end == span.start + 1 else text
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
    context.doubt = context.doubt or doubt_of(tokens, ABSENT, peers, key)
    model = peers[0] if peers and not isinstance(peers[0], str) else ABSENT
    return type_value(tokens, context.chart.source, model, peers, key)
