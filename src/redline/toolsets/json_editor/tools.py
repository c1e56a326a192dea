"""The json toolset: change a JSON document by instruction, previewed first, applied on request."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.tool import READS, Client, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.json_editor"


def adapt(tool: Json, _client: Client) -> Json:
    """The listing of *tool*: the specification requires a document, calls may name a file."""
    if tool["name"] != "json_editor_preview":
        return tool
    schema = {**tool["inputSchema"], "required": ["document", "instruction"]}
    return {**tool, "inputSchema": schema}


def _answers(required: str, **properties: Json) -> Json:
    """An output schema: the specification's error object is as much an answer as a result is."""
    failed = {"properties": {"error": s.OBJECT}, "required": ["error"]}
    wanted = [{"required": required.split()}, failed]
    return {"type": "object", "properties": properties, "anyOf": wanted}


_DOCUMENT: Json = {"type": ["object", "array"]}
_CHANGE = s.record(
    "id path current_value proposed_value",
    id=s.TEXT,
    path=s.TEXTS,
    current_value=s.TEXT,
    proposed_value=s.TEXT,
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    op=s.choice("replace", "add", "insert", "remove", "rename", "move"),
    current_type=s.TEXT,
    proposed_type=s.TEXT,
    value_json=s.TEXT,
    new_path=s.TEXTS,
)
_APPLIED = s.record(
    "id path old_value new_value applied_at",
    id=s.TEXT,
    path=s.TEXTS,
    old_value=s.TEXT,
    new_value=s.TEXT,
    applied_at={"type": "string", "format": "date-time"},
    op=s.TEXT,
    new_path=s.TEXTS,
)

PREVIEW = Tool(
    name="json_editor_preview",
    title="Preview JSON changes",
    description=(
        "Preview proposed changes to a JSON document using natural language instructions. "
        "Exact: a.b[0] = 1, /a/- = 2, delete a.b, RFC 6902 or 7396. Commands: set a.b to 1 for all "
        "users where x > 2, add K = V to a.b. Quote texts."
    ),
    input_schema=s.only(
        "instruction",
        document=_DOCUMENT,
        instruction={"type": "string", "minLength": 1, "maxLength": 1000},
        document_path=s.text("File (JSON, YAML, TOML), instead of document, which is {} then"),
    ),
    output_schema=_answers(
        "session_id changes message status",
        session_id=s.TEXT,
        changes=s.array(_CHANGE),
        message=s.TEXT,
        status=s.choice("success", "no_changes", "ambiguous"),
        suggestions=s.TEXTS,
        candidates=s.array(s.whole(id=s.TEXT, says=s.TEXT, changes=s.array(_CHANGE))),
        document_hash=s.TEXT,
    ),
    handler=f"{_HERE}.handlers:preview",
    hints=READS,
    exact=True,
)

APPLY = Tool(
    name="json_editor_apply",
    title="Apply JSON changes",
    description=(
        "Apply previously previewed changes to a JSON document. Files are written, undoably."
    ),
    input_schema=s.only(
        "session_id",
        session_id={"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"},
        confirmed_changes=s.texts("Change ids, default all; or one candidate id"),
        document_hash=s.TEXT,
        dry_run=s.FLAG,
    ),
    output_schema=_answers(
        "modified_document applied_changes message status",
        modified_document=_DOCUMENT,
        applied_changes=s.array(_APPLIED),
        message=s.TEXT,
        status=s.choice("success", "partial_success", "failed"),
        document_hash=s.TEXT,
        operation_id=s.TEXT,
    ),
    handler=f"{_HERE}.handlers:apply",
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    writes=True,
)

TOOLSET = Toolset(
    name="json",
    title="Edit JSON by instruction",
    tools=(PREVIEW, APPLY),
    wording=f"{_HERE}.errors:word",
    adapt=f"{_HERE}.tools:adapt",
    instructions=(
        "{json_editor_preview} shows what an instruction would change.",
        "Look at it, then apply it with {json_editor_apply}.",
        "When the status is ambiguous, use one of the suggestions as the instruction.",
    ),
)
