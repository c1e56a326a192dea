"""Remarks around an instruction: skipped only when they narrow nothing."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.adjuncts.protections import KEEPING_WORDS
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import VERBS
from redline.instruct.language.tokens import Token
from redline.instruct.language.words import (
    ARTICLES,
    QUANTIFIERS,
    SCOPING,
    is_plural,
    key_form,
    key_words,
    number_in,
    singular,
)
from redline.instruct.lexicon.senses import Sort
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import dumps

# Words that limit what is done: never part of something that may be left aside.
_LIMITING = frozenset(
    "not only except unless if without but no never don't dont excluding none "
    "until when while or".split()
)
_COLOURLESS = ARTICLES | frozenset(
    "we i he she it they you there is are was were be been has have had now , and its their his "
    "her our to 's all every each both any so too very just will would can could should that this "
    "may might must by instead also one".split()
)


# Words that begin a sentence about something that happened.
_TELLING = frozenset(
    "i we they he she it it's there there's my our as following great good bad wonderful sorry "
    "we're i'm we've i've they've he's she's someone somebody nobody people".split()
)

# Words before a verb that asks.
_ASKING = frozenset("so please then therefore hence".split())

# Words that begin to say where in a list something goes.
_PLACING = frozenset(
    "before after ahead above below behind between preceding following directly immediately "
    "right just straight in at".split()
)


def doubtful_word(
    chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]
) -> str:
    """Return a word of the remark that may narrow what is done, or an empty text."""
    if restates(chart, start, end, operations):
        return ""
    asked = _asked_word(chart, start, end)
    if asked:
        return asked
    telling = _telling_word(chart, start, end, operations)
    if telling:
        return telling
    if _only_says_why(chart, start, end) and _are_named(chart, end, operations):
        limiting = (t.text for t in chart.tokens[start:end] if t.low in _LIMITING)
        return next(limiting, "")
    return _narrowing_word(chart, start, end, operations)


def _asked_word(chart: Chart, start: int, end: int) -> str:
    """Return the verb of a remark that asks for something itself: `so mark it paid`."""
    begun = (p for p in range(max(start, 1), end) if chart.low(p - 1) in _ASKING)
    return next((chart.tokens[p].text for p in begun if chart.low(p) in VERBS), "")


def _narrowing_word(
    chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]
) -> str:
    """Return the first word of a remark that may limit what is done."""
    said = _forms_said(chart, start, end, operations)
    own = set(_own_names(chart, start, end, operations))
    for place in range(start, end):
        token = chart.tokens[place]
        if token.low.strip("()") in VERBS and (
            token.low.startswith("(") or chart.low(place - 1) == "("
        ):
            return token.text.strip("()")
        if place in own or token.low in _COLOURLESS or _is_no_longer(chart, place, start):
            continue
        if said & set(_forms(token)) or _is_stem(token.low, said):
            continue
        if _may_narrow(chart, place, (start, end), operations):
            return token.text
    return ""


def _only_says_why(chart: Chart, start: int, end: int) -> bool:
    """Return whether a remark is what the changes are for: `Publish the quiz:`, `Since we moved,`.

    A heading without a verb may say where they are to be made.
    """
    if chart.low(start) in _REASONS:
        return chart.low(end) == ","
    after = chart.low(start + 1)
    ordered = after in ARTICLES | QUANTIFIERS | {"its", "their"}
    verb = chart.low(start).isalpha() and chart.low(start) not in SCOPING and ordered
    return verb and (chart.low(end) == ":" or (chart.low(end) == "by" and end - start > 1))


_REASONS = frozenset("since because as given".split())


def _are_named(chart: Chart, end: int, operations: tuple[DocumentOperation, ...]) -> bool:
    """Return whether each change is at a key that is the only one of its name, and is said so."""
    said = {key_form(token.text) for token in chart.tokens[end:]}
    said |= {key_form(token.text.rpartition(".")[2]) for token in chart.tokens[end:] if token.path}
    keys = [op.path[-1] for op in operations if op.op in ("replace", "rename")]
    return len(keys) == len(operations) > 0 and all(
        len(chart.tree.by_key.get(key, ())) == 1 and key_form(key) in said for key in keys
    )


def _telling_word(
    chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]
) -> str:
    """Return a word that says what must stay, or where in a list something goes."""
    staying = [
        chart.tokens[p].text for p in range(start, end)
        if chart.low(p) in KEEPING_WORDS
        and not (chart.low(p) == "stay" and chart.low(p - 1) in ARTICLES)
    ]  # fmt: skip
    if staying:
        return staying[0]
    first = start + (chart.low(start) in ("(", "-"))
    word = chart.low(first).lstrip("(")
    placing = start > 0 and word in _PLACING and any(o.op == "insert" for o in operations)
    return word if placing else ""


def _forms_said(
    chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]
) -> set[str]:
    """Return what the rest of the instruction names, and what all changes have in common."""
    inside = set(range(start, end))
    said = {
        form for place, token in enumerate(chart.tokens) if place not in inside
        for form in _forms(token)
    }  # fmt: skip
    touched = [
        {form for part in operation.path for form in _part_forms(part)} for operation in operations
    ]
    if touched:
        said |= set.intersection(*touched)
    return said


def restates(chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]) -> bool:
    """Return whether words in brackets say again what is changed: (active: true), (`a.b`)."""
    inner = [t for t in chart.tokens[start + 1 : end - 1] if t.low not in _SIGNS]
    if chart.low(start) != "(" or chart.low(end - 1) != ")" or not 0 < len(inner) <= 2:
        return False
    where = key_form(inner[0].text)
    value = inner[1].text.lower() if len(inner) == 2 else None
    for operation in operations:
        names = {key_form(operation.path[-1]), key_form(".".join(operation.path))}
        held = operation.value if operation.op in ("replace", "add") else None
        if where in names and (value is None or dumps(held).strip('"').lower() == value):
            return True
    return False


_SIGNS = frozenset(": = -> => is := →".split())


def _may_narrow(
    chart: Chart, place: int, span: tuple[int, int], operations: tuple[DocumentOperation, ...]
) -> bool:
    """Return whether a word of a remark may limit what is done."""
    start, end = span
    token, senses = chart.tokens[place], chart.lexicon.senses(place)
    narrated = end - start > 3 and chart.low(start) in _TELLING
    if chart.low(end) == "," and any(sense.whole for sense in senses):
        return True
    # a few words before a colon are a heading, a whole sentence is none
    label = ":" in (chart.low(end), chart.low(end - 1))
    narrows = (label and not narrated) or chart.low(start) in SCOPING
    if narrows and not senses and not _is_verb(chart, place, start):
        return True
    if narrated and token.low in SCOPING and not senses:
        return False
    opens = place == start or chart.low(place - 1) in (".", "!", "\n", ";")
    stranger = narrated and not senses and token.text.isalpha() and number_in(token.text) is None
    reason = _gives_reason(chart, start)
    limits = _limits(token, opens or stranger, reason)
    return limits or not _is_beside(chart, place, operations)


def _gives_reason(chart: Chart, start: int) -> bool:
    return chart.low(start) in ("because", "since", "as", "so")


def _is_no_longer(chart: Chart, place: int, start: int) -> bool:
    """Return whether a reason says that something is over: `since it is no longer used`."""
    if chart.words(place, ("no", "longer")) > 0:
        return _gives_reason(chart, start)
    said = " ".join(chart.lows[place + 1 :]).split(" , ")[0]
    return chart.low(place) in _NO_MORE and said.endswith(("any more", "anymore", "any longer"))


_NO_MORE = frozenset("don't doesn't isn't aren't can't won't".split())


def _own_names(
    chart: Chart, start: int, end: int, operations: tuple[DocumentOperation, ...]
) -> Iterator[int]:
    """Yield where the remark names the one record in which all changes are."""
    for place in range(start, end):
        for sense in chart.lexicon.senses(place):
            paths = [chart.tree.path(n) for n in sense.nodes] if len(sense.nodes) == 1 else []
            if sense.sort is Sort.RECORD and paths and operations and all(
                o.path[: len(paths[0])] == paths[0] and len(o.path) > len(paths[0]) > 0
                for o in operations
            ):  # fmt: skip
                yield from range(place, sense.end)


def _is_stem(low: str, said: set[str]) -> bool:
    """Return whether a word begins like one that is spoken of: fail, failure."""
    return len(low) > 3 and any(form.startswith(low[:5]) for form in said if len(form) > 3)


def _is_verb(chart: Chart, place: int, start: int) -> bool:
    """Return whether a word is a verb: one the grammar knows, or the first before an article."""
    low = chart.low(place)
    if low in VERBS or (place > start and (low in SCOPING or low.endswith("ed"))):
        return True
    after = chart.low(place + 1)
    named = bool(chart.lexicon.senses(place + 1)) and not is_plural(after)
    # "European servers" begins with no verb
    return place == start and (after in ARTICLES | QUANTIFIERS or named)


def _is_beside(chart: Chart, place: int, operations: tuple[DocumentOperation, ...]) -> bool:
    """Return whether what a word names is a scalar beside or around every change, or nothing."""
    tree = chart.tree
    for sense in chart.lexicon.senses(place):
        for operation in operations:
            around = {operation.path[:length] for length in range(len(operation.path))}
            if not any(
                tree.path(n)[:-1] in around and not isinstance(tree.values[n], dict | list)
                for n in sense.nodes
            ) and not any(tree.path(n) in around for n in sense.nodes):
                return False
    return True


def _limits(token: Token, opens: bool, reason: bool) -> bool:
    """Return whether the word may narrow what is done: a preposition, a number, a name."""
    if token.kind != "word":
        return token.kind not in ("sign", "end", "poss")
    named = (token.text[:1].isupper() and not opens) or number_in(token.text) is not None
    return named or (token.low in _LIMITING and not (reason and token.low in ("only", "all")))


def _part_forms(part: str) -> set[str]:
    return {key_form(part), *map(singular, key_words(part))}


def _forms(token: Token) -> tuple[str, str]:
    return key_form(token.text), singular(token.text.lower())
