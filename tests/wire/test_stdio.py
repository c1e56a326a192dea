"""The stdio loop: JSON-RPC rules, concurrency, cancellation, and its end."""

from __future__ import annotations

import ctypes
import io
import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import StdioClient, connect
from tests.wire.conftest import FIXTURES, Connect

AS_FILES = {"REDLINE_TEST_TOOLSET": "tests.wire.as_files"}
AS_CODING = {"REDLINE_TEST_TOOLSET": "tests.wire.as_coding"}


def stdio(connected: Connect, *args: str, **options: Any) -> StdioClient:
    client = connected("stdio", *args, **options)
    assert isinstance(client, StdioClient)
    return client


def wait_for(path: Path) -> None:
    """Until the server made the file; a server that never does fails the test."""
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, f"never appeared: {path}"


@pytest.mark.requirement("server-stdio-bad-json")
def test_bad_json_is_a_parse_error_with_id_null_and_serving_goes_on(connected: Connect) -> None:
    client = stdio(connected)
    for line in (b"{bad", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,', b"[" * 5000):
        client.send_raw(line)
        reply = client.next_stray()
        assert reply["id"] is None
        assert reply["error"]["code"] == -32700
    assert client.request("ping")["result"] == {}


def test_half_a_surrogate_pair_is_told_to_the_one_who_waits(connected: Connect) -> None:
    client = stdio(connected)
    client.send_raw(b'{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"\\ud800"}}')
    reply = client.next_stray()
    assert reply["id"] == "s"
    assert reply["error"]["code"] == -32700
    assert "surrogate" in reply["error"]["message"]
    assert client.request("ping")["result"] == {}


def test_blank_lines_and_unknown_notifications_are_silent(connected: Connect) -> None:
    client = stdio(connected)
    client.send_raw(b"")
    client.send_raw(b"   \t ")
    client.notify("notifications/whatever", {"x": 1})
    client.send_raw(b'{"jsonrpc":"2.0","method":"tools/list"}')
    assert client.request("ping")["result"] == {}
    assert client.stray.empty()


@pytest.mark.parametrize(
    ("message", "reply_id"),
    [
        (b"3", None),
        (b'"text"', None),
        (b'{"id":7,"method":"ping"}', 7),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7),
        (b'{"jsonrpc":"2.0","id":7,"method":3}', 7),
        (b'{"jsonrpc":"2.0","id":7}', 7),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
        (b'[{"jsonrpc":"2.0","id":9,"method":"ping"}]', None),
        (b"[]", None),
    ],
)
@pytest.mark.requirement("server-envelope")
def test_a_malformed_envelope_is_an_invalid_request(
    connected: Connect, message: bytes, reply_id: object
) -> None:
    client = stdio(connected)
    client.send_raw(message)
    reply = client.next_stray()
    assert reply["error"]["code"] == -32600
    assert reply["id"] == reply_id


@pytest.mark.requirement("server-unknown-method")
def test_unknown_methods_and_params_that_are_no_object(connected: Connect) -> None:
    client = stdio(connected)
    assert client.request("resources/list")["error"]["code"] == -32601
    client.send_raw(b'{"jsonrpc":"2.0","id":"s","method":"tools/list","params":[1]}')
    reply = client.next_stray()
    assert (reply["id"], reply["error"]["code"]) == ("s", -32602)


@pytest.mark.requirement("server-concurrent")
def test_ping_and_lists_are_answered_while_a_call_runs(connected: Connect, tmp_path: Path) -> None:
    client = stdio(connected)
    until = tmp_path / "go"
    running = client.start("tools/call", {"name": "block", "arguments": {"until": str(until)}})
    assert client.request("ping")["result"] == {}
    assert client.list_tools()
    assert client.call("echo", {"text": "meanwhile"})["result"]["isError"] is False
    until.touch()
    assert client.finish(running)["result"]["content"][0]["text"] == "released"


