"""A token bucket per principal."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

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
