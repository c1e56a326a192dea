"""Names of operations and points in history, as people and agents write them."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from redline.core.errors import InvalidArgument, NothingToUndo, UnknownOperation
from redline.core.paths import show_name
from redline.core.ports.history import History, HistoryQuery, Operation
from redline.services.history.turns import before_turn, find_turn, names_prompt

_AT = re.compile(r"@(?:-(\d{1,6}))?")
_AGO = re.compile(
    r"(\d{1,6}) ?(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?)"
    r"(?: ago)?"
)
_POINTS = "a point is a change's id, a checkpoint, @prompt, a session, a time, or 30m, 2h, 1d ago"
_ALL = 1 << 30
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Point(NamedTuple):
    """A point in history: right after the operation `last`, at the very beginning if None."""

    last: str | None


def find_operation(history: History, text: str) -> str:
    """Return the id that *text* means: an id or the start of one, `@` for the latest, `@-2`."""
    found = _AT.fullmatch(text)
    if found is None:
        return history.find(text)
    back = int(found[1] or 0)
    latest = history.list(HistoryQuery(limit=back + 1, steps=0))
    if len(latest) <= back:
        raise NothingToUndo(f"The history does not go that far back: {text}")
    return latest[back].id


def find_point(history: History, text: str, *, inclusive: bool) -> Point:
    """Return the point that *text* means: a prompt, checkpoint, session's start, operation, time.

    *inclusive* says that an operation itself lies after the point.
    """
    if names_prompt(text):
        return Point(before_turn(history, find_turn(history, text)[0]))
    marks = history.marks()
    checkpoint = next((m for m in marks if _is_checkpoint(m) and m.origin.summary == text), None)
    if checkpoint is not None:
        return Point(checkpoint.id)
    start = next((m for m in marks if not _is_checkpoint(m) and m.origin.session == text), None)
    if start is not None:
        return point_before(history, start.id)
    moment = read_time(text)
    if moment is not None:
        earlier = history.list(HistoryQuery(until=moment, limit=1, steps=0))
        return Point(earlier[0].id if earlier else None)
    try:
        found = find_operation(history, text)
    except UnknownOperation as error:
        if not error.message.startswith("Several"):
            error.message = f"No point in history is called: {show_name(text)[:64]}"
            near = _suggest(text, marks)
            error.hint = f"did you mean the checkpoint {near}?" if near else _POINTS
            error.details |= {"checkpoint": near} if near else {}
        raise
    return point_before(history, found) if inclusive else Point(found)


def first_after(history: History, text: str) -> Operation | None:
    """Return the oldest operation if *text* means a time before it; None for any other point."""
    moment = read_time(text)
    if moment is None or history.list(HistoryQuery(until=moment, limit=1, steps=0)):
        return None
    found = history.list(HistoryQuery(limit=_ALL, steps=0))
    return found[-1] if found else None


def read_time(text: str) -> float | None:
    """Return the moment that an ISO 8601 time or a duration such as `2h` means; else None."""
    ago = _AGO.fullmatch(text)
    if ago is not None:
        return time.time() - int(ago[1]) * _SECONDS[ago[2][0]]
    if not re.match(r"\d{4}-\d\d", text):
        return None
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def require_time(text: str, field: str) -> float:
    """Return the moment *text* means; InvalidArgument names the *field*."""
    moment = read_time(text)
    if moment is None:
        raise InvalidArgument(
            f"Not an ISO 8601 time: {text}", field=field, hint="for example 2026-11-15T09:00:00Z"
        )
    return moment


def point_before(history: History, operation_id: str) -> Point:
    """Return the point right before an operation."""
    older = history.list(HistoryQuery(before_id=operation_id, limit=1, steps=0))
    return Point(older[0].id if older else None)


def _is_checkpoint(mark: Operation) -> bool:
    return mark.kind == "checkpoint"


def _suggest(text: str, marks: Sequence[Operation]) -> str | None:
    names = [m.origin.summary for m in marks if _is_checkpoint(m)]
    from difflib import get_close_matches

    near = get_close_matches(text, names, 1)
    return near[0] if near else None
