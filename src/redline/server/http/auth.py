"""Who is calling over HTTP: a shared token, a user's token, or one of a configured issuer."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable
from copy import copy
from time import monotonic, time
from typing import Any, Protocol

from redline.core.access.rights import SCOPES, Right, Rights, parse_rights, rights_of_scopes
from redline.core.extras import lacks_extra
from redline.core.ports.pages import Reviewer
from redline.server.rpc.person import OWNER, Person
from redline.settings import Settings, SettingsError, is_loopback

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
_LEEWAY_SECONDS = 30
_KEYS_ASKED_SECONDS = 30

KeySource = Callable[[str], Any]
"""Takes a token and returns the issuer's key for it."""


class KnownUser(Protocol):
    """A person with rights of their own."""

    @property
    def name(self) -> str:
        """What changes and audit lines call the person."""

    @property
    def rate_limit(self) -> float | None:
        """Requests per second; None for the server's limit."""

    @property
    def max_calls(self) -> int | None:
        """Calls that run at once; None for the server's limit."""

    def rights_in(self, workspace: str) -> Rights:
        """Return what the user may do in the workspace of this name."""


class KnownUsers(Protocol):
    """Everybody who may use the server; see `teams.people.users`."""

    def with_token(self, token: str) -> KnownUser | None:
        """Return whose unexpired token for tools this is."""

    def with_subject(self, subject: str) -> KnownUser | None:
        """Return the user whom the OAuth issuer calls *subject*."""

    def with_page_token(self, token: str) -> str | None:
        """Return the id of an unexpired token for the review page."""

    def with_page_token_id(self, token_id: str) -> KnownUser | None:
        """Return whose token for the review page has this id."""


# Returns the users as they are now; AuthFailed while their file cannot be used.
UsersSource = Callable[[], KnownUsers]


class AuthFailed(Exception):
    """The credentials are missing or wrong; the reason is for the operator, not the caller."""


