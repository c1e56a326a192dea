"""Counts and times of calls, in the text form Prometheus reads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import time

BUCKETS = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)


class Metrics:
    """What happened since the start; safe from any number of threads."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._started = time()
        self._lock = Lock()
        self._calls: dict[tuple[str, str], int] = {}
        self._seconds: dict[str, float] = {}
        self._buckets: dict[str, list[int]] = {}
        self._events: dict[str, int] = {}
        # Numbers of now, by name: what each is, and a function that counts it.
        self.gauges: dict[str, tuple[str, Callable[[], int]]] = {}

    def watch_call(self, tool: str, ok: bool, seconds: float) -> None:
        """One finished call; *tool* is a listed name or `unknown`, so labels stay few."""
        outcome = "ok" if ok else "error"
        with self._lock:
            self._calls[tool, outcome] = self._calls.get((tool, outcome), 0) + 1
            self._seconds[tool] = self._seconds.get(tool, 0.0) + seconds
            counts = self._buckets.setdefault(tool, [0] * len(BUCKETS))
            for number, limit in enumerate(BUCKETS):
                if seconds <= limit:
                    counts[number] += 1

    def watch_event(self, kind: str) -> None:
        """One audit event, such as auth_failed."""
        with self._lock:
            self._events[kind] = self._events.get(kind, 0) + 1

    def render(self) -> str:
        """Everything, in the exposition format."""
        with self._lock:
            lines = [
                *_head("redline_info", "gauge", "Which Redline this is."),
                f'redline_info{{version="{self._version}"}} 1',
                *_head("redline_start_time_seconds", "gauge", "When the server started."),
                f"redline_start_time_seconds {self._started:.3f}",
                *(
                    line
                    for name, (what, count) in self.gauges.items()
                    for line in (*_head(name, "gauge", what), f"{name} {count()}")
                ),
                *_head("redline_calls_total", "counter", "Finished tool calls."),
                *(
                    f'redline_calls_total{{tool="{tool}",outcome="{outcome}"}} {count}'
                    for (tool, outcome), count in sorted(self._calls.items())
                ),
                *_head("redline_audit_events_total", "counter", "Security-relevant events."),
                *(
                    f'redline_audit_events_total{{kind="{kind}"}} {count}'
                    for kind, count in sorted(self._events.items())
                ),
                *_head("redline_call_seconds", "histogram", "How long tool calls took."),
                *(line for tool in sorted(self._buckets) for line in self._histogram(tool)),
            ]
        return "\n".join(lines) + "\n"

    def _histogram(self, tool: str) -> list[str]:
        total = sum(count for (name, _), count in self._calls.items() if name == tool)
        rows = [
            f'redline_call_seconds_bucket{{tool="{tool}",le="{limit:g}"}} {count}'
            for limit, count in zip(BUCKETS, self._buckets[tool], strict=True)
        ]
        return [
            *rows,
            f'redline_call_seconds_bucket{{tool="{tool}",le="+Inf"}} {total}',
            f'redline_call_seconds_sum{{tool="{tool}"}} {self._seconds[tool]:.6f}',
            f'redline_call_seconds_count{{tool="{tool}"}} {total}',
        ]


def _head(name: str, kind: str, help_text: str) -> tuple[str, str]:
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"
