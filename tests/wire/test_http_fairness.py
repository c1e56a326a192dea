"""Over HTTP nobody is kept out by another: abandoned sessions make room, calls take turns."""

from __future__ import annotations

import asyncio
import json
import selectors
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.by_hand import (
    LIST,
    call_by_hand,
    greet,
    post,
    send_by_hand,
    start,
    wait_for_file,
    wait_for_line,
)
from tests.wire.client import MODERN, AttachedClient, HttpClient

AUDIENCE = "https://redline.test/mcp"


class Town:
    """A server that tells principals apart, and their tokens."""

    def __init__(self, client: HttpClient, sign: Any) -> None:
        self.client = client
        self._sign = sign

    def header(self, who: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._sign(sub=who)}"}

    def greet(self, who: str) -> str:
        return greet(self.client, **self.header(who))

    def flood(self, who: str, go: Path, calls: int) -> list[socket.socket]:
        """Calls that run until *go* appears."""
        header = self.header(who)
        until = {"until": str(go)}
        return [call_by_hand(self.client, "block", until, **header) for _ in range(calls)]

    def is_open(self, who: str, session: str) -> bool:
        status = post(self.client, LIST, **self.header(who), Mcp_Session_Id=session)[0]
        assert status in (200, 404)
        return status == 200


@pytest.fixture
def town(issuer: Any, tmp_path: Path) -> Iterator[Town]:
    base, sign = issuer
    args = ("--oauth-issuer", base, "--oauth-audience", AUDIENCE, "--max-sessions", "4",
            "--rate-limit", "0")  # fmt: skip
    with start(*args, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield Town(client, sign)


@pytest.mark.requirement("server-sessions-make-room")
def test_a_flood_of_handshakes_locks_nobody_out_and_ends_only_its_own_sessions(town: Town) -> None:
    bob = town.greet("bob")
    ann = [town.greet("ann") for _ in range(20)]
    assert [town.is_open("ann", session) for session in ann] == [False] * 17 + [True] * 3
    assert town.is_open("bob", bob), "idle for longest, but the flood was not his"
    assert town.is_open("carl", town.greet("carl"))
    assert town.is_open("bob", bob)
    assert sum(town.is_open("ann", session) for session in ann) == 2
    wait_for_line(town.client, "session_displaced")


@pytest.mark.requirement("server-sessions-make-room")
def test_a_session_with_a_call_running_is_not_ended_for_a_newcomer(tmp_path: Path) -> None:
    started, stopped, go = (tmp_path / name for name in ("started", "stopped", "go"))
    with start("--max-sessions", "1", cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        call = {"started": str(started), "cancelled": str(stopped), "until": str(go)}
        running = client.start("tools/call", {"name": "block", "arguments": call})
        wait_for_file(started)
        mine, client.session = client.session, None
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
        status, headers, reply = post(client, hello)
        assert (status, headers["retry-after"]) == (503, "1")
        assert "hint: try again" in reply["error"]["message"]
        go.touch()
        assert client.finish(running)["result"]["content"][0]["text"] == "released"
        assert not stopped.exists()
        client.session = None
        greet(client)
        assert post(client, LIST, Mcp_Session_Id=str(mine))[0] == 404


@pytest.mark.requirement("server-sessions-make-room")
def test_the_python_client_is_told_that_its_session_ended_and_connects_anew(tmp_path: Path) -> None:
    import mcp

    async def displaced(url: str, greet_another: Any) -> tuple[str, str]:
        async with mcp.Client(url, mode="legacy") as client:
            await client.call_tool("echo", {"text": "one"})
            await asyncio.to_thread(greet_another)
            with pytest.raises(mcp.MCPError) as told:
                await client.call_tool("echo", {"text": "two"})
        async with mcp.Client(url, mode="legacy") as client:
            again: Any = (await client.call_tool("echo", {"text": "three"})).content[0]
        return str(told.value), again.text

    with start("--max-sessions", "1", cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        url = f"http://127.0.0.1:{client.port}/mcp"
        told, again = asyncio.run(displaced(url, lambda: greet(client)))
    assert "Unknown MCP session" in told
    assert again == "three"


ECHO = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "hi"}}}  # fmt: skip


def echoes(client: HttpClient, **headers: str) -> bool:
    """Whether a call is answered, in one piece: no signs of life prolong the wait."""
    reply = post(client, ECHO, Accept="application/json", **headers)[2]
    return bool(reply["result"]["content"][0]["text"] == "hi")


def was_released(link: socket.socket) -> bool:
    """Whether a call that was sent by hand ran to its end."""
    heard, end = b"", time.monotonic() + 20
    while b"released" not in heard and time.monotonic() < end and (part := link.recv(65536)):
        heard += part
    link.close()
    return b"released" in heard


