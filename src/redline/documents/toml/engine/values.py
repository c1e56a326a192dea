"""TOML text from plain values."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.toml.engine.scan import render_key

_MULTI_LINE = ('"""', "'''")
_TO_ESCAPE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_LITERAL = re.compile(rf"'''|{_TO_ESCAPE.pattern}")


def render(value: Any) -> str:
    """A plain value on one line of TOML; TOML has no null."""
    if value is None:
        raise CannotApply("TOML has no null", hint="delete the key instead")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return _container(value)


def render_lines(value: str, like: str) -> str | None:
    """A text of several lines as one, between the quotes of the multi-line string *like*.

    None where it has to be on one line.
    """
    quotes, start = like[:3], "\n" if like[3:4] == "\n" else ""
    if quotes not in _MULTI_LINE or "\n" not in value or "\r" in value + like:
        return None
    if not start and value.startswith("\n"):
        return None  # a parser leaves out a line end at the start
    if quotes == "'''":
        is_literal = not _NOT_LITERAL.search(value) and not value.endswith("'")
        return f"{quotes}{start}{value}{quotes}" if is_literal else None
    text = _TO_ESCAPE.sub(lambda m: f"\\u{ord(m[0]):04X}", value.replace("\\", "\\\\"))
    text = text.replace('"""', '""\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    return f"{quotes}{start}{text}{quotes}"


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _container(value: Any) -> str:
    if isinstance(value, dict):
        pairs = [f"{render_key(str(key))} = {render(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    return f"[{', '.join(render(item) for item in value)}]"
