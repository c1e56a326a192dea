"""One change as a file that needs nothing else: for mail, tickets and archives."""

from __future__ import annotations

import base64

from redline.core.changes import Change, FileState
from redline.core.encodings.opening import configured_in
from redline.core.ports.history import Operation
from redline.review.page.diffs.colours import colour_diff
from redline.review.page.diffs.model import DiffShape, FileDiff, read_files
from redline.review.page.diffs.table import UNIFIED_COLUMNS, TableOptions, rows_of
from redline.review.page.layout import asset
from redline.review.page.markup import Html, facts, tag
from redline.review.page.timeline import line_counts
from redline.review.page.times import long_time
from redline.services.names import display_name
from redline.services.runtime import Runtime

# Rows beyond this are left out of the file, with a note.
_MAX_ROWS = 50_000
_MAX_PICTURE = 4 << 20
_READING = TableOptions()


def write_page(runtime: Runtime, operation: Operation) -> str:
    """Return a change as HTML without scripts, links or anything to load."""
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    files = read_files(
        operation.change_set, label, configured_in(runtime.tree), runtime.mask_for_person
    )
    facts = draw_facts(operation)
    style = Html(asset("review.css").decode("utf-8"))
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        ),
        tag("title", f"Change {operation.id}"),
        Html(f"<style>{style}</style>"),
    )
    body = tag(
        "body",
        tag(
            "main",
            tag("div", tag("h1", f"Change {operation.id}"), class_="heading"),
            facts,
            [draw_file(runtime, operation, file) for file in files],
        ),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def draw_facts(operation: Operation) -> Html:
    """Return who made a change, when, and what became of it."""
    origin = operation.origin
    return facts(
        (
            ("Change", operation.id),
            ("When", long_time(operation.time)),
            ("Tool", origin.tool),
            ("Client", origin.client),
            ("Person", origin.principal),
            ("Session", origin.session),
            ("Asked", origin.summary),
            ("Takes back", operation.reverts),
            ("Undone by", operation.reverted_by),
        )
    )


def draw_file(
    runtime: Runtime,
    operation: Operation,
    file: FileDiff,
    options: TableOptions = _READING,
    *,
    max_rows: int = _MAX_ROWS,
    max_picture: int = _MAX_PICTURE,
) -> Html:
    """Return a file of a change with nothing to load; rows beyond *max_rows* are left out."""
    touched = file.touched
    moved = f"{touched.old_path} \u2192 " if touched.old_path else ""
    badges = [touched.action, f"mode {file.mode[0]:o} \u2192 {file.mode[1]:o}" if file.mode else ""]
    heading = tag(
        "div",
        tag("h2", moved, touched.path, class_="name"),
        [tag("em", badge) for badge in badges if badge],
        line_counts(file.added, file.removed) if file.hunks else None,
        class_="file-head",
    )
    content: object = None
    if file.shape is DiffShape.TEXT:
        colours = colour_diff(runtime, file, 0, max_rows)
        rows = rows_of(file, options, colours, 0, max_rows + 1)
        cut = tag("p", "More lines are not shown.", class_="empty")
        content = [
            tag("table", tag("caption", touched.path, class_="sr"), UNIFIED_COLUMNS,
                tag("tbody", Html("".join(rows[:max_rows]))), class_="diff unified"),
            cut if len(rows) > max_rows else None,
        ]  # fmt: skip
    elif file.shape is DiffShape.BINARY:
        content = _pictures(runtime, operation, file, max_picture)
    return tag("section", heading, content, class_="file", aria_label=touched.path)


def _pictures(runtime: Runtime, operation: Operation, file: FileDiff, limit: int) -> Html:
    step = operation.change_set.steps[file.step]
    assert isinstance(step, Change)
    cells = []
    for name, state in (("Before", step.before), ("After", step.after)):
        if not isinstance(state, FileState):
            continue
        content = state.content or b""
        image = runtime.images.recognise(content) if len(content) <= limit else None
        picture = None
        if image is not None:
            data = base64.b64encode(image.data).decode("ascii")
            picture = tag("img", src=f"data:{image.mime};base64,{data}", alt=name)
        caption = tag("figcaption", f"{name}: {state.size:,} bytes")
        cells.append(tag("figure", picture, caption))
    return tag("div", cells, class_="binary")
