"""What clients were told, written down as it happens: the judge knows nothing else of Redline.

Each attempt to change a file writes a token that no other attempt writes. An attempt whose answer
was lost may have happened, or not, but never twice.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass
class Attempt:
    """One token, the file it goes to, and what is known about it."""

    token: str
    workspace: str
    file: str
    may_be_there: bool = True  # sent, and not refused
    must_be_there: bool = False  # acknowledged, and its undo not asked for
    change: str = ""  # its id in the history, if it was acknowledged
    said: str = ""  # why it must not be there: a refusal, or that it was undone

    def refuse(self, why: str) -> None:
        """Note that it had no effect, or has none any more."""
        self.may_be_there = self.must_be_there = False
        self.said = why[:300]


class Takeover(NamedTuple):
    """How long a workspace of a server that is gone took no edit."""

    seconds: float
    is_redis_away: bool  # at some time meanwhile: then no server can take anything over
    story: str


@dataclass
class Ledger:
    """Everything that was acknowledged, asked and lost; safe for many threads."""

    attempts: dict[str, Attempt] = field(default_factory=dict)
    _attempts_at: dict[tuple[str, str], list[Attempt]] = field(
        default_factory=lambda: defaultdict(list)
    )
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    takeovers: list[Takeover] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, token: str, workspace: str, file: str) -> Attempt:
        """Note an attempt before it is made."""
        attempt = Attempt(token, workspace, file)
        with self._lock:
            self.attempts[token] = attempt
            self._attempts_at[workspace, file].append(attempt)
        return attempt

    def count(self, what: str, number: int = 1) -> None:
        """Count something."""
        with self._lock:
            self.counts[what] += number

    def blame(self, text: str) -> None:
        """Note something that must not happen."""
        with self._lock:
            self.faults.append(text)

    def time(self, milliseconds: float) -> None:
        """Note how long an answered call took."""
        with self._lock:
            self.walls.append(milliseconds)

    def took_over(self, takeover: Takeover) -> None:
        """Note that a workspace of a server that is gone takes edits again."""
        with self._lock:
            self.takeovers.append(takeover)

    def judge_file(self, workspace: str, file: str, content: str) -> None:
        """Compare a file at the end with what was acknowledged."""
        there = Counter(content.split())
        for attempt in self._attempts_at[workspace, file]:
            found = there.pop(attempt.token, 0)
            if found > 1:
                self.blame(f"{workspace}/{file}: {attempt.token} is there {found} times")
            elif attempt.must_be_there and not found:
                self.blame(f"{workspace}/{file}: {attempt.token} was acknowledged and is gone")
            elif found and not attempt.may_be_there:
                self.blame(f"{workspace}/{file}: {attempt.token} is there after: {attempt.said}")
        for token in there.keys() - {"BEGIN", "END"}:
            self.blame(f"{workspace}/{file}: no client wrote {token}")
