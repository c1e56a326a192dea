"""What status and diff share: where they compare from."""

from __future__ import annotations

from redline.cli.flags import TERMINAL
from redline.core.changes import ChangeSet
from redline.core.ports.history import History, Operation
from redline.services.history.lines import HEAD, difference, difference_from_head
from redline.services.history.listing import latest_id
from redline.services.history.references import Point, find_point, point_before
from redline.wiring.command_line import open_committer
from redline.wiring.workspace import Redline


def changes_since(redline: Redline, text: str | None) -> tuple[ChangeSet, str]:
    """Return how files differ from the point that *text* names, and what it is called.

    None means the latest checkpoint or start of a session, HEAD the commit that is checked out.
    """
    if text == HEAD:
        committer = open_committer(redline.workspace.roots[0].path)
        return difference_from_head(redline, committer), HEAD
    if text is None:
        point, name = default_point(redline.history)
    else:
        point, name = find_point(redline.history, text, inclusive=False), text
    return difference(redline, point), name


def default_point(history: History) -> tuple[Point, str]:
    """Return the latest checkpoint or start of a session, and what it is called."""
    # What a person does at a terminal is not a piece of work to compare with.
    marks = [m for m in history.marks() if m.kind == "checkpoint" or m.origin.session != TERMINAL]
    if not marks:
        latest_id(history)  # NothingToUndo before the first change
        return Point(None), "the beginning"
    name = name_of(marks[0])
    if marks[0].kind == "checkpoint":
        return Point(marks[0].id), name
    return point_before(history, marks[0].id), name


def name_of(mark: Operation) -> str:
    """Return what a checkpoint or the start of a session is called."""
    if mark.kind == "checkpoint":
        return f"checkpoint {mark.origin.summary}"
    return f"session {mark.origin.session} of {mark.origin.client or 'an unknown client'}"
