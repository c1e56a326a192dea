"""Lets requests in: who sends them, how many, and a line in the audit log where that fails."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from redline._version import __version__
from redline.core.access.rights import Rights
from redline.core.ports.teams import SharedRate
from redline.server.http.connections import connection_limit
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.pages import OpenStreams
from redline.server.http.people.auth import Authenticator, AuthFailed
from redline.server.http.request import Scope, metadata_url, peer_of
from redline.server.observe.audit import Audit
from redline.server.observe.metrics import Metrics
from redline.server.rpc import wire
from redline.server.rpc.person import OWNER, Person
from redline.settings import Settings

_MAX_BUCKETS = 10_000


class RateLimit:
    """Allows *per_second* requests on average and twice that at once; 0 allows everything."""

    def __init__(self, per_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = per_second
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait_for(self, who: str, own: float | None = None) -> float:
        """Return 0 and count a request of *who*, or the seconds until the next one is allowed.

        *own* is the rate that *who* has instead of everybody's.
        """
        rate = self._rate if own is None else own
        if rate <= 0:
            return 0.0
        burst = max(1.0, 2 * rate)
        now = self._clock()
        level, since = self._buckets.pop(who, (burst, now))
        level = min(burst, level + (now - since) * rate)
        wait = 0.0 if level >= 1 else (1 - level) / rate
        # Removed and inserted again, so that the first entries are those unused for longest.
        self._buckets[who] = (level - 1 if not wait else level, now)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        return wait


_FAILURES_PER_SECOND = 5.0
_STREAMS_OF_A_PERSON = 16
# Somebody who goes on calling from one address is written down as logged in twice an hour.
_LOGINS_PER_SECOND = 1 / 1800
ShareRate = Callable[[str, float, Callable[..., float]], SharedRate]
"""Makes a limit over all servers: its kind, how many a second, and what counts without them."""
# Where a server of many workspaces leaves the person it has found already.
PERSON = "redline.person"


class HttpCounts:
    """What a process counts over all its workspaces: requests of each client, and metrics."""

    def __init__(self, settings: Settings, share: ShareRate | None = None) -> None:
        requests, failures = RateLimit(settings.rate_limit), RateLimit(_FAILURES_PER_SECOND)
        self.requests: SharedRate = requests
        self.failures: SharedRate = failures
        # Whether counting asks a store that several servers share, which takes a moment.
        self.is_shared = share is not None
        if share is not None:
            self.requests = share("requests", settings.rate_limit, requests.wait_for)
            self.failures = share("failures", _FAILURES_PER_SECOND, failures.wait_for)
        self.logins = RateLimit(_LOGINS_PER_SECOND)
        # Nobody has more than a part of the connections, so that nobody shuts out the rest.
        limit = connection_limit(settings.max_connections)
        self.streams = OpenStreams(limit // 2, min(_STREAMS_OF_A_PERSON, limit // 4))
        self._calls: Counter[str] = Counter()
        self._max_calls = max(1, limit // 2)
        self.metrics = Metrics(__version__)

    @contextmanager
    def call_of(self, who: str) -> Iterator[None]:
        """Count a call that has a connection until it is answered; HttpRefusal with status 429."""
        if self._calls[who] >= self._max_calls:
            raise HttpRefusal(
                429, wire.INVALID_REQUEST, "Too many calls at once", None, {"Retry-After": "1"}
            )
        self._calls[who] += 1
        try:
            yield
        finally:
            self._calls[who] -= 1
            if not self._calls[who]:
                del self._calls[who]


class Gate:
    """Finds the person behind a request, or refuses it."""

    def __init__(
        self, auth: Authenticator, settings: Settings, audit: Audit, counts: HttpCounts
    ) -> None:
        self.auth = auth
        self.counts = counts
        self._settings = settings
        self.audit = audit

    def in_workspace(self, name: str, audit: Audit | None = None) -> Gate:
        """Return the same for the workspace of this name, which has an audit log of its own."""
        auth = self.auth.in_workspace(name)
        return Gate(auth, self._settings, audit or self.audit, self.counts)

    async def authenticate(self, scope: Scope, headers: dict[str, str]) -> Person:
        """Return who sends a request; HttpRefusal with status 401."""
        if PERSON in scope:
            found: Person = scope[PERSON]
            return found
        if not self.auth.is_required:
            return OWNER
        given, peer = headers.get("authorization"), peer_of(scope)
        try:
            if self.auth.uses_oauth:  # may fetch the issuer's keys
                person = await asyncio.to_thread(self.auth.identify, given)
            else:
                person = self.auth.identify(given)
        except AuthFailed as failure:
            self.audit.record("auth_failed", reason=str(failure), peer=peer)
            await self._check_rate(self.counts.failures, f"failed:{peer}", peer)
            audience = self._settings.oauth_audience
            challenge = self.auth.challenge(metadata_url(audience) if audience else None)
            raise HttpRefusal(
                401, wire.INVALID_REQUEST, "Authorization required", None,
                {"WWW-Authenticate": challenge},
            ) from None  # fmt: skip
        if self.audit.is_kept and not self.counts.logins.wait_for(f"{person.name}@{peer}"):
            self.audit.record("login", principal=person.name, peer=peer)
        return person

    async def count_request(self, person: Person, scope: Scope) -> None:
        """Count a request; HttpRefusal with status 429 when there are too many."""
        peer = peer_of(scope)
        who = person.name or peer
        await self._check_rate(self.counts.requests, who, peer, person.rate_limit)

    async def _check_rate(
        self, limit: SharedRate, who: str, peer: str, per_second: float | None = None
    ) -> None:
        """Refuse what goes over *limit*; HttpRefusal."""
        if self.counts.is_shared:
            wait = await asyncio.to_thread(limit.wait_for, who, per_second)
        else:
            wait = limit.wait_for(who, per_second)
        if wait > 0:
            self.audit.record("rate_limited", principal=who, peer=peer)
            raise HttpRefusal(
                429, wire.INVALID_REQUEST, "Too many requests", {"retry_after": wait},
                {"Retry-After": str(int(wait) + 1)},
            )  # fmt: skip

    def require_scopes(self, person: Person, missing: Rights) -> None:
        """Ask for a token with more scopes where *missing* is not empty; HttpRefusal."""
        audience = self._settings.oauth_audience
        if not person.scoped or audience is None or not missing:
            return
        self.audit.record("scope_missing", principal=person.name, rights=sorted(missing))
        challenge = self.auth.step_up_challenge(person, missing, metadata_url(audience))
        raise HttpRefusal(
            403, wire.INVALID_REQUEST, "The access token does not allow this",
            {"missing": sorted(missing)}, {"WWW-Authenticate": challenge},
        )  # fmt: skip
