"""Operations at JSON Pointers as edits of a YAML, TOML or JSON5 file; comments stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any

from redline.documents.base.path import Path
from redline.documents.editing import DocEdit, Options, apply_edits
from redline.documents.formats import open_document
from redline.documents.json.operations import JsonOp, parse_pointer

_ACTIONS = {"replace": "set", "add": "set", "insert": "insert", "remove": "delete"}


def apply_steps(raw: bytes, form: str, steps: Sequence[JsonOp]) -> bytes:
    """Return the file's bytes after *steps*, each seeing what the one before left."""
    for step in steps:
        if step.action == "rename":
            document = open_document(raw, form)
            path = _path(document.data(), step.pointer)
            raw = document.rename(path, step.value).after
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
