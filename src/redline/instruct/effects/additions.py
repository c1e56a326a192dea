"""Add: elements to arrays, members to objects, records to collections."""

from __future__ import annotations

import re

from redline.instruct.effects.context import Context, Found
from redline.instruct.effects.outcome import Outcome, Refusal
from redline.instruct.effects.typing import doubt_of, typed
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import Span
from redline.instruct.language.words import key_form, key_words
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import NAME_FORMS
from redline.instruct.model.operations import ABSENT, Absent, Operation
from redline.instruct.model.values import Num, Value, same


def append(context: Context) -> Outcome:
    """Put values into arrays, at the end or where the clause says."""
    clause = context.clause
    arrays = _arrays(context)
    spans = _spans(clause.role("value"), clause.role("values"))
    operations: list[Operation] = []
    for array in arrays:
        held = context.tree.values[array]
        assert isinstance(held, list)
        place = _position(context, array)
        for span in spans:
            value = _element(context, span, held)
            if _is_there(held, value) and clause.extra in ("", "front"):
                continue
            path = (*context.tree.path(array), str(place))
            operations.append(Operation("insert", path, value=value).rated(context.rate(0.95)))
    return context.outcome(operations, tuple(arrays), "already there")


def _spans(value: Span | None, values: Span | None) -> list[Span]:
    if values is not None:
        return [Span(int(p), int(p) + 1) for p in values.extra.split(",")]
    if value is None:
        raise Refusal("clause", "it is not clear what is to be added")
    return [value]


def _is_there(held: list[Value], value: Value) -> bool:
    """Return whether a text is in the array already; numbers may be there twice."""
    return not isinstance(value, Num | dict) and any(same(item, value) for item in held)


def _arrays(context: Context) -> list[int]:
    """Return the arrays the clause is about: named, of a kind, or around an anchor."""
    clause, tree = context.clause, context.tree
    listed, kind, anchor = clause.role("list"), clause.role("kind"), clause.role("anchor")
    if anchor is not None and listed is None:
        return sorted({tree.parents[n] for n in _anchors(context, anchor)})
    if kind is not None:
        return _of_kind(context, kind, clause.role("owner"))
    if listed is None:
        raise Refusal("target", "it is not clear where it is to be added")
    found = context.resolve(listed)
    return [_list_of(context, node, listed) for node in found.nodes]


def _list_of(context: Context, node: int, listed: Phrase) -> int:
    """Return the array itself, or the only list of texts a record has."""
    tree = context.tree
    if isinstance(tree.values[node], list):
        return node
    lists = [
        c for c in tree.children(node)
        if isinstance(held := tree.values[c], list) and all(isinstance(i, str) for i in held)
    ]  # fmt: skip
    if len(lists) != 1 or not tree.is_record(node) or context.clause.extra:
        raise Refusal("type", f"{context.text(listed)!r} is not a list", (node,))
    spans = _spans(context.clause.role("value"), context.clause.role("values"))
    known = {item for peer in tree.peers(lists[0]) if isinstance(peer, list) for item in peer
             if isinstance(item, str)}  # fmt: skip
    context.cost += 1
    if not all(context.text(span).strip("\"'") in known for span in spans):
        context.doubt = f"{context.key(lists[0])} is not named"
    return lists[0]


def containers(context: Context, kind: Phrase) -> list[int]:
    """Return the containers of which *kind* names the things inside."""
    tree = context.tree
    if kind.sort is Sort.KEY:
        return list(kind.nodes)
    return sorted({tree.parents[n] for n in kind.nodes})


def _of_kind(context: Context, kind: Phrase, owner: Phrase | None) -> list[int]:
    tree = context.tree
    arrays = [n for n in containers(context, kind) if isinstance(tree.values[n], list)]
    # the kind's array may be empty in the record that is meant
    keys = {str(tree.keys[n]) for n in arrays}
    every = sorted(
        n for key in keys for n in tree.by_key.get(key, ()) if isinstance(tree.values[n], list)
    )
    arrays = every or arrays
    many = False
    if owner is not None:
        holders = context.resolve(owner)
        arrays = list(tree.inside(arrays, holders.nodes))
        many = holders.many
    elif context.clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, tuple(arrays), Sort.KEY, many=False))
        return list(found.nodes)
    if not arrays:
        raise Refusal("target", f"there is no list of {context.text(kind)!r}")
    if len(arrays) > 1 and not many:
        near = context._near(tuple(arrays))
        if len(near) != 1:
            raise Refusal("several", f"multiple {context.text(kind)} lists found", tuple(arrays))
        return list(near)
    return arrays


def _anchors(context: Context, anchor: Phrase) -> tuple[int, ...]:
    found = context.resolve(anchor)
    if len(found.nodes) != 1 or not context.tree.is_element(found.nodes[0]):
        raise Refusal("several", f"{context.text(anchor)!r} is not one element", found.nodes)
    return found.nodes


