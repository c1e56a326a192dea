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
