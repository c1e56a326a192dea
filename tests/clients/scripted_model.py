"""A model on loopback that follows a script: it asks for one tool after another, then ends.

It speaks three interfaces as far as clients use them: Anthropic Messages, OpenAI Responses and
Gemini generateContent, each also as a stream. Which step is next follows from how many results of
tools the conversation has, so a client may repeat a request or ask for something beside it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]
Event = tuple[str, Json]
DONE = "Done."


@dataclass(frozen=True)
class Step:
    """One tool that the model asks for; `first` is done before it does."""

    tool: str
    arguments: Json
    first: Callable[[], None] = field(default=lambda: None)
    # The whole argument as one text, for tools that take no JSON.
    text: str = ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing when a client hangs up."""


class ScriptedModel:
    """A server at `url`; `requests` has every conversation that it was sent."""

    def __init__(self, steps: Sequence[Step], end: Callable[[], None] = lambda: None) -> None:
        self._steps = list(steps)
        self._end = end
        self._begun = -1
        self._lock = threading.Lock()
        self.requests: list[Json] = []
        self.unknown: list[str] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size)
                status, kind, answer = model.answer(self.path, body)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def do_GET(self) -> None:
                self.do_POST()

            def do_CONNECT(self) -> None:
                """Somewhere outside: the clients have this server as their proxy, too."""
                self.path = f"CONNECT {self.path}"
                self.do_POST()

            def do_HEAD(self) -> None:
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    # -- one request --------------------------------------------------------------------------

    def answer(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        """Return status, type and body of the answer to a request."""
        place = path.partition("?")[0]
        try:
            request = json.loads(body) if body else {}
        except ValueError:
            request = {}
        if place.endswith("/messages"):
            return _stream(_anthropic(*self._next(request, _anthropic_results)))
        if place.endswith("/responses"):
            return _stream(_openai(*self._next(request, _openai_results)))
        if place.endswith((":streamGenerateContent", ":generateContent")):
            whole = _gemini(*self._next(request, _gemini_results))
            if place.endswith(":generateContent"):
                return 200, "application/json", json.dumps(whole).encode()
            return 200, "text/event-stream", f"data: {json.dumps(whole)}\r\n\r\n".encode()
        if place.endswith(("/count_tokens", ":countTokens")):
            return 200, "application/json", b'{"input_tokens": 10, "totalTokens": 10}'
        self.unknown.append(path)
        return 404, "application/json", b'{"error": {"message": "not part of the script"}}'

    def _next(self, request: Json, count: Callable[[Json], int]) -> tuple[Step | None, int]:
        """Return the step that is next in a conversation, None when it is over, and its number."""
        with self._lock:
            self.requests.append(request)
            if not request.get("tools"):
                return None, -1
            number = count(request)
            is_new, self._begun = number > self._begun, max(number, self._begun)
        step = self._steps[number] if number < len(self._steps) else None
        if is_new:
            (step.first if step else self._end)()
        return step, number


def _stream(events: Iterator[Event]) -> tuple[int, str, bytes]:
    lines = (f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return 200, "text/event-stream", "".join(lines).encode()


# -- Anthropic Messages -----------------------------------------------------------------------


def _anthropic_results(request: Json) -> int:
    blocks = [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    return sum(block.get("type") == "tool_result" for block in blocks)


def _anthropic(step: Step | None, number: int) -> Iterator[Event]:
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield "message_start", {"type": "message_start", "message": message}
    if step is None:
        block: Json = {"type": "text", "text": ""}
        delta: Json = {"type": "text_delta", "text": DONE}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": step.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    yield (
        "content_block_start",
        {"type": "content_block_start", "index": 0, "content_block": block},
    )
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "tool_use" if step else "end_turn", "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": reason, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


# -- OpenAI Responses -------------------------------------------------------------------------


def _openai_results(request: Json) -> int:
    kinds = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
    return sum(item.get("type") in kinds for item in request["input"] if isinstance(item, dict))


def _openai(step: Step | None, number: int) -> Iterator[Event]:
    answer: Json = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
    yield "response.created", {"type": "response.created", "response": answer}
    if step is None:
        text = {"type": "output_text", "text": DONE, "annotations": []}
        item: Json = {"type": "message", "id": "item_1", "role": "assistant", "content": [text]}
    else:
        item = {"id": "item_1", "call_id": f"call_{number}", "name": step.tool}
        if step.text:
            item |= {"type": "custom_tool_call", "input": step.text}
        else:
            item |= {"type": "function_call", "arguments": json.dumps(step.arguments)}
            server, _, name = step.tool.rpartition("__")
            if server:  # a tool of an MCP server
                item |= {"namespace": server, "name": name}
    yield (
        "response.output_item.done",
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    )
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20,
    }  # fmt: skip
    done = {**answer, "status": "completed", "output": [item], "usage": usage}
    yield "response.completed", {"type": "response.completed", "response": done}


# -- Gemini generateContent -------------------------------------------------------------------


def _gemini_results(request: Json) -> int:
    parts = [part for content in request["contents"] for part in content.get("parts", ())]
    return sum("functionResponse" in part for part in parts)


def _gemini(step: Step | None, _: int) -> Json:
    part: Json = {"text": DONE}
    if step is not None:
        part = {"functionCall": {"name": step.tool, "args": step.arguments}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "scripted",
    }
