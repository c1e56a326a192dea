"""What the views of one request share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from urllib.parse import parse_qs

from redline.core.access.rights import Right
from redline.core.changes import Change
from redline.core.errors import InvalidArgument, RedlineError, RightMissing
from redline.core.ports.git import Committer
from redline.core.ports.history import Operation
from redline.core.ports.pages import Reviewer, WebRequest, WebResponse
from redline.core.records import dataclass, field
from redline.review.comments import find_line
from redline.review.page.change_view import ChangeView
from redline.review.page.layout import Viewer, html_response, page
from redline.review.page.live import LiveFeed
from redline.review.page.markup import Html
from redline.review.page.runs_and_checkpoints import comment_box, comment_form
from redline.review.page.timeline import ChangeCounter
from redline.services.history.export import SESSION, WorkSession, read_session
from redline.services.history.references import find_operation
from redline.services.names import display_name
from redline.services.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Site:
    """One workspace and what is kept for its pages; `open_committer` commits to its repository."""

    runtime: Runtime
    counter: ChangeCounter
    feed: LiveFeed
    open_committer: Callable[[], Committer]
    # The change that was looked at last: its rows are asked for in parts.
    loaded: dict[str, ChangeView] = field(default_factory=dict)
    # The thread that draws a page before it is asked for, if one was started.
    warming: list[Thread] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of one person."""

    site: Site
    request: WebRequest
    viewer: Viewer
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reviewer: Reviewer = field(default_factory=Reviewer)
    # Whether the person may still read, and who that is.
    is_admitted: Callable[[], bool] = lambda: True
    person: str = ""

    @property
    def name(self) -> str:
        """Who decides or comments here."""
        return self.reviewer.name or "the reviewer"

    @property
    def only_of(self) -> str | None:
        """The principal whose changes alone this person may take back; None: it may all."""
        return None if Right.UNDO_OTHERS in self.reviewer.rights else self.reviewer.name

    def require(self, right: Right) -> None:
        """Refuse a person without *right*; RightMissing."""
        if right not in self.reviewer.rights:
            raise RightMissing(
                f"{self.name} does not have the right to {right} here",
                hint="the person who runs this server can give it",
            )

    @property
    def runtime(self) -> Runtime:
        """The workspace."""
        return self.site.runtime

    def field(self, name: str) -> str:
        """Return the first value of a form's field, "" without one."""
        found = self.form.get(name)
        return found[0] if found else ""

    def number(self, name: str) -> int:
        """Return a number of the query."""
        text = self.request.get(name)
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise InvalidArgument(f"Not a number: {text[:40]}", field=name)
        return int(text)

    def operations_of(self, ident: str) -> list[str]:
        """Return the change that an id names, or those that a session's combined change holds."""
        if not ident.startswith(f"{SESSION}/"):
            return [find_operation(self.runtime.history, ident)]
        made = read_session(self.runtime, ident.removeprefix(f"{SESSION}/")).operations
        return [each.id for each in made if each.kind == "change" and not each.reverted_by]

    def operation(self, ident: str) -> Operation:
        """Return an operation with contents, or a whole session as one."""
        if ident.startswith(f"{SESSION}/"):
            return read_session(self.runtime, ident.removeprefix(f"{SESSION}/")).combined
        return self.runtime.history.get(find_operation(self.runtime.history, ident))

    def change(self, ident: str, *, is_part: bool = False) -> ChangeView:
        """Return the view of a change; a part of one that was just shown is not read again."""
        loaded = self.site.loaded
        known = loaded.get(ident)
        if is_part and known is not None and known.viewer == self.viewer:
            return known
        session = None
        if ident.startswith(f"{SESSION}/"):
            session = read_session(self.runtime, ident.removeprefix(f"{SESSION}/"))
        operation = session.combined if session else self.operation(ident)
        # What an operation did never changes; what became of it since does.
        is_known = known is not None and known.operation.id == operation.id
        if session and known:
            is_known = known.operation == operation
        files = known.files if known and is_known else None
        notes = self._notes(operation, session)
        found = ChangeView.load(self.runtime, self.viewer, operation, notes, files, session)
        while len(loaded) >= 8:
            loaded.pop(next(iter(loaded)), None)
        loaded[ident] = found
        return found

    def warm(self, name: str) -> None:
        """Draw a session in a thread, so that its page is quick when the person first opens it."""
        site = self.site
        if f"{SESSION}/{name}" not in site.loaded and not any(t.is_alive() for t in site.warming):
            site.warming[:] = [Thread(target=self._warm, args=(name,), daemon=True)]
            site.warming[0].start()

    def _warm(self, name: str) -> None:
        with suppress(RedlineError, OSError):  # the person who opens the page sees the error
            self.change(f"{SESSION}/{name}").draw()

    def _notes(
        self, operation: Operation, session: WorkSession | None
    ) -> dict[tuple[int, str, int], list[Html]]:
        """Return the comments on a change or on those of a session, and the form for a new one."""
        found: dict[tuple[int, str, int], list[Html]] = {}
        made = {each.id for each in session.operations} if session else {operation.id}
        single = "" if session else operation.id
        listed = [c for c in self.runtime.comments.list(operation=single) if c.operation in made]
        steps: dict[str, tuple[int, Change]] = {
            display_name(self.runtime.workspace, step.path): (number, step)
            for number, step in enumerate(operation.change_set.steps)
            if listed and isinstance(step, Change)
        }
        for comment in listed:
            number, step = steps.get(comment.path, (-1, None))
            line: int | None = comment.line
            if session and step is not None:
                state = step.before if comment.side == "old" else step.after
                line = find_line(state, comment.line, comment.quote)
            if line is not None:
                box = comment_box(comment, self.viewer)
                found.setdefault((number, comment.side, line), []).append(box)
        number_text, _, rest = self.request.get("comment").partition(":")
        side, _, at = rest.partition(":")
        is_place = number_text.isdigit() and at.isdigit() and side in ("old", "new")
        if is_place and self.viewer.can_act:
            form = comment_form(self.viewer, operation.id, int(number_text), side, int(at))
            found.setdefault((int(number_text), side, int(at)), []).append(form)
        return found

    def show(
        self, title: str, view: str, *content: object, message: object = None, status: int = 200
    ) -> WebResponse:
        """Return a whole page."""
        return html_response(page(title, view, self.viewer, *content, message=message), status)


def read_form(request: WebRequest) -> dict[str, list[str]]:
    """Return the fields of a posted form; InvalidArgument for another kind of body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InvalidArgument("Only forms can be posted here", field="content-type")
    text = request.body.decode("utf-8", "replace")
    return parse_qs(text, keep_blank_values=True, max_num_fields=5000)
