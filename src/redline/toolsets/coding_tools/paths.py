"""Workspace-relative paths in and out."""

from __future__ import annotations

from redline.core.errors import InvalidArgument
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.toolsets.call import Call


def existing(call: Call, raw: str) -> WorkspacePath:
    """The place *raw* names for reading; links are followed as long as they stay inside."""
    return call.runtime.workspace.resolve(
        spelled(raw), Access.READ, relative_only=True, must_exist=True
    )


def spelled(raw: str) -> str:
    """*raw* with escaped bytes as names carry them; an empty or NUL-holding one is refused."""
    if not raw or "\0" in raw:
        raise InvalidArgument("A path may not be empty or hold NUL", field="path")
    return read_name(raw)


def shown(path: WorkspacePath) -> str:
    """The path as answers give it; `spelled` takes it back."""
    return show_name(path.relative)
