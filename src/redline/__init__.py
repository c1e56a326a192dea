"""Redline: the editing runtime for AI agents.

`redline.Workspace` is the way in for programs, and every error it raises is here too, such as
`redline.NoMatch`. They are imported on first use, so that starting the server or the command line
does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redline._version import __version__

if TYPE_CHECKING:
    from redline.core.errors import *  # noqa: F403
    from redline.library import Editor, Workspace

__all__ = ["Editor", "Workspace", "__version__"]


def __getattr__(name: str) -> Any:
    if name in ("Editor", "Workspace"):
        from redline import library

        return getattr(library, name)
    from redline.core import errors

    if name not in errors.__all__:
        raise AttributeError(f"module 'redline' has no attribute {name!r}")
    return getattr(errors, name)
