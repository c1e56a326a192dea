"""JSON, JSONC and JSON5 source: where each node's bytes stand.

Comments and trailing commas are blanked with spaces of equal length (the mask), so offsets in the
mask are offsets in the source. Strict JSON and JSONC are located with `msgspec.Raw`, whose views
point into the mask; JSON5, duplicate keys and lone surrogates go through the walker below.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec

from redline.core.errors import DocumentSyntax
from redline.documents.depth import require_shallow, too_deep
from redline.documents.json_mask import mask_of
from redline.documents.json_values import parse_plain, strict_loads
from redline.documents.json_walk import Entry, last_mark, skip_space, walk
from redline.documents.model import require_text, syntax_error

_PRESCANNED = 4 << 20
_MEMBER_GAP = re.compile(rb'\s*,?\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*)?', re.DOTALL)
_ASCII_ESCAPE = re.compile(rb"\\(?:u00[2-7]|/)")

DICT_OF_RAW = dict[str, msgspec.Raw]
LIST_OF_RAW = list[msgspec.Raw]


class JsonText:
    """One document: source, mask and lookups; DocumentSyntax when it does not parse."""

    def __init__(self, source: bytes, form: str) -> None:
        require_text(source, form)
        self.source = source
        self.form = form
        self.mask = mask_of(source, form)
        self._lists: dict[int, list[msgspec.Raw] | list[Entry]] = {}
        self._dicts: dict[int, dict[str, msgspec.Raw]] = {}
        self._values: Any = None
        self._entries: dict[int, list[Entry]] = {}
        self._members: dict[tuple[int, str], tuple[Entry | None, int]] = {}
        # msgspec stops at a depth of its own without harm, so in a large file only that counts.
        if form == "json5" or len(source) <= _PRESCANNED:
            require_shallow(self.mask)
        start = skip_space(self.mask, 0)
        end = last_mark(self.mask, len(self.mask)) + 1
        self.root = Entry(None, start, start, start, max(start, end))
        # JSON5 that is JSON but for comments and commas is located as JSON is.
        self.walks = not self._is_strict()

    @cached_property
    def newline(self) -> bytes:
        """The line break most lines end with."""
        crlf = self.source.count(b"\r\n")
        return b"\r\n" if crlf > self.source.count(b"\n") - crlf else b"\n"

    def kind(self, entry: Entry) -> str:
        """mapping, sequence or scalar."""
        return {0x7B: "mapping", 0x5B: "sequence"}.get(self.mask[entry.start], "scalar")

    def item(self, container: Entry, index: int) -> tuple[Entry | None, int]:
        """The item at *index* (may be negative) and the number of items."""
        items = self._items(container)
        length = len(items)
        position = index + length if index < 0 else index
        if not 0 <= position < length:
            return None, length
        found = items[position]
        if isinstance(found, Entry):
            return found, length
        start = self._offset(found)
        return Entry(None, start, start, start, start + len(memoryview(found))), length

    def member(self, container: Entry, key: str) -> tuple[Entry | None, int]:
        """The last member named *key*, and how many there are of that name."""
        known = self._members.get((container.start, key))
        if known is None:
            known = self._find_member(container, key)
            self._members[container.start, key] = known
        return known

    def _find_member(self, container: Entry, key: str) -> tuple[Entry | None, int]:
        if not self.walks:
            quick = self._quick_member(container, key)
            if quick is not None:
                return quick
        found = [entry for entry in self.entries(container) if entry.key == key]
        return (found[-1] if found else None), len(found)

    def entries(self, container: Entry) -> list[Entry]:
        """Every member in order."""
        known = self._entries.get(container.start)
        if known is None:
            quick = None if self.walks else self._raw_entries(container)
            known = list(walk(self.mask, container.start)) if quick is None else quick
            self._entries[container.start] = known
        return known

    def tail(self, container: Entry) -> list[Entry]:
        """The last two members, or as many as there are."""
        if not self.walks and container.start not in self._entries:
            quick = self._raw_tail(container)
            if quick is not None:
                return quick
        return self.entries(container)[-2:]

    def _raw_tail(self, container: Entry) -> list[Entry] | None:
        if self.mask[container.start] == 0x5B:
            length = len(self._items(container))
            last = [self.item(container, index)[0] for index in range(max(0, length - 2), length)]
            return [entry for entry in last if entry is not None]
        members = self._dict(container)
        pairs = list(islice(reversed(members.items()), 3))[::-1]
        at = container.start + 1
        if len(members) > 2:
            at = self._offset(pairs[0][1]) + len(memoryview(pairs[0][1]))
            pairs = pairs[1:]
        return self._linked(pairs, at, container)

    def _raw_entries(self, container: Entry) -> list[Entry] | None:
        """The members from msgspec's views; None when a key is there twice.

        Between two values may stand one comma and one key; a value that a later duplicate pushed
        out of the dictionary would leave more than that.
        """
        pairs: Iterable[tuple[str | None, msgspec.Raw]]
        if self.mask[container.start] == 0x7B:
            pairs = self._dict(container).items()
        else:
            pairs = (
                (None, raw) for raw in msgspec.json.decode(self._view(container), type=LIST_OF_RAW)
            )
        return self._linked(pairs, container.start + 1, container)

    def _linked(
        self, pairs: Iterable[tuple[str | None, msgspec.Raw]], at: int, container: Entry
    ) -> list[Entry] | None:
        """The members that follow each other from *at* to the end, or None where they do not."""
        found: list[Entry] = []
        for key, raw in pairs:
            start = self._offset(raw)
            gap = _MEMBER_GAP.fullmatch(self.mask, at, start)
            if gap is None:
                return None
            key_start, key_end = gap.span(1) if key is not None else (start, start)
            at = start + len(memoryview(raw))
            found.append(Entry(key, key_start, key_end, start, at))
        return found if not self.mask[at : container.end - 1].strip() else None

    def _dict(self, container: Entry) -> dict[str, msgspec.Raw]:
        members = self._dicts.get(container.start)
        if members is None:
            members = msgspec.json.decode(self._view(container), type=DICT_OF_RAW)
        return members

    def forget(self) -> None:
        """Let go of what lookups have kept; of a large file that is more than the file."""
        self._values = None
        for kept in (self._lists, self._dicts, self._entries, self._members):
            kept.clear()

    def keys(self, container: Entry) -> list[str]:
        """The names of the members, in order."""
        return [entry.key for entry in self.entries(container) if entry.key is not None]

    def count(self, container: Entry) -> int:
        """How many members a container has; duplicates of a key count once in strict JSON."""
        if self.kind(container) == "sequence":
            return len(self._items(container))
        if self.walks:
            return len(self.keys(container))
        return len(msgspec.json.decode(self._view(container), type=DICT_OF_RAW))

    def parse_values(self) -> Any:
        """The document as plain values, by the standard library's parser (pyjson5 for JSON5)."""
        return parse_plain(self.source, self.mask, self.form)

    def take_values(self) -> Any:
        """What validation read, once: whoever takes it may change it. None when it is gone."""
        values, self._values = self._values, None
        return values

    def _items(self, container: Entry) -> list[msgspec.Raw] | list[Entry]:
        items = self._lists.get(container.start)
        if items is None:
            if self.walks:
                items = list(self.entries(container))
            else:
                items = msgspec.json.decode(self._view(container), type=LIST_OF_RAW)
            self._lists[container.start] = items
        return items

    def _quick_member(self, container: Entry, key: str) -> tuple[Entry | None, int] | None:
        """The member by C-speed lookup, or None when only a walk can be sure.

        A key that stands once as a literal, where no escape could spell it another way, cannot be
        there twice; anything else is looked through member by member.
        """
        raw = self._dict(container).get(key)
        if raw is None:
            return None, 0
        literal = json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
        mask, start, end = self.mask, container.start, container.end
        if mask.count(literal, start, end) != 1 or self._has_other_spelling(key, start, end):
            return None
        key_start = mask.find(literal, start, end)
        value = self._offset(raw)
        entry = Entry(key, key_start, key_start + len(literal), value, value + len(memoryview(raw)))
        return entry, 1

    def _has_other_spelling(self, key: str, start: int, end: int) -> bool:
        """Whether an escape somewhere in the container could be part of the same key."""
        if self.mask.find(b"\\", start, end) < 0:
            return False
        if not key.isascii() or not key.isprintable() or '"' in key or "\\" in key:
            return True
        return _ASCII_ESCAPE.search(self.mask, start, end) is not None

    def _view(self, entry: Entry) -> memoryview:
        return memoryview(self.mask)[entry.start : entry.end]

    @cached_property
    def _base(self) -> int:
        return _address(self.mask)

    def _offset(self, raw: msgspec.Raw) -> int:
        return _address(raw) - self._base

    def _is_strict(self) -> bool:
        """Validate everything, and keep what the root is made of: the first step needs it."""
        first = self.mask[self.root.start : self.root.start + 1]
        try:
            if first == b"{":
                self._dicts[self.root.start] = msgspec.json.decode(self.mask, type=DICT_OF_RAW)
            elif first == b"[":
                self._lists[self.root.start] = msgspec.json.decode(self.mask, type=LIST_OF_RAW)
            else:
                msgspec.json.decode(self.mask, type=msgspec.Raw)
        except RecursionError:
            raise too_deep() from None
        except msgspec.DecodeError as error:
            if self.form == "json5":
                self._values = self.parse_values()
            else:
                self._explain(str(error))
            return False
        return True

    def _explain(self, reason: str) -> None:
        """Raise where the text is wrong; return when only msgspec refuses it (lone surrogates)."""
        try:
            strict_loads(self.mask.decode("utf-8"))
        except json.JSONDecodeError as error:
            offset = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
            raise syntax_error(self.source, offset, error.msg, self.form.upper()) from None
        except ValueError as error:
            raise DocumentSyntax(f"Invalid {self.form.upper()}: {error or reason}") from None


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def _address(item: Any) -> int:
    """Where an object's buffer lies; two views of one buffer differ by their offset in it."""
    buffer = _Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(item), ctypes.byref(buffer), 0)
    address = int(buffer.buf or 0)
    api.PyBuffer_Release(ctypes.byref(buffer))
    return address
