"""Who may read and who may act: one-time keys, and the two halves they are exchanged for.

A browser sends a cookie to every port of a host, and so to whatever another user of the machine
serves there. So a cookie alone does not sign in. Its other half is a token that the page's script
keeps in the storage of its origin, which is that of one port, and sends as a header. Pages are
given only for both, so the cookie alone does not get the token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import NamedTuple

from redline.core.ports.pages import Reviewer, WebRequest
from redline.core.records import replace

_SECONDS = 7 * 86400
# The prefix of the id of a person who signed in with their own credentials.
_OWN = "p-"
# The header with the token of a visit; names of headers are in lower case.
TOKEN_HEADER = "x-redline-token"  # noqa: S105 - its name


class Admitted(NamedTuple):
    """A person who signed in: the header that stores the cookie, the token, and the name."""

    cookie: str
    token: str
    name: str


class ReviewAccess:
    """Knows a person by a signed cookie together with its token, given for a key that is valid
    once, or for credentials of the server's people.

    The bearer token of the server is no such key: agents hold it, and an agent must not act here.
    *key* signs in the browser that presents it first. *secret* stays the same over restarts, so
    that an open page stays signed in. Where several servers work as one, *take_key* uses up a key
    that any of them gave, and says whether it was one.
    """

    def __init__(
        self,
        secret: bytes,
        key: str,
        clock: Callable[[], float] = time.time,
        take_key: Callable[[str], bool] | None = None,
    ) -> None:
        self._secret = secret
        self._take_key = take_key
        self._clock = clock
        self._lock = Lock()
        self._key: str | None = key
        # Pages on other ports of this host get the same cookies: each workspace has its own name.
        self.cookie_name = f"redline_{self._sign('name')[:8]}"

    def _use_up(self, key: str) -> bool:
        """Return whether *key* signs in; it never does again."""
        if self._take_key is not None:
            return self._take_key(key)
        with self._lock:
            given = key.encode("utf-8", "replace")
            if self._key is None or not hmac.compare_digest(self._key.encode(), given):
                return False
            self._key = None
            return True

    def admit(self, request: WebRequest, key: str) -> Admitted | None:
        """Sign in with a key, which is used up, or with credentials; None for any other text."""
        ident = self._identify(request, key)
        if ident is None:
            return None
        claim = f"{ident}.{int(self._clock()) + _SECONDS}"
        cookie = self._cookie(f"{claim}.{self._sign(claim)}", request)
        token = self._token(claim, request)
        headers = {**request.headers, "cookie": cookie, TOKEN_HEADER: token}
        found = self.reviewer(replace(request, headers=headers))
        return Admitted(cookie, token, found.name if found is not None else "")

    def _identify(self, request: WebRequest, key: str) -> str | None:
        """Return the id of who signs in with *key*."""
        if self._use_up(key.strip()):
            return secrets.token_hex(8)
        claim = request.people.sign_in(key) if request.people is not None else None
        if claim is None:
            return None
        return _OWN + base64.urlsafe_b64encode(claim.encode()).decode().rstrip("=")

    def reviewer(self, request: WebRequest) -> Reviewer | None:
        """Return who is signed in, with the rights of now."""
        ident = self.person(request)
        if not ident:
            return None
        if not ident.startswith(_OWN):
            return Reviewer()
        if request.people is None:
            return None
        encoded = ident.removeprefix(_OWN)
        claim = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        return request.people.find(claim.decode())

    def person(self, request: WebRequest) -> str:
        """Return the id of the signed-in person, "" without a valid cookie and its token."""
        value = read_cookie(request, self.cookie_name)
        claim, _, signature = value.rpartition(".")
        ident, _, expires = claim.partition(".")
        token = request.headers.get(TOKEN_HEADER, "")
        is_ours = hmac.compare_digest(signature.encode(), self._sign(claim).encode())
        is_whole = hmac.compare_digest(token.encode(), self._token(claim, request).encode())
        if not is_ours or not is_whole:
            return ""
        return ident if expires.isdigit() and int(expires) > self._clock() else ""

    def visit(self, request: WebRequest) -> str:
        """Return a text by which a page knows its visit: no part of what signs in."""
        return self._sign(f"visit {read_cookie(request, self.cookie_name)}")[:12]

    def _token(self, claim: str, request: WebRequest) -> str:
        """Return the other half of a cookie: valid at one host and port."""
        return self._sign(f"token {claim} {request.headers.get('host', '')}")

    def _cookie(self, value: str, request: WebRequest) -> str:
        """Return the header that stores a cookie; a browser keeps it off plain HTTP behind TLS."""
        secure = "; Secure" if _is_encrypted(request) else ""
        return (
            f"{self.cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={_SECONDS}"
            f"{secure}"
        )

    def _sign(self, claim: str) -> str:
        return hmac.new(self._secret, claim.encode(), hashlib.sha256).hexdigest()[:40]


def read_cookie(request: WebRequest, name: str) -> str:
    """Return the value of a cookie, "" without one."""
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _is_encrypted(request: WebRequest) -> bool:
    """Return whether the browser speaks TLS, to a proxy before this server."""
    origin = request.headers.get("origin", "")
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return origin.startswith("https://") or forwarded == "https"
