"""The json toolset: change a JSON document by instruction, previewed first, applied on request."""

from __future__ import annotations

from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.json_editor"
_TEXT: Json = {"type": "string"}
_PATH: Json = {"type": "array", "items": {"type": "string"}}

_CHANGE: Json = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "path": _PATH,
        "current_value": _TEXT,
        "proposed_value": _TEXT,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "op": {
            "type": "string",
            "enum": ["replace", "add", "insert", "remove", "rename", "move"],
        },
        "current_type": _TEXT,
        "proposed_type": _TEXT,
        "value_json": _TEXT,
        "new_path": _PATH,
    },
    "required": ["id", "path", "current_value", "proposed_value"],
}

_CANDIDATE: Json = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "says": _TEXT,
        "changes": {"type": "array", "items": _CHANGE},
    },
    "required": ["id", "says", "changes"],
}

_APPLIED: Json = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "path": _PATH,
        "old_value": _TEXT,
        "new_value": _TEXT,
        "applied_at": {"type": "string", "format": "date-time"},
        "op": _TEXT,
        "new_path": _PATH,
    },
    "required": ["id", "path", "old_value", "new_value", "applied_at"],
}
# The specification's error object is as much an answer as a result is.
_FAILED: Json = {"properties": {"error": {"type": "object"}}, "required": ["error"]}

PREVIEW = Tool(
    name="json_editor_preview",
    title="Preview JSON changes",
    description=(
        "Preview proposed changes to a JSON document using natural language instructions. "
        "Exact: a.b[0] = 1, /a/- = 2, delete a.b, RFC 6902 or 7396. Commands: set a.b to 1 for all "
        "users where x > 2, add K = V to a.b. Quote texts."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "document": {"type": ["object", "array"]},
            "instruction": {"type": "string", "minLength": 1, "maxLength": 1000},
            "document_path": {
                "type": "string",
                "description": "File (JSON, YAML, TOML), instead of document, which is {} then",
            },
        },
        "required": ["instruction"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {
            "session_id": _TEXT,
            "changes": {"type": "array", "items": _CHANGE},
            "message": _TEXT,
            "status": {"type": "string", "enum": ["success", "no_changes", "ambiguous"]},
            "suggestions": {"type": "array", "items": _TEXT},
            "candidates": {"type": "array", "items": _CANDIDATE},
            "document_hash": _TEXT,
        },
        "anyOf": [{"required": ["session_id", "changes", "message", "status"]}, _FAILED],
    },
    handler=f"{_HERE}.preview:preview",
    hints=READS,
    exact=True,
)

APPLY = Tool(
    name="json_editor_apply",
    title="Apply JSON changes",
    description=(
        "Apply previously previewed changes to a JSON document. Files are written, undoably."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "session_id": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"},
            "confirmed_changes": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Change ids, default all; or one candidate id",
            },
            "document_hash": {"type": "string"},
            "dry_run": {"type": "boolean"},
        },
        "required": ["session_id"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {
            "modified_document": {"type": ["object", "array"]},
            "applied_changes": {"type": "array", "items": _APPLIED},
            "message": _TEXT,
            "status": {"type": "string", "enum": ["success", "partial_success", "failed"]},
            "document_hash": _TEXT,
            "operation_id": _TEXT,
        },
        "anyOf": [
            {"required": ["modified_document", "applied_changes", "message", "status"]},
            _FAILED,
        ],
    },
    handler=f"{_HERE}.apply:apply",
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    writes=True,
)

TOOLSET = Toolset(
    name="json",
    title="Edit JSON by instruction",
    tools=(PREVIEW, APPLY),
    wording=f"{_HERE}.errors:word",
    adapt=f"{_HERE}.adapt:adapt",
    instructions=(
        "{json_editor_preview} shows what an instruction would change.",
        "Look at it, then apply it with {json_editor_apply}.",
        "When the status is ambiguous, use one of the suggestions as the instruction.",
    ),
)
