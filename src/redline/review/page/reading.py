"""What a person can look at: one function for each address."""

from __future__ import annotations

from redline.core.changes import Change, FileState
from redline.core.errors import InvalidArgument, NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import CommandRun
from redline.core.ports.history import Operation
from redline.core.ports.pages import WebResponse
from redline.core.ports.review import HeldChange
from redline.review.page.change_view import MORE_ROWS
from redline.review.page.decisions.held import held_list, held_rows, held_view, read_held_files
from redline.review.page.decisions.questions import question_view
from redline.review.page.diffs.colours import colour_text
from redline.review.page.diffs.model import FileDiff
from redline.review.page.diffs.table import ColouredSides, context_rows, count_rows
from redline.review.page.file_views import blame_view, history_view
from redline.review.page.filters import Filters, find_entries, find_newer
from redline.review.page.layout import ASSETS, ICON, SECURITY, asset, heading, html_response
from redline.review.page.markup import Html, address, join, link, tag
from redline.review.page.runs_and_checkpoints import (
    checkpoints_view,
    comments_view,
    export_view,
    run_view,
    sign_in_view,
)
from redline.review.page.session_view import at_work, turn_list, turns_at_work
from redline.review.page.timeline import activity_view, row, timeline
from redline.review.page.timeline import run_row as draw_run
from redline.review.page.visit import Visit
from redline.services.history.export import patch_of

_MAX_PICTURE = 2 << 20
_MAX_SIDE = 2000
_MAX_EXPORTED = 200


def activity(visit: Visit, _: str) -> WebResponse:
    """Return the timeline."""
    filters = Filters.read(visit.request)
    before = visit.request.get("before") or None
    content = activity_view(visit.runtime, visit.site.counter, visit.viewer, filters, before)
    working = turns_at_work(visit.runtime)
    if working:
        visit.warm(working[0].session)
    content = join(at_work(working), content)
    return visit.show("Activity", "activity", content, message=_message(visit))


def _message(visit: Visit) -> Html | None:
    """Say what was just done, with the way back."""
    done = visit.request.get("done")
    if not done:
        return None
    operation = visit.operation(done)
    what = {"undo": "Undone", "redo": "Redone", "checkpoint": "Checkpoint made"}.get(
        operation.kind, "Done"
    )
    again = "Redo" if operation.kind == "undo" else "Undo"
    back = None
    if visit.viewer.can_act and operation.kind in ("undo", "redo", "change"):
        back = visit.viewer.form(
            "/undo",
            tag("input", type="hidden", name="id", value=operation.id),
            tag("button", again, class_="quiet", name="all", value="1"),
        )
    return join(
        tag("span", f"{what} as change "),
        link(address(f"/change/{operation.id}"), operation.id),
        back,
    )


def timeline_rows(visit: Visit, _: str) -> WebResponse:
    """More of the timeline, for the script: older rows, or those that are new."""
    request, filters = visit.request, Filters.read(visit.request)
    viewer, counter = visit.viewer, visit.site.counter
    if "newer" in request.query:
        newer = find_newer(visit.runtime, filters, request.get("newer"))
        if newer is None:
            return html_response(b"", 205)
        items = timeline(visit.runtime, counter, viewer, newer)
        return html_response(items.encode("utf-8", "replace"))
    page = find_entries(visit.runtime, filters, request.get("before") or None)
    after = request.get("after")
    items = timeline(visit.runtime, counter, viewer, page.entries, after=after)
    headers = (("X-Next", page.next_before or ""),)
    return html_response(items.encode("utf-8", "replace"), 200, headers)


def timeline_row(visit: Visit, ident: str) -> WebResponse:
    """Return one row of the timeline as it is now."""
    operation, counter = visit.operation(ident), visit.site.counter
    counter.learn_prompts([operation])
    found = row(visit.runtime, counter, operation)
    return html_response(found.encode("utf-8", "replace"))


def change(visit: Visit, ident: str) -> WebResponse:
    """Return one change."""
    view = visit.change(ident)
    title, kind = (
        (view.title, "session") if view.session else (f"Change {view.operation.id}", "change")
    )
    return visit.show(title, kind, view.draw(), message=_message(visit))


