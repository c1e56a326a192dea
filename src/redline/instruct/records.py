"""A new record in words: `a user named Bob, aged 30, with role admin`."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.filters import form_of
from redline.instruct.index import NAME_FORMS
from redline.instruct.outcome import Unclear
from redline.instruct.reader import ABSENT, Reader
from redline.instruct.tokens import Tokens
from redline.instruct.typed import typed
from redline.instruct.values import Value
from redline.instruct.words import key_form

_SEPARATORS = frozenset((",", "and", "with", "having", "whose", ":", "that", "has"))
_NAMING = frozenset(("named", "called", "titled"))
_FIELDS = {"aged": "age", "priced": "price", "costing": "price"}
_BETWEEN = frozenset(("is", "of", "=", ":", "as", "at", "are"))


def record_of(reader: Reader, tokens: Tokens, held: list[Value]) -> dict[str, Value]:
    """The record *tokens* describe in the shape the others have; Unclear unless every field is
    certain: what all others have must be said, and nothing may be said that none of them has."""
    records = [item for item in held if isinstance(item, dict)]
    known = list(dict.fromkeys(key for record in records for key in record))
    new: dict[str, Value] = {}
    for segment in _segments(tokens):
        key, words = _field(reader, segment, known)
        if key in new:
            raise Unclear("value", f"{key!r} is said twice")
        peers = [record[key] for record in records if key in record]
        new[key] = typed(words, reader.source, ABSENT, peers, key)
    needed = [key for key in known if all(key in record for record in records)]
    missing = [key for key in needed if key not in new]
    if missing:
        raise Unclear("value", f"the new element also needs: {', '.join(missing)}")
    return {key: new[key] for key in known if key in new}


def _segments(tokens: Tokens) -> Iterator[Tokens]:
    """The stretches that each say one field."""
    current: Tokens = ()
    for token in tokens:
        separates = token.low in _SEPARATORS
        if (separates or token.low in _NAMING or token.low in _FIELDS) and current:
            yield current
            current = ()
        if not separates:
            current = (*current, token)
    if current:
        yield current


def _field(reader: Reader, segment: Tokens, known: list[str]) -> tuple[str, Tokens]:
    """The key one stretch speaks of and the words of its value."""
    first, rest = segment[0], segment[1:]
    if first.low in _NAMING:
        names = [key for key in known if key_form(key) in NAME_FORMS]
        if len(names) == 1 and rest:
            return names[0], rest
    wanted = _FIELDS.get(first.low)
    if wanted in known and rest:
        return str(wanted), _value(rest)
    for width in range(len(segment) - 1, 0, -1):
        form = form_of(segment[:width])
        keys = [key for key in known if key_form(key) == form]
        if len(keys) == 1 and _value(segment[width:]):
            return keys[0], _value(segment[width:])
    raise Unclear("value", f"{reader.text(segment)!r} is no field the others have")


def _value(tokens: Tokens) -> Tokens:
    return tokens[1:] if len(tokens) > 1 and tokens[0].low in _BETWEEN else tokens
