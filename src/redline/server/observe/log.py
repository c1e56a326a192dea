"""What the server says to its operator: lines on stderr, never on stdout.

Nobody may be reading there: what does not fit into the pipe is lost and counted, and no call waits
for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

Sink = Callable[[dict[str, Any]], None]
# A pipe that takes anything takes a page; a character has up to four bytes.
_AT_ONCE = 1024
_speaking = Lock()
_lost = [0]


def warn(text: str) -> None:
    """One plain line; control characters of others are escaped."""
    _emit(_escaped(f"redline: {text}\n"))


def to_stderr(event: dict[str, Any]) -> None:
    """One structured line."""
    from redline.server.rpc.wire import encode

    _emit(encode(event).decode() + "\n")


def log_exception(request_id: str, tool: str, failure: BaseException) -> None:
    """The full story of a bug, for the operator only."""
    import traceback

    story = "".join(traceback.format_exception(failure))
    _emit(_escaped(f"redline: internal error, request {request_id}, tool {tool}\n{story}"))


def _escaped(text: str) -> str:
    from redline.core.diff import visible  # late: most servers never have anything to say

    return visible(text)[0]


def timestamp() -> str:
    """Now, as ISO 8601 in UTC with milliseconds."""
    import time

    now = time.time()
    millis = int(now * 1000) % 1000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{millis:03d}Z"


def _emit(text: str) -> None:
    with _speaking:
        try:
            if _lost[0]:
                text = f"redline: lines nobody read, and lost: {_lost[0]}\n{text}"
            if _write(text):
                _lost[0] = 0
            else:
                _lost[0] += 1
        except (OSError, ValueError, AttributeError):
            pass  # nobody listens on stderr any more; serving goes on


def _write(text: str) -> bool:
    """Write as much of *text* as is taken at once; whether that was all."""
    for start in range(0, len(text), _AT_ONCE):
        if not _takes_more():
            return False
        sys.stderr.write(text[start : start + _AT_ONCE])
        sys.stderr.flush()
    return True


def _takes_more() -> bool:
    """Whether some bytes can be written without waiting for a reader."""
    import select

    if not hasattr(select, "poll"):  # Windows: a pipe cannot be asked
        return True
    try:
        place = sys.stderr.fileno()
    except (OSError, ValueError):  # no descriptor: somebody keeps it in memory
        return True
    asked = select.poll()
    asked.register(place, select.POLLOUT)
    return bool(asked.poll(0))
