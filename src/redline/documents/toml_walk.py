"""Which names a part of a TOML document claims, by its headers and by what a parser read in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from redline.documents.toml_claims import Families
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_scan import Span, dotted_keys, read_header

ROOT = 0
# Names of tables; None for all of them, where no table is written in braces.
Dotted = set[tuple[str, ...]] | None


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
    following: tuple[Header, ...]
    is_split: tuple[bool, bool]
    # The names of the section that goes on or begins behind it.
    ahead: tuple[str, ...]

    def dotted_names(self, *, at_end: bool) -> Dotted:
        """The tables that dotted keys make in the section at the start or at the end."""
        index, (start, stop) = self.index, self.span
        first, last = bisect_left(index.starts, start), bisect_left(index.starts, stop)
        if at_end and last > first:
            start = index.body(last - 1)
        elif last > first:
            stop = index.starts[first]
        if index.source.find(b"{", start, stop) < 0:
            return None
        found: set[tuple[str, ...]] = set()
        for names in dotted_keys(index.source, max(start, index.bom), stop):
            found.update(names[:depth] for depth in range(1, len(names)))
        return found


def header_of(index: TomlIndex, section: int) -> Header:
    """The header of a section."""
    at = index.starts[section]
    names, is_double, _ = read_header(index.source, at)
    return Header(names, is_double, at)


def headers_of(index: TomlIndex, start: int, stop: int, *, is_top: bool) -> tuple[Header, ...]:
    """The headers between two offsets; the top level has one too."""
    first, last = bisect_left(index.starts, start), bisect_left(index.starts, stop)
    found = [header_of(index, section) for section in range(first, last)]
    return (TOP, *found) if is_top else tuple(found)


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
    other stretch claim nothing: nobody can reach them. When *brief*, a table that is whole here is
    claimed as one leaf: no other part may say anything beneath it.
    """

    def __init__(
        self, stretch: Stretch, data: Any, continued: Collection[int], *, brief: bool
    ) -> None:
        self.claims = Families()
        # How many items of an array of tables the stretch shows.
        self.arrays: dict[int, int] = {}
        self._data = data
        self._continued = continued
        self._shared = {header.at for header in (*stretch.context, *stretch.following)}
        self._open: dict[int, int] = {}
        self._tables: dict[int, Any] = {}
        self._closed: set[int] = set()
        self._owned: set[int] = set()
        self._dotted: dict[int, Dotted] = {}
        headers = (*stretch.context, *stretch.inner)
        ends = (len(stretch.context) - 1, len(headers) - 1)
        for number, header in enumerate(headers):
            is_new = number > ends[0]
            closes = brief and is_new and stretch.ahead[: len(header.names)] != header.names
            table = self._enter(header, is_new=is_new, closes=closes)
            if table is not None:
                self._owned.add(table)
                self._split(table, stretch, [number == end for end in ends])
        self._claim_leaves()

    def _split(self, table: int, stretch: Stretch, is_end: list[bool]) -> None:
        """Note which tables dotted keys make in a section that is cut in two."""
        split = [at_end for at_end in (False, True) if is_end[at_end] and stretch.is_split[at_end]]
        if split and self._has_tables(table):
            self._dotted[table] = stretch.dotted_names(at_end=split[-1])

    def _has_tables(self, table: int) -> bool:
        return dict in map(type, self._tables[table].values())

    def _enter(self, header: Header, *, is_new: bool, closes: bool) -> int | None:
        """The hash of a header's table, or None where nobody else can reach it."""
        node, path, last = self._data, ROOT, len(header.names)
        for depth, name in enumerate(header.names, 1):
            path, node = hash((path, name)), node[name]
            if path in self._closed:
                return None
            if depth == last and header.is_double:
                self._add_item(path, header, is_new=is_new)
            if path in self._open:
                item = self._open[path]
                if item not in self._shared:
                    return None
                path, node = hash((path, item)), node[self.arrays[path] - 1]
            elif depth < last:
                self.claims.implied.add(path)
            elif self._define(path, is_new=is_new, closes=closes):
                return None
            self._tables[path] = node
        self._tables[path] = node
        return path

    def _define(self, path: int, *, is_new: bool, closes: bool) -> bool:
        """Claim the table of a header; whether all of it is claimed with that."""
        if closes:
            self.claims.leaves.add(path)
            self._closed.add(path)
        elif is_new:
            self.claims.tables.add(path)
        return closes

    def _add_item(self, array: int, header: Header, *, is_new: bool) -> None:
        if array not in self.arrays and is_new and array not in self._continued:
            self.claims.leaves.add(array)
        self.arrays[array] = self.arrays.get(array, 0) + 1
        self._open[array] = header.at

    def _claim_leaves(self) -> None:
        for path, node in self._tables.items():
            if path in self._dotted:
                self._claim_dotted(path, node, (), self._dotted[path])
                continue
            found = set(map(hash, zip(repeat(path), node)))
            found = found.difference(self._tables, self.arrays, self._closed)
            if found and path not in self._owned:
                # Dotted keys have put something into a table that headers only imply.
                found.add(path)
            self.claims.leaves |= found

    def _claim_dotted(self, path: int, node: Any, prefix: tuple[str, ...], dotted: Dotted) -> None:
        for name, value in node.items():
            names, inner = (*prefix, name), hash((path, name))
            if inner in self._tables or inner in self.arrays or inner in self._closed:
                continue
            if isinstance(value, dict) if dotted is None else names in dotted:
                self.claims.dotted.add(inner)
                self._claim_dotted(inner, value, names, dotted)
            else:
                self.claims.leaves.add(inner)
