"""Set, change, update, make, should be: one value for one or more places."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.instruct.filters import flag_says, form_of
from redline.instruct.index import Index
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best, rate
from redline.instruct.resolve import Found
from redline.instruct.tokens import Token, Tokens
from redline.instruct.typed import has_shape
from redline.instruct.values import Value
from redline.instruct.words import ARTICLES, SCOPING, key_form, number_in

CONNECTORS = frozenset(("to", "=", "->", "=>", "→", ":", ":=", "as", "be", "become", "=="))
_TRAILING = frozenset("for in of on under within inside where".split())
_COPIES = (
    ("the", "value", "of"), ("the", "same", "as"), ("same", "as"), ("the", "same", "value", "as"),
    ("match",), ("whatever", "is", "in"),
)  # fmt: skip
_LOOSE = frozenset({"true", "false", "null", "empty", "blank", "yes", "no", "on", "off"})


def set_values(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`TARGET to VALUE` in each way the connectors allow."""
    if reader.elided and tokens and tokens[0].low in CONNECTORS:
        tokens = (*reader.memory.head, *tokens)
    readings = [
        reading
        for place, token in enumerate(tokens)
        if 0 < place < len(tokens) - 1 and token.low in CONNECTORS
        for reading in with_scope(tokens[:place], _value_part(tokens[place + 1 :]))
    ]
    if readings:
        return assigned(reader, readings)
    if len(tokens) > 1 and _is_loose(tokens[-1]) and (not reader.elided or reader.memory.loose):
        reader.memory.loose = True
        return assigned(reader, [(tokens[:-1], tokens[-1:])])
    found = reader.targets(_unconnected(tokens))
    raise Unclear("value", f"no value is given for {_shown(reader, found)}", found.nodes)


def _unconnected(tokens: Tokens) -> Tokens:
    return tokens[:-1] if tokens and tokens[-1].low in CONNECTORS else tokens


def _value_part(tokens: Tokens) -> Tokens:
    return tokens[1:] if len(tokens) > 1 and tokens[0].low in ("be", "equal") else tokens


def _shown(reader: Reader, found: Found) -> str:
    return "/".join(reader.index.path(found.nodes[0])) if found.nodes else "it"


def _is_loose(token: Token) -> bool:
    """Whether the last word can only be a value: `make it true`, `set the port 8080`."""
    if token.kind in ("quoted", "json") or token.low in _LOOSE:
        return True
    return token.kind == "word" and number_in(token.text) is not None


def assigned(reader: Reader, readings: list[tuple[Tokens, Tokens]]) -> list[Outcome]:
    """The outcomes of the readings; for one place, what can be its scope is not its value."""
    widths: dict[tuple[int, ...], int] = {}
    found: dict[tuple[int, ...], Outcome] = {}
    others: list[Outcome] = []

    def attempt(left: Tokens, right: Tokens) -> Callable[[], Outcome]:
        def read() -> Outcome:
            reader.index.spend(300)
            outcome = _assign(reader, left, right)
            known = widths.get(outcome.found)
            if outcome.found and (known is None or len(right) < known):
                widths[outcome.found] = len(right)
                found[outcome.found] = outcome
            elif not outcome.found:
                others.append(outcome)
            return outcome

        return read

    best([attempt(left, right) for left, right in readings])
    acting = [outcome for outcome in found.values() if outcome.operations]
    return acting or list(found.values())[:1] or others[:1]


def assignments(reader: Reader, left: Tokens, right: Tokens) -> Iterator[Callable[[], Outcome]]:
    """One attempt that weighs the readings of a target and a value against each other."""
    yield lambda: _only(assigned(reader, list(with_scope(left, right))))


