"""Who is calling over HTTP: a shared bearer token, or access tokens of a configured issuer."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Any

from redline.settings import is_loopback

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
_LEEWAY_SECONDS = 30

KeySource = Callable[[str], Any]
"""Takes a token and returns the issuer's key for it."""


class AuthFailed(Exception):
    """The credentials are missing or wrong; the reason is for the operator, not the caller."""


class Authenticator:
    """Turns an Authorization header into a principal; without a token or issuer, all may call."""

    def __init__(
        self,
        *,
        token: str | None = None,
        issuer: str | None = None,
        audience: str | None = None,
        keys: KeySource | None = None,
    ) -> None:
        self._token = token.encode() if token else None
        self._issuer = issuer
        self._audience = audience
        self._keys = keys

    @property
    def is_required(self) -> bool:
        """Whether a request without credentials is refused."""
        return self._token is not None or self._issuer is not None

    @property
    def uses_oauth(self) -> bool:
        """Whether an issuer's tokens are accepted."""
        return self._issuer is not None

    def principal(self, header: str | None) -> str:
        """Return the principal of an Authorization header; "" when none is needed. May block."""
        if not self.is_required:
            return ""
        scheme, _, credentials = (header or "").partition(" ")
        credentials = credentials.strip()
        if scheme.lower() != "bearer" or not credentials:
            raise AuthFailed("no bearer token")
        given = credentials.encode("utf-8", "surrogateescape")
        if self._token is not None and hmac.compare_digest(given, self._token):
            return "token:" + hashlib.sha256(self._token).hexdigest()[:12]
        if self._issuer is None:
            raise AuthFailed("wrong bearer token")
        return self._oauth_principal(credentials)

    def _oauth_principal(self, token: str) -> str:
        import jwt

        try:
            key = self._key_source()(token)
            claims = jwt.decode(
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
        subject = claims.get("sub") or claims.get("client_id") or claims.get("azp")
        if not isinstance(subject, str) or not subject:
            raise AuthFailed("access token names nobody")
        return f"oauth:{self._issuer}#{subject}"

    def _key_source(self) -> KeySource:
        if self._keys is None:
            self._keys = issuer_keys(self._issuer or "")
        return self._keys

    def challenge(self, metadata_url: str | None) -> str:
        """Return the WWW-Authenticate header of a 401."""
        if self.uses_oauth and metadata_url:
            return f'Bearer error="invalid_token", resource_metadata="{metadata_url}"'
        return 'Bearer error="invalid_token"'

    def metadata(self) -> dict[str, Any]:
        """Return the protected-resource document (RFC 9728)."""
        return {
            "resource": self._audience,
            "authorization_servers": [self._issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Redline",
        }


def issuer_keys(issuer: str) -> KeySource:
    """Return a cached source of the keys that the issuer publishes."""
    import jwt

    client: list[jwt.PyJWKClient] = []

    def find(token: str) -> Any:
        if not client:
            client.append(jwt.PyJWKClient(_key_set_address(issuer), cache_keys=True, timeout=5))
        return client[0].get_signing_key_from_jwt(token).key

    return find


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
    import json
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
