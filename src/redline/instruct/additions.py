"""Add elements to arrays, keys to objects, amounts to numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redline.instruct.assign import is_loose
from redline.instruct.newkeys import add_key, key_attempts, key_to_rest, member, merge, unintroduced
from redline.instruct.numbers import add_amount
from redline.instruct.operations import Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import ABSENT, Reader, best, rate
from redline.instruct.records import record_of
from redline.instruct.resolve import Found
from redline.instruct.tokens import Tokens
from redline.instruct.typed import has_shape, listed, typed
from redline.instruct.values import Num, Value
from redline.instruct.words import (
    SCOPING,
    STRUCTURAL,
    key_form,
    singular,
)

_FRONT = frozenset("beginning start front top head".split())
# Words of a bare text that may say where it goes.
_PLACING = SCOPING | frozenset("as to into before after first last next".split())
_AT_ROOT = tuple(
    (word, *the, *level)
    for word in ("at", "to", "on")
    for the in ((), ("the",))
    for level in (("top", "level"), ("root",), ("root", "level"))
)
_BACK = frozenset("end back bottom tail".split())


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where in an array: an index, the end, or before or after a named element."""

    kind: str
    index: int = 0
    anchor: Tokens = ()
    # The anchor with the words that may say where it is, and what stands before it.
    scoped: tuple[Tokens, Tokens] = ((), ())
    # Whether the verb says which end: append, prepend.
    said: bool = False


