"""How files are named to people and models."""

from __future__ import annotations

from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import PathResolver


def display_name(workspace: PathResolver, path: WorkspacePath) -> str:
    """Return the path relative to the workspace, or absolute if it is in another root."""
    return show_name(path.relative if path.root == 0 else workspace.absolute(path))