class Authenticator:
    """Finds the person behind an Authorization header.

    Without a shared token, users or an issuer, all may call and do everything. *users* returns
    the users file as it is now; *workspace* is the name under which it gives rights.
    """

    def __init__(
        self,
        *,
        token: str | None = None,
        issuer: str | None = None,
        audience: str | None = None,
        keys: KeySource | None = None,
        name_claim: str = "sub",
        users: UsersSource | None = None,
        workspace: str = "",
    ) -> None:
        self._token = token.encode() if token else None
        self._issuer = issuer
        self._audience = audience
        self._keys = keys or _keys_on_demand(issuer or "")
        self._name_claim = name_claim
        self._users = users
        self._workspace = workspace

    def in_workspace(self, name: str) -> Authenticator:
        """Return the same for the workspace of this name."""
        found = copy(self)
        found._workspace = name
        return found

    @property
    def is_required(self) -> bool:
        """Whether a request without credentials is refused."""
        return not (self._token is None and self._issuer is None and self._users is None)

    @property
    def uses_oauth(self) -> bool:
        """Whether an issuer's tokens are accepted."""
        return self._issuer is not None

    def identify(self, header: str | None) -> Person:
        """Return the person of an Authorization header; the owner when none is needed.

        AuthFailed. May block.
        """
        if not self.is_required:
            return OWNER
        scheme, _, credentials = (header or "").partition(" ")
        credentials = credentials.strip()
        if scheme.lower() != "bearer" or not credentials:
            raise AuthFailed("no bearer token")
        given = credentials.encode("utf-8", "surrogateescape")
        if self._token is not None and hmac.compare_digest(given, self._token):
            return Person("token:" + hashlib.sha256(self._token).hexdigest()[:12])
        user = self._users().with_token(credentials) if self._users is not None else None
        if user is not None:
            return self._as_person(user, self._rights_of(user))
        if self._issuer is None:
            raise AuthFailed("wrong bearer token")
        return self._oauth_person(credentials)

    def _as_person(self, user: KnownUser, rights: Rights, *, scoped: bool = False) -> Person:
        return Person(user.name, rights, scoped, user.rate_limit, user.max_calls)

    def _oauth_person(self, token: str) -> Person:
        claims = self._decode(token)
        name = _claimed_name(claims, self._name_claim)
        return self._with_scopes(name, rights_of_scopes(_scopes(claims)))

    def _with_scopes(self, name: str, rights: Rights) -> Person:
        if self._users is None:
            return Person(f"oauth:{self._issuer}#{name}", rights, scoped=True)
        user = self._users().with_subject(name)
        if user is None:
            raise AuthFailed(f"not in the users file: {name}")
        own = self._rights_of(user)
        # A scope can only narrow; what has no scope comes from the users file alone.
        unscoped = own - frozenset(SCOPES)
        return self._as_person(user, (own & rights) | unscoped, scoped=True)

    def _decode(self, token: str) -> dict[str, Any]:
        import jwt

        try:
            key = self._keys(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud"]},
            )
        except AuthFailed:
            raise
        except Exception as failure:
            # Any failure refuses the token: a key that does not fit the token's algorithm, for
            # example, is a TypeError deep in the library.
            raise AuthFailed(f"access token refused: {failure}") from None
        return claims

    # --- the review page, see core.ports.pages.Reviewers -------------------------------------

    def sign_in(self, credential: str) -> str | None:
        """Return the claim of a token for the page, or of an access token that may approve.

        A user's other tokens are held by agents, which must not decide about their own changes.
        """
        credential = credential.strip()
        try:
            found = self._users().with_page_token(credential) if self._users is not None else None
            if found is not None:
                return json.dumps(["token", found])
            if self._issuer is None:
                return None
            claims = self._decode(credential)
            person = self._oauth_person(credential)
        except AuthFailed:
            return None
        if Right.APPROVE not in person.rights:
            return None
        name = _claimed_name(claims, self._name_claim)
        granted = sorted(rights_of_scopes(_scopes(claims)))
        return json.dumps(["oauth", name, granted, int(claims["exp"])])

    def find(self, claim: str) -> Reviewer | None:
        """Return the person behind a claim, as the users file has them now."""
        kind, *rest = json.loads(claim)
        try:
            if kind == "token":
                user = self._users().with_page_token_id(*rest) if self._users is not None else None
                return None if user is None else Reviewer(user.name, self._rights_of(user))
            name, granted, expires = rest
            if self._issuer is None or expires < time():
                return None
            person = self._with_scopes(name, parse_rights(granted))
        except AuthFailed:
            return None
        return Reviewer(person.name, person.rights)

    def _rights_of(self, user: KnownUser) -> Rights:
        return user.rights_in(self._workspace)

    def challenge(self, metadata_url: str | None) -> str:
        """Return the WWW-Authenticate header of a 401."""
        if self.uses_oauth and metadata_url:
            where = f'resource_metadata="{metadata_url}"'
            return f'Bearer error="invalid_token", scope="{SCOPES[Right.READ]}", {where}'
        return 'Bearer error="invalid_token"'

    def step_up_challenge(self, person: Person, needed: Rights, metadata_url: str) -> str:
        """Return the WWW-Authenticate header that asks for a token with more scopes.

        It names the scopes that the client has as well, since a new token replaces the old one.
        """
        wanted = (person.rights | needed) & frozenset(SCOPES)
        scopes = " ".join(SCOPES[right] for right in Right if right in wanted)
        return (
            f'Bearer error="insufficient_scope", scope="{scopes}",'
            f' resource_metadata="{metadata_url}"'
        )

    def metadata(self) -> dict[str, Any]:
        """Return the protected-resource document (RFC 9728)."""
        return {
            "resource": self._audience,
            "authorization_servers": [self._issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(SCOPES.values()),
            "resource_name": "Redline",
        }


def open_authenticator(settings: Settings, users: UsersSource | None = None) -> Authenticator:
    """Return the authenticator that the settings select; SettingsError if it needs an extra.

    *users* have rights by the name of the workspace's directory.
    """
    if settings.oauth_issuer and (missing := lacks_extra("oauth", "jwt", "cryptography")):
        raise SettingsError(f"--oauth-issuer needs an extra: {missing}")
    root = os.path.realpath(settings.roots[0][0]) if settings.roots else ""
    return Authenticator(
        token=settings.auth_token,
        issuer=settings.oauth_issuer,
        audience=settings.oauth_audience,
        name_claim=settings.oauth_name_claim,
        users=users,
        workspace=os.path.basename(root),
    )


def _claimed_name(claims: dict[str, Any], claim: str) -> str:
    name = claims.get(claim) or claims.get("client_id") or claims.get("azp")
    if not isinstance(name, str) or not name:
        raise AuthFailed("access token names nobody")
    return name


def _keys_on_demand(issuer: str) -> KeySource:
    """Return `issuer_keys`, prepared by the first token."""
    found: list[KeySource] = []

    def find(token: str) -> Any:
        if not found:
            found.append(issuer_keys(issuer))
        return found[0](token)

    return find


def issuer_keys(issuer: str) -> KeySource:
    """Return a cached source of the keys that the issuer publishes."""
    import jwt

    client: list[jwt.PyJWKClient] = []
    asked: list[float] = []

    def find(token: str) -> Any:
        if not client:
            # Keys are kept as one set with an age, so that a key the issuer withdraws goes too.
            client.append(
                jwt.PyJWKClient(_key_set_address(issuer), cache_keys=False, lifespan=300, timeout=5)
            )
        name = jwt.get_unverified_header(token).get("kid")
        for key in client[0].get_signing_keys():
            if key.key_id == name:
                return key.key
        # The issuer may have a new key, but forged names must not make us ask all the time.
        now = monotonic()
        if asked and now - asked[-1] < _KEYS_ASKED_SECONDS:
            raise AuthFailed("access token names an unknown key")
        asked[:] = [now]
        for key in client[0].get_signing_keys(refresh=True):
            if key.key_id == name:
                return key.key
        raise AuthFailed("access token names an unknown key")

    return find


def _scopes(claims: dict[str, Any]) -> list[str]:
    """Return the scopes of an access token: a text, or a list as some issuers write it."""
    found = claims.get("scope", claims.get("scp", ""))
    listed = found.split() if isinstance(found, str) else found
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _key_set_address(issuer: str) -> str:
    base = issuer.rstrip("/")
    problem = "no document"
    for document in ("openid-configuration", "oauth-authorization-server"):
        try:
            found = _fetch(f"{base}/.well-known/{document}")["jwks_uri"]
        except (OSError, ValueError, KeyError, TypeError) as failure:
            problem = str(failure)
            continue
        if is_safe_url(found):
            return str(found)
        problem = "jwks_uri must be an https URL"
    raise AuthFailed(f"the issuer's keys cannot be found: {problem}")


def _fetch(address: str) -> Any:
    import urllib.request

    if not is_safe_url(address):
        raise ValueError("the issuer must be an https URL")
    with urllib.request.urlopen(address, timeout=5) as reply:  # noqa: S310 - checked above
        return json.loads(reply.read(1 << 20))


def is_safe_url(address: Any) -> bool:
    """Whether the issuer's documents may be fetched from *address*: https, or this machine."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host = parts.hostname
    except (ValueError, AttributeError, TypeError):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host or ""))
