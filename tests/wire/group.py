"""Several real servers that share a Redis and one folder of workspaces."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.adapters.previews.redis_server import RedisServer
from tests.wire.client import HttpClient, connect
from tests.wire.many import BASE, Site, write_people

EVERYTHING = ["read", "write", "run", "undo-others", "approve", "admin"]
# Generous: the machine may be busy with other things.
PATIENCE = 60.0


class Group:
    """Servers a, b, ... of the same workspaces."""

    def __init__(self, base: Path, redis: RedisServer, *more: str) -> None:
        self.base, self.redis = base, redis
        self._more = more
        self._open: list[HttpClient] = []
        write_people(base / "users.toml", {"ana": (EVERYTHING, {}), "bob": (EVERYTHING, {})})

    def make(self, *names: str) -> None:
        for name in names:
            (self.base / "ws" / name).mkdir(parents=True)

    def start(self, *more: str) -> Site:
        """Start one more server."""
        args = ["--workspaces", str(self.base / "ws"), "--users", str(self.base / "users.toml"),
                "--shared", self.redis.url, "--rate-limit", "0", "--no-record",
                *self._more, *more]  # fmt: skip
        state = {"REDLINE_STATE_DIR": str(self.base / "state")}
        client = connect("http", args, cwd=self.base, env=state, handshake=False)
        assert isinstance(client, HttpClient)
        self._open.append(client)
        return Site(client, self.base)

    def kill(self, site: Site) -> None:
        site.client.process.kill()
        site.client.process.wait()

    def close(self) -> None:
        for client in self._open:
            if client.process.poll() is None:
                client.process.send_signal(signal.SIGCONT)
            client.close()


@contextmanager
def group_of(base: Path, *more: str) -> Iterator[Group]:
    redis = RedisServer(base)
    redis.start()
    group = Group(base, redis, *more)
    try:
        yield group
    finally:
        try:
            group.close()
        finally:
            redis.stop()


def until(found: Callable[[], Any], what: str) -> Any:
    """Wait for something to become true; the limit is only for when it never does."""
    end = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < end, f"never happened: {what}"
        threading.Event().wait(0.05)
    return result


def write(site: Site, workspace: str, path: str, content: str, who: str = "ana") -> Any:
    full = str(site.base / "ws" / workspace / path)
    return site.call(who, workspace, "write_file", path=full, content=content)


def changes(site: Site, workspace: str, who: str = "ana") -> list[dict[str, Any]]:
    found = site.call(who, workspace, "list_changes")
    assert "structuredContent" in found, found
    listed: list[dict[str, Any]] = found["structuredContent"]["changes"]
    return listed


class Session:
    """A client of the handshake era that sends each message to whichever server it likes."""

    def __init__(self, site: Site, workspace: str, who: str = "ana", **capabilities: Any) -> None:
        self.path = f"/w/{workspace}/mcp"
        self.headers = {**BASE, "Authorization": f"Bearer token-of-{who}"}
        self._next = 0
        params = {"protocolVersion": "2025-11-25", "capabilities": capabilities,
                  "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
        status, found, body = self.send(site, "initialize", params)
        assert status == 200, body
        self.headers["Mcp-Session-Id"] = found["mcp-session-id"]

    def send(
        self, site: Site, method: str, params: dict[str, Any]
    ) -> tuple[int, dict[str, str], bytes]:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        return site.client.fetch("POST", self.path, json.dumps(message).encode(), self.headers)

    def call(self, site: Site, tool: str, **arguments: Any) -> Any:
        params = {"name": tool, "arguments": arguments}
        status, _, body = self.send(site, "tools/call", params)
        return status, json.loads(body) if body.startswith(b"{") else body.decode()

    def stream(self, site: Site, tool: str, **arguments: Any) -> Iterator[str]:
        """Make a call and yield what comes, line by line."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}}  # fmt: skip
        link = http.client.HTTPConnection(site.client.host, site.client.port, timeout=PATIENCE)
        try:
            link.request("POST", self.path, json.dumps(message).encode(), self.headers)
            response = link.getresponse()
            while line := response.readline():
                yield line.decode()
        finally:
            link.close()
