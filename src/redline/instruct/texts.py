"""Rename keys and names, replace text, change letter case."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.instruct.assign import assignments, with_scope
from redline.instruct.filters import form_of
from redline.instruct.operations import Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, best, rate
from redline.instruct.tokens import Token, Tokens
from redline.instruct.values import Value
from redline.instruct.words import ARTICLES, key_form

_KEY_NOUNS = frozenset("key field property attribute column".split())
_NAMES = ("name", "title", "label", "fullname", "displayname", "username")
CASES: dict[str, Callable[[str], str]] = {
    "uppercase": str.upper, "upper": str.upper, "lowercase": str.lower, "lower": str.lower,
    "capitalize": lambda text: text[:1].upper() + text[1:], "trim": str.strip,
    "capitalise": lambda text: text[:1].upper() + text[1:],
}  # fmt: skip


def rename(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`KEY to NAME` renames a key; `Alice to Alicia` changes a record's name."""
    attempts = [
        _renaming(reader, left, right)
        for place, token in enumerate(tokens)
        if 0 < place < len(tokens) - 1 and token.low in ("to", "as", "->", "=>", "→")
        for left, right in with_scope(tokens[:place], tokens[place + 1 :])
    ]
    if not attempts:
        raise Unclear("value", "no new name is given")
    return best(attempts)


def _renaming(reader: Reader, left: Tokens, right: Tokens) -> Callable[[], Outcome]:
    return lambda: _rename(reader, left, right)


def _rename(reader: Reader, left: Tokens, right: Tokens) -> Outcome:
    said_key = any(t.low in _KEY_NOUNS for t in left)
    found = reader.targets(left, strict=True)
    if not found.nodes:
        return Outcome((), "nothing fits the condition")
    nodes = found.nodes
    if all(reader.index.is_record(n) or n == 0 for n in nodes):
        return _rename_record(reader, nodes, left, right)
    if not all(_says_key(reader, left, n) for n in nodes):
        raise Unclear("target", f"{reader.text(left)!r} is not the name of a key", nodes)
    if not said_key and (_in_some_records(reader, nodes) or _are_named(reader, nodes)):
        raise Unclear("several", f"{reader.text(left)!r} may mean the key or its name", nodes)
    if right and right[0].low in ARTICLES:
        right = right[1:]
    if len(right) != 1 or right[0].kind not in ("word", "quoted", "code"):
        raise Unclear("value", f"{reader.text(right)!r} is not one key", nodes)
    return _rename_keys(reader, nodes, right[0], rate(found))


def _in_some_records(reader: Reader, nodes: tuple[int, ...]) -> bool:
    """Whether they are fields of a few records only, where a key is hardly what is renamed."""
    owner = reader.index.parents[nodes[0]]
    if not reader.index.is_record(owner):
        return False
    beside = reader.value(reader.index.parents[owner])
    return isinstance(beside, list) and len(nodes) < len(beside)


def _are_named(reader: Reader, nodes: tuple[int, ...]) -> bool:
    return all(_named_field(reader, node) is not None for node in nodes)


def _says_key(reader: Reader, left: Tokens, node: int) -> bool:
    """Whether the words contain the key itself, not only what identifies its object."""
    key = str(reader.index.keys[node])
    if any(t.path or t.text == key for t in left):
        return True
    wanted = key_form(key)
    return any(
        form_of(left[start:stop]) == wanted
        for start in range(len(left))
        for stop in range(start + 1, len(left) + 1)
    )


def _rename_keys(reader: Reader, nodes: tuple[int, ...], new: Token, confidence: float) -> Outcome:
    operations = []
    for node in nodes:
        path = reader.index.path(node)
        if path[-1] == new.text:
            continue
        holder = reader.value(reader.index.parents[node])
        if not isinstance(holder, dict) or new.text in holder:
            raise Unclear("value", f"{new.text!r} is there already", (node,))
        target = (*path[:-1], new.text)
        value = reader.value(node)
        operations.append(Operation("rename", path, value, value, target).rated(confidence))
    return Outcome(tuple(operations), "already as asked", nodes)


def _named_field(reader: Reader, node: int) -> int | None:
    value = reader.value(node)
    if not isinstance(value, dict):
        return None
    fields = [c for c in reader.index.children(node)
              if key_form(str(reader.index.keys[c])) in _NAMES]  # fmt: skip
    return fields[0] if len(fields) == 1 else None


def _rename_record(reader: Reader, nodes: tuple[int, ...], left: Tokens, right: Tokens) -> Outcome:
    """A record is renamed in the field by which it was found."""
    if len(nodes) != 1:
        raise Unclear("several", f"{reader.text(left)!r} fits {len(nodes)} places", nodes)
    field = _named_field(reader, nodes[0])
    if field is None:
        raise Unclear("target", f"{reader.text(left)!r} has no one name", nodes)
    value = reader.typed(right, field)
    return Outcome(tuple(reader.replace(field, value)), "already as asked", nodes)


