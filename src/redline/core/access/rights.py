"""What a person may do in a workspace."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Right(StrEnum):
    """One thing that a person may or may not do."""

    READ = "read"
    WRITE = "write"
    RUN = "run"
    UNDO_OTHERS = "undo-others"
    # Deciding what a person must decide: held changes, guarded files, permissions of commands.
    APPROVE = "approve"
    # Making and archiving workspaces of a server that has many.
    ADMIN = "admin"


Rights = frozenset[Right]

ALL_RIGHTS: Rights = frozenset(Right)
NO_RIGHTS: Rights = frozenset()

# The OAuth scope that grants each right; the others are given in the users file only.
SCOPES = {
    Right.READ: "redline:read",
    Right.WRITE: "redline:write",
    Right.RUN: "redline:run",
    Right.APPROVE: "redline:approve",
}


def parse_rights(names: Iterable[str]) -> Rights:
    """Return the rights with these names; ValueError names the first that does not exist."""
    found = set()
    for name in names:
        try:
            found.add(Right(name))
        except ValueError:
            legal = ", ".join(Right)
            raise ValueError(f"no such right: {name} (there are: {legal})") from None
    return frozenset(found)


def rights_of_scopes(scopes: Iterable[str]) -> Rights:
    """Return what an access token with these scopes allows."""
    granted = set(scopes)
    return frozenset(right for right, scope in SCOPES.items() if scope in granted)
