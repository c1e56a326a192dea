"""The commands of one client share a network of loopback alone; nothing else is in it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.processes import commands as commands_module
from redline.adapters.processes.commands import SandboxedCommands
from redline.core.ports.commands import Command, Job
from tests.adapters.processes.ground import BACKENDS, ROOT, commands_in, require, run

pytestmark = pytest.mark.requirement("coding-exec-shared-network")

_SERVE = (
    "python3 -c '"
    "import socket, sys\n"
    's = socket.create_server(("127.0.0.1", {port}))\n'
    'print("ready", flush=True)\n'
    "while True:\n"
    '    c, _ = s.accept(); c.sendall(b"hello from {name}"); c.close()\n'
    "'"
)
_ASK = (
    "python3 -c '"
    "import socket\n"
    'try: print(socket.create_connection(("{host}", {port}), 5).recv(99).decode())\n'
    "except OSError as e: print(e.strerror or e)\n"
    "'"
)


@pytest.fixture(params=BACKENDS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxedCommands]:
    require(request.param)
    with commands_in(tmp_path, "safe", request.param) as found:
        yield found


def _serve(made: SandboxedCommands, owner: str, name: str, port: int = 8000) -> Job:
    job = made.start(Command(_SERVE.format(port=port, name=name), ROOT, timeout=60, owner=owner))
    job.wait(30, for_output=True)
    assert job.take().stdout.head == b"ready\n"
    return job


def _ask(made: SandboxedCommands, owner: str, port: int = 8000, host: str = "127.0.0.1") -> str:
    return run(made, _ASK.format(port=port, host=host), owner=owner).stdout.decode().strip()


def test_a_server_of_one_command_is_reached_by_the_next_and_by_no_other_client(
    made: SandboxedCommands,
) -> None:
    _serve(made, "one", "one")
    assert _ask(made, "one") == "hello from one"
    assert _ask(made, "two") == "Connection refused"
    assert _ask(made, "") == "Connection refused"
    _serve(made, "two", "two")  # at the same port
    assert _ask(made, "two") == "hello from two"
    assert _ask(made, "one") == "hello from one"


def test_the_ports_of_the_machine_and_abstract_sockets_are_not_in_it(
    made: SandboxedCommands,
) -> None:
    with socket.create_server(("0.0.0.0", 0)) as machine:
        port = machine.getsockname()[1]
        for host in ("127.0.0.1", socket.gethostbyname(socket.gethostname())):
            assert _ask(made, "one", port, host) in ("Connection refused", "Network is unreachable")
    listed = run(made, "cat /proc/net/dev", owner="one").stdout.decode()
    assert [line.split(":")[0].strip() for line in listed.splitlines()[2:]] == ["lo"]


def test_it_outlives_the_command_that_was_first_and_the_oldest_client_is_forgotten(
    made: SandboxedCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def network(owner: str) -> str:
        return run(made, "readlink /proc/self/ns/net", owner=owner).stdout.decode()

    first = network("one")
    assert network("one") == first
    assert network("two") != first
    monkeypatch.setattr(commands_module, "MAX_NETWORKS", 2)
    assert network("three") not in (first, network("two"))
    made.rest()
    assert network("one") == network("one")
