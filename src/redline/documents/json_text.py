"""JSON, JSONC and JSON5 source: where each node's bytes stand.

Comments and trailing commas are blanked with spaces of equal length (the mask), so offsets in the
mask are offsets in the source. Strict JSON and JSONC are located with `msgspec.Raw`, whose views
point into the mask; JSON5, duplicate keys and lone surrogates go through the walker below.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from redline.core.errors import DocumentSyntax
from redline.documents.depth import require_shallow, too_deep
from redline.documents.model import MAX_DEPTH, require_text, syntax_error

STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"|\'[^\'\\]*(?:\\.[^\'\\]*)*\''
_PLAIN_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SINGLE_STRING = rb"'[^'\\]*+(?:\\.[^'\\]*+)*+'"
# Everything up to the next comment, trailing comma or foreign space: one match at C speed.
_TO_COMMENT = re.compile(rb'(?:[^"/]++|' + _PLAIN_STRING + rb"|/(?![/*]))*+", re.DOTALL)
_TO_COMMENT5 = re.compile(
    rb"(?:[^\"'/\v\f\x80-\xff]++|" + _PLAIN_STRING + rb"|" + _SINGLE_STRING + rb"|/(?![/*]))*+",
    re.DOTALL,
)
_COMMENT = re.compile(rb"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_BLANKED5 = re.compile(
    rb"//(?:[^\r\n\xe2]|\xe2(?!\x80[\xa8\xa9]))*|/\*.*?\*/"
    rb"|\xc2\xa0|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xe1\x9a\x80|\xef\xbb\xbf"
    rb"|[\v\f]",
    re.DOTALL,
)
_TO_COMMA = re.compile(
    rb"(?:[^\"',]++|" + _PLAIN_STRING + rb"|" + _SINGLE_STRING + rb"|,(?!\s*+[\]}]))*+", re.DOTALL
)
_HAS_TRAILING_COMMA = re.compile(rb",\s*[\]}]")
_NOT_BREAK = re.compile(rb"[^\r\n]")
_TOKEN = re.compile(STRING + rb"|[\[\]{}]", re.DOTALL)
_SPACE = re.compile(rb"\s*")
_STRING_TOKEN = re.compile(STRING, re.DOTALL)
_ATOM = re.compile(rb"[^\s,\[\]{}:]+")
_BARE_KEY = re.compile(rb"[^\s,\[\]{}:\"']+")

_WHITE = b" \t\r\n\v\f"
_WHITE_BYTES = (b" ", b"\t", b"\r", b"\n", b"\v", b"\f")
_PRESCANNED = 4 << 20
_MEMBER_GAP = re.compile(rb'\s*,?\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*)?', re.DOTALL)
_ASCII_ESCAPE = re.compile(rb"\\(?:u00[2-7]|/)")
_NEAR = re.compile(r" near (\d+)")

DICT_OF_RAW = dict[str, msgspec.Raw]
LIST_OF_RAW = list[msgspec.Raw]


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a container; the key's range is empty for list items."""

    key: str | None
    key_start: int
    key_end: int
    start: int
    end: int


class JsonText:
    """One document: source, mask and lookups; DocumentSyntax when it does not parse."""

    def __init__(self, source: bytes, form: str, *, depth_known: bool = False) -> None:
        require_text(source, form)
        self.source = source
        self.form = form
        self.mask = mask_of(source, form)
        self._lists: dict[int, list[msgspec.Raw] | list[Entry]] = {}
        self._dicts: dict[int, dict[str, msgspec.Raw]] = {}
        self._entries: dict[int, list[Entry]] = {}
        self._members: dict[tuple[int, str], tuple[Entry | None, int]] = {}
        # msgspec stops at a depth of its own without harm, so in a large file only that counts.
        if not depth_known and (form == "json5" or len(source) <= _PRESCANNED):
            require_shallow(self.mask)
        start = skip_space(self.mask, 0)
        end = len(self.mask.rstrip(_WHITE)) if self.mask[-1:] in _WHITE_BYTES else len(self.mask)
        self.root = Entry(None, start, start, start, end)
        self.walks = form == "json5" or not self._is_strict(keep=not depth_known)
        if form == "json5":
            self.parse_values()

    @cached_property
    def newline(self) -> bytes:
        """The line break most lines end with."""
        crlf = self.source.count(b"\r\n")
        return b"\r\n" if crlf > self.source.count(b"\n") - crlf else b"\n"

    @cached_property
    def without_comments(self) -> bytes:
        """The source with comments blanked but trailing commas in place."""
        return blank_comments(self.source, self.form)

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

    def _raw_entries(self, container: Entry) -> list[Entry] | None:
        """The members from msgspec's views; None when a key is there twice.

        Between two values may stand one comma and one key; a value that a later duplicate pushed
        out of the dictionary would leave more than that.
        """
        found: list[Entry] = []
        at = container.start + 1
        pairs: Iterable[tuple[str | None, msgspec.Raw]]
        if self.mask[container.start] == 0x7B:
            pairs = self._dict(container).items()
        else:
            pairs = (
                (None, raw) for raw in msgspec.json.decode(self._view(container), type=LIST_OF_RAW)
            )
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

    def _is_strict(self, *, keep: bool) -> bool:
        """Validate everything; *keep* what the root is made of, since the first step needs it."""
        first = self.mask[self.root.start : self.root.start + 1] if keep else b""
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