def _position(context: Context, array: int) -> int:
    """Return the index before which an element goes."""
    clause, tree = context.clause, context.tree
    held = tree.values[array]
    assert isinstance(held, list)
    if clause.extra == "front":
        return 0
    if clause.extra == "index":
        digits = context.text(clause.role("index"))
        if not digits.isdigit() or int(digits) > len(held):
            raise Refusal("value", f"there is no index {digits}", (array,))
        return int(digits)
    if clause.extra in ("before", "after"):
        anchor = clause.role("anchor")
        inside = [n for n in anchor.nodes if tree.parents[n] == array]
        if len(inside) != 1 or not anchor.whole:
            raise Refusal("several", f"{context.text(anchor)!r} is not one element", (array,))
        place = tree.keys[inside[0]]
        assert isinstance(place, int)
        return place + (clause.extra == "after")
    return len(held)


def _element(context: Context, span: Span, held: list[Value]) -> Value:
    """Return a new element in the type of those there are."""
    tokens = context.chart.tokens[span.start : span.end]
    kinds = {type(item) for item in held}
    model: Value | Absent = held[0] if len(kinds) == 1 else ABSENT
    literal = tokens[0].kind == "json"
    if isinstance(model, dict | list) and not literal:
        raise Refusal("type", "its elements are objects, so JSON is needed")
    if literal and isinstance(tokens[0].value, dict) and kinds and not isinstance(model, dict):
        raise Refusal("type", "its elements are not objects")
    if isinstance(model, str):
        if len(tokens) == 1 and tokens[0].kind in ("word", "code"):
            return _plain_text(tokens[0].text)
        context.doubt = context.doubt or doubt_of(tokens, "", held, "")
        return typed(tokens, context.chart.source, "", held)
    if len(tokens) == 1 and tokens[0].kind == "word" and isinstance(model, Absent):
        context.doubt = context.doubt or doubt_of(tokens, ABSENT)
    elif isinstance(model, Absent):
        context.doubt = context.doubt or doubt_of(tokens, "", (), "")
    return typed(tokens, context.chart.source, model)


def _plain_text(text: str) -> str:
    if text.lower() in ("something", "it", "them", "that", "this", "one", "anything"):
        raise Refusal("value", f"{text!r} does not name a value")
    return text


def newkey(context: Context) -> Outcome:
    """Add a member to an object."""
    clause, tree = context.clause, context.tree
    holder, kind = clause.role("holder"), clause.role("kind")
    if holder is None and clause.gap and context.previous is not None:
        holder = context.previous.role("holder")
    if kind is not None:
        found = Found(tuple(_objects_of(context, kind, holder)), many=True)
    elif holder is None and clause.scopes:
        found = _scoped_holders(context)
    elif holder is None:
        found = Found((0,))
    else:
        found = context.resolve(holder)
    operations = []
    for node in found.nodes:
        if not isinstance(tree.values[node], dict):
            raise Refusal("type", "a key can only be added to an object", (node,))
        operations += _member(context, node)
    return context.outcome(operations, found.nodes, "already there")


def _scoped_holders(context: Context) -> Found:
    scope = context.clause.scopes[0]
    if scope.phrase is None or len(context.clause.scopes) > 1:
        raise Refusal("clause", "it is not clear where it is to be added")
    phrase = scope.phrase
    if len(phrase.nodes) > 1 and not phrase.many:
        raise Refusal("several", "it is not clear where it is to be added", phrase.nodes)
    context.whole = context.whole and phrase.whole
    return Found(phrase.nodes, phrase.many, phrase.whole)


def _objects_of(context: Context, kind: Phrase, holder: Phrase | None) -> list[int]:
    tree = context.tree
    objects = [n for n in containers(context, kind) if isinstance(tree.values[n], dict)]
    if holder is not None:
        objects = list(tree.inside(objects, context.resolve(holder).nodes))
    if len(objects) != 1:
        rank = "several" if objects else "target"
        raise Refusal(rank, f"{context.text(kind)!r} is not one section", tuple(objects))
    return objects


def _member(context: Context, node: int) -> list[Operation]:
    """Return the operation that adds the key to one object."""
    tree, value = context.tree, context.clause.role("value")
    held = tree.values[node]
    assert isinstance(held, dict)
    key = _key_text(context, context.clause.role("key"), list(held))
    tokens = context.chart.tokens[value.start : value.end]
    peers = [item[key] for item in _siblings(context, node) if key in item]
    if key in held:
        same_now = same(held[key], typed(tokens, context.chart.source, held[key], peers, key))
        if same_now:
            return []
        raise Refusal("value", f"{key!r} is there already", (node,))
    close = [k for k in held if key_form(k) == key_form(key)]
    if close:
        raise Refusal("value", f"{close[0]!r} is there already", (node,))
    new = typed(tokens, context.chart.source, ABSENT, peers, key)
    if isinstance(new, str) and len(tokens) > 1:
        context.doubt = context.doubt or doubt_of(tokens, "", peers, key)
    path = (*tree.path(node), key)
    return [Operation("add", path, value=new).rated(context.rate(0.95))]


