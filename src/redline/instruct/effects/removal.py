"""Remove: members, records, elements, duplicates; never by a part of a name."""

from __future__ import annotations

from dataclasses import replace

from redline.instruct.effects.absence import is_composed, may_name
from redline.instruct.effects.adding.elements import containers
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.leaving import check_leaving
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import Nothing, ResolvedNodes
from redline.instruct.grammar.nouns.heads import DETERMINERS
from redline.instruct.grammar.nouns.pronouns import PRONOUNS
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.tokens import text_of
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.synonyms import KIND_FIELDS
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

# Verbs that may mean to switch something off as well as to take it away.
_STOPPING = frozenset("kill axe cut lose ditch scrap".split())
_JOINTS = frozenset((",", "and", "&"))
# What a bare name may be of.
_NAMED = frozenset({Sort.KEY, Sort.RECORD, Sort.ELEMENT})


def remove(context: EffectContext) -> EffectOutcome:
    """Take places out of the document."""
    clause = context.clause
    if clause.role("value") is not None or clause.role("values") is not None:
        return _elements(context)
    target = clause.role("target")
    found = context.resolve(target)
    within = clause.role("within")
    context.cost += 2 * _goes_on(context, found)
    if target.owner and not target.nodes:
        _check_pronoun(context, found)
        named = _elements_of(context, found)
        if named:
            return _remove_nodes(context, named)
    if within is not None:
        holders = context.resolve(within, scoped=False)
        nodes = context.tree.strictly_inside(found.nodes, holders.nodes)
        if not nodes:
            raise Unclear("target", "it is not there", found.nodes)
        found = ResolvedNodes(nodes, found.many, found.whole, 0, target)
    if target.sort is Sort.FLAG and not target.many:
        raise Unclear("target", f"{context.text(target)!r} only says how it is", found.nodes)
    _check_membership(context, found, target)
    check_leaving(context, found, target)
    _refuse_wide(context, found, target)
    _check(context, found, target)
    return _remove_nodes(context, found.nodes)


def _goes_on(context: EffectContext, found: ResolvedNodes) -> bool:
    """Return whether one of the places rather goes on saying from where: `from a.b and a.c`."""
    chart, removed = context.chart, set(found.nodes)
    for place in range(1, chart.size):
        if not chart.tokens[place].path or chart.low(place - 1) not in _JOINTS:
            continue
        before = place - 1
        while before > 0 and (chart.tokens[before].path or chart.low(before) in _JOINTS):
            before -= 1
        said = {n for s in chart.lexicon.senses(place) if s.sort is Sort.PATH for n in s.nodes}
        if chart.low(before) in ("from", "in", "of", "under") and said & removed:
            return True
    return False


def _check_pronoun(context: EffectContext, found: ResolvedNodes) -> None:
    """Refuse a pronoun for what holds the thing it is to be taken out of: `it out of chess`."""
    for scope in context.clause.scopes:
        if scope.phrase is not None and context.tree.inside(scope.phrase.nodes, found.nodes):
            name = context.text(scope.phrase)
            raise Unclear("target", f"it is not clear what is to be removed from {name!r}")


