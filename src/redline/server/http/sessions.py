"""HTTP sessions of protocol revisions with a handshake: their owners, and how long each is idle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic

from redline.server.conversation import Conversation


class HttpSession:
    """One handshake's conversation; it belongs to the principal that opened it."""

    __slots__ = ("conversation", "is_used", "name", "principal", "requests")

    def __init__(self, name: str, principal: str, conversation: Conversation) -> None:
        self.name = name
        self.principal = principal
        self.conversation = conversation
        self.requests = 0
        # Whether anything came after the handshake.
        self.is_used = False


class SessionsFull(Exception):
    """No session may be ended for a new one: each is busy, or its principal holds fewer."""


class Sessions:
    """The open sessions: at most *limit*, each until it has been idle for *idle_seconds*.

    At the limit, opening a session ends an idle one of the principal that holds the most.
    """

    def __init__(
        self, limit: int, idle_seconds: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._open: dict[str, HttpSession] = {}
        # Sessions without a running request and since when, the longest idle first.
        self._idle: dict[str, float] = {}

    @property
    def conversations(self) -> list[Conversation]:
        """Every conversation."""
        return [session.conversation for session in self._open.values()]

    def open(self, session: HttpSession) -> HttpSession | None:
        """Add *session*, idle from now on; return the one that ended to make room for it."""
        self._expire()
        displaced = None
        if len(self._open) >= self._limit:
            displaced = self._choose_displaced(session.principal)
            self.end(displaced)
        self._open[session.name] = session
        self._idle[session.name] = self._clock()
        return displaced

    def _choose_displaced(self, newcomer: str) -> HttpSession:
        """Return the idle session to end for one of *newcomer*; SessionsFull if there is none.

        It belongs to the principal that holds the most sessions, and at least as many as
        *newcomer* would. One that was never used goes first, then the longest idle.
        """
        held = Counter(session.principal for session in self._open.values())
        held[newcomer] += 1
        idle = (self._open[name] for name in self._idle)
        candidates = [session for session in idle if held[session.principal] >= held[newcomer]]
        if not candidates:
            raise SessionsFull
        # The first of equals has been idle for longest.
        return max(
            candidates,
            key=lambda session: (
                held[session.principal], session.principal == newcomer, not session.is_used
            ),
        )  # fmt: skip

    def enter(self, name: str, principal: str) -> HttpSession | None:
        """Begin a request in *principal*'s session, until `leave`; None if it has no such one."""
        self._expire()
        session = self._open.get(name)
        if session is None or session.principal != principal:
            return None
        session.requests += 1
        session.is_used = True
        self._idle.pop(name, None)
        return session

    def leave(self, session: HttpSession) -> None:
        """Note that a request has ended."""
        session.requests -= 1
        if not session.requests and session.name in self._open:
            self._idle[session.name] = self._clock()

    def end(self, session: HttpSession) -> None:
        """End *session* and cancel its calls."""
        self._open.pop(session.name, None)
        self._idle.pop(session.name, None)
        session.conversation.close(cancel=True)

    def _expire(self) -> None:
        oldest = self._clock() - self._idle_seconds
        while self._idle:
            name, since = next(iter(self._idle.items()))
            if since > oldest:
                return
            self.end(self._open[name])
