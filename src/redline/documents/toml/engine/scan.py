"""TOML's own marks: where sections, statements and list items begin and end.

One regular expression reads a section at C speed, another a statement, a third a list item. They
follow the lexical rules strictly: text they do not read to its end is never shown to the native
parser, whose stack deep brackets would exhaust.
"""

from __future__ import annotations

import json
import re
import tomllib
from array import array
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from redline.documents.base.depth import too_deep
from redline.documents.base.model import MAX_DEPTH, syntax_error
from redline.documents.base.possessive import compile_pattern

_GAP = rb"[ \t]*+"
_COMMENT = rb"#[^\r\n]*+(?=\r?\n|\Z)"
_LINE_END = _GAP + rb"(?:" + _COMMENT + rb")?+(?:\r?\n|\Z)"
_BASIC = rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_LITERAL = rb"'[^'\r\n]*+'"
_STRING = (
    rb'(?:"""[^"\\]*+(?:(?:\\.|"{1,2}(?!"))[^"\\]*+)*+"{3,5}'
    rb"|'''[^']*+(?:'{1,2}(?!')[^']*+)*+'{3,5}|" + _BASIC + rb"|" + _LITERAL + rb")(?![\"'])"
)
_DATE = rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9:.+Zz-]++"
_ATOM = rb"(?:" + _DATE + rb"|[A-Za-z0-9_+.:-]++)(?![\"'])"
_PART = rb"(?:[A-Za-z0-9_-]++|" + _BASIC + rb"|" + _LITERAL + rb")"
_KEYS = _PART + rb"(?:" + _GAP + rb"\." + _GAP + _PART + rb")*+"
# Words and what separates them; no quote may follow a word.
_WORDS = rb"[A-Za-z0-9_+:\-. \t\n,=]++(?!(?<=[A-Za-z0-9_+:\-])[\"'])"
_INNER = _WORDS + rb"|" + _STRING + rb"|\r\n|" + _COMMENT
_NESTED = _MARKED = b"(?!)"
for _ in range(3):
    _NESTED = rb"[\[{](?:" + _INNER + rb"|" + _NESTED + rb")*+[\]}]"
    _MARKED = rb"([\[{])(?:" + _INNER + rb"|" + _MARKED + rb")*+[\]}]"
_VALUE = rb"(?:" + _STRING + rb"|" + _ATOM + rb"|" + _NESTED + rb")"
_STATEMENT = _KEYS + _GAP + rb"=" + _GAP + _VALUE
# Lines that are read at once: few enough that a run's end says where it lies.
RUN = 64
_LINES = rb"(?:" + _GAP + rb"(?:" + _STATEMENT + rb")?+" + _LINE_END + rb"){0,%d}+" % RUN
_HEADER = rb"\[(\[)?+" + _GAP + rb"(" + _KEYS + rb")" + _GAP + rb"\]\]?+"

# The header is optional: the top level and what follows a deep statement have none.
_READ_SECTION = compile_pattern(
    rb"(?:" + _GAP + rb"(\[)\[?+" + _GAP + _KEYS + _GAP + rb"\]\]?+" + _LINE_END + rb")?+" + _LINES,
    re.DOTALL,
)
_READ_HEADER = compile_pattern(_HEADER)
_SPACE = rb"(?:[ \t\r\n]++|#[^\n]*+)*+"
_PAIR = rb"(" + _KEYS + rb")" + _GAP + rb"=" + _GAP + rb"("
_READ_KEYS = compile_pattern(_SPACE + rb"(" + _KEYS + rb")" + _GAP + rb"=" + _GAP)
_READ_STATEMENT = compile_pattern(_SPACE + _PAIR + _VALUE + rb")?+", re.DOTALL)
_COMMA = _SPACE + rb",?+" + _SPACE
# What is in brackets; compiled when a path leads there.
_INSIDE = {
    "value": _VALUE,
    "item": _COMMA + rb"(?:(" + _VALUE + rb")|(?=[\[{]))",
    "items": rb"(?:" + _COMMA + _VALUE + rb"){%d}+" % RUN,
    "pair": _COMMA + _PAIR + _VALUE + rb")?+",
    "pairs": rb"(?:" + _COMMA + _STATEMENT + rb"){%d}+" % RUN,
    "bracket": rb"(?:" + _INNER + rb"|" + _MARKED + rb")*+([\[\]{}])",
}
_READ_COMMA = compile_pattern(_SPACE + rb",")
_READ_PART = compile_pattern(_PART)
_READ_LINE_END = compile_pattern(_LINE_END)
_NOT_DOTS = bytes(byte for byte in range(256) if byte not in b".\n")
# Tried at the start of words alone: the time it takes stays linear.
_DEEP_KEY = compile_pattern(
    rb"(?<![A-Za-z0-9_-])(?:" + _PART + _GAP + rb"\." + _GAP + rb"){%d}" % MAX_DEPTH
)
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_OPEN = (b"[", b"{")
_NOT_BARE = re.compile(rb"[\"' \t]")
_SHALLOW = 3

