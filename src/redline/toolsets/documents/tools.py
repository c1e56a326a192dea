"""The docs toolset: values of YAML, JSON, JSONC, JSON5 and TOML files, every other byte kept."""

from __future__ import annotations

from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.documents"
_TEXT: Json = {"type": "string"}
_FILE: Json = {"type": "string", "description": "path or glob"}
_PATH: Json = {"type": "string", "description": 'a.b, a[0], a[-1], a["x.y"]'}
_FORMAT: Json = {"type": "string"}
_INDEX: Json = {"type": "integer"}
_VALUE: Json = {"type": "string"}
_VALUE_FORMAT: Json = {"type": "string", "enum": ["native", "json"]}
_FLAG: Json = {"type": "boolean"}
_CHANGES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)


def _schema(required: tuple[str, ...], properties: Json) -> Json:
    return {
        "type": "object",
        "properties": {**properties, "format": _FORMAT, "doc_index": _INDEX},
        "required": list(required),
        "additionalProperties": False,
    }


_NOTES: Json = {"type": "array", "items": {"type": "string"}}
_CHANGED: Json = {
    "type": "object",
    "properties": {
        "id": {"type": ["string", "null"]},
        "dry_run": {"type": "boolean"},
        "files": {"type": "array", "items": {"type": "string"}},
        "diff": {"type": "string"},
        "notes": _NOTES,
    },
    "required": ["id", "dry_run", "files", "diff"],
}

DOC_GET = Tool(
    name="doc_get",
    title="Get a document value",
    description=(
        "Read a value of a YAML, JSON, JSONC, JSON5 or TOML file as its exact source text."
    ),
    input_schema=_schema(("file",), {"file": {"type": "string"}, "path": _PATH}),
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "kind": {"type": "string"},
            "line": {"type": "integer"},
            "column": {"type": "integer"},
            "format": {"type": "string"},
            "notes": _NOTES,
        },
        "required": ["text", "kind", "line", "column", "format"],
    },
    handler=f"{_HERE}.reading:doc_get",
    hints=READS,
)

DOC_QUERY = Tool(
    name="doc_query",
    title="Query documents",
    description=(
        "Find values by JSONPath (RFC 9535), e.g. $..[?@.image]: their paths, lines and source."
    ),
    input_schema=_schema(
        ("file", "expression"),
        {
            "file": _FILE,
            "expression": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        },
    ),
    output_schema={
        "type": "object",
        "properties": {
            "matches": {"type": "array", "items": {"type": "object"}},
            "total": {"type": "integer"},
            "truncated": {"type": "boolean"},
        },
        "required": ["matches", "total", "truncated"],
    },
    handler=f"{_HERE}.reading:doc_query",
    hints=READS,
)

DOC_VALIDATE = Tool(
    name="doc_validate",
    title="Validate documents",
    description=(
        "Check syntax and a JSON Schema: the given file, or the one named by $schema or modeline."
    ),
    input_schema=_schema(("file",), {"file": _FILE, "schema": _TEXT}),
    output_schema={
        "type": "object",
        "properties": {
            "valid": {"type": "boolean"},
            "problems": {"type": "array", "items": {"type": "object"}},
            "checked": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["valid", "problems", "checked"],
    },
    handler=f"{_HERE}.reading:doc_validate",
    hints=READS,
)

DOC_SET = Tool(
    name="doc_set",
    title="Set document values",
    description=(
        "Replace a value or add a key in YAML, JSON, JSONC, JSON5 or TOML; every other byte stays. "
        "value is in the file's syntax."
    ),
    input_schema=_schema(
        ("file",),
        {
            "file": _FILE,
            "path": _PATH,
            "value": _VALUE,
            "value_format": _VALUE_FORMAT,
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": ["set", "insert", "delete"]},
                        "path": {"type": "string"},
                        "value": {"type": "string"},
                        "value_format": _VALUE_FORMAT,
                    },
                    "required": ["path"],
                },
            },
            "create_parents": _FLAG,
            "dry_run": _FLAG,
        },
    ),
    output_schema=_CHANGED,
    handler=f"{_HERE}.writing:doc_set",
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    writes=True,
)

DOC_INSERT = Tool(
    name="doc_insert",
    title="Insert a document value",
    description=("Insert before a list index (the length appends), or add a new key."),
    input_schema=_schema(
        ("file", "path", "value"),
        {
            "file": _TEXT,
            "path": _TEXT,
            "value": _VALUE,
            "value_format": _VALUE_FORMAT,
            "dry_run": _FLAG,
        },
    ),
    output_schema=_CHANGED,
    handler=f"{_HERE}.writing:doc_insert",
    hints=_CHANGES,
    writes=True,
)

DOC_DELETE = Tool(
    name="doc_delete",
    title="Delete a document value",
    description=("Delete a key or list item with its own comments."),
    input_schema=_schema(("file", "path"), {"file": _TEXT, "path": _TEXT, "dry_run": _FLAG}),
    output_schema=_CHANGED,
    handler=f"{_HERE}.writing:doc_delete",
    hints=_CHANGES,
    writes=True,
)

TOOLSET = Toolset(
    name="docs",
    title="Lossless documents",
    tools=(DOC_GET, DOC_SET, DOC_INSERT, DOC_DELETE, DOC_QUERY, DOC_VALIDATE),
    wording=f"{_HERE}.errors:word",
)
