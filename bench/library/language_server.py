"""A client of language servers over standard streams: open, rename, references."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote


class LanguageServer:
    """One server process with one workspace folder."""

    def __init__(
        self,
        argv: list[str],
        root: Path,
        *,
        options: dict[str, Any] | None = None,
        capabilities: dict[str, Any] | None = None,
    ) -> None:
        self._root = root
        self._options = options or {}
        self._capabilities = capabilities or {}
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._next = 0

    def __enter__(self) -> LanguageServer:
        capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
        capabilities |= self._capabilities
        folder = {"uri": self._root.as_uri(), "name": "bench"}
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self._root.as_uri(),
                "capabilities": capabilities,
                "initializationOptions": self._options,
                "workspaceFolders": [folder],
            },
        )
        self.notify("initialized", {})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, name: str, text: str, language: str) -> str:
        """Write and open a file; its address."""
        path = self._root / name
        path.write_text(text, "utf-8", newline="")
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def close_file(self, uri: str) -> None:
        """Close a file and remove it."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        Path(uri.removeprefix("file://")).unlink()

    def rename(self, uri: str, line: int, column: int, name: str) -> list[tuple[int, ...]]:
        """Places in the file that a rename at this place changes; none when it is declined."""
        position = {"line": line, "character": column}
        given = {"textDocument": {"uri": uri}, "position": position, "newName": name}
        answer = self.request("textDocument/rename", given) or {}
        changes = [
            edit
            for change in answer.get("documentChanges", [])
            if change.get("textDocument", {}).get("uri") == uri
            for edit in change["edits"]
        ] + answer.get("changes", {}).get(uri, [])
        return [_place(edit["range"]) for edit in changes]

    def references(self, uri: str, line: int, column: int) -> list[tuple[Path, int, int]]:
        """Files, lines and columns that refer to what stands at this place, its definition too."""
        return [
            (Path(unquote(spot["uri"].removeprefix("file://"))), *_place(spot["range"])[:2])
            for spot in self._references(uri, line, column)
        ]

    def _references(self, uri: str, line: int, column: int) -> list[dict[str, Any]]:
        position = {"line": line, "character": column}
        context = {"includeDeclaration": True}
        given = {"textDocument": {"uri": uri}, "position": position, "context": context}
        answer: list[dict[str, Any]] = self.request("textDocument/references", given) or []
        return answer

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its answer; what the server asks meanwhile is declined."""
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._decline(message)
            elif message.get("id") == self._next:
                return message.get("result")

    def wait(self, until: Callable[[dict[str, Any]], bool]) -> None:
        """Read what the server says until it says that."""
        while not until(message := self._receive()):
            self._decline(message)

    def _decline(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            items = message.get("params", {}).get("items", [])
            result = [None] * len(items) if items else None
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise RuntimeError("the language server ended")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


def _place(found: dict[str, dict[str, int]]) -> tuple[int, ...]:
    start, end = found["start"], found["end"]
    return start["line"], start["character"], end["line"], end["character"]
