"""Sentences that say how things shall be: `X should be V`, `X = V`, `ensure X is V`."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct import arrange, assign, grammars, removal, states, texts
from redline.instruct.grammars import Grammar
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best
from redline.instruct.tokens import Token, Tokens
from redline.instruct.words import number_in

_SHOULD = tuple(
    tuple(phrase.split())
    for phrase in (
        "should now be|should be|must be|needs to be|need to be|has to be|is now|are now|shall be|"
        "becomes|ought to be|should equal|should have the value|to be|will be|should read|"
        "ought to read|must read|should now read|should say|should become|must become"
    ).split("|")
)
_HAVING = tuple(
    tuple(phrase.split())
    for phrase in (
        "should have|must have|shall have|ought to have|needs to have|should get|must get|gets"
    ).split("|")
)
ASSIGNING = frozenset(("=", "->", "=>", "→", ":", ":=", "=="))
_PASSIVE: dict[str, Grammar] = {
    "removed": removal.remove,
    "deleted": removal.remove,
    "dropped": removal.remove,
    "enabled": grammars.switch("enable"),
    "disabled": grammars.switch("disable"),
    "cleared": states.clear,
    "activated": grammars.switch("activate"),
    "deactivated": grammars.switch("deactivate"),
    "turned on": grammars.switch("enable"),
    "turned off": grammars.switch("disable"),
    "toggled": states.toggle,
    "doubled": grammars.scale("double"),
    "halved": grammars.scale("halve"),
    "emptied": states.clear,
    "uppercase": grammars.case("uppercase"),
    "lowercase": grammars.case("lowercase"),
}
_PASSIVE_TO: dict[str, Grammar] = {
    "set": assign.set_values,
    "changed": assign.set_values,
    "updated": assign.set_values,
    "renamed": texts.rename,
    "increased": grammars.adjust(1),
    "decreased": grammars.adjust(-1),
    "reduced": grammars.adjust(-1),
    "raised": grammars.adjust(1),
    "lowered": grammars.adjust(-1),
    "added": grammars.add("add"),
    "moved": arrange.move,
}


def ensure(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`ensure X is Y`."""
    if tokens and tokens[0].low == "that":
        tokens = tokens[1:]
    attempts = []
    for place, token in enumerate(tokens):
        if token.low in ("is", "are", "equals") and 0 < place < len(tokens) - 1:
            rest = tokens[place + 1 :]
            rest = rest[2:] if [t.low for t in rest[:2]] == ["set", "to"] else rest
            attempts.append(_ensured(reader, tokens[:place], rest))
    if not attempts:
        raise Unclear("clause", "ensure needs: ensure X is Y")
    return best(attempts)


def _ensured(reader: Reader, left: Tokens, right: Tokens) -> Callable[[], Outcome]:
    return lambda: assign.only(_stated(left, right)(reader))


def statement(tokens: Tokens) -> Callable[[Reader], list[Outcome]] | None:
    """`X should be V`, `X = V`, `X -> V`: an instruction without a verb in front."""
    lows = tuple(t.low for t in tokens)
    for place in range(1, len(tokens)):
        for phrase in _SHOULD:
            if lows[place : place + len(phrase)] == phrase and place + len(phrase) < len(tokens):
                return _stated(tokens[:place], tokens[place + len(phrase) :])
        for phrase in _HAVING:
            if lows[place : place + len(phrase)] == phrase and place + len(phrase) < len(tokens):
                return _had(tokens[:place], tokens[place + len(phrase) :])
    for place in range(1, len(tokens) - 1):
        if lows[place] in ASSIGNING:
            left, right = tokens[:place], tokens[place + 1 :]
            return lambda reader: best(assign.assignments(reader, left, right))
    return None


def _had(owner: Tokens, rest: Tokens) -> Callable[[Reader], list[Outcome]]:
    """`all goblins should have hp 20`: given without an article as well."""
    if rest[0].low in ("a", "an", "the"):
        return lambda reader: grammars.give(reader, (*owner, *rest))
    if len(rest) > 1 and number_in(rest[0].text) is not None:
        return lambda reader: assign.assigned(reader, [(grammars.owned(owner, rest[1:]), rest[:1])])
    article = Token("word", "the", rest[0].start, rest[0].start)
    return lambda reader: grammars.give(reader, (*owner, article, *rest))


def _stated(left: Tokens, right: Tokens) -> Callable[[Reader], list[Outcome]]:
    if len(right) >= 2 and right[0].low in ("a", "an"):
        return lambda reader: states.become(reader, left, right[1:])
    words = " ".join(t.low for t in right)
    if words in _PASSIVE:
        grammar = _PASSIVE[words]
        return lambda reader: grammar(reader, left)
    if right[0].low in _PASSIVE_TO and len(right) > 2:
        active = _PASSIVE_TO[right[0].low]
        return lambda reader: active(reader, (*left, *right[1:]))
    return lambda reader: _so(reader, left, right)


def _so(reader: Reader, left: Tokens, right: Tokens) -> list[Outcome]:
    """`X should be V`; for a record, a state it can be in: `Pediatrics should be open`."""
    try:
        return best(assign.assignments(reader, left, right))
    except Unclear as unclear:
        if unclear.rank != "type" or len(right) > 4:
            raise
        fallbacks: list[Callable[[], list[Outcome]]] = [lambda: states.become(reader, left, right)]
        if len(right) > 1 and assign.is_loose(right[-1]):
            # "Brom should be level 16"
            owned = grammars.owned(left, right[:-1])
            fallbacks.insert(0, lambda: assign.assigned(reader, [(owned, right[-1:])]))
        for fallback in fallbacks:
            try:
                return fallback()
            except Unclear:
                continue
        raise
