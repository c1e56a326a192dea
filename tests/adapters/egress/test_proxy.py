"""The proxy as a process: what commands are told, what is limited, what is left."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.egress import connection, proxy
from redline.adapters.egress.dialing import Dialer
from redline.adapters.egress.proxy_process import ProxyProcess
from redline.core.errors import SandboxUnavailable
from tests.adapters.egress.ground import commands_with, proxy_to
from tests.adapters.egress.registry import NAME, Registry
from tests.adapters.egress.test_requests import greeting
from tests.adapters.processes.ground import require, run
from tests.support import REPO, need_program


class Gate:
    """A proxy with a listening socket of this process in place of a command's."""

    def __init__(self, made: ProxyProcess) -> None:
        self.proxy = made
        self._channel = made.open_channel("job")
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            socket.socket(fileno=os.dup(self._channel)) as sending,
        ):
            self._address = listener.getsockname()
            socket.send_fds(sending, [b"L"], [listener.fileno()])

    def connect(self) -> socket.socket:
        """Connect as a program in the sandbox would."""
        made = socket.create_connection(self._address, 30)
        made.settimeout(30)
        return made

    def ask(self, text: bytes) -> bytes:
        """Send *text*; everything that is answered."""
        with self.connect() as made:
            made.sendall(text)
            return read_all(made)

    def end(self) -> None:
        """End the command, as the proxy sees it."""
        if self._channel >= 0:
            os.close(self._channel)
        self._channel = -1

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self.proxy.close()


def read_all(made: socket.socket) -> bytes:
    """Everything up to the end of the connection."""
    found = b""
    try:
        while part := made.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


def has_ended(pid: int, seconds: float = 20.0) -> bool:
    """Whether the process, not a child of ours, ends in time."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], seconds)[0])
    finally:
        os.close(process)


@pytest.mark.requirement("egress-refusal")
def test_a_command_is_told_which_name_was_refused_and_how_to_allow_it(
    registry: Registry, tmp_path: Path, backend: str
) -> None:
    need_program("curl")
    start = "to allow it, start Redline with --allow-domain"
    other = f"The proxy refused other.test: {start} other.test"
    with commands_with(proxy_to(registry), tmp_path, backend) as commands:
        plain = run(commands, "curl -sS http://other.test/")
        tunnels = run(commands, f"curl -sS https://other.test/; curl -sS https://{NAME}/")
        fine = run(commands, f"curl -sS {registry.url}/")
    assert plain.stdout.decode() == other + "\n"
    assert plain.notes == (other,)
    assert tunnels.notes == (other, f"The proxy refused {NAME}: {start} {NAME}")
    assert (fine.stdout, fine.notes) == (b"the registry", ())
    assert fine.sandbox.net == f"only {registry.target}"


@pytest.mark.requirement("egress-refusal")
def test_programs_that_show_the_reason_of_a_failed_tunnel_show_the_refusal(
    registry: Registry,
) -> None:
    with Gate(proxy_to(registry)) as gate:
        answer = gate.ask(b"CONNECT other.test:8443 HTTP/1.1\r\n\r\n")
    reason = answer.split(b"\r\n")[0].decode()
    assert reason.startswith("HTTP/1.1 403 The proxy refused other.test:8443: ")
    assert reason.endswith("--allow-domain other.test:8443")


@pytest.mark.requirement("egress-rebinding")
def test_a_second_answer_of_the_resolver_leads_nowhere_else(registry: Registry) -> None:
    target = f"moving.test:{registry.server_port}"
    answers = {"moving.test": [["127.0.0.2", "127.0.0.1"], ["127.0.0.2"]]}
    ask = f"GET http://{target}/ HTTP/1.1\r\n\r\n".encode()
    with (
        socket.create_server(("127.0.0.2", registry.server_port)) as private,
        Gate(proxy_to(registry, target, answers=answers)) as gate,
    ):
        private.setblocking(False)
        assert gate.ask(ask).endswith(b"the registry")
        for _ in range(2):
            assert b"moving.test" in (said := gate.ask(ask))
            assert b"it has no public address" in said
        with pytest.raises(BlockingIOError):
            private.accept()
    assert len(registry.asked) == 1


@pytest.mark.requirement("egress-requests")
def test_a_body_goes_up_and_comes_back_whole(registry: Registry) -> None:
    body = os.urandom(300_000)
    head = f"POST {registry.url}/ HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with Gate(proxy_to(registry)) as gate:
        assert gate.ask(head + body).endswith(body)


@pytest.fixture
def upstream() -> Iterator[socket.socket]:
    """A service that the test itself plays."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def gate_to(upstream: socket.socket) -> tuple[Gate, str]:
    """A gate to that service, and what it is called."""
    port = upstream.getsockname()[1]
    target, address = f"{NAME}:{port}", f"127.0.0.1:{port}"
    made = ProxyProcess([target], answers={NAME: [["127.0.0.1"]]}, permitted=[address])
    return Gate(made), target


