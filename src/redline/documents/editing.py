"""Edits asked for by callers, carried out one after the other on one file's bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, time
from itertools import count
from typing import Any

from redline.core.call_scope import checkpoint
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import CannotApply, InvalidArgument, NodeNotFound
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, replace
from redline.documents.base.model import Document
from redline.documents.base.path import (
    Path,
    as_jsonpath,
    read_as_pointer,
    read_path,
    render_path,
    selects_several,
)
from redline.documents.formats import detect, open_document
from redline.documents.json.operations import JsonOp, parse_pointer
from redline.documents.query import RegexTest, refuse_regex, select

ACTIONS = ("set", "insert", "append", "delete", "rename")
_STEP_ACTIONS = {"replace": "set", "add": "set", "insert": "insert", "remove": "delete"}
_APPENDS = "[+]"
_MAX_PLACES = 1000


@dataclass(frozen=True, slots=True)
class DocEdit:
    """One edit; `value` is in the file's own syntax unless a flag says otherwise.

    With `as_json` it is JSON, with `as_text` text as it is. With `typed` a person typed it in the
    file's syntax, so what that would misread is refused. `after` is the key that a new one is
    placed behind. `selection` is a JSONPath, whose matches are the places instead of `path`.
    """

    action: str
    path: Path
    value: str = ""
    as_json: bool = False
    as_text: bool = False
    typed: bool = False
    after: str = ""
    selection: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be read and what may be created in it.

    With `every_document` a selection applies to all documents of a YAML file.
    """

    form: str | None = None
    index: int = 0
    create_parents: bool = False
    every_document: bool = False


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file's bytes after the edits, and what is worth mentioning."""

    after: bytes
    notes: tuple[str, ...]


def apply_edits(
    name: str,
    source: bytes,
    edits: Sequence[DocEdit],
    options: Options,
    regex: RegexTest = refuse_regex,
) -> EditedFile:
    """*source* after every edit, each seeing what the one before left; any failure refuses all.

    *regex* matches the expressions inside a selection.
    """
    form = detect(name, source, options.form)
    notes: list[str] = []
    for edit in edits:
        places = [(options.index, edit)]
        if edit.selection:
            places = list(_select(source, form, edit, options, regex))
            notes.append(f"{len(places)} place{'' if len(places) == 1 else 's'}: {edit.selection}")
        for index, each in places:
            checkpoint()
            document = open_document(source, form, index)
            done = _one(document, each, create_parents=options.create_parents)
            source = done.after
            notes += done.notes
    return EditedFile(source, tuple(notes))


def _select(
    source: bytes, form: str, edit: DocEdit, options: Options, regex: RegexTest
) -> Iterator[tuple[int, DocEdit]]:
    """Yield the edit of each place that a selection names, the last place first.

    What is in or behind a place is so changed before the place itself: paths stay true.
    """
    found: list[tuple[int, Path]] = []
    for index in count() if options.every_document and form == "yaml" else (options.index,):
        try:
            document = open_document(source, form, index)
        except InvalidArgument:
            if index == 0 or not options.every_document:
                raise
            break  # there are no more documents
        matches, total = select(document, edit.selection, regex, _MAX_PLACES)
        if len(found) + total > _MAX_PLACES:
            raise CannotApply(
                f"More than {_MAX_PLACES} places are selected by: {edit.selection}",
                hint="narrow it, and edit in several calls",
            )
        found += [(index, match.path) for match in matches]
    if not found:
        raise NodeNotFound(
            f"Nothing is selected by: {edit.selection}",
            hint="it selects what is there; a new key is set by its own path",
        )
    for index, path in reversed(list(dict.fromkeys(found))):
        yield index, replace(edit, path=path, selection="")


def _one(document: Document, edit: DocEdit, *, create_parents: bool) -> Any:
    if edit.action == "delete":
        return document.delete(edit.path)
    if edit.action == "rename":
        return document.rename(edit.path, edit.value)
    value = _native(document, edit)
    if edit.after:
        return document.insert(edit.path, value, after=edit.after)
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


def edit_at(
    action: str,
    path: str,
    value: str = "",
    *,
    as_json: bool = False,
    as_text: bool = False,
    typed: bool = False,
    after: str = "",
    selects: bool = False,
) -> DocEdit:
    """Return the edit of the value at the text *path*; one that ends in `[+]` appends to a list.

    With *selects* the path may be a JSONPath that names several places.
    """
    if path.endswith(_APPENDS):
        if action in ("delete", "rename"):
            raise InvalidArgument(f"Nothing to {action} is at: {path}", field="path")
        action, path = "append", path.removesuffix(_APPENDS)
    if selects and selects_several(path):
        chosen = as_jsonpath(path)
        return DocEdit(action, (), value, as_json, as_text, typed, after, chosen)
    place = read_path(path)
    if after and "." in after and place[:-1] and read_path(after)[:-1] == place[:-1]:
        after = str(read_path(after)[-1])
    return DocEdit(action, place, value, as_json, as_text, typed, after)


def _native(document: Document, edit: DocEdit) -> str:
    if edit.as_text:
        return document.render(edit.value, edit.path)
    if edit.typed:
        return document.read_typed(edit.value, edit.path)
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
    """Return the ChangeSet that gives a file the bytes *after*."""
    return ChangeSet((Change(path, before, FileState.of(after, before.mode)),))


def apply_steps(raw: bytes, form: str, steps: Sequence[JsonOp]) -> bytes:
    """Return the file's bytes after *steps*, each seeing what the one before left."""
    for step in steps:
        if step.action == "rename":
            document = open_document(raw, form)
            path = _pointer_path(document.data(), step.pointer)
            raw = document.rename(path, step.value).after
            continue
        data = open_document(raw, form).data()
        path = _pointer_path(data, step.pointer)
        literal = isinstance(_at(data, path), date | time) and step.action == "replace"
        value = step.value.strip('"') if literal else step.value
        edit = DocEdit(_STEP_ACTIONS[step.action], path, value, as_json=not literal)
        raw = apply_edits("", raw, [edit], Options(form=form)).after
    return raw


def _pointer_path(data: Any, pointer: str) -> Path:
    """Return a pointer as the path of the document engines: list positions are numbers."""
    found: list[str | int] = []
    value = data
    for part in parse_pointer(pointer):
        if isinstance(value, list):
            index = len(value) if part == "-" else int(part)
            found.append(index)
            value = value[index] if index < len(value) else None
        else:
            found.append(part)
            value = value.get(part) if isinstance(value, dict) else None
    return tuple(found)


def _at(data: Any, path: Path) -> Any:
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data
