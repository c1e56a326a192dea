"""The `read_file` that this toolset shares with `files`, which takes absolute paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from redline.toolsets.tool import Json, Tool

if TYPE_CHECKING:
    from redline.services.runtime import Runtime


def choose(arguments: Json, own: Tool, other: Tool, runtime: Runtime) -> Json | None:
    """Return the arguments as `coding` reads them, or None when `files` answers.

    `files` answers absolute paths and the options that only it has; `coding` everything else.
    """
    names, path = arguments.keys(), arguments.get("path")
    fits_own = names <= own.argument_names
    if names <= other.argument_names and (_is_absolute(path) or not fits_own):
        return None
    if not isinstance(path, str) or not _is_absolute(path):
        return arguments
    root = runtime.workspace.roots[0].path.rstrip("/") + "/"
    # Only the notation changes: what the path may reach is decided when it is resolved.
    return {**arguments, "path": path[len(root) :]} if path.startswith(root) else arguments


def _is_absolute(path: Any) -> bool:
    """Whether `files` would take *path* from the top; `C:\\x` is that on Windows only."""
    return isinstance(path, str) and (path.startswith("/") or os.path.isabs(path))
