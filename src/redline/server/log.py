"""What the server says to its operator: lines on stderr, never on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Sink = Callable[[dict[str, Any]], None]


def warn(text: str) -> None:
    """One plain line."""
    _emit(f"redline: {text}\n")


def to_stderr(event: dict[str, Any]) -> None:
    """One structured line."""
    from redline.server.wire import encode

    _emit(encode(event).decode() + "\n")


def log_exception(request_id: str, tool: str, failure: BaseException) -> None:
    """The full story of a bug, for the operator only."""
    import traceback

    story = "".join(traceback.format_exception(failure))
    _emit(f"redline: internal error, request {request_id}, tool {tool}\n{story}")


def timestamp() -> str:
    """Now, as ISO 8601 in UTC with milliseconds."""
    import time

    now = time.time()
    millis = int(now * 1000) % 1000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{millis:03d}Z"


def _emit(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody listens on stderr any more; serving goes on
