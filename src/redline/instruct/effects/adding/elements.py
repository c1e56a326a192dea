"""Elements put into arrays."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.places import anchor_in, doubt_case, index_in
from redline.instruct.effects.values.shapes import SHAPES
from redline.instruct.effects.values.typing import doubt_of, type_value
from redline.instruct.grammar.adjuncts.positions import ListPosition, position_at
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.dates import date_in
from redline.instruct.language.tokens import Tokens, text_of
from redline.instruct.language.words import ORDINALS
from redline.instruct.lexicon.senses import Sort
from redline.instruct.model.operations import ABSENT, DocumentOperation, NoValue
from redline.instruct.model.values import Num, Value, same

_SOMEBODY = frozenset("somebody someone nobody everyone everybody anyone he she it they we".split())
_ENSURING = frozenset("ensure make see check be guarantee confirm verify validate".split())


def append(context: EffectContext) -> EffectOutcome:
    """Put values into arrays, at the end or where the clause says."""
    clause = context.clause
    position = _said_position(context)
    arrays = _arrays(context, position)
    spans = _spans(clause.role("value"), clause.role("values"))
    if clause.extra == "joined" and context.chart.low(spans[0].start) in _SOMEBODY:
        raise Unclear("value", f"{context.text(spans[0])!r} is no name")
    once = clause.role("ONCE") is not None or clause.role("REPAIR") is not None
    once = once or context.chart.low(clause.start) in _ENSURING
    placed = position is not None and position.kind != "front"
    operations: list[DocumentOperation] = []
    for array in arrays:
        held = context.tree.values[array]
        assert isinstance(held, list)
        place = index_in(context, array, position)
        for span in spans:
            value = _element(context, span, held)
            _check_put(context, span)
            doubt_case(context, context.chart.tokens[span.start], held)
            if _is_there(held, value, once) and (once or not placed):
                continue
            path = (*context.tree.path(array), str(place))
            operations.append(
                DocumentOperation("insert", path, value=value).with_confidence(context.rate(0.95))
            )
    return context.outcome(operations, tuple(arrays), "already there")


def _check_put(context: EffectContext, span: TokenSpan) -> None:
    """Doubt that what is elsewhere in the document is put here as well rather than moved."""
    chart = context.chart
    if chart.low(context.clause.start) == "put" and any(
        sense.sort is Sort.ELEMENT and sense.whole and sense.end == span.end
        for sense in chart.lexicon.senses(span.start)
    ):
        context.doubt = context.doubt or f"{context.text(span)!r} may be meant to move"


def _said_position(context: EffectContext) -> ListPosition | None:
    where = context.clause.role("where")
    if context.clause.extra == "front":
        return ListPosition("front")
    position: ListPosition | None = None if where is None else where.position
    return position or _ordinal_position(context)


def _ordinal_position(context: EffectContext) -> ListPosition | None:
    """Return the place that an ordinal before the kind says: `as the first option of x`."""
    chart, clause = context.chart, context.clause
    for place in range(clause.start, clause.end):
        if chart.low(place) == "as":
            said = place + 1 + (chart.low(place + 1) == "the")
            return position_at(ORDINALS.get(chart.low(said)))
    return None


def _spans(value: TokenSpan | None, values: TokenSpan | None) -> list[TokenSpan]:
    if values is not None:
        return [TokenSpan(int(p), int(p) + 1) for p in values.extra.split(",")]
    if value is None:
        raise Unclear("clause", "it is not clear what is to be added")
    return [value]


def _is_there(held: list[Value], value: Value, once: bool) -> bool:
    """Return whether a value is in the array already; numbers may be there twice unless *once*."""
    return (once or not isinstance(value, Num | dict)) and any(same(item, value) for item in held)


def _arrays(context: EffectContext, position: ListPosition | None) -> list[int]:
    """Return the arrays the clause is about: named, of a kind, in scope, or around an anchor."""
    clause, tree = context.clause, context.tree
    where, kind = clause.role("where"), clause.role("kind")
    listed = where.listed if where is not None else clause.role("list")
    if kind is not None:
        return _of_kind(context, kind, listed or clause.role("owner"), position)
    if listed is None and position is not None and position.of is not None:
        return _of_kind(context, position.of, None, position)
    if listed is None and position is not None and position.anchors:
        nodes = [anchor_in(context, anchor) for anchor in position.anchors]
        return sorted({tree.parents[n] for n in nodes})
    if listed is None:
        return _scoped_arrays(context)
    found = context.resolve(listed)
    return [_list_of(context, node, listed) for node in found.nodes]


def _scoped_arrays(context: EffectContext) -> list[int]:
    """Return the arrays a scope or the clause before names: `In the tags, append x`."""
    phrases = [scope.phrase for scope in context.clause.scopes]
    focus = context.focus
    again = context.chart.low(context.clause.end) != "in"
    if context.chart.low(context.clause.end) == "instead" and not _was_last(context):
        context.doubt = context.doubt or "it may be meant to take the place of the other"
    tree = context.tree
    homes = {tree.parents[node] for node in focus if tree.is_element(node)}
    if len(homes) == 1 and not any(isinstance(tree.values[n], dict | list) for n in focus):
        # "replace a by b in the tags and add c"
        focus = tuple(homes)
    listed = len(focus) == 1 and isinstance(tree.values[focus[0]], list)
    if not phrases and again and listed:
        # "remove a from the tags and add b": the list is said once
        context.cost += 1
        return list(focus)
    if len(phrases) != 1 or phrases[0] is None or not context.clause.scopes[0].wanted:
        raise Unclear("target", "it is not clear where it is to be added")
    found = context.resolve(phrases[0], scoped=False)
    context.scoped = True
    if not all(isinstance(context.tree.values[n], list) for n in found.nodes):
        raise Unclear("target", "it is not clear where it is to be added", found.nodes)
    return list(found.nodes)


def _was_last(context: EffectContext) -> bool:
    """Return whether the clause before takes the last element away: at its place is at the end."""
    value = context.previous.role("value") if context.previous is not None else None
    held = context.tree.values[context.focus[0]] if len(context.focus) == 1 else None
    if value is None or not isinstance(held, list) or not held:
        return False
    return bool(context.chart.tokens[value.start].text == held[-1])


def _list_of(context: EffectContext, node: int, listed: Phrase) -> int:
    """Return the array itself, or the only list of texts a record has."""
    tree = context.tree
    if isinstance(tree.values[node], list):
        return node
    lists = [
        c for c in tree.children(node)
        if isinstance(held := tree.values[c], list) and all(isinstance(i, str) for i in held)
    ]  # fmt: skip
    if len(lists) != 1 or not tree.is_record(node) or _said_position(context):
        raise Unclear("type", f"{context.text(listed)!r} is not a list", (node,))
    spans = _spans(context.clause.role("value"), context.clause.role("values"))
    known = {item for peer in tree.peers(lists[0]) if isinstance(peer, list) for item in peer
             if isinstance(item, str)}  # fmt: skip
    context.cost += 1
    quoted = all(context.chart.tokens[span.start].kind == "quoted" for span in spans)
    alone = bool(tree.values[lists[0]]) and not any(
        isinstance(tree.values[c], dict | list) for c in tree.children(node) if c != lists[0]
    )
    if not (quoted and alone) and not all(
        context.text(span).strip("\"'") in known for span in spans
    ):
        context.doubt = f"{context.key(lists[0])} is not named"
    return lists[0]


def containers(context: EffectContext, kind: Phrase) -> list[int]:
    """Return the containers of which *kind* names the things inside."""
    tree = context.tree
    if kind.sort is Sort.KEY:
        return list(kind.nodes)
    return sorted({tree.parents[n] for n in kind.nodes})


def lists_of_kind(
    context: EffectContext, kind: Phrase, position: ListPosition | None = None
) -> list[int]:
    """Return the lists of such things, those too that are empty in the record that is meant.

    With a *position* beside elements, only the lists that hold these.
    """
    tree = context.tree
    arrays = [n for n in containers(context, kind) if isinstance(tree.values[n], list)]
    keys = {str(tree.keys[n]) for n in arrays}
    every = sorted(
        n for key in keys for n in tree.by_key.get(key, ()) if isinstance(tree.values[n], list)
    )
    arrays = every or arrays
    if position is not None and position.anchors:
        beside = {tree.parents[anchor_in(context, anchor)] for anchor in position.anchors}
        arrays = [n for n in arrays if n in beside]
    return arrays


def _of_kind(
    context: EffectContext, kind: Phrase, owner: Phrase | None, position: ListPosition | None
) -> list[int]:
    tree = context.tree
    arrays = lists_of_kind(context, kind, position)
    many = False
    if owner is not None:
        holders = context.resolve(owner)
        arrays = list(tree.inside(arrays, holders.nodes))
        many = holders.many
    elif context.clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, tuple(arrays), Sort.KEY, many=False))
        return list(found.nodes)
    if not arrays:
        raise Unclear("target", f"there is no list of {context.text(kind)!r}")
    if len(arrays) > 1 and not many:
        near = context._near(tuple(arrays))
        if len(near) != 1:
            raise Unclear("several", f"multiple {context.text(kind)} lists found", tuple(arrays))
        return list(near)
    return arrays


def _element(context: EffectContext, span: TokenSpan, held: list[Value]) -> Value:
    """Return a new element in the type of those there are."""
    tokens = context.chart.tokens[span.start : span.end]
    kinds = {type(item) for item in held}
    model: Value | NoValue = held[0] if len(kinds) == 1 else ABSENT
    if span.extra == "literal":
        return type_value(tokens, context.chart.source, ABSENT)
    literal = tokens[0].kind == "json"
    if isinstance(model, dict | list) and not literal:
        raise Unclear("type", "its elements are objects, so JSON is needed")
    if literal and isinstance(tokens[0].value, dict) and kinds and not isinstance(model, dict):
        raise Unclear("type", "its elements are not objects")
    if isinstance(model, str):
        return _text_element(context, tokens, model, held)
    if len(tokens) == 1 and tokens[0].kind == "word" and isinstance(model, NoValue):
        context.doubt = context.doubt or doubt_of(tokens, ABSENT)
    elif isinstance(model, NoValue):
        context.doubt = context.doubt or doubt_of(tokens, "", (), "")
    return type_value(tokens, context.chart.source, model)


def _text_element(context: EffectContext, tokens: Tokens, model: str, held: list[Value]) -> Value:
    source = context.chart.source
    if tokens[0].kind == "word" and _share_shape(held):
        text, years = text_of(tokens, source), {str(item)[:4] for item in held}
        if date_in(model) and len(years) > 1 and date_in(text) is None:
            raise Unclear("value", f"{text!r} says no year", value=text)
        return type_value(tokens, source, model, held)
    if len(tokens) == 1 and tokens[0].kind in ("word", "code"):
        return _plain_text(tokens[0].text)
    context.doubt = context.doubt or doubt_of(tokens, "", held, "")
    return type_value(tokens, source, "", held)


def _share_shape(held: list[Value]) -> bool:
    """Return whether all elements are dates, addresses or the like, which a new one must be too."""
    first = held[0]
    return isinstance(first, str) and any(
        all(isinstance(item, str) and shape.fullmatch(item) for item in held)
        for _, shape in SHAPES[:6]
    )


def _plain_text(text: str) -> str:
    if text.lower() in ("something", "it", "them", "that", "this", "one", "anything"):
        raise Unclear("value", f"{text!r} does not name a value")
    return text
