"""The docs toolset: values of YAML, JSON, JSONC, JSON5 and TOML files, every other byte kept."""

from __future__ import annotations

from redline.dialects.tool import READS, Dialect, Hints, Json, Tool

_HERE = "redline.dialects.docs"
_FILE: Json = {"type": "string", "description": "File, or a glob for several"}
_PATH: Json = {"type": "string", "description": 'a.b, a[0], a[-1], a["x.y"]'}
_FORMAT: Json = {"type": "string", "enum": ["yaml", "json", "jsonc", "json5", "toml"]}
_INDEX: Json = {"type": "integer", "minimum": 0}
_VALUE: Json = {"type": "string", "description": "In the file's own syntax"}
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
        "Read one value of a YAML, JSON, JSONC, JSON5 or TOML file as its exact source text, with "
        "its line. Without path: the whole document. Use doc_query to search."
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
        "Find values by RFC 9535 JSONPath, e.g. $..[?@.image]; answers paths (for doc_set), "
        "lines and source text."
    ),
    input_schema=_schema(
        ("file", "expression"),
        {
            "file": _FILE,
            "expression": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
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
        "Check syntax, and a JSON Schema 2020-12 from the workspace: the given one, or the one "
        "the file names ($schema, modeline). Problems come with line and column."
    ),
    input_schema=_schema(("file",), {"file": _FILE, "schema": {"type": "string"}}),
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
        "Replace a value (or add a key) in YAML, JSON, JSONC, JSON5 or TOML; comments and every "
        "other byte stay. Several changes: edits. All files and edits are one operation."
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
                "minItems": 1,
                "maxItems": 1000,
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": ["set", "insert", "delete"]},
                        "path": {"type": "string"},
                        "value": {"type": "string"},
                        "value_format": _VALUE_FORMAT,
                    },
                    "required": ["path"],
                    "additionalProperties": False,
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
    description=(
        "Insert into a list before an index (index = length appends), or add a new key to a "
        "mapping. To change what exists use doc_set."
    ),
    input_schema=_schema(
        ("file", "path", "value"),
        {
            "file": _FILE,
            "path": _PATH,
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
    description=(
        "Delete a key or list item with its own comments; an emptied collection becomes {} or []."
    ),
    input_schema=_schema(("file", "path"), {"file": _FILE, "path": _PATH, "dry_run": _FLAG}),
    output_schema=_CHANGED,
    handler=f"{_HERE}.writing:doc_delete",
    hints=_CHANGES,
    writes=True,
)

DIALECT = Dialect(
    name="docs",
    title="Lossless documents",
    tools=(DOC_GET, DOC_SET, DOC_INSERT, DOC_DELETE, DOC_QUERY, DOC_VALIDATE),
    wording=f"{_HERE}.errors:word",
)