@pytest.mark.requirement("egress-requests")
def test_what_follows_a_request_is_not_passed_on(upstream: socket.socket) -> None:
    gate, target = gate_to(upstream)
    second = f"GET http://{target}/ HTTP/1.1\r\nHost: hidden.test\r\n\r\n"
    both = f"POST http://{target}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc{second}"
    with gate, gate.connect() as client:
        client.sendall(both.encode())
        served, _ = upstream.accept()
        with served:
            first = b""
            served.settimeout(30)
            while not first.endswith(b"abc"):
                first += served.recv(65536)
            served.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            served.shutdown(socket.SHUT_WR)
            assert read_all(served) == b""
        assert first.count(b"HTTP/1.1") == 1


@pytest.fixture
def tunnel(upstream: socket.socket) -> Iterator[tuple[Gate, socket.socket, socket.socket]]:
    """A gate, and both ends of a tunnel through it."""
    gate, target = gate_to(upstream)
    with gate, gate.connect() as client:
        client.sendall(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
        served, _ = upstream.accept()
        with served:
            served.settimeout(30)
            yield gate, client, served


Tunnel = tuple[Gate, socket.socket, socket.socket]


@pytest.mark.requirement("egress-requests")
def test_a_tls_greeting_that_names_the_host_of_the_tunnel_passes(tunnel: Tunnel) -> None:
    gate, client, served = tunnel
    hello = greeting(NAME)
    for part in (hello[:3], hello[3:100], hello[100:]):
        client.sendall(part)
    assert served.recv(len(hello), socket.MSG_WAITALL) == hello
    served.sendall(b"and back")
    assert client.recv(100) == b"and back"
    assert gate.proxy.take_refusals("job") == []


@pytest.mark.requirement("egress-requests")
@pytest.mark.parametrize(
    "hello",
    [greeting("other.test"), greeting(NAME).replace(b"test", b"\n\x1b! "), b"\x16\3\1\0\1\2"],
)
def test_a_tls_greeting_that_names_another_host_does_not_pass(tunnel: Tunnel, hello: bytes) -> None:
    gate, client, served = tunnel
    client.sendall(hello)
    assert read_all(served) == read_all(client) == b""
    [refused] = gate.proxy.take_refusals("job")
    assert re.fullmatch(r"The proxy refused \w+\.test:\d+: [\w .]+", refused)


def test_a_tunnel_carries_what_is_not_tls_in_both_directions(tunnel: Tunnel) -> None:
    _, client, served = tunnel
    served.sendall(b"first")
    assert client.recv(100) == b"first"
    client.sendall(b"second")
    assert served.recv(100) == b"second"
    client.shutdown(socket.SHUT_WR)
    assert read_all(served) == b""
    served.sendall(b"third")
    served.close()
    assert read_all(client) == b"third"


@pytest.mark.requirement("egress-process")
def test_the_end_of_a_command_closes_what_it_left_open(tunnel: Tunnel) -> None:
    gate, client, served = tunnel
    gate.end()
    assert read_all(served) == read_all(client) == b""
    with pytest.raises(ConnectionRefusedError):
        gate.connect()


@pytest.mark.requirement("egress-limits")
def test_connections_of_one_command_are_limited(registry: Registry) -> None:
    ask = f"GET {registry.url}/ HTTP/1.1\r\n\r\n".encode()
    with Gate(proxy_to(registry)) as gate:
        held = [gate.connect() for _ in range(proxy.MAX_OF_ONE_COMMAND)]
        for each in held:
            each.sendall(b"GET")
        assert gate.ask(ask).startswith(b"HTTP/1.1 503 Too many connections")
        held += [gate.connect() for _ in range(3 * proxy.MAX_OF_ONE_COMMAND)]
        assert read_all(held[-1]) == b""
        for each in held:
            each.close()
        while not gate.ask(ask).endswith(b"the registry"):
            pass  # until the proxy has seen that they are closed


@pytest.mark.requirement("egress-limits")
def test_a_request_head_is_limited(registry: Registry) -> None:
    with Gate(proxy_to(registry)) as gate:
        endless = b"GET / HTTP/1.1\r\nX: " + b"x" * (2 * connection.MAX_HEAD)
        assert gate.ask(endless).startswith(b"HTTP/1.1 431 ")


@pytest.mark.requirement("egress-limits")
def test_a_request_that_is_never_finished_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.1)

    async def ask() -> bytes:
        ended = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await connection.Connection(reader, writer, Dialer(()), [].append).serve()
            except TimeoutError:
                pass
            writer.close()
            await writer.wait_closed()
            ended.set()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"GET http://a.test/ HTTP/1.1\r\n")
            answer = await reader.read()
            await ended.wait()
            writer.close()
            await writer.wait_closed()
            return answer

    assert asyncio.run(ask()).startswith(b"HTTP/1.1 408 ")


