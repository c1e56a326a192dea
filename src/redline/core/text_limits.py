"""Cut long text for messages."""

from __future__ import annotations

_ELLIPSIS = "..."
# Bytes that clients show their model whole: Gemini CLI shows 40,000 characters, Codex 48,000 bytes,
# Claude Code 50,000 characters. The rest is for notes.
MAX_SHOWN = 36_000


def shorten_around(text: str, limit: int, at: int) -> str:
    """Return *text*, or *limit* characters around the one at *at* with "..." where it is cut."""
    if len(text) <= limit or at < limit // 2:
        return shorten(text, limit)
    start = min(at - limit // 3, len(text) - limit + len(_ELLIPSIS))
    return _ELLIPSIS + shorten(text[start:], limit - len(_ELLIPSIS))


def shorten(text: str, limit: int) -> str:
    """Return *text*, or its beginning and "..." in at most *limit* characters."""
    return text if len(text) <= limit else text[: limit - len(_ELLIPSIS)] + _ELLIPSIS
