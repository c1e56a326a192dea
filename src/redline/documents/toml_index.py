"""The tables and values of a TOML document, found on the way to a path and no others.

Only the offsets of table headers are kept for the whole file; statements are read in the sections
a path leads through, items in the arrays it enters.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from redline.documents.toml_scan import (
    Statement,
    read_header,
    read_inline,
    read_items,
    read_sections,
    read_statements,
)


class TomlIndex:
    """The located document; DocumentSyntax where it has not the shape of TOML."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.starts, self.depth = read_sections(source, self.bom)
        self._statements: dict[int, list[Statement]] = {}

    @cached_property
    def root(self) -> Table:
        """The top level, whose own section (-1) ends where the first header stands."""
        return Table(self, (), range(len(self.starts)), own=-1)

    def names(self, section: int) -> tuple[str, ...]:
        """The names in a section's header."""
        return read_header(self.source, self.starts[section])[0]

    def is_double(self, section: int) -> bool:
        """Whether the section adds to an array of tables."""
        return self.source.startswith(b"[[", self.starts[section])

    def body(self, section: int) -> int:
        """Where a section's header ends."""
        return self.bom if section < 0 else read_header(self.source, self.starts[section])[2]

    def stop(self, section: int) -> int:
        """Where the next section begins, or the end."""
        following = section + 1
        return self.starts[following] if following < len(self.starts) else len(self.source)

    def statements(self, section: int) -> list[Statement]:
        """The statements of a section."""
        known = self._statements.get(section)
        if known is None:
            known = read_statements(self.source, self.body(section), self.stop(section))
            self._statements[section] = known
        return known

    def named(self, section: int, name: str) -> list[Statement]:
        """The statements of a section that give *name* a value or something beneath it."""
        known = self._statements.get(section)
        if known is not None:
            return [s for s in known if s.names[0] == name]
        return read_statements(self.source, self.body(section), self.stop(section), name)

    def last(self, section: int) -> int:
        """The end of a section's last value, or of its header; -1 at an empty top level."""
        statements = self.statements(section)
        if statements:
            return statements[-1].end
        return -1 if section < 0 else self.body(section)

    def section_at(self, offset: int) -> int:
        """The section in which *offset* lies."""
        return bisect_right(self.starts, offset) - 1

    def value(self, start: int, end: int) -> Value:
        """The value between two offsets."""
        kind = {0x5B: "array", 0x7B: "inline"}.get(self.source[start], "scalar")
        return Value(self, kind, start, end)

    def line_stop(self, at: int) -> int:
        """The end of the line of *at*, before its line break."""
        stop = self.source.find(b"\n", at)
        if stop < 0:
            return len(self.source)
        return stop - 1 if stop > at and self.source[stop - 1] == 0x0D else stop


def _named(statements: Sequence[Statement], depth: int, name: str) -> list[Statement]:
    return [s for s in statements if s.names[depth] == name]


def _leaf(found: Sequence[Statement], depth: int) -> Statement | None:
    """The statement that gives the name at *depth* its value, if it is not a table."""
    return found[0] if len(found) == 1 and len(found[0].names) == depth + 1 else None


@dataclass(slots=True)
class Value:
    """A scalar, an array or an inline table; what is in it is read when asked for."""

    index: TomlIndex
    kind: str
    start: int
    end: int
    _items: list[tuple[int, int]] | None = None
    _statements: list[Statement] | None = None

    @property
    def items(self) -> list[tuple[int, int]]:
        """Where the items of an array stand."""
        if self._items is None:
            self._items = read_items(self.index.source, self.start, self.end)
        return self._items

    @property
    def statements(self) -> list[Statement]:
        """The statements of an inline table."""
        if self._statements is None:
            self._statements = read_inline(self.index.source, self.start, self.end)
        return self._statements

    def item(self, position: int) -> Node:
        """The item of an array."""
        return self.index.value(*self.items[position])

    @property
    def length(self) -> int:
        """How many items an array has."""
        return len(self.items)

    def child(self, name: str) -> Node | None:
        """The value of a key of an inline table."""
        return Dotted(self, (), self.statements).child(name)

    def names(self) -> list[str]:
        """The keys of an inline table."""
        return list(dict.fromkeys(s.names[0] for s in self.statements))


@dataclass(slots=True)
class Dotted:
    """What dotted keys make inside an inline table."""

    table: Value
    prefix: tuple[str, ...]
    statements: list[Statement]
    kind: str = "dotted"

    def child(self, name: str) -> Node | None:
        """The value of a key."""
        inner = _named(self.statements, len(self.prefix), name)
        leaf = _leaf(inner, len(self.prefix))
        if leaf is not None:
            return self.table.index.value(leaf.value, leaf.end)
        return Dotted(self.table, (*self.prefix, name), inner) if inner else None

    def names(self) -> list[str]:
        """The keys."""
        return list(dict.fromkeys(s.names[len(self.prefix)] for s in self.statements))


@dataclass(slots=True)
class Table:
    """A table made of sections, of dotted keys in its home's section, or of both.

    `path` are the names of its header, `sections` those in or beneath it, `own` the one with its
    header. Dotted keys are `dotted` statements of `home`, which name it by `prefix`.
    """

    index: TomlIndex
    path: tuple[str, ...]
    sections: Sequence[int]
    own: int | None = None
    home: Table | None = None
    prefix: tuple[str, ...] = ()
    dotted: list[Statement] = field(default_factory=list)
    kind: str = "table"

    @property
    def statements(self) -> list[Statement]:
        """The statements that give this table its keys."""
        return self.dotted if self.own is None else self.index.statements(self.own)

    def child(self, name: str) -> Node | None:
        """The value, table or array of tables of a key."""
        inner = self.named(name)
        leaf = _leaf(inner, len(self.prefix))
        if leaf is not None:
            return self.index.value(leaf.value, leaf.end)
        depth, names = len(self.path), self.index.names
        sections, headers = array("Q"), array("Q")
        for section in self.sections:
            found = names(section)
            if len(found) > depth and found[depth] == name:
                sections.append(section)
                if len(found) == depth + 1:
                    headers.append(section)
        if not sections:
            return self._by_dots(name, inner, ()) if inner else None
        path = (*self.path, name)
        if headers and self.index.is_double(headers[0]):
            return Tables(self.index, path, sections, headers)
        if headers:
            return Table(self.index, path, sections, own=headers[0])
        return self._by_dots(name, inner, sections)

    def named(self, name: str) -> list[Statement]:
        """The statements that give *name* a value or something beneath it."""
        if self.own is not None:
            return self.index.named(self.own, name)
        return _named(self.dotted, len(self.prefix), name)

    def _by_dots(self, name: str, inner: list[Statement], sections: Sequence[int]) -> Table:
        table = Table(self.index, (*self.path, name), sections)
        if inner:
            table.home = self if self.own is not None else self.home
            table.prefix = (*self.prefix, name)
            table.dotted = inner
        return table

    def names(self) -> list[str]:
        """The keys."""
        depth, names = len(self.path), self.index.names
        found = dict.fromkeys(s.names[len(self.prefix)] for s in self.statements)
        for section in self.sections:
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
        """One of the tables, with the sections beneath it."""
        own = self.headers[position]
        final = position + 1 == len(self.headers)
        stop = len(self.index.starts) if final else self.headers[position + 1]
        first, last = bisect_left(self.sections, own), bisect_left(self.sections, stop)
        return Table(self.index, self.path, self.sections[first:last], own=own)


Node = Value | Dotted | Table | Tables
