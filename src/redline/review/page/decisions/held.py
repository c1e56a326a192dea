"""Changes that a rule holds: shown, approved as they are or with an edit, refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from time import time

from redline.core.changes import Change, DirState, FileState, LinkState
from redline.core.encodings.opening import configured_in
from redline.core.errors import Conflict
from redline.core.long_lines import LONG
from redline.core.ports.review import HeldChange, HeldState
from redline.review.held import HeldView, fingerprint, list_held, show_held
from redline.review.page.decisions.questions import (
    decided_questions,
    reason_form,
    waiting_questions,
)
from redline.review.page.diffs.colours import colour_diff
from redline.review.page.diffs.model import DiffShape, FileDiff, lines_of, read_files
from redline.review.page.diffs.table import UNIFIED_COLUMNS, TableOptions, count_rows, rows_of
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, exact, facts, hidden, join, link, tag
from redline.review.page.timeline import draw_path, line_counts
from redline.review.page.times import clock, iso, long_time
from redline.services.names import display_name
from redline.services.runtime import Runtime

# How many rows a page has at once, and how many come with each request for more.
_FIRST_ROWS = 2000
MORE_ROWS = 5000
_NAMED = 3
_FORM = "approve-form"
_OPTIONS = TableOptions()


def held_list(runtime: Runtime, viewer: Viewer) -> Html:
    """Return the changes that wait, oldest first, and below them those that were decided."""
    every = list_held(runtime, decided=True)
    waiting = [held for held in every if _is_waiting(held)]
    decided = [held for held in reversed(every) if not _is_waiting(held)][:50]
    questions = waiting_questions(runtime, viewer)
    rows = [*decided_questions(runtime), *(_row(runtime, held) for held in decided)]
    empty = tag("p", "Nothing waits for a decision.", class_="empty")
    return join(
        heading("Waiting for you"),
        questions,
        tag("h2", "Held changes", class_="lead") if questions and waiting else None,
        tag("ol", [_row(runtime, held) for held in waiting], class_="timeline")
        if waiting
        else None,
        None if waiting or questions else empty,
        [tag("h2", "Decided", class_="lead"), tag("ol", rows, class_="timeline")] if rows else None,
        None if viewer.can_decide else tag("p", "Sign in to decide.", class_="hint"),
    )


def _is_waiting(held: HeldChange) -> bool:
    return held.state(time()) is HeldState.WAITING


def _row(runtime: Runtime, held: HeldChange) -> Html:
    state = held.decision.state.value if held.decision else held.state(time()).value
    why = next((ruling.reason for ruling in held.rulings if ruling.reason), "")
    return tag(
        "li",
        tag("time", clock(held.time), datetime=iso(held.time), title=long_time(held.time)),
        tag("span", held.origin.tool, class_="tool"),
        tag(
            "span",
            link(address(f"/held/{held.id}"), _files(runtime, held), class_="files"),
            tag(
                "span",
                ": ".join(filter(None, (held.origin.client, held.origin.summary))),
                f" ({why})" if why else None,
                class_="why",
            ),
            class_="what",
        ),
        tag("span", state, class_="flag"),
        class_="op",
    )


def _files(runtime: Runtime, held: HeldChange) -> Html:
    paths = [display_name(runtime.workspace, path) for path in held.change_set.paths]
    more = len(paths) - _NAMED
    named = [join(", " if n else None, draw_path(each)) for n, each in enumerate(paths[:_NAMED])]
    return join(named, f" and {more} more" if more > 0 else None)


def name_files(runtime: Runtime, held: HeldChange) -> str:
    """Name the first files of a held change."""
    paths = [display_name(runtime.workspace, path) for path in held.change_set.paths]
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def held_view(runtime: Runtime, viewer: Viewer, held_id: str) -> Html:
    """Return one held change with the rules that hold it, its diff, and the decision."""
    view = show_held(runtime, held_id)
    held, origin = view.change, view.change.origin
    files = read_held_files(runtime, held)
    rulings = [
        join(tag("b", ruling.rule), f" (line {ruling.line}): ", ruling.path,
             f" {ruling.field}" if ruling.field else None,
             f": {ruling.reason}" if ruling.reason else None)
        for ruling in held.rulings
    ]  # fmt: skip
    rows: list[tuple[str, object]] = [
        ("Held", tag("code", held.id)),
        ("Since", long_time(held.time)),
        ("Expires", long_time(held.expires)),
        ("Tool", origin.tool),
        ("Client", origin.client),
        ("Person", origin.principal),
        ("Session", origin.session),
        ("Asked", origin.summary),
        *(("Rule", ruling) for ruling in rulings),
    ]
    return join(
        heading(", ".join(file.touched.path for file in files[:2])),
        facts(rows),
        tag("p", "These files have changed since: ", ", ".join(view.stale), class_="lead error")
        if view.stale
        else None,
        _decision(viewer, view, files),
        _draw_files(runtime, held, files),
    )


def read_held_files(runtime: Runtime, held: HeldChange) -> list[FileDiff]:
    """Return what a held change would make of each file."""
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    configured = configured_in(runtime.tree)
    return read_files(held.change_set, label, configured, runtime.mask_for_person)


def _decision(viewer: Viewer, view: HeldView, files: Sequence[FileDiff]) -> Html | None:
    held, decided = view.change, view.change.decision
    if decided is not None:
        said = f"{decided.state.value} by {decided.by}, {long_time(decided.time)}"
        done = decided.operation
        return tag(
            "p", said, f": {decided.reason}" if decided.reason else None,
            join(" as ", link(address(f"/change/{done}"), done)) if done else None,
            class_="message",
        )  # fmt: skip
    if view.state is not HeldState.WAITING:
        return tag("p", f"This change has {view.state.value}.", class_="message")
    if not viewer.can_decide:
        return None
    edits = [
        tag("label", tag("span", file.touched.path),
            tag("textarea", exact(file.text), name=f"text:{file.touched.path}", rows="12",
                aria_label=f"New content of {file.touched.path}"))
        for file in view.files
        if file.text is not None
    ]  # fmt: skip
    where = f"/held/{held.id}"
    left = sum(_count(file) for file in files) > _FIRST_ROWS
    return join(
        viewer.form(
            f"{where}/approve",
            hidden("shown", fingerprint(held.change_set)),
            [_unseen_box(file, why) for file in files for why in _unseen(held, file)],
            tag("p", "Approve it when all lines below have been shown.", class_="hint",
                id="unshown") if left else None,
            tag("button", "Approve", id="approve", class_="primary", disabled=left),
            tag(
                "details",
                tag("summary", "Approve with an edit"),
                edits,
                tag("button", "Approve with this content", name="edited", value="1",
                    disabled=left),
                class_="contents",
            ) if edits else None,
            id=_FORM,
            class_="write",
        ),
        tag("div", reason_form(viewer, f"{where}/refuse", "Refuse"), class_="actions bar-actions"),
    )  # fmt: skip


# -- what is shown, and what is not ---------------------------------------------------------------


def _count(file: FileDiff) -> int:
    return count_rows(file, _OPTIONS) if file.shape is DiffShape.TEXT else 0


def _seen_mark(held: HeldChange, file: FileDiff) -> str:
    """Return what the last rows of a file carry: an approval needs it for every long file."""
    whole = f"{fingerprint(held.change_set)} {file.step}"
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _unseen(held: HeldChange, file: FileDiff) -> list[str]:
    """Return what the page does not show of a file, each as a statement."""
    if file.shape is DiffShape.BINARY:
        step = held.change_set.steps[file.step]
        assert isinstance(step, Change)
        sides = (("now", step.before), ("then", step.after))
        facts = [
            f"{name} {state.size:,} bytes, SHA-256 {state.digest}"
            for name, state in sides
            if isinstance(state, FileState)
        ]
        return [f"is binary, or too large to be compared: {'; '.join(facts)}"]
    long = sum(
        len(line.content) > LONG
        for hunk in file.hunks
        for line in lines_of(file, hunk)
        if line.sign != " "
    )
    return [f"has {long:,} lines over {LONG:,} characters that are shown in part"] if long else []


def _unseen_box(file: FileDiff, why: str) -> Html:
    box = tag("input", type="checkbox", name="unseen", value=file.step, required=True)
    return tag("label", box, tag("span", file.touched.path, " ", why,
               ". Approve what is not shown of it."), class_="unseen")  # fmt: skip


def check_shown(
    view: HeldView, files: Sequence[FileDiff], form: Mapping[str, Sequence[str]]
) -> str:
    """Return the fingerprint of what a person approves; Conflict unless all of it was shown."""
    held = view.change
    unsaid = [
        file
        for file in files
        if _unseen(held, file) and str(file.step) not in form.get("unseen", ())
    ]
    unshown = []
    if sum(_count(file) for file in files) > _FIRST_ROWS:
        seen = form.get("seen", ())
        unshown = [f for f in files if _count(f) and _seen_mark(held, f) not in seen]
    if unsaid or unshown:
        names = ", ".join(file.touched.path for file in (*unsaid, *unshown)[:_NAMED])
        raise Conflict(
            f"Not everything that would be approved was shown: {names}",
            hint="look at all of the held change, and say so where it cannot be shown",
        )
    return (form.get("shown") or [""])[0]


def _draw_files(runtime: Runtime, held: HeldChange, files: Sequence[FileDiff]) -> list[Html]:
    left, drawn = _FIRST_ROWS, []
    is_whole = sum(_count(file) for file in files) <= _FIRST_ROWS
    for file in files:
        count = min(_count(file), left)
        left -= count
        rows = held_rows(runtime, held, file, 0, count, is_whole=is_whole)
        drawn.append(_file(held, file, rows))
    return drawn


def held_rows(
    runtime: Runtime,
    held: HeldChange,
    file: FileDiff,
    start: int,
    count: int = MORE_ROWS,
    *,
    is_whole: bool = False,
) -> Html:
    """Return some rows of a file; behind them a link to the next, or the mark of the last."""
    total = _count(file)
    end = min(total, start + count)
    rows: list[str] = []
    if end > start:
        colours = colour_diff(runtime, file, start, end - start)
        rows = rows_of(file, _OPTIONS, colours, start, end - start)
    rest = None
    if end < total:
        where = address(f"/held/{held.id}/rows", file=str(file.step), from_=str(end))
        rest = link(where, f"Show {total - end:,} more lines", class_="load")
    elif total and not is_whole:
        rest = tag("input", type="hidden", form=_FORM, name="seen", value=_seen_mark(held, file))
    last = tag("tr", tag("td", rest, colspan=_OPTIONS.columns), class_="rest") if rest else None
    return join(Html("".join(rows)), last)


def _file(held: HeldChange, file: FileDiff, rows: Html) -> Html:
    touched = file.touched
    table = None
    if file.shape is DiffShape.TEXT:
        table = tag("table", tag("caption", touched.path, class_="sr"), UNIFIED_COLUMNS,
                    tag("tbody", rows), class_="diff unified")  # fmt: skip
    unseen = _unseen(held, file)
    head = tag(
        "div",
        tag("h2", tag("span", touched.old_path, " \u2192 ", class_="dir") if touched.old_path
            else None, draw_path(touched.path), class_="name"),
        tag("em", touched.action),
        [tag("em", fact) for fact in (_kind(held, file), _mode(held, file)) if fact],
        line_counts(file.added, file.removed) if file.hunks else None,
        class_="file-head",
    )  # fmt: skip
    return tag(
        "section",
        head,
        [tag("p", "This file ", why, ". ", _contents(held, file), class_="lead") for why in unseen],
        table,
        class_="file",
        aria_label=touched.path,
    )


def _kind(held: HeldChange, file: FileDiff) -> str:
    """Say what is no plain file: the text of a link alone looks like that of a file."""
    step = held.change_set.steps[file.step]
    if not isinstance(step, Change):
        return ""
    kinds = {LinkState: "link to what the text names", DirState: "directory"}
    was, becomes = (kinds.get(type(state), "") for state in (step.before, step.after))
    return becomes or (f"was a {was}" if was else "")


def _mode(held: HeldChange, file: FileDiff) -> str:
    """Name permissions where they change, or where something new may be run or written by all."""
    step = held.change_set.steps[file.step]
    if file.mode:
        return f"mode {file.mode[0]:o} \u2192 {file.mode[1]:o}"
    mode = getattr(step.after, "mode", None) if isinstance(step, Change) else None
    unusual = 0o133 if isinstance(getattr(step, "after", None), FileState) else 0o1022
    return f"mode {mode:o}" if mode and mode & unusual else ""


def _contents(held: HeldChange, file: FileDiff) -> list[Html]:
    """Return links to the whole of both versions, where they are kept."""
    step = held.change_set.steps[file.step]
    assert isinstance(step, Change)
    sides = (("old", "Save it as it is now", step.before),
             ("new", "Save it as it would be", step.after))  # fmt: skip
    name = file.touched.path.rpartition("/")[2]
    return [
        link(address(f"/held/{held.id}/content", file=str(file.step), side=side), says, " ",
             download=name)
        for side, says, state in sides
        if isinstance(state, FileState) and state.content is not None
    ]  # fmt: skip


def read_edits(view: HeldView, form: dict[str, str]) -> dict[str, str]:
    """Return the contents that a person changed; forms end lines with CRLF, files may not."""
    found = {}
    for file in view.files:
        given = form.get(f"text:{file.touched.path}")
        if given is None or file.text is None:
            continue
        content = given.replace("\r\n", "\n")
        if "\r\n" in file.text:
            content = content.replace("\n", "\r\n")
        if content != file.text:
            found[file.touched.path] = content
    return found
