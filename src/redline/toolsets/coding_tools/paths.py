"""Workspace-relative paths in and out."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, PathError
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.toolsets.call import Call


def existing(call: Call, raw: str) -> WorkspacePath:
    """The place *raw* names for reading; links are followed as long as they stay inside."""
    return call.runtime.workspace.resolve(
        unescape_path(raw), Access.READ, relative_only=True, must_exist=True
    )


def writable(call: Call, raw: str) -> WorkspacePath:
    """The place *raw* names for writing, itself and not what it links to.

    An absolute path is taken where it lies in the workspace.
    """
    path = _from_workspace(call, unescape_path(raw))
    return call.runtime.workspace.resolve(path, Access.WRITE, relative_only=True, follow=False)


def _from_workspace(call: Call, path: str) -> str:
    """*path* relative to the workspace if it is absolute and lies there, else *path*."""
    workspace = call.runtime.workspace
    if not path.startswith("/") or not workspace.roots:
        return path
    root = workspace.roots[0].path.rstrip("/") + "/"
    if path.startswith(root):
        return path.removeprefix(root) or path
    if ".." in path.split("/"):
        return path
    try:
        # The workspace may be reached by a link as well.
        place = workspace.resolve(path, Access.READ, follow=False)
    except PathError:
        return path
    return place.relative if place.root == 0 else path


def unescape_path(raw: str) -> str:
    """*raw* with escaped bytes as names carry them; an empty or NUL-holding one is refused."""
    if not raw or "\0" in raw:
        raise InvalidArgument("A path may not be empty or hold NUL", field="path")
    return read_name(raw)


def shown(path: WorkspacePath) -> str:
    """The path as answers give it; `unescape_path` takes it back."""
    return show_name(path.relative)
