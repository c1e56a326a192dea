"""Set, copy, give, mark, switch: effects that give places a value."""

from __future__ import annotations

from dataclasses import replace

from redline.instruct.effects.context import Context, Found
from redline.instruct.effects.outcome import Outcome, Refusal
from redline.instruct.effects.typing import has_shape, same_shape, typed
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import Span
from redline.instruct.language.words import FALSE_WORDS, TRUE_WORDS, joined, key_form, key_words
from redline.instruct.lexicon.names import Sort, flag_stems
from redline.instruct.model.values import Num, Value, same, type_name

_SWITCHES = ("enabled", "active", "on", "isactive", "isenabled")
_PAIRS = (
    ("enabled", "disabled"), ("active", "inactive"), ("on", "off"), ("yes", "no"),
    ("activated", "deactivated"),
)  # fmt: skip


def assign(context: Context) -> Outcome:
    """Give the target a value, if it holds the old one where one is named."""
    target, value = context.clause.role("target"), context.clause.role("value")
    if target is None:
        target = _same_target(context)
    if context.clause.gap and context.previous is not None:
        target = _completed(context, target)
    found = _valued(context, context.resolve(target))
    old = context.clause.role("old")
    if old is not None:
        found = _holding(context, found, old)
    _check_places(context, found, value)
    _check_names(context, found, value)
    if context.clause.extra in ("bare", "terse"):
        _check_bare(context, found, value)
    _check_reference(context, value)
    return context.each(found, lambda node: context.typed(value, node))


def _check_names(context: Context, found: Found, value: Span) -> None:
    """Put in doubt that several records get the same name."""
    quoted = context.chart.tokens[value.start].kind == "quoted"
    if len(found.nodes) > 1 and not quoted and any(map(context.tree.identifies, found.nodes)):
        context.doubt = "several records would get the same name"


def _check_bare(context: Context, found: Found, value: Span) -> None:
    """Put a bare word in doubt that no record of an enumerated field has."""
    if context.chart.tokens[value.start].kind != "word":
        return
    said = context.text(value).lower()
    for node in found.nodes[:20]:
        peers = [p.lower() for p in context.tree.peers(node) if isinstance(p, str)]
        held = context.tree.values[node]
        if (
            context.clause.extra == "terse"
            and said not in peers
            and not (isinstance(held, Num | bool) or (isinstance(held, str) and has_shape(held)))
        ):
            raise Refusal("clause", f"it is not clear that {said!r} is the value", found.nodes)
        if context.tree.repeats(node) and said not in peers:
            context.doubt = context.doubt or f"no other has {context.text(value)!r}"


def _check_reference(context: Context, value: Span) -> None:
    """Put words in doubt that may name another place instead of being the value."""
    chart = context.chart
    if chart.tokens[value.start].low != "the" or value.end - value.start < 2:
        return
    named = any(
        edge.end == value.end and edge.item.whole for edge in chart.edges("CORE", value.start + 1)
    )
    if named:
        context.doubt = context.doubt or f"{context.text(value)!r} may be a place"


def _valued(context: Context, found: Found) -> Found:
    """Return the `value` of records that are pairs of a name and a value."""
    phrase, tree = found.phrase, context.tree
    assert phrase is not None
    if phrase.sort is not Sort.RECORD:
        return found
    inner = []
    for node in found.nodes:
        held = tree.values[node]
        if not isinstance(held, dict) or len(held) != 2 or "value" not in held:
            return found
        inner.append(tree.child(node, "value"))
    nodes = tuple(n for n in inner if n is not None)
    context.cost += 1
    return Found(nodes, found.many, found.whole, found.cost, replace(phrase, sort=Sort.KEY))


def _completed(context: Context, target: Phrase) -> Phrase:
    """Return the same field of another record: `Alice's age to 36 and Bob's to 29`."""
    if target.sort not in (Sort.RECORD, Sort.ITEMS) or target.many:
        return target
    assert context.previous is not None
    before = context.previous.role("target")
    keys = {context.tree.keys[n] for n in before.nodes} if before is not None else set()
    if len(keys) != 1 or not isinstance(key := keys.pop(), str):
        return target
    nodes = context.tree.inside(context.tree.by_key[key], target.nodes)
    if not nodes:
        return target
    return replace(target, nodes=tuple(nodes), sort=Sort.KEY, whole=True, part=not target.whole)


