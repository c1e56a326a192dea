"""Many clients that do as they please: every call is answered, and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import LONG
from tests.wire.by_hand import LIST, call_by_hand, greet, post, start
from tests.wire.client import HttpClient

CLIENTS = 8
ACTIONS = 400 if LONG else 40
Act = Callable[["Guest"], None]


class Guest:
    """One client, its session and its luck."""

    def __init__(self, server: HttpClient, seed: int) -> None:
        self.server = server
        self.luck = random.Random(seed)
        self.failed: BaseException | None = None
        self._number = 0
        self.arrive()

    def arrive(self) -> None:
        self.session = greet(self.server)

    @property
    def _header(self) -> dict[str, str]:
        return {"Mcp_Session_Id": self.session}

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        params = {"name": tool, "arguments": arguments}
        # No number: those are the ids of calls made by hand in the same session.
        name = f"guest {self._number}"
        return {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params}

    def _post(self, message: dict[str, Any]) -> Any:
        """The answer; None when another took the session."""
        status, _, reply = post(self.server, message, **self._header)
        if status == 404:
            self.arrive()
            return None
        assert status in (200, 202), reply
        return reply

    def echo(self) -> None:
        message = self._call("echo", text=f"word {self._number}")
        reply = self._post(message)
        if reply is not None:
            assert reply["id"] == message["id"]
            assert reply["result"]["content"][0]["text"] == message["params"]["arguments"]["text"]

    def hang_up(self) -> None:
        call_by_hand(self.server, "block", {"until": os.devnull}, **self._header).close()

    def read_little(self) -> None:
        link = call_by_hand(self.server, "large", {"size": 3_000_000}, **self._header)
        link.recv(self.luck.randrange(1, 5000))
        link.close()

    def cancel(self) -> None:
        message = self._call("block")
        answers: list[Any] = []
        waiting = threading.Thread(target=lambda: answers.append(self._post(message)))
        waiting.start()
        params = {"requestId": message["id"]}
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        end = time.monotonic() + 60
        while not answers:  # it may not have begun
            post(self.server, note, **self._header)
            waiting.join(0.01)
            assert time.monotonic() < end
        assert answers[0] is None or answers[0]["error"]["code"] == -32800

    def leave(self) -> None:
        named = {"Mcp-Session-Id": self.session}
        assert self.server.fetch("DELETE", "/mcp", None, named)[0] in (200, 404)
        self.arrive()

    def forget(self) -> None:
        self.arrive()

    def talk(self) -> None:
        """Everything, in an order of its own."""
        acts: list[Act] = [Guest.echo, Guest.echo, Guest.hang_up, Guest.read_little,
                           Guest.cancel, Guest.leave, Guest.forget]  # fmt: skip
        try:
            for _ in range(ACTIONS):
                self.luck.choice(acts)(self)
        except BaseException as failure:
            self.failed = failure


def held(server: HttpClient) -> tuple[int, int]:
    """How many threads and descriptors the server has."""
    home = Path(f"/proc/{server.process.pid}")
    return len(list((home / "task").iterdir())), len(list((home / "fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="counts what a process holds")
def test_whatever_clients_do_calls_are_answered_and_nothing_stays_behind(tmp_path: Path) -> None:
    options = ("--rate-limit", "0", "--max-sessions", "20", "--max-calls", "3")
    with start(*options, cwd=tmp_path, handshake=False) as server:
        assert isinstance(server, HttpClient)
        post(server, LIST)
        Guest(server, CLIENTS).echo()  # the first call opens the history, which stays open
        _, files = held(server)
        guests = [Guest(server, seed) for seed in range(CLIENTS)]
        threads = [threading.Thread(target=guest.talk) for guest in guests]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        assert [guest.failed for guest in guests] == [None] * CLIENTS, server.stderr
        guests[0].echo()
        end = time.monotonic() + 30
        while held(server)[1] > files + 2 or held(server)[0] > 40:
            threading.Event().wait(0.05)
            assert time.monotonic() < end, held(server)
        said = [line for line in server.stderr.splitlines() if "session_displaced" not in line]
        assert said == []
        assert all(json.loads(line)["event"] == "audit" for line in server.stderr.splitlines())
