"""Set, change, update, make, should be: one value for one or more places."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.instruct.filters import form_of
from redline.instruct.index import Index
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best, rate, shown
from redline.instruct.resolve import Found
from redline.instruct.tokens import Token, Tokens
from redline.instruct.typed import listed
from redline.instruct.values import Value, type_name
from redline.instruct.words import ARTICLES, SCOPING, number_in

CONNECTORS = frozenset(("to", "=", "->", "=>", "→", ":", ":=", "as", "be", "become", "=="))
_TRAILING = frozenset("for in of on under within inside where".split())
_COPIES = (
    ("the", "value", "of"), ("the", "same", "as"), ("same", "as"), ("the", "same", "value", "as"),
    ("match",), ("identical", "to"), ("equal", "to"), ("whatever", "is", "in"),
)  # fmt: skip
_LOOSE = frozenset({"true", "false", "null", "empty", "blank", "yes", "no", "on", "off"})


def set_values(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`TARGET to VALUE` in each way the connectors allow."""
    if reader.elided and tokens and tokens[0].low in CONNECTORS:
        tokens = (*reader.memory.head, *tokens)
    if tokens and tokens[-1].low == "respectively":
        return respectively(reader, tokens[:-1])
    tokens = without_direction(tokens)
    readings = [
        reading
        for place, token in enumerate(tokens)
        if 0 < place < len(tokens) - 1 and token.low in CONNECTORS
        for reading in with_scope(tokens[:place], _value_part(tokens[place + 1 :]))
    ]
    if readings:
        return assigned(reader, readings)
    if len(tokens) > 1 and is_loose(tokens[-1]) and (not reader.elided or reader.memory.loose):
        reader.memory.loose = True
        return assigned(reader, [(tokens[:-1], tokens[-1:])])
    found = reader.targets(_unconnected(tokens))
    raise Unclear("value", f"no value is given for {shown(reader, found)}", found.nodes)


def without_direction(tokens: Tokens) -> Tokens:
    """`the level up to 8`: the direction says nothing that the numbers do not."""
    return tuple(
        token
        for place, token in enumerate(tokens)
        if not (
            token.low in ("up", "down")
            and place
            and [t.low for t in tokens[place + 1 : place + 2]] in (["to"], ["by"])
        )
    )


