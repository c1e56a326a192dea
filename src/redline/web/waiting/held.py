"""Changes that a rule holds: shown, approved as they are or with an edit, refused."""

from __future__ import annotations

from time import time

from redline.core.encodings.opening import configured_in
from redline.core.ports.review import HeldChange, HeldState
from redline.services.names import display_name
from redline.services.review.held import HeldView, list_held, show_held
from redline.services.runtime import Runtime
from redline.web.activity import draw_path, line_counts
from redline.web.diffs.colours import colour_diff
from redline.web.diffs.model import DiffShape, FileDiff, read_files
from redline.web.diffs.table import UNIFIED_COLUMNS, TableOptions, rows_of
from redline.web.layout import Viewer, heading
from redline.web.markup import Html, address, facts, join, link, tag
from redline.web.times import clock, iso, long_time
from redline.web.waiting.questions import decided_questions, reason_form, waiting_questions

_MAX_ROWS = 2000
_NAMED = 3


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
        tag("h2", "Changes that a rule holds", class_="lead") if questions and waiting else None,
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
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    files = read_files(held.change_set, label, configured_in(runtime.tree))
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
        _decision(viewer, view),
        [_file(runtime, file) for file in files],
    )


def _decision(viewer: Viewer, view: HeldView) -> Html | None:
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
            tag("textarea", file.text, name=f"text:{file.touched.path}", rows="12",
                aria_label=f"New content of {file.touched.path}"))
        for file in view.files
        if file.text is not None
    ]  # fmt: skip
    where = f"/held/{held.id}"
    return join(
        tag(
            "div",
            viewer.form(
                f"{where}/approve", tag("button", "Approve", id="approve", class_="primary")
            ),
            reason_form(viewer, f"{where}/refuse", "Refuse"),
            class_="actions bar-actions",
        ),
        tag(
            "details",
            tag("summary", "Approve with an edit"),
            viewer.form(f"{where}/approve", edits, tag("button", "Approve with this content"),
                        class_="write"),
            class_="contents",
        )
        if edits
        else None,
    )  # fmt: skip


def _file(runtime: Runtime, file: FileDiff) -> Html:
    touched = file.touched
    table = None
    if file.shape is DiffShape.TEXT:
        rows = rows_of(file, TableOptions(), colour_diff(runtime, file), 0, _MAX_ROWS)
        table = tag("table", tag("caption", touched.path, class_="sr"), UNIFIED_COLUMNS,
                    tag("tbody", Html("".join(rows))), class_="diff unified")  # fmt: skip
    head = tag(
        "div",
        tag("h2", draw_path(touched.path), class_="name"),
        tag("em", touched.action),
        line_counts(file.added, file.removed) if file.hunks else None,
        class_="file-head",
    )
    return tag("section", head, table, class_="file", aria_label=touched.path)


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
