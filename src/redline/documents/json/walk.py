"""Members of JSON5 containers, and of JSON ones that hold duplicate keys, one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from redline.core.errors import DocumentSyntax
from redline.documents.base.possessive import compile_pattern

# What is left of a source when comments and trailing commas are blanked.
Mask = bytes | bytearray

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|\'[^\'\\]*+(?:\\.[^\'\\]*+)*+\''
_PLAIN = rb"[^\"'\[\]{}]*+"
_NESTED = rb"[\[{]" + _PLAIN + rb"(?:(?:" + STRING + rb")" + _PLAIN + rb")*+[\]}]"
for _ in range(2):
    _INNER = _PLAIN + rb"(?:(?:" + STRING + rb"|" + _NESTED + rb")" + _PLAIN + rb")*+"
    _NESTED = rb"[\[{]" + _INNER + rb"[\]}]"
_BALANCED = compile_pattern(_INNER, re.DOTALL)
_STRING_TOKEN = compile_pattern(STRING, re.DOTALL)
_ATOM = re.compile(rb"[^\s,\[\]{}:]+")
_SPACE = re.compile(rb"\s*")
# What nests deeper than the expression goes is left open; its end is found bracket by bracket.
VALUE = STRING + rb"|" + _NESTED + rb"|[^\s,\[\]{}:\"']++"
_VALUE = rb"(?:(" + VALUE + rb")|(?=[\[{]))"
NAME = rb"\s*+(" + STRING + rb"|[^\s,\[\]{}:\"']++)\s*+:\s*+"
KEY = compile_pattern(NAME, re.DOTALL)
_ITEM = compile_pattern(rb"\s*+,?+\s*+()" + _VALUE, re.DOTALL)
# As many items in one match; those that nest deeply are passed one by one.
_BLOCK = 64
_ITEMS = compile_pattern(rb"(?:\s*+,?+\s*+(?:" + VALUE + rb")){%d}" % _BLOCK, re.DOTALL)
_MEMBER = compile_pattern(rb"\s*+,?+" + NAME + _VALUE, re.DOTALL)


class JsonEntry(NamedTuple):
    """One member of a container; the key's range is empty for list items."""

    key: str | None
    key_start: int
    key_end: int
    start: int
    end: int


class Run(NamedTuple):
    """Members that follow each other in [start, end), and how many they are where that counts.

    A run of one ends exactly where its value ends, and may be as large as it likes.
    """

    start: int
    end: int
    length: int


def walk(mask: Mask, run: Run, *, named: bool) -> Iterator[JsonEntry]:
    """Yield the members of *run*: of an object when they are *named*."""
    if run.length == 1:
        yield _sole(mask, run, named=named)
        return
    match, at, stop = (_MEMBER if named else _ITEM).match, run.start, run.end
    while at < stop and (found := match(mask, at)):
        _, (key_start, key_end), (value, at) = found.regs
        if value < 0:
            value = found.end()
            at = value_end(mask, value)
        if named:
            yield JsonEntry(decode_key(found[1]), key_start, key_end, value, at)
        else:
            yield JsonEntry(None, value, value, value, at)


def length_of(mask: Mask, run: Run) -> int:
    """Return how many list items *run* holds."""
    return _pass(mask, run, run.end - run.start)[0]


def nth(mask: Mask, run: Run, position: int) -> JsonEntry | None:
    """Return the list item at *position* of *run*, or None when it does not hold that many."""
    if run.length == 1:
        return _sole(mask, run, named=False) if not position else None
    passed, at = _pass(mask, run, position)
    rest = walk(mask, Run(at, run.end, 0), named=False)
    return next(rest, None) if passed == position else None


def _pass(mask: Mask, run: Run, most: int) -> tuple[int, int]:
    """Pass over up to *most* list items: how many there were, and where they end."""
    at, passed = run.start, 0
    while passed + _BLOCK <= most and (found := _ITEMS.match(mask, at, run.end)):
        at, passed = found.end(), passed + _BLOCK
    while passed < most and at < run.end and (found := _ITEM.match(mask, at, run.end)):
        passed += 1
        at = found.end() if found.start(2) >= 0 else value_end(mask, found.end())
    return passed, at


