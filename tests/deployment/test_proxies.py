"""nginx and haproxy in front of real servers, configured as the examples say (TLS left out)."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.previews.redis_server import RedisServer
from tests.support import REPO, need
from tests.wire.client import HttpClient, connect
from tests.wire.many import BASE, META, write_people

DEPLOY = REPO / "packaging" / "deploy"
HOST = "tools.example.com"
PEOPLE: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "ana": (["read", "write", "approve", "undo-others"], {})
}


def find_program(name: str) -> str:
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    need(found is not None, f"the program {name} (make system installs it)")
    return str(found)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def run_proxy(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < end
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=30)


class Visitor:
    """A client that comes through the proxy."""

    def __init__(self, port: int) -> None:
        self.port = port

    def fetch(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        end = time.monotonic() + 60
        while True:
            found = self._fetch(method, path, body, headers)
            # What a proxy answers while it finds out which servers are there.
            if found[0] not in (502, 503, 504) or time.monotonic() > end:
                return found
            time.sleep(0.1)

    def _fetch(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        given = {"Host": HOST, **(BASE if isinstance(body, dict) else {})}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            link.request(method, path, data, given)
            answer = link.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            link.close()

    def call(self, path: str, tool: str, arguments: dict[str, Any], **headers: str) -> Any:
        params = {"name": tool, "arguments": arguments, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status, _, body = self.fetch(
            "POST", path, message, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call",
            Mcp_Name=tool, **headers,
        )  # fmt: skip
        assert status == 200, body
        return json.loads(body)["result"]

    def greet(self, path: str, **headers: str) -> str:
        params = {"protocolVersion": "2025-11-25", "capabilities": {},
                  "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        status, found, body = self.fetch("POST", path, hello, **headers)
        assert status == 200, body
        return found["mcp-session-id"]

    def ping(self, path: str, session: str, **headers: str) -> int:
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        return self.fetch("POST", path, message, Mcp_Session_Id=session, **headers)[0]


@pytest.mark.requirement("deployment-proxies")
def test_nginx_passes_both_eras_streams_and_pages(tmp_path: Path) -> None:
    nginx = find_program("nginx")
    (tmp_path / "ws" / "site").mkdir(parents=True)
    write_people(tmp_path / "users.toml", PEOPLE)
    args = ["--workspaces", str(tmp_path / "ws"), "--users", str(tmp_path / "users.toml"),
            "--allowed-hosts", HOST, "--no-record"]  # fmt: skip
    with connect("http", args, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        port = free_port()
        text = (DEPLOY / "nginx.conf").read_text()
        text = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{port};", text)
        text = re.sub(r" *ssl_certificate.*\n", "", text)
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{client.port}")
        temporary = "".join(
            f"{kind}_temp_path {tmp_path}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (tmp_path / "nginx.conf").write_text(
            f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nerror_log stderr;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n"
        )
        command = [nginx, "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        with run_proxy(command, port):
            visitor = Visitor(port)
            bearer = {"Authorization": "Bearer token-of-ana"}
            path = str(tmp_path / "ws" / "site" / "a.txt")
            done = visitor.call(
                "/w/site/mcp", "write_file", {"path": path, "content": "x" * 500_000}, **bearer
            )
            assert not done["isError"]
            session = visitor.greet("/w/site/mcp", **bearer)
            assert visitor.ping("/w/site/mcp", session, **bearer) == 200
            assert visitor.fetch("GET", "/w/site/mcp", None, **bearer)[0] == 405
            assert visitor.fetch("GET", "/metrics", None, **bearer)[0] == 200
            kind = {"Content_Type": "application/x-www-form-urlencoded", "Origin": f"http://{HOST}"}
            status, found, token = visitor.fetch("POST", "/sign-in", b"key=page-of-ana", **kind)
            assert status == 200
            cookie = found["set-cookie"].partition(";")[0]
            visit = {"Cookie": cookie, "X_Redline_Token": token.decode()}
            assert visitor.fetch("GET", "/w/site/", None, **visit)[0] == 200
            assert b"event: state" in _read_stream(port, cookie, token.decode())


def _read_stream(port: int, cookie: str, token: str) -> bytes:
    """The beginning of a stream that never ends; a proxy that gathers it would send nothing."""
    with socket.create_connection(("127.0.0.1", port), 30) as link:
        link.sendall(
            f"GET /w/site/events HTTP/1.1\r\nHost: {HOST}\r\nCookie: {cookie}\r\n"
            f"X-Redline-Token: {token}\r\n\r\n".encode()
        )
        data = b""
        while b"event: state" not in data:
            more = link.recv(4096)
            if not more:
                break
            data += more
        return data


@pytest.mark.requirement("deployment-proxies")
def test_haproxy_sends_a_client_to_any_server_and_goes_on_without_one(tmp_path: Path) -> None:
    haproxy = find_program("haproxy")
    redis = RedisServer(tmp_path)
    redis.start()
    try:
        _try_haproxy(haproxy, tmp_path, redis.url)
    finally:
        redis.stop()


def _try_haproxy(haproxy: str, tmp_path: Path, shared: str) -> None:
    (tmp_path / "site").mkdir()
    write_people(tmp_path / "users.toml", PEOPLE)
    args = ["--workspace", str(tmp_path / "site"), "--users", str(tmp_path / "users.toml"),
            "--allowed-hosts", HOST, "--no-record", "--shared", shared]  # fmt: skip
    env = {"REDLINE_STATE_DIR": str(tmp_path / "state")}
    with (
        connect("http", args, cwd=tmp_path, handshake=False, env=env) as one,
        connect("http", args, cwd=tmp_path, handshake=False, env=env) as two,
    ):
        assert isinstance(one, HttpClient)
        assert isinstance(two, HttpClient)
        port = free_port()
        text = (DEPLOY / "haproxy.cfg").read_text()
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", text)
        text = text.replace("127.0.0.1:8001", f"127.0.0.1:{one.port}")
        text = text.replace("127.0.0.1:8002", f"127.0.0.1:{two.port}")
        # A busy machine may answer a check late: only a dead server is to count as down.
        text = text.replace("timeout check 10s", "timeout check 60s")
        (tmp_path / "haproxy.cfg").write_text(text)
        with run_proxy([haproxy, "-db", "-f", str(tmp_path / "haproxy.cfg")], port):
            visitor = Visitor(port)
            assert visitor.fetch("GET", "/readyz")[0] == 200
            bearer = {"Authorization": "Bearer token-of-ana"}
            sessions = [visitor.greet("/mcp", **bearer) for _ in range(8)]
            for _ in range(3):
                assert {visitor.ping("/mcp", each, **bearer) for each in sessions} == {200}
            for number in range(4):
                edit = {"path": str(tmp_path / "site" / "a.txt"), "content": f"{number}\n"}
                assert not visitor.call("/mcp", "write_file", edit, **bearer)["isError"]
            # A server dies; the other one goes on, with the same sessions.
            one.process.kill()
            one.process.wait()
            assert {visitor.ping("/mcp", each, **bearer) for each in sessions} == {200}
            assert visitor.ping("/mcp", visitor.greet("/mcp", **bearer), **bearer) == 200
            edit = {"path": str(tmp_path / "site" / "a.txt"), "content": "after\n"}
            assert not visitor.call("/mcp", "write_file", edit, **bearer)["isError"]
            assert (tmp_path / "site" / "a.txt").read_text() == "after\n"
