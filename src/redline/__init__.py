"""Redline: the editing runtime for AI agents.

`redline.Workspace` is the way in for programs, and every error it raises is here too, such as
`redline.NoMatch`. They are imported on first use, so that starting the server or the command line
does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redline._version import __version__

if TYPE_CHECKING:
    from types import ModuleType

    from redline.core.errors import *  # noqa: F403
    from redline.library.editor import Editor
    from redline.library.workspace import Workspace

__all__ = ["Editor", "Workspace", "__version__"]


def __dir__() -> list[str]:
    from redline.core import errors

    return sorted({*__all__, *_errors(errors)})


def __getattr__(name: str) -> Any:
    if name == "Workspace":
        from redline.library.workspace import Workspace

        return Workspace
    if name == "Editor":
        from redline.library.editor import Editor

        return Editor
    from redline.core import errors

    if name not in _errors(errors):
        raise AttributeError(f"module 'redline' has no attribute {name!r}")
    return getattr(errors, name)


def _errors(module: ModuleType) -> set[str]:
    """Return the names of the errors that *module* defines."""
    return {
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