@pytest.mark.requirement("server-fair-share")
def test_a_principal_is_answered_while_another_floods_and_the_flood_is_answered_too(
    town: Town, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    links = town.flood("ann", go, 60)
    for _ in range(3):
        assert echoes(town.client, **town.header("bob"))
    assert post(town.client, LIST, **town.header("ann"))[0] == 200, "only calls wait"
    go.touch()
    assert all(was_released(link) for link in links)
    assert echoes(town.client, **town.header("ann"))


@pytest.mark.requirement("server-fair-share")
def test_where_nobody_is_known_by_name_each_session_has_its_share(tmp_path: Path) -> None:
    go = tmp_path / "go"
    with start("--max-calls", "2", cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        links = []
        for session in [greet(client) for _ in range(20)]:
            until = {"until": str(go)}
            links += [
                call_by_hand(client, "block", until, Mcp_Session_Id=session) for _ in range(4)
            ]
        late = greet(client)
        assert echoes(client, Mcp_Session_Id=late)
        assert echoes(client), "and so have those without one"
        go.touch()
        assert all(was_released(link) for link in links)


@pytest.mark.requirement("server-fair-share")
def test_clients_of_the_stateless_era_without_a_token_are_told_apart_by_name(
    tmp_path: Path,
) -> None:
    go, info = tmp_path / "go", {"name": "flood", "version": "1"}
    modern: dict[str, Any] = {"cwd": tmp_path, "protocol": MODERN}
    with start("--max-calls", "2", **modern, info=info) as client:
        assert isinstance(client, HttpClient)
        named = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "block"}
        arguments = {"until": str(go)}
        links = [call_by_hand(client, "block", arguments, **named) for _ in range(60)]
        other = AttachedClient(client, protocol=MODERN, info={"name": "other", "version": "1"})
        other.headers["Accept"] = "application/json"
        assert other.call("echo", {"text": "hi"})["result"]["content"][0]["text"] == "hi"
        go.touch()
        assert all(was_released(link) for link in links)


@pytest.mark.requirement("server-fair-share")
def test_a_question_to_a_person_does_not_hold_up_its_own_client(tmp_path: Path) -> None:
    capable = {"elicitation": {}}
    with start("--max-calls", "1", cwd=tmp_path, capabilities=capable) as client:
        assert isinstance(client, HttpClient)
        session = {"Mcp_Session_Id": str(client.session)}
        links = [call_by_hand(client, "ask", {}, **session) for _ in range(3)]
        heard = [link.recv(65536) for link in links]
        for number, link in enumerate(links):
            while b"elicitation/create" not in heard[number]:
                heard[number] += link.recv(65536)
        assert echoes(client, **session)
        for number, link in enumerate(links):
            asked = json.loads(heard[number].split(b"data: ")[1].split(b"\r\n")[0])
            colour = {"action": "accept", "content": {"colour": f"c{number}"}}
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": colour}
            assert post(client, reply, **session)[0] == 202
            said = b""
            while f"accept c{number}".encode() not in said:
                said += link.recv(65536)
            link.close()


@pytest.mark.requirement("server-fair-share")
def test_a_line_that_is_too_long_is_refused_with_a_way_on_and_only_there(tmp_path: Path) -> None:
    go = tmp_path / "go"
    options: dict[str, Any] = {"protocol": "2025-03-26", "cwd": tmp_path}
    with start("--max-calls", "1", "--rate-limit", "0", **options) as client:
        assert isinstance(client, HttpClient)
        session = {"Mcp_Session_Id": str(client.session)}
        params = {"name": "block", "arguments": {"until": str(go)}}
        calls = [client._message("tools/call", params) for _ in range(1001)]
        links = [
            send_by_hand(client, calls[first : first + 50], **session)
            for first in range(0, 1001, 50)
        ]
        refused: list[Any] = []
        while not refused:  # the last batches may still be on their way
            links.append(send_by_hand(client, client._message("tools/call", params), **session))
            with selectors.DefaultSelector() as ready:
                ready.register(links[-1], selectors.EVENT_READ)
                refused = ready.select(0.5)
        with links.pop() as late:
            head, _, body = late.recv(65536).partition(b"\r\n\r\n")
        error = json.loads(body)["error"]
        assert head.startswith(b"HTTP/1.1 200"), head
        assert error["code"] == -32600
        assert error["data"] == {"reason": "too_many_calls", "running": 1, "waiting": 1000}
        assert "hint: call again after an answer came" in error["message"]
        client.session = None
        assert echoes(client, Mcp_Session_Id=greet(client)), "another's line"
        go.touch()
        assert all(was_released(link) for link in links)
        assert client.call("echo", {"text": "hi"})["result"]
