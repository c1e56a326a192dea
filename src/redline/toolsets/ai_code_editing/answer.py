"""The answer of an edit, and every failure: the object of the specification, as JSON text too."""

from __future__ import annotations

import json

from redline.toolsets.call import Result
from redline.toolsets.tool import Json


def answer_json(structured: Json, *, is_error: bool = False) -> Result:
    """Return *structured* as the result, and as JSON for clients that read only text."""
    text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"), default=str)
    return Result.of_text(text, structured, is_error=is_error)
