"""Redline: the editing runtime for AI agents.

`redline.Workspace` is the way in for programs; it is imported on first use, so that starting the
server or the command line does not pay for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redline._version import __version__

if TYPE_CHECKING:
    from redline.library import Editor, Workspace

__all__ = ["Editor", "Workspace", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in ("Editor", "Workspace"):
        raise AttributeError(f"module 'redline' has no attribute {name!r}")
    from redline import library

    return getattr(library, name)
