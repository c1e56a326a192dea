"""Operations at JSON Pointers as edits of a YAML, TOML or JSON5 file; comments stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.base.path import Path
from redline.documents.editing import DocEdit, Options, apply_edits
from redline.documents.formats import open_document
from redline.documents.json.operations import JsonOp, parse_pointer

_ACTIONS = {"replace": "set", "add": "set", "insert": "insert", "remove": "delete"}


def apply_steps(raw: bytes, form: str, steps: Sequence[JsonOp]) -> bytes:
    """Return the file's bytes after *steps*, each seeing what the one before left."""
    for step in steps:
        if step.action == "rename":
            raw = _rename_key(raw, form, step)
            continue
        data = open_document(raw, form).data()
        path = _path(data, step.pointer)
        literal = isinstance(_at(data, path), date | time) and step.action == "replace"
        value = step.value.strip('"') if literal else step.value
        edit = DocEdit(_ACTIONS[step.action], path, value, as_json=not literal)
        raw = apply_edits("", raw, [edit], Options(form=form)).after
    return raw


def _path(data: Any, pointer: str) -> Path:
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


def _rename_key(raw: bytes, form: str, step: JsonOp) -> bytes:
    """Return the bytes with a key's text replaced where it precedes its value.

    The caller compares what the result holds with what was previewed.
    """
    document = open_document(raw, form)
    path = _path(document.data(), step.pointer)
    found = document.get(path)
    old = str(path[-1])
    for text in (f'"{old}"', f"'{old}'", old):
        place = raw.rfind(text.encode(), 0, found.start)
        between = raw[place + len(text.encode()) : found.start]
        if place >= 0 and not between.strip(b" \t\r\n:=]"):
            new = step.value if text == old else f"{text[0]}{step.value}{text[0]}"
            return raw[:place] + new.encode() + raw[place + len(text.encode()) :]
    raise CannotApply(f"The key cannot be renamed in place: {old}")
