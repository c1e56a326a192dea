"""Add keys to objects and elements to arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redline.instruct.numbers import add_amount
from redline.instruct.operations import Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import ABSENT, Reader, best, rate
from redline.instruct.resolve import Found
from redline.instruct.tokens import Token, Tokens
from redline.instruct.typed import listed, typed
from redline.instruct.values import Num, Value, same
from redline.instruct.words import (
    ARTICLES,
    ORDINALS,
    SCOPING,
    STRUCTURAL,
    key_form,
    key_words,
    singular,
)

_FRONT = frozenset("beginning start front top head".split())
_BACK = frozenset("end back bottom tail".split())
_VALUE_MARKS = tuple(
    tuple(mark.split())
    for mark in (
        "with the value of|with a value of|with value of|with the value|with a value|with value|"
        "set to|equal to|having value|whose value is|and set it to|=|:|->|of"
    ).split("|")
)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where in an array: an index, the end, or before or after a named element."""

    kind: str
    index: int = 0
    anchor: Tokens = ()


def add(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Every reading of `add ... to ...`."""
    tokens = _unintroduced(tokens)
    spot, rest = _spot(tokens, verb)
    placed, tokens = rest != tokens, rest
    attempts: list[Callable[[], Outcome]] = []
    for place in range(len(tokens) - 2, 0, -1):
        if tokens[place].low in ("to", "into", "in", "of", "on", "under", "inside", "for"):
            attempts += _to_target(reader, tokens[:place], tokens[place + 1 :], spot)
            if not placed:
                attempts += _key_to_rest(reader, tokens[:place], tokens[place + 1 :], verb)
    if not placed and verb in ("add", "create", "insert", "include", "introduce"):
        member = _member(reader, tokens)
        if member is not None:
            return [member]
        attempts += _key_attempts(reader, tokens, None)
    if spot.anchor:
        attempts.append(lambda: _beside(reader, tokens, spot))
    attempts.append(lambda: _to_named_collection(reader, tokens, spot))
    attempts += _as_member(reader, tokens, spot)
    return best(attempts)


def _beside(reader: Reader, what: Tokens, spot: _Spot) -> Outcome:
    """`{...} after the Install step`: into the array that holds the one it is put next to."""
    found = reader.targets(spot.anchor, strict=True)
    if len(found.nodes) != 1 or not reader.index.is_record(found.nodes[0]):
        raise Unclear("target", f"{reader.text(spot.anchor)!r} is not one element", found.nodes)
    array, position = reader.index.parents[found.nodes[0]], reader.index.keys[found.nodes[0]]
    assert isinstance(position, int)
    exact = _Spot("index", position + (spot.kind == "after"))
    return _append(reader, what, Found((array,)), exact)


def _member(reader: Reader, tokens: Tokens) -> Outcome | None:
    """`a script called lint with value V`, `a lint script with value V`: into the scripts."""
    for width, place in _marks(tokens):
        words = [t for t in tokens[:place] if t.low not in ("called", "named")]
        for noun, key in ((words[0], words[1:]), (words[-1], words[:-1])):
            if len(key) != 1 or noun.kind != "word" or not key[0].is_name:
                continue
            nodes = reader.index.by_form.get(key_form(noun.text), [])
            if len(nodes) != 1 or not isinstance(reader.value(nodes[0]), dict):
                continue
            found = Found((nodes[0],))
            value = typed(tokens[place + width :], reader.source, ABSENT, (), key[0].text)
            return Outcome(
                tuple(_new_key(reader, nodes[0], key[0].text, value, rate(found))),
                "already as asked",
                found.nodes,
            )
    return None


def _as_member(reader: Reader, tokens: Tokens, spot: _Spot) -> list[Callable[[], Outcome]]:
    """`add Dee as a watcher`: into the list of watchers."""
    place = next((i for i, t in enumerate(tokens) if t.low == "as" and i), None)
    if place is None or place == len(tokens) - 1:
        return []
    noun = _unintroduced(tokens[place + 1 :])
    return [lambda: _add_to(reader, tokens[:place], noun, spot)]


def _unintroduced(tokens: Tokens) -> Tokens:
    while tokens and (tokens[0].low in ARTICLES or tokens[0].low in ("new", "another")):
        tokens = tokens[1:]
    return tokens


def _spot(tokens: Tokens, verb: str) -> tuple[_Spot, Tokens]:
    """`at the beginning of`, `to the end of`, `at index 2 of`, `before "x" in`."""
    default = _Spot("first" if verb == "prepend" else "end")
    lows = [t.low for t in tokens]
    for place, low in enumerate(lows):
        if low in ("at", "to", "in") and place:
            after = place + 1 + (lows[place + 1 : place + 2] == ["the"])
            word = lows[after] if after < len(lows) else ""
            if word in _FRONT | _BACK:
                rest = tokens[after + 1 :]
                return _Spot("first" if word in _FRONT else "end"), _rejoin(tokens, place, rest)
            if word in ("index", "position") and after + 1 < len(lows):
                return _index_spot(tokens, place, after, word)
        if low in ("before", "after") and place and place < len(lows) - 1:
            return _anchor_spot(tokens, place, low)
    return default, tokens


def _index_spot(tokens: Tokens, place: int, after: int, word: str) -> tuple[_Spot, Tokens]:
    number = tokens[after + 1].text
    if not number.isdigit() or (word == "position" and number != "0"):
        raise Unclear("value", f"position {number} may count from 0 or 1; say index {number}")
    return _Spot("index", int(number)), _rejoin(tokens, place, tokens[after + 2 :])


def _anchor_spot(tokens: Tokens, place: int, word: str) -> tuple[_Spot, Tokens]:
    rest = tokens[place + 1 :]
    cut = next((i for i, t in enumerate(rest) if i and t.low in ("in", "to", "of")), len(rest))
    joined = (*tokens[:place], *rest[cut:])
    return _Spot(word, anchor=rest[:cut]), joined


def _rejoin(tokens: Tokens, place: int, rest: Tokens) -> Tokens:
    """What is added, and where it goes, without the words for the position in between."""
    return (*tokens[:place], *rest)


def _to_target(
    reader: Reader, what: Tokens, where: Tokens, spot: _Spot
) -> list[Callable[[], Outcome]]:
    return [lambda: _add_to(reader, what, where, spot)]


def _add_to(reader: Reader, what: Tokens, where: Tokens, spot: _Spot) -> Outcome:
    found = _every_list(reader, where) or reader.targets(where)
    if not found.nodes:
        return Outcome((), "nothing fits the condition")
    values = [reader.value(node) for node in found.nodes]
    if all(isinstance(value, list) for value in values):
        return _append(reader, what, found, spot)
    if all(isinstance(value, Num) for value in values) and spot.kind == "end":
        return add_amount(reader, what, found, 1)
    if len(what) == 1 and what[0].kind == "json" and isinstance(what[0].value, dict):
        return _merge(reader, what[0].value, found)
    inner = _inner_list(reader, what, found)
    if inner is not None:
        return _append(reader, inner[1], inner[0], spot)
    raise Unclear("type", f"nothing can be added to {reader.text(where)!r}", found.nodes)


def _every_list(reader: Reader, where: Tokens) -> Found | None:
    """`all inventories`: the lists of that name, not what they hold."""
    if len(where) != 2 or where[0].low not in ("all", "every", "each"):
        return None
    meanings = reader.meanings(where[1:])
    nodes = meanings[0].nodes if len(meanings) == 1 else ()
    if len(nodes) < 2 or not all(isinstance(reader.value(n), list) for n in nodes):
        return None
    return Found(nodes, many=True, partial=meanings[0].partial)


def _inner_list(reader: Reader, what: Tokens, found: Found) -> tuple[Found, Tokens] | None:
    """`the tag "x" to the first post`: the post's list of that name, and what goes into it."""
    words = _unintroduced(what)
    for noun, rest in ((words[:1], words[1:]), (words[-1:], words[:-1])):
        rest = rest[1:] if rest and rest[0].low == "of" else rest
        if not rest or not noun or noun[0].kind != "word":
            continue
        lists = []
        for node in found.nodes:
            lists += [
                child
                for child in reader.index.children(node)
                if isinstance(reader.value(child), list)
                and key_form(str(reader.index.keys[child])) == key_form(noun[0].text)
            ]
        if len(lists) == len(found.nodes):
            return Found(tuple(lists), found.many, False, found.partial), rest
    return None


def _merge(reader: Reader, new: dict[str, Value], found: Found) -> Outcome:
    """Each entry of a JSON object becomes a key of its own."""
    operations: list[Operation] = []
    for node in found.nodes:
        for key, value in new.items():
            operations += _new_key(reader, node, key, value, rate(found))
    return Outcome(tuple(operations), "already as asked", found.nodes)


def _new_key(
    reader: Reader, node: int, key: str, value: Value, confidence: float
) -> list[Operation]:
    holder = reader.value(node)
    if not isinstance(holder, dict):
        raise Unclear("type", "only an object has keys", (node,))
    if key in holder:
        if same(holder[key], value):
            return []
        raise Unclear("value", f"{key!r} is there already; say set to change it", (node,))
    alike = [known for known in holder if key_form(known) == key_form(key)]
    if alike:
        raise Unclear("several", f"{key!r} reads like {alike[0]!r}, which is there", (node,))
    return [Operation("add", (*reader.index.path(node), key), value=value).rated(confidence)]


def _append(reader: Reader, what: Tokens, found: Found, spot: _Spot) -> Outcome:
    operations: list[Operation] = []
    for node in found.nodes:
        items = _items(reader, what, node)
        position = _position(reader, node, spot)
        for item in items:
            path = (*reader.index.path(node), str(position))
            operations.append(Operation("insert", path, value=item).rated(rate(found)))
    return Outcome(tuple(operations), "already there", found.nodes)


def _items(reader: Reader, what: Tokens, node: int) -> list[Value]:
    """The new elements; texts a list of texts already holds are left out."""
    held = reader.value(node)
    assert isinstance(held, list)
    parts = listed(what)
    key = str(reader.index.keys[node])
    values = [_element(reader, part, held, key) for part in parts]
    return [v for v in values if not (isinstance(v, str) and v in held)]


def _element(reader: Reader, tokens: Tokens, held: list[Value], key: str) -> Value:
    tokens = _unintroduced(tokens)
    if len(tokens) > 1 and singular(tokens[0].low) in STRUCTURAL | {"tag", "string", "number"}:
        tokens = tokens[1:]
    if held and all(isinstance(item, dict) for item in held):
        if len(tokens) == 1 and isinstance(tokens[0].value, dict):
            return tokens[0].value
        raise Unclear("type", "the new element must be given as a JSON object")
    model = held[0] if held and len({type(item) for item in held}) == 1 else ABSENT
    shape = model if isinstance(model, str | Num | bool) else ABSENT
    return typed(tokens, reader.source, shape, (), key)


def _position(reader: Reader, node: int, spot: _Spot) -> int:
    held = reader.value(node)
    assert isinstance(held, list)
    if spot.kind in ("end", "first"):
        return len(held) if spot.kind == "end" else 0
    if spot.kind == "index":
        if spot.index > len(held):
            raise Unclear("value", f"there is no index {spot.index}", (node,))
        return spot.index
    anchor = reader.resolver.find(spot.anchor, scopes=(node,), strict=True)
    if len(anchor) != 1 or len(anchor[0].nodes) != 1:
        raise Unclear("target", f"{reader.text(spot.anchor)!r} is not one element", (node,))
    place = reader.index.keys[anchor[0].nodes[0]]
    if not isinstance(place, int):
        raise Unclear("target", f"{reader.text(spot.anchor)!r} is not one element", (node,))
    return place + (spot.kind == "after")


def _to_named_collection(reader: Reader, tokens: Tokens, spot: _Spot) -> Outcome:
    """`add tag urgent`, `add a new user {...}`, `add an "urgent" tag`."""
    whole = reader.value(0)
    if len(tokens) == 1 and tokens[0].kind == "json" and isinstance(whole, list):
        return _append(reader, tokens, Found((0,)), spot)
    if len(tokens) < 2:
        raise Unclear("clause", "it is not clear where to add it")
    for noun, what in ((tokens[:1], tokens[1:]), (tokens[-1:], tokens[:-1])):
        if noun[0].kind != "word" or noun[0].low in ("field", "key", "property"):
            continue
        what = _named_thing(what)
        meanings = reader.meanings(noun)
        lists = [m for m in meanings if m.nodes and isinstance(reader.value(m.nodes[0]), list)]
        if what and len(lists) == 1 and len(meanings) == 1 and not lists[0].several:
            if not isinstance(reader.value(lists[0].nodes[0]), list):
                continue
            return _append(reader, what, lists[0], spot)
    raise Unclear("clause", f"it is not clear where to add {reader.text(tokens)!r}")


def _named_thing(tokens: Tokens) -> Tokens:
    """What is added, without `called`; nothing when the words also say where."""
    if tokens[0].low in (":", "called", "named", "="):
        tokens = tokens[1:]
    placed = any(t.low in SCOPING or t.low in ("to", "into", "as") for t in tokens)
    return () if placed else tokens


def _key_to_rest(
    reader: Reader, what: Tokens, rest: Tokens, verb: str
) -> list[Callable[[], Outcome]]:
    """`a KEY field to TARGET with value V` and `KEY: V to TARGET`."""
    if verb not in ("add", "create", "insert", "include", "introduce"):
        return []
    attempts = _key_attempts(reader, what, rest)
    for width, place in _marks(rest):
        if place > 0:
            value, where = rest[place + width :], rest[:place]
            attempts.append(_keyed(reader, what, value, where))
    return attempts


def _marks(tokens: Tokens) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    lows = tuple(t.low for t in tokens)
    for place in range(1, len(tokens) - 1):
        if lows[place] == "with" and len(tokens) == place + 2 and tokens[-1].kind == "json":
            found.append((1, place))
        for mark in _VALUE_MARKS:
            if lows[place : place + len(mark)] == mark and place + len(mark) < len(tokens):
                found.append((len(mark), place))
                break
    return found


def _key_attempts(
    reader: Reader, tokens: Tokens, where: Tokens | None
) -> list[Callable[[], Outcome]]:
    """`KEY with value V`, `KEY: V`, `KEY = V`; V may be followed by its target."""
    return [
        _keyed(reader, tokens[:place], tokens[place + width :], where)
        for width, place in _marks(tokens)
    ]


def _keyed(
    reader: Reader, key: Tokens, value: Tokens, where: Tokens | None
) -> Callable[[], Outcome]:
    return lambda: _add_key(reader, key, value, where)


def _add_key(reader: Reader, key: Tokens, value: Tokens, where: Tokens | None) -> Outcome:
    if where is None:
        found = Found(reader.memory.scopes)
        if not isinstance(reader.value(found.nodes[0]), dict):
            raise Unclear("target", "it is not clear which object gets the key")
    else:
        found = _holders(reader, where)
    if any(t.low in ("to", "and", ",") or (where is None and t.low in SCOPING) for t in value):
        raise Unclear("value", f"{reader.text(value)!r} is not one value")
    operations: list[Operation] = []
    for node in found.nodes:
        name = _key_name(reader, key, node)
        peers = [v for v in reader.peers_of(name) if not isinstance(v, dict | list)]
        new = typed(value, reader.source, ABSENT, peers, name)
        operations += _new_key(reader, node, name, new, rate(found))
    return Outcome(tuple(operations), "already as asked", found.nodes)


def _holders(reader: Reader, where: Tokens) -> Found:
    """The objects that get the key: `each user` and `all users` mean the elements."""
    words = [t.low for t in where if t.low not in ARTICLES]
    if words in (["root"], ["document"], ["top", "level"], ["root", "object"], ["top-level"]):
        return Found((0,))
    found = reader.targets(where)
    if not found.nodes:
        raise Unclear("target", f"nothing fits {reader.text(where)!r}")
    return found


def _key_name(reader: Reader, tokens: Tokens, node: int) -> str:
    """The new key as quoted, or as one plain word, or in the style its neighbours are written."""
    words = _unintroduced(tokens)
    quoted = [t for t in words if t.kind in ("quoted", "code")]
    nouns = frozenset("field key property attribute setting option flag entry section".split())
    if quoted:
        others = [t for t in words if t not in quoted and not _is_key_noun(t, nouns)]
        if len(quoted) == 1 and not others:
            return quoted[0].text
        raise Unclear("value", f"{reader.text(tokens)!r} is not one key")
    plain = [t for t in words if not _is_key_noun(t, nouns)] or [
        t for t in words if t.low not in ("field", "key", "property", "attribute")
    ]
    if any(t.low in ARTICLES | SCOPING | {"to", "and", "or", "with"} for t in plain):
        raise Unclear("value", f"{reader.text(tokens)!r} is not one key")
    if len(plain) == 1 and plain[0].kind == "word" and not plain[0].path:
        return plain[0].text
    if any(_names_holder(reader, t) for t in plain):
        raise Unclear("value", f"{reader.text(tokens)!r} may belong into something that is here")
    inside = [t for t in words[1:-1] if _is_key_noun(t, nouns)]
    simple = all(t.kind == "word" and t.text.isalpha() and t.text.islower() for t in plain)
    if 2 <= len(plain) <= 4 and simple and not inside:
        return _styled([t.low for t in plain], reader.value(node))
    raise Unclear("value", f"{reader.text(tokens)!r} is not one key")


def _names_holder(reader: Reader, token: Token) -> bool:
    nodes = reader.index.by_form.get(key_form(token.text), [])
    return any(isinstance(reader.value(n), dict | list) for n in nodes)


def _is_key_noun(token: Token, nouns: frozenset[str]) -> bool:
    return token.low in nouns or token.low in ("called", "named", "boolean", "numeric", "string")


def _styled(words: list[str], holder: Value) -> str:
    keys = [k for k in holder if len(key_words(k)) > 1] if isinstance(holder, dict) else []
    styles = {"_" if "_" in k else "-" if "-" in k else "camel" for k in keys}
    if len(styles) != 1 or any(w in ORDINALS for w in words[:1]):
        raise Unclear("value", f"how {' '.join(words)!r} is written as a key is not clear")
    style = styles.pop()
    if style == "camel":
        return words[0] + "".join(w.capitalize() for w in words[1:])
    return style.join(words)