def session_turns(visit: Visit, ident: str) -> WebResponse:
    """Return the turns of a long session, for the script."""
    session = visit.change(ident, is_part=True).session
    if session is None:
        raise NotFound(ident, "Only a session has turns")
    found = turn_list(visit.runtime, visit.viewer, session)
    return html_response(found.encode("utf-8", "replace"))


def _file(visit: Visit, ident: str) -> FileDiff:
    files = visit.change(ident, is_part=True).files
    number = visit.number("file")
    if number >= len(files):
        raise InvalidArgument("The change has no such file", field="file")
    return files[number]


def change_rows(visit: Visit, ident: str) -> WebResponse:
    """More rows of a file: a fragment for the script, else a page."""
    view = visit.change(ident, is_part=True)
    file, start = _file(visit, ident), visit.number("from")
    total = count_rows(file, view.options)
    end = min(total, start + MORE_ROWS)
    rows = join(view.rows(file, start, end - start), view.more(file, total, end))
    return _part(visit, file, rows, ident)


def change_context(visit: Visit, ident: str) -> WebResponse:
    """Unchanged lines between two hunks."""
    view = visit.change(ident, is_part=True)
    file, start, end = _file(visit, ident), visit.number("from"), visit.number("to")
    end = min(end, start + 2000, len(file.new_lines))
    path, lines = file.touched.path, file.new_lines
    colours = ColouredSides({}, colour_text(visit.runtime, path, lines, [(start, end)]))
    rows = context_rows(file, view.options, colours, start, end)
    return _part(visit, file, Html("".join(rows)), ident)


def _part(visit: Visit, file: FileDiff, rows: Html, ident: str) -> WebResponse:
    if visit.request.headers.get("x-redline") == "part":
        return html_response(rows.encode("utf-8", "replace"))
    view = visit.change(ident, is_part=True)
    table = tag("section", view.table(file, rows), class_="file", aria_label=file.touched.path)
    back = link(address(view.base), "Back to the change")
    return visit.show(view.title, "change", heading(file.touched.path, back), table)


def change_image(visit: Visit, ident: str) -> WebResponse:
    """Return a picture of a change, before or after it."""
    step = visit.operation(ident).change_set.steps[_file(visit, ident).step]
    side = visit.request.get("side")
    state = getattr(step, "before" if side == "old" else "after", None)
    content = state.content if isinstance(step, Change) and isinstance(state, FileState) else None
    image = visit.runtime.images.recognise(content) if content else None
    if image is None:
        raise NotFound("image", "There is no such picture")
    image = visit.runtime.images.fit(image, width=_MAX_SIDE, height=_MAX_SIDE, limit=_MAX_PICTURE)
    headers = (("Content-Type", image.mime), ("Cache-Control", "private, max-age=3600"), *SECURITY)
    return WebResponse(200, headers, image.data)


def change_patch(visit: Visit, ident: str) -> WebResponse:
    """Return a change as a patch."""
    return patch_response(visit, [visit.operation(ident)])


def patch_response(visit: Visit, operations: list[Operation]) -> WebResponse:
    """Return changes as one file for `git apply`."""
    patch = patch_of(visit.runtime, visit.site.open_committer, operations)
    name = operations[0].id if len(operations) == 1 else "changes"
    headers = (
        ("Content-Type", "text/x-patch"),
        ("Content-Disposition", f'attachment; filename="{name}.patch"'),
        *SECURITY,
    )
    return WebResponse(200, headers, patch)


def run(visit: Visit, number: str) -> WebResponse:
    """Return one run of a command."""
    found = _run(visit, number)
    return visit.show(f"Run {number}", "run", run_view(visit.runtime, found))


def run_row(visit: Visit, number: str) -> WebResponse:
    """A run in the timeline as it is now; nothing where the change it made is shown instead."""
    found = _run(visit, number)
    if found.change and Filters.read(visit.request).show == "":
        return html_response(b"", 200, (("X-Change", found.change),))
    return html_response(draw_run(visit.runtime, found).encode("utf-8", "replace"))


def _run(visit: Visit, number: str) -> CommandRun:
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    found = visit.runtime.runs.get(int(number)) if is_number else None
    if found is None:
        raise NotFound(number, "There is no such run")
    return found


def file_history(visit: Visit, _: str) -> WebResponse:
    """Return the changes of a file."""
    path = visit.request.get("path")
    return visit.show(path, "file", history_view(visit.runtime, visit.site.counter, path))