def _check_membership(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Refuse a record taken out of what a field of its own says: `Ann out of golf`."""
    for scope in context.clause.scopes:
        phrase = scope.phrase
        if phrase is None or target.many or target.sort is not Sort.RECORD:
            continue
        if phrase.sort is Sort.RECORD and set(found.nodes) & set(phrase.nodes):
            name = context.text(phrase)
            raise Unclear("target", f"it is not clear what is to be removed from {name!r}")


def _elements_of(context: EffectContext, found: ResolvedNodes) -> tuple[int, ...]:
    """Return the element of a record's list it is to be taken out of: `him out of chess`."""
    within = context.clause.role("within")
    if within is None or within.sort is not Sort.ELEMENT or not within.whole:
        return ()
    nodes = context.tree.inside(within.nodes, found.nodes)
    return nodes if len(found.nodes) == len(nodes) == 1 else ()


def _refuse_wide(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Refuse to remove everything, or the document."""
    if context.text(target).lower().startswith(("everything", "anything")):
        raise Unclear("several", "what everything is here is not clear", found.nodes)
    if 0 in found.nodes:
        raise Unclear("target", "the whole document cannot be removed")


def _check(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Put removals in doubt that follow from a part of a name or from a bare plural."""
    if not context.whole:
        context.doubt = f"{context.text(target)!r} is only a part of a name"
    elif context.chart.low(context.clause.start) in _STOPPING and any(
        _is_switch(context.tree.values[n]) for n in found.nodes
    ):
        context.doubt = f"{context.text(target)!r} may be meant to be switched off"
    elif _has_namesake(context, target):
        context.doubt = f"{context.text(target)!r} names several things"
    elif target.sort is Sort.RECORD and not target.filtered and not _names(context, target):
        context.doubt = f"{context.text(target)!r} is not what identifies it"
    elif (
        len(found.nodes) > 1
        and not (target.quantified or target.filtered or _is_listed(target))
        and not context.clause.scopes
        and (target.sort is Sort.KEY or (target.cost and target.sort is not Sort.RECORD))
    ):
        raise Unclear("several", f"{context.text(target)!r} fits many places", found.nodes)


def _is_switch(value: Value) -> bool:
    """Return whether a value, or the record it is, can be switched off."""
    if isinstance(value, dict):
        return any(isinstance(value.get(key), bool) for key in ("enabled", "active", "on"))
    return isinstance(value, bool)


def _has_namesake(context: EffectContext, target: Phrase) -> bool:
    """Return whether a bare name is that of a key, a record or an element elsewhere as well."""
    chart = context.chart
    start = target.start + (chart.low(target.start) in DETERMINERS)
    if context.clause.scopes or context.clause.role("within"):
        return False
    text = chart.text(start, target.end)
    if any(isinstance(value, Num) and value.text == text for value in context.tree.values):
        return True
    return any(
        sense.end == target.end
        and sense.whole
        and sense.sort in _NAMED - {target.sort}
        and not set(sense.nodes) & set(target.nodes)
        for sense in chart.lexicon.senses(start)
    )


def _names(context: EffectContext, target: Phrase) -> bool:
    """Return whether a record is named by what identifies it or says what kind it is."""
    tree = context.tree
    fields = [n for n in target.fields if tree.inside((n,), target.nodes)]
    return any(tree.identifies(n) or key_form(str(tree.keys[n])) in KIND_FIELDS for n in fields)


def _is_listed(target: Phrase) -> bool:
    return target.end - target.start > 2 and target.many


def _remove_nodes(context: EffectContext, nodes: tuple[int, ...]) -> EffectOutcome:
    operations = [
        DocumentOperation("remove", context.tree.path(n), context.tree.values[n]).with_confidence(
            context.rate(0.95)
        )
        for n in nodes
    ]
    kept = tuple(context.tree.parents[n] for n in nodes)
    return context.outcome(operations, kept)


def _elements(context: EffectContext) -> EffectOutcome:
    """Take values out of arrays: `remove beta from the tags`."""
    clause, tree = context.clause, context.tree
    arrays, many = _arrays(context)
    value, values = clause.role("value"), clause.role("values")
    spans = [value] if values is None else [
        TokenSpan(int(p), int(p) + 1) for p in values.extra.split(",")
    ]  # fmt: skip
    nodes: list[int] = []
    for span in spans:
        hits = [n for array in arrays for n in _equal(context, array, span)]
        owners = {tree.parents[n] for n in hits}
        if len(owners) > 1 and not many:
            raise Unclear("several", f"{context.text(span)!r} is in several lists", tuple(hits))
        if len(hits) > len(owners) and clause.extra != "every":
            context.doubt = "it is there more than once"
        nodes += hits
    if not context.whole:
        context.doubt = "only a part of a name says where"
    if not nodes:
        records = any(tree.is_group(array) for array in arrays)
        pronoun = context.chart.low(spans[0].start) in PRONOUNS
        kind = clause.role("kind")
        coded = kind is not None and context.chart.tokens[kind.start].kind != "word"
        partly = coded or any(
            _says_part(context, array, span) for array in arrays for span in spans
        )
        if not arrays or spans[0].cost or records or pronoun or partly:
            raise Unclear("target", f"nothing here is {context.text(spans[0])!r}")
        raise Nothing(context.text(spans[0]))
    return _remove_nodes(context, tuple(sorted(nodes)))


def _arrays(context: EffectContext) -> tuple[list[int], bool]:
    """Return the arrays named, or of a kind, and whether several are meant."""
    clause, tree = context.clause, context.tree
    kind, owner = clause.role("kind"), clause.role("owner")
    if kind is None:
        found = context.resolve(clause.role("list") or _spoken_list(context))
        return _lists(context, found), found.many
    arrays = tuple(n for n in containers(context, kind) if isinstance(tree.values[n], list))
    if owner is not None:
        holders = context.resolve(owner)
        return list(tree.inside(arrays, holders.nodes)), holders.many
    if clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, arrays, Sort.KEY))
        return list(found.nodes), found.many
    return list(arrays), False


