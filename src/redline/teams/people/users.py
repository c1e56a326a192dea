"""The users file: who may use a server, by which tokens, and what for.

[users.ana]
rights = ["read", "write", "run"]   # in every workspace
subject = "7f3a..."                 # her name in access tokens of the OAuth issuer, if any
rate_limit = 50                     # requests per second, instead of the server's limit
max_calls = 4                       # calls at once, instead of the server's limit

[users.ana.workspaces]
billing = ["read"]                  # in this one, instead

[[users.ana.tokens]]
id = "k3v9q2"
sha256 = "..."                      # of the token; the token itself is kept nowhere
expires = 2027-01-31                # optional
page = true                         # signs in at the review page, and does nothing else
"""

from __future__ import annotations

import hashlib
import hmac
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from redline.core.access.rights import NO_RIGHTS, Rights, parse_rights
from redline.core.records import dataclass, field

_USER_KEYS = {"rights", "workspaces", "tokens", "subject", "rate_limit", "max_calls"}
_TOKEN_KEYS = {"id", "sha256", "created", "expires", "page"}


class UsersFileError(Exception):
    """The users file cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class UserToken:
    """A token that a user was given; only its digest is known.

    One with `is_for_page` signs in at the review page: agents do not hold it, so what is decided
    with it was decided by the person.
    """

    id: str
    sha256: str
    expires: datetime | None = None
    is_for_page: bool = False

    def is_valid(self, now: datetime) -> bool:
        """Return whether the token has not expired."""
        return self.expires is None or now < self.expires


@dataclass(frozen=True, slots=True)
class User:
    """A person with rights of their own."""

    name: str
    rights: Rights = NO_RIGHTS
    workspaces: Mapping[str, Rights] = field(default_factory=dict)
    tokens: tuple[UserToken, ...] = ()
    subject: str | None = None
    rate_limit: float | None = None
    max_calls: int | None = None

    def rights_in(self, workspace: str) -> Rights:
        """Return what the user may do in the workspace of this name."""
        return self.workspaces.get(workspace, self.rights)


@dataclass(frozen=True, slots=True)
class Users:
    """Everybody in the users file."""

    by_name: Mapping[str, User] = field(default_factory=dict)

    def with_token(self, token: str, now: datetime | None = None) -> User | None:
        """Return whose unexpired token for tools this is."""
        found = self._find(token, now or datetime.now(UTC), is_for_page=False)
        return None if found is None else found[0]

    def with_page_token(self, token: str) -> str | None:
        """Return the id of an unexpired token for the review page."""
        found = self._find(token, datetime.now(UTC), is_for_page=True)
        return None if found is None else found[1].id

    def with_page_token_id(self, token_id: str) -> User | None:
        """Return whose token for the review page has this id, unless it expired or was revoked."""
        now = datetime.now(UTC)
        for user in self.by_name.values():
            for known in user.tokens:
                if known.id == token_id and known.is_for_page and known.is_valid(now):
                    return user
        return None

    def _find(
        self, token: str, now: datetime, *, is_for_page: bool
    ) -> tuple[User, UserToken] | None:
        given, found = digest(token), None
        # Every digest is compared, so that the time taken says nothing about them.
        for user in self.by_name.values():
            for known in user.tokens:
                is_same = hmac.compare_digest(known.sha256, given)
                if is_same and known.is_valid(now) and known.is_for_page is is_for_page:
                    found = user, known
        return found

    def with_subject(self, subject: str) -> User | None:
        """Return the user whom the OAuth issuer calls *subject*."""
        return next((u for u in self.by_name.values() if u.subject == subject), None)


def digest(token: str) -> str:
    """Return what the file keeps of a token; tokens are too long to be guessed from it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def parse_users(text: str) -> Users:
    """Read the users file; UsersFileError."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise UsersFileError(f"not valid TOML: {failure}") from None
    _check_keys(content, {"users"}, "")
    users = _table(content.get("users", {}), "users")
    found = {name: _read_user(name, _table(each, f"users.{name}")) for name, each in users.items()}
    _check_unique(found)
    return Users(found)


def _read_user(name: str, table: Mapping[str, Any]) -> User:
    where = f"users.{name}"
    _check_keys(table, _USER_KEYS, where)
    if not name or not name.isprintable():
        raise UsersFileError(f"{where}: a name has printable characters only")
    workspaces = _table(table.get("workspaces", {}), f"{where}.workspaces")
    tokens = table.get("tokens", [])
    if not isinstance(tokens, list):
        raise UsersFileError(f"{where}.tokens: write each token as [[{where}.tokens]]")
    return User(
        name,
        _rights(table.get("rights", []), f"{where}.rights"),
        {key: _rights(value, f"{where}.workspaces.{key}") for key, value in workspaces.items()},
        tuple(_read_token(each, f"{where}.tokens") for each in tokens),
        _read(table, "subject", str, where),
        _read(table, "rate_limit", float, where),
        _read(table, "max_calls", int, where),
    )


def _read_token(value: Any, where: str) -> UserToken:
    table = _table(value, where)
    _check_keys(table, _TOKEN_KEYS, where)
    name, sha256 = table.get("id"), table.get("sha256")
    if not isinstance(name, str) or not name:
        raise UsersFileError(f"{where}: a token needs an id")
    if not isinstance(sha256, str) or len(sha256) != 64 or not _is_hex(sha256):
        raise UsersFileError(f"{where}: sha256 of token {name} must be 64 hexadecimal digits")
    page = table.get("page", False)
    if not isinstance(page, bool):
        raise UsersFileError(f"{where}: page of token {name} must be true or false")
    return UserToken(name, sha256.lower(), _expiry(table.get("expires"), where), page)


def _expiry(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise UsersFileError(f"{where}: expires must be a date, such as 2027-01-31")


def _rights(value: Any, where: str) -> Rights:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsersFileError(f"{where}: expected a list of rights")
    try:
        return parse_rights(value)
    except ValueError as failure:
        raise UsersFileError(f"{where}: {failure}") from None


def _read(table: Mapping[str, Any], key: str, kind: Callable[[Any], Any], where: str) -> Any:
    """Return an optional text or number above zero."""
    value = table.get(key)
    if value is None:
        return None
    if kind is str:
        is_legal = isinstance(value, str) and bool(value)
    else:
        legal = (int, float) if kind is float else int
        is_legal = isinstance(value, legal) and not isinstance(value, bool) and value > 0
    if not is_legal:
        expected = "a text" if kind is str else "a number above zero"
        raise UsersFileError(f"{where}.{key}: expected {expected}")
    return kind(value)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UsersFileError(f"{where}: expected a table")
    return value


def _check_keys(table: Mapping[str, Any], legal: set[str], where: str) -> None:
    for key in table:
        if key not in legal:
            known = ", ".join(sorted(legal))
            prefix = f"{where}: " if where else ""
            raise UsersFileError(f"{prefix}unknown key {key} (there are: {known})")


def _check_unique(users: Mapping[str, User]) -> None:
    """Refuse a token or subject that two users share: changes would bear the wrong name."""
    for kind, values in (
        ("token", [token.sha256 for user in users.values() for token in user.tokens]),
        ("token id", [token.id for user in users.values() for token in user.tokens]),
        ("subject", [user.subject for user in users.values() if user.subject]),
    ):
        if len(set(values)) < len(values):
            raise UsersFileError(f"two users, or one twice, have the same {kind}")


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in text)
