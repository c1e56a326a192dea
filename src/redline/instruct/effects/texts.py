"""Rename, replace, change case, add to texts, change types."""

from __future__ import annotations

import re
from collections.abc import Callable

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.contrasts import without_article
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.values.typing import doubt_of
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form, number_in
from redline.instruct.lexicon.paths import nodes_of_path
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import NAME_FORMS
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value, dumps


def rename(context: EffectContext) -> EffectOutcome:
    """Give members of objects another key."""
    target = context.clause.role("target")
    if target.sort not in (Sort.KEY, Sort.PATH, Sort.ITEMS):
        raise Unclear("type", "only a key can be renamed", target.nodes)
    found = context.resolve(target)
    _check_pronoun(context, target)
    place = context.clause.role("place")
    if place is not None and {context.tree.parents[n] for n in found.nodes} != {place.holder}:
        raise Unclear("value", f"{context.text(place)!r} is somewhere else, which is a move")
    span = TokenSpan(place.end - 1, place.end) if place else context.clause.role("key")
    tokens = context.chart.tokens[span.start : span.end]
    if len(tokens) > 1:
        raise Unclear("value", f"{context.text(span)!r} is not one word")
    operations = []
    for node in found.nodes:
        new, kind = (place.key, "quoted") if place else (tokens[0].text, tokens[0].kind)
        operations += _renamed_key(context, node, new, kind)
    if not context.whole:
        context.doubt = context.doubt or "only a part of the key is said"
    named = any(context.tree.is_named(n) for n in found.nodes) and target.sort is Sort.KEY
    named = named and not context.tree.is_record(found.nodes[0])
    if named or _may_hold_name(context, target, tokens[0].text if not place else ""):
        context.doubt = context.doubt or "it may be its name rather than its key"
    if (
        len(found.nodes) > 1
        and not (target.quantified or context.clause.scopes)
        and (target.sort is Sort.KEY and not target.many)
    ):
        raise Unclear("several", "multiple keys are called so", found.nodes)
    return context.outcome(operations, found.nodes)


def _check_pronoun(context: EffectContext, target: Phrase) -> None:
    """Refuse `set its date and rename it` unless `it` is a key that was named by itself."""
    before = context.previous.role("target") if context.previous is not None else None
    if not target.owner or target.nodes or context.previous is None:
        return
    if before is None or before.owner or before.end - before.start > 1:
        raise Unclear("target", "it may be the record rather than the key", context.focus)
    if context.chart.tokens[before.start].kind == "word":
        raise Unclear("target", "it may be the record rather than the key", context.focus)


def _may_hold_name(context: EffectContext, target: Phrase, new: str) -> bool:
    """Return whether a field called `the project` holds a name, and the new one looks like that."""
    first = context.chart.tokens[target.start]
    held = context.tree.values[target.nodes[0]] if len(target.nodes) == 1 else None
    named = isinstance(held, str) and held[:1].isupper()
    return named and new[:1].isupper() and first.low == "the" and context.clause.role(
        "STRUCT") is None  # fmt: skip


def _renamed_key(
    context: EffectContext, node: int, text: str, kind: str
) -> list[DocumentOperation]:
    tree = context.tree
    parent, old = tree.parents[node], tree.keys[node]
    held = tree.values[parent] if parent >= 0 else None
    if not isinstance(held, dict) or not isinstance(old, str):
        raise Unclear("type", "only a key can be renamed", (node,))
    path = tree.path(node)
    key = text
    if kind != "quoted" and "." in text:
        parts = text.split(".")
        if tuple(parts[:-1]) != path[: len(parts) - 1] or len(parts) != len(path):
            raise Unclear("value", f"{text!r} is somewhere else, which is a move", (node,))
        key = parts[-1]
    rooted = text.startswith("/") and not old.startswith("/")
    if kind != "quoted" and (rooted or (nodes_of_path(tree, text) and "." in text)):
        raise Unclear("value", f"{text!r} is a place", (node,))
    if key == old:
        return []
    if key in held:
        raise Unclear("value", f"{key!r} is there already", (node,))
    value = tree.values[node]
    operation = DocumentOperation("rename", path, value, value, (*path[:-1], key))
    return [operation.with_confidence(context.rate(0.95))]


