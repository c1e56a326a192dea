"""Set, copy, give, mark, switch: effects that give places a value."""

from __future__ import annotations

from dataclasses import replace

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.elided import complete_target, same_value
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.tied import labels_document
from redline.instruct.effects.values.bare import opening_doubt
from redline.instruct.effects.values.following import follows
from redline.instruct.effects.values.shapes import has_shape
from redline.instruct.effects.values.typing import type_value
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.synonyms import ASSIGNEES
from redline.instruct.model.values import Num, same

_MOVING = frozenset("move shift push put bring transfer".split())
_MEMBERSHIP = frozenset("included present listed contained there added removed absent".split())
_LEAVING = frozenset("gone out removed away in back".split())
_HEDGES = frozenset(
    "maybe perhaps probably possibly never not don't imagine suppose i we nobody no if".split()
)
PRICES = ("price", "cost", "unitprice")


def assign(context: EffectContext) -> EffectOutcome:
    """Give the target a value, if it holds the old one where one is named."""
    target, value = context.clause.role("target"), context.clause.role("value")
    value = value or same_value(context)
    target = complete_target(context, target)
    old = context.clause.role("old")
    if old is not None and not target.owner:
        target = _narrow(context, target, old)
    found = _values_of(context, context.resolve(target))
    if old is not None:
        found = keep_holding(context, found, old)
    _check_places(context, found, value)
    _check_leaving(context, value)
    _check_assignee(context, found)
    _check_names(context, found, value)
    if context.clause.extra in ("bare", "terse"):
        _check_bare(context, found, value)
    if context.clause.extra == "taken":
        _check_rank(context, target)
        _check_hedge(context, value)
    _check_reference(context, value)
    _check_statement(context, found, value)
    if context.clause.extra == "named" and not all(
        isinstance(context.tree.values[n], str) and not context.tree.is_element(n)
        for n in found.nodes
    ):
        raise Unclear("type", "it has no name to change", found.nodes)
    return context.each(found, lambda node: context.type_value(value, node))


def _check_rank(context: EffectContext, target: Phrase) -> None:
    """Doubt `Ann is now the lead` where `lead` is what a field of records may hold, too."""
    said = singular(context.text(target).lower().removeprefix("the ").removeprefix("our "))
    if any(isinstance(v, str) and v.lower() == said for v in context.tree.values):
        context.doubt = context.doubt or f"{said!r} may be what somebody becomes"


def _check_hedge(context: EffectContext, value: TokenSpan) -> None:
    """Refuse `maybe Ann is our new lead`, of which the first word is no part of a name."""
    first = context.chart.tokens[value.start]
    if first.kind == "word" and first.low in _HEDGES:
        raise Unclear("value", f"{first.text!r} leaves it open", value=first.text)


def _check_leaving(context: EffectContext, value: TokenSpan) -> None:
    """Refuse a word that may say that something goes or comes: `host gone`."""
    first = context.chart.tokens[value.start]
    if context.is_statement and first.kind == "word" and context.text(value).lower() in _LEAVING:
        raise Unclear("clause", f"{first.text!r} may say that it goes or comes")


def _check_assignee(context: EffectContext, found: ResolvedNodes) -> None:
    """Refuse `assign the ticket to Ann` as its number, where a field beside it says who has it."""
    tree = context.tree
    if context.chart.low(context.clause.start) != "assign" or len(found.nodes) != 1:
        return
    beside = tree.children(tree.parents[found.nodes[0]])
    forms = {key_form(str(tree.keys[each])) for each in beside} & ASSIGNEES
    if forms and key_form(str(tree.keys[found.nodes[0]])) not in forms:
        raise Unclear("target", "it may be somebody to whom it is assigned", found.nodes)


def _check_names(context: EffectContext, found: ResolvedNodes, value: TokenSpan) -> None:
    """Put in doubt that several records get the same name."""
    quoted = context.chart.tokens[value.start].kind == "quoted"
    tree = context.tree
    if (
        len(found.nodes) > 1
        and not quoted
        and any(tree.identifies(node) and not tree.repeats(node) for node in found.nodes)
    ):
        context.doubt = "several records would get the same name"
    if not quoted and any(_is_unlike(context, node, value) for node in found.nodes[:20]):
        context.doubt = f"{context.text(value)!r} is unlike the names there are"


def _is_unlike(context: EffectContext, node: int, value: TokenSpan) -> bool:
    """Return whether a plain word would take the place of a code such as `LH 302`."""
    tree = context.tree
    if not tree.identifies(node) or not context.text(value).isalpha():
        return False
    texts = [peer for peer in tree.peers(node) if isinstance(peer, str)]
    return len(texts) > 1 and all(any(c.isdigit() for c in text) for text in texts)


