"""Edits asked for by callers, carried out one after the other on one file's bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from redline.core.cancellation import checkpoint
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import CannotApply, InvalidArgument, NodeNotFound
from redline.core.paths import WorkspacePath
from redline.documents.base.model import Document
from redline.documents.base.path import Path, parse_path, read_as_pointer, render_path
from redline.documents.formats import detect, open_document

ACTIONS = ("set", "insert", "append", "delete")
_APPENDS = "[+]"


@dataclass(frozen=True, slots=True)
class DocEdit:
    """One edit; `value` is text in the file's own syntax, or JSON with `as_json`."""

    action: str
    path: Path
    value: str = ""
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be read and what may be created in it."""

    form: str | None = None
    index: int = 0
    create_parents: bool = False


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file's bytes after the edits, and what is worth mentioning."""

    after: bytes
    notes: tuple[str, ...]


def apply_edits(name: str, source: bytes, edits: Sequence[DocEdit], options: Options) -> EditedFile:
    """*source* after every edit, each seeing what the one before left; any failure refuses all."""
    form = detect(name, source, options.form)
    notes: list[str] = []
    for edit in edits:
        checkpoint()
        document = open_document(source, form, options.index)
        done = _one(document, edit, create_parents=options.create_parents)
        source = done.after
        notes += done.notes
    return EditedFile(source, tuple(notes))


def _one(document: Document, edit: DocEdit, *, create_parents: bool) -> Any:
    if edit.action == "delete":
        return document.delete(edit.path)
    value = _native(document, edit)
    if edit.action == "insert":
        return document.insert(edit.path, value)
    if edit.action == "append":
        return document.insert((*edit.path, _length(document, edit.path)), value)
    if edit.action == "set":
        notes = _note_pointer(document, edit.path)
        done = document.set(edit.path, value, create_parents=create_parents)
        return replace(done, notes=(*done.notes, *notes))
    raise InvalidArgument(
        f"Unknown action: {edit.action}", field="action", hint=f"one of {', '.join(ACTIONS)}"
    )


def _note_pointer(document: Document, path: Path) -> list[str]:
    """Say that a new key looks like a JSON Pointer to a value that is there."""
    meant = read_as_pointer(path)
    if not meant or _has(document, path) or not _has(document, meant):
        return []
    return [f"{path[0]} is a new key; as a path, this JSON Pointer is {render_path(meant)}"]


def _has(document: Document, path: Path) -> bool:
    try:
        document.get(path)
    except NodeNotFound:
        return False
    return True


def _length(document: Document, path: Path) -> int:
    """Return how many items the list at *path* has; CannotApply if there is no list."""
    document.get(path)
    found = document.data()
    for segment in path:
        found = found[segment]
    if not isinstance(found, list):
        raise CannotApply(
            f"Only a list can be appended to: {render_path(path) or 'the document'}",
            hint="name a list, or add a key by its own path",
        )
    return len(found)


def edit_at(action: str, path: str, value: str = "", *, as_json: bool = False) -> DocEdit:
    """Return the edit of the value at the text *path*; one that ends in `[+]` appends to a list."""
    if path.endswith(_APPENDS):
        if action == "delete":
            raise InvalidArgument(f"Nothing to delete is at: {path}", field="path")
        return DocEdit("append", parse_path(path.removesuffix(_APPENDS)), value, as_json)
    return DocEdit(action, parse_path(path), value, as_json)


def _native(document: Document, edit: DocEdit) -> str:
    if not edit.as_json or document.format in ("json", "jsonc"):
        return edit.value
    try:
        value = json.loads(edit.value)
    except ValueError as error:
        raise CannotApply(f"Value is not JSON: {error}", hint='text needs quotes: "..."') from None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return edit.value.strip()
    return document.render(value, edit.path)


def change_of(path: WorkspacePath, before: FileState, after: bytes) -> ChangeSet:
    """The ChangeSet that gives a file the bytes *after*."""
    return ChangeSet((Change(path, before, FileState.of(after, before.mode)),))
