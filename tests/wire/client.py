"""A raw MCP client for tests: real server process, either transport, either era.

    with connect("stdio", ["--tools", "files"], cwd=tmp_path) as client:
        reply = client.call("read_file", {"path": "a.txt"})     # the raw JSON-RPC response

Every message the server emits is checked against the official types before a test sees it.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.wire.official import check_message, check_output

ROOT = Path(__file__).parents[2]
MODERN = "2026-07-28"
INFO = {"name": "redline-tests", "version": "1.0"}
TIMEOUT = 30.0
Json = dict[str, Any]


def connect(
    transport: str,
    args: Sequence[str],
    *,
    protocol: str = "2025-11-25",
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    handshake: bool = True,
    capabilities: Json | None = None,
    info: Json | None = None,
) -> Client:
    """Start `redline serve` with *args* and talk to it; use as a context manager or close it."""
    options: Json = {
        "protocol": protocol,
        "cwd": str(cwd) if cwd else None,
        "env": env,
        "capabilities": capabilities or {},
        "info": info or INFO,
    }
    kind = {"stdio": StdioClient, "http": HttpClient}[transport]
    client = kind(list(args), **options)
    try:
        if handshake and protocol != MODERN:
            client.initialize()
    except BaseException:
        client.close()
        raise
    return client


class Client:
    """What both transports share."""

    transport = ""

    def __init__(
        self,
        args: list[str],
        *,
        protocol: str,
        cwd: str | None,
        env: Mapping[str, str] | None,
        capabilities: Json,
        info: Json,
    ) -> None:
        self.protocol = protocol
        self.capabilities = capabilities
        self.info = info
        self.notifications: list[Json] = []
        self.on_request: Callable[[Json], Json] = lambda _: {"action": "cancel"}
        self.initialize_result: Json = {}
        self._closed = False
        self._next_id = 0
        self._state = tempfile.mkdtemp(prefix="redline-test-state-")
        variables = {k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")}
        variables.update(
            PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            REDLINE_STATE_DIR=self._state,
            REDLINE_RECORD="false",
            # Most tests are of specifications; those of the default choose it with an empty one.
            REDLINE_TOOLS="all",
            XDG_CONFIG_HOME=self._state,
        )
        variables.update(env or {})
        self.process = subprocess.Popen(
            [sys.executable, "-m", "redline", "serve", *self._transport_args(), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=variables,
        )
        self._stderr: list[bytes] = []
        self._stderr_reader = threading.Thread(target=self._drain_stderr, daemon=True)
        self._stderr_reader.start()

    def _transport_args(self) -> list[str]:
        raise AssertionError("each transport has its own")

    def _await_stderr(self) -> None:
        """Wait until what the server has written by now was read by the thread that does."""
        source = self.process.stderr
        with contextlib.suppress(OSError, ValueError):  # closed, as it is once the server has ended
            while source and any(fcntl.ioctl(source.fileno(), termios.FIONREAD, bytes(4))):
                time.sleep(0.005)
            time.sleep(0.02)

    def _drain_stderr(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._stderr.append(line)

    @property
    def stderr(self) -> str:
        """What the server has said to its operator so far."""
        self._await_stderr()
        return b"".join(self._stderr).decode("utf-8", "replace")

    def initialize(self) -> Json:
        """The handshake of the older era; the raw response."""
        params = {
            "protocolVersion": self.protocol,
            "capabilities": self.capabilities,
            "clientInfo": self.info,
        }
        reply = self.request("initialize", params)
        if "result" in reply:
            self.initialize_result = reply["result"]
            self.protocol = reply["result"]["protocolVersion"]
            self.notify("notifications/initialized")
        return reply

    def list_tools(self) -> list[Json]:
        """The tools of tools/list."""
        tools: list[Json] = self.request("tools/list")["result"]["tools"]
        return tools

    def call(self, tool: str, arguments: Json | None = None, **options: Any) -> Json:
        """The raw response to a tools/call."""
        params: Json = {"name": tool, "arguments": {} if arguments is None else arguments}
        params.update(options)
        reply = self.request("tools/call", params)
        check_output(tool, reply)
        return reply

    def request(self, method: str, params: Json | None = None, *, timeout: float = TIMEOUT) -> Json:
        """The raw JSON-RPC response to a request."""
        return self.finish(self.start(method, params), timeout=timeout)

    def start(self, method: str, params: Json | None = None) -> Any:
        """Send a request without waiting; give the result to `finish`."""
        raise AssertionError("each transport has its own")

    def finish(self, started: Any, *, timeout: float = TIMEOUT) -> Json:
        """Wait for the response to a started request."""
        raise AssertionError("each transport has its own")

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        raise AssertionError("each transport has its own")

    def _message(self, method: str, params: Json | None, *, request: bool = True) -> Json:
        message: Json = {"jsonrpc": "2.0", "method": method}
        if request:
            self._next_id += 1
            message["id"] = self._next_id
        if self.protocol == MODERN and request:
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": self.info,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                **(params or {}).get("_meta", {}),
            }
            params = {**(params or {}), "_meta": meta}
        if params is not None:
            message["params"] = params
        return message

    def close(self) -> int:
        """End the server and give its exit code; a second time only gives the code."""
        assert self.process.stdin
        if self._closed:
            return self.process.returncode
        self._closed = True
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self._stop()
        try:
            code = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server did not end\n{self.stderr}") from None
        finally:
            self._stderr_reader.join(5)
            self._finish_reading()
            for stream in (self.process.stdout, self.process.stderr):
                if stream:
                    stream.close()
            shutil.rmtree(self._state, ignore_errors=True)
        return code

    def _stop(self) -> None:
        """What ends a server besides the end of its stdin."""

    def _finish_reading(self) -> None:
        """Let whoever reads the server's output see its end."""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class StdioClient(Client):
    """One JSON message per line; replies may come in any order."""

    transport = "stdio"

    def __init__(self, args: list[str], **options: Any) -> None:
        super().__init__(args, **options)
        self._waiting: dict[Any, queue.SimpleQueue[Json]] = {}
        self._methods: dict[Any, str] = {}
        self._lock = threading.Lock()
        self.stray: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _transport_args(self) -> list[str]:
        return ["--stdio"]

    def _finish_reading(self) -> None:
        self._reader.join(10)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                self._received(json.loads(line))
            except Exception as failure:  # seen by the test as a stray message
                self.stray.put({"unreadable": line, "failure": repr(failure)})
        for waiting in list(self._waiting.values()):
            waiting.put({"closed": True})

    def _received(self, message: Any) -> None:
        if isinstance(message, dict) and "method" in message:
            check_message(message, None, self.protocol)
            if "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"]}
                self.send_raw(json.dumps({**answer, "result": self.on_request(message)}).encode())
            else:
                self.notifications.append(message)
            return
        request_id = message.get("id") if isinstance(message, dict) else None
        waiting = self._waiting.pop(request_id, None)
        if waiting is None:
            self.stray.put(message)
            return
        check_message(message, self._methods.get(request_id), self.protocol)
        waiting.put(message)

    def send_raw(self, line: bytes) -> None:
        """One line as it is."""
        assert self.process.stdin
        with self._lock:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()

    def next_stray(self, timeout: float = TIMEOUT) -> Any:
        """The next message that answers nothing we sent by `request`."""
        return self.stray.get(timeout=timeout)

    def start(self, method: str, params: Json | None = None) -> Any:
        message = self._message(method, params)
        waiting: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._waiting[message["id"]] = waiting
        self._methods[message["id"]] = method
        self.send_raw(json.dumps(message).encode())
        return message["id"], waiting

    def finish(self, started: Any, *, timeout: float = TIMEOUT) -> Json:
        request_id, waiting = started
        try:
            reply: Json = waiting.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer to request {request_id}\n{self.stderr}") from None
        assert "closed" not in reply, f"the server ended\n{self.stderr}"
        return reply

    def notify(self, method: str, params: Json | None = None) -> None:
        self.send_raw(json.dumps(self._message(method, params, request=False)).encode())


