"""Where every table, key and value of a TOML document stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from redline.core.errors import DocumentSyntax
from redline.documents.model import MAX_DEPTH, syntax_error

_SKIP = re.compile(rb"(?:[ \t\r\n]+|#[^\n]*)*")
_INLINE = re.compile(rb"[ \t]*")
_KEY_PART = re.compile(rb"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\[^\n])*\"|'[^'\n]*'")
_DOT = re.compile(rb"[ \t]*\.[ \t]*")
_EQUALS = re.compile(rb"[ \t]*=[ \t]*")
_STRING = re.compile(
    rb'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|\'\'\'(?:[^\']|\'{1,2}(?!\'))*\'{3,5}'
    rb"|\"(?:[^\"\\\n]|\\[^\n])*\"|'[^'\n]*'",
    re.DOTALL,
)
_ATOM = re.compile(
    rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}[0-9:.+Zz-]*|[^ \t\r\n,\[\]{}#=]+"
)
_REST = re.compile(rb"[^\n]*")


@dataclass(slots=True)
class Item:
    """A value or a table. For sections `start` is the header's, `body` where its keys begin."""

    kind: str
    start: int
    end: int
    keys: dict[str, Entry] = field(default_factory=dict)
    items: list[Entry] = field(default_factory=list)
    body: int = -1
    last: int = -1
    path: tuple[str, ...] = ()
    sections: list[tuple[int, int]] = field(default_factory=list)
    prefix: tuple[str, ...] = ()
    home: Item | None = None


@dataclass(slots=True)
class Entry:
    """One statement, table or list item: its own range and its value."""

    start: int
    key_end: int
    value: Item


