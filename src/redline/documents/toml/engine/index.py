"""The tables and values of a TOML document, found on the way to a path and no others.

Only the offsets of table headers and of runs of statements are kept for the whole file; statements
are read in the runs that may mention a name, items near the one that is asked for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from redline.core.records import dataclass
from redline.documents.toml.engine.entries import Entries, items_between, pairs_between
from redline.documents.toml.engine.scan import (
    BARE_KEY,
    Span,
    Statement,
    find_value,
    read_header,
    read_pairs,
    read_sections,
    read_statements,
    value_end,
)

# How many keys of a table are compared with a key that is not there.
_NEAR = 2000


class TomlIndex:
    """The located document; DocumentSyntax where the text is not shaped like TOML."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.starts, self.runs, self.depth = read_sections(source, self.bom)

    def root(self) -> Table:
        """Return the top level, whose own section (-1) ends at the first header."""
        return Table(self, (), range(len(self.starts)), own=-1)

    def names(self, section: int) -> tuple[str, ...]:
        """Return the names in a section's header."""
        return read_header(self.source, self.starts[section])[0]

    def beneath(self, sections: Iterable[int], path: tuple[str, ...]) -> Iterator[tuple[int, bool]]:
        """The sections whose header begins with *path*, and whether there is no more to it."""
        source, plain, depth = self.source, ".".join(path).encode(), len(path)
        is_bare, inner = all(map(BARE_KEY.fullmatch, path)), plain + b"."
        for section in sections:
            at = self.starts[section]
            keys = source[at + 1 : source.find(b"]", at)].lstrip(b"[")
            if keys.translate(None, b".-_").isalnum():
                if is_bare and (keys == plain or keys.startswith(inner)):
                    yield section, keys == plain
            elif (names := self.names(section))[:depth] == path:
                yield section, len(names) == depth

    def is_double(self, section: int) -> bool:
        """Return whether the section adds to an array of tables."""
        return self.source.startswith(b"[[", self.starts[section])

    def body(self, section: int) -> int:
        """Return where a section's header ends."""
        return self.bom if section < 0 else read_header(self.source, self.starts[section])[2]

    def stop(self, section: int) -> int:
        """Return where the next section begins, or the end."""
        following = section + 1
        return self.starts[following] if following < len(self.starts) else len(self.source)

    def runs_of(self, section: int) -> list[Span]:
        """Return a section's statements in runs of a few lines."""
        body, stop = self.body(section), self.stop(section)
        inner = self.runs[bisect_right(self.runs, body) : bisect_left(self.runs, stop)]
        return list(pairwise([body, *inner, stop]))

    def statements(self, section: int) -> Iterator[Statement]:
        """Yield the statements of a section."""
        return read_statements(self.source, self.body(section), self.stop(section))

    def find(self, section: int, names: tuple[str, ...]) -> Iterator[Statement]:
        """Yield the statements of a section whose keys begin with *names*."""
        for start, stop in self.runs_of(section):
            yield from read_statements(self.source, start, stop, names)

    def last(self, section: int) -> int:
        """Return the end of a section's last value, or of its header; -1 at an empty top level."""
        for start, stop in reversed(self.runs_of(section)):
            end = -1
            for statement in read_statements(self.source, start, stop):
                end = statement.end
            if end >= 0:
                return end
        return -1 if section < 0 else self.body(section)

    def section_at(self, offset: int) -> int:
        """Return the section in which *offset* lies."""
        return bisect_right(self.starts, offset) - 1

    def locate(self, section: int, names: tuple[str, ...]) -> tuple[tuple[str, ...], int] | None:
        """The first keys of a section that begin with *names*, and where their value begins."""
        for start, stop in self.runs_of(section):
            found = find_value(self.source, start, stop, names)
            if found is not None:
                return found
        return None

    def value(self, start: int, end: int = -1) -> Value:
        """Return the value that begins at *start*; where it ends is found if it is not given."""
        kind = {0x5B: "array", 0x7B: "inline"}.get(self.source[start], "scalar")
        return Value(self, kind, start, end)

    def line_stop(self, at: int) -> int:
        """Return the end of the line of *at*, before its line break."""
        stop = self.source.find(b"\n", at)
        if stop < 0:
            return len(self.source)
        return stop - 1 if stop > at and self.source[stop - 1] == 0x0D else stop