Span = tuple[int, int]


@cache
def _read(what: str) -> re.Pattern[bytes]:
    return compile_pattern(_INSIDE[what], re.DOTALL)


class Statement(NamedTuple):
    """`keys = value`: the names and the offsets of both."""

    names: tuple[str, ...]
    start: int
    key_end: int
    value: int
    end: int


class Sections(NamedTuple):
    """The offsets of all table headers and, in long sections, of statements that begin a run.

    `depth` is how deep brackets nest at the most (3 for less).
    """

    starts: array[int]
    runs: array[int]
    depth: int


def read_sections(source: bytes, start: int) -> Sections:
    """Return where tables begin; DocumentSyntax where the text is not shaped like TOML."""
    require_short_keys(source)
    starts, runs, depth = array("Q"), array("Q"), _SHALLOW
    at, size, read = start, len(source), _READ_SECTION.match
    while at < size:
        section = read(source, at)
        header, stop = (section.start(1), section.end()) if section else (-1, at)
        if header >= 0:
            starts.append(header)
        elif at > start:
            runs.append(at)
        if stop == at:
            stop, depth = _deep_statement(source, at, depth)
        at = stop
    return Sections(starts, runs, depth)


def require_short_keys(source: bytes) -> None:
    """Refuse dotted keys of very many parts: the standard parser squares their length."""
    if source.count(b".") < MAX_DEPTH:
        return
    many = source.translate(None, _NOT_DOTS).find(b"." * MAX_DEPTH) >= 0
    if many and _DEEP_KEY.search(source):
        raise too_deep()


def _deep_statement(source: bytes, at: int, depth: int) -> tuple[int, int]:
    """Return where a statement ends whose brackets nest deeper than one expression can read."""
    keys = _READ_STATEMENT.match(source, at)
    if keys is None or keys[2] is not None or source[keys.end() : keys.end() + 1] not in _OPEN:
        raise syntax_error(source, at, "a statement or a table header was expected", "TOML")
    stop, deeper = _find_close(source, keys.end())
    rest = _READ_LINE_END.match(source, stop)
    if rest is None:
        raise syntax_error(source, stop, "the end of the line was expected", "TOML")
    return rest.end(), max(depth, deeper)


def _find_close(source: bytes, at: int) -> tuple[int, int]:
    """Return where the bracket that opens at *at* is closed, and how deep it nests."""
    depth = deepest = 0
    read = _read("bracket").match
    while True:
        bracket = read(source, at)
        if bracket is None:
            raise syntax_error(source, at, "a bracket is not closed", "TOML")
        at = bracket.end()
        # Three groups are brackets that were read over, 4 is the one that was stopped at.
        passed = bracket.lastindex and sum(bracket.start(level) >= 0 for level in (1, 2, 3))
        deepest = max(deepest, depth + (passed or 0))
        depth += 1 if bracket[4] in _OPEN else -1
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            raise too_deep()
        if not depth:
            return at, deepest


def read_header(source: bytes, at: int) -> tuple[tuple[str, ...], bool, int]:
    """Return the names of the table header at *at*, whether it is doubled, and where it ends."""
    is_double, stop = source.startswith(b"[[", at), source.find(b"]", at)
    keys = source[at + 1 + is_double : stop]
    if keys.translate(None, b".-_").isalnum():
        return tuple(keys.decode().split(".")), is_double, stop + 1 + is_double
    header = _READ_HEADER.match(source, at)
    if header is None:
        raise syntax_error(source, at, "a table header was expected", "TOML")
    return names_of(header[2]), header[1] is not None, header.end()


def key_parts(source: bytes, start: int, stop: int) -> list[Span]:
    """Return where each part of a dotted key between two offsets is."""
    return [part.span() for part in _READ_PART.finditer(source, start, stop)]


def header_parts(source: bytes, at: int) -> list[Span]:
    """Return where each part of the table header at *at* is."""
    header = _READ_HEADER.match(source, at)
    return key_parts(source, *header.span(2)) if header else []


