"""Connects the review page to a workspace, and opens it in a browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from redline.wiring.command_line import open_committer
from redline.wiring.workspace import Redline

if TYPE_CHECKING:
    from redline.core.ports.pages import WebRequest, WebResponse
    from redline.review.page.access import ReviewAccess
    from redline.review.page.pages import ReviewPages


class LazyReview:
    """The review page of a workspace (see core.ports.pages.WebPages), built for its first request.

    A server that shows no page never loads it.
    """

    def __init__(self, redline: Redline, access: ReviewAccess | None = None) -> None:
        self._redline = redline
        self._access = access
        self._key = os.urandom(24).hex()
        self._pages: ReviewPages | None = None
        self._lock = Lock()

    @property
    def key(self) -> str:
        """The key that signs in one browser, once."""
        return self._key

    def answer(self, request: WebRequest) -> WebResponse:
        """Return the page that *request* asks for."""
        with self._lock:
            if self._pages is None:
                self._pages = self._build()
        return self._pages.answer(request)

    def close(self) -> None:
        """End every stream."""
        if self._pages is not None:
            self._pages.close()

    def _build(self) -> ReviewPages:
        from redline.review.page.access import ReviewAccess
        from redline.review.page.pages import ReviewPages

        start = self._redline.workspace.roots[0].path
        access = self._access or ReviewAccess(self._redline.review_secret(), self._key)
        return ReviewPages(self._redline, access, lambda: open_committer(start))


def show_in_browser(url: str, state_dir: str) -> Callable[[], None]:
    """Open the person's browser at *url*; the function returned removes what that needed."""
    from redline.review.adapters.browser import show_in_browser

    return show_in_browser(url, state_dir)
