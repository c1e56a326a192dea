"""How the sentence behind each verb is read, where a verb does more than call one reader."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct import additions, arrange, assign, numbers, removal, states, texts
from redline.instruct.conditions import STARTERS
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best
from redline.instruct.tokens import Token, Tokens
from redline.instruct.words import SCOPING

Grammar = Callable[[Reader, Tokens], list[Outcome]]


def adjust(direction: int, *, unit_step: bool = False) -> Grammar:
    """`increase X by 5`, `reduce X to 20`, `cut X in half`."""

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


def add(verb: str) -> Grammar:
    """What is read behind *verb*, one that puts something in."""
    return lambda reader, tokens: additions.add(reader, tokens, verb)


def prefix(verb: str) -> Grammar:
    """What is read behind `prefix` or `suffix`."""
    return lambda reader, tokens: additions.prefix(reader, tokens, verb)


def switch(verb: str) -> Grammar:
    """What is read behind `enable`, `disable` and their like."""
    return lambda reader, tokens: states.switch(reader, tokens, verb)


def scale(verb: str) -> Grammar:
    """What is read behind `double`, `multiply` and their like."""
    return lambda reader, tokens: numbers.scale(reader, tokens, verb)


def case(verb: str) -> Grammar:
    """What is read behind `uppercase`, `trim` and their like."""
    return lambda reader, tokens: texts.change_case(reader, tokens, verb)


def turn(reader: Reader, tokens: Tokens) -> list[Outcome]:
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


def flip(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`flip the switch`, `flip X to off`."""
    spoken = any(t.low in ("on", "off") or t.low in assign.CONNECTORS for t in tokens)
    return turn(reader, tokens) if spoken else states.toggle(reader, tokens)


def make(reader: Reader, tokens: Tokens) -> list[Outcome]:
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


def use(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`use V for X`, `use V as the X`, `use V instead of W for X`."""
    attempts = []
    for place, token in enumerate(tokens):
        if 0 < place < len(tokens) - 1 and token.low in ("for", "as"):
            attempts += list(assign.assignments(reader, tokens[place + 1 :], tokens[:place]))
    if not attempts:
        raise Unclear("clause", "use needs: use V for X")
    return best(attempts)


def owned(owner: Tokens, thing: Tokens) -> Tokens:
    """`OWNER's THING`, or `THING of OWNER` where a condition ends the owner."""
    at = thing[0].start
    if any(t.low in STARTERS for t in owner):
        return (*thing, Token("word", "of", at, at), *owner)
    return (*owner, Token("poss", "'s", at, at), *thing)


def give(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`give Carol the role of admin`: the owner comes first, then what it gets."""
    readings = []
    for place in range(1, len(tokens) - 1):
        if tokens[place].low not in ("a", "an", "the"):
            continue
        owner, rest = tokens[:place], tokens[place + 1 :]
        cut = next((i for i, t in enumerate(rest) if i and t.low == "of"), None)
        if cut is not None and cut < len(rest) - 1:
            readings.append((owned(owner, rest[:cut]), rest[cut + 1 :]))
        elif len(rest) > 1:
            readings.append((owned(owner, rest[:-1]), rest[-1:]))
    if not readings:
        raise Unclear("clause", "give needs: give X the Y of V")
    return assign.assigned(reader, readings)


def subtract(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`subtract 5 from X`."""
    place = next((i for i, t in enumerate(tokens) if i and t.low == "from"), None)
    if place is None or place == len(tokens) - 1:
        raise Unclear("clause", "subtract needs: subtract N from X")
    found = reader.targets(tokens[place + 1 :])
    return [numbers.add_amount(reader, tokens[:place], found, -1)]


def put(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`put the port to 80`, `put X into the list`."""
    try:
        return assign.set_values(reader, tokens)
    except Unclear as unclear:
        try:
            return additions.add(reader, tokens, "insert")
        except Unclear:
            raise unclear from None


def drop(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`drop the draft` removes, `drop the price by 5` or `to 20` makes less of it."""
    if any(t.low in ("by", "to") for t in tokens[1:-1]):
        return adjust(-1)(reader, tokens)
    return removal.remove(reader, tokens)


def take(reader: Reader, tokens: Tokens) -> list[Outcome]:
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


def dedupe(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`dedupe the tags`."""
    return [removal.dedupe(reader, reader.targets(tokens))]
