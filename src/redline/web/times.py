"""Times as people and programs read them."""

from __future__ import annotations

from datetime import datetime


def clock(moment: float) -> str:
    """Return the time of day."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")


def long_time(moment: float) -> str:
    """Return date and time."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(moment: float) -> str:
    """Return a time for programs."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="milliseconds")
