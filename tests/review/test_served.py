"""`redline serve`: the page at `/`, an agent at `/mcp`, and a comment that is answered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.wire.client import HttpClient, connect


def start(tmp_path: Path, *flags: str) -> HttpClient:
    root = tmp_path / "ws"
    root.mkdir()
    args = ["--workspace", str(root), "--state-dir", str(tmp_path / "state"), "--no-record", *flags]
    client = connect("http", args, handshake="--auth-token" not in flags)
    assert isinstance(client, HttpClient)
    return client


def key_of(client: HttpClient) -> str:
    found = re.search(r"review +http://\S+/#key=(\w+)", "".join(client._banner))
    assert found
    return found[1]


def sign_in(client: HttpClient) -> dict[str, str]:
    """The headers of a browser that is signed in."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    body = urlencode({"key": key_of(client)}).encode()
    status, headers, token = client.fetch("POST", "/sign-in", body, kind)
    assert status == 200
    cookie = headers["set-cookie"].partition(";")[0]
    return {**kind, "Cookie": cookie, "X-Redline-Token": token.decode()}


def ask(agent: HttpClient, tool: str, arguments: dict[str, object]) -> Any:
    """The result of a call."""
    return agent.call(tool, arguments)["result"]


@pytest.mark.requirement("web-comments")
def test_a_comment_reaches_the_session_once_and_is_answered(tmp_path: Path) -> None:
    with start(tmp_path) as agent:
        name = str(tmp_path / "ws" / "a.txt")
        ask(agent, "write_file", {"path": name, "content": "one\ntwo\n"})
        listed = ask(agent, "list_changes", {})
        change = listed["structuredContent"]["changes"][0]["id"]
        assert len(listed["content"]) == 1
        person = sign_in(agent)
        form = {"id": change, "step": "0", "side": "new", "line": "2",
                "text": "Why not 2?"}  # fmt: skip
        status, headers, _ = agent.fetch("POST", "/comment", urlencode(form).encode(), person)
        assert status == 303
        ident = headers["location"].rpartition("#c-")[2]

        told = ask(agent, "list_changes", {})["content"][-1]["text"]
        assert "a.txt:2" in told
        assert "> two" in told
        assert "Why not 2?" in told
        assert len(ask(agent, "list_changes", {})["content"]) == 1
        open_ones = ask(agent, "review_comments", {})["structuredContent"]["comments"]
        assert [each["id"] for each in open_ones] == [ident]
        ask(agent, "review_comments", {"resolve": ident, "answer": "It is 2 now."})
        assert ask(agent, "review_comments", {})["structuredContent"]["comments"] == []
        page = agent.fetch("GET", "/comments", None, person)[2].decode()
        assert "It is 2 now." in page
        assert "resolved by" in page


@pytest.mark.requirement("web-served")
def test_the_page_is_served_behind_the_authentication_of_everything_else(tmp_path: Path) -> None:
    with start(tmp_path, "--auth-token", "t" * 20) as client:
        status, headers, body = client.fetch("GET", "/")
        assert status == 401
        assert headers["content-type"].startswith("text/html")
        assert b"Sign in" in body
        agent = {"Authorization": f"Bearer {'t' * 20}"}
        status, _, body = client.fetch("GET", "/", None, agent)
        assert status == 200
        assert b"data-visit" not in body
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        for where in ("/undo", "/checkpoint", "/comment"):
            assert client.fetch("POST", where, b"name=x&id=x", {**agent, **kind})[0] == 403
        key = urlencode({"key": "t" * 20}).encode()
        assert client.fetch("POST", "/sign-in", key, {**agent, **kind})[0] == 403
        page = client.fetch("GET", "/", None, sign_in(client))
        assert b"data-visit" in page[2]
        assert client.fetch("GET", "/", None, {"Host": "evil.test"})[0] == 421
        assert client.fetch("PUT", "/", b"", agent)[0] == 404
