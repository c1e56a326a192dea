"""The timeline: operations and runs of commands, newest first, grouped by day and session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from redline.core.changes import Change, FileState
from redline.core.errors import RedlineError
from redline.core.ports.commands import CommandRun
from redline.core.ports.history import Operation, Origin
from redline.engine.recording.attribution import OUTSIDE
from redline.plan.describe import Touched, list_touched
from redline.services.history.lines import LineCounts, count_lines
from redline.services.names import display_name
from redline.services.runtime import Runtime
from redline.web.filters import CHANGES, COMMANDS, FAILED, Entry, Filters, entry_id, find_entries
from redline.web.layout import Viewer, heading
from redline.web.markup import Html, address, hidden, join, link, tag
from redline.web.times import clock, iso, long_time

_NAMED = 3
# Contents beyond this are not compared for the timeline.
_MAX_COUNTED_BYTES = 1 << 20
_ACTIONS = {"create": "new", "delete": "deleted", "move": "renamed", "mode": "mode"}


class ChangeCounter:
    """Line counts of operations, each computed once: operations never change."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._count = lru_cache(4096)(self._load)

    def count(self, operation: Operation) -> LineCounts | None:
        """Return the counts; None for large operations and lost contents."""
        steps = operation.change_set.steps
        if operation.left_out or not steps:
            return None
        sizes = [
            state.size
            for step in steps
            if isinstance(step, Change)
            for state in (step.before, step.after)
            if isinstance(state, FileState)
        ]
        return self._count(operation.id) if sum(sizes) <= _MAX_COUNTED_BYTES else None

    def _load(self, operation_id: str) -> LineCounts | None:
        try:
            return count_lines(self._runtime.history.get(operation_id).change_set)
        except RedlineError:
            return None


def timeline(
    runtime: Runtime,
    counter: ChangeCounter,
    viewer: Viewer,
    entries: Sequence[Entry],
    *,
    after: str = "",
) -> Html:
    """Return the list items of operations and runs; *after* names the group of the row above."""
    return join(_items(runtime, counter, viewer, entries, after))


def group_of(entry: Entry) -> str:
    """Return the group an entry is shown in: its day and who made it."""
    day = datetime.fromtimestamp(entry.time).astimezone().strftime("%Y-%m-%d")
    who = _who(entry)
    return f"{day}/{who.session}/{who.client}"


def _who(entry: Entry) -> Origin | CommandRun:
    return entry.origin if isinstance(entry, Operation) else entry


def _items(
    runtime: Runtime,
    counter: ChangeCounter,
    viewer: Viewer,
    entries: Sequence[Entry],
    after: str,
) -> Iterator[Html]:
    previous = after
    for entry in entries:
        group = group_of(entry)
        if group != previous:
            if group.partition("/")[0] != previous.partition("/")[0]:
                yield tag("li", tag("h2", _day(entry.time)), class_="day")
            yield _session(_who(entry), viewer)
        previous = group
        if isinstance(entry, CommandRun):
            yield run_row(entry)
        else:
            yield row(runtime, counter, entry)


def _session(origin: Origin | CommandRun, viewer: Viewer) -> Html:
    is_outside = isinstance(origin, Origin) and origin.tool == OUTSIDE
    who = origin.client or ("another program" if is_outside else "unknown client")
    facts = [tag("span", origin.principal, class_="principal")] if origin.principal else []
    undo = None
    if origin.session:
        facts.append(
            link(address("/", session=origin.session), origin.session, class_="session",
                 title="Only this session")
        )  # fmt: skip
        if viewer.can_act:
            undo = viewer.form(
                "/undo",
                hidden("session", origin.session),
                tag("button", "Undo session", class_="quiet",
                    aria_label=f"Undo session {origin.session}"),
            )  # fmt: skip
    return tag("li", tag("h3", who), facts, undo, class_="who")


def row(runtime: Runtime, counter: ChangeCounter, operation: Operation) -> Html:
    """Return one operation as a list item."""
    counts = counter.count(operation)
    origin = operation.origin
    run = runtime.runs.of_change(operation.id) if operation.kind == "change" else None
    state = "undone" if operation.reverted_by else operation.kind
    return tag(
        "li",
        tag(
            "time",
            clock(operation.time),
            datetime=iso(operation.time),
            title=long_time(operation.time),
        ),
        tag("span", origin.tool, class_=f"tool k-{operation.kind}"),
        tag(
            "span",
            link(address(f"/change/{operation.id}"), _files(runtime, operation), class_="files"),
            tag("span", origin.summary, class_="why") if origin.summary else None,
            class_="what",
        ),
        tag(
            "span",
            "undone" if operation.reverted_by else None,
            run_badge(run) if run else None,
            class_="flag",
        ),
        _counts(counts),
        class_=f"op {state}",
        id=f"op-{operation.id}",
        data_id=operation.id,
        data_group=group_of(operation),
        data_reverts=operation.reverts,
    )


def run_row(run: CommandRun) -> Html:
    """Return a run of a command that changed nothing as a list item."""
    where = None if run.cwd == "." else tag("span", f"in {run.cwd}", class_="why")
    return tag(
        "li",
        tag("time", clock(run.time), datetime=iso(run.time), title=long_time(run.time)),
        tag("span", run.tool, class_="tool k-run"),
        tag(
            "span",
            link(address(f"/run/{run.number}"), tag("code", _first_line(run.line)), class_="files"),
            where,
            class_="what",
        ),
        tag("span", "on a copy" if run.is_dry else None, run_badge(run), class_="flag"),
        tag("span", class_="pm"),
        class_=f"op run {run.status}",
        id=f"op-{entry_id(run)}",
        data_id=entry_id(run),
        data_group=group_of(run),
    )


