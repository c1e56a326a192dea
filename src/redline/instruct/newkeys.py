"""Add keys to objects."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct.operations import Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import ABSENT, Reader, rate
from redline.instruct.resolve import Found
from redline.instruct.tokens import Token, Tokens
from redline.instruct.typed import typed
from redline.instruct.values import Value, same
from redline.instruct.words import ARTICLES, ORDINALS, SCOPING, key_form, key_words

_VALUE_MARKS = tuple(
    tuple(mark.split())
    for mark in (
        "with the value of|with a value of|with value of|with the value|with a value|with value|"
        "set to|equal to|having value|whose value is|and set it to|=|:|->|of"
    ).split("|")
)


def unintroduced(tokens: Tokens) -> Tokens:
    """The words without `a`, `the`, `new`."""
    while tokens and (tokens[0].low in ARTICLES or tokens[0].low in ("new", "another")):
        tokens = tokens[1:]
    return tokens


def member(reader: Reader, tokens: Tokens) -> Outcome | None:
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
                tuple(new_key(reader, nodes[0], key[0].text, value, rate(found))),
                "already as asked",
                found.nodes,
            )
    return None


def merge(reader: Reader, new: dict[str, Value], found: Found) -> Outcome:
    """Each entry of a JSON object becomes a key of its own."""
    operations: list[Operation] = []
    for node in found.nodes:
        for key, value in new.items():
            operations += new_key(reader, node, key, value, rate(found))
    return Outcome(tuple(operations), "already as asked", found.nodes)


def new_key(
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


def key_to_rest(
    reader: Reader, what: Tokens, rest: Tokens, verb: str
) -> list[Callable[[], Outcome]]:
    """`a KEY field to TARGET with value V` and `KEY: V to TARGET`."""
    if verb not in ("add", "create", "insert", "include", "introduce"):
        return []
    attempts = key_attempts(reader, what, rest)
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


def key_attempts(
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
    return lambda: add_key(reader, key, value, where)


def add_key(reader: Reader, key: Tokens, value: Tokens, where: Tokens | None) -> Outcome:
    """One new key with one value in each object *where* names."""
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
        operations += new_key(reader, node, name, new, rate(found))
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
    words = unintroduced(tokens)
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