def _same_target(context: Context) -> Phrase:
    """Return the target of the clause before, for `to 6 in production`."""
    previous = context.previous
    target = previous.role("target") if previous is not None else None
    if target is None or not context.clause.scopes:
        raise Refusal("clause", "it is not clear what is to be set")
    return target  # type: ignore[no-any-return]


def _holding(context: Context, found: Found, old: Span) -> Found:
    """Return the places that hold the old value; Refusal when the only one does not."""
    kept = []
    for node in found.nodes:
        tokens = context.chart.tokens[old.start : old.end]
        wanted = typed(
            tokens, context.chart.source, context.tree.values[node], (), context.key(node)
        )
        if same(wanted, context.tree.values[node]):
            kept.append(node)
    if not kept:
        raise Refusal("value", f"it is not {context.text(old)} now", found.nodes)
    if len(kept) > 1 and not found.phrase.many:  # type: ignore[union-attr]
        raise Refusal("several", "it is not clear which one", tuple(kept))
    return Found(tuple(kept), found.many, found.whole, found.cost, found.phrase)


def _check_places(context: Context, found: Found, value: Span) -> None:
    """Refuse a bare word for a record or for a node of which only the value was named."""
    phrase = found.phrase
    assert phrase is not None
    literal = context.chart.tokens[value.start].kind == "json"
    if phrase.sort in (Sort.RECORD, Sort.FLAG) and not literal:
        raise Refusal("type", f"{context.text(phrase)!r} is a record, not a field", found.nodes)
    for node in found.nodes:
        held = context.tree.values[node]
        if node == 0:
            raise Refusal("target", "the whole document cannot be replaced")
        if isinstance(held, dict) and held and not literal:
            raise Refusal("type", f"{context.text(phrase)!r} is an object", found.nodes)


def assign_list(context: Context) -> Outcome:
    """Give an array of texts the values listed."""
    found = context.resolve(context.clause.role("target"))
    places = [int(place) for place in context.clause.role("value").extra.split(",")]
    for node in found.nodes:
        held = context.tree.values[node]
        if not isinstance(held, list) or not all(isinstance(item, str) for item in held):
            raise Refusal("type", "it is not a list of texts", found.nodes)
    tokens = context.chart.tokens
    if any(tokens[place].kind == "json" for place in places):
        raise Refusal("value", "JSON and words are mixed", found.nodes)
    return context.each(found, lambda _: [tokens[place].text for place in places])


def respectively(context: Context) -> Outcome:
    """Give each of several targets its own value."""
    target, values = context.clause.role("target"), context.clause.role("value")
    found = context.resolve(target)
    places = [int(place) for place in values.extra.split(",")]
    if len(places) != len(found.nodes):
        raise Refusal("value", "there are not as many values as places", found.nodes)
    given = dict(zip(found.nodes, places, strict=True))
    return context.each(found, lambda node: context.typed(Span(given[node], given[node] + 1), node))


def owned(context: Context) -> Outcome:
    """Give a field of the owner a value: `give Bob the role admin`."""
    owner = context.clause.role("owner")
    if owner is None:
        if context.previous is None:
            raise Refusal("clause", "it is not clear whose field is meant")
        owner = context.previous.role("owner")
    holders = context.resolve(owner)
    target, value = context.clause.role("target"), context.clause.role("value")
    held = set(holders.nodes)
    fields = tuple(n for n in context.tree.inside(target.nodes, holders.nodes) if n not in held)
    direct = [n for n in fields if context.tree.parents[n] in held]
    fields = tuple(direct) or fields
    if not fields:
        raise Refusal("target", f"{context.text(owner)!r} has no {context.text(target)!r}")
    if len(fields) > len(holders.nodes):
        raise Refusal("several", f"multiple {context.text(target)} fields found", fields)
    context.whole = context.whole and target.whole
    if isinstance(owner, Phrase) and owner.sort is Sort.KEY and owner.owner:
        context.cost += 1
    found = Found(fields, holders.many, holders.whole, 0, target)
    _check_places(context, Found(fields, phrase=target), value)
    _check_names(context, found, value)
    return context.each(found, lambda node: context.typed(value, node))


def cost(context: Context) -> Outcome:
    """Give the price of a record: `make Laptop Pro cost 1000`."""
    holders = context.resolve(context.clause.role("owner"))
    value = context.clause.role("value")
    fields: list[int] = []
    for holder in holders.nodes:
        own = [c for c in context.tree.children(holder)
               if key_form(str(context.tree.keys[c])) in ("price", "cost", "unitprice")]  # fmt: skip
        if len(own) != 1:
            raise Refusal("target", "it has no price", (holder,))
        fields += own
    return context.each(Found(tuple(fields), holders.many), lambda node: context.typed(value, node))


