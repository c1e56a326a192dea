"""Cut long text for messages."""

from __future__ import annotations

_ELLIPSIS = "..."


def shorten(text: str, limit: int) -> str:
    """Return *text*, or its beginning and "..." in at most *limit* characters."""
    return text if len(text) <= limit else text[: limit - len(_ELLIPSIS)] + _ELLIPSIS
