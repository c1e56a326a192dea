"""JSON, JSONC and JSON5 source: the offsets of each node's bytes.

Comments and trailing commas are blanked with spaces of equal length (the mask), so offsets in the
mask are offsets in the source. Strict JSON and JSONC are located with `msgspec.Raw`, whose views
point into the mask; JSON5, duplicate keys and lone surrogates go through the walker. The members
of a large container are never all held at once: it is cut into runs, and a run is looked into.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from redline.documents.base.depth import require_shallow, too_deep
from redline.documents.base.model import require_text, resolve_index
from redline.documents.json.locate import DICT_OF_RAW, LIST_OF_RAW, address, raw_of
from redline.documents.json.mask import mask_of
from redline.documents.json.runs import PIECE, strict_runs
from redline.documents.json.values import parse_plain, raise_syntax_error
from redline.documents.json.walk import (
    JsonEntry,
    Run,
    find,
    last_mark,
    last_two,
    length_of,
    nth,
    skip_space,
    walk,
)

_PRESCANNED = 4 << 20
_ASKED = 8
_ASCII_ESCAPE = re.compile(rb"\\(?:u00[2-7]|/)")


class JsonText:
    """One document: source, mask and lookups; DocumentSyntax when it does not parse."""

    def __init__(self, source: bytes, form: str, *, piece: int = PIECE) -> None:
        require_text(source, form)
        self._piece = piece
        self.source = source
        self.form = form
        self.mask = mask_of(source, form)
        self._lists: dict[int, list[msgspec.Raw]] = {}
        self._dicts: dict[int, dict[str, msgspec.Raw]] = {}
        self._values: Any = None
        self._runs: dict[int, list[Run]] = {}
        self._entries: dict[int, list[JsonEntry]] = {}
        self._tails: dict[int, list[JsonEntry]] = {}
        self._viewed: tuple[Run | None, int, list[msgspec.Raw]] = (None, 0, [])
        self._asked: Counter[int] = Counter()
        self._members: dict[tuple[int, str], tuple[JsonEntry | None, int]] = {}
        # msgspec stops at a depth of its own without harm: in a large file only that counts, until
        # all its values are asked for.
        if form == "json5" or len(source) <= _PRESCANNED:
            require_shallow(self.mask)
        start = skip_space(self.mask, 0)
        end = last_mark(self.mask, len(self.mask)) + 1
        self.root = JsonEntry(None, start, start, start, max(start, end))
        # JSON5 that is JSON but for comments and commas is located as JSON is.
        self.walks = not self._is_strict()

    @cached_property
    def newline(self) -> bytes:
        """The line break most lines end with."""
        crlf = self.source.count(b"\r\n")
        return b"\r\n" if crlf > self.source.count(b"\n") - crlf else b"\n"

    def kind(self, entry: JsonEntry) -> str:
        """mapping, sequence or scalar."""
        return {0x7B: "mapping", 0x5B: "sequence"}.get(self.mask[entry.start], "scalar")

    def item(self, container: JsonEntry, index: int) -> tuple[JsonEntry | None, int]:
        """Return the item at *index* (may be negative) and the number of items."""
        runs = self._find_runs(container)
        length = sum(run.length for run in runs)
        position = resolve_index(index, length)
        if position is None:
            return None, length
        known = self._entries.get(container.start)
        if known is not None:
            return known[position], length
        for run in runs:
            if position < run.length:
                break
            position -= run.length
        return self._nth(container, run, position), length

    def at(self, container: JsonEntry, index: int) -> JsonEntry | None:
        """The item at *index* (may be negative), all of them counted only where that is needed."""
        start = container.start
        if not self.walks or index < 0 or start in self._runs or start in self._entries:
            return self.item(container, index)[0]
        return nth(self.mask, Run(start + 1, container.end - 1, 0), index)

    def _nth(self, container: JsonEntry, run: Run, position: int) -> JsonEntry | None:
        """Return the item at *position* of one run."""
        if self.walks or run.length == 1:
            return nth(self.mask, run, position)
        if container.start in self._lists:
            raw = self._lists[container.start][position]
            start = self._offset(raw)
        else:
            start, raws = self._run_views(run)
            raw = raws[position]
            start += address(raw)
        return JsonEntry(None, start, start, start, start + len(memoryview(raw)))

    def _run_views(self, run: Run) -> tuple[int, list[msgspec.Raw]]:
        """The items of a run and what makes an offset of their address; the last one is kept."""
        if self._viewed[0] != run:
            # The views point into a copy of the run in brackets of its own.
            piece = b"[" + self.mask[run.start : run.end] + b"]"
            raws = msgspec.json.decode(piece, type=LIST_OF_RAW)
            self._viewed = (run, run.start - 1 - address(piece), raws)
        return self._viewed[1:]

    def _find_runs(self, container: JsonEntry) -> list[Run]:
        """Return the container as runs; those of a list know how many items they hold."""
        runs = self._runs.get(container.start)
        if runs is None:
            if self.walks or container.end - container.start <= self._piece:
                runs = self._sole_run(container)
            else:
                runs = strict_runs(self.mask, container.start, container.end, self._piece)
            self._runs[container.start] = runs
        return runs

    def _sole_run(self, container: JsonEntry) -> list[Run]:
        stop = last_mark(self.mask, container.end - 1) + 1
        count = 0
        if self.mask[container.start] == 0x5B:
            whole = Run(container.start + 1, stop, 0)
            count = length_of(self.mask, whole) if self.walks else len(self._list(container))
        return [Run(container.start + 1, stop, count)] if stop > container.start + 1 else []

    def member(self, container: JsonEntry, key: str) -> tuple[JsonEntry | None, int]:
        """Return the last member named *key*, and how many there are of that name."""
        known = self._members.get((container.start, key))
        if known is None:
            known = self._find_member(container, key)
            self._members[container.start, key] = known
        return known

    def _find_member(self, container: JsonEntry, key: str) -> tuple[JsonEntry | None, int]:
        quick = None if self.walks else self._quick_member(container, key)
        if quick is not None:
            return quick
        found = [entry for run in self._find_runs(container) for entry in find(self.mask, run, key)]
        return (found[-1] if found else None), len(found)

    def entries(self, container: JsonEntry) -> list[JsonEntry]:
        """Return every member in order."""
        known = self._entries.get(container.start)
        if known is None:
            known = self._entries[container.start] = list(self._walk(container))
        return known

    def _walk(self, container: JsonEntry) -> Iterator[JsonEntry]:
        """Yield every member in order, none of them kept."""
        named = self.mask[container.start] == 0x7B
        whole = [Run(container.start + 1, container.end - 1, 0)]
        for run in self._runs.get(container.start, whole):
            yield from walk(self.mask, run, named=named)

    def tail(self, container: JsonEntry) -> list[JsonEntry]:
        """Return the last two members, or as many as there are."""
        known = self._entries.get(container.start) or self._tails.get(container.start)
        if known is None:
            known = self._tails[container.start] = self._last_two(container)
        return known[-2:]

    def _last_two(self, container: JsonEntry) -> list[JsonEntry]:
        if self.mask[container.start] == 0x5B:
            items = (self.item(container, index)[0] for index in (-2, -1))
            return [entry for entry in items if entry is not None]
        found: list[JsonEntry] = []
        for run in reversed(self._find_runs(container)):
            found = [*last_two(self.mask, run), *found]
            if len(found) > 1:
                break
        return found

    def _dict(self, container: JsonEntry) -> dict[str, msgspec.Raw]:
        members = self._dicts.get(container.start)
        if members is None:
            members = msgspec.json.decode(self._view(container), type=DICT_OF_RAW)
        return members

    def clear(self) -> None:
        """Release what lookups have kept; of a large file that is more than the file."""
        self._values, self._viewed = None, (None, 0, [])
        for kept in (self._lists, self._dicts, self._entries, self._members):
            kept.clear()

    def keys(self, container: JsonEntry) -> list[str]:
        """Return the names of the members, in order."""
        return [entry.key for entry in self._walk(container) if entry.key is not None]

    def parse_values(self) -> Any:
        """The document as plain values, by the standard library's parser (pyjson5 for JSON5)."""
        if len(self.source) > _PRESCANNED:
            require_shallow(self.mask)
        return parse_plain(self.source, self.mask, self.form)

    def take_values(self) -> Any:
        """Return what validation read, once: the caller may change it. None when it was taken."""
        values, self._values = self._values, None
        return values

    def _list(self, container: JsonEntry) -> list[msgspec.Raw]:
        items = self._lists.get(container.start)
        if items is None:
            items = msgspec.json.decode(self._view(container), type=LIST_OF_RAW)
            self._lists[container.start] = items
        return items

    def _quick_member(self, container: JsonEntry, key: str) -> tuple[JsonEntry | None, int] | None:
        """Return the member by C-speed lookup, or None when only a walk can be sure.

        A key that occurs once as a literal, where no escape could write it another way, cannot be
        there twice; anything else is looked through member by member.
        """
        try:
            raw = self._raw(container, key)
        except ValueError:
            return None
        if raw is None:
            return None, 0
        literal = json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
        mask, start, end = self.mask, container.start, container.end
        if mask.count(literal, start, end) != 1 or self._may_be_escaped(key, start, end):
            return None
        key_start = mask.find(literal, start, end)
        value = self._offset(raw)
        entry = JsonEntry(
            key, key_start, key_start + len(literal), value, value + len(memoryview(raw))
        )
        return entry, 1

    def _raw(self, container: JsonEntry, key: str) -> msgspec.Raw | None:
        if container.end - container.start > self._piece and container.start not in self._dicts:
            self._asked[container.start] += 1
            if self._asked[container.start] <= _ASKED:
                return raw_of(self.mask, container.start, container.end, key)
            # A caller that asks for that many members is better served with all of them at hand.
            self._dicts[container.start] = self._dict(container)
        return self._dict(container).get(key)

    def _may_be_escaped(self, key: str, start: int, end: int) -> bool:
        """Return whether an escape somewhere in the container could be part of the same key."""
        if self.mask.find(b"\\", start, end) < 0:
            return False
        if not key.isascii() or not key.isprintable() or '"' in key or "\\" in key:
            return True
        return _ASCII_ESCAPE.search(self.mask, start, end) is not None

    def _view(self, entry: JsonEntry) -> memoryview:
        return memoryview(self.mask)[entry.start : entry.end]

    @cached_property
    def _base(self) -> int:
        return address(self.mask)

    def _offset(self, raw: msgspec.Raw) -> int:
        return address(raw) - self._base

    def _is_strict(self) -> bool:
        """Validate everything, and keep what a small root is made of: the first step needs it."""
        first = self.mask[self.root.start : self.root.start + 1]
        try:
            if first == b"{" and len(self.mask) <= self._piece:
                self._dicts[self.root.start] = msgspec.json.decode(self.mask, type=DICT_OF_RAW)
            elif first == b"[" and len(self.mask) <= self._piece:
                self._lists[self.root.start] = msgspec.json.decode(self.mask, type=LIST_OF_RAW)
            else:
                msgspec.json.decode(self.mask, type=msgspec.Raw)
        except RecursionError:
            raise too_deep() from None
        except msgspec.DecodeError as error:
            if self.form == "json5":
                self._read_json5()
            else:
                raise_syntax_error(self.source, self.mask, self.form, str(error))
            return False
        return True

    def _read_json5(self) -> None:
        if len(self.source) > self._piece:
            from redline.documents.json.json5 import Json5Reader

            reader = Json5Reader(self.source, self.mask, self.root, self._piece)
            if reader.read():
                self._runs = reader.runs
                return
        self._values = self.parse_values()
