"""TOML text from plain values."""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.toml.engine.scan import render_key


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


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _container(value: Any) -> str:
    if isinstance(value, dict):
        pairs = [f"{render_key(str(key))} = {render(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    return f"[{', '.join(render(item) for item in value)}]"