def with_scope(left: Tokens, right: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """A target and a value, then with what follows the value read as the target's scope."""
    yield left, right
    told = next((i for i, t in enumerate(left) if i and t.low == "from"), len(left))
    for place in range(len(right) - 1, 0, -1):
        if right[place].low in _TRAILING and place < len(right) - 1:
            yield (*left[:told], *right[place:], *left[told:]), right[:place]


def _only(outcomes: list[Outcome]) -> Outcome:
    if len({outcome.signature for outcome in outcomes}) != 1:
        raise Unclear("several", "it can be read in more than one way")
    return outcomes[0]


def _assign(reader: Reader, left: Tokens, right: Tokens) -> Outcome:
    left, old = _old_value(left)
    whole = None if old else _whole_value(reader, left)
    if whole is not None:
        return reader.each(Found((whole,)), lambda node: reader.typed(right, node))
    found = reader.targets(left)
    reader.memory.head = _head(left)
    if old:
        found = _holding(reader, found, old)
    copied = _copied(reader, right)
    if copied is not None:
        return reader.each(found, lambda _: copied[0])
    _check_value(reader, found, right)
    reader.exact = any(t.path or t.kind == "code" for t in left)
    return reader.each(found, lambda node: reader.typed(right, node))


def _whole_value(reader: Reader, left: Tokens) -> int | None:
    """`change "Goodbye" to "Bye"`: the one text that is exactly that, where no key is."""
    words = left[1:] if len(left) > 1 and left[0].low in ARTICLES else left
    if len(words) != 1 or words[0].kind not in ("quoted", "word") or words[0].path:
        return None
    held = [n for n, value in enumerate(reader.index.values) if value == words[0].text]
    meanings = reader.meanings(words)
    if words[0].kind == "quoted" and held and meanings:
        raise Unclear("several", f"{words[0].text!r} is a name and a value", (*held,))
    if meanings or len(held) != 1 or reader.elided or reader.memory.scopes != (0,):
        return None
    return held[0]


def _head(tokens: Tokens) -> Tokens:
    """What is set, without its owner and scope: the `theme` of `Alice's theme`."""
    places = [i for i, t in enumerate(tokens) if t.kind == "poss"]
    head = tokens[places[-1] + 1 :] if places else tokens
    cut = next((i for i, t in enumerate(head) if t.low in SCOPING), len(head))
    return head[:cut]


def _old_value(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """`status from pending` taken apart."""
    place = next((i for i, t in enumerate(tokens) if i and t.low == "from"), None)
    if place is None or place == len(tokens) - 1:
        return tokens, ()
    return tokens[:place], tokens[place + 1 :]


def _holding(reader: Reader, found: Found, old: Tokens) -> Found:
    from redline.instruct.filters import equals

    holding = tuple(n for n in found.nodes if equals(reader.value(n), old))
    if holding == found.nodes or (holding and found.many):
        return Found(holding, found.many, False, found.partial, found.scopes)
    raise Unclear("value", f"{_shown(reader, found)} is not {reader.text(old)!r} now", found.nodes)


def _copied(reader: Reader, tokens: Tokens) -> tuple[Value] | None:
    lows = tuple(t.low for t in tokens)
    for opening in _COPIES:
        if lows[: len(opening)] == opening and len(tokens) > len(opening):
            found = reader.targets(tokens[len(opening) :])
            if len(found.nodes) == 1:
                return (reader.value(found.nodes[0]),)
            raise Unclear("value", f"{reader.text(tokens)!r} is not one value")
    return None


def _check_value(reader: Reader, found: Found, tokens: Tokens) -> None:
    """Refuse a bare text that speaks of the document: it may be a clause or a reference."""
    if len(tokens) < 2:
        return
    if tokens[0].low in ("the", "its", "their") and reader.meanings(tokens):
        raise Unclear("value", f"{reader.text(tokens)!r} may mean a place or a text", found.nodes)
    joint = next((i for i, t in enumerate(tokens) if t.low in (",", "and", "then", "but")), None)
    if joint is not None and any(_is_word(reader.value(n)) for n in found.nodes):
        raise Unclear("value", f"{reader.text(tokens)!r} may be more than one value", found.nodes)
    if joint is not None and names_key(reader.index, tokens[joint + 1 :]):
        raise Unclear("value", f"{reader.text(tokens)!r} names another field", found.nodes)
    if any(t.low in ("to", "from") for t in tokens[1:-1]) and names_key(reader.index, tokens):
        raise Unclear("value", f"{reader.text(tokens)!r} names another field", found.nodes)


def _is_word(value: Value) -> bool:
    """Whether a text is one word, so that `a and b` is hardly what should replace it."""
    return isinstance(value, str) and value != "" and " " not in value and not value[0].isdigit()


def names_key(index: Index, tokens: Tokens) -> bool:
    """Whether some bare words next to each other are the name of a key."""
    for width in (1, 2, 3):
        for place in range(len(tokens) - width + 1):
            words = tokens[place : place + width]
            if all(t.kind in ("word", "code") for t in words) and form_of(words) in index.by_form:
                return True
    return False


def flags_below(reader: Reader, node: int) -> list[int] | None:
    """The flags of an object of nothing but flags."""
    value = reader.value(node)
    if isinstance(value, dict) and value and all(isinstance(v, bool) for v in value.values()):
        return list(reader.index.children(node))
    return None


_SWITCHES = {
    "enable": (("enabled", "active", "on"), True), "disable": (("enabled", "active", "on"), False),
    "activate": (("active", "enabled"), True), "deactivate": (("active", "enabled"), False),
}  # fmt: skip
_PAIRS = (
    ("enabled", "disabled"), ("active", "inactive"), ("on", "off"), ("yes", "no"),
    ("activated", "deactivated"),
)  # fmt: skip


def switch(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Enable, disable, activate, deactivate, turn on and off."""
    names, on = _SWITCHES[verb]
    found = reader.targets(tokens)
    plain = not any(isinstance(reader.value(n), bool | dict) for n in found.nodes)
    if len(tokens) == 1 and tokens[0].low == "it" and plain and len(reader.owners()) == 1:
        # "set its timeout to 9 and enable it": what was spoken of, not the field of it
        found = Found(reader.owners())
    nodes: list[int] = []
    for node in found.nodes:
        nodes += _switches(reader, node, names, found)
    wider = Found(tuple(nodes), found.many, False, found.partial)
    outcome = reader.each(wider, lambda n: _switched(reader, n, on), confidence=0.91)
    return [Outcome(outcome.operations, outcome.note, found.nodes)]


def _switches(reader: Reader, node: int, names: tuple[str, ...], found: Found) -> list[int]:
    value = reader.value(node)
    if not isinstance(value, dict):
        return [node]
    for name in names:
        inner = [
            child
            for child in reader.index.children(node)
            if key_form(str(reader.index.keys[child])) in (name, "is" + name)
        ]
        if len(inner) == 1:
            return inner
    states = [
        child
        for child in reader.index.children(node)
        if any(
            reader.value(child) in pair for pair in _PAIRS if isinstance(reader.value(child), str)
        )
    ]
    if len(states) == 1:
        return states
    flags = flags_below(reader, node)
    if flags is not None and found.many:
        return flags
    raise Unclear("target", f"{_shown(reader, found)} has no switch", (node,))


def _switched(reader: Reader, node: int, on: bool) -> Value:
    value = reader.value(node)
    if isinstance(value, bool):
        return on
    if isinstance(value, str):
        for yes, no in _PAIRS:
            if value.lower() in (yes, no):
                word = yes if on else no
                return word.capitalize() if value[0].isupper() else word
    raise Unclear("type", f"{_shown(reader, Found((node,)))} is not true or false", (node,))


def toggle(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Flip a flag."""
    found = reader.targets(tokens)

    def flipped(node: int) -> Value:
        value = reader.value(node)
        if not isinstance(value, bool):
            raise Unclear("type", f"{_shown(reader, Found((node,)))} is not true or false", (node,))
        return not value

    return [reader.each(found, flipped)]


def mark(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`mark task 3 as done`: a flag of that name, or the one field that takes such a value."""
    place = next((i for i, t in enumerate(tokens) if t.low == "as" and i), None)
    if place is None or place == len(tokens) - 1:
        raise Unclear("clause", "mark needs: mark X as Y")
    found = reader.targets(tokens[:place])
    words = tokens[place + 1 :]
    negated = words[0].low == "not" and len(words) > 1
    word = words[-1]
    if len(words) > 1 + negated:
        raise Unclear("value", f"{reader.text(words)!r} is not one word")
    operations = []
    for node in found.nodes:
        place_of, value = _marked(reader, node, word, negated)
        operations += reader.replace(place_of, value, 0.91)
    return [Outcome(tuple(operations), "already as asked", found.nodes)]


def become(reader: Reader, target: Tokens, word: Token) -> list[Outcome]:
    """`make Bob an admin`: a flag of that name, or the one field that holds such a value."""
    found = reader.targets(target)
    operations = []
    for node in found.nodes:
        if not isinstance(reader.value(node), dict):
            raise Unclear("value", f"{word.text!r} may not be a value", found.nodes)
        place, value = _marked(reader, node, word, negated=False, known_only=True)
        operations += reader.replace(place, value, rate(found, 0.91))
    return [Outcome(tuple(operations), "already as asked", found.nodes)]


def _marked(
    reader: Reader, node: int, word: Token, negated: bool, *, known_only: bool = False
) -> tuple[int, Value]:
    if not isinstance(reader.value(node), dict):
        if negated:
            raise Unclear("value", "not is no value")
        return node, reader.typed((word,), node)
    flags = [
        (c, holds)
        for c in reader.index.children(node)
        if isinstance(reader.value(c), bool)
        and (holds := flag_says(key_form(str(reader.index.keys[c])), word.text.lower(), True))
        is not None
    ]
    if len(flags) == 1:
        return flags[0][0], flags[0][1] != negated
    if negated:
        raise Unclear("target", f"no field says whether it is {word.text}", (node,))
    fields = [
        c
        for c in reader.index.children(node)
        if isinstance(reader.value(c), str)
        and word.text.lower() in [str(p).lower() for p in [*reader.peers(c), reader.value(c)]]
    ]
    if len(fields) == 1:
        return fields[0], _as_written(reader, fields[0], word)
    status = [
        c
        for c in reader.index.children(node)
        if isinstance(reader.value(c), str)
        and key_form(str(reader.index.keys[c])) in ("status", "state")
    ]
    if len(status) == 1 and not fields and not known_only:
        return status[0], word.text
    raise Unclear("target", f"no field says whether it is {word.text}", (node,))


def _as_written(reader: Reader, node: int, word: Token) -> Value:
    for peer in [*reader.peers(node), reader.value(node)]:
        if isinstance(peer, str) and peer.lower() == word.text.lower():
            return peer
    return word.text


def clear(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Empty a list, an object or a text."""
    found = reader.targets(tokens)

    def emptied(node: int) -> Value:
        value = reader.value(node)
        if isinstance(value, str) and not has_shape(value):
            return ""
        if isinstance(value, list):
            return []
        if isinstance(value, dict) and found.plain:
            return {}
        raise Unclear("type", f"{_shown(reader, found)} cannot be emptied", (node,))

    return [reader.each(found, emptied)]
