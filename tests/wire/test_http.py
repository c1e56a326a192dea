"""The HTTP transport: who may come in, limits, sessions, and the forms of an answer."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.by_hand import (
    LIST,
    PING,
    call_by_hand,
    greet,
    post,
    start,
    wait_for_file,
    wait_for_line,
    wait_for_metric,
)
from tests.wire.client import HttpClient, connect
from tests.wire.conftest import Connect

AS_CODING = {"REDLINE_TEST_TOOLSET": "tests.wire.as_coding"}
AS_FILES = {"REDLINE_TEST_TOOLSET": "tests.wire.as_files"}
TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """One open server for tests that leave nothing behind."""
    folder = tmp_path_factory.mktemp("http")
    with start("--rate-limit", "0", cwd=folder, handshake=False) as client:
        yield client  # type: ignore[misc]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """One server with a token and small limits."""
    folder = tmp_path_factory.mktemp("guarded")
    options = ("--max-body", "1000", "--receive-timeout", "0.5", "--max-sessions", "2",
               "--session-idle", "1", "--rate-limit", "0")  # fmt: skip
    with start(*options, cwd=folder, handshake=False, env={"REDLINE_AUTH_TOKEN": TOKEN}) as client:
        yield client  # type: ignore[misc]


@pytest.fixture(scope="module")
def coding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """The coding profile alone."""
    folder = tmp_path_factory.mktemp("coding")
    with start("--rate-limit", "0", cwd=folder, handshake=False, env=AS_CODING) as client:
        yield client  # type: ignore[misc]


# --- who may come in -----------------------------------------------------------------------


@pytest.mark.requirement("server-host-origin")
def test_hosts_and_origins_are_compared_exactly(shared: HttpClient) -> None:
    port = shared.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "127.0.0.1",
                 "localhost", "[::1]"):  # fmt: skip
        assert post(shared, PING, Host=host)[0] == 200, host
    for host in ("127.0.0.2", "localhost:1", "localhost.", "::1", f"evil.test:{port}",
                 f"127.0.0.1.evil.test:{port}", f"127.0.0.1:{port}.evil.test",
                 f"user@127.0.0.1:{port}", ""):  # fmt: skip
        status, _, reply = post(shared, PING, Host=host)
        assert status == 421, host
        assert "Host denied" in reply["error"]["message"]
    for origin in (f"http://127.0.0.1:{port}", "http://localhost:3000", "https://localhost",
                   "http://[::1]:9"):  # fmt: skip
        assert post(shared, PING, Origin=origin)[0] == 200, origin
    refused = ("null", "http://evil.test", "http://localhost.evil.test", "file://localhost",
               "http://localhost:3000/", "http://a@localhost", "http://[::1]:99999")  # fmt: skip
    for origin in refused:
        status, _, reply = post(shared, PING, Origin=origin)
        assert status == 403, origin
        assert "Origin denied" in reply["error"]["message"]


def test_only_pages_the_operator_named_may_read_answers(shared: HttpClient, tmp_path: Path) -> None:
    page = "https://app.example.org"
    asking = {"Origin": page, "Access-Control-Request-Method": "POST"}
    with start("--allowed-origins", page, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        status, headers, _ = client.fetch("OPTIONS", "/mcp", None, asking)
        assert (status, headers["access-control-allow-origin"]) == (204, page)
        assert "mcp-session-id" in headers["access-control-allow-headers"]
        status, headers, _ = post(client, PING, Origin=page)
        assert (status, headers["access-control-allow-origin"]) == (200, page)
        assert "www-authenticate" in headers["access-control-expose-headers"]
        local = client.fetch("OPTIONS", "/mcp", None, {**asking, "Origin": "http://localhost:3000"})
        assert local[0] == 405
        assert "access-control-allow-origin" not in local[1]
    assert shared.fetch("OPTIONS", "/mcp", None, asking)[0] == 403


@pytest.mark.requirement("server-token")
def test_health_needs_no_token_but_the_tools_do(guarded: HttpClient) -> None:
    assert guarded.fetch("GET", "/healthz")[0] == 200
    assert guarded.fetch("GET", "/readyz")[0] == 200
    wrong = ("Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff", "")
    for given in ({}, *({"Authorization": text} for text in wrong)):
        status, headers, _ = guarded.post(json.dumps(PING).encode(), given)
        assert status == 401, given
        assert headers["www-authenticate"].startswith("Bearer")
    assert post(guarded, PING, Authorization=f"Bearer {TOKEN}")[0] == 200
    wait_for_line(guarded, "auth_failed")
    assert TOKEN not in guarded.stderr


@pytest.mark.requirement("server-token-required")
def test_listening_beyond_this_machine_needs_a_token(tmp_path: Path) -> None:
    client = connect("stdio", ["--host", "0.0.0.0"], cwd=tmp_path, handshake=False)
    assert client.close() == 0, "stdio has no host"
    import subprocess
    import sys

    from tests.wire.client import ROOT

    done = subprocess.run(
        [sys.executable, "-m", "redline", "serve", "--http", "0.0.0.0:0"],
        cwd=tmp_path, capture_output=True, text=True, timeout=30,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )  # fmt: skip
    assert done.returncode == 2
    assert "token is required" in done.stderr


@pytest.mark.requirement("server-rate")
def test_too_many_requests_are_told_when_to_come_back(tmp_path: Path) -> None:
    with start("--rate-limit", "1", cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        statuses = [post(client, PING)[0] for _ in range(6)]
        assert statuses[0] == 200
        assert 429 in statuses
        status, headers, _ = post(client, PING)
        assert status == 429
        assert int(headers["retry-after"]) >= 1
        wait_for_line(client, "rate_limited")


def test_guessing_tokens_is_slowed_down_without_locking_out_who_has_one(tmp_path: Path) -> None:
    env = {"REDLINE_AUTH_TOKEN": TOKEN}
    with start(cwd=tmp_path, handshake=False, env=env) as client:
        assert isinstance(client, HttpClient)
        statuses = [post(client, PING, Authorization=f"Bearer {n}")[0] for n in range(40)]
        assert statuses[0] == 401
        assert 429 in statuses
        assert post(client, PING, Authorization=f"Bearer {TOKEN}")[0] == 200


def test_a_workspace_that_vanished_is_not_ready(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with start("--workspace", str(folder), cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        folder.rmdir()
        status, _, body = client.fetch("GET", "/readyz")
        assert (status, json.loads(body)) == (503, {"status": "workspace unavailable"})
        assert client.fetch("GET", "/healthz")[0] == 200


# --- limits --------------------------------------------------------------------------------


@pytest.mark.requirement("server-body-limit")
def test_a_body_over_the_limit_is_refused_before_it_is_read(guarded: HttpClient) -> None:
    link = socket.create_connection((guarded.host, guarded.port), timeout=10)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{guarded.port}\r\nContent-Length: 1001\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    )
    link.sendall(head.encode())
    answer = b"".join(iter(lambda: link.recv(65536), b"")).decode()
    link.close()
    assert answer.startswith("HTTP/1.1 413")
    assert '"max_bytes":1000' in answer


def test_a_chunked_body_over_the_limit_is_refused(guarded: HttpClient) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
               "Transfer-Encoding": "chunked"}  # fmt: skip
    body = b"".join(b"100\r\n" + b"x" * 256 + b"\r\n" for _ in range(5)) + b"0\r\n\r\n"
    assert guarded.fetch("POST", "/mcp", body, headers)[0] == 413


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /mcp HT",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-",
    ],
)
def test_a_request_whose_head_never_ends_is_dropped(guarded: HttpClient, sent: bytes) -> None:
    link = socket.create_connection((guarded.host, guarded.port), timeout=10)
    link.sendall(sent.replace(b"PORT", str(guarded.port).encode()))
    assert link.recv(65536) == b""
    link.close()


@pytest.mark.requirement("server-receive-deadline")
def test_a_request_whose_body_never_ends_is_answered_and_dropped(guarded: HttpClient) -> None:
    link = socket.create_connection((guarded.host, guarded.port), timeout=10)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{guarded.port}\r\nContent-Length: 100\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {TOKEN}\r\n\r\n{{"
    )
    link.sendall(head.encode())
    assert link.recv(65536).startswith(b"HTTP/1.1 408")
    while link.recv(65536):
        pass
    link.close()


@pytest.mark.parametrize("length", ["x", "-1", "1.5"])
def test_a_content_length_that_is_no_number_is_refused(guarded: HttpClient, length: str) -> None:
    link = socket.create_connection((guarded.host, guarded.port), timeout=10)
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{guarded.port}\r\nContent-Length: {length}\r\n"
    link.sendall(head.encode() + b"\r\n")
    answer = link.recv(65536)
    link.close()
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"Content-Length" in answer
    assert b"-32600" in answer
    wait_for_line(guarded, "redline: Invalid HTTP request received.\n")


@pytest.mark.requirement("server-sessions")
def test_sessions_are_capped_expire_and_make_room_for_newcomers(guarded: HttpClient) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    first, second, third = (greet(guarded, **bearer) for _ in range(3))
    status, _, reply = post(guarded, LIST, **bearer, Mcp_Session_Id=first)
    assert (status, reply["error"]["code"]) == (404, -32001), "two are open at most"
    assert "send initialize again" in reply["error"]["message"]
    for session in (second, third):
        assert post(guarded, LIST, **bearer, Mcp_Session_Id=session)[0] == 200
    end = time.monotonic() + 20
    while post(guarded, LIST, **bearer, Mcp_Session_Id=third)[0] != 404:
        # Asking keeps a session alive, so ask less often than it idles.
        threading.Event().wait(1.3)
        assert time.monotonic() < end
    assert greet(guarded, **bearer)


# --- forms of requests and answers ---------------------------------------------------------


def test_paths_and_methods_that_are_not_served(shared: HttpClient) -> None:
    status, _, body = shared.fetch("POST", "/other", b"{}")
    assert (status, json.loads(body)["error"]["code"]) == (404, -32601)
    assert json.loads(body)["error"]["message"].endswith("hint: tools are at /mcp")
    for method in ("GET", "PUT", "OPTIONS"):
        status, headers, _ = shared.fetch(method, "/mcp")
        assert status == 405
        assert "POST" in headers["allow"]


def test_bodies_that_are_no_message(shared: HttpClient) -> None:
    assert post(shared, PING, Content_Type="text/plain")[0] == 415
    for body, code in ((b"{bad", -32700), (b"", -32700), (b"3", -32600), (b"[]", -32600)):
        status, _, reply = post(shared, body)
        assert (status, reply["error"]["code"], reply["id"]) == (400, code, None), body
    status, _, reply = post(shared, {"jsonrpc": "1.0", "id": 3, "method": "ping"})
    assert (status, reply["error"]["code"], reply["id"]) == (400, -32600, 3)


def test_an_unknown_session_is_404_and_an_ended_one_too(shared: HttpClient) -> None:
    status, _, reply = post(shared, LIST, Mcp_Session_Id="nope")
    assert (status, reply["error"]["code"]) == (404, -32001)
    assert "Unknown MCP session" in reply["error"]["message"]
    session = greet(shared)
    assert post(shared, LIST, Mcp_Session_Id=session)[0] == 200
    assert shared.fetch("DELETE", "/mcp", None, {"Mcp-Session-Id": session})[0] == 200
    assert post(shared, LIST, Mcp_Session_Id=session)[0] == 404


def test_requests_without_a_session_are_served(shared: HttpClient) -> None:
    status, headers, reply = post(shared, LIST)
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert reply["result"]["tools"]
    call = {"name": "echo", "arguments": {"text": "x"}}
    message = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call}
    assert post(shared, message)[2]["result"]["content"][0]["text"] == "x"
    assert post(shared, {"jsonrpc": "2.0", "method": "notifications/initialized"})[0] == 202


@pytest.mark.requirement("server-answer-form")
def test_an_answer_is_plain_json_unless_something_comes_before_it(
    shared: HttpClient, tmp_path: Path
) -> None:
    session = greet(shared)
    go = tmp_path / "go"
    go.touch()
    call: dict[str, Any] = {"name": "block", "arguments": {"until": str(go)}}
    message = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call}
    headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    plain = shared.post(json.dumps(message).encode(), headers)
    assert plain[1]["content-type"] == "application/json"
    call["_meta"] = {"progressToken": 1}
    streamed = shared.post(json.dumps(message).encode(), headers)
    assert streamed[1]["content-type"].startswith("text/event-stream")
    assert b"notifications/progress" in streamed[2]
    assert b"released" in streamed[2]
    only_json = shared.post(json.dumps(message).encode(), {**headers, "Accept": "application/json"})
    assert only_json[1]["content-type"] == "application/json"
    assert json.loads(only_json[2])["result"]["content"][0]["text"] == "released"


@pytest.mark.requirement("server-answer-form")
def test_a_client_that_takes_only_streams_gets_one(shared: HttpClient) -> None:
    headers = {"Mcp-Session-Id": greet(shared), "Accept": "text/event-stream"}
    status, found, body = shared.post(json.dumps(LIST).encode(), headers)
    assert (status, found["content-type"]) == (200, "text/event-stream")
    assert b'"tools"' in body


def test_batches_of_a_session_are_answered_by_it(shared: HttpClient) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whoami"}}
    session = greet(shared, "2025-03-26")
    status, _, replies = post(shared, [PING, call], Mcp_Session_Id=session)
    assert status == 200
    found = {reply["id"]: reply["result"] for reply in replies}
    assert found[1] == {}
    assert found[2]["structuredContent"]["connection"] == session
    assert post(shared, [PING], Mcp_Session_Id="nope")[0] == 404


def test_batches_are_served_where_the_revision_has_them(shared: HttpClient) -> None:
    batch = [PING, {**LIST, "id": 2}]
    status, _, replies = post(shared, batch, MCP_Protocol_Version="2025-03-26")
    assert status == 200
    assert {reply["id"] for reply in replies} == {1, 2}
    assert post(shared, batch, MCP_Protocol_Version="2025-11-25")[0] == 400
    status, _, reply = post(shared, [PING] * 51)
    assert (status, reply["error"]["data"]) == (400, {"max_items": 50})


def test_over_http_the_version_header_alone_names_the_era(shared: HttpClient) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
    listing = {**LIST, "params": {"_meta": meta}}
    session = greet(shared)
    named = post(shared, listing, Mcp_Session_Id=session, MCP_Protocol_Version="2025-11-25")[2]
    assert "resultType" not in named["result"]
    era = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/list"}
    assert post(shared, listing, **era)[2]["result"]["resultType"] == "complete"
    hello = {"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": {"_meta": meta}}
    era["Mcp_Method"] = "initialize"
    status, headers, reply = post(shared, hello, **era)
    assert (status, reply["error"]["code"], reply["id"]) == (404, -32601, 5)
    assert "mcp-session-id" not in headers


def test_the_stateless_era_checks_headers_against_the_body(connected: Connect) -> None:
    client = connected("http", protocol="2026-07-28")
    assert isinstance(client, HttpClient)
    assert client.request("server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    body = json.dumps(client._message("tools/call", {"name": "whoami", "arguments": {}})).encode()
    right = {"Mcp-Method": "tools/call", "Mcp-Name": "whoami"}
    assert client.post(body, right)[0] == 200
    for wrong in ({}, {"Mcp-Method": "tools/list"}, {**right, "Mcp-Name": "echo"}):
        status, _, answer = client.post(body, wrong)
        assert (status, json.loads(answer)["error"]["code"]) == (400, -32020)
    status, _, answer = client.post(body, {**right, "MCP-Protocol-Version": "2031-01-01"})
    assert status == 400


def test_the_protocol_flag_caps_both_eras(tmp_path: Path) -> None:
    with start("--protocol", "2025-06-18", cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        assert client.initialize_result["protocolVersion"] == "2025-06-18"
        status, _, reply = post(client, LIST, MCP_Protocol_Version="2026-07-28")
        assert status == 400
        assert reply["error"]["data"]["supported"][-1] == "2025-06-18"
        for unknown in ("2099-01-01", "soon"):
            told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            status, _, reply = post(client, told, MCP_Protocol_Version=unknown)
            assert status == 400
            assert reply["error"]["data"]["supported"][-1] == "2025-06-18"


def test_sigterm_ends_the_server_within_five_seconds_even_during_a_call(tmp_path: Path) -> None:
    client = start(cwd=tmp_path)
    client.start("tools/call", {"name": "block", "arguments": {}, "_meta": {"progressToken": 1}})
    client.request("ping")
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(5) == 0
    client.close()


@pytest.mark.requirement("server-hang-up")
def test_a_client_of_the_stateless_era_that_hangs_up_cancels_its_call(tmp_path: Path) -> None:
    marker = tmp_path / "stopped"
    with start(cwd=tmp_path, protocol="2026-07-28") as client:
        assert isinstance(client, HttpClient)
        headers = {"Mcp_Method": "tools/call", "Mcp_Name": "block"}
        headers["MCP_Protocol_Version"] = "2026-07-28"
        link = call_by_hand(client, "block", {"cancelled": str(marker)}, **headers)
        client.list_tools()
        link.close()
        end = time.monotonic() + 20
        while not marker.exists():
            assert time.monotonic() < end
            client.list_tools()


def test_a_cancelled_notification_stops_a_call_of_the_same_session(tmp_path: Path) -> None:
    begun, stopped = tmp_path / "begun", tmp_path / "stopped"
    with start(cwd=tmp_path) as client:
        markers = {"started": str(begun), "cancelled": str(stopped)}
        running = client.start("tools/call", {"name": "block", "arguments": markers})
        wait_for_file(begun)
        client.notify("notifications/cancelled", {"requestId": running[0]})
        assert "error" in client.finish(running)
        assert stopped.exists()


@pytest.mark.requirement("server-hang-up")
def test_a_client_of_the_handshake_era_may_hang_up_and_its_call_goes_on(tmp_path: Path) -> None:
    stopped, go = tmp_path / "stopped", tmp_path / "go"
    with start(cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        arguments = {"cancelled": str(stopped), "until": str(go)}
        link = call_by_hand(client, "block", arguments, Mcp_Session_Id=str(client.session))
        client.list_tools()
        link.close()
        client.list_tools()
        go.touch()
        wait_for_metric(client, b'redline_calls_total{tool="block",outcome="ok"} 1')
        assert not stopped.exists()


@pytest.mark.requirement("server-hang-up")
def test_nobody_is_waited_for_who_hung_up_on_a_question(tmp_path: Path) -> None:
    with start(cwd=tmp_path, capabilities={"elicitation": {}}) as client:
        assert isinstance(client, HttpClient)
        link = call_by_hand(client, "ask", {}, Mcp_Session_Id=str(client.session))
        heard = b""
        while b"elicitation/create" not in heard:
            heard += link.recv(65536)
        link.close()
        wait_for_metric(client, b'redline_calls_total{tool="ask",outcome="ok"} 1')


def test_ending_a_session_stops_its_calls_and_no_others(tmp_path: Path) -> None:
    stopped, other, go = tmp_path / "stopped", tmp_path / "other", tmp_path / "go"
    with start(cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        session, client.session = greet(client), greet(client)
        until = {"cancelled": str(other), "until": str(go)}
        mine = client.start("tools/call", {"name": "block", "arguments": until})
        call_by_hand(client, "block", {"cancelled": str(stopped)}, Mcp_Session_Id=session).close()
        client.list_tools()
        assert client.fetch("DELETE", "/mcp", None, {"Mcp-Session-Id": session})[0] == 200
        end = time.monotonic() + 20
        while not stopped.exists():
            assert time.monotonic() < end
        go.touch()
        assert client.finish(mine)["result"]["content"][0]["text"] == "released"
        assert not other.exists()
        assert client.fetch("DELETE", "/mcp")[0] == 400
        modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Session-Id": session}
        assert client.fetch("DELETE", "/mcp", None, modern)[0] == 405


def test_messages_of_the_stateless_era_that_are_no_request(shared: HttpClient) -> None:
    version = {"MCP_Protocol_Version": "2026-07-28"}
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert post(shared, note, **version)[0] == 202
    status, _, reply = post(shared, note, MCP_Protocol_Version="2031-01-01")
    assert (status, reply["error"]["code"]) == (400, -32022)
    for bad in ([PING], {"jsonrpc": "2.0", "id": 1, "result": {}}, {**PING, "id": None}, {"id": 1}):
        status, _, reply = post(shared, bad, **version)
        assert (status, reply["error"]["code"]) == (400, -32600), bad
    for odd in ({}, {"_meta": [1]}, {"_meta": {"io.modelcontextprotocol/clientInfo": [1]}}):
        status, _, reply = post(shared, {**PING, "params": odd}, **version)
        assert (status, reply["error"]["code"], reply["id"]) == (400, -32602, 1)


def test_sigterm_also_ends_calls_that_run_without_a_session(tmp_path: Path) -> None:
    marker = tmp_path / "stopped"
    client = start(cwd=tmp_path, handshake=False)
    client.start("tools/call", {"name": "block", "arguments": {"cancelled": str(marker)}})
    while client.request("tools/call", {"name": "whoami"})["result"]["isError"]:
        pass
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(5) == 0
    assert marker.exists()
    client.close()


def test_files_alone_speaks_its_newest_revision_to_those_who_name_none(tmp_path: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami"}}
    with start(cwd=tmp_path, handshake=False, env=AS_FILES) as client:
        assert isinstance(client, HttpClient)
        spoken = post(client, call)[2]["result"]["structuredContent"]["protocol"]
        assert spoken == "2025-11-25"
        assert post(client, [PING])[0] == 400, "no batches there"


# --- the coding profile --------------------------------------------------------------------


def test_the_coding_profile_over_http(coding: HttpClient) -> None:
    status, headers, reply = post(coding, LIST)
    assert (status, reply["error"]["code"]) == (200, -32002)
    assert headers["mcp-session-id"]
    for version in ("1900-01-01", "2024-11-05", "soon"):
        status, _, reply = post(coding, PING, MCP_Protocol_Version=version)
        assert (status, reply["error"]["code"]) == (400, -32600)
        assert "Unsupported MCP protocol version" in reply["error"]["message"]
        assert reply["error"]["data"]["received"] == version
    old = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
           "params": {"protocolVersion": "2024-01-01"}}  # fmt: skip
    status, headers, reply = post(coding, old)
    assert (status, reply["error"]["code"], reply["id"]) == (200, -32602, 0)
    assert "mcp-session-id" not in headers, "nothing was opened"
    session = greet(coding, "2025-06-18")
    status, headers, _ = post(coding, LIST, Mcp_Session_Id=session)
    assert (status, headers["mcp-session-id"]) == (200, session)
    assert post(coding, LIST)[0] == 200, "after a handshake, without the header"
    assert post(coding, [PING, {**LIST, "id": 2}])[0] == 200
    assert post(coding, LIST, MCP_Protocol_Version="2099-01-01")[0] == 200
    status, headers, _ = coding.fetch("GET", "/mcp")
    assert (status, headers["allow"]) == (405, "POST")
    status, headers, _ = post(coding, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert status == 202
    assert headers["mcp-session-id"]
    status, _, reply = post(coding, {"jsonrpc": "2.0", "id": True, "method": "ping"})
    assert (status, reply["error"]["code"]) == (200, -32600)


# --- OAuth ---------------------------------------------------------------------------------


@pytest.mark.requirement("server-oauth")
def test_access_tokens_of_the_issuer_are_accepted_and_others_refused(
    issuer: Any, tmp_path: Path
) -> None:
    base, sign = issuer
    args = ("--oauth-issuer", base, "--oauth-audience", "https://redline.test/mcp")
    with start(*args, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        status, headers, _ = post(client, LIST)
        assert status == 401
        where = "https://redline.test/.well-known/oauth-protected-resource/mcp"
        assert f'resource_metadata="{where}"' in headers["www-authenticate"]
        found = client.fetch("GET", "/.well-known/oauth-protected-resource/mcp")
        assert json.loads(found[2])["authorization_servers"] == [base]
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami"}}
        status, _, reply = post(client, call, Authorization=f"Bearer {sign()}")
        assert reply["result"]["structuredContent"]["principal"] == f"oauth:{base}#ann"
        for bad in (
            sign(aud="https://other.test"),
            sign(iss="https://other.test"),
            sign(exp=time.time() - 600),
            sign()[:-4] + "AAAA",
            "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.",
            "junk",
        ):
            assert post(client, LIST, Authorization=f"Bearer {bad}")[0] == 401
        session = greet(client, Authorization=f"Bearer {sign()}")
        mine = post(client, LIST, Authorization=f"Bearer {sign()}", Mcp_Session_Id=session)
        assert mine[0] == 200
        other = f"Bearer {sign(sub='bob')}"
        assert post(client, LIST, Authorization=other, Mcp_Session_Id=session)[0] == 404


@pytest.mark.requirement("server-banner", "server-http-stdout")
def test_the_banner_says_how_to_connect(tmp_path: Path) -> None:
    import subprocess
    import sys

    from tests.wire.client import ROOT

    process = subprocess.Popen(
        [sys.executable, "-m", "redline", "serve", "--port", "0", "--tools", "history"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )  # fmt: skip
    assert process.stderr
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith("Ctrl-C"):
            break
    process.terminate()
    assert process.wait(5) == 0
    out, _ = process.communicate()
    assert out == ""
    text = "".join(lines)
    for word in ("http://127.0.0.1:", "history", "undo_change", "claude mcp add", "Cursor",
                 "VS Code", "Gemini", "Codex", str(tmp_path)):  # fmt: skip
        assert word in text
