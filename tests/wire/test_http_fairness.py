"""Over HTTP nobody is kept out by another: abandoned sessions make room."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.by_hand import LIST, greet, post, start, wait_for_file, wait_for_line
from tests.wire.client import HttpClient

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
