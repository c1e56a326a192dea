"""Clients of both eras: each call ends with a result, `Refused` or `Lost`."""

from __future__ import annotations

import time
from typing import Protocol

from bench.chaos.ledger import Ledger
from bench.chaos.wire import (
    CAPABILITIES,
    HANDSHAKE,
    INFO,
    MODERN,
    Json,
    Link,
    Lost,
    Refused,
    Reply,
    result_of,
)

_ANSWERS, _ANSWER_PAUSE = 30, 0.5
_YES = {"action": "accept", "content": {"decision": "allow"}}
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
    "io.modelcontextprotocol/clientInfo": INFO,
}


class EraClient(Protocol):
    """A client of one era."""

    def call(self, workspace: str, tool: str, arguments: Json) -> Json:
        """The result of a call, questions answered on the way; Refused, Lost."""


class ModernClient:
    """Every request stands alone; a question is answered by calling again."""

    def __init__(self, port: int, ledger: Ledger) -> None:
        self._port = port
        self._ledger = ledger

    def call(self, workspace: str, tool: str, arguments: Json) -> Json:
        """See `EraClient`."""
        result, asked_by = self._send(workspace, tool, arguments, {})
        while result.get("resultType") == "input_required":
            self._ledger.count("questions asked")
            answers = dict.fromkeys(result["inputRequests"], _YES)
            state = {"requestState": result["requestState"], "inputResponses": answers}
            try:
                result, server = self._send(workspace, tool, arguments, state)
            except Refused as refused:
                if "requestState" in refused.text:
                    self._ledger.blame(f"{workspace}: an answer was refused: {refused}")
                raise
            if result.get("resultType") == "input_required":
                self._ledger.blame(f"{workspace}: an answered question was asked again")
                raise Refused(200, "asked again")
            self._ledger.count("questions answered")
            self._ledger.count("answered at another server", int(server != asked_by))
        return result

    def _send(self, workspace: str, tool: str, arguments: Json, more: Json) -> tuple[Json, str]:
        params = {"name": tool, "arguments": arguments, "_meta": _META, **more}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
        link, start = Link(self._port), time.perf_counter()
        try:
            reply = link.post(f"/w/{workspace}/mcp", message, headers)
            for each in reply.messages:
                if each.get("id") == 1 and "method" not in each:
                    self._ledger.time((time.perf_counter() - start) * 1000)
                    return result_of(each), reply.server
        finally:
            link.close()
        raise Lost("the answer ended early")


class HandshakeClient:
    """Has a session in each workspace, which any server knows; answers while its call waits."""

    def __init__(self, port: int, ledger: Ledger) -> None:
        self._port = port
        self._ledger = ledger
        self._sessions: dict[str, str] = {}
        self._next = 0

    def call(self, workspace: str, tool: str, arguments: Json) -> Json:
        """See `EraClient`."""
        if workspace not in self._sessions:
            self._sessions[workspace] = self._open(workspace)
        self._next += 1
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params}
        link, start = Link(self._port), time.perf_counter()
        try:
            reply = link.post(f"/w/{workspace}/mcp", message, self._headers(workspace))
            result = self._follow(workspace, reply)
        except Refused as refused:
            if refused.status == 404:
                del self._sessions[workspace]
                self._ledger.blame(f"{workspace}: a session is gone: {refused}")
            raise
        finally:
            link.close()
        self._ledger.time((time.perf_counter() - start) * 1000)
        return result

    def _follow(self, workspace: str, reply: Reply) -> Json:
        refused = ""
        for each in reply.messages:
            if each.get("method") == "elicitation/create":
                self._ledger.count("questions asked")
                refused = self._answer(workspace, each["id"], reply.server)
            elif each.get("id") == self._next:
                if refused:
                    self._ledger.blame(f"{workspace}: an answer was refused: {refused}")
                return result_of(each)
        raise Lost("the stream ended without an answer")

    def _answer(self, workspace: str, question: object, asked_by: str) -> str:
        """Answer on another connection; why it was refused, "" if it was not.

        An answer that gets lost is given again, as a person would press the button again.
        """
        message = {"jsonrpc": "2.0", "id": question, "result": _YES}
        for _ in range(_ANSWERS):
            link = Link(self._port)
            try:
                reply = link.post(f"/w/{workspace}/mcp", message, self._headers(workspace))
                self._ledger.count("questions answered")
                self._ledger.count("answered at another server", int(reply.server != asked_by))
                return ""
            except Refused as refused:
                return str(refused)
            except Lost:
                self._ledger.count("answers lost on their way")
                time.sleep(_ANSWER_PAUSE)
            finally:
                link.close()
        return ""

    def _open(self, workspace: str) -> str:
        params = {"protocolVersion": HANDSHAKE, "capabilities": CAPABILITIES, "clientInfo": INFO}
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        link = Link(self._port)
        try:
            reply = link.post(f"/w/{workspace}/mcp", hello, {})
            for _ in reply.messages:
                pass
        finally:
            link.close()
        if reply.session is None:
            raise Lost("no session")
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        link = Link(self._port)
        try:
            headers = {"MCP-Protocol-Version": HANDSHAKE, "Mcp-Session-Id": reply.session}
            link.post(f"/w/{workspace}/mcp", note, headers)
        finally:
            link.close()
        self._ledger.count("sessions opened")
        return reply.session

    def _headers(self, workspace: str) -> dict[str, str]:
        return {"MCP-Protocol-Version": HANDSHAKE, "Mcp-Session-Id": self._sessions[workspace]}