def replace(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`TARGET with VALUE`, or `OLD with NEW [in TARGET]`."""
    attempts: list[Callable[[], Outcome]] = []
    for place, token in enumerate(tokens):
        if not 0 < place < len(tokens) - 1 or token.low not in ("with", "by"):
            continue
        left, right = tokens[:place], tokens[place + 1 :]
        quoted = left[0].kind == "quoted" or left[-1].kind == "quoted"
        if not quoted:
            attempts += list(assignments(reader, left, right))
        attempts += _text_attempts(reader, left, right)
    if not attempts:
        raise Unclear("value", "replace needs: replace X with Y")
    return best(attempts)


def _text_attempts(reader: Reader, left: Tokens, right: Tokens) -> list[Callable[[], Outcome]]:
    """Old and new text, with the place named after either of them or not at all."""
    attempts: list[Callable[[], Outcome]] = []
    for part, first in ((right, False), (left, True)):
        for place in range(1, len(part) - 1):
            if part[place].low in ("in", "from", "of", "within", "inside", "throughout"):
                scope = part[place + 1 :]
                old, new = (part[:place], right) if first else (left, part[:place])
                attempts.append(_in_place(reader, old, new, scope))
    attempts.append(lambda: _everywhere(reader, left, right))
    return attempts


def _in_place(reader: Reader, old: Tokens, new: Tokens, scope: Tokens) -> Callable[[], Outcome]:
    return lambda: _replace_text(reader, _one(reader, old), _one(reader, new), scope)


def _one(reader: Reader, tokens: Tokens) -> str:
    """One quoted text or plain word."""
    words = [t for t in tokens if t.low not in ("the", "text", "word", "string", "occurrences",
                                                "all", "every", "of", "occurrence")]  # fmt: skip
    if len(words) != 1 or not words[0].is_name or not words[0].text:
        raise Unclear("value", f"{reader.text(tokens)!r} is not one text")
    return words[0].text


def _replace_text(reader: Reader, old: str, new: str, scope: Tokens) -> Outcome:
    found = reader.targets(scope)
    operations: list[Operation] = []
    for node in found.nodes:
        value = reader.value(node)
        if isinstance(value, list):
            operations += _replace_elements(reader, node, old, new)
        elif isinstance(value, str):
            if value.count(old) > 1 and not old.strip():
                raise Unclear("value", "blank text cannot be replaced")
            operations += reader.replace(node, value.replace(old, new), rate(found))
        else:
            raise Unclear("type", f"{reader.text(scope)!r} is not a text", (node,))
    return Outcome(tuple(operations), f"{old!r} is not there", found.nodes)


def _replace_elements(reader: Reader, node: int, old: str, new: str) -> list[Operation]:
    matching = [c for c in reader.index.children(node) if reader.value(c) == old]
    return [operation for child in matching for operation in reader.replace(child, new)]


def _everywhere(reader: Reader, left: Tokens, right: Tokens) -> Outcome:
    """`replace "a" with "b"`: the one value that is exactly that text."""
    everywhere = any(t.low in ("all", "every", "occurrences") for t in left)
    everywhere = everywhere or reader.resolver.everywhere or reader.resolver.scope_many
    old, new = _one(reader, left), _one(reader, right)
    texts = [(n, reader.value(n)) for n in _within(reader)]
    whole = [n for n, value in texts if value == old]
    holding = [n for n, value in texts if isinstance(value, str) and old in value]
    if not holding:
        raise Unclear("target", f"{old!r} is not a value here", value=old)
    if len(whole) == len(holding) == 1 or (everywhere and whole == holding):
        operations = [o for n in whole for o in reader.replace(n, new)]
        return Outcome(tuple(operations), "already as asked", tuple(whole))
    text = reader.value(holding[0])
    quoted = all(t.kind == "quoted" for t in (*left, *right))
    if len(holding) == 1 and quoted and isinstance(text, str) and text.count(old) == 1:
        changed = reader.replace(holding[0], text.replace(old, new))
        return Outcome(tuple(changed), "already as asked", tuple(holding))
    scoped = reader.memory.scopes != (0,) and everywhere
    if quoted and (scoped or reader.resolver.everywhere):
        operations = [
            operation
            for node in holding
            for operation in reader.replace(node, str(reader.value(node)).replace(old, new))
        ]
        return Outcome(tuple(operations), "already as asked", tuple(holding))
    raise Unclear("several", f"{old!r} is in {len(holding)} values", tuple(holding))


def _within(reader: Reader) -> Iterator[int]:
    """The nodes of the scope the sentence opened with, or all."""
    for scope in reader.memory.scopes:
        yield from range(scope, reader.index.end[scope])


def change_case(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Upper-case, lower-case, capitalise or trim texts."""
    if verb == "trim" and tokens and tokens[0].low in ("whitespace", "spaces", "space"):
        tokens = tokens[1:]
        while tokens and tokens[0].low in ("from", "around", "in", "of"):
            tokens = tokens[1:]
    found = reader.targets(tokens)

    def changed(node: int) -> Value:
        value = reader.value(node)
        if not isinstance(value, str):
            raise Unclear("type", "only a text has letters", (node,))
        return CASES[verb](value)

    return [reader.each(found, changed)]
