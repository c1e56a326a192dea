"""The docs toolset: values of YAML, JSON, JSONC, JSON5 and TOML files, every other byte kept."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.documents"
_FILE = s.text("path or glob")
_PATH = s.text('a.b, a[0], a[-1], a["x.y"]')
_VALUE_FORMAT = s.choice("native", "json")
_ADDS = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_SETS = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)
_CHANGED = s.record(
    "id dry_run files diff",
    id=s.TEXT_OR_NULL,
    dry_run=s.FLAG,
    files=s.TEXTS,
    diff=s.TEXT,
    notes=s.TEXTS,
)


def _tool(
    name: str,
    title: str,
    description: str,
    takes: Json,
    gives: Json = _CHANGED,
    hints: Hints = READS,
) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=takes,
        output_schema=gives,
        handler=f"{_HERE}.handlers:{name}",
        hints=hints,
        writes=not hints.read_only,
    )


def _takes(required: str, **properties: Json) -> Json:
    """An input schema; every tool takes the format of the file and the number of a document."""
    return s.only(required, **properties, format=s.TEXT, doc_index=s.INTEGER)


TOOLS = (
    _tool(
        "doc_get",
        "Get a document value",
        "Read a value of a YAML, JSON, JSONC, JSON5 or TOML file as its exact source text.",
        _takes("file", file=s.TEXT, path=_PATH),
        s.record(
            "text kind line column format",
            text=s.TEXT,
            kind=s.TEXT,
            line=s.INTEGER,
            column=s.INTEGER,
            format=s.TEXT,
            notes=s.TEXTS,
        ),
    ),
    _tool(
        "doc_set",
        "Set document values",
        "Replace a value or add a key in YAML, JSON, JSONC, JSON5 or TOML; every other byte stays."
        " value is in the file's syntax.",
        _takes(
            "file",
            file=_FILE,
            path=_PATH,
            value=s.TEXT,
            value_format=_VALUE_FORMAT,
            edits=s.array(
                s.record(
                    "path",
                    action=s.choice("set", "insert", "delete"),
                    path=s.TEXT,
                    value=s.TEXT,
                    value_format=_VALUE_FORMAT,
                )
            ),
            create_parents=s.FLAG,
            dry_run=s.FLAG,
        ),
        hints=_SETS,
    ),
    _tool(
        "doc_insert",
        "Insert a document value",
        "Insert before a list index (the length appends), or add a new key.",
        _takes(
            "file path value",
            file=s.TEXT,
            path=s.TEXT,
            value=s.TEXT,
            value_format=_VALUE_FORMAT,
            dry_run=s.FLAG,
        ),
        hints=_ADDS,
    ),
    _tool(
        "doc_delete",
        "Delete a document value",
        "Delete a key or list item with its own comments.",
        _takes("file path", file=s.TEXT, path=s.TEXT, dry_run=s.FLAG),
        hints=_ADDS,
    ),
    _tool(
        "doc_query",
        "Query documents",
        "Find values by JSONPath (RFC 9535), e.g. $..[?@.image]: their paths, lines and source.",
        _takes("file expression", file=_FILE, expression=s.TEXT, limit=s.integer(1, 1000)),
        s.whole(matches=s.OBJECTS, total=s.INTEGER, truncated=s.FLAG),
    ),
    _tool(
        "doc_validate",
        "Validate documents",
        "Check syntax and a JSON Schema: the given file, or the one named by $schema or modeline.",
        _takes("file", file=_FILE, schema=s.TEXT),
        s.whole(valid=s.FLAG, problems=s.OBJECTS, checked=s.OBJECTS),
    ),
)

TOOLSET = Toolset(
    name="docs",
    title="Lossless documents",
    tools=TOOLS,
    wording=f"{_HERE}.handlers:word",
)