def copy(context: Context) -> Outcome:
    """Give the target the value of another place of the same type."""
    source = context.resolve(context.clause.role("source"), scoped=False)
    if len(source.nodes) != 1:
        raise Refusal("several", "it is not clear what is to be copied", source.nodes)
    origin = source.nodes[0]
    value, key = context.tree.values[origin], context.tree.keys[origin]
    found = context.resolve(context.clause.role("target"))
    own = [context.tree.child(node, key) for node in found.nodes if isinstance(key, str)]
    inner = [node for node in own if node is not None]
    if inner and len(inner) == len(found.nodes) and origin not in inner:
        found = Found(tuple(inner), found.many, found.whole, found.cost, found.phrase)

    def fitting(node: int) -> Value:
        now = context.tree.values[node]
        if now is not None and type_name(now) != type_name(value):
            raise Refusal("type", "the two places hold different types", (node,))
        return value

    return context.each(found, fitting)


def enum(context: Context) -> Outcome:
    """Give a record a state that one of its fields can have: `mark order 3 as shipped`."""
    holders = context.resolve(context.clause.role("owner"))
    value = context.clause.role("value")
    negated = context.clause.role("NOT") is not None
    said = context.text(value).strip("\"'")
    words = context.chart.tokens[value.start : value.end]
    if value.end - value.start > 1 and words[0].low in ("not", "no"):
        negated, words = True, words[1:]
        said = context.chart.text(value.start + 1, value.end)
    operations = []
    keys: set[str] = set()
    for holder in holders.nodes:
        if not isinstance(context.tree.values[holder], dict):
            raise Refusal("type", f"{context.text(value)!r} fits no field", (holder,))
        node, new = _state_field(context, holder, said, negated)
        keys.add(str(context.tree.keys[node]))
        operations += context.replace(node, new, 0.91)
    if len(keys) > 1:
        raise Refusal("several", f"{said!r} fits several fields", holders.nodes)
    return context.outcome(operations, holders.nodes)


def _state_field(context: Context, holder: int, said: str, negated: bool) -> tuple[int, Value]:
    """Return the one field of a record for which *said* is a state, and the value it gets."""
    tree, low = context.tree, " ".join(said.lower().split())
    form = joined(key_words(said))
    fits: list[tuple[int, Value]] = []
    inner = [c for c in tree.children(holder)]
    inner += [c for n in inner if isinstance(tree.values[n], dict) for c in tree.children(n)]
    for node in inner:
        value = tree.values[node]
        name = key_form(str(tree.keys[node]))
        if isinstance(value, bool):
            for wanted, stem in flag_stems(form):
                if name in (stem, "is" + stem, stem + "ed") and form:
                    fits.append((node, wanted is not negated))
                    break
        elif isinstance(value, str) and not negated and not tree.identifies(node):
            known = next(
                (p for p in tree.peers(node) if isinstance(p, str) and p.lower() == low), None
            )
            if known is not None:
                fits.append((node, known))
    if len(fits) != 1:
        rank = "several" if fits else "target"
        raise Refusal(rank, f"{len(fits) or 'no'} field says whether it is {said!r}", (holder,))
    return fits[0]


def switch(context: Context) -> Outcome:
    """Turn flags on or off, or over."""
    owner, target = context.clause.role("owner"), context.clause.role("target")
    found = context.resolve(owner or target)
    if owner is not None:
        held = set(found.nodes)
        inner = tuple(n for n in target.nodes if context.tree.parents[n] in held)
        found = Found(inner, found.many, found.whole, 0, target)
        if not inner:
            raise Refusal("target", f"{context.text(owner)!r} has no {context.text(target)!r}")
    state = context.clause.extra
    nodes: list[int] = []
    for node in found.nodes:
        nodes += _flags_of(context, node, found)
    outcome = context.each(
        Found(tuple(nodes), found.many, found.whole), lambda n: _switched(context, n, state), 0.91
    )
    return Outcome(
        outcome.operations, outcome.note, found.nodes, doubt=outcome.doubt, cost=outcome.cost
    )


