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
    """Return the schema of a string."""
    return {"type": "string", "description": description}


def texts(description: str) -> Json:
    """Return the schema of a list of strings."""
    return array(TEXT, description=description)


def flag(description: str) -> Json:
    """Return the schema of a boolean that is false by default."""
    return {"type": "boolean", "description": description}


def number(description: str) -> Json:
    """Return the schema of an integer; its handler checks the range that *description* states."""
    return {"type": "integer", "description": description}


def integer(minimum: int, maximum: int | None = None, **more: object) -> Json:
    """Return the schema of an integer in a range."""
    limits = {"minimum": minimum} if maximum is None else {"minimum": minimum, "maximum": maximum}
    return {"type": "integer", **limits, **more}


def choice(*values: str, **more: object) -> Json:
    """Return the schema of one of *values*."""
    return {"type": "string", "enum": list(values), **more}


def mapping(description: str) -> Json:
    """Return the schema of an object with any keys."""
    return {"type": "object", "description": description}


def array(of: Json, **more: object) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": of, **more}


def record(required: str, **properties: Json) -> Json:
    """Return the schema of an object; *required* lists its required properties."""
    schema: Json = {"type": "object", "properties": properties}
    return {**schema, "required": required.split()} if required else schema


def only(required: str, **properties: Json) -> Json:
    """Return the schema of an object with these properties and no others."""
    return {**record(required, **properties), "additionalProperties": False}


def whole(**properties: Json) -> Json:
    """Return the schema of an object that requires all of *properties*."""
    return record(" ".join(properties), **properties)
