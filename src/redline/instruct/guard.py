"""The grounding guard: a model's proposal is taken only if it traces back to the instruction.

Text inside the document may tell a model to do things. Whatever it proposes, each operation needs
a ground of its own in the instruction: its key or record named there, its value said there or
following from it, a word of polarity for a boolean, a removing verb that governs what is removed.
A proposal in which one operation lacks it becomes a question.
"""

from __future__ import annotations

from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.instruct.grounds import Grounds
from redline.instruct.model.operations import (
    DocumentOperation,
    Path,
    check_applicable,
    exists,
    is_index,
    value_at,
)
from redline.instruct.model.values import Value, dumps, parse

ELEMENT = "@"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["success", "no_changes", "ambiguous"]},
        "message": {"type": "string"},
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "op": {
                        "type": "string",
                        "enum": ["replace", "add", "insert", "remove", "rename", "move"],
                    },
                    "path": {"type": "string"},
                    "value_json": {"type": "string"},
                    "new_path": {"type": "string"},
                },
                "required": ["op", "path", "value_json", "new_path"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["status", "message", "changes"],
    "additionalProperties": False,
}


class Malformed(Exception):
    """The proposal is not what was asked for; the message says what is wrong."""


def key_elements(document: Value) -> Value:
    """Return the document as a model sees it: array elements under keys that do not shift."""
    if isinstance(document, dict):
        return {key: key_elements(item) for key, item in document.items()}
    if isinstance(document, list) and any(isinstance(item, dict | list) for item in document):
        return {f"{ELEMENT}{place}": key_elements(item) for place, item in enumerate(document)}
    return document


def ground_proposal(
    document: Value, instruction: str, proposal: Any
) -> tuple[list[DocumentOperation], str]:
    """Return the operations of *proposal* and what of them lacks a ground; empty when nothing does.

    Malformed when the proposal is not what was asked for.
    """
    if not isinstance(proposal, dict) or not isinstance(proposal.get("changes"), list):
        raise Malformed("The answer must be an object with status, message and changes")
    operations = [_operation(document, change) for change in proposal["changes"]]
    try:
        check_applicable(document, operations)
    except (CannotApply, NodeNotFound) as error:
        raise Malformed(error.message) from None
    if not operations:
        return [], ""
    grounds = Grounds(document, instruction, operations)
    for operation in operations:
        if operation.op == "replace" and dumps(operation.old) == dumps(operation.value):
            return operations, "one of its changes would change nothing"
        reason = grounds.missing(operation)
        if reason:
            return operations, reason
    return operations, ""


def _operation(document: Value, change: Any) -> DocumentOperation:
    if not isinstance(change, dict) or not isinstance(change.get("path"), str):
        raise Malformed("Each change needs op, path, value_json and new_path")
    op, path = str(change.get("op")), _path(document, change["path"])
    if op in ("add", "insert"):
        return _addition(document, path, _value(change))
    if not exists(document, path) or not path:
        raise Malformed(f"Nothing is at {change['path']}")
    old = value_at(document, path)
    if op == "replace":
        return DocumentOperation(op, path, old, _value(change), confidence=None)
    if op == "remove":
        return DocumentOperation(op, path, old, confidence=None)
    if op not in ("rename", "move"):
        raise Malformed(f"Unknown op: {op}")
    target = _target(document, op, path, change)
    return DocumentOperation(op, path, old, old, target, confidence=None)


def _target(document: Value, op: str, path: Path, change: dict[str, Any]) -> Path:
    target = _path(document, str(change.get("new_path", "")))
    if not target or not exists(document, target[:-1]):
        raise Malformed(f"Nothing can be put at {change.get('new_path')!r}")
    if op == "rename" and (target[:-1] != path[:-1] or is_index(path[-1])):
        raise Malformed("A rename keeps its object; use move")
    return target


def _addition(document: Value, path: Path, value: Value) -> DocumentOperation:
    if not path or not exists(document, path[:-1]):
        raise Malformed("Nothing can be added there")
    holder = value_at(document, path[:-1])
    if isinstance(holder, list):
        last = str(len(holder)) if path[-1] == "-" else path[-1]
        if not is_index(last) or int(last) > len(holder):
            raise Malformed(f"No such index: {path[-1]}")
        return DocumentOperation("insert", (*path[:-1], last), value=value, confidence=None)
    if not isinstance(holder, dict) or path[-1] in holder:
        raise Malformed(f"{path[-1]!r} cannot be added there")
    return DocumentOperation("add", path, value=value, confidence=None)


def _path(document: Value, text: str) -> Path:
    """Return a pointer's parts, with the keys of array elements as plain indexes."""
    if text and not text.startswith("/"):
        raise Malformed(f"Not a JSON Pointer: {text}")
    if not text:
        return ()
    parts = [p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/")]
    value: Any = document
    found: list[str] = []
    for part in parts:
        if isinstance(value, list):
            part = part.removeprefix(ELEMENT)
            part = "-" if part == "end" else part
            value = value[int(part)] if is_index(part) and int(part) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(part)
        found.append(part)
    return tuple(found)


def _value(change: dict[str, Any]) -> Value:
    try:
        return restore_arrays(parse(str(change.get("value_json", ""))))
    except DocumentSyntax as error:
        raise Malformed(f"value_json is not JSON: {error.message}") from None


def restore_arrays(value: Value) -> Value:
    """Return a value in which objects that a model was shown for arrays are arrays again."""
    if isinstance(value, dict):
        items = {key: restore_arrays(item) for key, item in value.items()}
        if items and list(items) == [f"{ELEMENT}{place}" for place in range(len(items))]:
            return list(items.values())
        return items
    return [restore_arrays(item) for item in value] if isinstance(value, list) else value


def render_document(document: Value) -> str:
    """Return the document as text for a model."""
    return dumps(key_elements(document))
