"""A client that asks for log messages gets them while its calls run; nobody else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import MODERN, Client, connect
from tests.wire.conftest import Connect

ERAS = ("2025-11-25", MODERN)
LEVEL = "io.modelcontextprotocol/logLevel"
Json = dict[str, Any]


def told(client: Client) -> list[tuple[str, str]]:
    """The level and the event of each log message so far."""
    return [(p["level"], p["data"]["event"]) for p in logged(client)]


def logged(client: Client) -> list[Json]:
    """The params of each log message so far."""
    return [
        note["params"] for note in client.notifications if note["method"] == "notifications/message"
    ]


class Asking:
    """One client that asks for *level* in the way of its era."""

    def __init__(self, client: Client, level: str) -> None:
        self.client = client
        self.meta: Json = {"_meta": {LEVEL: level}} if client.protocol == MODERN else {}
        if client.protocol != MODERN:
            assert client.request("logging/setLevel", {"level": level})["result"] == {}

    def call(self, tool: str, arguments: Json | None = None) -> Json:
        """A call that asks for messages."""
        return self.client.call(tool, arguments, **self.meta)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("server-client-log")
def test_nothing_is_sent_before_a_client_asks(connected: Connect, transport: str, era: str) -> None:
    client = connected(transport, protocol=era)
    client.call("refuse", {"how": "path"})
    client.call("crash")
    client.call("echo", {"text": "hello"})
    assert told(client) == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("server-client-log")
def test_what_is_below_the_level_stays_unsaid(connected: Connect, transport: str, era: str) -> None:
    asking = Asking(connected(transport, protocol=era), "warning")
    asking.call("echo", {"text": "hello"})
    asking.call("refuse", {"how": "match"})
    asking.call("refuse", {"how": "path"})
    asking.call("crash")
    assert told(asking.client) == [("warning", "path_denied"), ("error", "internal_error")]
    denied, crashed = logged(asking.client)
    assert denied["logger"] == "redline"
    assert denied["data"]["tool"] == "refuse"
    assert "secret detail" not in str(crashed)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("server-client-log")
def test_debug_tells_of_every_call(connected: Connect, transport: str, era: str) -> None:
    asking = Asking(connected(transport, protocol=era), "debug")
    asking.call("echo", {"text": "hello"})
    asking.call("refuse", {"how": "match"})
    assert told(asking.client) == [
        ("debug", "call_finished"),
        ("info", "call_failed"),
        ("debug", "call_finished"),
    ]
    assert [entry["data"].get("ok") for entry in logged(asking.client)] == [True, None, False]


def test_the_level_can_be_changed_and_is_each_sessions_own(
    connected: Connect, transport: str
) -> None:
    first = Asking(connected(transport), "debug")
    second = connected(transport)
    second.call("echo", {"text": "hello"})
    assert told(second) == []
    assert first.client.request("logging/setLevel", {"level": "error"})["result"] == {}
    first.call("refuse", {"how": "path"})
    assert told(first.client) == []


def test_one_stateless_request_asks_for_itself_alone(connected: Connect, transport: str) -> None:
    asking = Asking(connected(transport, protocol=MODERN), "debug")
    asking.call("echo", {"text": "hello"})
    asking.client.call("echo", {"text": "hello"})
    assert told(asking.client) == [("debug", "call_finished")]


def test_an_unknown_level_in_a_stateless_request_is_refused(
    connected: Connect, transport: str
) -> None:
    client = connected(transport, protocol=MODERN)
    reply = client.call("echo", {"text": "hello"}, _meta={LEVEL: "loud"})
    assert reply["error"]["code"] == -32602


def test_discovery_names_logging(connected: Connect, transport: str) -> None:
    found = connected(transport, protocol=MODERN).request("server/discover")["result"]
    assert found["capabilities"] == {"tools": {}, "logging": {}}


@pytest.mark.parametrize("era", ERAS)
def test_a_client_is_warned_of_new_syntax_errors_and_refused_commands(
    tmp_path: Path, transport: str, era: str
) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    with connect(transport, [], cwd=tmp_path, protocol=era) as client:
        asking = Asking(client, "warning")
        edit = {
            "target_file": "a.py",
            "edit_instruction": "Replace f",
            "code_block": "def f(:\n    return 2\n",
        }
        asking.call("ai_code_editing.edit_file", edit)
        asking.call("exec_command", {"cmd": "sudo reboot"})
        asking.call("read_file", {"path": "/etc/passwd"})
        events = told(client)
    assert events == [("warning", "tool"), ("warning", "refused"), ("warning", "path_denied")]