def _siblings(context: Context, node: int) -> list[dict[str, Value]]:
    parent = context.tree.parents[node]
    if parent < 0 or not context.tree.is_record(node):
        return []
    held = context.tree.values[parent]
    items = held if isinstance(held, list) else list(held.values())  # type: ignore[union-attr]
    return [item for item in items if isinstance(item, dict)]


def _key_text(context: Context, span: Span, beside: list[str]) -> str:
    """Return the new key; several words are joined the way the keys beside it are."""
    tokens = context.chart.tokens[span.start : span.end]
    if len(tokens) == 1:
        text = tokens[0].text
        if not text or (tokens[0].kind == "word" and not re.fullmatch(r"[\w@$.-]+", text)):
            raise Refusal("value", f"{text!r} is not a key")
        return text
    words = [token.text.lower() for token in tokens]
    if any(key_form(token.text) in context.tree.by_form for token in tokens):
        context.doubt = context.doubt or "how the new key is written is a guess"
    if any("_" in key for key in beside):
        return "_".join(words)
    if any(key != key.lower() and "-" not in key for key in beside):
        return words[0] + "".join(word.capitalize() for word in words[1:])
    if any("-" in key for key in beside):
        return "-".join(words)
    context.doubt = context.doubt or "how the new key is written is a guess"
    return "_".join(words)


def newrecord(context: Context) -> Outcome:
    """Add a record to a collection: given as JSON, or by its name and fields."""
    clause, tree = context.clause, context.tree
    kind = clause.role("kind")
    arrays = _record_arrays(context, kind)
    array = arrays[0]
    held = tree.values[array]
    assert isinstance(held, list)
    value = clause.role("value")
    if value is not None:
        new = context.chart.tokens[value.start].value
        if not isinstance(new, dict) and any(isinstance(item, dict) for item in held):
            raise Refusal("type", "its elements are objects", (array,))
    else:
        new = _built(context, held)
    path = (*tree.path(array), str(len(held)))
    operation = Operation("insert", path, value=new).rated(context.rate(0.95))
    return context.outcome([operation], (array,))


def _record_arrays(context: Context, kind: Phrase) -> list[int]:
    tree = context.tree
    arrays = [n for n in containers(context, kind) if isinstance(tree.values[n], list)]
    if context.clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, tuple(arrays), Sort.KEY))
        arrays = list(found.nodes)
    if len(arrays) != 1:
        rank = "several" if arrays else "target"
        raise Refusal(rank, f"{context.text(kind)!r} is not of one list", tuple(arrays))
    return arrays


def _built(context: Context, held: list[Value]) -> Value:
    """Return an object from a name and pairs of key and value, typed as its siblings are."""
    clause = context.clause
    siblings = [item for item in held if isinstance(item, dict)]
    if not siblings:
        raise Refusal("type", "the fields of such a record are not known")
    built: dict[str, Value] = {}
    name = clause.role("name")
    if name is not None:
        keys = [k for k in siblings[0] if key_form(k) in NAME_FORMS]
        if len(keys) != 1:
            raise Refusal("target", "which field is its name is not known")
        built[keys[0]] = _typed_as(context, name, keys[0], siblings)
    pairs = clause.role("pairs")
    for key_span, value in pairs.items if pairs is not None else ():
        key = _known_key(context, key_span, siblings)
        if key in built:
            raise Refusal("value", f"{key!r} is given twice")
        built[key] = _typed_as(context, value, key, siblings)
    if pairs is None and len(siblings[0]) > 1:
        context.doubt = context.doubt or "its other fields are not given"
    if all(key in siblings[0] for key in built):
        built = {key: built[key] for key in siblings[0] if key in built}
    return built


def _known_key(context: Context, span: Span, siblings: list[dict[str, Value]]) -> str:
    text = context.chart.lexicon.text(span.start, span.end)
    said = context.chart.tokens[span.start].text if span.end == span.start + 1 else text
    form = "".join(key_words(text))
    known = {key for item in siblings for key in item if key_form(key) == key_form(form)}
    if len(known) == 1:
        return known.pop()
    if len(known) > 1 or span.end > span.start + 1:
        raise Refusal("target", f"{text!r} is not a field of such a record")
    return said


def _typed_as(context: Context, span: Span, key: str, siblings: list[dict[str, Value]]) -> Value:
    tokens = context.chart.tokens[span.start : span.end]
    peers = [item[key] for item in siblings if key in item]
    context.doubt = context.doubt or doubt_of(tokens, ABSENT, peers, key)
    model = peers[0] if peers and not isinstance(peers[0], str) else ABSENT
    return typed(tokens, context.chart.source, model, peers, key)