def give_name(context: EffectContext) -> EffectOutcome:
    """Give a record that is known by its name another name."""
    target, value = context.clause.role("target"), context.clause.role("value")
    if "key" in context.chart.lows[target.start : target.end]:
        raise Unclear("type", "its key is to be changed, not its name", target.nodes)
    if not target.fields and (target.sort is Sort.ITEMS or target.nodes == (0,)):
        return _name_record(context)
    if target.sort not in (Sort.RECORD, Sort.ELEMENT, Sort.ITEMS) or not target.fields:
        raise Unclear("type", "it has no name to change", target.nodes)
    found = context.resolve(target)
    fields = [
        n for n in target.fields
        if context.tree.inside((n,), found.nodes)
        and (context.tree.identifies(n) or n in found.nodes)
    ]  # fmt: skip
    if len(fields) != 1:
        raise Unclear("several", "it is not clear which field is its name", found.nodes)
    if not context.whole:
        context.doubt = context.doubt or "only a part of the name is said"
    coded = context.chart.tokens[target.end - 1].kind == "code" and target.end - target.start > 1
    if coded and target.sort is Sort.ELEMENT and context.tree.is_element(fields[0]):
        context.cost += 1  # "the service `cache`" is rather the one under that key
    record, key = context.tree.parents[fields[0]], str(context.tree.keys[fields[0]])
    called = context.chart.low(context.clause.start) == "call"
    other = context.tree.is_named(record) and key_form(key) not in NAME_FORMS
    if (other and not _says_key(context, key)) or (called and context.tree.is_element(fields[0])):
        context.doubt = context.doubt or f"{key} may not be the name that is meant"
    return context.each(ResolvedNodes(tuple(fields)), lambda node: context.type_value(value, node))


def _name_record(context: EffectContext) -> EffectOutcome:
    """Give the one record that is meant by its place or a condition another name."""
    target = context.clause.role("target")
    found = ResolvedNodes((0,)) if target.nodes == (0,) else context.resolve(target)
    if context.clause.scopes and target.nodes == (0,):
        raise Unclear("clause", "it is not clear what the scope applies to")
    tree, value = context.tree, context.clause.role("value")
    named = [c for n in found.nodes for c in tree.children(n)
             if key_form(str(tree.keys[c])) in NAME_FORMS]  # fmt: skip
    if len(found.nodes) != 1 or len(named) != 1:
        raise Unclear("type", "it has no name to change", found.nodes)
    return context.each(ResolvedNodes(tuple(named)), lambda node: context.type_value(value, node))


def _says_key(context: EffectContext, key: str) -> bool:
    """Return whether the field is named beside its value: rename sku "T-100"."""
    target = context.clause.role("target")
    said = context.chart.tokens[target.start : target.end]
    return any(key_form(token.text) == key_form(key) for token in said)


def replace(context: EffectContext) -> EffectOutcome:
    """Replace a value wherever it is meant, or a part of a text."""
    clause, tree = context.clause, context.tree
    old, new = clause.role("old"), clause.role("new")
    text = _plain(context, old)
    scope, many = _search_places(context)
    whole = tuple(n for n in scope if _is_text(tree.values[n], text, _is_quoted(context, old)))
    if not whole and (noun := without_article(context, old)) != old:
        said = _plain(context, noun)
        whole = tuple(
            n for n in scope if tree.is_element(n) and _is_text(tree.values[n], said, False)
        )
        new = without_article(context, new) if whole else new
    if whole:
        if len(whole) > 1 and not many:
            raise Unclear("several", f"{text!r} is in several places", whole)
        rest = set(scope).difference(whole)
        parts = tuple(n for n in scope if n in rest and _has_part(tree.values[n], text))
        if parts and many:
            return _replace_all(context, whole, parts, text)
        return context.each(ResolvedNodes(whole, many), lambda node: context.type_value(new, node))
    within = clause.role("within")
    scoped = clause.scopes and _is_quoted(context, old) and _is_quoted(context, new)
    if within is None and not many and not scoped:
        raise Unclear("target", f"nothing here is {text!r}")
    parts = tuple(n for n in scope if _has_part(tree.values[n], text))
    if not parts:
        raise Unclear("target", f"{text!r} is not there")
    if len(parts) > 1 and not many:
        raise Unclear("several", f"{text!r} is in several places", parts)
    put = _plain(context, new)
    tokens = context.chart.tokens[new.start : new.end]
    context.doubt = context.doubt or doubt_of(tokens, "", (), "")
    return context.each(
        ResolvedNodes(parts, many), lambda node: _replace_words(tree.values[node], text, put)
    )


def _replace_all(
    context: EffectContext, whole: tuple[int, ...], parts: tuple[int, ...], text: str
) -> EffectOutcome:
    """Replace a text where it is a value and, as it is said to be everywhere, in other texts."""
    new, tree = context.clause.role("new"), context.tree
    if context.clause.extra != "all" and not any(s.is_everywhere for s in context.clause.scopes):
        context.doubt = context.doubt or f"{text!r} is a part of other texts as well"
        parts = ()
    put, held = _plain(context, new), set(whole)

    def change(node: int) -> Value:
        if node in held:
            return context.type_value(new, node)
        return _replace_words(tree.values[node], text, put)

    return context.each(ResolvedNodes(tuple(sorted({*whole, *parts})), many=True), change)


def _replace_words(value: Value, old: str, new: str) -> Value:
    assert isinstance(value, str)
    return re.sub(_word_pattern(old), lambda _: new, value)