class HttpClient(Client):
    """One POST per message; answers may be JSON or an event stream."""

    transport = "http"
    path = "/mcp"

    def __init__(self, args: list[str], **options: Any) -> None:
        self.session: str | None = None
        self.headers: dict[str, str] = {}
        self.stdout = b""
        self._banner: list[str] = []
        self._announced = threading.Event()
        super().__init__(args, **options)
        self.host, self.port = self._address()

    def _transport_args(self) -> list[str]:
        return ["--http", "127.0.0.1:0"]

    def _drain_stderr(self) -> None:
        """Keep the banner, which ends with a line about Ctrl-C, apart from what is logged."""
        assert self.process.stderr
        for raw in self.process.stderr:
            if self._announced.is_set() or not (self._banner or raw.startswith(b"Redline serves")):
                self._stderr.append(raw)
                continue
            self._banner.append(raw.decode())
            if raw.startswith(b"Ctrl-C"):
                self._announced.set()
        self._announced.set()

    def _address(self) -> tuple[str, int]:
        threading.Thread(target=self._drain_stdout, daemon=True).start()
        self._announced.wait(TIMEOUT)
        for line in self._banner:
            if "http://" in line:
                address = line.split("http://", 1)[1].split("/", 1)[0]
                host, _, port = address.rpartition(":")
                return host, int(port)
        self.process.wait()
        raise AssertionError(f"the server did not start\n{self.stderr}")

    def _drain_stdout(self) -> None:
        assert self.process.stdout
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                self.stdout += line

    def post(
        self, body: bytes, headers: Mapping[str, str] | None = None, *, timeout: float = TIMEOUT
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of one POST of a message, whatever they are."""
        given = {**self._standard(), **(headers or {})}
        return self.fetch("POST", self.path, body, given, timeout)

    def fetch(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
    ) -> tuple[int, dict[str, str], bytes]:
        """Any HTTP exchange."""
        link = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            link.request(method, path, body, dict(headers or {}))
            response = link.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read()
        finally:
            link.close()

    def _standard(self) -> dict[str, str]:
        found = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self.headers,
        }
        if self.session:
            found["Mcp-Session-Id"] = self.session
        if self.initialize_result or self.protocol == MODERN:
            found["MCP-Protocol-Version"] = self.protocol
        return found

    def start(self, method: str, params: Json | None = None) -> Any:
        message = self._message(method, params)
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def exchange() -> None:
            try:
                answer.put(self._exchange(message))
            except BaseException as failure:
                answer.put(failure)

        threading.Thread(target=exchange, daemon=True).start()
        return message["id"], answer

    def finish(self, started: Any, *, timeout: float = TIMEOUT) -> Json:
        request_id, answer = started
        try:
            reply = answer.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer to request {request_id}\n{self.stderr}") from None
        if isinstance(reply, BaseException):
            raise reply
        found: Json = reply
        return found

    def _exchange(self, message: Json) -> Json:
        headers = {}
        if self.protocol == MODERN:
            headers["Mcp-Method"] = message["method"]
            params = message.get("params", {})
            name = params.get("uri" if message["method"] == "resources/read" else "name")
            if isinstance(name, str) and name.isascii() and name.isprintable():
                headers["Mcp-Name"] = name
        status, found, body = self.post(json.dumps(message).encode(), headers)
        self.session = found.get("mcp-session-id", self.session)
        assert body, f"HTTP {status} without a body\n{self.stderr}"
        reply: Json = {}
        for incoming in _messages(found.get("content-type", ""), body):
            answers = incoming.get("id") == message["id"] and "method" not in incoming
            check_message(incoming, message["method"] if answers else None, self.protocol)
            if answers or ("method" not in incoming and incoming.get("id") is None):
                reply = incoming
            elif "id" in incoming:
                raise AssertionError("server requests need the stream; use stdio for that test")
            else:
                self.notifications.append(incoming)
        assert reply, f"HTTP {status}: {body!r}"
        return reply

    def notify(self, method: str, params: Json | None = None) -> None:
        message = self._message(method, params, request=False)
        status, _, body = self.post(json.dumps(message).encode())
        assert status == 202, (status, body)

    def _stop(self) -> None:
        self.process.terminate()


class AttachedClient(HttpClient):
    """A further client of a server that somebody else started and will stop."""

    def __init__(self, server: HttpClient, **options: Any) -> None:
        self._server = server
        self.session = None
        self.headers = {}
        self.protocol = options.get("protocol", "2025-11-25")
        self.capabilities = options.get("capabilities") or {}
        self.info = options.get("info") or INFO
        self.notifications = []
        self.initialize_result = {}
        self._next_id = 0
        self.process = server.process
        self._stderr = server._stderr
        self.host, self.port = server.host, server.port
        if options.get("handshake", True) and self.protocol != MODERN:
            self.initialize()

    def close(self) -> int:
        return 0


def _messages(content_type: str, body: bytes) -> Iterator[Json]:
    if not content_type.startswith("text/event-stream"):
        yield json.loads(body)
        return
    for event in body.decode().replace("\r\n", "\n").split("\n\n"):
        data = [line[5:].strip() for line in event.split("\n") if line.startswith("data:")]
        if data and data[0]:
            yield json.loads("\n".join(data))
