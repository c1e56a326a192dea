"""Lossless edits of TOML 1.0."""

from __future__ import annotations

import tomllib
from functools import cached_property
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.core.splice import Splice
from redline.documents import toml_layout as layout
from redline.documents.depth import require_shallow, too_deep
from redline.documents.model import (
    Edit,
    Slice,
    key_exists,
    missing_key,
    out_of_range,
    refused,
    require_text,
    resolve_index,
    slice_of,
    syntax_error,
    wrong_shape,
)
from redline.documents.path import Path, Segment, render_path
from redline.documents.toml_index import Item, TomlIndex, render_key
from redline.documents.toml_values import render

_NAMES = {
    "table": "table",
    "implicit": "table",
    "dotted": "table",
    "inline": "table",
    "array": "sequence",
    "tables": "sequence",
}


class TomlDocument:
    """One TOML document; parsing it validates all of it."""

    format = "toml"

    def __init__(self, source: bytes) -> None:
        require_text(source, "TOML")
        require_shallow(source)
        self.source = source
        self._data: Any = load(source)
        self._index = TomlIndex(source)

    def get(self, path: Path) -> Slice:
        """The value's source slice; a table gives the lines of its sections."""
        item = self._locate(path)
        kind = {"sequence": "sequence", "table": "mapping"}.get(self._name(item), "scalar")
        if not path:
            return slice_of(self.source, self._index.bom, len(self.source), "mapping")
        start, end = layout.range_of(self._index, item)
        return slice_of(self.source, start, end, kind)

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> Edit:
        """Replace the value, or create the key of a table."""
        fragment = self._fragment(value)
        try:
            item = self._locate(path)
        except NodeNotFound as error:
            return self._create(path, fragment, error, create_parents=create_parents)
        if item.kind in ("table", "implicit", "tables", "dotted"):
            raise CannotApply(
                f"A table with lines of its own is not replaced as one value: {render_path(path)}",
                hint="set its keys one by one, or delete it and insert the new one",
            )
        splices = [Splice(item.start, item.end, fragment.encode("utf-8"))]
        return self._verified(splices, "set", path, fragment)

    def insert(self, path: Path, value: str) -> Edit:
        """A list item before an index, or a new key of a table."""
        if not path:
            raise CannotApply("The whole document cannot be inserted")
        fragment = self._fragment(value)
        try:
            parent = self._locate(path[:-1])
        except NodeNotFound as error:
            raise refused(error) from None
        last = path[-1]
        if isinstance(last, int):
            return self._insert_item(path, parent, last, fragment)
        if self._name(parent) != "table":
            raise refused(wrong_shape(path, len(path) - 1, self._name(parent)))
        if last in parent.keys:
            raise key_exists(path)
        splices = layout.append_key(self._index, parent, path[:-1], (last,), fragment)
        return self._verified(splices, "insert", path, fragment)

    def delete(self, path: Path) -> Edit:
        """Without the key, item or table, its same-line comment and the comment above."""
        if not path:
            raise CannotApply("The whole document cannot be deleted")
        self._locate(path)
        parent = self._locate(path[:-1])
        splices = layout.remove(self._index, parent, self._exact(path)[-1])
        return self._verified(splices, "delete", path, "")

    def data(self) -> Any:
        """The document as plain values; dates and times as their text."""
        return tomllib.loads(self.source.decode("utf-8-sig"), parse_float=float)

    def render(self, value: Any) -> str:
        """*value* as one line of TOML."""
        return render(value)

    def _locate(self, path: Path) -> Item:
        item = self._index.root
        for depth, segment in enumerate(path):
            name = self._name(item)
            if isinstance(segment, int):
                if name != "sequence":
                    raise wrong_shape(path, depth, name)
                position = resolve_index(segment, len(item.items))
                if position is None:
                    raise out_of_range(path, depth, len(item.items))
                item = item.items[position].value
                continue
            if name != "table":
                raise wrong_shape(path, depth, name)
            if segment not in item.keys:
                raise missing_key(path, depth, list(item.keys))
            item = item.keys[segment].value
        return item

    @staticmethod
    def _name(item: Item) -> str:
        return _NAMES.get(item.kind, "scalar")

    def _exact(self, path: Path) -> tuple[Segment, ...]:
        """*path* with negative indexes counted from the front."""
        exact: list[Segment] = []
        for segment in path:
            if isinstance(segment, int) and segment < 0:
                segment += len(self._locate(tuple(exact)).items)
            exact.append(segment)
        return tuple(exact)

    def _create(
        self, path: Path, fragment: str, error: NodeNotFound, *, create_parents: bool
    ) -> Edit:
        depth = len(path) - 1
        while True:
            try:
                parent = self._locate(path[:depth])
                break
            except NodeNotFound:
                depth -= 1
        names = tuple(s for s in path[depth:] if isinstance(s, str))
        if self._name(parent) != "table" or len(names) != len(path) - depth:
            raise refused(error)
        if len(names) > 1 and not create_parents:
            failure = refused(error)
            failure.hint = "create_parents builds the missing levels"
            raise failure
        splices = layout.append_key(self._index, parent, path[:depth], names, fragment)
        return self._verified(splices, "insert", path, fragment)

    def _insert_item(self, path: Path, parent: Item, index: int, fragment: str) -> Edit:
        if self._name(parent) != "sequence":
            raise refused(wrong_shape(path, len(path) - 1, self._name(parent)))
        length = len(parent.items)
        position = resolve_index(index, length)
        if position is None and index != length:
            raise refused(out_of_range(path, len(path) - 1, length))
        position = length if position is None else position
        if parent.kind == "tables":
            splices = layout.insert_table(self._index, parent, position, fragment)
        else:
            splices = layout.insert_item(self._index, parent, position, fragment)
        return self._verified(splices, "insert", (*path[:-1], position), fragment)

    def _verified(self, splices: list[Splice], action: str, path: Path, fragment: str) -> Edit:
        edit = Edit.of(self.source, splices)
        try:
            actual = load(edit.after)
        except DocumentSyntax as error:
            raise CannotApply(f"The result would not parse: {error.message}") from None
        # The old data is changed in place, which is cheaper than a copy; it is parsed anew if this
        # document is asked for another edit.
        exact = self._exact_for(path, action)
        expected = self._data if self._data is not None else load(self.source)
        self._data = None
        try:
            _apply(expected, action, exact, fragment)
            same = expected == actual and (action == "delete" or _agree(expected, actual, exact))
        except (KeyError, IndexError, TypeError):
            raise CannotApply("The two parsers disagree on where the path leads") from None
        if not same:
            raise CannotApply("The result would change something else too; nothing was changed")
        return edit

    def _exact_for(self, path: Path, action: str) -> Path:
        if action == "insert":
            return (*self._exact(path[:-1]), path[-1]) if path[:-1] in self._known else path
        return self._exact(path)

    @cached_property
    def _known(self) -> _Known:
        return _Known(self)

    def _fragment(self, value: str) -> str:
        text = value.strip(" \t\r\n")
        try:
            parsed = tomllib.loads(f"x = {text}\n")
            index = TomlIndex(f"x = {text}\n".encode())
        except (tomllib.TOMLDecodeError, DocumentSyntax, RecursionError, UnicodeError) as error:
            raise CannotApply(
                f"Value is not TOML: {error}", hint='text needs quotes: "..."'
            ) from None
        item = index.root.keys.get("x")
        if len(parsed) != 1 or item is None:
            raise CannotApply("Value is not exactly one TOML value")
        return index.source[item.value.start : item.value.end].decode("utf-8")


