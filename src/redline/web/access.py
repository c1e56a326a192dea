"""Who may read and who may act: one-time keys, the cookie they are exchanged for, form tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from http.cookies import CookieError, SimpleCookie
from threading import Lock

from redline.core.ports.pages import Reviewer, WebRequest

_SECONDS = 7 * 86400
# What the id of somebody begins with who signed in with credentials of their own.
_OWN = "p-"


class ReviewAccess:
    """Knows a person by a signed cookie, given for a key that is valid once, or for credentials
    of the server's people.

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

    def exchange(self, key: str) -> str | None:
        """Return the value of a cookie for a key, which is used up; None for any other text."""
        if not self._use_up(key.strip()):
            return None
        return self._seal(secrets.token_hex(8))

    def _use_up(self, key: str) -> bool:
        """Whether *key* signs in; it never does again."""
        if self._take_key is not None:
            return self._take_key(key)
        with self._lock:
            given = key.encode("utf-8", "replace")
            if self._key is None or not hmac.compare_digest(self._key.encode(), given):
                return False
            self._key = None
            return True

    def sign_in(self, request: WebRequest, credential: str) -> str | None:
        """Return the value of a cookie for what one of the server's people signs in with."""
        claim = request.people.sign_in(credential) if request.people is not None else None
        if claim is None:
            return None
        return self._seal(_OWN + base64.urlsafe_b64encode(claim.encode()).decode().rstrip("="))

    def admit(self, request: WebRequest, key: str) -> tuple[str, str] | None:
        """Return the header that stores a cookie and who is signed in now; None for a wrong key."""
        value = self.exchange(key) or self.sign_in(request, key)
        if value is None:
            return None
        cookie = self.set_cookie(value)
        found = self.reviewer(replace(request, headers={"cookie": cookie}))
        return cookie, found.name if found is not None else ""

    def _seal(self, ident: str) -> str:
        claim = f"{ident}.{int(self._clock()) + _SECONDS}"
        return f"{claim}.{self._sign(claim)}"

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

    def set_cookie(self, value: str) -> str:
        """Return the header that stores a cookie, or with "" removes it."""
        age = _SECONDS if value else 0
        return f"{self.cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}"

    def person(self, request: WebRequest) -> str:
        """Return the id of the signed-in person, "" without a valid cookie."""
        value = read_cookie(request, self.cookie_name)
        claim, _, signature = value.rpartition(".")
        ident, _, expires = claim.partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(claim).encode()):
            return ""
        return ident if expires.isdigit() and int(expires) > self._clock() else ""

    def form_token(self, person: str) -> str:
        """Return what every form of a person carries, against forged requests."""
        return self._sign(f"form {person}")

    def is_form_token(self, person: str, token: str) -> bool:
        """Whether *token* is the one of this person."""
        return hmac.compare_digest(self.form_token(person).encode(), token.encode())

    def _sign(self, claim: str) -> str:
        return hmac.new(self._secret, claim.encode(), hashlib.sha256).hexdigest()[:40]


def read_cookie(request: WebRequest, name: str) -> str:
    """Return the value of a cookie, "" without one."""
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""
