"""HTTP to the group: what was answered, what was refused, and what nobody can know."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]
MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
INFO = {"name": "scale", "version": "1"}
CAPABILITIES: Json = {"elicitation": {}}
_TIMEOUT = 30.0
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


class Lost(Exception):
    """No answer came: the request may have had its effect, or not."""


class Refused(Exception):
    """The answer is a refusal: the request had no effect."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text[:300]}")
        self.status = status
        self.text = text


class Reply(NamedTuple):
    """The head of an answer; `messages` reads its body as it comes."""

    status: int
    session: str | None
    server: str  # the name haproxy has for it
    messages: Iterator[Json]


class Link:
    """One exchange on a connection of its own; close it."""

    def __init__(self, port: int) -> None:
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)

    def post(self, path: str, message: Json, headers: Mapping[str, str]) -> Reply:
        """Send one message; Lost, Refused."""
        try:
            self._link.request("POST", path, json.dumps(message), {**_HEADERS, **headers})
            answer = self._link.getresponse()
            if answer.status >= 400:
                text = answer.read().decode("utf-8", "replace")
                if answer.status >= 500 or "jsonrpc" not in text:
                    raise Lost(f"{answer.status}: {text[:200]}")
                raise Refused(answer.status, text)
        except (OSError, http.client.HTTPException) as failure:
            raise Lost(repr(failure)) from None
        server = answer.headers.get("X-Answered-By", "")
        session = answer.headers.get("Mcp-Session-Id")
        return Reply(answer.status, session, server, _read(answer))

    def close(self) -> None:
        """Hang up."""
        self._link.close()


def _read(answer: http.client.HTTPResponse) -> Iterator[Json]:
    """The messages of a body, be it JSON or a stream of events; Lost when it is cut off."""
    try:
        if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            text = answer.read()
            if text:
                yield json.loads(text)
            return
        data = b""
        while line := answer.readline():
            if line.startswith(b"data:"):
                data += line[5:].strip()
            elif not line.strip() and data:
                yield json.loads(data)
                data = b""
    except (OSError, http.client.HTTPException, ValueError) as failure:
        raise Lost(repr(failure)) from None


def result_of(message: Json) -> Json:
    """The result that a message carries; Refused when it is an error, Lost when that says so."""
    if "result" not in message:
        error = message.get("error", message)
        if (error.get("data") or {}).get("done") == "unknown":
            raise Lost(json.dumps(error))
        raise Refused(200, json.dumps(error))
    result: Json = message["result"]
    if result.get("isError"):
        raise Refused(200, json.dumps(result.get("content")))
    return result