@pytest.mark.requirement("egress-process")
def test_the_proxy_starts_with_the_first_command_and_ends_with_the_commands(
    registry: Registry, tmp_path: Path, backend: str
) -> None:
    made = proxy_to(registry)
    with commands_with(made, tmp_path, backend) as commands:
        commands.describe()
        assert made.pid is None
        assert run(commands, "true").state.exit_code == 0
        first = made.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert has_ended(first)
        assert run(commands, f"curl -sS {registry.url}/").stdout == b"the registry"
        second = made.pid
        assert second not in (None, first)
    assert has_ended(int(str(second)), 0)


_SERVER = """
    import sys, time
    from redline.adapters.egress.proxy_process import ProxyProcess
    from tests.adapters.egress.ground import commands_with
    from tests.adapters.processes.ground import ROOT
    from redline.core.ports.commands import Command
    proxy = ProxyProcess(["example.org"])
    with commands_with(proxy, sys.argv[1], sys.argv[2]) as commands:
        commands.start(Command("echo started > mark; sleep 600", ROOT, timeout=600.0))
        while True:
            try:
                if open(sys.argv[1] + "/mark").read():
                    break
            except OSError:
                time.sleep(0.01)
        print(proxy.pid, flush=True)
        sys.stdin.read()
"""


@pytest.mark.requirement("egress-process")
def test_the_proxy_does_not_outlive_a_server_that_is_killed(tmp_path: Path, backend: str) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_SERVER), str(tmp_path), backend],
        cwd=REPO, env={**os.environ, "PYTHONPATH": f"{REPO}/src:{REPO}"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        server.kill()
    assert has_ended(pid)


@pytest.mark.requirement("egress-no-namespace")
def test_without_a_network_namespace_allowed_names_are_refused(
    registry: Registry, tmp_path: Path
) -> None:
    require("landlock")
    with commands_with(proxy_to(registry), tmp_path, "landlock") as commands:
        commands._helper.offer().update(namespaces=False)
        with pytest.raises(SandboxUnavailable, match="--allow-domain is not possible here"):
            run(commands, "true")
        assert run(commands, "true", permissions=frozenset({"network"})).state.exit_code == 0
