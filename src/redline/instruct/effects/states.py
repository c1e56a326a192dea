"""States: enable, mark as, publish, in stock, empty, null."""

from __future__ import annotations

import re

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.words import unit_family
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.tied import labels_document
from redline.instruct.effects.values.shapes import has_shape, same_shape
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import join_words, key_form, key_words, number_in
from redline.instruct.lexicon.senses import Sort, flag_stems
from redline.instruct.model.values import Num, Value

_SWITCHES = ("enabled", "active", "on", "isactive", "isenabled", "up", "online")
# Verbs that may mean something else than a switch.
_FLAGGING = frozenset("kill stop shut grant give allow permit revoke deny withdraw refuse forbid "
                      "prohibit disallow ban".split())  # fmt: skip
_STATE_WORD = re.compile(r"[a-z]{2,}ed|done|ready|open|pending|broken|sold|paid|idle|lost")
_PAIRS = (
    ("enabled", "disabled"), ("active", "inactive"), ("on", "off"), ("yes", "no"),
    ("activated", "deactivated"),
)  # fmt: skip


def enum(context: EffectContext) -> EffectOutcome:
    """Give a record a state that one of its fields can have: `mark order 3 as shipped`."""
    owner, value = context.clause.role("owner"), context.clause.role("value")
    if owner is None:
        owner = _section(context)
    if owner.sort is Sort.PATH and context.clause.extra != "stated":
        # A path means its own place, never a field of the record there.
        raise Unclear("type", f"{context.text(owner)!r} is a record, not a field", owner.nodes)
    holders = context.resolve(owner)
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
            raise Unclear("type", f"{context.text(value)!r} fits no field", (holder,))
        node, new = _state_field(context, holder, said, negated, value)
        flag = isinstance(context.tree.values[node], bool)
        if flag and context.clause.extra == "terse" and not context.tree.is_record(holder):
            raise Unclear("clause", "it only names a field", (node,))
        keys.add(str(context.tree.keys[node]))
        operations += context.replace(node, new, 0.91)
    if len(keys) > 1:
        raise Unclear("several", f"{said!r} fits several fields", holders.nodes)
    return context.outcome(operations, holders.nodes)


def _section(context: EffectContext) -> Phrase:
    """Return the one section that the values of a list are said of."""
    phrases = [scope.phrase for scope in context.clause.scopes if scope.phrase is not None]
    if len(phrases) != 1 or not phrases[0].nodes:
        raise Unclear("clause", "it is not clear what it is said of")
    context.scoped = True
    return phrases[0]


def _fields_by_shape(context: EffectContext, holder: int, value: TokenSpan) -> list[int]:
    """Return the fields that alone can hold a value of such a shape: a time, a URL, 45 min."""
    tree, said = context.tree, context.text(value).strip("\"'")
    fields = [c for c in tree.children(holder) if not tree.identifies(c)]
    shaped = [c for c in fields if same_shape(tree.values[c], said)]
    if shaped or has_shape(said):
        return shaped
    words = said.split()
    family = unit_family(words[-1]) if len(words) == 2 and number_in(words[0]) else ""
    numbers = [c for c in fields if isinstance(tree.values[c], Num)]
    return [c for c in numbers if family and unit_family(str(tree.keys[c])) == family]


def _state_field(
    context: EffectContext, holder: int, said: str, negated: bool, span: TokenSpan
) -> tuple[int, Value]:
    """Return the one field of a record for which *said* is a state, and the value it gets."""
    fits = _known_states(context, holder, said, negated)
    if not fits and not negated:
        fields = _fields_by_shape(context, holder, span) or _status_field(context, holder, said)
        fits = [(node, context.type_value(span, node)) for node in fields]
    if len(fits) != 1:
        rank = "several" if fits else "target"
        raise Unclear(rank, f"{len(fits) or 'no'} field says whether it is {said!r}", (holder,))
    return fits[0]


def _known_states(
    context: EffectContext, holder: int, said: str, negated: bool
) -> list[tuple[int, Value]]:
    """Return the fields named or known to hold what is *said*, each with the value it gets."""
    tree, low = context.tree, " ".join(said.lower().split())
    form = join_words(key_words(said))
    fits: list[tuple[int, Value]] = []
    inner = list(tree.children(holder))
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
    return fits


def _status_field(context: EffectContext, holder: int, said: str) -> list[int]:
    """Return the status of a record, where *said* is a word for a state that none has yet."""
    if context.clause.extra or not _STATE_WORD.fullmatch(said):
        return []
    tree = context.tree
    context.doubt = context.doubt or f"no other is {said!r}"
    return [
        c for c in tree.children(holder)
        if key_form(str(tree.keys[c])) in ("status", "state") and isinstance(tree.values[c], str)
    ]  # fmt: skip


def switch(context: EffectContext) -> EffectOutcome:
    """Turn flags on or off, or over."""
    owner, target = context.clause.role("owner"), context.clause.role("target")
    found = context.resolve(owner or target)
    if target.sort is Sort.FLAG and not target.many:
        raise Unclear("target", f"{context.text(target)!r} only says how it is", found.nodes)
    if owner is not None:
        inner = context.tree.directly_in(target.nodes, found.nodes)
        found = ResolvedNodes(inner, found.many, found.whole, 0, target)
        if not inner:
            raise Unclear("target", f"{context.text(owner)!r} has no {context.text(target)!r}")
    state = context.clause.extra
    loose = context.chart.low(context.clause.start) in _FLAGGING
    if loose and not target.whole:
        raise Unclear("target", f"{context.text(target)!r} is only a part of a name", found.nodes)
    if loose and not all(isinstance(context.tree.values[n], bool) for n in found.nodes):
        raise Unclear("target", "it is not a switch", found.nodes)
    nodes: list[int] = []
    for node in found.nodes:
        nodes += _flags_of(context, node, found)
    outcome = context.each(
        ResolvedNodes(tuple(nodes), found.many, found.whole),
        lambda n: _switch_value(context, n, state),
        0.91,
    )
    return EffectOutcome(
        outcome.operations, outcome.note, found.nodes, doubt=outcome.doubt, cost=outcome.cost
    )


