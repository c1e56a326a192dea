"""The proxy as a process: what commands are told, what is limited, what is left."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.egress import connection, proxy
from redline.adapters.egress.proxy_process import ProxyProcess
from redline.core.errors import SandboxUnavailable
from tests.adapters.egress.ground import commands_with, proxy_to
from tests.adapters.egress.registry import Registry, serving
from tests.adapters.egress.test_requests import greeting
from tests.adapters.processes.ground import BACKENDS, commands_in, processes_with, require, run
from tests.support import REPO, need_program

MARK = "redline.adapters.egress.proxy:serve"


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    require(request.param)
    return str(request.param)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving() as made:
        yield made


class Gate:
    """A proxy with a listening socket of ours in place of a command's."""

    def __init__(self, registry: Registry, *domains: str, **options: object) -> None:
        self.proxy = proxy_to(registry, *domains, **options)  # type: ignore[arg-type]
        self.channel = self.proxy.open_channel("job")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        with socket.socket(fileno=os.dup(self.channel)) as sending:
            socket.send_fds(sending, [b"L"], [self._listener.fileno()])
        self._listener.close()

    def connect(self) -> socket.socket:
        made = socket.create_connection(self.address, 30)
        made.settimeout(30)
        return made

    def ask(self, text: bytes) -> bytes:
        """Send *text*; everything that is answered."""
        with self.connect() as made:
            made.sendall(text)
            return read_all(made)

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.channel)
        self.proxy.close()


def read_all(made: socket.socket) -> bytes:
    found = b""
    try:
        while part := made.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


@pytest.mark.requirement("egress-refusal")
def test_a_command_is_told_which_name_was_refused_and_how_to_allow_it(
    registry: Registry, tmp_path: Path, backend: str
) -> None:
    need_program("curl")
    hint = "The proxy refused other.test: to allow it, start Redline with --allow-domain other.test"
    port = "The proxy refused registry.test: to allow it, start Redline with --allow-domain registry.test"
    with commands_with(proxy_to(registry), tmp_path, backend) as commands:
        plain = run(commands, "curl -sS http://other.test/")
        tunnel = run(commands, "curl -sS https://other.test/; curl -sS https://registry.test/")
        fine = run(commands, f"curl -sS {registry.url}/")
    assert plain.stdout.decode() == hint + "\n"
    assert plain.notes == (hint,)
    assert tunnel.notes == (hint, port)
    assert fine.stdout == b"the registry"
    assert fine.notes == ()
    assert fine.sandbox.net == f"only {registry.target}"


@pytest.mark.requirement("egress-refusal")
def test_python_shows_the_whole_refusal_of_a_tunnel(registry: Registry) -> None:
    with Gate(registry) as gate:
        answer = gate.ask(b"CONNECT other.test:8443 HTTP/1.1\r\n\r\n")
    reason = answer.split(b"\r\n")[0].decode()
    assert reason.startswith("HTTP/1.1 403 The proxy refused other.test:8443: ")
    assert reason.endswith("--allow-domain other.test:8443")


@pytest.mark.requirement("egress-rebinding")
def test_a_second_answer_of_the_resolver_does_not_lead_elsewhere(registry: Registry) -> None:
    with serving() as inner:
        answers = {"moving.test": [["127.0.0.2", "127.0.0.1"], ["127.0.0.2"]]}
        allowed = f"moving.test:{registry.server_port}"
        ask = f"GET http://moving.test:{registry.server_port}/ HTTP/1.1\r\n\r\n".encode()
        with Gate(registry, allowed, answers=answers) as gate:
            assert gate.ask(ask).endswith(b"the registry")
            assert b"403 The proxy refused moving.test" in gate.ask(ask)
            assert b"it has no public address" in gate.ask(ask)
        assert inner.asked == []
    assert len(registry.asked) == 1


@pytest.mark.requirement("egress-requests")
def test_a_body_goes_up_whole_and_nothing_after_it(registry: Registry) -> None:
    body = os.urandom(3 << 20)
    head = f"POST {registry.url}/ HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    second = f"GET {registry.url}/tiny HTTP/1.1\r\nHost: hidden.test\r\n\r\n".encode()
    with Gate(registry) as gate:
        assert gate.ask(head + body + second).endswith(body)
    assert registry.asked == []


@pytest.mark.requirement("egress-requests")
@pytest.mark.parametrize("name", ["registry.test", "other.test"])
def test_a_tls_greeting_must_name_the_host_of_the_tunnel(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as upstream, Registry() as registry:
        port = upstream.getsockname()[1]
        made = ProxyProcess(
            [f"registry.test:{port}"],
            answers={"registry.test": [["127.0.0.1"]]},
            permitted=[f"127.0.0.1:{port}"],
        )
        gate = Gate(registry)
        gate.proxy.close()
        gate.proxy, gate.channel = made, _swap(gate, made)
        with gate, gate.connect() as client:
            client.sendall(f"CONNECT registry.test:{port} HTTP/1.1\r\n\r\n".encode())
            assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
            served, _ = upstream.accept()
            served.settimeout(30)
            hello = greeting(name)
            client.sendall(hello[:7])
            client.sendall(hello[7:])
            if name == "registry.test":
                assert served.recv(65536) == hello
                refused: list[str] = []
                client.close()
                assert read_all(served) == b""
            else:
                assert read_all(served) == b""
                assert read_all(client) == b""
                refused = [f"The proxy refused other.test:{port}: the connection was made to"]
            served.close()
            found = made.take_refusals("job")
        assert [text.startswith(start) for text, start in zip(found, refused, strict=True)] == [
            True for _ in refused
        ]
