"""The fields and sections that keys name: written as they are, or in the manner of those beside."""

from __future__ import annotations

import re

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.values.typing import type_value
from redline.instruct.grammar.frames import VERBS
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_form, singular
from redline.instruct.model.operations import ABSENT, DocumentOperation

# Words for one more of what was spoken of before, or for what is not named at all.
_PRONOUNS = frozenset(
    "one ones two three four five some something anything everything nothing another more it them "
    "this that these those".split()
)


def check_key_name(context: EffectContext) -> None:
    """Refuse a bare word that only refers to something; doubt one that may ask for a change."""
    key = context.clause.role("key")
    if key is None or context.chart.tokens[key.start].kind != "word":
        return
    said = context.text(key).lower()
    if said in _PRONOUNS:
        raise Unclear("value", f"{said!r} is not the name of a key")
    is_known = context.chart.low(key.start - 1) == "the" and key_form(said) in context.tree.by_form
    if said in VERBS or is_known:  # "a raise of 200", "the weight of web-10"
        context.doubt = f"{said!r} may ask for another change"


def set_fields(context: EffectContext) -> EffectOutcome:
    """Give several fields of one record or section the values listed."""
    clause, tree = context.clause, context.tree
    owner = clause.role("owner")
    if owner is None and context.previous is not None:
        owner = context.previous.role("owner")
    if owner is None:
        raise Unclear("clause", "it is not clear whose fields are meant")
    found = context.resolve(owner)
    operations: list[DocumentOperation] = []
    for node in found.nodes:
        if not isinstance(tree.values[node], dict) or node == 0:
            raise Unclear("type", f"{context.text(owner)!r} has no fields", (node,))
        given: set[int] = set()
        for key_span, value in clause.role("pairs").items:
            field = field_of(context, node, key_span)
            if field in given or value.extra not in ("", "literal"):
                raise Unclear("value", f"{context.text(key_span)!r} is not given once", (node,))
            given.add(field)
            held = tree.values[field]
            literal = context.chart.tokens[value.start].kind == "json"
            if isinstance(held, dict) and held and not literal:
                raise Unclear("type", f"{context.text(key_span)!r} is an object", (field,))
            operations += context.replace(field, context.type_value(value, field))
    return context.outcome(operations, found.nodes)


def field_of(context: EffectContext, node: int, span: TokenSpan) -> int:
    """Return the member of an object that a key means: as it is written, else in another form."""
    tree, text = context.tree, context.text(span).strip("`\"'")
    exact = tree.child(node, text)
    if exact is not None:
        return exact
    form = key_form(context.chart.lexicon.text(span.start, span.end))
    alike = tree.children_called(node, form)
    if len(alike) != 1:
        raise Unclear("target", f"it has no {text!r}", (node,))
    return alike[0]


# What a new member may be called, and the keys of a section that would hold such members.
_SECTIONS = {
    noun: frozenset(map(key_form, keys.split()))
    for noun, keys in {
        "label": "labels label", "variable": "env environment variables vars envVars",
        "var": "env environment variables vars envVars", "property": "properties props",
        "attribute": "attributes attrs", "setting": "settings", "option": "options opts",
        "parameter": "parameters params", "field": "fields", "entry": "entries",
        "pair": "env", "value": "values",
    }.items()
}  # fmt: skip


def section_for(context: EffectContext, node: int) -> int | None:
    """Return the section of an object that holds what a new member is said to be: its labels."""
    noun = context.clause.role("STRUCT")
    if noun is None:
        return None
    tree = context.tree
    word = singular(context.chart.low(noun.end - 1))
    forms = _SECTIONS.get(word, frozenset())
    inner = [c for c in tree.children(node)
             if key_form(str(tree.keys[c])) in forms
             and isinstance(tree.values[c], dict | list)]  # fmt: skip
    if not inner:
        return None
    if len(inner) > 1 or word not in ("label", "variable", "var"):
        raise Unclear("target", f"it may belong into {context.key(inner[0])!r}", tuple(inner))
    return inner[0]


def section_anywhere(context: EffectContext) -> int | None:
    """Return the one section for variables or labels there is, where no holder is named."""
    noun, tree = context.clause.role("STRUCT"), context.tree
    word = singular(context.chart.low(noun.end - 1)) if noun is not None else ""
    if word not in ("label", "variable", "var"):
        return None
    found = [
        n for form in _SECTIONS[word] for n in tree.by_form.get(form, ())
        if isinstance(tree.values[n], dict | list)
    ]  # fmt: skip
    if len(found) > 1:
        raise Unclear("several", "it is not clear where it is to be added", tuple(sorted(found)))
    return tree.parents[found[0]] if found else None


def named_pair(context: EffectContext, array: int) -> DocumentOperation:
    """Return one more pair of a name and a value for a list of such pairs."""
    tree, clause = context.tree, context.clause
    held = tree.values[array]
    assert isinstance(held, list)
    value, name = clause.role("value"), clause.role("key")
    shapes = {tuple(item) for item in held if isinstance(item, dict)}
    if value is None or name is None or shapes != {("name", "value")}:
        raise Unclear("type", f"{context.key(array)} is a list", (array,))
    key = key_text(context, name, [])
    if any(isinstance(item, dict) and item["name"] == key for item in held):
        raise Unclear("value", f"{key!r} is there already", (array,))
    tokens = context.chart.tokens[value.start : value.end]
    peers = [item["value"] for item in held if isinstance(item, dict)]
    new = {"name": key, "value": type_value(tokens, context.chart.source, ABSENT, peers, key)}
    path = (*tree.path(array), str(len(held)))
    return DocumentOperation("insert", path, value=new).with_confidence(context.rate(0.95))


def key_text(context: EffectContext, span: TokenSpan, beside: list[str]) -> str:
    """Return the new key; several words are joined the way the keys beside it are."""
    tokens = context.chart.tokens[span.start : span.end]
    if len(tokens) == 1:
        text = tokens[0].text
        if not text or (tokens[0].kind == "word" and not re.fullmatch(r"[\w@$.-]+", text)):
            raise Unclear("value", f"{text!r} is not a key")
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
