"""JSON values whose numbers keep the text they came with."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, TypeAlias

from redline.core.errors import DocumentSyntax


class Num:
    """A JSON number as written; equal to another when both mean the same quantity."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def decimal(self) -> Decimal:
        """The exact quantity."""
        return Decimal(self.text)

    @property
    def is_integer(self) -> bool:
        """Whether it is written without fraction and exponent."""
        return self.text.lstrip("-").isdigit()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Num):
            return NotImplemented
        return self.text == other.text or self.decimal == other.decimal

    def __hash__(self) -> int:
        return hash(self.decimal)

    def __repr__(self) -> str:
        return f"Num({self.text!r})"


Value: TypeAlias = "dict[str, Value] | list[Value] | str | Num | bool | None"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DocumentSyntax(f"Duplicate key in object: {twice}")
    return found


def _no_constant(name: str) -> Any:
    raise DocumentSyntax(f"Not a JSON number: {name}")


def parse(text: str | bytes) -> Value:
    """Return the value that *text* encodes; DocumentSyntax when it encodes none."""
    try:
        value: Value = json.loads(
            text,
            parse_int=Num,
            parse_float=Num,
            parse_constant=_no_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise DocumentSyntax(error.msg, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError:
        raise DocumentSyntax("Document is not valid UTF-8") from None
    except RecursionError:
        raise DocumentSyntax("Document is nested too deeply") from None
    return value


def from_plain(value: Any) -> Value:
    """Return the value for what a JSON library decoded; numbers as that library understood them."""
    if isinstance(value, dict):
        return {key: from_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return Num(repr(value) if isinstance(value, float) else str(value))


def to_plain(value: Value) -> Any:
    """Plain Python data; integers exact, other numbers as the nearest float."""
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, Num):
        return int(value.text) if value.is_integer else float(value.text)
    return value


def _fragment(value: Any) -> Any:
    import orjson

    if isinstance(value, Num):
        return orjson.Fragment(value.text)
    raise TypeError(type(value).__name__)


def dumps(value: Any) -> str:
    """Compact JSON with every number as it was written; plain numbers may be mixed in."""
    import orjson

    try:
        return orjson.dumps(value, default=_fragment).decode()
    except TypeError:
        return _slow_dumps(value)


def _slow_dumps(value: Any) -> str:
    """For what orjson refuses: lone surrogates and integers beyond 64 bits."""
    if isinstance(value, dict):
        inner = ",".join(f"{json.dumps(k)}:{_slow_dumps(v)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_slow_dumps, value)) + "]"
    return value.text if isinstance(value, Num) else json.dumps(value)


def render(value: Value) -> str:
    """Return how a preview shows a value: a string as itself, anything else as compact JSON."""
    return value if isinstance(value, str) else dumps(value)


def type_name(value: Value) -> str:
    """Return the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {dict: "object", list: "array", str: "string", Num: "number"}
    return names[type(value)]


def same(left: Value, right: Value) -> bool:
    """Return whether two values mean the same; true and 1 do not."""
    return type(left) is type(right) and left == right
