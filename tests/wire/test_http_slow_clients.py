"""Clients that take long, stop reading or vanish: nothing is held for them for ever."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.by_hand import PING, call_by_hand, greet, post, start
from tests.wire.client import HttpClient

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
SIZE = 16_000_000  # more than kernel buffers hold, within the limit of an answer


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[HttpClient]:
    """A server with one session and half a second of patience."""
    with start("--receive-timeout", "0.5", "--max-sessions", "1", cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        yield client


def ask_for_much(client: HttpClient) -> socket.socket:
    session = {"Mcp_Session_Id": str(client.session)}
    link = call_by_hand(client, "large", {"size": SIZE}, **session)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    return link


@pytest.mark.requirement("server-send-deadline")
def test_a_client_that_stops_reading_is_dropped_and_its_session_let_go(
    impatient: HttpClient,
) -> None:
    link = ask_for_much(impatient)
    assert link.recv(1000).startswith(b"HTTP/1.1 200")
    impatient.session = None
    end = time.monotonic() + 20
    while post(impatient, HELLO)[0] != 200:
        threading.Event().wait(0.05)
        assert time.monotonic() < end, "the session is still busy with an answer nobody reads"
    read = 0
    with contextlib.suppress(ConnectionResetError):
        while part := link.recv(1 << 20):
            read += len(part)
    assert read < SIZE, "it was cut off"
    link.close()


@pytest.mark.requirement("server-send-deadline")
def test_a_client_that_reads_slowly_gets_all_of_its_answer(impatient: HttpClient) -> None:
    link = ask_for_much(impatient)
    heard, began = bytearray(), time.monotonic()
    while time.monotonic() - began < 2:
        heard += link.recv(65536)
        threading.Event().wait(0.1)
    while len(heard) < SIZE:
        part = link.recv(1 << 20)
        assert part, len(heard)
        heard += part
    link.close()
    assert json.loads(heard.partition(b"\r\n\r\n")[2])["result"]["content"][0]["text"] == "x" * SIZE


def test_a_client_that_vanishes_while_its_answer_is_written_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    with start("--max-sessions", "1", cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        link = ask_for_much(client)
        assert link.recv(1000)
        link.close()
        client.session = None
        end = time.monotonic() + 20
        while post(client, HELLO)[0] != 200:
            assert time.monotonic() < end
        assert post(client, PING, Mcp_Session_Id=greet(client))[0] == 200
