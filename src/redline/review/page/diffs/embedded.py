"""Changes inside a client (MCP Apps): a page that is always the same, and what it shows.

The page talks to its client only, by messages. It takes hunks back by the tool that the agent has
for this; it approves nothing, because no server can tell who pressed a button in a client.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from redline.core.ports.history import Operation
from redline.core.ports.pages import ReviewApp
from redline.review.held import list_held, list_questions
from redline.review.page.change_view import ChangeView
from redline.review.page.decisions.held import name_files
from redline.review.page.diffs.standalone import draw_facts, draw_file
from redline.review.page.diffs.table import TableOptions
from redline.review.page.layout import Viewer, asset, heading
from redline.review.page.markup import Html, join, tag
from redline.review.page.timeline import ChangeCounter, line_counts, timeline
from redline.services.runtime import Runtime

# What one answer carries; the review page shows the rest.
_MAX_ROWS = 600
_MAX_FILES = 40
_MAX_PICTURE = 64 << 10
_MAX_WAITING = 5


class EmbeddedReview(ReviewApp):
    """See core.ports.pages.ReviewApp."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._counter = ChangeCounter(runtime)

    def write_page(self) -> str:
        """Return the page: its own style and script, and nothing else may run or load in it."""
        script = asset("embedded.js").decode("utf-8")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = (
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline';"
            " img-src data:; base-uri 'none'; form-action 'none'"
        )
        head = tag(
            "head",
            Html('<meta charset="utf-8">'),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("title", "Redline"),
            Html(f"<style>{asset('review.css').decode('utf-8')}</style>"),
        )
        body = tag(
            "body",
            tag(
                "main",
                tag("p", "Waiting for the change.", class_="empty"),
                id="main",
                tabindex="-1",
            ),
            tag("div", id="live", role="status", aria_live="polite", class_="toast"),
            Html(f"<script>{script}</script>"),
            class_="embedded",
        )
        return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"

    def draw_change(self, operation_id: str, *, can_undo: bool) -> str:
        """Return what the page shows for a change; with *can_undo* its hunks have buttons."""
        operation = self._runtime.history.get(operation_id)
        viewer = self._viewer()
        view = ChangeView.load(self._runtime, viewer, operation, {})
        can_undo = can_undo and not operation.reverted_by and bool(view.files)
        options = TableOptions(can_undo=can_undo, gone=view.gone)
        added, removed = (sum(getattr(f, n) for f in view.files) for n in ("added", "removed"))
        left, drawn = _MAX_ROWS, []
        for file in view.files[:_MAX_FILES]:
            drawn.append(draw_file(self._runtime, operation, file, options,
                                   max_rows=max(left, 0), max_picture=_MAX_PICTURE))  # fmt: skip
            left -= sum(hunk.lines.j2 - hunk.lines.j1 + 1 for hunk in file.hunks)
        hidden_files = len(view.files) - _MAX_FILES + operation.left_out
        return join(
            heading(view.title, line_counts(added, removed) if added or removed else None),
            draw_facts(operation),
            _draw_buttons() if can_undo else None,
            drawn,
            tag("p", f"{hidden_files} more files are not shown.", class_="empty")
            if hidden_files > 0
            else None,
            self._draw_waiting(),
        )

    def _viewer(self) -> Viewer:
        return Viewer(self._runtime.workspace.roots[0].path, mask=self._runtime.mask_for_person)

    def draw_list(self, operations: Sequence[Operation], *, has_older: bool) -> str:
        """Return what the page shows for a list of changes; each opens by a click."""
        viewer = self._viewer()
        rows = timeline(self._runtime, self._counter, viewer, operations)
        older = tag("p", tag("button", "Older changes", name="older", value="1"), class_="more")
        return join(
            heading("Changes"),
            tag("ol", rows, class_="timeline", aria_label="Newest first"),
            None if operations else tag("p", "Nothing has changed.", class_="empty"),
            older if has_older else None,
            self._draw_waiting(),
        )

    def _draw_waiting(self) -> Html | None:
        """Return what waits for a person, who decides elsewhere."""
        items = [
            tag("li", "A change of ", tag("code", name_files(self._runtime, held)), " ", held.id)
            for held in list_held(self._runtime)
        ]
        items += [
            tag(
                "li",
                "A command of ",
                each.client,
                ": ",
                self._runtime.mask_for_person(each.message).partition("\n")[0],
            )
            for each in list_questions(self._runtime)
        ]
        if not items:
            return None
        more = len(items) - _MAX_WAITING
        items = items[:_MAX_WAITING] + ([tag("li", f"and {more} more")] if more > 0 else [])
        return tag(
            "section",
            tag("h2", "Waiting for your decision"),
            tag("ul", items),
            tag("p", "Decide on the review page: ", tag("code", "redline review"), class_="hint"),
            class_="message waiting",
            aria_label="Waiting",
        )


def _draw_buttons() -> Html:
    return tag(
        "form",
        tag("button", "Undo change", name="all", value="1"),
        tag("button", "Undo selected hunks", class_="quiet", name="some", value="1"),
        id="undo",
        class_="actions bar-actions",
    )