def blank_comments(source: bytes, form: str) -> bytes:
    """*source* with BOM and comments blanked, length and line breaks kept."""
    mask = b"   " + source[3:] if source.startswith(b"\xef\xbb\xbf") else source
    if form == "json5":
        return _blanked(mask, _TO_COMMENT5, _BLANKED5)
    if form == "jsonc" and (b"//" in mask or b"/*" in mask):
        return _blanked(mask, _TO_COMMENT, _COMMENT)
    return mask


def _blanked(mask: bytes, ahead: re.Pattern[bytes], blanked: re.Pattern[bytes]) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while at < len(mask):
        end = _end(ahead, mask, at)
        pieces.append(mask[at:end])
        match = blanked.match(mask, end)
        if match is None:
            # A comment or string that is never closed ends the search: looking on from every
            # further mark would take quadratic time, and the text is invalid anyway.
            stop = end + 1 if mask[end : end + 1] >= b"\x80" else len(mask)
            pieces.append(mask[end:stop])
            at = stop
            continue
        pieces.append(_NOT_BREAK.sub(b" ", match[0]))
        at = match.end()
    return b"".join(pieces)


def _end(pattern: re.Pattern[bytes], mask: bytes, at: int) -> int:
    match = pattern.match(mask, at)
    return match.end() if match else at


def mask_of(source: bytes, form: str) -> bytes:
    """*source* with trailing commas blanked as well."""
    mask = blank_comments(source, form)
    if form == "json" or not _HAS_TRAILING_COMMA.search(mask):
        return mask
    changed = bytearray(mask)
    at = _end(_TO_COMMA, mask, 0)
    while at < len(mask) and mask[at] == 0x2C:
        if _follows_value(mask, at):
            changed[at] = 0x20
        at = _end(_TO_COMMA, mask, at + 1)
    return bytes(changed)


def _follows_value(mask: bytes, comma: int) -> bool:
    """Whether something a comma may follow stands before it."""
    at = comma - 1
    while at >= 0 and mask[at] in b" \t\r\n":
        at -= 1
    return at >= 0 and mask[at] not in b"[{,:"


def walk(mask: bytes, start: int) -> Iterator[Entry]:
    """The members of the container that opens at *start*."""
    is_object = mask[start] == 0x7B
    at = skip_space(mask, start + 1)
    while at < len(mask) and mask[at] not in b"]}":
        key, key_start, key_end = None, at, at
        if is_object:
            key_end = _key_end(mask, at)
            key = decode_key(mask[at:key_end])
            at = skip_space(mask, skip_space(mask, key_end) + 1)
        else:
            key_start = key_end = at
        end = value_end(mask, at)
        yield Entry(key, key_start, key_end, at, end)
        at = skip_space(mask, end)
        if mask[at : at + 1] == b",":
            at = skip_space(mask, at + 1)


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


def _key_end(mask: bytes, at: int) -> int:
    pattern = _STRING_TOKEN if mask[at] in b"\"'" else _BARE_KEY
    match = pattern.match(mask, at)
    if match is None:
        raise DocumentSyntax("A key was expected")
    return match.end()


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


def strict_loads(text: str, **hooks: Any) -> Any:
    """`json.loads` without NaN and Infinity."""
    return json.loads(text, parse_constant=_no_constant, **hooks)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_plain(source: bytes, mask: bytes, form: str) -> Any:
    """Plain values of a whole document; DocumentSyntax."""
    if form != "json5":
        return strict_loads(mask.decode("utf-8"))
    import pyjson5

    text = source.decode("utf-8-sig")
    try:
        return pyjson5.decode(text, maxdepth=2 * MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        raise _json5_syntax(source, text, str(error.args[0] if error.args else error)) from None


def _json5_syntax(source: bytes, text: str, reason: str) -> DocumentSyntax:
    reason = reason.replace("b'", "'")
    near = _NEAR.search(reason)
    if near is None:
        return DocumentSyntax(f"Invalid JSON5: {reason}")
    offset = len(text[: max(0, int(near[1]) - 1)].encode()) + len(source) - len(text.encode())
    return syntax_error(source, offset, _NEAR.sub("", reason), "JSON5")


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
