"""The json toolset in this process: real dispatch, real workspace, chosen store and provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import orjson

from redline.core.ports.models import LlmReply, LlmRequest
from redline.instruct.model.values import parse
from redline.server.calls.catalog import Catalog
from redline.server.calls.dispatch import Context
from redline.server.calls.tool_server import ToolServer
from redline.settings import Settings
from redline.toolsets.json_editor.tools import TOOLSET
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline


class ScriptedLlm:
    """A provider that says what it is told to, or fails."""

    name = "openai:scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[LlmRequest] = []

    def ask(self, request: LlmRequest) -> LlmReply:
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return LlmReply(answer, None, "scripted")
        return LlmReply(json.dumps(answer), answer, "scripted")


class Desk:
    """Calls tools and hands back what a client would see."""

    open: ClassVar[list[Desk]] = []

    def __init__(self, folder: Path, llm: Any = None, **settings: Any) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(exist_ok=True)
        state = str(folder / "state")
        chosen = Settings(workspace=str(self.folder), state_dir=state, **settings)
        self.redline = Redline(chosen)
        Desk.open.append(self)
        if llm is not None:
            self.redline.__dict__["llm"] = llm
        self._dispatch = ToolServer(Catalog([TOOLSET]), self.redline).dispatch
        self._count = 0

    def call(self, tool: str, arguments: Any, principal: str = "") -> dict[str, Any]:
        """The result object, from a request as raw as it would be on the wire."""
        self._count += 1
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        raw = (
            f'{{"jsonrpc":"2.0","id":{self._count},"method":"tools/call",'
            f'"params":{{"name":"{tool}","arguments":{text}}}}}'
        ).encode()
        params = json.loads(raw)["params"]
        client = Client(principal=principal)
        context = Context(client, request_id=str(self._count), raw=raw)
        outcome = self._dispatch.call(params, context)
        assert isinstance(outcome, dict), outcome
        return outcome

    def preview(self, document: Any, instruction: str, **more: Any) -> dict[str, Any]:
        result = self.call(
            "json_editor_preview", {"document": document, "instruction": instruction}, **more
        )
        assert not result["isError"], result
        return dict(result["structuredContent"])

    def apply(self, session_id: str, **arguments: Any) -> dict[str, Any]:
        result = self.call("json_editor_apply", {"session_id": session_id, **arguments})
        assert not result["isError"], result
        return dict(result["structuredContent"])

    def error(self, tool: str, arguments: Any, principal: str = "") -> dict[str, Any]:
        """The error object of a call that must fail, after checking its form."""
        result = self.call(tool, arguments, principal)
        assert result["isError"], result
        error = result["structuredContent"]["error"]
        assert json.loads(result["content"][0]["text"])["error"] == error
        assert set(error) == {"code", "message", "data"}
        assert set(error["data"]) == {"error_type", "details", "suggestions", "debug_info"}
        assert set(error["data"]["debug_info"]) == {"request_id", "timestamp"}
        assert error["data"]["details"]["field"]
        assert error["data"]["details"]["reason"]
        assert error["data"]["suggestions"]
        return dict(error)


def exact(result: dict[str, Any]) -> Any:
    """The modified document of an apply, numbers as they were sent in structuredContent."""
    sent = orjson.dumps(result["modified_document"])
    return parse(sent)
