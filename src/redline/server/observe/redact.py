"""Keep secrets and bulk out of traces and audit lines."""

from __future__ import annotations

import re
from typing import Any

from redline.core.text_limits import shorten

REDACTED = "[REDACTED]"
MAX_TEXT = 240
MAX_ITEMS = 50
MAX_DEPTH = 6

_SECRET_KEY = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|api[_-]?key|auth|credential|cookie|private[_-]?key|bearer",
    re.IGNORECASE,
)
_SECRET_TEXT = re.compile(
    r"(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|(?i:bearer\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?i:(?:password|passwd|secret|token|api[_-]?key)\s*[=:]\s*)[^\s'\"&;]{3,}",
    re.DOTALL,
)


def redact(value: Any, depth: int = 0) -> Any:
    """Return *value* with text that looks secret replaced and long parts cut."""
    if isinstance(value, str):
        return _text(value)
    if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
        return "[...]"
    if isinstance(value, dict):
        return {
            _text(str(key)): REDACTED if _SECRET_KEY.search(str(key)) else redact(item, depth + 1)
            for key, item in list(value.items())[:MAX_ITEMS]
        }
    if isinstance(value, list | tuple):
        return [redact(item, depth + 1) for item in value[:MAX_ITEMS]]
    return value


def _text(text: str) -> str:
    # Look a little past the cut so that a secret straddling it is recognised.
    seen = _SECRET_TEXT.sub(REDACTED, text[: MAX_TEXT * 4])
    return shorten(seen, MAX_TEXT)
