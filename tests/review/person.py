"""A person at the review page, without a browser: requests by hand, answers as text."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.ports.history import Origin
from redline.core.ports.pages import WebRequest, WebResponse
from redline.review.page.access import ReviewAccess
from redline.review.page.pages import ReviewPages
from tests.engine.bench import Bench

KEY = "k" * 48
HOST = "127.0.0.1:8000"


class Person:
    """A workspace with agents at work, and the pages a person sees."""

    def __init__(self, top: Path) -> None:
        root = top / "ws"
        root.mkdir()
        self.root = root
        self.bench = Bench(root, state_dir=str(top / "state"))
        self.access = ReviewAccess(self.bench.app.review_secret(), KEY)
        self.pages = ReviewPages(self.bench.app, self.access, self._no_git)
        # What signs in: the cookie, and the token that the page's script keeps.
        self.cookie = self.token = ""

    @staticmethod
    def _no_git() -> object:
        raise AssertionError("there is no repository here")

    def close(self) -> None:
        self.pages.close()
        self.bench.app.close()

    def edit(
        self, *files: tuple[str, str | bytes | None], session: str = "s1", **origin: str
    ) -> str:
        """Have an agent make a change; its id."""
        steps = []
        for name, content in files:
            path = self.bench.at(name)
            data = content.encode() if isinstance(content, str) else content
            after = ABSENT if data is None else FileState.of(data)
            steps.append(Change(path, self.bench.tree.state(path), after))
        who = {"tool": "edit_file", "client": "agent 1", "summary": "", "session": session}
        return self.bench.editor.commit(ChangeSet(tuple(steps)), Origin(**{**who, **origin})).id

    def sign_in(self) -> None:
        answer = self.send("POST", "/sign-in", {"key": KEY})
        assert answer.status == 200, answer
        self.cookie = dict(answer.headers)["Set-Cookie"].partition(";")[0]
        self.token = answer.body.decode()

    def send(
        self,
        method: str,
        where: str,
        form: dict[str, object] | None = None,
        **more: object,
    ) -> WebResponse:
        """One request; keywords become headers, `is_authenticated` is what the transport says."""
        may_read = bool(more.pop("is_authenticated", False))
        headers = {"host": HOST, "cookie": self.cookie, "x-redline-token": self.token}
        if form is not None:
            headers["content-type"] = "application/x-www-form-urlencoded"
        headers |= {name.replace("_", "-"): str(value) for name, value in more.items()}
        parts = urlsplit(where)
        body = urlencode(form or {}, doseq=True).encode()
        query = parse_qs(parts.query, keep_blank_values=True)
        request = WebRequest(method, parts.path, query, headers, body, may_read)
        return self.pages.answer(request)

    def see(self, where: str, status: int = 200) -> str:
        answer = self.send("GET", where)
        assert answer.status == status, answer.body.decode()
        return answer.body.decode()

    def act(self, where: str, status: int = 303, **form: object) -> WebResponse:
        answer = self.send("POST", where, dict(form))
        assert answer.status == status, answer.body.decode()
        return answer

    def approve(self, held_id: str, status: int = 303, **form: object) -> WebResponse:
        """Approve a held change that the page shows at once."""
        where = f"/held/{held_id}"
        return self.act(f"{where}/approve", status, **shown_in(self.see(where)), **form)


def shown_in(page: str) -> dict[str, list[str]]:
    """The fields of the form that approves a held change, as a page and its parts carry them."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(shown|seen)" value="(\w+)"', page):
        found.setdefault(name, []).append(value)
    return found
