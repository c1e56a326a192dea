"""What every change of whole files keeps to: no root is touched, content is encodable."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, PathDenied
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import PathResolver


def refuse_roots(workspace: PathResolver, path: WorkspacePath, verb: str) -> None:
    """Refuse an allowed directory itself and a directory that holds one; PathDenied."""
    place = workspace.absolute(path).rstrip("/")
    for root in workspace.roots:
        if not path.parts or root.path == place or root.path.startswith(place + "/"):
            name = show_name(workspace.absolute(path))
            raise PathDenied(name, f"An allowed directory itself is never {verb}: {name}")


def encode_content(content: str) -> bytes:
    """Return the bytes of a new file; InvalidArgument for a lone surrogate."""
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument("content holds a lone surrogate, which no file can") from None
