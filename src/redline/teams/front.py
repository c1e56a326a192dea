"""Lists the workspaces that a person may read; one with `admin` makes and archives them."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.access.rights import NO_RIGHTS, Right, Rights
from redline.core.errors import NotFound, PermissionDenied, RedlineError, RightMissing
from redline.core.ports.pages import Reviewer, WebRequest, WebResponse
from redline.core.records import replace
from redline.review.page import reading
from redline.review.page.access import ReviewAccess
from redline.review.page.layout import (
    admit,
    asset_address,
    brand,
    for_script,
    heading,
    html_response,
    redirect,
    visit_script,
)
from redline.review.page.markup import Html, address, hidden, join, link, tag
from redline.review.page.pages import check_origin, status_of
from redline.review.page.runs_and_checkpoints import error_view, sign_in_view
from redline.review.page.visit import read_form
from redline.teams.ports import (
    WorkspaceDirectory,
    WorkspaceEntry,
    check_workspace_name,
)


class FrontPages:
    """See `core.ports.pages.WebPages`. *shut* closes a workspace; False while it is in use."""

    def __init__(
        self, access: ReviewAccess, directory: WorkspaceDirectory, shut: Callable[[str], bool]
    ) -> None:
        self._access = access
        self._directory = directory
        self._shut = shut

    def close(self) -> None:
        """Do nothing: there are no streams."""

    def rights_in(self, request: WebRequest, name: str) -> Rights | None:
        """Return what the signed-in person may do in a workspace; None for anybody else."""
        people = request.people.in_workspace(name) if request.people is not None else None
        found = self._access.reviewer(replace(request, people=people))
        return None if found is None else found.rights

    def answer(self, request: WebRequest) -> WebResponse:
        """Return the page that *request* asks for."""
        return for_script(request, self._answer(request))

    def _answer(self, request: WebRequest) -> WebResponse:
        try:
            if request.path.startswith("/assets/"):
                return reading.own_asset(request.path.removeprefix("/assets/"))
            check_origin(request)
            reviewer = self._access.reviewer(request)
            if request.path == "/sign-in":
                return self._sign_in(request)
            if reviewer is None and not request.is_authenticated:
                return self._page(request, "Sign in", sign_in_view(was_wrong=False), status=401)
            if request.method == "POST":
                return self._act(request, reviewer)
            if request.path != "/":
                raise NotFound(request.path, f"Nothing is served at {request.path[:100]}")
            return self._list(request, reviewer)
        except RedlineError as failure:
            view = error_view(failure)
            return self._page(request, "Error", view, status=status_of(failure))

    def _sign_in(self, request: WebRequest) -> WebResponse:
        if request.method != "POST":
            return self._page(request, "Sign in", sign_in_view(was_wrong=False))
        key = read_form(request).get("key", [""])[0]
        admitted = self._access.admit(request, key)
        if admitted is None:
            return self._page(request, "Sign in", sign_in_view(was_wrong=True), status=403)
        return admit(admitted)

    def _list(self, request: WebRequest, reviewer: Reviewer | None) -> WebResponse:
        entries = [e for e in self._directory.list() if Right.READ in self._rights(request, e.name)]
        may_create = reviewer is not None and Right.ADMIN in reviewer.rights
        rows = [
            tag("li", _row(entry), self._archive_form(request, reviewer, entry), class_="op")
            for entry in entries
        ]
        empty = tag("p", "There is no workspace here that you may read.", class_="empty")
        return self._page(
            request,
            "Workspaces",
            heading("Workspaces"),
            tag("ul", rows, class_="timeline") if rows else empty,
            _create_form() if may_create else None,
            None if reviewer is not None else tag("p", link("/sign-in", "Sign in to act")),
        )

    def _rights(self, request: WebRequest, name: str) -> Rights:
        found = self.rights_in(request, name)
        if found is not None:
            return found
        return frozenset({Right.READ}) if request.is_authenticated else NO_RIGHTS

    def _archive_form(
        self, request: WebRequest, reviewer: Reviewer | None, entry: WorkspaceEntry
    ) -> Html | None:
        if reviewer is None or Right.ADMIN not in self._rights(request, entry.name):
            return None
        return tag(
            "form", hidden("name", entry.name),
            tag("button", "Archive", class_="quiet"), method="post", action="/archive",
        )  # fmt: skip

    def _act(self, request: WebRequest, reviewer: Reviewer | None) -> WebResponse:
        if request.path not in ("/create", "/archive"):
            raise NotFound(request.path, "There is no such form")
        form = {name: values[0] for name, values in read_form(request).items()}
        if reviewer is None:
            raise PermissionDenied(
                "Only a person who signed in here can do this", hint="sign in and send it again"
            )
        name = form.get("name", "").strip()
        rights = reviewer.rights
        if request.path == "/archive":
            rights = self._rights(request, name)
        if Right.ADMIN not in rights:
            raise RightMissing(
                f"{reviewer.name} does not have the right to {Right.ADMIN} here",
                hint="the person who runs this server can give it",
            )
        check_workspace_name(name)
        if request.path == "/create":
            self._directory.create(name)
        else:
            self._archive(name)
        return replace(redirect("/"), actor=reviewer.name)

    def _archive(self, name: str) -> None:
        if not self._shut(name):
            raise PermissionDenied(
                f"Something runs in this workspace: {name}", hint="archive it when it has ended"
            )
        self._directory.archive(name)

    def _page(
        self, request: WebRequest, title: str, *content: object, status: int = 200
    ) -> WebResponse:
        is_in = self._access.reviewer(request) is not None
        visit = self._access.visit(request) if is_in else None
        view = "sign-in" if title == "Sign in" else "workspaces"
        head = tag(
            "head",
            Html('<meta charset="utf-8">'),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("title", f"{title} · Redline"),
            tag("link", rel="icon", href="/assets/icon.svg", type="image/svg+xml"),
            tag("link", rel="stylesheet", href=asset_address("review.css")),
            visit_script(self._access.cookie_name),
        )
        header = tag("header", tag("div", brand(), class_="bar"))
        main = tag("main", *content, id="main")
        body = tag("body", header, main, data_view=view, data_visit=visit)
        whole = f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
        return html_response(whole.encode("utf-8", "replace"), status)


def _row(entry: WorkspaceEntry) -> Html:
    if entry.parked_at:
        return join(tag("span", entry.name, class_="what"), tag("span", "parked", class_="flag"))
    return link(address(f"/w/{entry.name}/"), entry.name, class_="what")


def _create_form() -> Html:
    return tag(
        "form",
        tag("label", tag("span", "New workspace"),
            tag("input", name="name", required=True, maxlength="64", size="24")),
        tag("button", "Create"),
        method="post", action="/create", class_="inline",
    )  # fmt: skip
