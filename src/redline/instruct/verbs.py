"""Which grammar a verb calls for."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct import additions, arrange, assign, numbers, removal, states, texts
from redline.instruct.conditions import STARTERS
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best
from redline.instruct.tokens import Token, Tokens
from redline.instruct.words import SCOPING, number_in

Grammar = Callable[[Reader, Tokens], list[Outcome]]


def _adjust(direction: int, *, unit_step: bool = False) -> Grammar:
    def read(reader: Reader, tokens: Tokens) -> list[Outcome]:
        by = any(t.low in ("by", "percent") for t in tokens)
        if not by and any(t.low == "to" for t in tokens[1:]):
            outcomes = assign.set_values(reader, tokens)
            return numbers.towards(outcomes, direction, elided=reader.elided)
        halved = [t.low for t in tokens[-2:]] in (["in", "half"], ["by", "half"])
        if direction < 0 and halved and len(tokens) > 2:
            return numbers.scale(reader, tokens[:-2], "halve")
        return numbers.adjust(reader, tokens, direction, unit_step=unit_step)

    return read


def _add(verb: str) -> Grammar:
    return lambda reader, tokens: additions.add(reader, tokens, verb)


def _prefix(verb: str) -> Grammar:
    return lambda reader, tokens: additions.prefix(reader, tokens, verb)


def _switch(verb: str) -> Grammar:
    return lambda reader, tokens: states.switch(reader, tokens, verb)


def _scale(verb: str) -> Grammar:
    return lambda reader, tokens: numbers.scale(reader, tokens, verb)


def _case(verb: str) -> Grammar:
    return lambda reader, tokens: texts.change_case(reader, tokens, verb)


def _turn(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`turn on X`, `turn X off`, `switch X to Y`."""
    scoped = [
        i
        for i, t in enumerate(tokens[:-1])
        if i and t.low in ("on", "off") and tokens[i + 1].low in SCOPING
    ]
    for place in (0, len(tokens) - 1, *scoped) if len(tokens) > 1 else ():
        if tokens[place].low in ("on", "off"):
            verb = "enable" if tokens[place].low == "on" else "disable"
            return states.switch(reader, (*tokens[:place], *tokens[place + 1 :]), verb)
    if any(t.low == "with" for t in tokens[1:-1]):
        return arrange.swap(reader, tokens)
    return assign.set_values(reader, tokens)


