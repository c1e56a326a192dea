"""Many workspaces of one server: their names, and where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from redline.core.errors import InvalidArgument

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class WorkspaceEntry(NamedTuple):
    """One workspace of a server.

    `state_dir` and `policy` are None where the server's own settings decide. `parked_at` is the
    address of the store in which a parked one rests; then nothing is at `path`.
    """

    name: str
    path: str
    state_dir: str | None = None
    read_only: bool = False
    policy: str | None = None
    parked_at: str = ""


class WorkspaceDirectory(Protocol):
    """The workspaces of a server; read again whenever they may have changed.

    Methods that change something raise InvalidArgument for a name that cannot be used, and
    WriteFailed.
    """

    def list(self) -> Sequence[WorkspaceEntry]:
        """Every workspace that is not archived, by name."""

    def find(self, name: str) -> WorkspaceEntry | None:
        """The workspace of this name."""

    def place(self, name: str) -> WorkspaceEntry:
        """The workspace of this name, or where one would be; InvalidArgument."""

    def create(self, name: str) -> WorkspaceEntry:
        """Make an empty workspace."""

    def list_archived(self) -> Sequence[str]:
        """The names of archived workspaces, in order."""

    def archive(self, name: str) -> None:
        """Stop serving a workspace; its files and its history stay."""

    def restore(self, name: str) -> WorkspaceEntry:
        """Serve an archived workspace again."""

    def mark_parked(self, name: str, address: str) -> None:
        """Note that a workspace rests at *address*; with "" that it is back."""


def check_workspace_name(name: str) -> str:
    """Return *name*; InvalidArgument when no workspace can have it."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise InvalidArgument(
            f"Not a name for a workspace: {name[:80]}",
            field="name",
            hint="use at most 64 letters, digits, dots, dashes and underscores, no dot first",
        )
    return name


def unknown_workspace(name: str) -> InvalidArgument:
    """Return the error for a name that no workspace has."""
    return InvalidArgument(f"There is no workspace of this name: {name[:80]}", field="name")