def add(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Every reading of `add ... to ...`."""
    tokens = _without_root(unintroduced(tokens))
    spot, rest = _spot(tokens, verb)
    placed, tokens = rest != tokens, rest
    attempts: list[Callable[[], Outcome]] = []
    for place in range(len(tokens) - 2, 0, -1):
        if tokens[place].low in ("to", "into", "in", "of", "on", "under", "inside", "for"):
            attempts += _to_target(reader, tokens[:place], tokens[place + 1 :], spot)
            if not placed:
                attempts += key_to_rest(reader, tokens[:place], tokens[place + 1 :], verb)
    if not placed and verb in ("add", "create", "insert", "include", "introduce"):
        into = member(reader, tokens)
        if into is not None:
            return [into]
        attempts += key_attempts(reader, tokens, None)
    if spot.anchor:
        attempts.append(lambda: _beside(reader, tokens, spot.anchor, spot.kind))
        attempts.append(lambda: _beside(reader, *spot.scoped, spot.kind))
    attempts.append(lambda: _record(reader, tokens, spot))
    attempts.append(lambda: _to_named_collection(reader, tokens, spot))
    attempts += _as_member(reader, tokens, spot)
    return best(attempts)


def _without_root(tokens: Tokens) -> Tokens:
    """Keys go to the top level unless another place is named."""
    lows = tuple(t.low for t in tokens)
    for words in _AT_ROOT:
        if lows[-len(words) :] == words and len(tokens) > len(words):
            return tokens[: -len(words)]
    return tokens


def _record(reader: Reader, tokens: Tokens, spot: _Spot) -> Outcome:
    """`user named Bob with role admin`: into the one list of users."""
    meanings = reader.meanings(tokens[:1]) if len(tokens) > 2 and tokens[0].kind == "word" else []
    nodes = meanings[0].nodes if len(meanings) == 1 else ()
    if len(nodes) != 1 or not _holds_records(reader.value(nodes[0])):
        raise Unclear("clause", "it is not clear where to add it")
    return _append(reader, tokens[1:], meanings[0], spot)


def _holds_records(value: Value) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _beside(reader: Reader, what: Tokens, anchor: Tokens, side: str) -> Outcome:
    """`{...} after the Install step`: into the array that holds the one it is put next to."""
    found = reader.targets(anchor, strict=True)
    if len(found.nodes) != 1 or not reader.index.is_record(found.nodes[0]):
        raise Unclear("target", f"{reader.text(anchor)!r} is not one element", found.nodes)
    array, position = reader.index.parents[found.nodes[0]], reader.index.keys[found.nodes[0]]
    assert isinstance(position, int)
    exact = _Spot("index", position + (side == "after"))
    return _append(reader, what, Found((array,)), exact)


def _as_member(reader: Reader, tokens: Tokens, spot: _Spot) -> list[Callable[[], Outcome]]:
    """`add Dee as a watcher`: into the list of watchers."""
    place = next((i for i, t in enumerate(tokens) if t.low == "as" and i), None)
    if place is None or place == len(tokens) - 1:
        return []
    noun = unintroduced(tokens[place + 1 :])
    return [lambda: _add_to(reader, tokens[:place], noun, spot)]


def _spot(tokens: Tokens, verb: str) -> tuple[_Spot, Tokens]:
    """`at the beginning of`, `to the end of`, `at index 2 of`, `before "x" in`."""
    default = _Spot("first" if verb == "prepend" else "end", said=verb in ("append", "prepend"))
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
    return _Spot(word, anchor=rest[:cut], scoped=(tokens[:place], rest)), joined


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
    if spot.anchor:
        raise Unclear("target", f"{reader.text(where)!r} is not a list with an order", found.nodes)
    return _add_to_other(reader, what, where, found, spot)


def _add_to_other(
    reader: Reader, what: Tokens, where: Tokens, found: Found, spot: _Spot
) -> Outcome:
    """To a number, a text or an object."""
    values = [reader.value(node) for node in found.nodes]
    if all(isinstance(value, Num) for value in values) and spot.kind == "end":
        return add_amount(reader, what, found, 1)
    if len(what) == 1 and what[0].kind == "quoted" and spot.said and _are_texts(values):
        return _joined(reader, what[0].text, found, front=spot.kind == "first")
    if len(what) == 1 and what[0].kind == "json" and isinstance(what[0].value, dict):
        return merge(reader, what[0].value, found)
    inner = _inner_list(reader, what, found)
    if inner is not None:
        return _append(reader, inner[1], inner[0], spot)
    words = unintroduced(what)
    said = len(words) == 2 and (is_loose(words[1]) or has_shape(words[1].text))
    if said and all(isinstance(v, dict) for v in values):
        return add_key(reader, words[:1], words[1:], where)
    raise Unclear("type", f"nothing can be added to {reader.text(where)!r}", found.nodes)


def _are_texts(values: list[Value]) -> bool:
    return all(isinstance(value, str) and not has_shape(value) for value in values)


def _joined(reader: Reader, text: str, found: Found, *, front: bool) -> Outcome:
    """A quoted text in front of or behind the text that is there."""

    def longer(node: int) -> Value:
        now = str(reader.value(node))
        return text + now if front else now + text

    return reader.each(found, longer)


def prefix(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """`prefix the title with "My "`."""
    place = next((i for i, t in enumerate(tokens) if i and t.low in ("with", "by")), None)
    new = tokens[place + 1 :] if place else ()
    if len(new) != 1 or new[0].kind != "quoted":
        raise Unclear("value", 'it needs: prefix X with "text"')
    found = reader.targets(tokens[:place])
    if not _are_texts([reader.value(node) for node in found.nodes]):
        raise Unclear("type", f"{reader.text(tokens[:place])!r} is not a text", found.nodes)
    return [_joined(reader, new[0].text, found, front=verb == "prefix")]


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
    words = unintroduced(what)
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
    key = str(reader.index.keys[node])
    if _holds_records(held) and not any(t.kind == "json" for t in what):
        words = unintroduced(what)
        named = len(words) > 1 and key_form(words[0].text) == key_form(key)
        return [record_of(reader, words[1:] if named else words, held)]
    parts = listed(what)
    values = [_element(reader, part, held, key) for part in parts]
    return [v for v in values if not (isinstance(v, str) and v in held)]


def _element(reader: Reader, tokens: Tokens, held: list[Value], key: str) -> Value:
    tokens = unintroduced(tokens)
    if len(tokens) > 1 and singular(tokens[0].low) in STRUCTURAL | {"tag", "string", "number"}:
        tokens = tokens[1:]
    if held and all(isinstance(item, dict) for item in held):
        if len(tokens) == 1 and isinstance(tokens[0].value, dict):
            return tokens[0].value
        raise Unclear("type", "the new element must be given as a JSON object")
    placing = any(t.low in _PLACING for t in tokens)
    if len(tokens) > 1 and placing and not any(t.kind == "quoted" for t in tokens):
        raise Unclear("value", f"{reader.text(tokens)!r} may say where; put the text in quotes")
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
