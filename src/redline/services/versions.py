"""Versions of files: what a reader is given, and what an edit may ask to be still true."""

from __future__ import annotations

from collections.abc import Mapping

from redline.core.changes import FileState, digest_of
from redline.core.errors import InvalidArgument, StaleBase
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Tree

# Characters of a SHA-256 that name a version of one file.
LENGTH = 8


def version_of(content: bytes) -> str:
    """Return the version of a file that holds *content*."""
    return digest_of(content)[:LENGTH]


def check_versions(tree: Tree, expected: Mapping[WorkspacePath, str]) -> None:
    """Raise StaleBase for the first file that is no longer at its version."""
    for path, version in expected.items():
        wanted = version.removeprefix("@").removeprefix("sha256:").lower()
        if len(wanted) < LENGTH:
            raise InvalidArgument(
                f"Not a version: {version}", field="version", hint="read answers the version"
            )
        state = tree.state(path)
        if not isinstance(state, FileState) or not state.digest.startswith(wanted):
            raise StaleBase(show_name(path.relative), hint="read the file again, it has changed")
