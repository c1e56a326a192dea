"""Remove: members, records, elements, duplicates; never by a part of a name."""

from __future__ import annotations

from redline.instruct.effects.additions import containers
from redline.instruct.effects.context import Context, Found, Nothing
from redline.instruct.effects.outcome import Outcome, Refusal
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import Span
from redline.instruct.language.tokens import text_of
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.synonyms import KIND_FIELDS
from redline.instruct.model.operations import Operation
from redline.instruct.model.values import Num, Value


def remove(context: Context) -> Outcome:
    """Take places out of the document."""
    clause = context.clause
    if clause.role("value") is not None or clause.role("values") is not None:
        return _elements(context)
    target = clause.role("target")
    found = context.resolve(target)
    within = clause.role("within")
    if within is not None:
        holders = context.resolve(within, scoped=False)
        held = set(holders.nodes)
        nodes = tuple(n for n in context.tree.inside(found.nodes, holders.nodes) if n not in held)
        if not nodes:
            raise Refusal("target", "it is not there", found.nodes)
        found = Found(nodes, found.many, found.whole, 0, target)
    _check(context, found, target)
    return _removed(context, found.nodes)


def _check(context: Context, found: Found, target: Phrase) -> None:
    """Put removals in doubt that follow from a part of a name or from a bare plural."""
    if context.text(target).lower() in ("everything", "anything"):
        raise Refusal("several", "what everything is here is not clear", found.nodes)
    if 0 in found.nodes:
        raise Refusal("target", "the whole document cannot be removed")
    if not context.whole:
        context.doubt = f"{context.text(target)!r} is only a part of a name"
    elif target.sort is Sort.RECORD and not target.filtered and not _names(context, target):
        context.doubt = f"{context.text(target)!r} is not what identifies it"
    elif (
        len(found.nodes) > 1
        and not (target.quantified or target.filtered or _is_listed(target))
        and not context.clause.scopes
        and (target.sort is Sort.KEY or (target.cost and target.sort is not Sort.RECORD))
    ):
        raise Refusal("several", f"{context.text(target)!r} fits many places", found.nodes)


def _names(context: Context, target: Phrase) -> bool:
    """Return whether a record is named by what identifies it or says what kind it is."""
    tree = context.tree
    fields = [n for n in target.fields if tree.inside((n,), target.nodes)]
    return any(tree.identifies(n) or key_form(str(tree.keys[n])) in KIND_FIELDS for n in fields)


def _is_listed(target: Phrase) -> bool:
    return target.end - target.start > 2 and target.many


def _removed(context: Context, nodes: tuple[int, ...]) -> Outcome:
    operations = [
        Operation("remove", context.tree.path(n), context.tree.values[n]).rated(context.rate(0.95))
        for n in nodes
    ]
    kept = tuple(context.tree.parents[n] for n in nodes)
    return context.outcome(operations, kept)


def _elements(context: Context) -> Outcome:
    """Take values out of arrays: `remove beta from the tags`."""
    clause, tree = context.clause, context.tree
    arrays, many = _arrays(context)
    value, values = clause.role("value"), clause.role("values")
    spans = [value] if values is None else [
        Span(int(p), int(p) + 1) for p in values.extra.split(",")
    ]  # fmt: skip
    nodes: list[int] = []
    for span in spans:
        hits = [n for array in arrays for n in _equal(context, array, span)]
        owners = {tree.parents[n] for n in hits}
        if len(owners) > 1 and not many:
            raise Refusal("several", f"{context.text(span)!r} is in several lists", tuple(hits))
        if len(hits) > len(owners) and clause.extra != "every":
            context.doubt = "it is there more than once"
        nodes += hits
    if not context.whole:
        context.doubt = "only a part of a name says where"
    if not nodes:
        records = any(tree.is_group(array) for array in arrays)
        if not arrays or spans[0].cost or records:
            raise Refusal("target", f"nothing here is {context.text(spans[0])!r}")
        raise Nothing(context.text(spans[0]))
    return _removed(context, tuple(sorted(nodes)))


def _arrays(context: Context) -> tuple[list[int], bool]:
    """Return the arrays named, or of a kind, and whether several are meant."""
    clause, tree = context.clause, context.tree
    kind, owner = clause.role("kind"), clause.role("owner")
    if kind is None:
        found = context.resolve(clause.role("list"))
        return _lists(context, found), found.many
    arrays = tuple(n for n in containers(context, kind) if isinstance(tree.values[n], list))
    if owner is not None:
        holders = context.resolve(owner)
        return list(tree.inside(arrays, holders.nodes)), holders.many
    if clause.scopes:
        found = context.resolve(Phrase(kind.start, kind.end, arrays, Sort.KEY))
        return list(found.nodes), found.many
    return list(arrays), False


def _lists(context: Context, found: Found) -> list[int]:
    tree = context.tree
    arrays: list[int] = []
    for node in found.nodes:
        if isinstance(tree.values[node], list):
            arrays.append(node)
        else:
            raise Refusal("type", "it is not a list", found.nodes)
    return arrays


def _equal(context: Context, array: int, span: Span) -> list[int]:
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


def _says(value: Value, text: str, *, exact: bool) -> bool:
    if isinstance(value, Num):
        return value.text == text and not exact
    if isinstance(value, str):
        return value == text or (not exact and value.lower() == text.lower())
    return False


def absent(context: Context) -> Outcome:
    """Say that nothing is called what is to be removed."""
    clause = context.clause
    within = clause.role("within")
    if within is not None:
        context.resolve(within)
    elif clause.scopes:
        raise Refusal("target", f"nothing here is {context.text(clause.role('name'))!r}")
    kind = clause.role("kind")
    name = context.text(clause.role("name"))
    if kind is not None:
        name = f"{context.text(kind)} {name}"
    raise Nothing(name)


def keep(context: Context) -> Outcome:
    """Remove the other elements of a collection."""
    target = context.clause.role("target")
    found = context.resolve(target)
    homes = {context.tree.parents[n] for n in found.nodes}
    if len(homes) != 1 or target.sort not in (Sort.ITEMS, Sort.RECORD, Sort.ELEMENT):
        raise Refusal("target", "it is not clear among what it is to be kept", found.nodes)
    if not context.whole:
        raise Refusal("target", f"{context.text(target)!r} is only a part of a name", found.nodes)
    kept = set(found.nodes)
    others = tuple(n for n in context.tree.children(homes.pop()) if n not in kept)
    return _removed(context, others)


def dedupe(context: Context) -> Outcome:
    """Keep the first of equal elements."""
    found = context.resolve(context.clause.role("target"))
    nodes: list[int] = []
    for node in found.nodes:
        if not isinstance(context.tree.values[node], list):
            raise Refusal("type", "only a list can hold duplicates", (node,))
        seen: set[str] = set()
        for child in context.tree.children(node):
            text = repr(context.tree.values[child])
            if text in seen:
                nodes.append(child)
            seen.add(text)
    outcome = _removed(context, tuple(nodes))
    return Outcome(outcome.operations, "there are no duplicates", found.nodes, doubt=context.doubt)