def test_many_calls_run_at_once_and_each_gets_its_own_answer(connected: Connect) -> None:
    client = stdio(connected)
    started = [
        client.start("tools/call", {"name": "echo", "arguments": {"text": f"n{n}"}})
        for n in range(200)
    ]
    for n, call in enumerate(started):
        assert client.finish(call)["result"]["content"][0]["text"] == f"n{n}"


def test_a_request_id_in_use_is_refused(connected: Connect, tmp_path: Path) -> None:
    client = stdio(connected)
    until = tmp_path / "go"
    call = {"name": "block", "arguments": {"until": str(until)}}
    running = client.start("tools/call", call)
    line = {"jsonrpc": "2.0", "id": running[0], "method": "tools/call", "params": call}
    client.send_raw(json.dumps(line).encode())
    assert client.finish(running)["error"]["code"] == -32600
    until.touch()
    assert client.next_stray()["result"]["content"][0]["text"] == "released"


@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
@pytest.mark.requirement("server-cancel")
def test_cancelling_stops_the_work_and_gets_no_answer(
    connected: Connect, tmp_path: Path, protocol: str
) -> None:
    client = stdio(connected, protocol=protocol)
    marker = tmp_path / "stopped"
    running = client.start("tools/call", {"name": "block", "arguments": {"cancelled": str(marker)}})
    client.list_tools()
    client.notify("notifications/cancelled", {"requestId": running[0], "reason": "enough"})
    wait_for(marker)
    client.list_tools()
    with pytest.raises(queue.Empty):
        running[1].get(timeout=0.3)


@pytest.mark.requirement("server-progress")
def test_progress_comes_only_to_those_who_sent_a_token(connected: Connect, tmp_path: Path) -> None:
    client = stdio(connected)
    go = tmp_path / "go"
    go.touch()
    arguments = {"until": str(go)}
    client.call("block", arguments)
    assert client.notifications == []
    client.call("block", arguments, _meta={"progressToken": "t1"})
    assert [n["params"] for n in client.notifications] == [
        {"progressToken": "t1", "progress": 1, "total": 2, "message": "waiting"}
    ]


@pytest.mark.requirement("server-eof")
def test_the_end_of_stdin_finishes_what_is_in_flight_then_exits_0(
    connected: Connect, tmp_path: Path
) -> None:
    client = stdio(connected)
    until = tmp_path / "go"
    running = client.start("tools/call", {"name": "block", "arguments": {"until": str(until)}})
    client.request("ping")
    assert client.process.stdin
    client.process.stdin.close()
    until.touch()
    assert client.finish(running)["result"]["content"][0]["text"] == "released"
    assert client.close() == 0


def test_requests_piped_in_before_the_end_are_all_answered(connected: Connect) -> None:
    client = stdio(connected, handshake=False)
    for n in range(50):
        call = {"name": "echo", "arguments": {"text": str(n)}}
        line = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call}
        client.send_raw(json.dumps(line).encode())
    assert client.close() == 0
    answered = {client.next_stray()["id"] for _ in range(50)}
    assert answered == set(range(50))


@pytest.mark.requirement("server-sigterm")
def test_sigterm_ends_the_server_within_five_seconds_even_during_a_call(
    connected: Connect,
) -> None:
    client = stdio(connected)
    client.start("tools/call", {"name": "block", "arguments": {}})
    client.request("ping")
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(5) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="sends a signal to one thread of a process")
@pytest.mark.requirement("server-sigterm")
def test_sigterm_that_arrives_in_another_thread_ends_a_waiting_server(connected: Connect) -> None:
    client = stdio(connected)
    client.request("tools/call", {"name": "echo", "arguments": {"text": "a worker thread"}})
    main = client.process.pid
    others = [int(name) for name in os.listdir(f"/proc/{main}/task") if int(name) != main]
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.tgkill(main, others[0], signal.SIGTERM) == 0
    assert client.process.wait(30) == 0