def _word_pattern(text: str) -> str:
    """Return a pattern for *text* that does not begin or end within a word."""
    left = r"(?<!\w)" if text[:1].isalnum() else ""
    right = r"(?!\w)" if text[-1:].isalnum() else ""
    return left + re.escape(text) + right


def _has_part(value: Value, text: str) -> bool:
    return (
        isinstance(value, str) and bool(text) and re.search(_word_pattern(text), value) is not None
    )


def _is_quoted(context: EffectContext, span: TokenSpan) -> bool:
    return context.chart.tokens[span.start].kind in ("quoted", "code")


def _plain(context: EffectContext, span: TokenSpan) -> str:
    tokens = context.chart.tokens[span.start : span.end]
    if len(tokens) == 1:
        return tokens[0].text
    if any(t.kind in ("quoted", "json") for t in tokens):
        raise Unclear("value", f"{context.text(span)!r} is not one text")
    return context.text(span)


def _is_text(value: Value, text: str, exact: bool) -> bool:
    if isinstance(value, Num):
        return not exact and value.text == text
    if not isinstance(value, str):
        return False
    return value == text or (not exact and value.lower() == text.lower())


def _search_places(context: EffectContext) -> tuple[tuple[int, ...], bool]:
    """Return the scalars in which to look, and whether several may change."""
    clause, tree = context.clause, context.tree
    within, key = clause.role("within"), clause.role("key") or clause.role("kind")
    many = clause.extra in ("all", "both")
    nodes: tuple[int, ...] = (0,)
    if within is not None:
        found = context.resolve(within)
        nodes, many = found.nodes, many or found.many
    elif clause.scopes:
        context.scoped = True
        for scope in clause.scopes:
            if scope.is_everywhere or (scope.is_if and scope.phrase is None):
                many = many or scope.is_everywhere
            elif scope.phrase is not None and scope.wanted and not scope.phrase.owner:
                nodes = scope.phrase.nodes
                many = many or scope.phrase.many
                if len(nodes) > 1 and not scope.phrase.many:
                    raise Unclear("several", "it is not clear where", nodes)
            else:
                raise Unclear("clause", "it is not clear where it is to be replaced")
    scalars = tuple(
        n for top in tree.outermost(nodes) for n in range(top, tree.end[top])
        if not isinstance(tree.values[n], dict | list)
    )  # fmt: skip
    if key is not None:
        held = set(key.nodes)
        scalars = tuple(n for n in scalars if n in held or tree.parents[n] in held)
    tree.spend(len(scalars))
    return scalars, many


def case(context: EffectContext) -> EffectOutcome:
    """Write texts in capitals, in small letters, or without blanks around them."""
    found = context.fields()
    ways: dict[str, Callable[[str], str]] = {
        "upper": str.upper,
        "lower": str.lower,
        "trim": str.strip,
    }

    def change(node: int) -> Value:
        value = context.tree.values[node]
        if not isinstance(value, str):
            raise Unclear("type", "only a text has capitals", (node,))
        return ways[context.clause.extra](value)

    return context.each(found, change)


def affix(context: EffectContext) -> EffectOutcome:
    """Put a text before or behind the texts there are."""
    found = context.fields()
    span = context.clause.role("value")
    text = _plain(context, span)
    if not _is_quoted(context, span) and span.end - span.start > 1:
        raise Unclear("value", "the text needs quotes")

    def change(node: int) -> Value:
        value = context.tree.values[node]
        by_verb = context.chart.low(context.clause.start) in ("prefix", "suffix")
        if not isinstance(value, str) or (context.tree.is_element(node) and not by_verb):
            raise Unclear("type", "only a text can be added to", (node,))
        return text + value if context.clause.extra == "before" else value + text

    return context.each(found, change)


def retype(context: EffectContext) -> EffectOutcome:
    """Change the type of values whose text allows it."""
    kind = context.clause.extra

    def change(node: int) -> Value:
        value = context.tree.values[node]
        if kind == "list":
            return value if isinstance(value, list) else [value]
        if kind == "null":
            return None
        if isinstance(value, dict | list) or value is None:
            raise Unclear("type", f"{context.key(node)} cannot become a {kind}", (node,))
        text = value if isinstance(value, str) else dumps(value)
        return text if kind == "string" else _read_as(kind, text, node)

    return context.each(context.fields(), change)


def _read_as(kind: str, text: str, node: int) -> Value:
    """Return the number or boolean a text says; Refusal when it says none."""
    low = text.strip().lower()
    number = number_in(low) if low[:1].isdigit() or low.startswith("-") else None
    if kind == "number" and number is not None:
        return Num(number)
    if kind == "boolean" and low in ("true", "yes", "on", "false", "no", "off"):
        return low in ("true", "yes", "on")
    raise Unclear("type", f"{text[:40]!r} cannot become a {kind}", (node,))
