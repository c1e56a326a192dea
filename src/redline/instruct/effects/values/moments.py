"""Dates and times of day moved by a length of time: one week later, 15 min earlier."""

from __future__ import annotations

import re
from datetime import date, timedelta

from redline.instruct.effects.outcome import Unclear
from redline.instruct.language.words import number_in, spoken_measure, unit_of

_LENGTH = re.compile(r"[+-]?\s*(\S+?)\s*([A-Za-z]+)")
_MINUTE = timedelta(minutes=1)
_CLOCK = re.compile(r"\d\d:\d\d")


def shift_time(held: str, said: str, direction: int) -> str:
    """Return the date or time of day *held*, moved by the length of time that is *said*."""
    length = _length(said)
    if length is None:
        raise Unclear("value", f"{said!r} is not a length of time", value=said)
    moved = _shift(held, direction * length)
    if moved is None:
        raise Unclear("type", f"{held!r} cannot be moved by {said!r}", value=said)
    return moved


def is_moment(held: str) -> bool:
    """Return whether a text is a date or a time of day."""
    return _shift(held, timedelta()) is not None


def _length(said: str) -> timedelta | None:
    match = _LENGTH.fullmatch(spoken_measure(said))
    number, unit = (number_in(match[1]), unit_of(match[2])) if match else (None, None)
    if number is None or unit is None or unit[0] != "time":
        return None
    return timedelta(milliseconds=float(unit[1]) * float(number))


def _shift(held: str, length: timedelta) -> str | None:
    if _CLOCK.fullmatch(held):
        hours, minutes = map(int, held.split(":"))
        total, rest = divmod(timedelta(hours=hours, minutes=minutes) + length, _MINUTE)
        return f"{total // 60:02d}:{total % 60:02d}" if not rest and 0 <= total < 1440 else None
    try:
        day = date.fromisoformat(held)
    except ValueError:
        return None
    return None if length % timedelta(days=1) else (day + length).isoformat()