def file_blame(visit: Visit, _: str) -> WebResponse:
    """Return which change made each line of a file."""
    path = visit.request.get("path")
    return visit.show(path, "blame", blame_view(visit.runtime, path))


def comments(visit: Visit, _: str) -> WebResponse:
    """Return every comment."""
    found = visit.runtime.comments.list()
    return visit.show("Comments", "comments", comments_view(visit.viewer, found))


def checkpoints(visit: Visit, _: str) -> WebResponse:
    """Return the points to go back to."""
    content = checkpoints_view(visit.runtime, visit.viewer)
    return visit.show("Checkpoints", "checkpoints", content, message=_message(visit))


def held_changes(visit: Visit, _: str) -> WebResponse:
    """Return the changes that wait for a decision."""
    return visit.show("Waiting", "held", held_list(visit.runtime, visit.viewer))


def held_change(visit: Visit, ident: str) -> WebResponse:
    """Return one change that a rule holds."""
    content = held_view(visit.runtime, visit.viewer, ident)
    return visit.show(f"Held {ident}", "held", content)


def held_rows_after(visit: Visit, ident: str) -> WebResponse:
    """More rows of a file of a held change, for the script."""
    held, file = _held_file(visit, ident)
    rows = held_rows(visit.runtime, held, file, visit.number("from"))
    return html_response(rows.encode("utf-8", "replace"))


def held_content(visit: Visit, ident: str) -> WebResponse:
    """Return a file of a held change, whole: as it is now, or as it would be."""
    held, file = _held_file(visit, ident)
    step = held.change_set.steps[file.step]
    side = "before" if visit.request.get("side") == "old" else "after"
    state = getattr(step, side, None)
    if not isinstance(state, FileState) or state.content is None:
        raise NotFound("content", "There is no such content")
    headers = (
        ("Content-Type", "application/octet-stream"),
        ("Content-Disposition", 'attachment; filename="content"'),
        ("Cache-Control", "no-store"),
        *SECURITY,
    )
    return WebResponse(200, headers, state.content)


def _held_file(visit: Visit, ident: str) -> tuple[HeldChange, FileDiff]:
    held = visit.runtime.held.get(ident)
    files, number = read_held_files(visit.runtime, held), visit.number("file")
    if number >= len(files):
        raise InvalidArgument("The change has no such file", field="file")
    return held, files[number]


def question(visit: Visit, ident: str) -> WebResponse:
    """Return one question about a command."""
    found = visit.runtime.questions.get(ident)
    return visit.show("A command asks", "held", question_view(visit.viewer, found))


def export(visit: Visit, _: str) -> WebResponse:
    """Return the form that hands changes on."""
    idents = visit.request.query.get("id", ())[:_MAX_EXPORTED]
    operations = [visit.operation(ident) for ident in idents]
    if not operations:
        raise InvalidArgument("No change is selected", field="id")
    top = WorkspacePath(0, ())
    has_git = visit.runtime.git.status(top, untracked=False) is not None
    done = visit.request.get("commit")
    message = tag("span", "Committed as ", tag("code", done)) if done else None
    content = export_view(visit.viewer, operations, has_git=has_git)
    return visit.show("Export", "export", content, message=message)


def sign_in(visit: Visit, _: str) -> WebResponse:
    """Return the form that takes a key."""
    return visit.show("Sign in", "sign-in", sign_in_view(was_wrong=False))


def events(visit: Visit, _: str) -> WebResponse:
    """Return a stream of what is new."""
    headers = (
        ("Content-Type", "text/event-stream"),
        ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"),
    )
    stream = visit.site.feed.events(visit.is_admitted)
    return WebResponse(200, headers, stream=stream, reader=visit.person)


def own_asset(name: str) -> WebResponse:
    """Return the script, the stylesheet or the icon."""
    cached = ("Cache-Control", "public, max-age=31536000, immutable")
    if name == "icon.svg":
        kind = ("Content-Type", "image/svg+xml")
        return WebResponse(200, (kind, cached, *SECURITY), ICON.encode())
    if name not in ASSETS:
        raise NotFound(name, "There is no such file")
    return WebResponse(200, (("Content-Type", ASSETS[name]), cached, *SECURITY), asset(name))
