"""Make and revoke tokens in the text of a users file, leaving the rest of it as it is."""

from __future__ import annotations

import secrets
from datetime import date
from typing import NamedTuple

from redline.core.access.rights import Rights
from redline.documents.editing import DocEdit, Options, apply_edits
from redline.teams.people.users import UsersFileError, digest, parse_users

# What a token begins with, so that scanners for leaked secrets can know it.
PREFIX = "rdl_"
_ID_BYTES, _SECRET_BYTES = 4, 32


class NewToken(NamedTuple):
    """A token to hand over once, and the users file that accepts it."""

    id: str
    token: str
    text: str


def add_token(
    text: str,
    user: str,
    *,
    today: date,
    rights: Rights | None = None,
    expires: date | None = None,
    is_for_page: bool = False,
) -> NewToken:
    """Give *user* another token, and a new user also *rights*. UsersFileError."""
    known = parse_users(text).by_name.get(user)
    if known is None and rights is None:
        raise UsersFileError(f"no such user: {user}")
    name = secrets.token_hex(_ID_BYTES)
    token = f"{PREFIX}{name}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    key = _key(user)
    lines: list[str] = [""] if text and not text.endswith("\n\n") else []
    if known is None:
        listed = ", ".join(f'"{right}"' for right in sorted(rights or ()))
        lines += [f"[users.{key}]", f"rights = [{listed}]", ""]
    lines += [
        f"[[users.{key}.tokens]]",
        f'id = "{name}"',
        f'sha256 = "{digest(token)}"',
        f"created = {today.isoformat()}",
        *([f"expires = {expires.isoformat()}"] if expires else []),
        *(["page = true"] if is_for_page else []),
    ]
    start = text if not text or text.endswith("\n") else text + "\n"
    after = start + "\n".join(lines) + "\n"
    parse_users(after)
    return NewToken(name, token, after)


def revoke_token(text: str, token: str) -> str:
    """Remove the token with this id from the users file. UsersFileError."""
    for user in parse_users(text).by_name.values():
        for index, known in enumerate(user.tokens):
            if known.id == token:
                tokens = ("users", user.name, "tokens")
                # Without its last table, an array of tables is not in the file at all.
                edit = DocEdit("delete", (*tokens, index) if len(user.tokens) > 1 else tokens)
                return apply_edits("users.toml", text.encode(), [edit], Options()).after.decode()
    raise UsersFileError(f"no such token: {token}")


def _key(name: str) -> str:
    """Return *name* as a TOML key."""
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
