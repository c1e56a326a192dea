"""Sessions of the handshake era over HTTP: who opened each, and when it was last used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic

from redline.server.conversation import Conversation


class Session:
    """One handshake's conversation; it belongs to the principal that opened it."""

    __slots__ = ("is_used", "name", "principal", "requests", "talk")

    def __init__(self, name: str, principal: str, talk: Conversation) -> None:
        self.name = name
        self.principal = principal
        self.talk = talk
        self.requests = 0
        # Whether anything came after the handshake.
        self.is_used = False


class SessionsFull(Exception):
    """No session can end for a newcomer: busy, or of someone who would then hold less."""


class Sessions:
    """At most *limit* at once; one without a request for *idle_seconds* is forgotten.

    When all are taken, an idle one ends for the newcomer: whoever holds most gives first.
    """

    def __init__(
        self, limit: int, idle_seconds: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._open: dict[str, Session] = {}
        # Those without a request in flight and since when, the longest idle first.
        self._idle: dict[str, float] = {}

    @property
    def talks(self) -> list[Conversation]:
        """Every conversation."""
        return [session.talk for session in self._open.values()]

    def open(self, session: Session) -> Session | None:
        """Keep *session*, idle from now on; the one that ended to make room for it."""
        self._expire()
        displaced = None
        if len(self._open) >= self._limit:
            displaced = self._spare(session.principal)
            self.end(displaced)
        self._open[session.name] = session
        self._idle[session.name] = self._clock()
        return displaced

    def _spare(self, newcomer: str) -> Session:
        """Of whoever holds most, but never less than *newcomer*: one that was never used, else
        the longest idle."""
        held = Counter(session.principal for session in self._open.values())
        held[newcomer] += 1
        idle = (self._open[name] for name in self._idle)
        spare = [session for session in idle if held[session.principal] >= held[newcomer]]
        if not spare:
            raise SessionsFull
        # The first of equals has been idle for longest.
        return max(
            spare,
            key=lambda session: (
                held[session.principal], session.principal == newcomer, not session.is_used
            ),
        )  # fmt: skip

    def enter(self, name: str, principal: str) -> Session | None:
        """The session for one more request, until `leave`; None for any that is not theirs."""
        self._expire()
        session = self._open.get(name)
        if session is None or session.principal != principal:
            return None
        session.requests += 1
        session.is_used = True
        self._idle.pop(name, None)
        return session

    def leave(self, session: Session) -> None:
        """A request is over."""
        session.requests -= 1
        if not session.requests and session.name in self._open:
            self._idle[session.name] = self._clock()

    def end(self, session: Session) -> None:
        """Forget *session* and stop its calls."""
        self._open.pop(session.name, None)
        self._idle.pop(session.name, None)
        session.talk.close(cancel=True)

    def _expire(self) -> None:
        oldest = self._clock() - self._idle_seconds
        while self._idle:
            name, since = next(iter(self._idle.items()))
            if since > oldest:
                return
            self.end(self._open[name])
