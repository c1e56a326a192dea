"""Short ways to write the schemas of this toolset; every parameter has a description."""

from __future__ import annotations

from redline.toolsets.tool import READS, Hints, Json, Tool

_HERE = "redline.toolsets.agent"
CHANGES_FILES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
RUNS = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)


def tool(
    name: str,
    title: str,
    description: str,
    takes: Json,
    gives: Json,
    place: str,
    hints: Hints = READS,
    unlisted: tuple[str, ...] = (),
    app: str = "",
    *,
    exact: bool = False,
) -> Tool:
    """A tool; *place* is "module:function" in this package."""
    return Tool(
        name,
        title,
        description,
        takes,
        f"{_HERE}.{place}",
        hints,
        gives,
        writes=not hints.read_only,
        unlisted=unlisted,
        runs=hints is RUNS,
        app=app,
        exact=exact,
        words=f"{_HERE}.trained_names:WORDS",
    )


def text(description: str) -> Json:
    """A string."""
    return {"type": "string", "description": description}


def texts(description: str) -> Json:
    """A list of strings."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def flag(description: str) -> Json:
    """A boolean that is false by default."""
    return {"type": "boolean", "description": description}


def number(description: str) -> Json:
    """An integer; `answer.number_of` checks its range, which says so in fewer tokens."""
    return {"type": "integer", "description": description}


def choice(description: str, *values: str) -> Json:
    """One of some words."""
    return {"type": "string", "enum": list(values), "description": description}


def mapping(description: str) -> Json:
    """An object with any keys."""
    return {"type": "object", "description": description}


def items(description: str, required: tuple[str, ...], **properties: Json) -> Json:
    """A list of objects."""
    return {
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": list(required)},
        "description": description,
    }


def takes(required: tuple[str, ...], **properties: Json) -> Json:
    """An input schema."""
    schema: Json = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def gives(required: tuple[str, ...], **properties: Json) -> Json:
    """An output schema."""
    return {"type": "object", "properties": properties, "required": list(required)}


DRY_RUN = flag("Only show the change")
CHECK = flag("Format and lint it")
ENCODING = text("If not detected")
FILE_OR_GLOB = text("File or glob")

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_OBJECTS: Json = {"type": "array", "items": {"type": "object"}}
_FLAG: Json = {"type": "boolean"}

CHANGED = gives(
    ("id", "dry_run", "files", "diff"),
    id={"type": ["string", "null"]},
    dry_run=_FLAG,
    files=_OBJECTS,
    diff=_TEXT,
    diff_truncated=_FLAG,
    notes=_TEXTS,
    status=_TEXT,
    readings=_TEXTS,
    suggestions=_TEXTS,
    matches=_OBJECTS,
    problems=_OBJECTS,
)
READ = gives(("files",), files=_OBJECTS)
FOUND = gives(("entries", "truncated", "roots"), entries=_OBJECTS, truncated=_FLAG, roots=_OBJECTS)
MATCHED = gives(
    ("matches", "total", "truncated"),
    matches=_OBJECTS,
    total={"type": "integer"},
    truncated=_FLAG,
)
RAN: Json = {"type": "object"}
CONTEXT = gives(
    ("kind", "message", "snippets"),
    kind=_TEXT,
    message=_TEXT,
    snippets=_OBJECTS,
    omitted=_OBJECTS,
    notes=_TEXTS,
)
VALUES = gives(
    (),
    values=_OBJECTS,
    total={"type": "integer"},
    notes=_TEXTS,
    valid=_FLAG,
    problems=_OBJECTS,
)
CHANGES = gives(
    ("changes", "next_before"), changes=_OBJECTS, next_before={"type": ["string", "null"]}
)
