"""Why what a reading would change may not be meant, seen from the changes themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from redline.instruct.effects.values.bare import describes
from redline.instruct.grammar.adjuncts.tails import rounding
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import VERBS
from redline.instruct.language.words import ORDINALS, key_form
from redline.instruct.lexicon.synonyms import ASSIGNEES
from redline.instruct.model.operations import DocumentOperation, NoValue, Path
from redline.instruct.model.values import Num, Value

Operations = tuple[DocumentOperation, ...]

_ADDITIONS = frozenset("also too another additionally additional".split())
_WHETHER = frozenset(
    "should shouldn't shall do does did don't doesn't didn't is are was were isn't aren't has have "
    "had may might must".split()
)
_TAG = re.compile(r",\s+\w+n['’]t\s+(?:it|they|he|she|we|you|i)\s*\?\s*$", re.IGNORECASE)
_OTHERWISE = frozenset("otherwise else".split())
_PERSONS = frozenset("he she they we i".split())
# What may stand before a remark that only says why.
_REMARKS = frozenset((",", ".", ";", "-", "as", "because", "since"))
# What may stand before a value.
_GIVING = frozenset("to = : -> => → := is are be becomes become at of into by from equals".split())
_WRITING = ("replace", "add", "insert")
_MORE = frozenset(("one more", "another", "another one", "some more", "more", "a new one"))
_NAMING = frozenset("as with called named titled say says read reads being".split())
_SMALL_COIN = re.compile(r"(?<![\w.])(\d+) ?(?:cents?|ct|pence|p)\b", re.IGNORECASE)


def doubt_changes(chart: Chart, operations: Operations) -> str:
    """Return the first reason to ask before these changes are made; nothing if there is none."""
    checks = (_question_doubt, _otherwise_doubt, _addition_doubt, _person_doubt, _assignment_doubt,
              _coin_doubt, _sign_doubt, _manner_doubt, _more_doubt, _text_doubt,
              _rounding_doubt)  # fmt: skip
    return next((doubt for check in checks if (doubt := check(chart, operations))), "")


def _question_doubt(chart: Chart, operations: Operations) -> str:
    """`Should we set it to 5?` asks whether to; `could you set it to 5?` asks for it."""
    asks = chart.source.rstrip().endswith("?") and chart.low(0) in _WHETHER
    is_tagged = _TAG.search(chart.source) is not None
    return "it may be no more than a question" if is_tagged or (asks and operations) else ""


def _otherwise_doubt(chart: Chart, operations: Operations) -> str:
    """`if it is 5, set it to 6, otherwise to 7`: what is asked for otherwise is not done here."""
    del operations
    said = (low for low, after in pairwise(chart.lows) if after in VERBS or after == "to")
    return "it is not clear what is to be done otherwise" if _OTHERWISE & set(said) else ""


def _addition_doubt(chart: Chart, operations: Operations) -> str:
    """An element of a list may not be replaced where a word says that one more is meant."""
    said = next((low for low in chart.lows if low in _ADDITIONS), "")
    if ("as", "well") in pairwise(chart.lows):
        said = "as well"
    if not said or len(operations) != 1 or operations[0].op != "replace":
        return ""
    node = chart.tree.node_at(operations[0].path)
    replaced = node is not None and chart.tree.is_element(node)
    return f"{said!r} may ask for one more" if replaced else ""


def _person_doubt(chart: Chart, operations: Operations) -> str:
    """`he has left the club` tells of a person, not of the club beside him."""
    remarks = (low for before, low in pairwise(chart.lows) if before in _REMARKS)
    pronoun = next((low for low in remarks if low in _PERSONS), "")
    if not pronoun or len(operations) < 2:
        return ""
    first = operations[0].path
    elsewhere = any(op.path[: len(first)] != first for op in operations[1:])
    return f"{pronoun!r} may only say why" if operations[0].op == "remove" and elsewhere else ""


def _assignment_doubt(chart: Chart, operations: Operations) -> str:
    """`assign the ticket to Ann` means who has it, where a field beside it says so."""
    if "assign" not in chart.lows:
        return ""
    if any(
        operation.path and key_form(operation.path[-1]) in ASSIGNEES for operation in operations
    ):
        return ""
    for operation in operations:
        node = chart.tree.node_at(operation.path)
        if node is None or operation.op != "replace":
            continue
        beside = chart.tree.children(chart.tree.parents[node])
        forms = {key_form(str(chart.tree.keys[each])) for each in beside}
        others = forms & ASSIGNEES
        if others and key_form(str(chart.tree.keys[node])) not in others:
            return "it may be somebody to whom it is assigned"
    return ""


def _coin_doubt(chart: Chart, operations: Operations) -> str:
    """`95 cents` is 0.95 where prices are in the larger unit."""
    said = {match[1] for match in _SMALL_COIN.finditer(chart.source)}
    for new, held in _written_numbers(chart, operations, said):
        if "." in held:
            return f"{new} may be in another unit"
    return ""


def _sign_doubt(chart: Chart, operations: Operations) -> str:
    """`capacity -10` may ask for ten less."""
    said = {low for before, low in pairwise(chart.lows) if before not in _GIVING}
    for new, held in _written_numbers(chart, operations, said):
        if new.startswith("-") and not held.startswith("-"):
            return f"{new} may be a difference"
    return ""


def _written_numbers(
    chart: Chart, operations: Operations, said: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield each number of *said* that is written over another, and that other."""
    for operation in operations:
        new = operation.value
        if isinstance(new, Num) and new.text in said:
            held = _held_value(chart, operation)
            if isinstance(held, Num):
                yield new.text, held.text