@pytest.mark.requirement("server-long-lines")
def test_a_line_over_the_limit_is_refused_and_the_next_one_served() -> None:
    from redline.server.calls.catalog import Catalog
    from redline.server.calls.tool_server import ToolServer
    from redline.server.stdio import serve_stdio
    from tests.wire import fixtures

    ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
    lines = ping % 1 + b'{"x":"' + b"y" * 5000 + b'"}\n' + ping % 2
    out = io.BytesIO()
    server = ToolServer(Catalog([fixtures.TOOLSET]), object())  # type: ignore[arg-type]
    serve_stdio(server, io.BytesIO(lines), out, max_line=1000)
    replies = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [reply["id"] for reply in replies] == [1, None, 2]
    assert replies[1]["error"]["code"] == -32600


# --- batches -------------------------------------------------------------------------------


@pytest.mark.requirement("server-batches")
def test_the_one_revision_with_batches_answers_them_with_an_array(connected: Connect) -> None:
    client = stdio(connected, protocol="2025-03-26")
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "whoami"}},
        {"jsonrpc": "2.0", "id": "c", "method": "nope"},
        5,
    ]
    client.send_raw(json.dumps(batch).encode())
    replies = client.next_stray()
    assert {reply["id"] for reply in replies} == {"a", "b", "c", None}


def test_files_alone_refuses_batches_and_serves_null_ids(connected: Connect) -> None:
    client = stdio(connected, env=AS_FILES, protocol="2025-03-26")
    client.send_raw(b'[{"jsonrpc":"2.0","id":9,"method":"ping"}]')
    assert client.next_stray()["error"]["code"] == -32600
    client.send_raw(b'{"jsonrpc":"2.0","id":null,"method":"ping"}')
    assert client.next_stray() == {"jsonrpc": "2.0", "id": None, "result": {}}


# --- handshakes ----------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [None, 3, [], {}, "2030-01-01", "1900-01-01", "nonsense"])
def test_an_unknown_revision_is_answered_with_the_newest_one(
    connected: Connect, asked: object
) -> None:
    client = stdio(connected, handshake=False)
    reply = client.request("initialize", {"protocolVersion": asked})
    assert reply["result"]["protocolVersion"] == "2025-11-25"


def test_initialize_introduces_the_server(connected: Connect) -> None:
    result = stdio(connected).initialize_result
    assert result["capabilities"] == {"tools": {"listChanged": False}, "logging": {}}
    assert result["serverInfo"]["name"] == "redline"
    assert result["serverInfo"]["title"] == "Redline"
    assert result["instructions"]


@pytest.mark.parametrize("params", [b'"text"', b"[]", b"null", b"3"])
def test_files_alone_tolerates_nonsense_params_and_advertises_only_tools(
    connected: Connect, params: bytes
) -> None:
    client = stdio(connected, env=AS_FILES, handshake=False)
    assert client.list_tools(), "served before initialize"
    client.send_raw(b'{"jsonrpc":"2.0","id":"i","method":"initialize","params":%s}' % params)
    result = client.next_stray()["result"]
    assert result["protocolVersion"] == "2025-11-25"
    assert result["capabilities"] == {"tools": {}}
    assert client.call("nope")["error"]["code"] == -32601


def test_coding_alone_answers_only_initialize_and_ping_before_the_handshake(
    connected: Connect,
) -> None:
    client = stdio(connected, env=AS_CODING, handshake=False, protocol="2025-06-18")
    assert client.request("ping")["result"] == {}
    for method in ("tools/list", "tools/call", "logging/setLevel"):
        error = client.request(method, {})["error"]
        assert error["code"] == -32002
        assert "not initialized" in error["message"].lower()
    client.initialize()
    assert client.list_tools()


