"""Arguments from a schema, and arguments just outside it; the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

TEXTS = (
    "a.txt", "dir/b.json", "missing/x.py", ".", "..", "../../etc/passwd", "/etc/passwd", "~", "",
    " ", "\n", "a\x00b", "\u202eevil", "\ud7ff", "x" * 3000, "$(id)", "--help", "-rf", "*", "[",
    "(a+)+$", "a.b[0].c", "/a/b", "2025-01-01", "{}", "null", "true", "\U0001f600", "C:\\x", "0",
)  # fmt: skip
NUMBERS = (0, 1, 2, -1, 10, 65536, 2**31, -(2**63), 2**63, 0.5, -0.0, 1e308)
ANYTHING: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, "", "text", [], {}, [[]], {"a": {}})


def fitting(schema: Any, rng: random.Random, depth: int = 0) -> Any:
    """A value that means to fit *schema*."""
    if not isinstance(schema, dict):
        return rng.choice(ANYTHING)
    for key in ("oneOf", "anyOf", "allOf"):
        if schema.get(key) and "type" not in schema:
            return fitting(rng.choice(schema[key]), rng, depth)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    makers = {
        "string": _text,
        "integer": _integer,
        "number": _integer,
        "boolean": lambda *_: rng.random() < 0.5,
        "array": _array,
        "object": _object,
        "null": lambda *_: None,
    }
    return makers[kind](schema, rng, depth) if kind in makers else rng.choice(ANYTHING)


def _text(schema: dict[str, Any], rng: random.Random, _depth: int) -> str:
    text = rng.choice(TEXTS)
    least, most = schema.get("minLength", 0), schema.get("maxLength", 10_000)
    return (text + "x" * least)[:most] if len(text) < least or len(text) > most else text


def _integer(schema: dict[str, Any], rng: random.Random, _depth: int) -> float:
    least, most = schema.get("minimum", -5), schema.get("maximum", 100)
    return rng.choice([least, most, min(most, max(least, 1)), rng.randint(int(least), int(most))])


def _array(schema: dict[str, Any], rng: random.Random, depth: int) -> list[Any]:
    least = schema.get("minItems", 0)
    count = max(least, rng.choice([0, 1, 2]) if depth < 4 else 0)
    return [fitting(schema.get("items", {}), rng, depth + 1) for _ in range(count)]


def _object(schema: dict[str, Any], rng: random.Random, depth: int) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    return {
        name: fitting(sub, rng, depth + 1)
        for name, sub in schema.get("properties", {}).items()
        if name in required or rng.random() < 0.35
    }


def broken(schema: dict[str, Any], rng: random.Random) -> Any:
    """Arguments with something wrong: a type, a name, a missing part, a wild number."""
    arguments = fitting(schema, rng)
    how = rng.randrange(6)
    names = list(schema.get("properties", {})) or ["x"]
    if how == 0:
        arguments[rng.choice(names)] = rng.choice(ANYTHING)
    elif how == 1:
        arguments[rng.choice(names) + "_x"] = rng.choice(ANYTHING)
    elif how == 2 and arguments:
        del arguments[rng.choice(list(arguments))]
    elif how == 3:
        arguments[rng.choice(names)] = rng.choice(NUMBERS)
    elif how == 4:
        arguments[rng.choice(names)] = rng.choice(TEXTS)
    else:
        arguments[rng.choice(names)] = _deep(rng.choice([5, 200]))
    return arguments


def _deep(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value
