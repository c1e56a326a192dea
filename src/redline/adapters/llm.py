"""The model provider a setting names: off, openai:MODEL, anthropic:MODEL or gemini:MODEL."""

from __future__ import annotations

from redline.core.ports import Llm


def open_llm(_setting: str) -> Llm | None:
    """The provider for `--llm`, or None."""
    return None
