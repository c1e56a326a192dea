"""Which grammar a verb calls for."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct import additions, arrange, assign, numbers, removal, texts
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best
from redline.instruct.tokens import Token, Tokens

Grammar = Callable[[Reader, Tokens], list[Outcome]]


def _adjust(direction: int, *, unit_step: bool = False) -> Grammar:
    def read(reader: Reader, tokens: Tokens) -> list[Outcome]:
        by = any(t.low in ("by", "percent") for t in tokens)
        if not by and any(t.low == "to" for t in tokens[1:]):
            return numbers.towards(assign.set_values(reader, tokens), direction)
        return numbers.adjust(reader, tokens, direction, unit_step=unit_step)

    return read


def _add(verb: str) -> Grammar:
    return lambda reader, tokens: additions.add(reader, tokens, verb)


def _switch(verb: str) -> Grammar:
    return lambda reader, tokens: assign.switch(reader, tokens, verb)


def _scale(verb: str) -> Grammar:
    return lambda reader, tokens: numbers.scale(reader, tokens, verb)


def _case(verb: str) -> Grammar:
    return lambda reader, tokens: texts.change_case(reader, tokens, verb)


def _turn(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`turn on X`, `turn X off`, `switch X to Y`."""
    if len(tokens) > 1:
        for place in (0, -1):
            if tokens[place].low in ("on", "off"):
                verb = "enable" if tokens[place].low == "on" else "disable"
                rest = tokens[1:] if place == 0 else tokens[:-1]
                return assign.switch(reader, rest, verb)
    return assign.set_values(reader, tokens)


def _make(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`make X uppercase`, `make sure X is Y`, `make X Y`."""
    if len(tokens) > 1 and tokens[-1].low in ("uppercase", "lowercase"):
        return texts.change_case(reader, tokens[:-1], tokens[-1].low)
    if len(tokens) > 1 and tokens[-1].low in ("enabled", "disabled", "active", "inactive"):
        return _made(reader, tokens[:-1], tokens[-1].low)
    if len(tokens) > 2 and tokens[-2].low in ("a", "an") and tokens[-1].kind == "word":
        return assign.become(reader, tokens[:-2], tokens[-1])
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
        return assign.become(reader, tokens[:-1], tokens[-1])


def _made(reader: Reader, target: Tokens, word: str) -> list[Outcome]:
    verbs = {"enabled": "enable", "disabled": "disable",
             "active": "activate", "inactive": "deactivate"}  # fmt: skip
    return assign.switch(reader, target, verbs[word])


def _use(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`use V for X`, `use V as the X`, `use V instead of W for X`."""
    attempts = []
    for place, token in enumerate(tokens):
        if 0 < place < len(tokens) - 1 and token.low in ("for", "as"):
            attempts += list(assign.assignments(reader, tokens[place + 1 :], tokens[:place]))
    if not attempts:
        raise Unclear("clause", "use needs: use V for X")
    return best(attempts)


def _give(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`give Carol the role of admin`: the owner comes first, then what it gets."""
    readings = []
    for place in range(1, len(tokens) - 1):
        if tokens[place].low not in ("a", "an", "the"):
            continue
        owner, rest = tokens[:place], tokens[place + 1 :]
        cut = next((i for i, t in enumerate(rest) if i and t.low == "of"), None)
        mark = Token("poss", "'s", tokens[place].start, tokens[place].start)
        if cut is not None and cut < len(rest) - 1:
            readings.append(((*owner, mark, *rest[:cut]), rest[cut + 1 :]))
        elif len(rest) > 1:
            readings.append(((*owner, mark, *rest[:-1]), rest[-1:]))
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
            attempts += list(assign.assignments(reader, tokens[:place], rest))
    if not attempts:
        raise Unclear("clause", "ensure needs: ensure X is Y")
    return best(attempts)


def _dedupe(reader: Reader, tokens: Tokens) -> list[Outcome]:
    return [removal.dedupe(reader, reader.targets(tokens))]


_TABLE: dict[str, Grammar] = {
    "set|change|update|modify|edit|assign|configure|adjust|put|correct|fix": assign.set_values,
    "reset|upgrade|downgrade": assign.set_values,
    "make": _make,
    "turn|switch|flip": _turn,
    "let|want": assign.set_values,
    "use": _use,
    "give": _give,
    "ensure|make sure|make certain": _ensure,
    "rename": texts.rename,
    "replace|substitute": texts.replace,
    "remove|delete|drop|erase|get rid of|eliminate|discard|strip|take out": removal.remove,
    "keep": removal.keep_only,
    "clear|empty|blank|empty out|clear out|blank out": assign.clear,
    "add": _add("add"),
    "create": _add("create"),
    "include": _add("include"),
    "insert": _add("insert"),
    "append|push": _add("append"),
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
    "toggle|invert|negate": assign.toggle,
    "enable": _switch("enable"),
    "disable": _switch("disable"),
    "activate": _switch("activate"),
    "deactivate": _switch("deactivate"),
    "turn on|switch on": _switch("enable"),
    "turn off|switch off": _switch("disable"),
    "mark|flag": assign.mark,
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
        "becomes|ought to be|should equal|should have the value|to be|will be"
    ).split("|")
)
_SIGNS = frozenset(("=", "->", "=>", "→", ":", ":=", "=="))
_PASSIVE: dict[str, Grammar] = {
    "removed": removal.remove, "deleted": removal.remove, "dropped": removal.remove,
    "enabled": _switch("enable"), "disabled": _switch("disable"), "cleared": assign.clear,
    "activated": _switch("activate"), "deactivated": _switch("deactivate"),
    "turned on": _switch("enable"), "turned off": _switch("disable"), "toggled": assign.toggle,
    "doubled": _scale("double"), "halved": _scale("halve"), "emptied": assign.clear,
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
    for place in range(1, len(tokens) - 1):
        if lows[place] in _SIGNS:
            left, right = tokens[:place], tokens[place + 1 :]
            return lambda reader: best(assign.assignments(reader, left, right))
    return None


def _stated(left: Tokens, right: Tokens) -> Callable[[Reader], list[Outcome]]:
    if len(right) == 2 and right[0].low in ("a", "an") and right[1].kind == "word":
        return lambda reader: assign.become(reader, left, right[1])
    words = " ".join(t.low for t in right)
    if words in _PASSIVE:
        grammar = _PASSIVE[words]
        return lambda reader: grammar(reader, left)
    if right[0].low in _PASSIVE_TO and len(right) > 2:
        active = _PASSIVE_TO[right[0].low]
        return lambda reader: active(reader, (*left, *right[1:]))
    return lambda reader: best(assign.assignments(reader, left, right))
