"""Redline for Python programs: a `Workspace`, and an `Editor` for several changes at once."""

from __future__ import annotations

from redline.library.editor import Editor
from redline.library.workspace import Workspace

__all__ = ["Editor", "Workspace"]