def _held_value(chart: Chart, operation: DocumentOperation) -> Value:
    """Return what is now at the place of an operation; None if nothing is."""
    if not isinstance(operation.old, NoValue):
        return operation.old
    node = chart.tree.node_at(operation.path)
    return None if node is None else chart.tree.values[node]


def _manner_doubt(chart: Chart, operations: Operations) -> str:
    """`make the title shorter` says how it is to become; a word between says what it becomes."""
    bare: dict[str, bool] = {}
    for operation in operations:
        text, held = operation.value, operation.old
        if operation.op != "replace" or not isinstance(text, str) or not isinstance(held, str):
            continue
        if text not in bare:
            bare[text] = _is_bare(chart.source, text)
        if not bare[text] or not describes(text, held):
            continue
        node = chart.tree.node_at(operation.path)
        if node is not None and text not in chart.tree.peers(node):
            return f"{text!r} may be no value"
    return ""


def _is_bare(source: str, text: str) -> bool:
    """Return whether no word that introduces a value is before a text."""
    if not text or text not in source:
        return False
    before = re.search(rf"(\w+)\s+{re.escape(text)}(?!\w)", source)
    return before is not None and before[1].lower() not in _GIVING | _NAMING


def _more_doubt(chart: Chart, operations: Operations) -> str:
    """`add one more allergy` does not say which."""
    del chart
    texts = (o.value for o in operations if o.op in _WRITING and isinstance(o.value, str))
    return next((f"{text!r} is no value" for text in texts if text.lower() in _MORE), "")


def _text_doubt(chart: Chart, operations: Operations) -> str:
    """A bare text that goes on behind a comma, or stops within a name, may end elsewhere."""
    mentions: dict[str, _Mention | None] = {}
    for operation in operations:
        text = operation.value
        if not isinstance(text, str) or operation.op not in _WRITING:
            continue
        if text not in mentions:
            mentions[text] = _find_mention(chart.source, text)
        said = mentions[text]
        doubt = said and _mention_doubt(said, operation.path, _held_value(chart, operation))
        if doubt:
            return doubt
    return ""


class _Mention(NamedTuple):
    """A text that an instruction says without quotes."""

    text: str
    sign: str  # what separates its parts
    is_position: bool  # `add x as first`
    is_request: bool  # `remove x from the list, put y in`
    before: str  # the word before it
    behind: str  # a capitalized word behind it


def _mention_doubt(said: _Mention, path: Path, held: Value) -> str:
    """Return why a text may not be all of the value for *path*, or a part of it."""
    if said.sign and not (isinstance(held, str) and said.sign in held):
        return f"{said.text!r} may be more than the value"
    if said.is_position:
        return f"{said.text!r} may say where in a list it goes"
    if said.is_request:
        return f"{said.text!r} may be a request of its own"
    if said.before and isinstance(held, str) and held.startswith(f"{said.before} "):
        return f"{f'{said.before} {said.text}'!r} may be the value"
    if said.behind and key_form(said.behind) == key_form(path[-1] if path else ""):
        return f"{said.behind!r} may be a part of the value"
    return ""


def _find_mention(source: str, text: str) -> _Mention | None:
    """Return how *source* says a text; None if it does not, or in quotes."""
    if not text.strip() or text not in source:
        return None
    whole = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", source)
    at = whole.start() if whole is not None else source.find(text)
    if source[at - 1 : at] in ("'", '"', "`"):
        return None
    before, after = source[:at], source[at + len(text) :]
    behind = re.match(r" ([A-Z]\w*)", after)
    return _Mention(
        text,
        next((sign.strip() for sign in (", ", " / ") if sign in text), ""),
        text.split(maxsplit=1)[0].lower() in ORDINALS and before.endswith(" as "),
        _is_request(before, text),
        (before.split() or [""])[-1],
        behind[1] if behind is not None else "",
    )


def _is_request(before: str, text: str) -> bool:
    """Return whether a text of several words begins with a verb, where a clause may begin."""
    first, *more = text.split()
    border = before.rstrip()
    return bool(more) and first.lower() in VERBS and border.endswith((",", ";", " and", " then"))


def _rounding_doubt(chart: Chart, operations: Operations) -> str:
    """Results with more decimals than are asked for: a rounding that is not done here."""
    asked = [found[1] for place in range(chart.size) if (found := rounding(chart, place))]
    if not asked:
        return ""
    values = [op.value for op in operations if isinstance(op.value, Num)]
    longest = max((len(value.text.partition(".")[2]) for value in values), default=0)
    return "the results are not rounded so" if longest > min(asked) else ""