def _spoken_list(context: EffectContext) -> Phrase:
    """Return the list in front of which it is said what goes: `referees: Cole out`."""
    phrases = [scope.phrase for scope in context.clause.scopes]
    if len(phrases) != 1 or phrases[0] is None or not context.clause.scopes[0].wanted:
        raise Unclear("target", "it is not clear from where it is to be removed")
    context.clause = replace(context.clause, scopes=())
    return phrases[0]


def _lists(context: EffectContext, found: ResolvedNodes) -> list[int]:
    tree = context.tree
    arrays: list[int] = []
    for node in found.nodes:
        if isinstance(tree.values[node], list):
            arrays.append(node)
        else:
            raise Unclear("type", "it is not a list", found.nodes)
    return arrays


def _equal(context: EffectContext, array: int, span: TokenSpan) -> list[int]:
    tokens = context.chart.tokens[span.start : span.end]
    if len(tokens) > 1 and tokens[0].low in ("the", "a", "an", "my", "our"):
        tokens = tokens[1:]
    text = tokens[0].text if len(tokens) == 1 else text_of(tokens, context.chart.source)
    literal = tokens[0].kind == "json"
    found = []
    for child in context.tree.children(array):
        value = context.tree.values[child]
        if (literal and value == tokens[0].value) or _says(
            value, text, exact=tokens[0].kind == "quoted"
        ):
            found.append(child)
    return found


def _says_part(context: EffectContext, array: int, span: TokenSpan) -> bool:
    """Return whether bare words are a part of an element: the Dan of "Dan Iyer"."""
    if context.chart.tokens[span.start].kind == "quoted":
        return False
    said = context.text(span).lower().split()
    held = [context.tree.values[n] for n in context.tree.children(array)]
    return any(isinstance(v, str) and set(said) <= set(v.lower().split()) for v in held)


def _says(value: Value, text: str, *, exact: bool) -> bool:
    if isinstance(value, Num):
        return value.text == text and not exact
    if isinstance(value, str):
        return value == text or (not exact and value.lower() == text.lower())
    return False


def absent(context: EffectContext) -> EffectOutcome:
    """Say that nothing is called what is to be removed."""
    clause = context.clause
    within = clause.role("within")
    if within is not None:
        context.resolve(within)
    elif clause.scopes:
        raise Unclear("target", f"nothing here is {context.text(clause.role('name'))!r}")
    kind = clause.role("kind")
    span = clause.role("name")
    name = context.text(span)
    exact = kind is not None and context.chart.tokens[kind.start].kind != "word"
    # what is named exactly is there, whatever is said beside it
    if exact or span.end - span.start > 1 or is_composed(context.tree, name):
        raise Unclear("target", f"nothing here is {name!r}")
    if kind is not None and not may_name(context.tree, kind.nodes, name):
        raise Unclear("target", f"it is not clear what {name!r} says of it")
    if kind is not None:
        name = f"{context.text(kind)} {name}"
    raise Nothing(name)


def keep(context: EffectContext) -> EffectOutcome:
    """Remove the other elements of a collection."""
    target = context.clause.role("target")
    found = context.resolve(target)
    homes = {context.tree.parents[n] for n in found.nodes}
    if len(homes) != 1 or target.sort not in (Sort.ITEMS, Sort.RECORD, Sort.ELEMENT):
        raise Unclear("target", "it is not clear among what it is to be kept", found.nodes)
    if not context.whole:
        raise Unclear("target", f"{context.text(target)!r} is only a part of a name", found.nodes)
    if target.sort is Sort.ELEMENT and not context.clause.scopes:
        context.doubt = "it is not clear among what it is to be kept"
    kept = set(found.nodes)
    others = tuple(n for n in context.tree.children(homes.pop()) if n not in kept)
    return _remove_nodes(context, others)


def dedupe(context: EffectContext) -> EffectOutcome:
    """Keep the first of equal elements."""
    found = context.resolve(context.clause.role("target"))
    nodes: list[int] = []
    for node in found.nodes:
        if not isinstance(context.tree.values[node], list):
            raise Unclear("type", "only a list can hold duplicates", (node,))
        seen: set[str] = set()
        for child in context.tree.children(node):
            text = repr(context.tree.values[child])
            if text in seen:
                nodes.append(child)
            seen.add(text)
    outcome = _remove_nodes(context, tuple(nodes))
    return EffectOutcome(
        outcome.operations, "there are no duplicates", found.nodes, doubt=context.doubt
    )