def respectively(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`a and b to 10 and 20 respectively`: each place its own value, in the order said."""
    place = next((i for i, t in enumerate(tokens) if i and t.low in CONNECTORS), len(tokens))
    values = listed(tokens[place + 1 :])
    found = reader.targets(tokens[:place])
    if not values or len(values) != len(found.nodes):
        raise Unclear("value", f"{len(found.nodes)} places, but {len(values)} values", found.nodes)
    operations = []
    for node, words in zip(found.nodes, values, strict=True):
        operations += reader.replace(node, reader.typed(words, node), rate(found))
    return [Outcome(tuple(operations), "already as asked", found.nodes)]


def _unconnected(tokens: Tokens) -> Tokens:
    return tokens[:-1] if tokens and tokens[-1].low in CONNECTORS else tokens


def _value_part(tokens: Tokens) -> Tokens:
    return tokens[1:] if len(tokens) > 1 and tokens[0].low in ("be", "equal") else tokens


def pair(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`port 9090`: the whole name of one plain value, then what it becomes, and nothing else."""
    left, right = tokens[:-1], tokens[-1:]
    found = reader.targets(left, strict=True) if left else Found(())
    named = len(found.nodes) == 1 and not found.partial
    scoped = reader.memory.scopes != (0,)
    if not named or not (is_loose(right[0]) or (scoped and right[0].kind == "word")):
        raise Unclear("clause", "the instruction is not understood")
    node = found.nodes[0]
    if isinstance(reader.value(node), dict | list) or reader.index.identifies(node):
        raise Unclear("clause", "the instruction is not understood", found.nodes)
    return [reader.each(found, lambda place: reader.typed(right, place))]


def is_loose(token: Token) -> bool:
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
            closer = known is not None and len(right) < known and not _is_genitive(left, right)
            if outcome.found and (known is None or closer):
                widths[outcome.found] = len(right)
                found[outcome.found] = outcome
            elif not outcome.found:
                others.append(outcome)
            return outcome

        return read

    best([attempt(left, right) for left, right in readings])
    acting = [outcome for outcome in found.values() if outcome.operations]
    return acting or list(found.values())[:1] or others[:1]


def _is_genitive(left: Tokens, right: Tokens) -> bool:
    """`title to Head of SRE`: words after *right* that begin with `of` belong to it, unless the
    place cannot be found without them."""
    if not right or right[-1].kind != "word" or number_in(right[-1].text) is not None:
        return False
    return any(t.low == "of" and t.start > right[-1].start for t in left)


def assignments(reader: Reader, left: Tokens, right: Tokens) -> Iterator[Callable[[], Outcome]]:
    """One attempt that weighs the readings of a target and a value against each other."""
    yield lambda: only(assigned(reader, list(with_scope(left, right))))


def with_scope(left: Tokens, right: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """A target and a value, then with what follows the value read as the target's scope."""
    yield left, right
    told = next((i for i, t in enumerate(left) if i and t.low == "from"), len(left))
    for place in range(len(right) - 1, 0, -1):
        if right[place].low in _TRAILING and place < len(right) - 1:
            yield (*left[:told], *right[place:], *left[told:]), right[:place]


def only(outcomes: list[Outcome]) -> Outcome:
    """The one thing all *outcomes* do."""
    if len({outcome.signature for outcome in outcomes}) != 1:
        raise Unclear("several", "it can be read in more than one way")
    return outcomes[0]


def _assign(reader: Reader, left: Tokens, right: Tokens) -> Outcome:
    left, old = _old_value(left)
    right, replaced = _replaced_value(right)
    old = old or replaced
    whole = None if old else _whole_value(reader, left)
    if whole is not None:
        _check_value(reader, Found((whole,)), right)
        return reader.each(Found((whole,)), lambda node: reader.typed(right, node))
    found = reader.targets(left)
    reader.memory.head = _head(left)
    if old:
        found = _holding(reader, found, old)
    copied = _copied(reader, right)
    if copied is not None:
        return reader.each(found, lambda node: _of_same_kind(reader, node, copied[0]))
    _check_value(reader, found, right)
    found = _valued(reader, found, right)
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


def _replaced_value(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """`5000 instead of 3000` taken apart."""
    for place in range(1, len(tokens) - 2):
        if (tokens[place].low, tokens[place + 1].low) in (("instead", "of"), ("rather", "than")):
            return tokens[:place], tokens[place + 2 :]
    return tokens, ()


def _of_same_kind(reader: Reader, node: int, value: Value) -> Value:
    now = reader.value(node)
    if now is not None and value is not None and type_name(now) != type_name(value):
        raise Unclear("type", "the two places hold different types", (node,))
    return value


def _valued(reader: Reader, found: Found, right: Tokens) -> Found:
    """A plain value for records of a name and a value is meant for the value."""
    if len(right) == 1 and right[0].kind == "json":
        return found
    nodes = []
    for node in found.nodes:
        held = reader.value(node)
        if not isinstance(held, dict) or set(held) not in ({"name", "value"}, {"key", "value"}):
            return found
        nodes += [c for c in reader.index.children(node) if reader.index.keys[c] == "value"]
    return Found(tuple(nodes), found.many, found.several, found.partial, found.scopes, found.plain)


def _holding(reader: Reader, found: Found, old: Tokens) -> Found:
    from redline.instruct.filters import equals

    holding = tuple(n for n in found.nodes if equals(reader.value(n), old))
    if holding == found.nodes or (holding and found.many):
        return Found(holding, found.many, False, found.partial, found.scopes)
    raise Unclear("value", f"{shown(reader, found)} is not {reader.text(old)!r} now", found.nodes)


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
    single = any(_is_word(reader.value(n)) for n in found.nodes)
    if single and names_key(reader.index, tokens[1:]):
        raise Unclear("value", f"{reader.text(tokens)!r} names another field", found.nodes)
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


def likened(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    """`A the same as B`, `A match B` taken apart."""
    lows = tuple(t.low for t in tokens)
    for place in range(1, len(tokens)):
        if any(lows[place : place + len(opening)] == opening for opening in _COPIES[1:7]):
            return tokens[:place], tokens[place:]
    return None


def names_key(index: Index, tokens: Tokens) -> bool:
    """Whether some bare words next to each other are the name of a key."""
    for width in (1, 2, 3):
        for place in range(len(tokens) - width + 1):
            words = tokens[place : place + width]
            if all(t.kind in ("word", "code") for t in words) and form_of(words) in index.by_form:
                return True
    return False