class _Known:
    """Which paths lead somewhere in a document."""

    def __init__(self, document: TomlDocument) -> None:
        self._document = document

    def __contains__(self, path: Path) -> bool:
        try:
            self._document._locate(path)
        except NodeNotFound:
            return False
        return True


def load(source: bytes) -> Any:
    """Plain values with floats by their spelling; DocumentSyntax."""
    try:
        return tomllib.loads(source.decode("utf-8-sig"), parse_float=_float)
    except RecursionError:
        raise too_deep() from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from None


def _float(spelled: str) -> tuple[str, str]:
    return ("float", spelled)


def _syntax(source: bytes, error: tomllib.TOMLDecodeError) -> DocumentSyntax:
    import re

    text = str(error)
    place = re.search(r"\(at line (\d+), column (\d+)\)", text)
    if place is None:
        return syntax_error(source, len(source), text.replace(" (at end of document)", ""), "TOML")
    line, column = int(place[1]), int(place[2])
    reason = text[: place.start()].strip()
    return DocumentSyntax(
        f"Invalid TOML at line {line}, column {column}: {reason}", line=line, column=column
    )


def _apply(data: Any, action: str, path: Path, fragment: str) -> None:
    for position, segment in enumerate(path[:-1]):
        if action == "insert" and isinstance(data, dict) and segment not in data:
            following = path[position + 1]
            data[segment] = [] if isinstance(following, int) else {}
        data = data[segment]
    last: Any = path[-1] if path else None
    if action == "delete":
        del data[last]
        return
    value = tomllib.loads(f"x = {fragment}\n", parse_float=_float)["x"]
    if action == "insert" and isinstance(data, list):
        data.insert(last, value)
    else:
        data[last] = value


def _agree(expected: Any, actual: Any, path: Path) -> bool:
    """Whether the value at *path* is also of the same type in both (1, 1.0 and true are equal)."""
    for segment in path:
        expected, actual = expected[segment], actual[segment]
    return repr(expected) == repr(actual)


__all__ = ["TomlDocument", "load", "render_key"]
