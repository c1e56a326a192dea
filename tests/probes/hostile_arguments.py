"""Hostile arguments for any tool, from its schema: the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

TEXTS = (
    "", " ", ".", "..", "/", "//", "~", "\x00", "a\x00b", "\n", "\r\n", "\x1b[2J\x1b]0;x\x07",
    "\ud800", "\udcff", "\ufeff", "\u202e", "\U0010ffff", "e\u0301" * 50, "x" * 5000, "/" * 5000,
    "a/" * 3000, "../" * 500, "{a,b}" * 40, "{" * 3000, "[" * 3000, "(" * 3000, "*" * 3000,
    "**/" * 900, "\\" * 3000, "(a+)+$", "(?<=a", "[z-a]", "\\p{Foo}", "x{99999999}",
    "1e999999999", "-1e999999999", "9" * 5000, "0x" + "f" * 3000, "NaN", "Infinity", "null",
    "true", "[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300, "a: &x [*x]", "? ",
    "- " * 300, "a." * 300 + "a", "a[0]" * 300, "$" + "..*" * 300, "$[?(@.a=~'(')]",
    "2026-99-99T99:99:99Z", "file:///etc/passwd", "http://127.0.0.1/", "--help", "$(id)", "`id`",
    ";", "|", "a.txt", "b.json", "c.yaml", "d.toml", "dir", "fifo", "missing/x", "big.bin",
    "link",
)  # fmt: skip
NUMBERS = (
    0,
    -1,
    1,
    2**31,
    2**53 + 1,
    2**63,
    -(2**63) - 1,
    2**200,
    10**4000,
    1e308,
    5e-324,
    -0.0,
    0.5,
)


def values(schema: Any, rng: random.Random, depth: int = 0) -> Any:
    """A value near *schema*: often of its type, always hostile in size, form or number."""
    if rng.random() < 0.08 or not isinstance(schema, dict):
        return anything(rng)
    for key in ("oneOf", "anyOf"):
        if schema.get(key):
            return values(rng.choice(schema[key]), rng, depth)
    if "enum" in schema and rng.random() < 0.8:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return _object(schema, rng, depth)
    if kind == "array":
        count = rng.choice((0, 1, 1, 2, 5)) if depth < 3 else 0
        return [values(schema.get("items", {}), rng, depth + 1) for _ in range(count)]
    if kind == "string":
        return rng.choice(TEXTS)
    if kind in ("integer", "number"):
        return rng.choice((*NUMBERS, schema.get("minimum", 1), schema.get("maximum", 9)))
    return rng.random() < 0.5 if kind == "boolean" else anything(rng)


def _object(schema: Json, rng: random.Random, depth: int) -> Json:
    required = set(schema.get("required", ()))
    found = {
        name: values(sub, rng, depth + 1)
        for name, sub in schema.get("properties", {}).items()
        if name in required or rng.random() < 0.4
    }
    if rng.random() < 0.05 or not schema.get("properties"):
        found[rng.choice(TEXTS)] = anything(rng)
    return found


def anything(rng: random.Random) -> Any:
    """A value of any type."""
    return rng.choice(
        (None, True, [], {}, [[[]]], {"a": {}}, rng.choice(TEXTS), rng.choice(NUMBERS), nested(rng))
    )


def nested(rng: random.Random) -> Any:
    """A value that nests."""
    value: Any = rng.choice(TEXTS)
    for _ in range(rng.choice((5, 60, 150))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def calls(tools: list[Json], seed: str, rounds: int) -> Iterator[tuple[str, Json]]:
    """*rounds* calls of every tool."""
    for tool in tools:
        rng = random.Random(f"{seed} {tool['name']}")
        for _ in range(rounds):
            arguments = values(tool["inputSchema"], rng)
            yield tool["name"], arguments if isinstance(arguments, dict) else {}
