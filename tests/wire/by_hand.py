"""HTTP requests spelled by hand: any header, any body, read or hung up on at will."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

from tests.wire.client import HttpClient, connect
from tests.wire.conftest import FIXTURES

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def start(*args: str, cwd: Path, **options: Any) -> HttpClient:
    options["env"] = {**FIXTURES, **options.get("env", {})}
    chosen = ["--tools", "fixtures", *args]
    client = connect("http", chosen, cwd=cwd, **options)
    assert isinstance(client, HttpClient)
    return client


def post(client: HttpClient, message: Any, **headers: str) -> tuple[int, dict[str, str], Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    status, found, answer = client.post(body, named)
    return status, found, json.loads(answer) if answer else None


def greet(client: HttpClient, version: str = "2025-11-25", **headers: str) -> str:
    """Open a session; its id."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t",
              "version": "1"}}  # fmt: skip
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    status, found, reply = post(client, hello, **headers)
    assert status == 200, reply
    return found["mcp-session-id"]


def call_by_hand(
    client: HttpClient, tool: str, arguments: dict[str, Any], **headers: str
) -> socket.socket:
    """A connection on which a call is sent, to be read or closed at will."""
    params = {"name": tool, "arguments": arguments}
    return send_by_hand(client, client._message("tools/call", params), **headers)


def send_by_hand(client: HttpClient, message: Any, **headers: str) -> socket.socket:
    """A connection on which a message is sent, to be read or closed at will."""
    body = json.dumps(message).encode()
    return begin(client, body, Content_Length=str(len(body)), **headers)


def begin(client: HttpClient, body: bytes, **headers: str) -> socket.socket:
    """A connection with the head of a POST and *body* sent, which may be only its beginning."""
    given = {"Host": f"127.0.0.1:{client.port}", "Content-Type": "application/json",
             "Accept": "application/json, text/event-stream", **headers}  # fmt: skip
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items()]
    link = socket.create_connection((client.host, client.port), timeout=20)
    link.sendall("".join(["POST /mcp HTTP/1.1\r\n", *lines, "\r\n"]).encode() + body)
    return link


def wait_for_line(client: HttpClient, word: str) -> None:
    """Until the server has said *word* to its operator; another thread reads that."""
    end = time.monotonic() + 20
    while word not in client.stderr:
        threading.Event().wait(0.01)
        assert time.monotonic() < end


def wait_for_metric(client: HttpClient, line: bytes) -> None:
    end = time.monotonic() + 20
    while line not in client.fetch("GET", "/metrics")[2]:
        assert time.monotonic() < end


def wait_for_file(path: Path) -> None:
    end = time.monotonic() + 20
    while not path.exists():
        threading.Event().wait(0.01)
        assert time.monotonic() < end
