"""Lossless edits of JSON, JSONC and JSON5."""

from __future__ import annotations

import json
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.core.splice import Splice
from redline.core.wording import naming
from redline.documents.base import model
from redline.documents.base.path import Path, render_path
from redline.documents.json import layout
from redline.documents.json.runs import PIECE
from redline.documents.json.source import JsonText
from redline.documents.json.verify import WHOLE, Step, verify
from redline.documents.json.walk import JsonEntry


class JsonDocument:
    """One JSON, JSONC or JSON5 document; parsing it validates all of it."""

    def __init__(
        self, source: bytes, form: str = "json", *, whole: int = WHOLE, piece: int = PIECE
    ) -> None:
        self._whole = whole
        self._text = JsonText(source, form, piece=piece)
        # The nodes from the root to where the last lookup ended.
        self._chain: list[JsonEntry] = []

    @property
    def source(self) -> bytes:
        """The bytes this was parsed from."""
        return self._text.source

    @property
    def format(self) -> str:
        """json, jsonc or json5."""
        return self._text.form

    def get(self, path: Path) -> model.Slice:
        """Return the node's source slice; of duplicate keys the last, with a note."""
        entry, notes = self._locate(path)
        return model.slice_of(self.source, entry.start, entry.end, self._text.kind(entry), notes)

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> model.DocumentEdit:
        """Replace the node, or create the leaf of a mapping."""
        fragment = self._fragment(value)
        depth, entry, notes = self._deepest(path)
        if depth == len(path):
            if notes:
                raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
            fragment = self._indent_value(fragment, layout.indent_of(self.source, entry.start))
            splices = [Splice(entry.start, entry.end, fragment.encode("utf-8"))]
            return self._verify_edit(splices, Step("set", path, fragment), entry)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}")
        return self._create(path, depth, entry, fragment, create_parents=create_parents)

    def insert(self, path: Path, value: str, *, after: str | None = None) -> model.DocumentEdit:
        """A list item before an index, or a new key of a mapping."""
        if not path:
            raise CannotApply("The whole document cannot be inserted")
        fragment = self._fragment(value)
        parent, notes = self._parent(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}")
        last = path[-1]
        if isinstance(last, int) and after is None:
            return self._insert_item(path, parent, last, fragment)
        if self._text.kind(parent) != "mapping" or isinstance(last, int):
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, self._text.kind(parent)))
        if self._text.member(parent, last)[1]:
            raise model.key_exists(path)
        if after is None:
            return self._append(path, parent, last, fragment)
        sibling, times = self._text.member(parent, after)
        if sibling is None or times > 1:
            raise model.no_sibling(path, after)
        fragment = self._indent_value(fragment, layout.indent_of(self.source, sibling.key_start))
        splices = layout.splices_to_add_after(self._text, parent, sibling, last, fragment)
        return self._verify_edit(splices, Step("insert", path, fragment, after), sibling)

    def rename(self, path: Path, name: str) -> model.DocumentEdit:
        """Write another name in place of a member's, in its quotes."""
        entry, notes = self._locate(path)
        if entry.key is None:
            raise model.not_a_key(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        if self._text.member(self._chain[-2], name)[1]:
            raise model.key_exists((*path[:-1], name))
        token = layout.key_like(self._text, entry, name)
        splices = [Splice(entry.key_start, entry.key_end, token.encode("utf-8"))]
        return self._verify_edit(splices, Step("rename", path, json.dumps(name)), entry)

    def delete(self, path: Path) -> model.DocumentEdit:
        """Remove the member with its comma and its comments."""
        if not path:
            raise CannotApply("The whole document cannot be deleted")
        entry, notes = self._locate(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}")
        parent = self._chain[-2]
        splices = layout.splices_to_delete(self._text, parent, entry)
        return self._verify_edit(splices, Step("delete", path), entry)

    def data(self) -> Any:
        """Return the whole document as plain values."""
        return self._text.parse_values()

    def read_typed(self, value: str, at: Path) -> str:  # noqa: ARG002 - what is typed is exact here
        """*value* as it is."""
        return value

    def render(self, value: Any, at: Path = ()) -> str:  # noqa: ARG002 - every place is alike
        """*value* as JSON on one line."""
        return json.dumps(value, ensure_ascii=False)

    def entry(self, path: Path) -> tuple[JsonEntry, tuple[str, ...]]:
        """Return the node's ranges, for operations that need the key's bytes too."""
        return self._locate(path)

    @property
    def text(self) -> JsonText:
        """The located source."""
        return self._text

    def _locate(self, path: Path) -> tuple[JsonEntry, tuple[str, ...]]:
        depth, entry, notes = self._deepest(path)
        if depth < len(path):
            raise self._absent(path, depth, entry)
        return entry, notes

    def _parent(self, path: Path) -> tuple[JsonEntry, tuple[str, ...]]:
        try:
            return self._locate(path[:-1])
        except NodeNotFound as error:
            raise model.as_refusal(error) from None

    def _deepest(self, path: Path) -> tuple[int, JsonEntry, tuple[str, ...]]:
        """Return how far *path* leads, the node there, and notes on duplicate keys on the way."""
        entry = self._text.root
        self._chain = [entry]
        notes: list[str] = []
        for depth, segment in enumerate(path):
            step, count = self._step(entry, segment)
            if step is None:
                return depth, entry, tuple(notes)
            if isinstance(segment, str) and count > 1:
                notes.append(f"Key {segment!r} is there {count} times; the last one counts")
            entry = step
            self._chain.append(entry)
        return len(path), entry, tuple(notes)

    def _step(self, entry: JsonEntry, segment: str | int) -> tuple[JsonEntry | None, int]:
        kind = self._text.kind(entry)
        if isinstance(segment, int):
            return (self._text.at(entry, segment) if kind == "sequence" else None), 0
        return self._text.member(entry, segment) if kind == "mapping" else (None, 0)

    def _absent(self, path: Path, depth: int, entry: JsonEntry) -> NodeNotFound:
        kind, segment = self._text.kind(entry), path[depth]
        if kind == "mapping" and isinstance(segment, str):
            return model.missing_key(path, depth, self._text.keys(entry))
        if kind == "sequence" and isinstance(segment, int):
            return model.out_of_range(path, depth, self._text.item(entry, 0)[1])
        return model.wrong_shape(path, depth, kind)

    def _create(
        self, path: Path, depth: int, entry: JsonEntry, fragment: str, *, create_parents: bool
    ) -> model.DocumentEdit:
        key = path[depth]
        missing = len(path) - depth
        if self._text.kind(entry) != "mapping" or not isinstance(key, str):
            raise model.as_refusal(self._absent(path, depth, entry))
        if missing > 1 and not create_parents:
            raise model.missing_levels(self._absent(path, depth, entry))
        for segment in reversed(path[depth + 1 :]):
            fragment = _wrap(segment, fragment, path)
        return self._append(path[: depth + 1], entry, key, fragment)

    def _append(self, path: Path, parent: JsonEntry, key: str, fragment: str) -> model.DocumentEdit:
        fragment = self._indent_value(fragment, layout.append_indent(self._text, parent))
        splices = layout.splices_to_append(self._text, parent, key, fragment)
        return self._verify_edit(splices, Step("insert", path, fragment), self._last(parent))

    def _last(self, container: JsonEntry) -> JsonEntry | None:
        tail = self._text.tail(container)
        return tail[-1] if tail else None

    def _insert_item(
        self, path: Path, parent: JsonEntry, index: int, fragment: str
    ) -> model.DocumentEdit:
        if self._text.kind(parent) != "sequence":
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, self._text.kind(parent)))
        before, length = self._text.item(parent, index)
        if before is None and index != length:
            raise model.as_refusal(model.out_of_range(path, len(path) - 1, length))
        if before is None:
            fragment = self._indent_value(fragment, layout.append_indent(self._text, parent))
            splices = layout.splices_to_append(self._text, parent, None, fragment)
        else:
            fragment = self._indent_value(fragment, layout.indent_of(self.source, before.start))
            splices = layout.splices_to_insert(self._text, parent, before, fragment)
        position = length if before is None else model.resolve_index(index, length)
        step = Step("insert", (*path[:-1], position or 0), fragment)
        return self._verify_edit(splices, step, before or self._last(parent))

    def _verify_edit(
        self, splices: list[Splice], step: Step, anchor: JsonEntry | None
    ) -> model.DocumentEdit:
        if len(self.source) > PIECE:
            self._text.clear()
        edit = model.DocumentEdit.of(self.source, splices)
        # The container that changes; setting the root changes the root itself.
        chain = self._chain[: max(len(step.path), 1)]
        verify(self._text, edit, step, chain, anchor, whole=self._whole)
        return edit

    def _fragment(self, value: str) -> str:
        """Return the value's own text, without white space and comments around it."""
        try:
            text = JsonText(value.encode("utf-8"), self.format)
        except DocumentSyntax as error:
            raise CannotApply(
                f"Value is not {self.format.upper()}: {error.message}",
                hint=naming('text needs double quotes: {"..."}'),
                details={"misread": "text"},
            ) from None
        except UnicodeEncodeError:
            raise CannotApply("Value holds a lone surrogate, which is not UTF-8") from None
        return text.source[text.root.start : text.root.end].decode("utf-8")

    def _indent_value(self, fragment: str, indent: bytes) -> str:
        """*fragment*, its further lines moved right by *indent*."""
        if "\n" not in fragment or self._multi_line_strings:
            return fragment
        gap = (self._text.newline + indent).decode()
        return gap.join(line.removesuffix("\r") for line in fragment.split("\n"))

    @property
    def _multi_line_strings(self) -> bool:
        return self.format == "json5"


def _wrap(segment: str | int, fragment: str, path: Path) -> str:
    if isinstance(segment, str):
        return f"{{{json.dumps(segment, ensure_ascii=False)}: {fragment}}}"
    if segment in (0, -1):
        return f"[{fragment}]"
    raise CannotApply(f"A new list has no index [{segment}]: {render_path(path)}")