def _flip(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`flip the switch`, `flip X to off`."""
    spoken = any(t.low in ("on", "off") or t.low in assign.CONNECTORS for t in tokens)
    return _turn(reader, tokens) if spoken else states.toggle(reader, tokens)


def _make(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`make X uppercase`, `make sure X is Y`, `make X Y`."""
    if len(tokens) > 1 and tokens[-1].low in ("uppercase", "lowercase"):
        return texts.change_case(reader, tokens[:-1], tokens[-1].low)
    if len(tokens) > 1 and tokens[-1].low in ("enabled", "disabled", "active", "inactive"):
        return _made(reader, tokens[:-1], tokens[-1].low)
    if len(tokens) > 2 and tokens[-2].low == "not" and tokens[-1].kind == "word":
        return states.become(reader, tokens[:-2], tokens[-2:])
    if len(tokens) > 2 and tokens[-2].low in ("a", "an") and tokens[-1].kind == "word":
        return states.become(reader, tokens[:-2], tokens[-1:])
    alike = assign.likened(tokens)
    if alike is not None:
        return assign.assigned(reader, [alike])
    if len(tokens) > 1 and not any(t.low in assign.CONNECTORS for t in tokens):
        return _made_so(reader, tokens)
    return assign.set_values(reader, tokens)


def _made_so(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`make the port 80`, or `make Dune unavailable` where the record has such a flag."""
    try:
        return assign.set_values(reader, tokens)
    except Unclear:
        if tokens[-1].kind != "word" or not tokens[-1].text.isalpha():
            raise
        return states.become(reader, tokens[:-1], tokens[-1:])


def _made(reader: Reader, target: Tokens, word: str) -> list[Outcome]:
    verbs = {"enabled": "enable", "disabled": "disable",
             "active": "activate", "inactive": "deactivate"}  # fmt: skip
    return states.switch(reader, target, verbs[word])


def _use(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`use V for X`, `use V as the X`, `use V instead of W for X`."""
    attempts = []
    for place, token in enumerate(tokens):
        if 0 < place < len(tokens) - 1 and token.low in ("for", "as"):
            attempts += list(assign.assignments(reader, tokens[place + 1 :], tokens[:place]))
    if not attempts:
        raise Unclear("clause", "use needs: use V for X")
    return best(attempts)


def _owned(owner: Tokens, thing: Tokens) -> Tokens:
    """`OWNER's THING`, or `THING of OWNER` where a condition ends the owner."""
    at = thing[0].start
    if any(t.low in STARTERS for t in owner):
        return (*thing, Token("word", "of", at, at), *owner)
    return (*owner, Token("poss", "'s", at, at), *thing)


def _give(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`give Carol the role of admin`: the owner comes first, then what it gets."""
    readings = []
    for place in range(1, len(tokens) - 1):
        if tokens[place].low not in ("a", "an", "the"):
            continue
        owner, rest = tokens[:place], tokens[place + 1 :]
        cut = next((i for i, t in enumerate(rest) if i and t.low == "of"), None)
        if cut is not None and cut < len(rest) - 1:
            readings.append((_owned(owner, rest[:cut]), rest[cut + 1 :]))
        elif len(rest) > 1:
            readings.append((_owned(owner, rest[:-1]), rest[-1:]))
    if not readings:
        raise Unclear("clause", "give needs: give X the Y of V")
    return assign.assigned(reader, readings)


def _subtract(reader: Reader, tokens: Tokens) -> list[Outcome]:
    place = next((i for i, t in enumerate(tokens) if i and t.low == "from"), None)
    if place is None or place == len(tokens) - 1:
        raise Unclear("clause", "subtract needs: subtract N from X")
    found = reader.targets(tokens[place + 1 :])
    return [numbers.add_amount(reader, tokens[:place], found, -1)]


def _ensure(reader: Reader, tokens: Tokens) -> list[Outcome]:
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


def _put(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`put the port to 80`, `put X into the list`."""
    try:
        return assign.set_values(reader, tokens)
    except Unclear as unclear:
        try:
            return additions.add(reader, tokens, "insert")
        except Unclear:
            raise unclear from None


def _drop(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`drop the draft` removes, `drop the price by 5` or `to 20` makes less of it."""
    if any(t.low in ("by", "to") for t in tokens[1:-1]):
        return _adjust(-1)(reader, tokens)
    return removal.remove(reader, tokens)


def _take(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`take X out of Y`, `take 5 off the price`."""
    for place in range(1, len(tokens) - 1):
        word, following = tokens[place].low, tokens[place + 1]
        if word == "out" and following.low in ("of", "from") and place + 2 < len(tokens):
            origin = Token("word", "from", following.start, following.end)
            return removal.remove(reader, (*tokens[:place], origin, *tokens[place + 2 :]))
        if word == "off" and tokens[0].text.lstrip("$€£")[:1].isdigit():
            skip = 2 if following.low == "of" else 1
            found = reader.targets(tokens[place + skip :])
            return [numbers.add_amount(reader, tokens[:place], found, -1)]
    raise Unclear("clause", "take needs: take X out of Y")


def _dedupe(reader: Reader, tokens: Tokens) -> list[Outcome]:
    return [removal.dedupe(reader, reader.targets(tokens))]


_TABLE: dict[str, Grammar] = {
    "set|change|update|modify|edit|assign|configure|adjust|correct|fix": assign.set_values,
    "put": _put,
    "reset|upgrade|downgrade|scale|reschedule|postpone": assign.set_values,
    "make": _make,
    "turn|switch": _turn,
    "flip": _flip,
    "let|want": assign.set_values,
    "use": _use,
    "give": _give,
    "ensure|make sure|make certain": _ensure,
    "rename": texts.rename,
    "replace|substitute": texts.replace,
    "drop": _drop,
    "take|knock": _take,
    "remove|delete|erase|get rid of|eliminate|discard|strip|take out": removal.remove,
    "keep": removal.keep_only,
    "clear|empty|blank|empty out|clear out|blank out": states.clear,
    "add": _add("add"),
    "create": _add("create"),
    "include": _add("include"),
    "insert": _add("insert"),
    "append|push": _add("append"),
    "prefix": _prefix("prefix"),
    "suffix|postfix": _prefix("suffix"),
    "prepend|unshift": _add("prepend"),
    "increment": _adjust(1, unit_step=True),
    "decrement": _adjust(-1, unit_step=True),
    "increase|raise|bump|bump up|boost|grow|extend": _adjust(1),
    "decrease|reduce|lower|cut|drop down|shrink|discount": _adjust(-1),
    "subtract|deduct": _subtract,
    "double": _scale("double"),
    "triple": _scale("triple"),
    "quadruple": _scale("quadruple"),
    "halve": _scale("halve"),
    "multiply": _scale("multiply"),
    "divide": _scale("divide"),
    "toggle|invert|negate": states.toggle,
    "enable": _switch("enable"),
    "disable": _switch("disable"),
    "activate": _switch("activate"),
    "deactivate": _switch("deactivate"),
    "turn on|switch on": _switch("enable"),
    "turn off|switch off": _switch("disable"),
    "mark|flag": states.mark,
    "swap|exchange|interchange": arrange.swap,
    "move": arrange.move,
    "copy": arrange.copy,
    "sort|order": arrange.sort,
    "reverse": arrange.reverse,
    "uppercase|upcase": _case("uppercase"),
    "lowercase|downcase": _case("lowercase"),
    "capitalize|capitalise": _case("capitalize"),
    "trim": _case("trim"),
    "dedupe|deduplicate": _dedupe,
}
VERBS: dict[tuple[str, ...], Grammar] = {
    tuple(phrase.split()): grammar
    for names, grammar in _TABLE.items()
    for phrase in names.split("|")
}
_WIDEST = max(map(len, VERBS))


def verb_at(tokens: Tokens, place: int = 0) -> tuple[Grammar, int] | None:
    """The grammar of the verb that begins at *place*, and how many words the verb has."""
    for width in range(_WIDEST, 0, -1):
        words = tuple(t.low for t in tokens[place : place + width])
        if len(words) == width and words in VERBS:
            return VERBS[words], width
    return None


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
    "removed": removal.remove, "deleted": removal.remove, "dropped": removal.remove,
    "enabled": _switch("enable"), "disabled": _switch("disable"), "cleared": states.clear,
    "activated": _switch("activate"), "deactivated": _switch("deactivate"),
    "turned on": _switch("enable"), "turned off": _switch("disable"), "toggled": states.toggle,
    "doubled": _scale("double"), "halved": _scale("halve"), "emptied": states.clear,
    "uppercase": _case("uppercase"), "lowercase": _case("lowercase"),
}  # fmt: skip
_PASSIVE_TO: dict[str, Grammar] = {
    "set": assign.set_values, "changed": assign.set_values, "updated": assign.set_values,
    "renamed": texts.rename, "increased": _adjust(1), "decreased": _adjust(-1),
    "reduced": _adjust(-1), "raised": _adjust(1), "lowered": _adjust(-1), "added": _add("add"),
    "moved": arrange.move,
}  # fmt: skip


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
        return lambda reader: _give(reader, (*owner, *rest))
    if len(rest) > 1 and number_in(rest[0].text) is not None:
        return lambda reader: assign.assigned(reader, [(_owned(owner, rest[1:]), rest[:1])])
    article = Token("word", "the", rest[0].start, rest[0].start)
    return lambda reader: _give(reader, (*owner, article, *rest))


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
            owned = _owned(left, right[:-1])
            fallbacks.insert(0, lambda: assign.assigned(reader, [(owned, right[-1:])]))
        for fallback in fallbacks:
            try:
                return fallback()
            except Unclear:
                continue
        raise
