"""The frame around every view: head, navigation, messages, keyboard help."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from redline.core.ports.pages import WebRequest, WebResponse
from redline.core.records import dataclass, replace
from redline.review.page.access import Admitted
from redline.review.page.markup import Html, address, join, link, locate, tag

_SCRIPT = "text/javascript; charset=utf-8"
ASSETS = {
    "review.css": "text/css; charset=utf-8",
    "visit.js": _SCRIPT,
    "review.js": _SCRIPT,
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    # Without a referrer, browsers would send the forms of this page with the origin "null".
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
_VIEWS = (
    ("/", "Activity", "activity"),
    ("/held", "Waiting", "held"),
    ("/comments", "Comments", "comments"),
    ("/checkpoints", "Checkpoints", "checkpoints"),
)
_KEYS = (
    ("j / k", "next and previous change or hunk"),
    ("Enter or o", "open the change"),
    ("x", "select the hunk"),
    ("u", "undo the hunk, the selection or the change"),
    ("r", "redo the change"),
    ("c", "comment on the hunk"),
    ("s", "unified or side by side"),
    ("a", "approve a held change"),
    ("b", "back to the activity"),
    ("/", "search"),
    ("?", "this help"),
)


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person who looks, and what the page knows about the visit.

    `visit` tells visits apart, "" without a sign-in; `store` names what is kept of it.
    """

    workspace: str
    store: str = ""
    visit: str = ""
    theme: str = ""
    is_split: bool = False
    counts: tuple[tuple[str, int], ...] = ()
    # Whether forms that change something are shown, and whether held changes can be decided.
    can_act: bool = False
    can_decide: bool = False
    # Masks the secrets of a text, given the file that it comes from if that is known.
    mask: Callable[..., str] = lambda text, *_: text

    def form(self, action: str, *children: object, **attributes: object) -> Html:
        """Return a form that posts to *action*; the script sends it."""
        return tag("form", *children, method="post", action=action, **attributes)


@cache
def asset(name: str) -> bytes:
    """Return the content of an own script or stylesheet."""
    return files("redline.review.page").joinpath("assets", name).read_bytes()


@cache
def asset_address(name: str) -> str:
    """Return the address of an asset, another one after each change of it."""
    return address(f"/assets/{name}", v=hashlib.sha256(asset(name)).hexdigest()[:12])


def visit_script(store: str) -> Html:
    """Return the element of the script that signs in and sends both halves with each request."""
    return tag("script", src=asset_address("visit.js"), defer=True, data_store=store)


def page(title: str, view: str, viewer: Viewer, *content: object, message: object = None) -> bytes:
    """Return a whole page."""
    name = os.path.basename(viewer.workspace) or viewer.workspace
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content=viewer.theme or "light dark"),
        tag("title", f"{title} · {name} · Redline"),
        tag("link", rel="icon", href="/assets/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href=asset_address("review.css")),
        visit_script(viewer.store),
        tag("script", src=asset_address("review.js"), defer=True),
    )
    body = tag(
        "body",
        link("#main", "Skip to content", class_="skip"),
        _header(view, viewer, name),
        tag("main", _message(message), *content, id="main", tabindex="-1"),
        tag("div", id="live", role="status", aria_live="polite", class_="toast"),
        _help(),
        class_="act" if viewer.can_act else None,
        data_view=view,
        data_visit=viewer.visit or None,
    )
    root = tag("html", head, body, lang="en", data_theme=viewer.theme or None)
    return f"<!doctype html>\n{root}\n".encode("utf-8", "replace")


def brand() -> Html:
    """Return the mark and the name of Redline, which lead to the first page."""
    return link("/", Html(_LOGO), tag("span", "Redline"), class_="brand", aria_label="Redline")


def _header(view: str, viewer: Viewer, name: str) -> Html:
    counts = dict(viewer.counts)
    items = [
        tag(
            "li",
            link(
                href,
                shown,
                tag("span", counts[key], class_="count") if counts.get(key) else None,
                aria_current="page" if key == view else None,
            ),
        )
        for href, shown, key in _VIEWS
    ]
    state = (
        tag("span", class_="state", id="state", data_state="off", hidden=True)
        if viewer.can_act
        else link("/sign-in", "Read only: sign in to act", class_="state")
    )
    return tag(
        "header",
        tag(
            "div",
            brand(),
            tag("span", name, class_="workspace", title=viewer.workspace),
            tag("nav", tag("ul", items), aria_label="Views"),
            tag(
                "div",
                state,
                tag("button", "?", class_="quiet key", id="help-open", hidden=True,
                    aria_label="Keyboard shortcuts", type="button"),
                tag("button", Html("&#9680;"), class_="quiet key", id="theme", hidden=True,
                    aria_label="Dark or light", type="button"),
                class_="tools",
            ),
            class_="bar",
        ),
    )  # fmt: skip


def _message(message: object) -> Html | None:
    return None if message is None else tag("div", message, class_="message", role="status")


def _help() -> Html:
    rows = [tag("div", tag("dt", tag("kbd", keys)), tag("dd", does)) for keys, does in _KEYS]
    return tag(
        "dialog",
        tag("h2", "Keyboard", id="help-title"),
        tag("dl", rows),
        tag("form", tag("button", "Close"), method="dialog"),
        id="help",
        aria_labelledby="help-title",
    )


# The drawing of docs/pictures/mark.svg.
_MARK = (
    '<rect x="4" y="4" width="504" height="504" rx="96" fill="#fff" stroke="#37474f"'
    ' stroke-width="8"/>'
    '<g fill="#37474f"><rect x="104" y="118" width="304" height="36" rx="18"/>'
    '<rect x="104" y="358" width="288" height="36" rx="18"/></g>'
    '<rect x="104" y="198" width="256" height="36" rx="18" fill="#b0bec5"/>'
    '<g fill="#c62828"><rect x="80" y="209" width="304" height="14" rx="7"/>'
    '<rect x="104" y="278" width="304" height="36" rx="18"/></g>'
)
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">{_MARK}</svg>'
_LOGO = (
    '<svg class="logo" viewBox="0 0 512 512" width="20" height="20" aria-hidden="true">'
    f"{_MARK}</svg>"
)


def html_response(
    content: bytes, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> WebResponse:
    """Return a page as an answer."""
    kind = ("Content-Type", "text/html; charset=utf-8")
    return WebResponse(status, (kind, ("Cache-Control", "no-store"), *SECURITY, *headers), content)


def redirect(where: str, headers: tuple[tuple[str, str], ...] = ()) -> WebResponse:
    """Send the browser to another page, which it gets with GET."""
    return WebResponse(303, (("Location", locate(where)), ("Cache-Control", "no-store"), *headers))


def for_script(request: WebRequest, answer: WebResponse) -> WebResponse:
    """Let the script that sent a form see where it leads: it cannot see a redirection."""
    if answer.status == 303 and request.headers.get("x-redline") == "form":
        return replace(answer, status=204)
    return answer


def admit(admitted: Admitted) -> WebResponse:
    """Give a browser the two halves of what signs it in."""
    headers = (
        ("Content-Type", "text/plain"),
        ("Cache-Control", "no-store"),
        ("Set-Cookie", admitted.cookie),
        *SECURITY,
    )
    return WebResponse(200, headers, admitted.token.encode(), actor=admitted.name)


def heading(title: str, *more: object) -> Html:
    """Return the heading of a view."""
    return tag("div", tag("h1", title), join(*more), class_="heading")
