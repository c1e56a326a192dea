"""How files and moments are written for people and models."""

from __future__ import annotations

from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import PathResolver


def display_name(workspace: PathResolver, path: WorkspacePath) -> str:
    """Return the path relative to the workspace, or absolute if it is in another root."""
    return show_name(path.relative if path.root == 0 else workspace.absolute(path))


def iso_time(moment: float) -> str:
    """Return a moment as ISO 8601 in UTC, to the second."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
