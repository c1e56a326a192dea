"""What a scripted model was shown of the results of tools, read from its last conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
_CODEX_HEAD = re.compile(r"\AWall time: [\d.]+ seconds\nOutput:\n")
_GEMINI_FRAME = re.compile(r"<untrusted_context>\n(.*)\n</untrusted_context>", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """One result of a tool as the model has it: its text, its pictures, whether it failed.

    The text is without what a client puts around every result. `is_error` is None where the
    interface has no word for a failure.
    """

    text: str
    pictures: tuple[str, ...] = ()
    is_error: bool | None = None


def results_shown(client: str, requests: list[Json]) -> list[Shown]:
    """Return the results of the conversation that holds most of them, in order."""
    read = _READERS[client]
    return max((list(read(request)) for request in requests), key=len)


def _claude(request: Json) -> Iterator[Shown]:
    for message in request.get("messages", ()):
        blocks = message["content"] if isinstance(message["content"], list) else ()
        for block in blocks:
            if block.get("type") == "tool_result":
                content = block["content"]
                parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
                yield Shown(
                    "\n".join(part["text"] for part in parts if part["type"] == "text"),
                    tuple(p["source"]["media_type"] for p in parts if p["type"] == "image"),
                    bool(block.get("is_error")),
                )


def _codex(request: Json) -> Iterator[Shown]:
    for item in request.get("input", ()):
        if item.get("type") != "function_call_output":
            continue
        output = item["output"]
        parts = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
        yield Shown(
            _CODEX_HEAD.sub("", "\n".join(p["text"] for p in parts if p["type"] == "input_text")),
            tuple(
                part["image_url"].partition(";")[0].removeprefix("data:")
                for part in parts
                if part["type"] == "input_image"
            ),
        )


def _gemini(request: Json) -> Iterator[Shown]:
    for content in request.get("contents", ()):
        parts = content.get("parts", ())
        pictures = tuple(p["inlineData"]["mimeType"] for p in parts if "inlineData" in p)
        for part in parts:
            if "functionResponse" in part:
                response = part["functionResponse"]["response"]
                inner = part["functionResponse"].get("parts", ())
                pictures += tuple(p["inlineData"]["mimeType"] for p in inner if "inlineData" in p)
                if "error" in response:
                    yield Shown(_gemini_error(response["error"]), pictures, is_error=True)
                else:
                    framed = _GEMINI_FRAME.search(response["output"])
                    text = framed[1] if framed else response["output"]
                    yield Shown(text, pictures, is_error=False)


def _gemini_error(text: str) -> str:
    """Return the text of a failure, which this client shows in JSON with the call."""
    _, _, response = text.partition(" with response: ")
    (part,) = json.loads(response)
    blocks = part["functionResponse"]["response"]["content"]
    return "\n".join(block["text"] for block in blocks)


_READERS: dict[str, Callable[[Json], Iterator[Shown]]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
}