def _check_bare(context: EffectContext, found: ResolvedNodes, value: TokenSpan) -> None:
    """Put a bare word in doubt that no record of an enumerated field has."""
    target = context.clause.role("target")
    if context.clause.extra == "terse" and target is not None:
        asking = context.chart.lows[context.clause.start : target.end]
        context.doubt = context.doubt or opening_doubt(asking)
    if context.chart.tokens[value.start].kind != "word":
        return
    said = context.text(value).lower()
    if target is not None and "of" in context.chart.lows[target.start : target.end]:
        # the title of the home page
        context.doubt = context.doubt or f"{said!r} may be no value"
    _check_kind(context, found, value, said)
    for node in found.nodes[:20]:
        peers = [p.lower() for p in context.tree.peers(node) if isinstance(p, str)]
        held = context.tree.values[node]
        if isinstance(held, str) and follows(context, node, held, value):
            continue
        if (
            context.clause.extra == "terse"
            and said not in peers
            and not (isinstance(held, Num | bool) or (isinstance(held, str) and has_shape(held)))
        ):
            raise Unclear("clause", f"it is not clear that {said!r} is the value", found.nodes)
        if isinstance(held, str) and context.tree.repeats(node) and said not in peers:
            context.doubt = context.doubt or f"no other has {context.text(value)!r}"


def _check_kind(context: EffectContext, found: ResolvedNodes, value: TokenSpan, said: str) -> None:
    """Doubt bare words that may be a switch, a difference, a range or another field."""
    flags = context.tree.by_form.get(key_form(said), ())
    if any(isinstance(context.tree.values[n], bool) for n in flags):
        raise Unclear("several", f"{said!r} may be a switch", found.nodes)
    if said[:1] in "+-" and any(isinstance(context.tree.values[n], Num) for n in found.nodes):
        raise Unclear("value", f"{said!r} may be a difference", found.nodes)
    if any(str(context.tree.values[n])[:1] in "^~" for n in found.nodes) and said[:1] not in "^~":
        context.doubt = context.doubt or f"{said!r} may be a range of versions"
    if value.end - value.start > 1 and any(map(context.names_key, range(value.start, value.end))):
        context.doubt = context.doubt or f"{said!r} names another field"


def _check_statement(context: EffectContext, found: ResolvedNodes, value: TokenSpan) -> None:
    """Doubt that `the pool is closed` gives the pool another name, or `move X to Y` a new text."""
    first = context.chart.tokens[value.start]
    moved = context.chart.low(context.clause.start) in _MOVING
    if first.kind != "word" or not (context.is_statement or moved) or first.low == "null":
        return
    said = context.text(value)
    for node in found.nodes[:20]:
        held = context.tree.values[node]
        named = isinstance(held, str) and not has_shape(held) and held[:1].isupper()
        if context.tree.is_element(node) or (
            named and said.isalpha() and said.islower() and said not in context.tree.peers(node)
        ):
            raise Unclear("value", f"{said!r} may be a state rather than a name", found.nodes)


def _check_reference(context: EffectContext, value: TokenSpan) -> None:
    """Put words in doubt that may name another place instead of being the value."""
    chart = context.chart
    first = chart.tokens[value.start]
    if first.kind == "code" and any(s.sort is Sort.PATH for s in chart.lexicon.senses(value.start)):
        raise Unclear("value", f"{first.text!r} may be a place")
    moved = chart.low(context.clause.start) in _MOVING
    if (
        moved
        and (first.path or any(mark in first.text for mark in "/.["))
        and first.kind != "quoted"
    ):
        raise Unclear("value", f"{first.text!r} may be a place")
    if moved and any(
        isinstance(context.tree.values[n], dict | list)
        for s in chart.lexicon.senses(value.start)
        if s.end == value.end and s.sort is Sort.KEY
        for n in s.nodes
    ):
        raise Unclear("value", f"{first.text!r} is a place")
    if first.low != "the" or value.end - value.start < 2:
        return
    named = any(
        edge.end == value.end and edge.item.whole for edge in chart.edges("CORE", value.start + 1)
    )
    if named:
        context.doubt = context.doubt or f"{context.text(value)!r} may be a place"


def _values_of(context: EffectContext, found: ResolvedNodes) -> ResolvedNodes:
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
    return ResolvedNodes(nodes, found.many, found.whole, found.cost, replace(phrase, sort=Sort.KEY))


def _narrow(context: EffectContext, target: Phrase, old: TokenSpan) -> Phrase:
    """Return the target at those places that hold the old value, if any do."""
    tokens = context.chart.tokens[old.start : old.end]
    kept = []
    for node in target.nodes:
        try:
            current = context.tree.values[node]
            wanted = type_value(tokens, context.chart.source, current, (), context.key(node))
        except Unclear:
            continue
        if same(wanted, current):
            kept.append(node)
    return replace(target, nodes=tuple(kept)) if kept else target


