"""An MCP client over stdio: starts a server as agents do, shakes hands and calls tools."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Self

from redline._version import __version__
from redline.core.errors import RedlineError

_PROTOCOL = "2025-11-25"
_SECONDS = 30.0


class NoHandshake(RedlineError):
    """The server did not start, or did not answer as MCP asks."""


class StdioClient:
    """A server's process and the conversation with it; leaving the context ends both.

    NoHandshake when the server cannot be started or stops answering.
    """

    def __init__(self, argv: Sequence[str], name: str, **environ: str) -> None:
        self._number = 0
        self._answers: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        try:
            self._process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **environ},
            )
        except OSError as error:
            self._errors.close()
            raise NoHandshake(
                f"The server cannot be started: {argv[0]}: {error.strerror}"
            ) from None
        self._name = name
        self._program = argv[0]
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        try:
            self.shake_hands()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._process.stdout.close()
        self._errors.close()

    def shake_hands(self) -> None:
        """Agree on a revision of the protocol."""
        client = {"name": self._name, "version": __version__}
        opening = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        self.request("initialize", opening)
        self._send({"method": "notifications/initialized"})

    def call_tool(self, name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        """Return whether a tool refused, and its text."""
        answer = self.request("tools/call", {"name": name, "arguments": arguments})
        text = "\n".join(each["text"] for each in answer["content"] if each["type"] == "text")
        return bool(answer.get("isError")), text

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of one request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            try:
                answer = self._answers.get(timeout=_SECONDS)
            except Empty:
                self._process.kill()
                message = f"The server gave no answer in {_SECONDS:g} s: {self._program}"
                raise NoHandshake(message) from None
            if answer is None:
                raise NoHandshake(f"The server ended without an answer: {self._last_words()}")
            if answer.get("id") == self._number and "result" in answer:
                result: dict[str, Any] = answer["result"]
                return result

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # a server that ended is reported by `request`
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        """Queue what the server answers, then None; other output of its program is no message."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._answers.put(message)
        self._answers.put(None)

    def _last_words(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else self._program


def greet_server(argv: Sequence[str]) -> int:
    """Start a server over stdio and return how many tools it lists; NoHandshake."""
    # State of its own: the handshake leaves nothing behind.
    with (
        tempfile.TemporaryDirectory(prefix="redline-setup-") as state,
        StdioClient(argv, "redline setup", XDG_STATE_HOME=state) as client,
    ):
        return len(client.request("tools/list", {})["tools"])