@pytest.mark.parametrize("old", ["1900-01-01", "2024-01-01"])
def test_coding_alone_refuses_revisions_older_than_its_profile(
    connected: Connect, old: str
) -> None:
    client = stdio(connected, "--tools", "fixtures", "--protocol", "2025-06-18",
                   env=AS_CODING, handshake=False)  # fmt: skip
    error = client.request("initialize", {"protocolVersion": old})["error"]
    assert error["code"] == -32602
    assert error["data"]["supported"] == ["2025-06-18"]
    assert error["data"]["received"] == old
    newer = client.request("initialize", {"protocolVersion": "2099-01-01"})
    assert newer["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.requirement("server-protocol-cap")
def test_the_protocol_flag_caps_what_is_agreed_and_turns_the_stateless_era_off(
    connected: Connect,
) -> None:
    args = ("--tools", "fixtures", "--protocol", "2025-06-18")
    client = stdio(connected, *args)
    assert client.initialize_result["protocolVersion"] == "2025-06-18"
    modern = stdio(connected, *args, protocol="2026-07-28")
    modern.protocol = "2025-06-18"  # the answer is one of the older era
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    assert modern.request("server/discover", {"_meta": meta})["error"]["code"] == -32601


def test_logging_levels(connected: Connect) -> None:
    client = stdio(connected)
    assert client.request("logging/setLevel", {"level": "warning"})["result"] == {}
    error = client.request("logging/setLevel", {"level": "loud"})["error"]
    assert error["code"] == -32602
    assert "logging level" in error["message"]


# --- the stateless era ---------------------------------------------------------------------


@pytest.mark.requirement("server-stateless")
def test_discover_names_the_revision_and_lists_say_how_long_they_hold(connected: Connect) -> None:
    client = stdio(connected, protocol="2026-07-28")
    found = client.request("server/discover")["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["resultType"] == "complete"
    listed = client.request("tools/list")["result"]
    assert listed["ttlMs"] > 0
    assert listed["cacheScope"] == "public"
    assert listed["resultType"] == "complete"


def test_a_stateless_connection_refuses_what_is_not_of_its_era(connected: Connect) -> None:
    client = stdio(connected, protocol="2026-07-28")
    client.list_tools()
    assert client.request("ping")["error"]["code"] == -32601
    refused = client.request("initialize", {"protocolVersion": "2025-11-25"})["error"]
    assert refused["code"] == -32022
    assert refused["data"]["supported"] == ["2026-07-28"]
    client.send_raw(b'{"jsonrpc":"2.0","id":"x","method":"tools/list"}')
    assert client.next_stray()["error"]["code"] == -32602
    meta = {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    unknown = client.request("tools/list", {"_meta": meta})["error"]
    assert unknown["code"] == -32022
    assert unknown["data"]["requested"] == "2031-01-01"


def test_a_handshake_connection_refuses_requests_of_the_stateless_era(connected: Connect) -> None:
    client = stdio(connected)
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    assert client.request("tools/list", {"_meta": meta})["error"]["code"] == -32600


# --- asking the person ---------------------------------------------------------------------

CAN_ASK = {"elicitation": {}}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"action": "accept", "content": {"colour": "red"}}, "accept red"),
        ({"action": "decline"}, "decline"),
        ({"action": "cancel"}, "cancel"),
        ({"action": "whatever"}, "cancel"),
        (None, "cancel"),
    ],
)
def test_a_handler_can_ask_while_it_runs(
    connected: Connect, answer: dict[str, object], text: str
) -> None:
    client = stdio(connected, capabilities=CAN_ASK)
    asked = []
    client.on_request = lambda message: (asked.append(message), answer)[1]
    assert client.call("ask")["result"]["content"][0]["text"] == text
    assert asked[0]["method"] == "elicitation/create"
    assert asked[0]["params"]["message"] == "Which colour?"


def test_a_call_cancelled_while_it_asks_does_not_wait_for_the_answer(connected: Connect) -> None:
    client = stdio(connected, capabilities=CAN_ASK)
    asked, answer = threading.Event(), threading.Event()

    def never(_: object) -> dict[str, Any]:
        asked.set()
        return {"action": "cancel"} if answer.wait(20) else {}

    client.on_request = never
    running = client.start("tools/call", {"name": "ask", "arguments": {}})
    assert asked.wait(20)
    client.notify("notifications/cancelled", {"requestId": running[0]})
    assert client.process.stdin
    client.process.stdin.close()
    assert client.process.wait(10) == 0, "nothing is in flight any more"
    answer.set()