def keep_holding(context: EffectContext, found: ResolvedNodes, old: TokenSpan) -> ResolvedNodes:
    """Return the places that hold the old value; Refusal when the only one does not."""
    kept = []
    for node in found.nodes:
        tokens = context.chart.tokens[old.start : old.end]
        wanted = type_value(
            tokens, context.chart.source, context.tree.values[node], (), context.key(node)
        )
        if same(wanted, context.tree.values[node]):
            kept.append(node)
    if not kept:
        raise Unclear("value", f"it is not {context.text(old)} now", found.nodes)
    if len(kept) > 1 and not found.phrase.many:  # type: ignore[union-attr]
        raise Unclear("several", "it is not clear which one", tuple(kept))
    return ResolvedNodes(tuple(kept), found.many, found.whole, found.cost, found.phrase)


def _check_places(context: EffectContext, found: ResolvedNodes, value: TokenSpan) -> None:
    """Refuse a bare word for a record or for a node of which only the value was named."""
    phrase = found.phrase
    assert phrase is not None
    literal = context.chart.tokens[value.start].kind == "json"
    quoted = context.chart.tokens[value.start].kind == "quoted"
    if phrase.sort in (Sort.RECORD, Sort.FLAG) and not literal:
        raise Unclear("type", f"{context.text(phrase)!r} is a record, not a field", found.nodes)
    if phrase.sort is Sort.ELEMENT and context.text(value).lower() in _MEMBERSHIP:
        raise Unclear("value", f"{context.text(value)!r} says that it is there", found.nodes)
    for node in found.nodes:
        held = context.tree.values[node]
        if node == 0:
            raise Unclear("target", "the whole document cannot be replaced")
        if isinstance(held, list) and held and quoted:
            context.doubt = context.doubt or f"{context.key(node)} is a list"
        if isinstance(held, dict) and held and not literal:
            raise Unclear("type", f"{context.text(phrase)!r} is an object", found.nodes)


def assign_list(context: EffectContext) -> EffectOutcome:
    """Give an array of texts the values listed."""
    found = context.resolve(context.clause.role("target"))
    places = [int(place) for place in context.clause.role("value").extra.split(",")]
    for node in found.nodes:
        held = context.tree.values[node]
        if not isinstance(held, list) or not all(isinstance(item, str) for item in held):
            raise Unclear("type", "it is not a list of texts", found.nodes)
    tokens = context.chart.tokens
    if any(tokens[place].kind == "json" for place in places):
        raise Unclear("value", "JSON and words are mixed", found.nodes)
    return context.each(found, lambda _: [tokens[place].text for place in places])


def respectively(context: EffectContext) -> EffectOutcome:
    """Give each of several targets its own value."""
    target, values = context.clause.role("target"), context.clause.role("value")
    found = context.resolve(target)
    places = [int(place) for place in values.extra.split(",")]
    if len(places) != len(found.nodes):
        raise Unclear("value", "there are not as many values as places", found.nodes)
    given = dict(zip(found.nodes, places, strict=True))
    return context.each(
        found, lambda node: context.type_value(TokenSpan(given[node], given[node] + 1), node)
    )


def give_field(context: EffectContext) -> EffectOutcome:
    """Give a field of the owner a value: `give Bob the role admin`."""
    owner = context.clause.role("owner")
    if owner is None:
        owner = context.previous.role("owner") if context.previous is not None else None
    if owner is None:
        raise Unclear("clause", "it is not clear whose field is meant")
    holders = context.resolve(owner)
    target, value = context.clause.role("target"), context.clause.role("value")
    if context.chart.low(context.clause.start) in ("assign", "reassign") and all(
        labels_document(context.tree, owner, node) for node in holders.nodes
    ):
        holders = ResolvedNodes((0,))  # the ticket, by its number
    fields = context.tree.strictly_inside(target.nodes, holders.nodes)
    fields = context.tree.directly_in(fields, holders.nodes) or fields
    if not fields:
        raise Unclear("target", f"{context.text(owner)!r} has no {context.text(target)!r}")
    if len(fields) > len(holders.nodes):
        raise Unclear("several", f"multiple {context.text(target)} fields found", fields)
    context.whole = context.whole and target.whole
    if isinstance(owner, Phrase) and owner.sort is Sort.KEY and owner.owner:
        context.cost += 1
    found = ResolvedNodes(fields, holders.many, holders.whole, 0, target)
    _check_places(context, ResolvedNodes(fields, phrase=target), value)
    _check_leaving(context, value)
    _check_names(context, found, value)
    return context.each(found, lambda node: context.type_value(value, node))


def cost(context: EffectContext) -> EffectOutcome:
    """Give the price of a record: `make Laptop Pro cost 1000`."""
    holders = context.resolve(context.clause.role("owner"))
    value = context.clause.role("value")
    fields: list[int] = []
    for holder in holders.nodes:
        own = [c for c in context.tree.children(holder)
               if key_form(str(context.tree.keys[c])) in PRICES]  # fmt: skip
        if len(own) != 1:
            raise Unclear("target", "it has no price", (holder,))
        fields += own
    return context.each(
        ResolvedNodes(tuple(fields), holders.many), lambda node: context.type_value(value, node)
    )
