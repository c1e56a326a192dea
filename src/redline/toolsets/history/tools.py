"""The history toolset: what every change of every toolset did, and how to take it back."""

from __future__ import annotations

from redline.toolsets.change_offers import prompts_for, resources_for
from redline.toolsets.review_app import REVIEW_APP
from redline.toolsets.tool import (
    READS,
    Hints,
    Json,
    Tool,
    Toolset,
)

_HERE = "redline.toolsets.history"
_CHANGES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)

_OPERATION: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "time": {"type": "string"},
        "tool": {"type": "string"},
        "client": {"type": "string"},
        "principal": {"type": "string"},
        "session": {"type": "string"},
        "kind": {
            "type": "string",
            "enum": ["change", "undo", "redo", "grant", "checkpoint", "git"],
        },
        "summary": {"type": "string"},
        "undone": {"type": "boolean"},
        "reverts": {"type": ["string", "null"]},
        "reverted_by": {"type": ["string", "null"]},
        "files": {"type": "array", "items": {"type": "object"}},
        "files_total": {"type": "integer"},
    },
    "required": ["id", "time", "tool", "kind", "files"],
}


def _schema(properties: Json, required: tuple[str, ...] = ()) -> Json:
    schema: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return schema


def _reverting(name: str, title: str, description: str, properties: Json) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=_schema(
            {"id": {"type": "string"}, **properties, "dry_run": {"type": "boolean"}}
        ),
        output_schema={
            "type": "object",
            "properties": {
                "id": {"type": ["string", "null"]},
                "reverts": {"type": "string"},
                "dry_run": {"type": "boolean"},
                "merged": {"type": "boolean"},
                "files": {"type": "array", "items": {"type": "object"}},
                "files_total": {"type": "integer"},
                "diff": {"type": "string"},
            },
            "required": ["id", "reverts", "dry_run", "files"],
        },
        handler=f"{_HERE}.handlers:{name}",
        hints=_CHANGES,
        writes=True,
    )


LIST_CHANGES = Tool(
    name="list_changes",
    title="List changes",
    description=(
        "List changes, newest first, by path, tool, maker (session current: yours), ISO time."
    ),
    input_schema=_schema(
        {
            "path": {"type": "string"},
            "tool": {"type": "string"},
            "session": {"type": "string"},
            "client": {"type": "string"},
            "principal": {"type": "string"},
            "since": {"type": "string"},
            "until": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
            "cursor": {"type": "string"},
        }
    ),
    output_schema={
        "type": "object",
        "properties": {
            "changes": {"type": "array", "items": _OPERATION},
            "next_cursor": {"type": ["string", "null"]},
        },
        "required": ["changes", "next_cursor"],
    },
    handler=f"{_HERE}.handlers:list_changes",
    hints=READS,
    app=REVIEW_APP.uri,
)

SHOW_CHANGE = Tool(
    name="show_change",
    title="Show change",
    description="Show a change, or the latest, as numbered hunks.",
    input_schema=_schema(
        {
            "id": {"type": "string"},
            "max_bytes": {"type": "integer", "minimum": 1024, "maximum": 1048576},
        }
    ),
    output_schema={
        "type": "object",
        "properties": {
            **_OPERATION["properties"],
            "diff": {"type": "string"},
            "truncated": {"type": "boolean"},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
        "required": [*_OPERATION["required"], "diff", "truncated"],
    },
    handler=f"{_HERE}.handlers:show_change",
    hints=READS,
    app=REVIEW_APP.uri,
)

UNDO_CHANGE = _reverting(
    "undo_change",
    "Undo change",
    "Take back your latest change, one by id (or its paths or hunks), a session, or yours since or"
    " to an id, checkpoint or time: all or nothing, keeping later changes.",
    {
        "paths": {"type": "array", "items": {"type": "string"}},
        "hunks": {"type": "array", "items": {"type": "integer"}},
        "session": {"type": "string"},
        "since": {"type": "string"},
        "to": {"type": "string"},
    },
)

REDO_CHANGE = _reverting(
    "redo_change",
    "Redo change",
    "Redo an undone change, by either id, or your latest.",
    {},
)

CREATE_CHECKPOINT = Tool(
    name="create_checkpoint",
    title="Create checkpoint",
    description="Name this moment, to undo to.",
    input_schema=_schema({"name": {"type": "string"}, "dry_run": {"type": "boolean"}}, ("name",)),
    output_schema={
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "required": ["name"],
    },
    handler=f"{_HERE}.handlers:create_checkpoint",
    hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
    writes=True,
)

REVIEW_COMMENTS = Tool(
    name="review_comments",
    title="Review comments",
    description="List open comments of the person on your changes (all: of every session), or"
    " resolve one by id with an answer.",
    input_schema=_schema(
        {
            "all": {"type": "boolean"},
            "resolve": {"type": "string"},
            "answer": {"type": "string"},
        }
    ),
    output_schema={
        "type": "object",
        "properties": {"comments": {"type": "array", "items": {"type": "object"}}},
        "required": ["comments"],
    },
    handler=f"{_HERE}.handlers:review_comments",
    hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
    writes=True,
)

TOOLSET = Toolset(
    name="history",
    title="History",
    tools=(
        LIST_CHANGES,
        SHOW_CHANGE,
        UNDO_CHANGE,
        REDO_CHANGE,
        CREATE_CHECKPOINT,
        REVIEW_COMMENTS,
    ),
    wording=f"{_HERE}.errors:word",
    instructions=(
        "{list_changes} lists every change.",
        "{undo_change} takes one back.",
    ),
    prompts=prompts_for("list_changes", "undo_change"),
    resources=resources_for("list_changes"),
)
