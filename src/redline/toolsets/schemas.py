"""Short ways to write the JSON Schemas of tools."""

from redline.toolsets.tool import Json

TEXT: Json = {"type": "string"}
TEXT_OR_NULL: Json = {"type": ["string", "null"]}
FLAG: Json = {"type": "boolean"}
INTEGER: Json = {"type": "integer"}
OBJECT: Json = {"type": "object"}
TEXTS: Json = {"type": "array", "items": TEXT}
OBJECTS: Json = {"type": "array", "items": OBJECT}


def text(description: str) -> Json:
    """A string."""
    return {"type": "string", "description": description}


def texts(description: str) -> Json:
    """A list of strings."""
    return array(TEXT, description=description)


def flag(description: str) -> Json:
    """A boolean that is false by default."""
    return {"type": "boolean", "description": description}


def number(description: str) -> Json:
    """An integer; its handler checks the range, which *description* says in fewer tokens."""
    return {"type": "integer", "description": description}


def integer(minimum: int, maximum: int | None = None, **more: object) -> Json:
    """An integer in a range."""
    limits = {"minimum": minimum} if maximum is None else {"minimum": minimum, "maximum": maximum}
    return {"type": "integer", **limits, **more}


def choice(*values: str, **more: object) -> Json:
    """One of some words."""
    return {"type": "string", "enum": list(values), **more}


def mapping(description: str) -> Json:
    """An object with any keys."""
    return {"type": "object", "description": description}


def array(of: Json, **more: object) -> Json:
    """A list."""
    return {"type": "array", "items": of, **more}


def record(required: str, **properties: Json) -> Json:
    """An object; *required* has the names of the properties that it must have."""
    schema: Json = {"type": "object", "properties": properties}
    return {**schema, "required": required.split()} if required else schema


def only(required: str, **properties: Json) -> Json:
    """An object with these properties and no others."""
    return {**record(required, **properties), "additionalProperties": False}


def whole(**properties: Json) -> Json:
    """An object that always has every property."""
    return record(" ".join(properties), **properties)