def run_badge(run: CommandRun) -> Html:
    """Return how a command ended, and on a second look what held it."""
    kind = "running" if run.status == "running" else "failure" if run.is_failure else "success"
    return tag("span", describe_end(run), class_=f"exit {kind}", title=run.sandbox)


def describe_end(run: CommandRun) -> str:
    """Say how a command ended."""
    if run.status == "exited":
        return run.signal or f"exit {run.exit_code}"
    return {"timeout": "timed out", "failed": "not started"}.get(run.status, run.status)


def _first_line(line: str) -> str:
    first, _, rest = line.strip().partition("\n")
    return f"{first} \u2026" if rest else first


def _files(runtime: Runtime, operation: Operation) -> Html:
    if operation.kind == "checkpoint":
        return join("Checkpoint")
    if operation.kind == "grant":
        is_no = operation.origin.summary.startswith(("refused ", "denied "))
        return join("Permission refused" if is_no else "Permission given")
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    places = list_touched(operation.change_set, label)
    # Folders that a change made for its files go without saying.
    named = [place for place in places if place.kind != "directory"] or places
    parts: list[object] = [
        join(", " if n else None, _file(place)) for n, place in enumerate(named[:_NAMED])
    ]
    more = len(named) - _NAMED + operation.left_out
    if more > 0:
        parts.append(f" and {more} more")
    return join(parts or "no files")


def _file(place: Touched) -> Html:
    action = _ACTIONS.get(place.action)
    return tag(
        "span",
        draw_path(place.path),
        tag("em", action, class_=place.action) if action else None,
    )


def draw_path(path: str) -> Html:
    """Return a path with its name set off from the folders."""
    folder, _, name = path.rpartition("/")
    return join(tag("span", f"{folder}/", class_="dir") if folder else None, tag("b", name))


def _counts(counts: LineCounts | None) -> Html:
    if counts is None or counts == LineCounts():
        return tag("span", class_="pm")
    return line_counts(counts.added, counts.removed)


def line_counts(added: int, removed: int) -> Html:
    """Return how many lines were added and removed."""
    return tag(
        "span",
        tag("span", f"+{added:,}", class_="plus") if added else None,
        tag("span", f"\u2212{removed:,}", class_="minus") if removed else None,
        class_="pm",
        title=f"{added:,} lines added, {removed:,} removed",
    )


def activity_view(
    runtime: Runtime, counter: ChangeCounter, viewer: Viewer, filters: Filters, before: str | None
) -> Html:
    """Return the whole view."""
    found = find_entries(runtime, filters, before)
    items = timeline(runtime, counter, viewer, found.entries)
    is_filtered = any(filters)
    empty = None
    if not found.entries:
        text = "Nothing matches these filters." if is_filtered else "Nothing has changed yet."
        empty = tag("p", text, class_="empty")
    older = None
    if found.next_before:
        query = {**filters._asdict(), "before": found.next_before}
        older = tag(
            "p", link(address("/", **query), "Older changes", rel="next", id="older"),
            class_="more",
        )  # fmt: skip
    return join(
        heading("Activity", _filter_form(filters)),
        tag(
            "ol",
            items,
            class_="timeline",
            id="timeline",
            aria_label="Newest first",
        ),
        empty,
        older,
    )


def _filter_form(filters: Filters) -> Html:
    fields = [
        tag("label", tag("span", shown), tag("input", name=name, value=value, placeholder=example))
        for name, shown, value, example in (
            ("path", "Path", filters.path, "src/"),
            ("client", "Client", filters.client, "claude-code"),
            ("person", "Person", filters.person, "login"),
            ("tool", "Tool", filters.tool, "edit_file"),
            ("session", "Session", filters.session, "1f2e3d4c"),
            ("since", "Since", filters.since, "2h or 2026-11-16"),
            ("until", "Until", filters.until, "30m"),
        )
    ]
    options = [
        tag("option", shown, value=value, selected=value == filters.show)
        for value, shown in (("", "Everything"), (CHANGES, "Changes"), (COMMANDS, "Commands"),
                             (FAILED, "Commands that failed"))
    ]  # fmt: skip
    fields.insert(0, tag("label", tag("span", "Show"), tag("select", options, name="show")))
    search = tag(
        "input", type="search", name="q", value=filters.q, id="search", placeholder="Search",
        aria_label="Search changes", autocomplete="off",
    )  # fmt: skip
    active = sum(1 for value in filters._replace(q="") if value)
    count = tag("b", active, aria_label=f"{active} in force") if active else None
    apply = tag("div", tag("button", "Apply"), link("/", "Clear"), class_="actions")
    more = tag(
        "details",
        tag("summary", "Filters", count),
        tag("div", fields, apply),
        class_="filters",
    )
    return tag("form", search, more, method="get", action="/", role="search", class_="search")


def _day(moment: float) -> str:
    day = datetime.fromtimestamp(moment).astimezone()
    today = datetime.now().astimezone().date()
    if day.date() == today:
        return "Today"
    if day.date() == today - timedelta(days=1):
        return "Yesterday"
    return day.strftime("%A, %d %B %Y")