def read_statements(
    source: bytes, at: int, stop: int, names: tuple[str, ...] = ()
) -> Iterator[Statement]:
    """Yield the statements between two offsets whose keys begin with *names*."""
    return _pairs(_READ_STATEMENT, source, at, stop, names)


def find_value(
    source: bytes, at: int, stop: int, names: tuple[str, ...]
) -> tuple[tuple[str, ...], int] | None:
    """The first keys between two offsets that begin with *names*, and where their value begins.

    The value is not read: it may be most of the file.
    """
    if not _mentions(source, at, stop, names):
        return None
    exact = _exact(names)
    while (keys := _READ_KEYS.match(source, at, stop)) is not None:
        if _may_begin(keys[1], exact):
            found = names_of(keys[1])
            if found[: len(names)] == names:
                return found, keys.end()
        at = value_end(source, keys.end())
    return None


def value_end(source: bytes, at: int) -> int:
    """Return where the value that begins at *at* ends."""
    value = _read("value").match(source, at)
    return value.end() if value else _find_close(source, at)[0]


def read_pairs(
    source: bytes, at: int, stop: int, names: tuple[str, ...] = ()
) -> Iterator[Statement]:
    """Yield the statements between two offsets of an inline table whose keys begin with *names*."""
    return _pairs(_read("pair"), source, at, stop, names)


def _pairs(
    pattern: re.Pattern[bytes], source: bytes, at: int, stop: int, names: tuple[str, ...]
) -> Iterator[Statement]:
    if names and not _mentions(source, at, stop, names):
        return
    exact = _exact(names)
    while (pair := pattern.match(source, at, stop)) is not None:
        _, (start, key_end), (value, at) = pair.regs
        if value < 0:
            value = pair.end()
            at, _ = _find_close(source, value)
        keys = pair[1]
        if not names or _may_begin(keys, exact):
            found = names_of(keys)
            if found[: len(names)] == names:
                yield Statement(found, start, key_end, value, at)


def _mentions(source: bytes, at: int, stop: int, names: tuple[str, ...]) -> bool:
    """Return whether all *names* may occur between two offsets."""
    for name in names:
        if source.find(name.encode("utf-8", "surrogatepass"), at, stop) < 0:
            # Only an escape lets a name be written without its own letters.
            return source.find(b"\\", at, stop) >= 0
    return True


def _exact(names: tuple[str, ...]) -> bytes:
    """Return *names* as bare keys joined by dots; a lone dot when that is not possible."""
    is_bare = all(map(BARE_KEY.fullmatch, names))
    return ".".join(names).encode("utf-8", "surrogatepass") if is_bare else b"."


def _may_begin(keys: bytes, exact: bytes) -> bool:
    if _NOT_BARE.search(keys):
        return True
    return keys.startswith(exact) and keys[len(exact) : len(exact) + 1] in (b"", b".")


def read_items(source: bytes, at: int, stop: int) -> Iterator[Span]:
    """Yield the offsets of an array's items between two offsets."""
    read = _read("item").match
    while (item := read(source, at, stop)) is not None:
        start, at = item.span(1)
        if start < 0:
            start = item.end()
            at, _ = _find_close(source, start)
        yield start, at


def skip_items(source: bytes, at: int, stop: int) -> int:
    """After the next RUN items of an array, or -1 where they are fewer or nest deeply."""
    run = _read("items").match(source, at, stop)
    return run.end() if run else -1


def skip_pairs(source: bytes, at: int, stop: int) -> int:
    """After the next RUN statements of an inline table, or -1 as for items."""
    run = _read("pairs").match(source, at, stop)
    return run.end() if run else -1


def comma_after(source: bytes, at: int, stop: int) -> int:
    """Return the offset of the comma after an entry, or -1."""
    comma = _READ_COMMA.match(source, at, stop)
    return comma.end() - 1 if comma else -1


def names_of(keys: bytes) -> tuple[str, ...]:
    """Return the names that keys joined by dots denote."""
    text = keys.decode("utf-8")
    if text.isalnum():
        return (text,)
    if '"' not in text and "'" not in text:
        return tuple(part.strip(" \t") for part in text.split(".")) if "." in text else (text,)
    return tuple(_name(part) for part in _READ_PART.findall(keys))


def _name(token: bytes) -> str:
    text = token.decode("utf-8")
    if text[0] == "'":
        return text[1:-1]
    if text[0] == '"' and "\\" in text:
        return str(next(iter(tomllib.loads(f"{text}=0"))))
    return text[1:-1] if text[0] == '"' else text


def render_key(name: str) -> str:
    """Return a key as TOML writes it."""
    if BARE_KEY.fullmatch(name):
        return name
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007F")
