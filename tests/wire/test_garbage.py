"""Noise on the wire: the server answers or drops it, says nothing it should not, and lives on."""

from __future__ import annotations

import json
import random
import socket
from pathlib import Path

from tests.support import LONG
from tests.wire.client import HttpClient, StdioClient
from tests.wire.conftest import Connect

ROUNDS = 5000 if LONG else 300
SEEDS = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}',
    b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":{}}]',
    b'{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"progressToken":{}}}}',
    b'{"jsonrpc":"2.0","id":9,"result":null}',
)
PIECES = (b"null", b"{}", b"[]", b'""', b"1e5", b"true", b"\xff\xfe", b"\x00", b"\\ud800", b'"')


def noise(rng: random.Random) -> bytes:
    """A message with some of it cut, doubled or replaced."""
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(data) + 1)
        how = rng.randrange(3)
        if how == 0:
            del data[at : at + rng.randrange(12)]
        elif how == 1:
            data[at:at] = rng.choice(PIECES)
        else:
            data[at : at + 4] = rng.randbytes(3)
    return bytes(data).replace(b"\n", b" ").replace(b"\r", b" ")


def test_noise_on_stdin(connected: Connect) -> None:
    client = connected("stdio", handshake=False)
    assert isinstance(client, StdioClient)
    rng = random.Random(1)
    for _ in range(ROUNDS):
        client.send_raw(noise(rng))
    client.send_raw(b'{"jsonrpc":"2.0","id":"last","method":"tools/list"}')
    while True:
        reply = client.next_stray()
        replies = reply if isinstance(reply, list) else [reply]
        assert all("unreadable" not in r and ("error" in r or "result" in r) for r in replies)
        if any(r.get("id") == "last" for r in replies):
            break
    assert client.close() == 0
    assert "Traceback" not in client.stderr


def test_noise_over_http(connected: Connect) -> None:
    client = connected("http", "--tools", "fixtures", "--rate-limit", "0", handshake=False)
    assert isinstance(client, HttpClient)
    rng = random.Random(2)
    versions = ("2025-11-25", "2026-07-28", "2025-03-26", "junk", "")
    for _ in range(ROUNDS):
        headers = {"MCP-Protocol-Version": rng.choice(versions)} if rng.random() < 0.7 else {}
        if rng.random() < 0.2:
            headers["Mcp-Session-Id"] = rng.choice(["x", "\x7f", "a" * 5000])
        status, _, body = client.post(noise(rng), headers)
        assert status < 500, body
        if body:
            json.loads(body)
    assert client.list_tools()
    client.close()
    assert "Traceback" not in client.stderr


def test_noise_in_place_of_http(connected: Connect, tmp_path: Path) -> None:
    client = connected("http", "--tools", "fixtures", "--receive-timeout", "0.3", handshake=False)
    assert isinstance(client, HttpClient)
    rng = random.Random(3)
    starts = (b"", b"GET ", b"POST /mcp HTTP/1.1\r\n", b"\x16\x03\x01", b"PRI * HTTP/2.0\r\n\r\n")
    for _ in range(ROUNDS // 6):
        with socket.create_connection((client.host, client.port), timeout=10) as link:
            link.sendall(rng.choice(starts) + rng.randbytes(rng.randrange(200)) + b"\r\n\r\n")
            try:
                while link.recv(65536):
                    pass
            except ConnectionError:
                pass
    assert client.list_tools()
    client.close()
    assert "Traceback" not in client.stderr
