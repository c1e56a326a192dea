"""A local HTTP server that answers like a provider: scripted replies, remembered requests.

captured.json holds requests as the vendors' own SDKs send them and replies those SDKs read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CAPTURED: dict[str, Any] = json.loads((Path(__file__).parent / "captured.json").read_text("utf-8"))


class Stub:
    """What to answer, in order (the last answer repeats), and what was asked."""

    def __init__(self) -> None:
        self.script: list[tuple[int, dict[str, str], Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.release = threading.Event()
        self.url = ""

    def answer(self, body: Any, status: int = 200, **headers: str) -> Stub:
        self.script.append((status, {k.replace("_", "-"): v for k, v in headers.items()}, body))
        return self

    def hang(self) -> Stub:
        return self.answer("hang")


@contextmanager
def stub() -> Iterator[Stub]:
    state = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", 0))
            state.requests.append(
                {
                    "path": self.path,
                    "headers": {k.lower(): v for k, v in self.headers.items()},
                    "body": json.loads(self.rfile.read(size)),
                }
            )
            place = min(len(state.requests), len(state.script)) - 1
            status, headers, body = state.script[place]
            if body == "hang":
                state.release.wait(20)
                return
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        state.release.set()
        server.shutdown()
        server.server_close()


def success(provider: str, data: Any) -> dict[str, Any]:
    """A good answer of *provider* in its own wire format."""
    body: dict[str, Any] = json.loads(json.dumps(CAPTURED["responses"][provider]))
    text = json.dumps(data)
    if provider == "openai":
        body["choices"][0]["message"]["content"] = text
    elif provider == "anthropic":
        body["content"][0]["input"] = data
    else:
        body["candidates"][0]["content"]["parts"][0]["text"] = text
    return body


def prose(provider: str, text: str) -> dict[str, Any]:
    """A 200 answer that is not JSON."""
    body = success(provider, {})
    if provider == "openai":
        body["choices"][0]["message"]["content"] = text
    elif provider == "anthropic":
        body["content"] = [{"type": "text", "text": text}]
        body["stop_reason"] = "end_turn"
    else:
        body["candidates"][0]["content"]["parts"][0]["text"] = text
    return body


def truncated(provider: str) -> dict[str, Any]:
    """A 200 answer cut off by the token limit."""
    body = prose(provider, '{"status": "succ')
    if provider == "openai":
        body["choices"][0]["finish_reason"] = "length"
    elif provider == "anthropic":
        body["stop_reason"] = "max_tokens"
    else:
        body["candidates"][0]["finishReason"] = "MAX_TOKENS"
    return body


def refused(provider: str) -> dict[str, Any]:
    """A 200 answer in which the model declines."""
    body = prose(provider, "")
    if provider == "openai":
        body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "No."}
    elif provider == "anthropic":
        body["stop_reason"] = "refusal"
        body["content"] = []
    else:
        body["candidates"][0] = {"finishReason": "SAFETY", "index": 0}
    return body
