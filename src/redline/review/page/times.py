"""Times as people and programs read them."""

from __future__ import annotations

import time
from datetime import datetime


def clock(moment: float) -> str:
    """Return the time of day."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")


def long_time(moment: float) -> str:
    """Return date and time."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def relative(moment: float) -> str:
    """Return how long ago something was, or its date if that is over a day."""
    seconds = max(0, int(time.time() - moment))
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60} min ago"
    return f"{seconds // 3600} h ago" if seconds < 86400 else long_time(moment)[:16]


def iso(moment: float) -> str:
    """Return a time for programs."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="milliseconds")