def test_a_question_that_comes_up_after_the_end_of_stdin_is_not_waited_for(
    connected: Connect,
) -> None:
    client = connected("stdio", capabilities={"elicitation": {}})
    assert isinstance(client, StdioClient)
    client.start("tools/call", {"name": "ask", "arguments": {}})
    assert client.close() == 0


@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
def test_a_client_without_elicitation_is_never_asked(connected: Connect, protocol: str) -> None:
    client = stdio(connected, protocol=protocol)
    assert client.call("ask")["result"]["content"][0]["text"] == "cannot ask"


def ask_statelessly(client: StdioClient) -> tuple[str, dict[str, Any]]:
    needed = client.call("ask")["result"]
    assert needed["resultType"] == "input_required"
    assert needed["inputRequests"]["colour"]["method"] == "elicitation/create"
    answer = {"colour": {"action": "accept", "content": {"colour": "blue"}}}
    return needed["requestState"], answer


def test_on_a_stateless_connection_the_question_ends_the_call_and_a_retry_carries_the_answer(
    connected: Connect,
) -> None:
    client = stdio(connected, protocol="2026-07-28", capabilities=CAN_ASK)
    state, answer = ask_statelessly(client)
    done = client.call("ask", requestState=state, inputResponses=answer)["result"]
    assert done["content"][0]["text"] == "accept blue"


@pytest.mark.requirement("server-ask")
def test_a_forged_replayed_or_foreign_state_is_refused(connected: Connect) -> None:
    client = stdio(connected, protocol="2026-07-28", capabilities=CAN_ASK)
    other = stdio(connected, protocol="2026-07-28", capabilities=CAN_ASK)
    state, answer = ask_statelessly(client)
    forged = ("A" if state[0] != "A" else "B") + state[1:]
    padded = state.rstrip("=")
    same_bytes = padded[:-1] + chr(ord(padded[-1]) + 1) + state[len(padded) :]
    for bad in (forged, "", "!!", state[:20], state + "=", same_bytes, 7):
        refused = client.call("ask", requestState=bad, inputResponses=answer)["error"]
        assert refused["code"] == -32602, bad
    foreign = other.call("ask", requestState=state, inputResponses=answer)["error"]
    assert foreign["code"] == -32602
    used = client.call("ask", requestState=state, inputResponses=answer)["result"]
    assert used["resultType"] == "complete"
    replayed = client.call("ask", requestState=state, inputResponses=answer)["error"]
    assert replayed["code"] == -32602


def test_answers_without_a_state_are_not_believed(connected: Connect) -> None:
    client = stdio(connected, protocol="2026-07-28", capabilities=CAN_ASK)
    _, answer = ask_statelessly(client)
    assert client.call("ask", inputResponses=answer)["result"]["resultType"] == "input_required"


# --- starting ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--tools", "nope"], "No such toolset: nope"),
        (["--tools", ","], "No such toolset"),
        (["--protocol", "2020-01-01"], "Bad protocol"),
        (["--errors", "loud"], "Bad errors"),
        (["--sandbox-profile", "/nonexistent"], "Cannot read sandbox profile"),
        (["--history-size", "much"], "Bad history_size"),
    ],
)
def test_a_wrong_flag_is_explained_and_exits_2(tmp_path: Path, args: list[str], words: str) -> None:
    client = connect("stdio", args, cwd=tmp_path, env=FIXTURES, handshake=False)
    assert client.close() == 2
    assert words in client.stderr
    assert "Traceback" not in client.stderr


def test_nothing_but_replies_reaches_stdout(connected: Connect) -> None:
    client = stdio(connected)
    assert client.call("crash")["error"]["code"] == -32603
    client.close()
    assert client.stray.empty()
