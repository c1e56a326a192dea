"""Words behind a name that only say what it is: the port field, the firewall rule."""

from __future__ import annotations

import re
from dataclasses import replace

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.nouns.labels import with_label
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import GENERIC, STRUCTURAL, is_plural, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.values import Num, Value

_MEASURES = frozenset("size count number amount level rate length value total".split())
_TEXTUAL = frozenset(
    "message text string label caption wording address channel url path command script line "
    "code image host".split()
)
# What a key in quotes may be called: the `delete` operation, the `retry` policy.
CLASS_NOUNS = frozenset(
    "operation method endpoint policy limit threshold handler rule header toggle switch string "
    "number boolean text date timestamp label dictionary mapping table constant environment stage "
    "job step task plan role group service module package dependency plugin feature command script "
    "argument env profile job queue channel host region locale language page route".split()
)
# What things of a kind may be called behind its name: a firewall rule, a ticket category.
CLASSIFYING = frozenset("rule definition category line stage type class member".split())


def structural_suffix(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return the phrase with a word such as `field` or `section` behind it."""
    low = chart.low(phrase.end)
    if low == "one" and phrase.sort is Sort.RECORD and not phrase.many:
        return replace(phrase, end=phrase.end + 1)  # "the midnight sun one"
    classed = low in CLASSIFYING and not chart.lexicon.senses(phrase.end)
    if classed and phrase.sort is Sort.ITEMS and low == "member":
        phrase = replace(phrase, many=False)  # "the staff member" is one of the staff
    variable = _end_of_variable(chart, phrase)
    if variable:
        return replace(phrase, end=variable)
    if (low in GENERIC or classed) and phrase.sort is Sort.ITEMS and not phrase.many:
        return replace(phrase, end=phrase.end + 1)  # "the employee record"
    if singular(low) in GENERIC and phrase.sort in (Sort.KEY, Sort.PATH):
        return _entries(chart.tree, phrase, is_plural(low))
    measured = _says_type(chart, phrase, low)
    named = singular(low) in STRUCTURAL - GENERIC and phrase.sort in (Sort.KEY, Sort.PATH)
    last = chart.tokens[phrase.end - 1]
    quoted = last.kind in ("quoted", "code") or last.path
    senses = chart.lexicon.senses(phrase.end)
    if quoted and low in CLASS_NOUNS and not any(s.whole for s in senses) and all(
        _is_of_type(low, chart.tree.values[n]) for n in phrase.nodes
    ):  # fmt: skip
        return replace(phrase, end=phrase.end + 1)
    if not measured and not named:
        return with_label(chart, phrase)
    many = phrase.many or (is_plural(low) and len(phrase.nodes) > 1)
    whole = phrase.whole or (named and low in ("list", "array", "collection"))
    return replace(phrase, end=phrase.end + 1, many=many, weak=False, whole=whole)


def _is_of_type(noun: str, value: Value) -> bool:
    """Return whether a noun for a type of values fits a value; other nouns do."""
    if noun in ("date", "timestamp"):
        return value is None or (isinstance(value, str) and _DATED.match(value) is not None)
    kinds = {"number": Num, "boolean": bool, "string": str, "text": str}
    return isinstance(value, kinds.get(noun, object))


_DATED = re.compile(r"\d{4}-\d\d")
_VARIABLES = (("environment", "variable"), ("env", "variable"), ("env", "var"), ("variable",))


def _says_type(chart: Chart, phrase: Phrase, low: str) -> bool:
    """Return whether a word only says what kind of value a field holds: the error message.

    A word that is a key itself may name that instead: the redis image, beside `REDIS_URL`.
    """
    kind: type = type(None)
    if singular(low) in _MEASURES:
        kind = Num
    elif phrase.sort is Sort.KEY:
        kind = bool if low in ("state", "status") else str if singular(low) in _TEXTUAL else kind
    if kind is type(None) or not phrase.nodes:
        return False
    if not phrase.whole and any(s.whole for s in chart.lexicon.senses(phrase.end)):
        return False
    return all(isinstance(chart.tree.values[n], kind) for n in phrase.nodes)


def _end_of_variable(chart: Chart, phrase: Phrase) -> int:
    """Return where `LOG_LEVEL environment variable` ends; 0 when it is none."""
    if phrase.sort is not Sort.RECORD or phrase.many or not _are_pairs(chart.tree, phrase):
        return 0
    return next((e for w in _VARIABLES if (e := chart.words(phrase.end, w)) > 0), 0)


def _are_pairs(tree: DocumentTree, phrase: Phrase) -> bool:
    """Return whether records are pairs of a name and a value."""
    return all(
        isinstance(held := tree.values[n], dict) and set(held) == {"name", "value"}
        for n in phrase.nodes
    )


def _entries(tree: DocumentTree, phrase: Phrase, plural: bool) -> Phrase | None:
    """Return the members of what is named: the rsvp entries; or itself: the "react" entry."""
    held = [tree.values[n] for n in phrase.nodes]
    if not plural:
        return replace(phrase, end=phrase.end + 1)
    if not all(isinstance(value, dict | list) for value in held):
        return None
    nodes = tuple(sorted(c for n in phrase.nodes for c in tree.children(n)))
    return replace(phrase, end=phrase.end + 1, nodes=nodes, sort=Sort.ITEMS, many=True, weak=False)
