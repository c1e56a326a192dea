"""The timeline: operations and runs of commands, newest first, grouped by day and session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from redline.core.changes import Change, FileState
from redline.core.errors import RedlineError
from redline.core.line_diff import LineCounts
from redline.core.ports.commands import CommandRun
from redline.core.ports.history import GIT, HistoryQuery, Operation, Origin
from redline.plan.describe import Touched, name_first
from redline.review.held import list_held
from redline.review.page.filters import (
    CHANGES,
    COMMANDS,
    FAILED,
    Entry,
    Filters,
    entry_id,
    find_entries,
)
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, hidden, join, link, tag
from redline.review.page.times import iso, long_time, relative
from redline.services.history.lines import count_lines
from redline.services.history.turns import list_turns, name_actor, name_agent
from redline.services.names import display_name
from redline.services.runtime import Runtime

_NAMED = 3
# How many of the latest operations are read for prompts and for what filters offer.
_RECENT = 1000
_MAX_KNOWN = 20_000
# A longer path in the list shows the first and the last of its folders, and its name.
_MAX_PATH = 48
# Contents beyond this are not compared for the timeline.
_MAX_COUNTED_BYTES = 1 << 20
_VERSION = re.compile(r" \S*\d\S*$")
_ACTIONS = {"create": "new", "delete": "deleted", "move": "renamed", "mode": "mode"}


class ChangeCounter:
    """Line counts and prompts of operations, each found once: operations never change."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._count = lru_cache(4096)(self._load)
        self._asked: dict[str, str] = {}
        # Who approved a change that a rule held, by the change.
        self.approved: dict[str, str] = {}
        self.approvals: set[str] = set()

    def describe_request(self, operation: Operation) -> str:
        """Return the first words of the prompt for which a change was made; else its summary.

        A summary that says no more than the tool and the file is left out.
        """
        asked, origin = self._asked.get(operation.id), operation.origin
        is_call = operation.kind == "change" and origin.summary.startswith(f"{origin.tool} ")
        return asked or ("" if is_call else origin.summary)

    def learn_prompts(self, entries: Sequence[Entry]) -> None:
        """Find the prompts of *entries*, and who approved those that a rule held."""
        decided = [(held.id, held.decision) for held in list_held(self._runtime, decided=True)]
        self.approved = {made.operation: made.by for _, made in decided if made and made.operation}
        self.approvals = {name for name, made in decided if made and made.operation}
        unknown = [each.id for each in entries if isinstance(each, Operation)]
        if all(name in self._asked for name in unknown):
            return
        if len(self._asked) > _MAX_KNOWN:
            self._asked.clear()
        self._asked |= dict.fromkeys(unknown, "")
        for turn in list_turns(self._runtime.history, _RECENT):
            self._asked |= {operation.id: turn.words for operation in turn.operations}

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
    counter.learn_prompts(entries)
    # An approval is shown with what it approved.
    shown = [
        each
        for each in entries
        if isinstance(each, CommandRun)
        or each.kind != "grant"
        or not {*each.origin.summary.split()[1:2]} & counter.approvals
    ]
    return join(_items(runtime, counter, viewer, shown, after))


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
    folded: list[Operation] = []
    for number, entry in enumerate(entries):
        if number and _continues(entries[number - 1], entry):
            assert isinstance(entry, Operation)
            folded.append(entry)
            continue
        if folded:
            yield _fold(runtime, counter, folded)
            folded = []
        group = group_of(entry)
        if group != previous:
            if group.partition("/")[0] != previous.partition("/")[0]:
                yield tag("li", tag("h2", _day(entry.time)), class_="day")
            yield _session(_who(entry), viewer)
        previous = group
        if isinstance(entry, CommandRun):
            yield run_row(runtime, entry)
        else:
            yield row(runtime, counter, entry)
    if folded:
        yield _fold(runtime, counter, folded)


def _continues(newer: Entry, entry: Entry) -> bool:
    """Whether *entry* is an earlier edit of the one file that *newer* edited, in one run of them.

    What was undone since is not folded away.
    """
    if not (isinstance(newer, Operation) and isinstance(entry, Operation)):
        return False
    paths = [{*each.change_set.paths} for each in (newer, entry)]
    is_plain = all(
        each.kind == "change" and not each.reverted_by and not each.left_out
        for each in (newer, entry)
    )
    return (
        is_plain
        and len(paths[0]) == 1
        and paths[0] == paths[1]
        and group_of(newer) == group_of(entry)
    )


def _fold(runtime: Runtime, counter: ChangeCounter, folded: Sequence[Operation]) -> Html:
    """Return earlier edits of the file in the row above, closed."""
    shown = f"{len(folded)} earlier edit{'' if len(folded) == 1 else 's'} of this file"
    rows = [row(runtime, counter, each) for each in folded]
    return tag(
        "li",
        tag("details", tag("summary", shown), tag("ol", rows)),
        class_="folded",
        data_group=group_of(folded[-1]),
    )


