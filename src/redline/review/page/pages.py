"""Routes of the review page: identify the person, check the rights, call the view or the form."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.access.rights import Right
from redline.core.errors import (
    HistoryError,
    InvalidArgument,
    NotFound,
    PathError,
    PermissionDenied,
    RedlineError,
    RightMissing,
)
from redline.core.ports.git import Committer
from redline.core.ports.history import HistoryQuery
from redline.core.ports.pages import Reviewer, WebRequest, WebResponse
from redline.core.records import replace
from redline.review.held import list_held, list_questions
from redline.review.page import forms, reading
from redline.review.page.access import ReviewAccess, read_cookie
from redline.review.page.layout import Viewer, admit, for_script
from redline.review.page.live import LiveFeed
from redline.review.page.markup import addresses_beneath
from redline.review.page.runs_and_checkpoints import error_view, sign_in_view
from redline.review.page.timeline import ChangeCounter
from redline.review.page.visit import Site, Visit, read_form
from redline.services.history.export import SESSION
from redline.services.runtime import Runtime

_PAGES: dict[str, Callable[[Visit, str], WebResponse]] = {
    "/": reading.activity,
    "/rows": reading.timeline_rows,
    "/file": reading.file_history,
    "/blame": reading.file_blame,
    "/comments": reading.comments,
    "/checkpoints": reading.checkpoints,
    "/export": reading.export,
    "/held": reading.held_changes,
    "/events": reading.events,
}
# /change/ID/NAME and, for all the changes of a session, /session/ID/NAME.
_CHANGE_VIEWS: dict[str, Callable[[Visit, str], WebResponse]] = {
    "": reading.change,
    "row": reading.timeline_row,
    "rows": reading.change_rows,
    "context": reading.change_context,
    "image": reading.change_image,
    "patch": reading.change_patch,
    "turns": reading.session_turns,
}
_FORMS: dict[str, Callable[[Visit], WebResponse]] = {
    "/undo": forms.undo,
    "/redo": forms.redo,
    "/merge": forms.merge,
    "/rewind": forms.rewind,
    "/checkpoint": forms.checkpoint,
    "/comment": forms.comment,
    "/resolve": forms.resolve,
    "/export": forms.export,
}
# /KIND/ID/VERB.
_DECISION_FORMS: dict[tuple[str, str], Callable[[Visit, str], WebResponse]] = {
    ("held", "approve"): forms.approve,
    ("held", "refuse"): forms.refuse,
    ("question", "allow"): forms.allow,
    ("question", "deny"): forms.deny,
}
# /KIND/ID.
_ITEM_PAGES: dict[str, Callable[[Visit, str], WebResponse]] = {
    "held": reading.held_change,
    "question": reading.question,
    "run": reading.run,
}
# The right that a form requires; forms not listed, which decide or comment, require `approve`.
_FORM_RIGHTS = dict.fromkeys(("/undo", "/redo", "/merge", "/rewind", "/checkpoint"), Right.WRITE)
_FORM_RIGHTS["/export"] = Right.WRITE
_THEMES = ("dark", "light")


class ReviewPages:
    """See `core.ports.pages.WebPages`.

    Anyone the transport authenticates may read. Only a person who signed in may submit a form,
    within that person's rights.
    """

    def __init__(
        self, runtime: Runtime, access: ReviewAccess, open_committer: Callable[[], Committer]
    ) -> None:
        self.access = access
        self._runtime = runtime
        feed = LiveFeed(self._version_tokens)
        self._site = Site(runtime, ChangeCounter(runtime), feed, open_committer)

    def close(self) -> None:
        """End every stream."""
        self._site.feed.close()
        for thread in self._site.warming:
            thread.join()

    def answer(self, request: WebRequest) -> WebResponse:
        """Return the response to *request*."""
        with addresses_beneath(request.prefix):
            return for_script(request, self._answer(request))

    def _answer(self, request: WebRequest) -> WebResponse:
        reviewer = self.access.reviewer(request)
        person = self.access.person(request) if reviewer is not None else ""
        reviewer = reviewer or Reviewer(rights=frozenset())
        visit = Visit(
            self._site,
            request,
            self._viewer(request, person, reviewer),
            reviewer=reviewer,
            is_admitted=lambda: self._may_read(request),
            person=person,
        )
        try:
            if request.path.startswith("/assets/"):
                return reading.own_asset(request.path.removeprefix("/assets/"))
            check_origin(request)
            if request.path == "/sign-in":
                return self._sign_in(visit)
            if Right.READ not in reviewer.rights and not request.is_authenticated:
                content = sign_in_view(was_wrong=False)
                return visit.show("Sign in", "sign-in", content, status=401)
            if request.method == "POST":
                return self._act(visit, person)
            return _with_view(visit, _find(request.path)(visit))
        except RedlineError as failure:
            return visit.show(
                "Error", "error", error_view(failure),
                status=status_of(failure),
            )  # fmt: skip

    def _may_read(self, request: WebRequest) -> bool:
        """Return whether the sender of a request may read now."""
        reviewer = self.access.reviewer(request)
        if reviewer is not None and Right.READ in reviewer.rights:
            return True
        return request.is_authenticated and request.may_still_read()

    def _viewer(self, request: WebRequest, person: str, reviewer: Reviewer) -> Viewer:
        theme, view = read_cookie(request, "redline_theme"), request.get("view")
        chosen = view or read_cookie(request, "redline_view")
        return Viewer(
            self._runtime.workspace.roots[0].path,
            self.access.cookie_name,
            self.access.visit(request) if person else "",
            theme if theme in _THEMES else "",
            chosen == "split",
            (
                ("comments", len(self._runtime.comments.list(open_only=True))),
                ("held", len(list_held(self._runtime)) + len(list_questions(self._runtime))),
            ),
            can_act=bool(person and reviewer.rights - {Right.READ}),
            can_decide=Right.APPROVE in reviewer.rights,
            mask=self._runtime.mask_for_person,
        )

    def _sign_in(self, visit: Visit) -> WebResponse:
        if visit.request.method != "POST":
            return reading.sign_in(visit, "")
        keys = read_form(visit.request).get("key", [""])
        admitted = self.access.admit(visit.request, keys[0])
        if admitted is None:
            return visit.show("Sign in", "sign-in", sign_in_view(was_wrong=True), status=403)
        return admit(admitted)

    def _act(self, visit: Visit, person: str) -> WebResponse:
        """Carry out a form that a signed-in person with the required right submitted."""
        action = _find_action(visit.request.path)
        form = read_form(visit.request)
        if not person:
            raise PermissionDenied(
                "Only a person who signed in here can do this", hint="sign in and send it again"
            )
        visit.require(_FORM_RIGHTS.get(visit.request.path, Right.APPROVE))
        answer = action(replace(visit, form=form))
        return replace(answer, actor=visit.reviewer.name) if answer.status == 303 else answer

    def _version_tokens(self) -> dict[str, str]:
        """Return a version token for polling, for each part of the page."""
        latest = self._runtime.history.list(HistoryQuery(limit=1, steps=0))
        return {
            "latest": latest[0].id if latest else "",
            "comments": self._runtime.comments.version(),
            "held": " ".join(held.id for held in list_held(self._runtime)),
            "questions": self._runtime.questions.version(),
            "runs": self._runtime.runs.version(),
        }


def check_origin(request: WebRequest) -> None:
    """Raise PermissionDenied for a request from another origin, including another local port."""
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    is_own = origin in (None, f"http://{host}", f"https://{host}")
    if not is_own or request.headers.get("sec-fetch-site") == "cross-site":
        if request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate":
            return  # a link on another site: browsers send it without SameSite=Strict cookies
        raise PermissionDenied("This page takes requests only from itself")


def _find_action(path: str) -> Callable[[Visit], WebResponse]:
    found, parts = _FORMS.get(path), path.split("/")
    if found is not None:
        return found
    decide = _DECISION_FORMS.get((parts[1], parts[3])) if len(parts) == 4 else None
    if decide is not None:
        return lambda visit: decide(visit, parts[2])
    raise NotFound(path, "There is no such form")


def _find(path: str) -> Callable[[Visit], WebResponse]:
    found = _PAGES.get(path)
    if found is not None:
        return lambda visit: found(visit, "")
    parts = path.split("/")
    if len(parts) in (3, 4) and parts[1] in ("change", SESSION):
        view = _CHANGE_VIEWS.get(parts[3] if len(parts) == 4 else "")
        if view is not None:
            ident = parts[2] if parts[1] == "change" else f"{SESSION}/{parts[2]}"
            return lambda visit: view(visit, ident)
    show = _ITEM_PAGES.get(parts[1]) if len(parts) == 3 else None
    if parts[1] == "held" and len(parts) == 4:
        show = {"rows": reading.held_rows_after, "content": reading.held_content}.get(parts[3])
    if parts[1] == "run" and parts[3:] == ["row"]:
        show = reading.run_row
    if show is not None:
        return lambda visit: show(visit, parts[2])
    raise NotFound(path, f"Nothing is served at {path[:100]}")


def _with_view(visit: Visit, answer: WebResponse) -> WebResponse:
    """Set a cookie that remembers which view of diffs the person chose."""
    view = visit.request.get("view")
    if view not in ("split", "unified"):
        return answer
    cookie = ("Set-Cookie", f"redline_view={view}; Path=/; SameSite=Strict; Max-Age=31536000")
    return WebResponse(answer.status, (*answer.headers, cookie), answer.body, answer.stream)


def status_of(failure: RedlineError) -> int:
    """Return the HTTP status with which *failure* is answered."""
    if isinstance(failure, InvalidArgument):
        return 400
    if isinstance(failure, PermissionDenied | RightMissing):
        return 403
    return 404 if isinstance(failure, NotFound | HistoryError | PathError) else 409
