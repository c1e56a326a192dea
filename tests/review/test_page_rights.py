"""The review page of a server with people: each form needs its right, and bears a name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from redline.core.access.rights import Right
from redline.teams.people.users import digest
from tests.review.person import shown_in
from tests.wire.client import HttpClient, connect

PEOPLE = {
    "chief": list(Right),
    "visitor": [],
    **{f"only-{right}": [right] for right in Right},
    **{f"all-but-{right}": [each for each in Right if each is not right] for right in Right},
}
FORMS = {
    "/undo": Right.WRITE,
    "/redo": Right.WRITE,
    "/merge": Right.WRITE,
    "/rewind": Right.WRITE,
    "/checkpoint": Right.WRITE,
    "/export": Right.WRITE,
    "/comment": Right.APPROVE,
    "/resolve": Right.APPROVE,
    "/held/abc/approve": Right.APPROVE,
    "/held/abc/refuse": Right.APPROVE,
}
KIND = {"Content-Type": "application/x-www-form-urlencoded"}


class Page:
    """A server, its users file, and browsers that sign in."""

    def __init__(self, client: HttpClient, base: Path) -> None:
        self.client, self.base = client, base
        self._visits: dict[str, dict[str, str]] = {}

    def sign_in(self, key: str) -> tuple[int, dict[str, str]]:
        body = urlencode({"key": key}).encode()
        status, headers, token = self.client.fetch("POST", "/sign-in", body, KIND)
        if status != 200:
            return status, {}
        cookie = headers["set-cookie"].partition(";")[0]
        return status, {"Cookie": cookie, "X-Redline-Token": token.decode()}

    def visit(self, who: str) -> dict[str, str]:
        """The headers of somebody who signed in."""
        if who not in self._visits:
            status, self._visits[who] = self.sign_in(f"page-of-{who}")
            assert status == 200, who
        return self._visits[who]

    def get(self, who: str, path: str) -> tuple[int, str]:
        found = self.client.fetch("GET", path, None, self.visit(who))
        return found[0], found[2].decode()

    def post(self, who: str, path: str, **form: str) -> tuple[int, str]:
        body = urlencode(form).encode()
        found = self.client.fetch("POST", path, body, {**KIND, **self.visit(who)})
        return found[0], found[2].decode()

    def call(self, who: str, tool: str, **arguments: Any) -> Any:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Authorization": f"Bearer token-of-{who}", "Mcp-Method": "tools/call",
                   "MCP-Protocol-Version": "2026-07-28", "Mcp-Name": tool}  # fmt: skip
        return json.loads(self.client.post(json.dumps(message).encode(), headers)[2])


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    base = tmp_path_factory.mktemp("reviewed")
    (base / "site").mkdir()
    (base / "site" / "a.txt").write_text("one\n")
    (base / "policy.toml").write_text(
        '[[rule]]\nname = "these wait"\npaths = ["held.txt"]\naction = "ask"\n'
    )
    (base / "users.toml").write_text(
        "".join(
            f"[users.{name}]\nrights = {json.dumps(rights)}\n"
            f'[[users.{name}.tokens]]\nid = "t-{name}"\nsha256 = "{digest("token-of-" + name)}"\n'
            f'[[users.{name}.tokens]]\nid = "p-{name}"\nsha256 = "{digest("page-of-" + name)}"\n'
            "page = true\n"
            for name, rights in PEOPLE.items()
        )
    )
    args = ["--users", str(base / "users.toml"), "--audit-log", str(base / "audit.jsonl"),
            "--policy", str(base / "policy.toml"), "--rate-limit", "0", "--no-record"]  # fmt: skip
    with connect("http", args, cwd=base / "site", handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield Page(client, base)


@pytest.mark.requirement("people-page-rights")
@pytest.mark.parametrize("who", PEOPLE)
def test_each_view_and_form_needs_its_right(page: Page, who: str) -> None:
    rights = PEOPLE[who]
    assert page.get(who, "/held")[0] == (200 if Right.READ in rights else 401)
    for path, right in FORMS.items():
        status, text = page.post(who, path, id="zzzzzzzzz", name="", whole="1", step="0", line="1")
        if Right.READ in rights and right in rights:
            assert status in (303, 400, 404, 409), (path, status, text)
        else:
            assert status in (401, 403), (path, status)


@pytest.mark.requirement("people-approve")
def test_tokens_of_agents_do_not_sign_in_and_tokens_for_the_page_call_nothing(page: Page) -> None:
    assert page.sign_in("token-of-chief") == (403, {})
    assert page.sign_in("page-of-nobody") == (403, {})
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    assert page.client.post(message, {"Authorization": "Bearer page-of-chief"})[0] == 401
    assert page.client.post(message, {"Authorization": "Bearer token-of-chief"})[0] == 200
    bearer = {"Authorization": "Bearer token-of-chief", **KIND}
    assert page.client.fetch("POST", "/held/abc/approve", b"token=", bearer)[0] == 403


@pytest.mark.requirement("people-approve", "people-page-rights", "people-audit-success")
def test_a_held_change_is_approved_by_somebody_who_may(page: Page) -> None:
    name = str(page.base / "site" / "held.txt")
    asked = page.call("all-but-approve", "write_file", path=name, content="x\n")
    held = re.search(r"held as (\w+)", json.dumps(asked))
    assert held, asked
    where = f"/held/{held[1]}/approve"
    assert page.post("all-but-approve", where)[0] == 403
    assert "Approve" not in page.get("all-but-approve", f"/held/{held[1]}")[1]
    assert not Path(name).exists()
    shown = shown_in(page.get("all-but-undo-others", f"/held/{held[1]}")[1])
    assert page.post("all-but-undo-others", where, shown=shown["shown"][0])[0] == 303
    assert Path(name).read_text() == "x\n"
    events = [json.loads(line) for line in (page.base / "audit.jsonl").read_text().splitlines()]
    assert any(
        e["kind"] == "decision" and e["principal"] == "all-but-undo-others" and e["page"] == where
        for e in events
    )
    assert any(e["kind"] == "login" and e["principal"] == "all-but-undo-others" for e in events)
    assert "page-of-" not in (page.base / "audit.jsonl").read_text()


@pytest.mark.requirement("people-undo-others", "people-page-rights")
def test_what_somebody_else_changed_is_taken_back_only_with_the_right(page: Page) -> None:
    path = page.base / "site" / "a.txt"
    page.call("chief", "write_file", path=str(path), content="two\n")
    listed = page.call("chief", "list_changes")["result"]["structuredContent"]["changes"]
    change = listed[0]
    assert change["principal"] == "chief"
    for form in ({"id": change["id"], "all": "1"}, {"session": change["session"]}):
        status, text = page.post("all-but-undo-others", "/undo", **form)
        assert (status, "undo-others" in text) == (403, True)
    assert path.read_text() == "two\n"
    assert page.post("chief", "/undo", id=change["id"], all="1")[0] == 303
    assert path.read_text() == "one\n"
    latest = page.call("chief", "list_changes")["result"]["structuredContent"]["changes"][0]
    assert (latest["principal"], latest["client"]) == ("chief", "review page")


@pytest.mark.requirement("people-page-rights")
def test_rights_and_tokens_are_those_of_now(page: Page) -> None:
    users = page.base / "users.toml"
    good = users.read_text()
    rights = re.search(r"(?<=\[users.all-but-admin\]\nrights = ).*", good)
    assert rights
    assert page.post("all-but-admin", "/checkpoint", name="now")[0] == 303
    try:
        users.write_text(good.replace('"p-all-but-admin"', '"p-other"'))
        assert page.get("all-but-admin", "/")[0] == 401, "a revoked token"
        users.write_text(good[: rights.start()] + '["read"]' + good[rights.end() :])
        assert page.post("all-but-admin", "/checkpoint", name="now")[0] == 403
        users.write_text(good + "broken")
        assert page.get("all-but-admin", "/")[0] == 401
    finally:
        users.write_text(good)
    assert page.post("all-but-admin", "/checkpoint", name="now")[0] == 303