def _session(origin: Origin | CommandRun, viewer: Viewer) -> Html:
    who = name_actor(origin) if isinstance(origin, Origin) else name_agent(origin.client)
    facts = [tag("span", origin.principal, class_="principal")] if origin.principal else []
    undo = None
    if origin.session:
        facts.append(
            link(address(f"/session/{origin.session}"), "Session", class_="session",
                 title=f"All that session {origin.session} did",
                 aria_label=f"Session {origin.session}")
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
    counts, asked = counter.count(operation), counter.describe_request(operation)
    origin = operation.origin
    run = runtime.runs.of_change(operation.id) if operation.kind in ("change", GIT) else None
    why = ", ".join(dict.fromkeys(filter(None, (asked, operation.git))))
    state = "undone" if operation.reverted_by else operation.kind
    approved = counter.approved.get(operation.id)
    return tag(
        "li",
        tag(
            "time",
            relative(operation.time),
            datetime=iso(operation.time),
            title=long_time(operation.time),
        ),
        tag("span", origin.tool, class_=f"tool k-{operation.kind}"),
        tag(
            "span",
            link(address(f"/change/{operation.id}"), _files(runtime, operation), class_="files"),
            tag("span", why, class_="why", title=origin.summary) if why else None,
            class_="what",
        ),
        tag(
            "span",
            "undone" if operation.reverted_by else None,
            f"approved by {approved}" if approved else None,
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


def run_row(runtime: Runtime, run: CommandRun) -> Html:
    """Return a run of a command that changed nothing as a list item."""
    line = _first_line(runtime.mask_for_person(run.line))
    where = None if run.cwd == "." else tag("span", f"in {run.cwd}", class_="why")
    return tag(
        "li",
        tag("time", relative(run.time), datetime=iso(run.time), title=long_time(run.time)),
        tag("span", run.tool, class_="tool k-run"),
        tag(
            "span",
            link(address(f"/run/{run.number}"), tag("code", line), class_="files"),
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
    if operation.kind == GIT:
        return join("No file changed")
    if operation.kind == "grant":
        is_no = operation.origin.summary.startswith(("refused ", "denied "))
        return join("Permission refused" if is_no else "Permission given")
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    named, more = name_first(operation.change_set, label, _NAMED)
    more += operation.left_out
    parts: list[object] = [join(", " if n else None, _file(place)) for n, place in enumerate(named)]
    if more:
        parts.append(f" and {more} more")
    return join(parts or "no files")


def _file(place: Touched) -> Html:
    action = _ACTIONS.get(place.action)
    return tag(
        "span",
        draw_path(_shorten(place.path)),
        tag("em", action, class_=place.action) if action else None,
        title=place.path,
    )


def _shorten(path: str) -> str:
    """Return a path whose middle folders are left out if it is long; its name stays whole."""
    folders = path.split("/")
    if len(path) <= _MAX_PATH or len(folders) < 4:
        return path
    return "/".join((*folders[: 1 if folders[0] else 2], "\u2026", *folders[-2:]))


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
        empty = tag("p", "Nothing matches these filters. ", link("/", "Show everything"),
                    class_="empty") if is_filtered else _nothing_yet()  # fmt: skip
    older = None
    if found.next_before:
        query = {**filters._asdict(), "before": found.next_before}
        older = tag(
            "p", link(address("/", **query), "Older changes", rel="next", id="older"),
            class_="more",
        )  # fmt: skip
    return join(
        heading("Activity", _filter_form(runtime, filters)),
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


def _nothing_yet() -> Html:
    """Return what helps on a page without any change."""
    return tag(
        "div",
        tag("p", "Nothing has changed yet."),
        tag("p", "Changes show up here as they happen. ", tag("code", "redline setup"),
            " connects an agent, ", tag("code", "redline hooks install"),
            " tells the history its prompts.", class_="hint"),
        class_="empty",
    )  # fmt: skip


def _list_known(runtime: Runtime) -> dict[str, list[str]]:
    """Return the clients and tools of the latest operations, for the filters."""
    origins = [each.origin for each in runtime.history.list(HistoryQuery(limit=_RECENT, steps=0))]
    clients = {_VERSION.sub("", origin.client) for origin in origins}
    return {"client": sorted(clients - {""}), "tool": sorted({origin.tool for origin in origins})}


def _filter_form(runtime: Runtime, filters: Filters) -> Html:
    offered = _list_known(runtime)
    lists = [
        tag("datalist", [tag("option", value=value) for value in values], id=f"known-{name}")
        for name, values in offered.items()
    ]
    fields = [
        tag(
            "label",
            tag("span", shown),
            tag(
                "input",
                name=name,
                value=value,
                placeholder=example,
                list=f"known-{name}" if name in offered else None,
            ),
        )
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
        tag("div", fields, lists, apply),
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
