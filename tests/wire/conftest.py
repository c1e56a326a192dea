"""Fixtures for tests over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

FIXTURES = {"REDLINE_TEST_DIALECT": "tests.wire.fixtures"}
Connect = Callable[..., Client]


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport in turn."""
    return str(request.param)


@pytest.fixture
def connected(tmp_path: Path) -> Iterator[Connect]:
    """A function like `connect` with the protocol fixtures on; clients are closed at the end."""
    clients: list[Client] = []

    def start(transport: str, *args: str, **options: Any) -> Client:
        options.setdefault("cwd", tmp_path)
        options["env"] = {**FIXTURES, **options.get("env", {})}
        client = connect(transport, list(args) or ["--tools", "fixtures"], **options)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.close()
