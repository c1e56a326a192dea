"""What is decided before what over HTTP, and that nothing is left without an answer."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.by_hand import begin, wait_for_file
from tests.wire.client import HttpClient, connect
from tests.wire.conftest import FIXTURES

AS_CODING = {"REDLINE_TEST_TOOLSET": "tests.wire.as_coding"}


@pytest.fixture(scope="module")
def coding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """The coding profile alone."""
    folder = tmp_path_factory.mktemp("coding")
    args = ["--tools", "fixtures", "--rate-limit", "0"]
    with connect("http", args, cwd=folder, env=AS_CODING, protocol="2025-06-18") as client:
        assert isinstance(client, HttpClient)
        yield client


def hear(link: socket.socket, until: bytes = b"}") -> bytes:
    heard = b""
    while until not in heard:
        part = link.recv(65536)
        assert part, heard
        heard += part
    return heard


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Length": "99999999"}, b""),
        ({}, b""),
        ({"Content_Length": "1"}, b"{"),
        ({"Content_Length": "23"}, b'{"jsonrpc":"1.0","i":1}'),
    ],
)
def test_an_unknown_session_is_told_before_anything_about_the_body(
    coding: HttpClient, headers: dict[str, str], body: bytes
) -> None:
    with begin(coding, body, Mcp_Session_Id="nobody", **headers) as link:
        heard = hear(link)
    assert heard.startswith(b"HTTP/1.1 404 ")
    assert b"Unknown MCP session" in heard


def test_a_malformed_message_does_not_move_its_sender_to_another_session(
    coding: HttpClient,
) -> None:
    status, headers, reply = coding.post(b'{"jsonrpc":"2.0","id":true,"method":"ping"}')
    assert (status, json.loads(reply)["error"]["code"]) == (200, -32600)
    assert headers["mcp-session-id"] == coding.session


def test_a_batch_whose_calls_are_all_cancelled_comes_to_an_end(tmp_path: Path) -> None:
    args = ["--tools", "fixtures"]
    with connect("http", args, cwd=tmp_path, env=FIXTURES, protocol="2025-03-26") as client:
        assert isinstance(client, HttpClient)
        call = {"jsonrpc": "2.0", "id": "b", "method": "tools/call"}
        begun, stopped = tmp_path / "begun", tmp_path / "stopped"
        markers = {"started": str(begun), "cancelled": str(stopped)}
        arguments = {"name": "block", "arguments": markers}
        body = json.dumps([{**call, "params": arguments}]).encode()
        session = {"Mcp_Session_Id": str(client.session), "Content_Length": str(len(body))}
        with begin(client, body, **session) as link:
            wait_for_file(begun)
            client.notify("notifications/cancelled", {"requestId": "b"})
            heard = hear(link, b"-32800")
        assert heard.startswith(b"HTTP/1.1 200 ")
        assert stopped.exists()


def test_a_request_that_arrives_whole_after_sigterm_is_not_begun(tmp_path: Path) -> None:
    client = connect("http", ["--tools", "fixtures"], cwd=tmp_path, env=FIXTURES)
    assert isinstance(client, HttpClient)
    message: Any = {"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                    "params": {"name": "block", "arguments": {}}}  # fmt: skip
    body = json.dumps(message).encode()
    with begin(client, body[:10], Content_Length=str(len(body))) as link:
        client.request("ping")
        client.process.send_signal(signal.SIGTERM)
        while _accepts(client):
            pass
        link.sendall(body[10:])
        assert hear(link).startswith(b"HTTP/1.1 503 ")
    assert client.process.wait(5) == 0
    client.close()


def _accepts(client: HttpClient) -> bool:
    try:
        client.fetch("GET", "/healthz")
    except OSError:
        return False
    return True
