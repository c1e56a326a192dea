"""What the sixteen tools take and give, as JSON Schemas.

Properties that are not listed are accepted, as clients of this toolset rely on, and named in the
answer; `adapt` adds to the listing what older argument names keep the validator from demanding.
"""

from __future__ import annotations

from redline.toolsets.tool import Json

_TEXT: Json = {"type": "string"}
_FLAG: Json = {"type": "boolean"}
_COUNT: Json = {"type": "integer", "minimum": 1}
_TEXTS: Json = {"type": "array", "items": {"type": "string"}}


def takes(required: tuple[str, ...], **properties: Json) -> Json:
    """An input schema."""
    schema: Json = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema


def gives(**properties: Json) -> Json:
    """An output schema: every property is always there."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_EDITS: Json = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "oldText": _TEXT,
            "newText": {
                "type": "string",
                "description": "With isRegex: $1-$9 groups, $& the match, $$ a dollar",
            },
            "limit": {
                "type": "integer",
                "description": "1 (default): must be unique; 0: all",
            },
            "isRegex": {"type": "boolean", "description": "JavaScript regex, m flag"},
            "caseInsensitive": _FLAG,
        },
        "required": ["oldText"],
    },
}
_DRY_RUN = _FLAG

PATH = takes(("path",), path=_TEXT)
READ_FILE = takes(
    ("path",),
    path=_TEXT,
    start_line=_COUNT,
    end_line=_COUNT,
    head=_COUNT,
    tail=_COUNT,
    encoding=_TEXT,
)
READ_MULTIPLE = takes(("paths",), paths={**_TEXTS, "minItems": 1})
READ_MULTIPLE_UNLISTED = ("encoding",)
CHANGED_PATH = takes(("path",), path=_TEXT, dryRun=_DRY_RUN)
WRITE_FILE = takes(("path", "content"), path=_TEXT, content=_TEXT, dryRun=_DRY_RUN)
DIRECTORY_TREE = takes(
    ("path",),
    path=_TEXT,
    depth={"type": "integer", "minimum": 0, "description": "0: the root only; omitted: all"},
)
MOVE_FILE = takes(
    ("source", "destination"),
    source=_TEXT,
    destination=_TEXT,
    overwrite=_FLAG,
    dryRun=_DRY_RUN,
)
NOTHING = takes(())
EDIT_FILE = takes(("path", "edits"), path=_TEXT, edits=_EDITS, encoding=_TEXT, dryRun=_DRY_RUN)
# The fields are listed without the descriptions that edit_file has.
_PLAIN_EDITS: Json = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "oldText": _TEXT,
            "newText": _TEXT,
            "limit": {"type": "integer"},
            "isRegex": _FLAG,
            "caseInsensitive": _FLAG,
        },
        "required": ["oldText"],
    },
}
EDIT_FILES = takes(
    ("paths", "edits"),
    paths={**_TEXTS, "minItems": 1},
    edits=_PLAIN_EDITS,
    encoding=_TEXT,
    dryRun=_DRY_RUN,
    compact=_FLAG,
)
SEARCH_FILES = takes((), directory=_TEXT, nameContains=_TEXT, excludeGlobs=_TEXTS)
SEARCH_FILES_REQUIRED = ["directory", "nameContains"]
SEARCH_FILES_UNLISTED = ("path", "pattern", "excludePatterns", "compact")
GREP_FILES = takes(
    ("regex",),
    regex={"type": "string", "description": "JavaScript syntax, line by line"},
    directory=_TEXT,
    globs={**_TEXTS, "description": "Relative to directory, or absolute"},
    excludeGlobs=_TEXTS,
    caseInsensitive=_FLAG,
    contextLines={"type": "integer", "minimum": 0},
    maxResults={"type": "integer", "minimum": 1, "description": "Default 500"},
    compact=_FLAG,
)
GLOB_SEARCH = takes(
    ("directory", "globs"),
    directory=_TEXT,
    globs={**_TEXTS, "minItems": 1},
    excludeGlobs=_TEXTS,
    max={"type": "integer", "minimum": 0, "description": "Default 1000; 0: no cap"},
    compact=_FLAG,
)
EXECUTE_COMMAND = takes(
    ("command",),
    command=_TEXT,
    workingDirectory=_TEXT,
    timeout={"type": "integer", "description": "Seconds, default 30, at most 60"},
    dryRun={"type": "boolean", "description": "Run on a copy; answer the diff"},
)

_FILE_OR_DIRECTORY: Json = {"type": "string", "enum": ["file", "directory"]}

FILE_INFO = gives(
    path=_TEXT,
    type={"type": "string", "enum": ["file", "directory", "symlink", "other"]},
    size={"type": "integer"},
    created=_TEXT,
    modified=_TEXT,
    permissions=_TEXT,
    mode=_TEXT,
)
LISTING = gives(
    path=_TEXT,
    entries={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": _TEXT, "type": _FILE_OR_DIRECTORY},
            "required": ["name", "type"],
        },
    },
)
_NODE: Json = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "type": _FILE_OR_DIRECTORY,
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
    "required": ["name", "type"],
}
TREE: Json = {**_NODE, "$defs": {"node": _NODE}}
ROOTS = gives(
    directories={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "path": _TEXT,
                "access": {"type": "string", "enum": ["read-write", "read-only"]},
                "writable": _FLAG,
            },
            "required": ["path", "access", "writable"],
        },
    }
)
NAMES = gives(matches=_TEXTS, count={"type": "integer"})
GLOBBED = gives(matches=_TEXTS, count={"type": "integer"}, truncated=_FLAG)
GREPPED = gives(
    matches={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "path": _TEXT,
                "line": {"type": "integer"},
                "text": _TEXT,
                "isMatch": _FLAG,
            },
            "required": ["path", "line", "text", "isMatch"],
        },
    },
    count={"type": "integer"},
    truncated=_FLAG,
    skipped={"type": "integer"},
)
COMMAND = gives(
    exitCode={"type": "integer"},
    stdout=_TEXT,
    stderr=_TEXT,
    timedOut=_FLAG,
    truncated=_FLAG,
    sandbox={
        "type": "object",
        "properties": {"fs": _TEXT, "net": _TEXT, "pids": _TEXT, "memory": _TEXT},
    },
    warnings=_TEXTS,
)
