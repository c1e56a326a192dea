"""Which operations a person wants to see in the timeline."""

from __future__ import annotations

from typing import NamedTuple

from redline.core.ports.history import Author, HistoryQuery, Operation
from redline.core.ports.pages import WebRequest
from redline.services.history.references import read_time
from redline.services.names import display_name
from redline.services.runtime import Runtime

PAGE_SIZE = 50
# How many steps of an operation the timeline reads.
MAX_STEPS = 20
# How many operations one request reads while it looks for those that match a search.
_MAX_SCANNED = 4000
_SCAN_PAGE = 500


class Filters(NamedTuple):
    """What the person wants to see; empty fields match everything."""

    path: str = ""
    client: str = ""
    person: str = ""
    tool: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    q: str = ""

    @classmethod
    def read(cls, request: WebRequest) -> Filters:
        """Return the filters of a request."""
        return cls(*(request.get(name).strip() for name in cls._fields))

    def query(self, before: str | None, limit: int) -> HistoryQuery:
        """Return the query of the history for these."""
        by = Author(self.session or None, self.client or None, self.person or None)
        return HistoryQuery(
            path=self.path or None,
            tool=self.tool or None,
            since=read_time(self.since),
            until=read_time(self.until),
            before_id=before,
            limit=limit,
            steps=MAX_STEPS,
            by=None if by == Author() else by,
        )


class TimelinePage(NamedTuple):
    """Operations, and behind which one to go on; None at the end."""

    operations: list[Operation]
    next_before: str | None


def find_operations(runtime: Runtime, filters: Filters, before: str | None) -> TimelinePage:
    """Return the next operations that match, newest first."""
    if not filters.q:
        found = list(runtime.history.list(filters.query(before, PAGE_SIZE + 1)))
        more = found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None
        return TimelinePage(found[:PAGE_SIZE], more)
    words = filters.q.casefold().split()
    matching: list[Operation] = []
    scanned = 0
    while scanned < _MAX_SCANNED:
        page = runtime.history.list(filters.query(before, _SCAN_PAGE))
        for operation in page:
            before = operation.id
            shown = _searchable(runtime, operation)
            if all(word in shown for word in words):
                matching.append(operation)
                if len(matching) == PAGE_SIZE:
                    return TimelinePage(matching, before)
        scanned += len(page)
        if len(page) < _SCAN_PAGE:
            return TimelinePage(matching, None)
    return TimelinePage(matching, before)


def find_newer(runtime: Runtime, filters: Filters, known: str) -> list[Operation] | None:
    """Return matching operations behind *known*; None when there are more than a page."""
    page = find_operations(runtime, filters, None)
    newer: list[Operation] = []
    for operation in page.operations:
        if operation.id == known:
            return newer
        newer.append(operation)
    return None if known and page.next_before else newer


def _searchable(runtime: Runtime, operation: Operation) -> str:
    origin = operation.origin
    names = (display_name(runtime.workspace, path) for path in operation.change_set.paths)
    fields = (operation.id, origin.tool, origin.client, origin.session, origin.summary)
    return "\0".join((*fields, origin.principal, *names)).casefold()
