"""Short ways to write the schemas of this toolset."""

from __future__ import annotations

from redline.toolsets.tool import Json

TEXT: Json = {"type": "string"}
SOME_TEXT: Json = {"type": "string", "minLength": 1}
TEXTS: Json = {"type": "array", "items": {"type": "string"}}
# Left out it means the workspace, which needs no saying.
HERE: Json = TEXT

# One permissive schema for every tool, as the profile has it.
OUTPUT: Json = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "error": {"type": "object"}},
    "required": ["ok"],
    "additionalProperties": True,
}


def flag(default: bool) -> Json:
    """A boolean; false needs no saying."""
    return {"type": "boolean", "default": True} if default else {"type": "boolean"}


def number(low: int, high: int | None = None, default: int | None = None) -> Json:
    """An integer in a range."""
    schema: Json = {"type": "integer", "minimum": low}
    if high is not None:
        schema["maximum"] = high
    if default is not None:
        schema["default"] = default
    return schema


def choice(*values: str, default: str | None = None) -> Json:
    """One of some words."""
    schema: Json = {"type": "string", "enum": list(values)}
    if default is not None:
        schema["default"] = default
    return schema


def inputs(properties: Json, *required: str) -> Json:
    """An input schema that takes nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
