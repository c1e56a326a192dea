"""Which names a part of a TOML document claims, by its headers and by what a parser read in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from redline.documents.toml_claims import Families
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_scan import Span, read_statements

ROOT = 0


class Header(NamedTuple):
    """The header of a table, of an item of an array of tables, or (no names) the top level.

    `at` is where it stands; an item is known by it.
    """

    names: tuple[str, ...]
    is_double: bool
    at: int


TOP = Header((), is_double=False, at=-1)


class Open:
    """The items and the table that are open behind the headers read so far."""

    def __init__(self, context: Sequence[Header]) -> None:
        self._items = [header for header in context if header.is_double]
        self._own = context[-1] if context else TOP

    def enter(self, header: Header) -> None:
        """Go on to the table of *header*; items that it does not lie in are closed."""
        names = header.names
        while self._items and not _is_beneath(names, self._items[-1].names):
            self._items.pop()
        if header.is_double:
            self._items.append(header)
        self._own = header

    def inside(self) -> tuple[Header, ...]:
        """The headers that put a statement where the next one stands."""
        return (*self._items, *(() if self._own.is_double else (self._own,)))

    def before(self, following: Header) -> tuple[Header, ...]:
        """The headers that put *following* where it stands."""
        return tuple(h for h in self._items if _is_beneath(following.names, h.names))


def _is_beneath(names: tuple[str, ...], above: tuple[str, ...]) -> bool:
    return len(names) > len(above) and names[: len(above)] == above


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text between two offsets of *index*, and the headers that are open around it.

    `context` are those that put its start where it stands, `following` the same for its end;
    `is_split` says whether the section at the start, and the one at the end, is cut in two.
    """

    index: TomlIndex
    span: Span
    context: tuple[Header, ...]
    inner: tuple[Header, ...]
    following: tuple[Header, ...] = ()
    is_split: tuple[bool, bool] = (False, False)

    def dotted_names(self, *, at_end: bool) -> set[tuple[str, ...]]:
        """The tables that dotted keys make in the section at the start or at the end."""
        index, (start, stop) = self.index, self.span
        first, last = bisect_left(index.starts, start), bisect_left(index.starts, stop)
        if at_end and last > first:
            start = index.body(last - 1)
        elif last > first:
            stop = index.starts[first]
        found: set[tuple[str, ...]] = set()
        for statement in read_statements(index.source, max(start, index.bom), stop):
            names = statement.names
            found.update(names[:depth] for depth in range(1, len(names)))
        return found


def items_of(context: Iterable[Header]) -> dict[int, int]:
    """The arrays of tables among *context*, and which item of each is open."""
    found: dict[int, int] = {}
    for header in context:
        path = ROOT
        for name in header.names:
            path = hash((found_item(path, found), name))
        if header.is_double:
            found[path] = header.at
    return found


def found_item(path: int, items: dict[int, int]) -> int:
    """The item that is open in an array of tables, or the path itself."""
    return hash((path, items[path])) if path in items else path


class Walk:
    """What a stretch that was read as *data* claims; LookupError, TypeError where they disagree.

    *continued* are the arrays of tables that the stretch before has. Items that are open in no
    other stretch claim nothing: nobody can reach them.
    """

    def __init__(self, stretch: Stretch, data: Any, continued: Collection[int]) -> None:
        self.claims = Families()
        # How many items of an array of tables the stretch shows.
        self.arrays: dict[int, int] = {}
        self._data = data
        self._continued = continued
        self._shared = {header.at for header in (*stretch.context, *stretch.following)}
        self._open: dict[int, int] = {}
        self._tables: dict[int, Any] = {}
        # The tables of headers, and by dotted keys in those that are split.
        self._owned: dict[int, set[tuple[str, ...]]] = {}
        headers = (*stretch.context, *stretch.inner)
        ends = (len(stretch.context) - 1, len(headers) - 1)
        for number, header in enumerate(headers):
            table = self._enter(header, is_new=number > ends[0])
            if table is None:
                continue
            dotted = self._owned.setdefault(table, set())
            for at_end in (False, True):
                if stretch.is_split[at_end] and number == ends[at_end] and self._has_tables(table):
                    dotted |= stretch.dotted_names(at_end=at_end)
        self._claim_leaves()

    def _has_tables(self, table: int) -> bool:
        return any(isinstance(value, dict) for value in self._tables[table].values())

    def _enter(self, header: Header, *, is_new: bool) -> int | None:
        """The hash of a header's table, or None where nobody else can reach it."""
        node, path, names = self._data, ROOT, header.names
        for depth, name in enumerate(names, 1):
            path, node = hash((path, name)), node[name]
            if depth == len(names) and header.is_double:
                self._add_item(path, header, is_new=is_new)
            if path in self._open:
                item = self._open[path]
                if item not in self._shared:
                    return None
                path, node = hash((path, item)), node[self.arrays[path] - 1]
            elif depth < len(names):
                self.claims.implied.add(path)
            elif is_new:
                self.claims.tables.add(path)
            self._tables[path] = node
        self._tables[path] = node
        return path

    def _add_item(self, array: int, header: Header, *, is_new: bool) -> None:
        if array not in self.arrays and is_new and array not in self._continued:
            self.claims.leaves.add(array)
        self.arrays[array] = self.arrays.get(array, 0) + 1
        self._open[array] = header.at

    def _claim_leaves(self) -> None:
        for path, node in self._tables.items():
            if dotted := self._owned.get(path):
                self._claim_dotted(path, node, (), dotted)
                continue
            found = set(map(hash, zip(repeat(path), node)))
            found = found.difference(self._tables).difference(self.arrays)
            if found and path not in self._owned:
                # Dotted keys have put something into a table that headers only imply.
                found.add(path)
            self.claims.leaves |= found

    def _claim_dotted(
        self, path: int, node: Any, prefix: tuple[str, ...], dotted: set[tuple[str, ...]]
    ) -> None:
        for name, value in node.items():
            names, inner = (*prefix, name), hash((path, name))
            if names in dotted:
                self.claims.dotted.add(inner)
                self._claim_dotted(inner, value, names, dotted)
            elif inner not in self._tables and inner not in self.arrays:
                self.claims.leaves.add(inner)
