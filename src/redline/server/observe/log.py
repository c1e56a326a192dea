"""Messages to the operator: lines on stderr, never on stdout.

The pipe may have no reader: a line that does not fit is dropped and counted, and no call waits
for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

Sink = Callable[[dict[str, Any]], None]
# A pipe that accepts anything accepts a page; a character has up to four bytes.
_CHARS_AT_ONCE = 1024
_lock = Lock()
_dropped = [0]


def warn(text: str) -> None:
    """Write one plain line, with control characters escaped."""
    _emit(_escape(f"redline: {text}\n"))


def to_stderr(event: dict[str, Any]) -> None:
    """Write one JSON line."""
    from redline.server.rpc.wire import encode

    _emit(encode(event).decode() + "\n")


def log_exception(
    request_id: str, tool: str, failure: BaseException, mask: Callable[[str], str] | None = None
) -> None:
    """Write the traceback of a bug, for the operator only; *mask* masks its secrets."""
    import traceback

    trace = "".join(traceback.format_exception(failure))
    if mask is not None:
        try:
            trace = mask(trace)
        except Exception:
            trace = f"{type(failure).__name__}, with a traceback that cannot be masked\n"
    _emit(_escape(f"redline: internal error, request {request_id}, tool {tool}\n{trace}"))


def _escape(text: str) -> str:
    from redline.core.wording import visible  # late: most servers never log anything

    return visible(text)[0]


def timestamp() -> str:
    """Return the current time as ISO 8601 in UTC with milliseconds."""
    import time

    now = time.time()
    millis = int(now * 1000) % 1000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{millis:03d}Z"


def _emit(text: str) -> None:
    with _lock:
        try:
            if _dropped[0]:
                text = f"redline: log lines lost because nothing read them: {_dropped[0]}\n{text}"
            if _write(text):
                _dropped[0] = 0
            else:
                _dropped[0] += 1
        except (OSError, ValueError, AttributeError):
            pass  # stderr is closed; serving goes on


def _write(text: str) -> bool:
    """Write as much of *text* as fits without waiting; return whether all of it did."""
    for start in range(0, len(text), _CHARS_AT_ONCE):
        if not _can_write():
            return False
        sys.stderr.write(text[start : start + _CHARS_AT_ONCE])
        sys.stderr.flush()
    return True


def _can_write() -> bool:
    """Return whether stderr accepts bytes without waiting for a reader."""
    import select

    if not hasattr(select, "poll"):  # Windows cannot poll a pipe
        return True
    try:
        descriptor = sys.stderr.fileno()
    except (OSError, ValueError):  # no descriptor: stderr is kept in memory
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))
