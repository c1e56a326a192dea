"""Which operations and runs of commands a person wants to see in the timeline."""

from __future__ import annotations

from typing import Any, NamedTuple

from redline.core.ports.commands import CommandRun, RunQuery
from redline.core.ports.history import Author, HistoryQuery, Operation
from redline.core.ports.pages import WebRequest
from redline.core.records import replace
from redline.services.history.references import read_time
from redline.services.names import display_name
from redline.services.runtime import Runtime

PAGE_SIZE = 50
# What the timeline shows, beside everything.
CHANGES, COMMANDS, FAILED = "changes", "commands", "failed"
# How many steps of an operation the timeline reads.
MAX_STEPS = 20
# How many operations one request reads while it looks for those that match a search.
_MAX_SCANNED = 4000
_SCAN_PAGE = 500
_UNREAD = object()


class Filters(NamedTuple):
    """What the person wants to see; empty fields match everything."""

    path: str = ""
    client: str = ""
    person: str = ""
    tool: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    show: str = ""
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

    def run_query(self, before: int | None, limit: int) -> RunQuery | None:
        """Return the query of runs for these; None where no run is wanted.

        What a command changed is an operation, and shows its run.
        """
        if self.path or self.show == CHANGES:
            return None
        return RunQuery(
            limit,
            before,
            tool=self.tool or None,
            client=self.client or None,
            session=self.session or None,
            principal=self.person or None,
            since=read_time(self.since),
            until=read_time(self.until),
            only_failed=self.show == FAILED,
            without_changes=self.show not in (COMMANDS, FAILED),
        )


Entry = Operation | CommandRun


class TimelinePage(NamedTuple):
    """Operations and runs, newest first, and behind which to go on; None at the end."""

    entries: list[Entry]
    next_before: str | None

    def at(self, number: int) -> Any:
        """Return an entry; None behind the last one, `_UNREAD` where more was not read yet."""
        if number < len(self.entries):
            return self.entries[number]
        return _UNREAD if self.next_before else None

    def cursor(self, taken: int) -> str:
        """Return behind what to go on after some entries; "" before the first one."""
        if taken == len(self.entries) and self.next_before:
            return self.next_before
        return entry_id(self.entries[taken - 1]).removeprefix("run-") if taken else ""


def find_entries(runtime: Runtime, filters: Filters, before: str | None) -> TimelinePage:
    """Return the next operations and runs that match, newest first.

    *before* is the id of the last operation that was seen and, behind a tilde, the number of the
    last run.
    """
    last_operation, _, last_run = (before or "").partition("~")
    operations = _find_operations(runtime, filters, last_operation or None)
    runs = _find_runs(runtime, filters, int(last_run) if last_run.isdigit() else None)
    entries: list[Entry] = []
    at_operation = at_run = 0
    while len(entries) < PAGE_SIZE:
        operation = operations.at(at_operation)
        run = runs.at(at_run)
        if operation is _UNREAD or run is _UNREAD or (operation is None and run is None):
            break  # which of both is next is not known yet, or there is none
        if run is None or (operation is not None and operation.time >= run.time):
            entries.append(operation)
            at_operation += 1
        else:
            entries.append(run)
            at_run += 1
    last_operation = operations.cursor(at_operation) or last_operation
    last_run = runs.cursor(at_run) or last_run
    is_end = operations.at(at_operation) is None and runs.at(at_run) is None
    cursor = f"{last_operation}~{last_run}" if last_run else last_operation
    return TimelinePage(entries, None if is_end else cursor)


def _find_runs(runtime: Runtime, filters: Filters, before: int | None) -> TimelinePage:
    query = filters.run_query(before, PAGE_SIZE + 1)
    if query is None:
        return TimelinePage([], None)
    words = filters.q.casefold().split()
    if words:
        query = replace(query, limit=_MAX_SCANNED)
    found = [
        run
        for run in runtime.runs.list(query)
        if all(word in _searchable_run(run) for word in words)
    ]
    more = str(found[PAGE_SIZE - 1].number) if len(found) > PAGE_SIZE else None
    return TimelinePage(list(found[:PAGE_SIZE]), more)


def _searchable_run(run: CommandRun) -> str:
    fields = (run.line, run.tool, run.client, run.session, run.principal, run.status)
    return "\0".join(fields).casefold()


def _find_operations(runtime: Runtime, filters: Filters, before: str | None) -> TimelinePage:
    """Return the next operations that match, newest first."""
    if filters.show in (COMMANDS, FAILED):
        return TimelinePage([], None)
    if not filters.q:
        found: list[Entry] = list(runtime.history.list(filters.query(before, PAGE_SIZE + 1)))
        more = entry_id(found[PAGE_SIZE - 1]) if len(found) > PAGE_SIZE else None
        return TimelinePage(found[:PAGE_SIZE], more)
    words = filters.q.casefold().split()
    matching: list[Entry] = []
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


def find_newer(runtime: Runtime, filters: Filters, known: str) -> list[Entry] | None:
    """Return matching entries behind *known*; None when there are more than a page."""
    page = find_entries(runtime, filters, None)
    newer: list[Entry] = []
    for entry in page.entries:
        if entry_id(entry) == known:
            return newer
        newer.append(entry)
    return None if known and page.next_before else newer


def entry_id(entry: Entry) -> str:
    """Return the id of a timeline entry, unique among runs and operations."""
    return f"run-{entry.number}" if isinstance(entry, CommandRun) else entry.id


def _searchable(runtime: Runtime, operation: Operation) -> str:
    origin = operation.origin
    names = (display_name(runtime.workspace, path) for path in operation.change_set.paths)
    fields = (operation.id, origin.tool, origin.client, origin.session, origin.summary)
    return "\0".join((*fields, origin.principal, *names)).casefold()
