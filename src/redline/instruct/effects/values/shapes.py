"""The shapes of texts: addresses, dates, versions, which a new value must keep."""

from __future__ import annotations

import re

from redline.instruct.model.operations import NoValue
from redline.instruct.model.values import Value

SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("an e-mail address", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")),
    (
        "a date and time",
        re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"),
    ),
    ("a date", re.compile(r"\d{4}-\d\d-\d\d")),
    ("a time of day", re.compile(r"([01]\d|2[0-4]):[0-5]\d(:\d\d)?")),
    ("a URL", re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)),
    ("a colour", re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")),
    ("an amount with a currency sign", re.compile(r"[$€£]\d[\d,]*(\.\d+)?")),
    ("a version", re.compile(r"[v^~]?\d+(\.\d+){1,2}(-[\w.]+)?")),
    ("a quantity with a unit", re.compile(r"\d+(\.\d+)?[A-Za-z%]{1,3}")),
)


def shape_doubt(new: Value, current: Value | NoValue) -> bool:
    """Return whether a date, address or the like would take the place of a plain text."""
    if not isinstance(new, str) or not isinstance(current, str) or not current:
        return False
    telling = SHAPES[:5]
    return any(s.fullmatch(new) for _, s in telling) and not any(
        s.fullmatch(current) for _, s in SHAPES
    )


def same_shape(left: Value, right: str) -> bool:
    """Return whether two texts are both dates, both URLs and so on."""
    if not isinstance(left, str):
        return False
    return any(s.fullmatch(left) and s.fullmatch(right) for _, s in SHAPES)


def has_shape(text: str) -> bool:
    """Whether a text is an e-mail address, date, URL or the like, which an empty text is not."""
    return any(shape.fullmatch(text) for _, shape in SHAPES)
