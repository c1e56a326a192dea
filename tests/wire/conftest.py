"""Fixtures for tests over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import AttachedClient, Client, HttpClient, connect

FIXTURES = {"REDLINE_TEST_DIALECT": "tests.wire.fixtures"}
Connect = Callable[..., Client]


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def shared_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """One server with the fixtures on, for every test that needs nothing special of it."""
    args = ["--tools", "fixtures", "--rate-limit", "0"]
    folder = tmp_path_factory.mktemp("shared-http")
    with connect("http", args, cwd=folder, env=FIXTURES, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield client


@pytest.fixture
def connected(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Connect]:
    """A function like `connect` with the protocol fixtures on; clients are closed at the end.

    Over HTTP, and without arguments of its own, a test gets a client of a shared server; `own`
    asks for a server it may stop.
    """
    clients: list[Client] = []

    def start(transport: str, *args: str, own: bool = False, **options: Any) -> Client:
        if transport == "http" and not (own or args or "env" in options):
            return AttachedClient(request.getfixturevalue("shared_http"), **options)
        options.setdefault("cwd", tmp_path)
        options["env"] = {**FIXTURES, **options.get("env", {})}
        client = connect(transport, list(args) or ["--tools", "fixtures"], **options)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.close()
