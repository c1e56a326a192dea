"""A literal RFC 6902 array as an instruction."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.instruct.effects.outcome import Unclear
from redline.instruct.model.operations import (
    DocumentOperation,
    Path,
    apply_operations,
    exists,
    is_index,
    value_at,
)
from redline.instruct.model.values import Value, dumps, parse, same

_NEEDS = {"add": "value", "replace": "value", "test": "value", "remove": ""}
# The words that may announce a patch.
_ANNOUNCED = re.compile(
    r"^(?:please )?(?:apply|run|execute|perform|use)?\s*(?:the |this )?(?:following )?"
    r"(?:json[ -]?patch|rfc ?6902 patch|rfc ?6902 operations?|patch|operations?)[^\[{]{0,30}?:\s*"
    r"(?=[\[{])",
    re.IGNORECASE,
)
_NEEDS |= {"move": "from", "copy": "from"}


def read_patch(document: Value, instruction: str) -> list[DocumentOperation] | None:
    """The operations of a patch, or None when the instruction is not one."""
    text = _ANNOUNCED.sub("", instruction.strip())
    if not text.startswith(("[", "{")) or '"op"' not in text:
        return None
    try:
        steps = parse(text)
    except DocumentSyntax:
        return None
    if isinstance(steps, dict) and "op" in steps and "path" in steps:
        steps = [steps]
    if not isinstance(steps, list) or not steps:
        return None
    checked = [_check_step(step) for step in steps]
    after = copy.deepcopy(document)
    for step in checked:
        after = _carry_out(after, step)
    return _independent(document, checked, after) or _whole(document, after)


def _check_step(step: Value) -> dict[str, Any]:
    if not isinstance(step, dict) or step.get("op") not in _NEEDS:
        raise Unclear("clause", "each step of a patch needs an op of RFC 6902")
    needed = _NEEDS[str(step["op"])]
    if not isinstance(step.get("path"), str) or (needed and needed not in step):
        raise Unclear("clause", f"the patch step {json.dumps(step['op'])} is incomplete")
    return step


def _path(text: object) -> Path:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise Unclear("target", f"{text!r} is not a JSON Pointer")
    return (
        tuple(p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/")) if text else ()
    )


def _carry_out(document: Value, step: dict[str, Any]) -> Value:
    """One step on a copy of the document, as RFC 6902 has it."""
    path = _path(step["path"])
    try:
        if step["op"] == "test":
            if not same(value_at(document, path), step["value"]):
                raise Unclear("value", f"the test at {step['path']} fails")
            return document
        if step["op"] == "replace":
            old = value_at(document, path)
            return apply_operations(
                document, [DocumentOperation("replace", path, old, step["value"])]
            )
        if step["op"] == "remove":
            return apply_operations(
                document, [DocumentOperation("remove", path, value_at(document, path))]
            )
        if step["op"] == "move":
            origin = _path(step["from"])
            value = value_at(document, origin)
            if path[: len(origin)] == origin and path != origin:
                raise Unclear("target", "a value cannot move into itself")
            return _add_value(
                apply_operations(document, [DocumentOperation("remove", origin, value)]),
                path,
                value,
            )
        value = value_at(document, _path(step["from"])) if step["op"] == "copy" else step["value"]
        return _add_value(document, path, value)
    except (NodeNotFound, CannotApply) as error:
        raise Unclear("target", error.message) from None


def _add_value(document: Value, path: Path, value: Value) -> Value:
    return apply_operations(document, [_addition(document, path, value)])


def _addition(document: Value, path: Path, value: Value) -> DocumentOperation:
    """RFC 6902 add: a new or replaced key, or an element put before the index."""
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
    """One operation per step, when together they do what the steps do one after another."""
    try:
        operations = [
            operation
            for step in steps
            if step["op"] != "test"
            for operation in [_direct(document, step)]
            if not (operation.op == "replace" and _is_same_text(operation.old, operation.value))
        ]
        if dumps(apply_operations(document, operations)) == dumps(after):
            return [o.with_confidence(0.99) for o in operations]
    except (NodeNotFound, CannotApply):
        pass
    return None


def _is_same_text(left: Any, right: Any) -> bool:
    return dumps(left) == dumps(right)


def _direct(document: Value, step: dict[str, Any]) -> DocumentOperation:
    path = _path(step["path"])
    if step["op"] in ("replace", "remove"):
        old = value_at(document, path)
        return (
            DocumentOperation("remove", path, old)
            if step["op"] == "remove"
            else DocumentOperation("replace", path, old, step["value"])
        )
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
    """Steps that build on each other become one replacement of what they share."""
    if dumps(document) == dumps(after):
        return []
    path: Path = ()
    old, new = document, after
    while isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        differing = [k for k in old if dumps(old[k]) != dumps(new[k])]
        if len(differing) != 1:
            break
        path, old, new = (*path, differing[0]), old[differing[0]], new[differing[0]]
    return [DocumentOperation("replace", path, old, new, confidence=0.99)]