@dataclass(slots=True)
class Value:
    """A scalar, an array or an inline table; what is in it is read when asked for."""

    index: TomlIndex
    kind: str
    start: int
    _end: int
    _items: Entries[Span] | None = None
    _statements: Entries[Statement] | None = None

    @property
    def end(self) -> int:
        """Where it ends."""
        if self._end < 0:
            self._end = value_end(self.index.source, self.start)
        return self._end

    def _within(self) -> Span:
        """Return the brackets, or an end beyond: entries end where the bracket is."""
        index, start = self.index, self.start
        return start, index.stop(index.section_at(start)) if self._end < 0 else self._end

    @property
    def items(self) -> Entries[Span]:
        """The offsets of an array's items."""
        if self._items is None:
            self._items = items_between(self.index.source, *self._within())
        return self._items

    @property
    def statements(self) -> Entries[Statement]:
        """The statements of an inline table."""
        if self._statements is None:
            self._statements = pairs_between(self.index.source, *self._within())
        return self._statements

    def item(self, position: int) -> Node:
        """Return the item of an array."""
        return self.index.value(*self.items[position])

    @property
    def length(self) -> int:
        """How many items an array has."""
        return len(self.items)

    def child(self, name: str) -> Node | None:
        """Return the value of a key of an inline table."""
        return Dotted(self, ()).child(name)

    def names(self) -> list[str]:
        """Return the first keys of an inline table."""
        return Dotted(self, ()).names()

    def find(self, names: tuple[str, ...]) -> Iterator[Statement]:
        """Yield the statements of an inline table whose keys begin with *names*."""
        for start, stop in self.statements.runs():
            yield from read_pairs(self.index.source, start, stop, names)


def _next_names(statements: Iterator[Statement], depth: int) -> dict[str, None]:
    return dict.fromkeys(s.names[depth] for s in islice(statements, _NEAR))


@dataclass(slots=True)
class Dotted:
    """What dotted keys make inside an inline table."""

    table: Value
    prefix: tuple[str, ...]
    kind: str = "dotted"

    @property
    def statements(self) -> Iterator[Statement]:
        """The statements that name it."""
        return self.table.find(self.prefix)

    def child(self, name: str) -> Node | None:
        """Return the value of a key."""
        prefix = (*self.prefix, name)
        first = next(self.table.find(prefix), None)
        if first is None:
            return None
        if first.names == prefix:
            return self.table.index.value(first.value, first.end)
        return Dotted(self.table, prefix)

    def names(self) -> list[str]:
        """Return the first keys."""
        return list(_next_names(self.statements, len(self.prefix)))


@dataclass(slots=True)
class Table:
    """A table made of sections, of dotted keys in a section above it, or of both.

    `path` are the names of its header, `sections` those in or beneath it, `own` the one with its
    header. Dotted keys are in the section `home`, where they begin with `prefix`.
    """

    index: TomlIndex
    path: tuple[str, ...]
    sections: Sequence[int]
    own: int | None = None
    home: int | None = None
    prefix: tuple[str, ...] = ()
    kind: str = "table"

    @property
    def dotted_statements(self) -> Iterator[Statement]:
        """The statements with dotted keys that name this table."""
        return iter(()) if self.home is None else self.index.find(self.home, self.prefix)

    def find(self, name: str) -> Iterator[Statement]:
        """Yield the statements that give *name* a value or something beneath it."""
        home = self.home if self.own is None else self.own
        return iter(()) if home is None else self.index.find(home, (*self.prefix, name))

    def child(self, name: str) -> Node | None:
        """Return the value, table or array of tables of a key."""
        home = self.home if self.own is None else self.own
        first = None if home is None else self.index.locate(home, (*self.prefix, name))
        if first is not None and len(first[0]) == len(self.prefix) + 1:
            return self.index.value(first[1])
        path = (*self.path, name)
        sections, headers = array("Q"), array("Q")
        for section, is_own in self.index.beneath(self.sections, path):
            sections.append(section)
            if is_own:
                headers.append(section)
        if headers and self.index.is_double(headers[0]):
            return Tables(self.index, path, sections, headers)
        if headers:
            return Table(self.index, path, sections, own=headers[0])
        if first is None:
            return Table(self.index, path, sections) if sections else None
        return Table(self.index, path, sections, home=home, prefix=(*self.prefix, name))

    def names(self) -> list[str]:
        """Return the first keys."""
        depth, names = len(self.path), self.index.names
        statements = self.dotted_statements if self.own is None else self.index.statements(self.own)
        found = _next_names(statements, len(self.prefix))
        for section in self.sections[:_NEAR]:
            if len(header := names(section)) > depth:
                found[header[depth]] = None
        return list(found)


@dataclass(slots=True)
class Tables:
    """An array of tables; each item has a header of its own."""

    index: TomlIndex
    path: tuple[str, ...]
    sections: Sequence[int]
    headers: Sequence[int]
    kind: str = "tables"

    @property
    def length(self) -> int:
        """How many tables there are."""
        return len(self.headers)

    def item(self, position: int) -> Node:
        """Return one of the tables, with the sections beneath it."""
        position += self.length if position < 0 else 0
        if position < 0:
            raise IndexError(position)
        own = self.headers[position]
        final = position + 1 == len(self.headers)
        stop = len(self.index.starts) if final else self.headers[position + 1]
        first, last = bisect_left(self.sections, own), bisect_left(self.sections, stop)
        return Table(self.index, self.path, self.sections[first:last], own=own)


Node = Value | Dotted | Table | Tables
