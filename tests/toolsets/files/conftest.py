"""A desk: one running server per transport, and a fresh folder in its writable root per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

Json = dict[str, Any]


class Desk:
    """Speaks to a server that has a writable and a read-only root."""

    def __init__(self, client: Client, writable: Path, readable: Path, outside: Path) -> None:
        self.client = client
        self.root = writable
        self.readable = readable
        self.outside = outside
        self.here = writable

    def file(self, name: str, content: str | bytes = "") -> Path:
        """A file in this test's folder."""
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def call(self, tool: str, **arguments: Any) -> Json:
        """The result of a call that must succeed."""
        plain = {k: str(v) if isinstance(v, Path) else v for k, v in arguments.items()}
        reply = self.client.call(tool, plain)
        assert "result" in reply, reply
        result: Json = reply["result"]
        return result

    def text(self, tool: str, **arguments: Any) -> str:
        """The first text block of a call that must succeed."""
        text: str = self.call(tool, **arguments)["content"][0]["text"]
        return text

    def texts(self, tool: str, **arguments: Any) -> list[str]:
        """All text blocks of a call that must succeed."""
        return [block["text"] for block in self.call(tool, **arguments)["content"]]

    def error(self, tool: str, **arguments: Any) -> tuple[int, str]:
        """Code and message of a call that must fail."""
        plain = {k: str(v) if isinstance(v, Path) else v for k, v in arguments.items()}
        reply = self.client.call(tool, plain)
        assert "error" in reply, reply
        return reply["error"]["code"], reply["error"]["message"]

    def edit(self, path: Path, old: str, new: str = "", **options: Any) -> str:
        """One edit of one file; the answer's text."""
        edits = [{"oldText": old, "newText": new, **options}]
        return self.text("edit_file", path=path, edits=edits)


def start(transport: str, base: Path, protocol: str = "2025-11-25") -> Desk:
    """A server on fresh roots below *base*."""
    roots = [base / name for name in ("writable", "readable", "outside")]
    for root in roots:
        root.mkdir()
    writable, readable, outside = (root.resolve() for root in roots)
    args = ["--tools", "files", "--allow-write", str(writable), "--allow-read", str(readable)]
    return Desk(connect(transport, args, protocol=protocol, cwd=base), writable, readable, outside)


@pytest.fixture(scope="session", params=["stdio", "http"])
def _served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    desk = start(request.param, tmp_path_factory.mktemp("desk"))
    yield desk
    desk.client.close()


@pytest.fixture(scope="session", params=["stdio", "http"])
def _served_old(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    desk = start(request.param, tmp_path_factory.mktemp("desk"), "2024-11-05")
    yield desk
    desk.client.close()


def _fresh(desk: Desk, request: pytest.FixtureRequest) -> Desk:
    name = "".join(c if c.isalnum() else "_" for c in request.node.name)
    desk.here = desk.root / name
    desk.here.mkdir()
    return desk


@pytest.fixture
def desk(_served: Desk, request: pytest.FixtureRequest) -> Desk:
    """The current revision, over each transport."""
    return _fresh(_served, request)


@pytest.fixture
def old_desk(_served_old: Desk, request: pytest.FixtureRequest) -> Desk:
    """Revision 2024-11-05, over each transport."""
    return _fresh(_served_old, request)


@pytest.fixture
def stdio_desk(tmp_path: Path) -> Iterator[Desk]:
    """A server of one's own over stdio."""
    desk = start("stdio", tmp_path)
    yield desk
    desk.client.close()
