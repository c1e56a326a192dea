"""Members of JSON5 containers, and of JSON ones that hold duplicate keys, one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from redline.core.errors import DocumentSyntax
from redline.documents.possessive import compiled

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|\'[^\'\\]*+(?:\\.[^\'\\]*+)*+\''
_NESTED = rb"[\[{](?:[^\"'\[\]{}]++|" + _STRING + rb")*+[\]}]"
for _ in range(2):
    _NESTED = rb"[\[{](?:[^\"'\[\]{}]++|" + _STRING + rb"|" + _NESTED + rb")*+[\]}]"
_CONTAINER = compiled(_NESTED, re.DOTALL)
_TOKEN = compiled(_STRING + rb"|[\[\]{}]", re.DOTALL)
_STRING_TOKEN = compiled(_STRING, re.DOTALL)
_ATOM = re.compile(rb"[^\s,\[\]{}:]+")
_SPACE = re.compile(rb"\s*")
# What nests deeper than the expression goes is left open; its end is found bracket by bracket.
_VALUE = rb"(?:(" + _STRING + rb"|" + _NESTED + rb"|[^\s,\[\]{}:\"']++)|(?=[\[{]))"
_ITEM = compiled(rb"\s*+,?+\s*+()" + _VALUE, re.DOTALL)
_MEMBER = compiled(
    rb"\s*+,?+\s*+(" + _STRING + rb"|[^\s,\[\]{}:\"']++)\s*+:\s*+" + _VALUE, re.DOTALL
)


class Entry(NamedTuple):
    """One member of a container; the key's range is empty for list items."""

    key: str | None
    key_start: int
    key_end: int
    start: int
    end: int


def walk(mask: bytes, start: int) -> Iterator[Entry]:
    """The members of the container that opens at *start*."""
    is_object = mask[start] == 0x7B
    match, at = (_MEMBER if is_object else _ITEM).match, start + 1
    while found := match(mask, at):
        _, (key_start, key_end), (value, at) = found.regs
        if value < 0:
            value = found.end()
            at = value_end(mask, value)
        if is_object:
            yield Entry(decode_key(found[1]), key_start, key_end, value, at)
        else:
            yield Entry(None, value, value, value, at)


def value_end(mask: bytes, at: int) -> int:
    """Where the value that starts at *at* ends."""
    first = mask[at : at + 1]
    if first in (b'"', b"'"):
        match = _STRING_TOKEN.match(mask, at)
    elif first in (b"[", b"{"):
        return _container_end(mask, at)
    else:
        match = _ATOM.match(mask, at)
    if match is None:
        raise DocumentSyntax("A value was expected")
    return match.end()


def _container_end(mask: bytes, at: int) -> int:
    simple = _CONTAINER.match(mask, at)
    if simple is not None:
        return simple.end()
    depth = 0
    for match in _TOKEN.finditer(mask, at):
        first = match[0]
        if first in (b"[", b"{"):
            depth += 1
        elif first in (b"]", b"}"):
            depth -= 1
            if not depth:
                return match.end()
    raise DocumentSyntax("A container is not closed")


def decode_key(token: bytes) -> str:
    """The name a key token stands for."""
    text = token.decode("utf-8")
    if text[0] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            pass
    elif text[0] != "'":
        if "\\" not in text:
            return text
        text = f'"{text}"'
    import pyjson5

    return str(pyjson5.decode(text))


def skip_space(mask: bytes, at: int) -> int:
    """The next offset that is not white space."""
    match = _SPACE.match(mask, at)
    return match.end() if match else at


def last_mark(mask: bytes, stop: int) -> int:
    """The offset of the last byte before *stop* that is not white space, or -1."""
    while stop > 0:
        start = max(0, stop - 256)
        kept = len(mask[start:stop].rstrip())
        if kept:
            return start + kept - 1
        stop = start
    return -1
