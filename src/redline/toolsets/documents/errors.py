"""How this toolset speaks of failures: results a model can read and repair its call from."""

from __future__ import annotations

from redline.core.errors import RedlineError
from redline.core.paths import show_name
from redline.toolsets.call import FailedCall, Result


def word(error: RedlineError, call: FailedCall) -> Result:
    """The failure as a result: the fact, the hint, and machine-readable details."""
    structured = {
        "error": type(error).__name__,
        "message": show_name(error.message),
        "tool": call.tool,
        **{k: v for k, v in error.details.items() if k not in ("error", "message", "tool")},
    }
    if error.hint:
        structured["hint"] = show_name(error.hint)
    return Result.of_text(show_name(error.text), structured, is_error=True)
