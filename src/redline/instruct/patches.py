"""Patches as instructions: a literal RFC 6902 array, or an RFC 7396 object to merge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.instruct.model.operations import (
    DocumentOperation,
    Path,
    apply_operations,
    exists,
    is_index,
    value_at,
)
from redline.instruct.model.values import Value, dumps, parse, same
from redline.instruct.paths import pointer_parts

_NEEDS = {"add": "value", "replace": "value", "test": "value", "remove": "", "move": "from",
          "copy": "from"}  # fmt: skip


class BadPatch(Exception):
    """A patch that does not fit the document or its own standard; the message says why."""


def read_patch(document: Value, instruction: str) -> list[DocumentOperation] | None:
    """Return the operations of a patch, None when the instruction is not one; BadPatch."""
    text = instruction.strip()
    if not text.startswith(("[", "{")):
        return None
    try:
        patch = parse(text)
    except DocumentSyntax:
        return None
    if isinstance(patch, dict):
        if "op" in patch and "path" in patch:
            return _read_steps(document, [patch])
        return list(_merge(document, patch, ()))
    return _read_steps(document, patch) if isinstance(patch, list) and patch else None


# -- RFC 7396


def _merge(held: Value, patch: dict[str, Value], path: Path) -> Iterator[DocumentOperation]:
    if not isinstance(held, dict):
        raise BadPatch("a merge patch needs an object to merge into")
    for key, value in patch.items():
        place = (*path, key)
        if key not in held:
            if value is not None:
                yield DocumentOperation("add", place, value=_without_nulls(value))
        elif value is None:
            yield DocumentOperation("remove", place, held[key])
        elif isinstance(value, dict) and isinstance(held[key], dict):
            yield from _merge(held[key], value, place)
        elif dumps(held[key]) != dumps(value):
            yield DocumentOperation("replace", place, held[key], _without_nulls(value))


def _without_nulls(value: Value) -> Value:
    """Return what a merge leaves of a new object: nulls in it mean nothing to remove."""
    if not isinstance(value, dict):
        return value
    return {key: _without_nulls(item) for key, item in value.items() if item is not None}


# -- RFC 6902


def _read_steps(document: Value, steps: list[Value]) -> list[DocumentOperation]:
    checked = [_check_step(step) for step in steps]
    after = document
    for step in checked:
        after = _carry_out(after, step)
    return _independent(document, checked, after) or _whole(document, after)


def _check_step(step: Value) -> dict[str, Any]:
    if not isinstance(step, dict) or step.get("op") not in _NEEDS:
        raise BadPatch("each step of a patch needs an op of RFC 6902")
    needed = _NEEDS[str(step["op"])]
    if not isinstance(step.get("path"), str) or (needed and needed not in step):
        raise BadPatch(f"the patch step {json.dumps(step['op'])} is incomplete")
    return step


def _path(text: object) -> Path:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise BadPatch(f"{text!r} is not a JSON Pointer")
    return pointer_parts(text) if text else ()


def _carry_out(document: Value, step: dict[str, Any]) -> Value:
    """Return the document after one step, as RFC 6902 has it."""
    path = _path(step["path"])
    try:
        if step["op"] == "test":
            if not same(value_at(document, path), step["value"]):
                raise BadPatch(f"the test at {step['path']} fails")
            return document
        if step["op"] in ("replace", "remove"):
            return apply_operations(document, [_direct(document, step)])
        if step["op"] == "move":
            origin = _path(step["from"])
            value = value_at(document, origin)
            if path[: len(origin)] == origin and path != origin:
                raise BadPatch("a value cannot move into itself")
            left = apply_operations(document, [DocumentOperation("remove", origin, value)])
            return apply_operations(left, [_addition(left, path, value)])
        value = value_at(document, _path(step["from"])) if step["op"] == "copy" else step["value"]
        return apply_operations(document, [_addition(document, path, value)])
    except (NodeNotFound, CannotApply) as error:
        raise BadPatch(error.message) from None


def _addition(document: Value, path: Path, value: Value) -> DocumentOperation:
    """Return an RFC 6902 add: a new or replaced key, or an element put before the index."""
    if not path:
        return DocumentOperation("replace", (), document, value)
    holder = value_at(document, path[:-1])
    if isinstance(holder, list):
        last = str(len(holder)) if path[-1] == "-" else path[-1]
        if not is_index(last) or int(last) > len(holder):
            raise NodeNotFound(f"No index {path[-1]}")
        return DocumentOperation("insert", (*path[:-1], last), value=value)
    if exists(document, path):
        return DocumentOperation("replace", path, value_at(document, path), value)
    if not isinstance(holder, dict):
        raise NodeNotFound("Not a container")
    return DocumentOperation("add", path, value=value)


def _independent(
    document: Value, steps: list[dict[str, Any]], after: Value
) -> list[DocumentOperation] | None:
    """Return one operation per step, when together they do what the steps do in a row."""
    try:
        operations = [_direct(document, step) for step in steps if step["op"] != "test"]
        changing = [o for o in operations if o.op != "replace" or dumps(o.old) != dumps(o.value)]
        if dumps(apply_operations(document, changing)) == dumps(after):
            return changing
    except (NodeNotFound, CannotApply):
        pass
    return None


def _direct(document: Value, step: dict[str, Any]) -> DocumentOperation:
    path = _path(step["path"])
    if step["op"] == "remove":
        return DocumentOperation("remove", path, value_at(document, path))
    if step["op"] == "replace":
        return DocumentOperation("replace", path, value_at(document, path), step["value"])
    if step["op"] == "move":
        origin = _path(step["from"])
        value = value_at(document, origin)
        put = _addition(document, path, value)
        if put.op == "replace":
            raise CannotApply("Moved over another value")
        return DocumentOperation("move", origin, value, value, put.path)
    value = value_at(document, _path(step["from"])) if step["op"] == "copy" else step["value"]
    return _addition(document, path, value)


def _whole(document: Value, after: Value) -> list[DocumentOperation]:
    """Return steps that build on each other as one replacement of what they share."""
    if dumps(document) == dumps(after):
        return []
    path: Path = ()
    old, new = document, after
    while isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        differing = [k for k in old if dumps(old[k]) != dumps(new[k])]
        if len(differing) != 1:
            break
        path, old, new = (*path, differing[0]), old[differing[0]], new[differing[0]]
    return [DocumentOperation("replace", path, old, new)]
