"""Dates as people write them, as ISO 8601."""

from __future__ import annotations

import re
from functools import lru_cache

_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan|january feb|february mar|march apr|april may jun|june jul|july aug|august "
        "sep|sept|september oct|october nov|november dec|december".split(),
        start=1,
    )
    for name in names.split("|")
}
_ISO = re.compile(r"\d{4}-\d\d-\d\d")


@lru_cache(maxsize=1024)
def date_in(text: str) -> str | None:
    """Return the ISO date that *text* says with a year, or None."""
    if _ISO.fullmatch(text):
        return text
    words = [w for w in re.split(r"[\s,.]+", text.lower()) if w and w not in ("of", "the")]
    months = [w for w in words if w in _MONTHS]
    numbers = [re.sub(r"(?<=\d)(st|nd|rd|th)$", "", w) for w in words if w not in _MONTHS]
    if len(months) != 1 or len(numbers) != 2 or not all(n.isdigit() for n in numbers):
        return None
    day, year = sorted(numbers, key=len)
    if len(year) != 4 or not 1 <= int(day) <= 31:
        return None
    return f"{year}-{_MONTHS[months[0]]:02d}-{int(day):02d}"


_HOURS = {
    name: hour
    for hour, name in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), start=1
    )
}
_MINUTES = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_PAST = re.compile(r"(?:a )?([a-z0-9-]+)(?: minutes)? (past|to) ([a-z0-9]+)")
_PLAIN = re.compile(r"([a-z]+|\d{1,2})(?:[:.](\d\d))?\s*(am|pm|o'clock)")


@lru_cache(maxsize=1024)
def clock_in(text: str, held: str) -> str | None:
    """Return the time of day that *text* says, in the half of the day in which *held* is."""
    low = " ".join(text.lower().split())
    if low in ("noon", "midday", "midnight"):
        return "00:00" if low == "midnight" else "12:00"
    late = held[:2] >= "12"
    if match := _PAST.fullmatch(low):
        minute, hour = _minute(match[1]), _hour(match[3])
        if minute is None or hour is None:
            return None
        total = hour * 60 + (minute if match[2] == "past" else -minute)
    elif match := _PLAIN.fullmatch(low):
        hour = _hour(match[1])
        if hour is None:
            return None
        total = hour * 60 + int(match[2] or 0)
        late = match[3] == "pm" if match[3] != "o'clock" else late
    else:
        return None
    total = total % 720 + 720 * late
    return f"{total // 60:02d}:{total % 60:02d}"


def _hour(word: str) -> int | None:
    hour = int(word) if word.isdigit() else _HOURS.get(word)
    return hour if hour is not None and 1 <= hour <= 12 else None


def _minute(word: str) -> int | None:
    minute = int(word) if word.isdigit() else _MINUTES.get(word)
    return minute if minute is not None and 0 < minute < 60 else None