def _flags_of(context: Context, node: int, found: Found) -> list[int]:
    """Return the switches of a node: itself, its `enabled` member, or all of a block of flags."""
    tree, value = context.tree, context.tree.values[node]
    if not isinstance(value, dict):
        return [node]
    for name in _SWITCHES:
        inner = [c for c in tree.children(node) if key_form(str(tree.keys[c])) == name]
        if len(inner) == 1:
            return inner
    states = [
        c for c in tree.children(node)
        if isinstance(tree.values[c], str) and any(tree.values[c] in pair for pair in _PAIRS)
    ]  # fmt: skip
    if len(states) == 1:
        return states
    phrase = found.phrase
    if (
        value
        and all(isinstance(v, bool) for v in value.values())
        and (phrase is not None and phrase.quantified)
    ):
        return list(tree.children(node))
    raise Refusal("target", "it has no switch", (node,))


def _switched(context: Context, node: int, state: str) -> Value:
    value = context.tree.values[node]
    if isinstance(value, bool):
        return not value if state == "flip" else state == "on"
    if isinstance(value, str):
        for on, off in _PAIRS:
            if value.lower() in (on, off):
                wanted = value.lower() == off if state == "flip" else state == "on"
                word = on if wanted else off
                return word.capitalize() if value[:1].isupper() else word
    raise Refusal("type", f"{context.key(node)} is not a switch", (node,))


def shape(context: Context) -> Outcome:
    """Give a section the address it points at: its one field of that shape."""
    holders = context.resolve(context.clause.role("owner"))
    value = context.clause.role("value")
    tokens = context.chart.tokens[value.start : value.end]
    if len(tokens) != 1 or not has_shape(tokens[0].text) or len(holders.nodes) != 1:
        raise Refusal("value", "it is not an address", holders.nodes)
    fields = [
        c for c in context.tree.children(holders.nodes[0])
        if same_shape(context.tree.values[c], tokens[0].text)
    ]  # fmt: skip
    if len(fields) != 1:
        raise Refusal("target", "no one field holds such an address", holders.nodes)
    return context.each(Found((fields[0],)), lambda _: tokens[0].text)


_STOCK = ("instock", "available", "isavailable", "isinstock")


def stock(context: Context) -> Outcome:
    """Say that something is in stock or not, where a flag says so."""
    holders = context.resolve(context.clause.role("owner"))
    wanted = context.clause.extra == "in"
    nodes: list[int] = []
    for holder in holders.nodes:
        own = [
            c for c in context.tree.children(holder)
            if isinstance(context.tree.values[c], bool)
            and key_form(str(context.tree.keys[c])) in (*_STOCK, "soldout", "outofstock")
        ]  # fmt: skip
        if len(own) != 1:
            raise Refusal("target", "no flag says whether it is in stock", (holder,))
        nodes += own

    def said(node: int) -> Value:
        return wanted is (key_form(str(context.tree.keys[node])) in _STOCK)

    outcome = context.each(Found(tuple(nodes), holders.many), said, 0.91)
    return Outcome(outcome.operations, outcome.note, holders.nodes, doubt=context.doubt)


def verbed(context: Context) -> Outcome:
    """Set the flag a verb is made from: `publish the post`."""
    found = context.resolve(context.clause.role("target"))
    state = context.clause.role("state")
    wanted = (state.state == "true") is not (context.clause.role("NOT") is not None)
    fields = []
    for node in found.nodes:
        inner = [
            n for n in context.tree.below(node, state.nodes) if context.tree.parents[n] == node
        ]
        if len(inner) != 1:
            raise Refusal("target", "no field says so of it", (node,))
        fields += inner
    outcome = context.each(Found(tuple(fields), found.many), lambda _: wanted, 0.91)
    return Outcome(outcome.operations, outcome.note, found.nodes, doubt=context.doubt)


def clear(context: Context) -> Outcome:
    """Empty arrays, objects and texts."""
    found = context.fields()

    def emptied(node: int) -> Value:
        value = context.tree.values[node]
        if isinstance(value, list):
            return []
        if isinstance(value, str) and not has_shape(value):
            return ""
        raise Refusal("type", f"it is not clear what {context.key(node)} is when empty", (node,))

    return context.each(found, emptied)


def nullify(context: Context) -> Outcome:
    """Set places to null."""
    return context.each(context.fields(), lambda _: None)


def truth(text: str) -> bool | None:
    """Return the boolean a word says, or None."""
    low = text.lower()
    return True if low in TRUE_WORDS else False if low in FALSE_WORDS else None