def _flags_of(context: EffectContext, node: int, found: ResolvedNodes) -> list[int]:
    """Return the switches of a node: itself, its `enabled` member, or all of a block of flags."""
    tree, value = context.tree, context.tree.values[node]
    if not isinstance(value, dict):
        return [node]
    for name in _SWITCHES:
        inner = tree.children_called(node, name)
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
    raise Unclear("target", "it has no switch", (node,))


def _switch_value(context: EffectContext, node: int, state: str) -> Value:
    value = context.tree.values[node]
    if isinstance(value, bool):
        return not value if state == "flip" else state == "on"
    if isinstance(value, str):
        for on, off in _PAIRS:
            if value.lower() in (on, off):
                wanted = value.lower() == off if state == "flip" else state == "on"
                word = on if wanted else off
                return word.capitalize() if value[:1].isupper() else word
    raise Unclear("type", f"{context.key(node)} is not a switch", (node,))


def _is_same_image(held: Value, said: str) -> bool:
    """Return whether two texts are one name with different versions: alpine:3.18, alpine:3.19."""
    if not isinstance(held, str) or " " in held:
        return False
    name, mark, version = said.rpartition(":")
    return bool(mark and name and version) and held.rpartition(":")[0] == name


def shape(context: EffectContext) -> EffectOutcome:
    """Give a section the address it points at: its one field of that shape."""
    holders = context.resolve(context.clause.role("owner"))
    value = context.clause.role("value")
    tokens = context.chart.tokens[value.start : value.end]
    if len(tokens) != 1 or len(holders.nodes) != 1 or tokens[0].kind == "json":
        raise Unclear("value", "it is not an address", holders.nodes)
    said = tokens[0].text
    fields = [
        c for c in context.tree.children(holders.nodes[0])
        if same_shape(context.tree.values[c], said)
        or _is_same_image(context.tree.values[c], said)
    ]  # fmt: skip
    if len(fields) != 1:
        raise Unclear("target", "no one field holds such an address", holders.nodes)
    return context.each(ResolvedNodes((fields[0],)), lambda _: said)


_COUNTS = ("qty", "quantity", "stock", "count", "instock", "onhand")
_STOCK = ("instock", "available", "isavailable", "isinstock")


def stock(context: EffectContext) -> EffectOutcome:
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
        if not own and not wanted:
            own = [c for c in context.tree.children(holder)
                   if isinstance(context.tree.values[c], Num)
                   and key_form(str(context.tree.keys[c])) in _COUNTS]  # fmt: skip
        if len(own) != 1:
            raise Unclear("target", "no flag says whether it is in stock", (holder,))
        nodes += own

    def stock_flag(node: int) -> Value:
        if isinstance(context.tree.values[node], Num):
            return Num("0")
        return wanted is (key_form(str(context.tree.keys[node])) in _STOCK)

    outcome = context.each(ResolvedNodes(tuple(nodes), holders.many), stock_flag, 0.91)
    return EffectOutcome(outcome.operations, outcome.note, holders.nodes, doubt=context.doubt)


def set_flag_by_verb(context: EffectContext) -> EffectOutcome:
    """Set the flag a verb is made from: `publish the post`."""
    found = context.resolve(context.clause.role("target"))
    state = context.clause.role("state")
    wanted = (state.state == "true") is not (context.clause.role("NOT") is not None)
    fields = []
    verb = context.chart.low(context.clause.start)
    if found.cost > 2 and not any(verb[:4] in str(context.tree.keys[n]) for n in state.nodes):
        context.doubt = context.doubt or f"what {verb!r} and its object mean is a guess"
    for node in found.nodes:
        if labels_document(context.tree, context.clause.role("target"), node):
            node = 0
        inner = [
            n for n in context.tree.below(node, state.nodes) if context.tree.parents[n] == node
        ]
        if len(inner) != 1:
            raise Unclear("target", "no field says so of it", (node,))
        fields += inner
    outcome = context.each(ResolvedNodes(tuple(fields), found.many), lambda _: wanted, 0.91)
    return EffectOutcome(outcome.operations, outcome.note, found.nodes, doubt=context.doubt)


def clear(context: EffectContext) -> EffectOutcome:
    """Empty arrays, objects and texts."""
    found = context.fields()

    def empty_value(node: int) -> Value:
        value = context.tree.values[node]
        if context.tree.is_element(node):
            raise Unclear("type", "it is not clear what an element is when empty", (node,))
        if isinstance(value, list):
            return []
        if isinstance(value, bool):
            return False
        if isinstance(value, str) and not has_shape(value):
            return ""
        raise Unclear("type", f"it is not clear what {context.key(node)} is when empty", (node,))

    return context.each(found, empty_value)


def nullify(context: EffectContext) -> EffectOutcome:
    """Set places to null."""
    return context.each(context.fields(), lambda _: None)