def last_two(mask: Mask, run: Run) -> list[JsonEntry]:
    """Return the last two members that *run* holds of an object, or as many as there are."""
    if run.length == 1:
        return [_sole(mask, run, named=True)]
    at, stop = run.start, run.end
    begins = (at, at)
    while at < stop and (found := _MEMBER.match(mask, at)):
        begins = (begins[1], at)
        at = found.end() if found.start(2) >= 0 else value_end(mask, found.end())
    return list(walk(mask, Run(begins[0], stop, 0), named=True))[-2:]


def find(mask: Mask, run: Run, key: str) -> list[JsonEntry]:
    """Return the members of *run* that are called *key*; other names are not looked at closely."""
    name = key.encode("utf-8", "surrogatepass")
    if mask.find(name, run.start, run.end) < 0 and mask.find(b"\\", run.start, run.end) < 0:
        return []
    if run.length == 1:
        return [entry for entry in walk(mask, run, named=True) if entry.key == key]
    tokens = {name, b'"' + name + b'"', b"'" + name + b"'"}
    entries: list[JsonEntry] = []
    at, stop = run.start, run.end
    while at < stop and (found := _MEMBER.match(mask, at)):
        token, start = found[1], found.start(2)
        at = found.end()
        if start < 0:
            start, at = at, value_end(mask, at)
        if (token in tokens or b"\\" in token) and decode_key(token) == key:
            entries.append(JsonEntry(key, *found.span(1), start, at))
    return entries


def _sole(mask: Mask, run: Run, *, named: bool) -> JsonEntry:
    if not named:
        start = skip_space(mask, run.start)
        return JsonEntry(None, start, start, start, run.end)
    found = KEY.match(mask, run.start)
    if found is None:
        raise DocumentSyntax("A name was expected")
    return JsonEntry(decode_key(found[1]), *found.span(1), found.end(), run.end)


def value_end(mask: Mask, at: int, stop: int | None = None) -> int:
    """Where the value that starts at *at* ends; DocumentSyntax when that is not before *stop*."""
    stop = len(mask) if stop is None else min(stop, len(mask))
    first = mask[at : at + 1]
    if first in (b'"', b"'"):
        match = _STRING_TOKEN.match(mask, at, stop)
    elif first in (b"[", b"{"):
        return _container_end(mask, at, stop)
    else:
        match = _ATOM.match(mask, at, stop)
    if match is None:
        raise DocumentSyntax("A value was expected")
    return match.end()


def _container_end(mask: Mask, at: int, stop: int) -> int:
    depth = 0
    while at < stop:
        first = mask[at]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
            if not depth:
                return at + 1
        else:
            break
        # What nests a little is passed over in one match.
        inner = _BALANCED.match(mask, at + 1, stop)
        at = inner.end() if inner else at + 1
    raise DocumentSyntax("A container is not closed")


def decode_key(token: bytes) -> str:
    """Return the name that a key token denotes."""
    text = token.decode("utf-8")
    if "\\" not in text:
        return text[1:-1] if text[0] in "\"'" else text
    if text[0] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            pass
    elif text[0] != "'":
        text = f'"{text}"'
    import pyjson5

    return str(pyjson5.decode(text))


def skip_space(mask: Mask, at: int) -> int:
    """Return the next offset that is not white space."""
    match = _SPACE.match(mask, at)
    return match.end() if match else at


def last_mark(mask: Mask, stop: int) -> int:
    """Return the offset of the last byte before *stop* that is not white space, or -1."""
    while stop > 0:
        start = max(0, stop - 256)
        kept = len(mask[start:stop].rstrip())
        if kept:
            return start + kept - 1
        stop = start
    return -1
