"""What status and diff share: where they compare from."""

from __future__ import annotations

from redline.core.errors import NothingToUndo
from redline.core.ports.history import History, HistoryQuery, Operation
from redline.services.history.references import Point, find_point


def default_point(history: History) -> tuple[Point, str]:
    """Return the latest checkpoint or start of a session, and what it is called."""
    marks = history.marks()
    if not marks:
        if not history.list(HistoryQuery(limit=1, steps=0)):
            raise NothingToUndo("No change has been made yet")
        return Point(None), "the beginning"
    name = name_of(marks[0])
    if marks[0].kind == "checkpoint":
        return Point(marks[0].id), name
    return find_point(history, marks[0].origin.session, inclusive=True), name


def name_of(mark: Operation) -> str:
    """Return what a checkpoint or the start of a session is called."""
    if mark.kind == "checkpoint":
        return f"checkpoint {mark.origin.summary}"
    return f"session {mark.origin.session} of {mark.origin.client or 'an unknown client'}"