class TomlIndex:
    """The located document; DocumentSyntax where its statements make no sense."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.root = Item("table", self.bom, len(source), body=self.bom, last=-1)
        self.root.home = self.root
        self.headers: list[int] = []
        self._scan()

    def _scan(self) -> None:
        at = self._skip(self.bom)
        table = self.root
        while at < len(self.source):
            if self.source[at] == 0x5B:
                table, at = self._header(at, table)
            else:
                at = self._statement(at, table)
            at = self._skip(at)
        if table.sections:
            self._close(table, len(self.source))

    def _close(self, table: Item, at: int) -> None:
        start, _ = table.sections[-1]
        table.sections[-1] = (start, at)

    def _header(self, at: int, current: Item) -> tuple[Item, int]:
        if current.sections:
            self._close(current, at)
        self.headers.append(at)
        double = self.source[at + 1 : at + 2] == b"["
        names, stop = self._keys(self._inline(at + (2 if double else 1)))
        stop = self._inline(stop)
        closer = b"]]" if double else b"]"
        if not self.source.startswith(closer, stop):
            raise syntax_error(self.source, stop, "a table header is not closed", "TOML")
        stop += len(closer)
        holder = self._descend(self.root, names[:-1], at)
        table = self._open(holder, names[-1], at, double=double)
        table.sections.append((at, len(self.source)))
        table.body = table.last = stop
        table.path = names
        table.home = table
        return table, stop

    def _open(self, holder: Item, name: str, at: int, *, double: bool) -> Item:
        known = holder.keys.get(name)
        if double:
            if known is None:
                known = Entry(at, at, Item("tables", at, at))
                holder.keys[name] = known
            table = Item("table", at, at)
            known.value.items.append(Entry(at, at, table))
            return table
        if known is None or known.value.kind not in ("table", "implicit"):
            known = Entry(at, at, Item("table", at, at))
            holder.keys[name] = known
        known.value.kind = "table"
        known.value.start = known.start = at
        return known.value

    def _descend(self, table: Item, names: tuple[str, ...], at: int) -> Item:
        for name in names:
            entry = table.keys.get(name)
            if entry is None:
                entry = Entry(at, at, Item("implicit", at, at))
                table.keys[name] = entry
            table = entry.value
            if table.kind == "tables":
                table = table.items[-1].value
        return table

    def _statement(self, at: int, table: Item) -> int:
        names, stop = self._keys(at)
        equals = _EQUALS.match(self.source, stop)
        if equals is None:
            raise syntax_error(self.source, stop, "a key without a value", "TOML")
        value = self._value(equals.end(), 0)
        holder = self._dotted(table, names[:-1], at)
        holder.keys[names[-1]] = Entry(at, stop, value)
        for depth in range(1, len(names)):
            self._dotted(table, names[:depth], at).last = value.end
        table.last = value.end
        return value.end

    def _dotted(self, table: Item, names: tuple[str, ...], at: int) -> Item:
        """The table a dotted key leads to; it remembers the keys that name it from its home."""
        home = table
        for depth, name in enumerate(names):
            entry = table.keys.get(name)
            if entry is None:
                inner = Item("implicit", at, at, home=home, prefix=names[: depth + 1])
                entry = Entry(at, at, inner)
                table.keys[name] = entry
            table = entry.value
            if table.kind == "implicit" and table.home is None:
                table.home, table.prefix = home, names[: depth + 1]
        return table

    def _keys(self, at: int) -> tuple[tuple[str, ...], int]:
        names: list[str] = []
        while True:
            part = _KEY_PART.match(self.source, at)
            if part is None:
                raise syntax_error(self.source, at, "a key was expected", "TOML")
            names.append(decode_key(part[0]))
            if len(names) > MAX_DEPTH:
                raise DocumentSyntax(f"Document is nested deeper than {MAX_DEPTH} levels")
            dot = _DOT.match(self.source, part.end())
            if dot is None:
                return tuple(names), part.end()
            at = dot.end()

    def _value(self, at: int, depth: int) -> Item:
        if depth > MAX_DEPTH:
            raise DocumentSyntax(f"Document is nested deeper than {MAX_DEPTH} levels")
        first = self.source[at : at + 1]
        if first == b"[":
            return self._array(at, depth)
        if first == b"{":
            return self._inline_table(at, depth)
        match = (_STRING if first in (b'"', b"'") else _ATOM).match(self.source, at)
        if match is None:
            raise syntax_error(self.source, at, "a value was expected", "TOML")
        return Item("scalar", at, match.end())

    def _array(self, at: int, depth: int) -> Item:
        array = Item("array", at, at)
        at = self._skip(at + 1)
        while self.source[at : at + 1] != b"]":
            value = self._value(at, depth + 1)
            array.items.append(Entry(at, at, value))
            at = self._comma(value.end, b"]")
        array.end = at + 1
        return array

    def _inline_table(self, at: int, depth: int) -> Item:
        table = Item("inline", at, at)
        at = self._skip(at + 1)
        while self.source[at : at + 1] != b"}":
            names, stop = self._keys(at)
            equals = _EQUALS.match(self.source, stop)
            if equals is None:
                raise syntax_error(self.source, stop, "a key without a value", "TOML")
            value = self._value(equals.end(), depth + 1)
            holder = table
            for name in names[:-1]:
                holder = holder.keys.setdefault(name, Entry(at, stop, Item("dotted", at, at))).value
            holder.keys[names[-1]] = Entry(at, stop, value)
            table.items.append(Entry(at, stop, value))
            at = self._comma(value.end, b"}")
        table.end = at + 1
        return table

    def _comma(self, at: int, closer: bytes) -> int:
        at = self._skip(at)
        if self.source[at : at + 1] == b",":
            return self._skip(at + 1)
        if self.source[at : at + 1] != closer:
            raise syntax_error(self.source, at, "a comma or the end was expected", "TOML")
        return at

    def _skip(self, at: int) -> int:
        match = _SKIP.match(self.source, at)
        return match.end() if match else at

    def _inline(self, at: int) -> int:
        match = _INLINE.match(self.source, at)
        return match.end() if match else at

    def line_stop(self, at: int) -> int:
        """The end of the line of *at*, before its line break."""
        match = _REST.match(self.source, at)
        stop = match.end() if match else at
        return stop - 1 if self.source[stop - 1 : stop] == b"\r" and stop > at else stop


def decode_key(token: bytes) -> str:
    """The name a key token stands for."""
    text = token.decode("utf-8")
    if text[:1] == "'":
        return text[1:-1]
    if text[:1] == '"' and "\\" in text:
        import tomllib

        try:
            return str(next(iter(tomllib.loads(f"{text}=0"))))
        except tomllib.TOMLDecodeError as error:
            raise DocumentSyntax(f"Invalid TOML: {error}") from None
    return text.strip('"') if text[:1] == '"' else text


BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def render_key(name: str) -> str:
    """A key as TOML spells it."""
    if BARE_KEY.fullmatch(name):
        return name
    import json

    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007F")
