"""Conversations with language servers: the Language Server Protocol, and tsserver's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from redline.adapters.language_servers.table import ServerRow
from redline.adapters.language_servers.wire import FileEvent, ServerFailed, Texts, Wire
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.core.ports.language_servers import OUTSIDE, CheckerProblem, ServerEdit
from redline.core.ports.tree import Root

_LANGUAGE_IDS = {
    "tsx": "typescriptreact",
    "jsx": "javascriptreact",
    "rs": "rust",
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("h", "cc", "cxx", "hh", "hpp", "hxx"), "cpp"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "mjs", "cjs"), "javascript"),
}
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {},
    },
    "window": {"workDoneProgress": True},
    "textDocument": {
        "synchronization": {},
        "rename": {"prepareSupport": True},
        "references": {},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {},
    },
}
# A server that says nothing for this long after it was shown a file has read the project.
_SETTLED = 0.4
_MAX_EDITS = 100_000
# How scripts are read that no tsconfig.json has.
_INFERRED = {
    "allowJs": True,
    "jsx": "preserve",
    "strict": True,
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
}
_ERROR, _WARNING = 1, 2


class LspSession:
    """One server that speaks the Language Server Protocol."""

    def __init__(self, row: ServerRow, wire: Wire, roots: Sequence[Root]) -> None:
        self.name = row.name
        self.ends = 0.0
        self.waiting: Callable[[str], None] = _ignore
        self._row = row
        self._wire = wire
        self.texts = Texts(roots)
        self._last = 0
        self._versions: dict[WorkspacePath, int] = {}
        self._published: dict[WorkspacePath, tuple[int | None, list[Any]]] = {}
        self._pulls = False
        self._progress: dict[str, str] = {}
        self._was_busy = False

    def start(self, roots: Sequence[Root]) -> None:
        """Introduce ourselves."""
        folders = [
            {"uri": self.texts.uri(WorkspacePath(n, ())), "name": f"root{n}"}
            for n in range(len(roots))
        ]
        given: dict[str, Any] = {"processId": None, "rootUri": folders[0]["uri"]}
        given |= {"workspaceFolders": folders, "capabilities": _CAPABILITIES}
        given["initializationOptions"] = self._row.options
        answer = self._request("initialize", given)
        known = answer.get("capabilities") if isinstance(answer, dict) else None
        if not isinstance(known, dict):
            raise ServerFailed("answered what is not an introduction")
        self.texts.encoding = str(known.get("positionEncoding") or "utf-16")
        self._pulls = known.get("diagnosticProvider") is not None and not self._row.publishes
        self._notify("initialized", {})

    def changed_on_disk(self, files: Mapping[str, FileEvent]) -> None:
        """Say which files were made, changed or removed, and show those again that are open."""
        gone, texts = self.texts.look_again()
        for path in gone:
            named = {"textDocument": {"uri": self.texts.uri(path)}}
            self._notify("textDocument/didClose", named)
            self._versions.pop(path, None)
            self._published.pop(path, None)
        if files:
            changes = [{"uri": f"file://{quote(f)}", "type": int(e)} for f, e in files.items()]
            self._notify("workspace/didChangeWatchedFiles", {"changes": changes})
        self.show(texts)

    def show(self, texts: Mapping[WorkspacePath, str]) -> None:
        """Show the server files with these texts."""
        for path, text in texts.items():
            if self.texts.shown.get(path) == text:
                continue
            version = self._versions.get(path, 0) + 1
            named = {"uri": self.texts.uri(path), "version": version}
            if version == 1:
                document = {**named, "languageId": _language_id(path), "text": text}
                self._notify("textDocument/didOpen", {"textDocument": document})
            else:
                changes = [{"text": text}]
                given = {"textDocument": named, "contentChanges": changes}
                self._notify("textDocument/didChange", given)
            self._versions[path] = version
            self._published.pop(path, None)
            self.texts.put(path, text)
        self._wait_until_read()

    def rename(self, path: WorkspacePath, start: int, new_name: str) -> list[ServerEdit]:
        """Return the edits of a rename."""
        if self._row.renames_by_references:
            listed = self._list_found(path, start, "references")
            return [self._edit(x.get("uri"), {**x, "newText": new_name}) for x in listed]
        at = self._at(path, start)
        answer = self._request("textDocument/prepareRename", at)
        if answer is not None:
            answer = self._request("textDocument/rename", {**at, "newName": new_name})
        if answer is None:
            raise _refusal(self.name, "this cannot be renamed")
        return list(self._edits(answer))

    def find(self, path: WorkspacePath, start: int, what: str) -> list[ServerEdit]:
        """Return the spans of references or definitions of the symbol at an offset."""
        listed = self._list_found(path, start, what)
        inside = [each for each in listed if self.texts.path_of(str(each.get("uri"))) is not None]
        found = [self._edit(each.get("uri"), each) for each in inside]
        return found + [OUTSIDE] * (what == "definition" and len(listed) > len(found))

    def _list_found(self, path: WorkspacePath, start: int, what: str) -> list[dict[str, Any]]:
        given = {**self._at(path, start), "context": {"includeDeclaration": True}}
        answer = self._request(f"textDocument/{what}", given)
        return _dicts(answer if isinstance(answer, list) else answer and [answer])

    def problems(self, paths: Sequence[WorkspacePath]) -> list[CheckerProblem] | None:
        """Return what the checker reports for files that it was shown."""
        found: list[CheckerProblem] = []
        for path in paths:
            if self._pulls:
                named = {"textDocument": {"uri": self.texts.uri(path)}}
                answer = self._request("textDocument/diagnostic", named)
                items = answer.get("items") if isinstance(answer, dict) else None
            else:
                items = self._wait_for_published(path)
            for each in _dicts(items):
                if each.get("severity", _WARNING) in (_ERROR, _WARNING):
                    edit = self._edit(self.texts.uri(path), each)
                    text = f"{each.get('code') or ''} {each.get('message')}"
                    found.append(CheckerProblem(path, edit.start, edit.end, text))
        return found

    def stop(self) -> None:
        """Say goodbye."""
        self._request("shutdown", None)
        self._notify("exit", None)

    def _at(self, path: WorkspacePath, start: int) -> dict[str, Any]:
        line, column = self.texts.position(path, start)
        named = {"uri": self.texts.uri(path)}
        return {"textDocument": named, "position": {"line": line, "character": column}}

    def _edits(self, answer: Any) -> Iterator[ServerEdit]:
        if not isinstance(answer, dict):
            raise ServerFailed("answered what is not an edit")
        changes = answer.get("changes") or {}
        if not isinstance(changes, dict):
            raise ServerFailed("answered what is not an edit")
        listed = [(uri, edits) for uri, edits in changes.items()]
        for change in _dicts(answer.get("documentChanges")):
            if "kind" in change:
                raise _refusal(self.name, "files would have to be renamed with it")
            document = change.get("textDocument")
            uri = document.get("uri") if isinstance(document, dict) else None
            listed.append((uri, change.get("edits")))
        if sum(len(_dicts(edits)) for _, edits in listed) > _MAX_EDITS:
            raise ServerFailed("answered more edits than a rename has")
        for uri, edits in listed:
            for each in _dicts(edits):
                yield self._edit(uri, each)

    def _edit(self, uri: Any, given: dict[str, Any]) -> ServerEdit:
        path = self.texts.path_of(uri) if isinstance(uri, str) else None
        if path is None:
            raise _refusal(self.name, f"a file outside of the workspace refers to it: {uri}")
        span = given.get("range")
        ends = [span.get(name) if isinstance(span, dict) else None for name in ("start", "end")]
        start, end = (
            self.texts.offset(path, each.get("line"), each.get("character"))
            if isinstance(each, dict)
            else -1
            for each in ends
        )
        text = given.get("newText", "")
        if not 0 <= start <= end or not isinstance(text, str):
            raise ServerFailed("answered what is not an edit")
        return ServerEdit(path, start, end, text)

    def _wait_for_published(self, path: WorkspacePath) -> Any:
        """Wait for the problems of the text that was shown last."""
        while True:
            version, items = self._published.get(path, (None, []))
            if path in self._published and version in (None, self._versions[path]):
                return items
            self._handle(self._wire.receive(self.ends))

    def _wait_until_read(self) -> None:
        """Wait while the server reports that it reads the project."""
        if not self._row.reading or self._was_busy:
            return
        quiet = time.monotonic() + _SETTLED
        while True:
            try:
                self._handle(self._wire.receive(self.ends if self._progress else quiet))
            except ServerFailed:
                if self._progress or time.monotonic() < quiet:
                    raise
                self._was_busy = True
                return
            if self._progress:
                title = next(iter(self._progress.values()))
                self.waiting(f"{self.name} reads the project: {title}")
            quiet = time.monotonic() + _SETTLED

    def _request(self, method: str, params: Any) -> Any:
        self._last += 1
        sent = {"jsonrpc": "2.0", "id": self._last, "method": method}
        self._wire.send(sent if params is None else {**sent, "params": params})
        while True:
            message = self._wire.receive(self.ends)
            if "method" in message:
                self._handle(message)
            elif message.get("id") == self._last:
                error = message.get("error")
                if error is not None:
                    said = error.get("message") if isinstance(error, dict) else error
                    raise _refusal(self.name, str(said))
                return message.get("result")

    def _notify(self, method: str, params: Any) -> None:
        sent = {"jsonrpc": "2.0", "method": method}
        self._wire.send(sent if params is None else {**sent, "params": params})

    def _handle(self, message: dict[str, Any]) -> None:
        """Note what the server says by itself, and answer what it asks."""
        method, params = message.get("method"), message.get("params")
        given = params if isinstance(params, dict) else {}
        if method == "textDocument/publishDiagnostics":
            path = self.texts.path_of(str(given.get("uri")))
            if path is not None:
                self._published[path] = given.get("version"), given.get("diagnostics") or []
        elif method == "$/progress":
            self._note_progress(str(given.get("token")), given.get("value"))
        if "id" in message and method is not None:
            items = _dicts(given.get("items"))
            result = [self._row.settings.get(str(each.get("section"))) for each in items]
            answer = {"jsonrpc": "2.0", "id": message["id"]}
            is_asked = method == "workspace/configuration"
            self._wire.send({**answer, "result": result if is_asked else None})

    def _note_progress(self, token: str, value: Any) -> None:
        kind = value.get("kind") if isinstance(value, dict) else None
        if kind == "begin" and str(value.get("title")).startswith(self._row.reading or ("",)):
            self._progress[token] = str(value.get("title"))
        elif kind == "end":
            self._progress.pop(token, None)


class TsserverSession:
    """The server of TypeScript 5, which has a protocol of its own."""

    name = "typescript"

    def __init__(self, wire: Wire, roots: Sequence[Root]) -> None:
        self.ends = 0.0
        self.waiting: Callable[[str], None] = _ignore
        self._wire = wire
        self.texts = Texts(roots)
        self._last = 0

    def start(self, roots: Sequence[Root]) -> None:  # noqa: ARG002 - one shape for all sessions
        """Say which edits we can take."""
        preferences = {"providePrefixAndSuffixTextForRename": True}
        given = {"hostInfo": "redline", "preferences": preferences}
        self._request("configure", given)
        self._request("compilerOptionsForInferredProjects", {"options": _INFERRED})

    def changed_on_disk(self, files: Mapping[str, FileEvent]) -> None:
        """Have all projects read again, and show those files again that are open."""
        gone, texts = self.texts.look_again()
        if gone:
            closed = [self.texts.file(path) for path in gone]
            self._request("updateOpen", {"closedFiles": closed})
        if files:
            self._send("reloadProjects", {})
        self.show(texts)

    def show(self, texts: Mapping[WorkspacePath, str]) -> None:
        """Show the server files with these texts."""
        opened, changed = [], []
        for path, text in texts.items():
            known, file = self.texts.shown.get(path), self.texts.file(path)
            if known == text:
                continue
            if known is None:
                root = self.texts.file(WorkspacePath(path.root, ()))
                opened.append({"file": file, "fileContent": text, "projectRootPath": root})
            else:
                whole = {"start": {"line": 1, "offset": 1}, "end": self._place(path, len(known))}
                changed.append({"fileName": file, "textChanges": [{**whole, "newText": text}]})
            self.texts.put(path, text)
        if opened or changed:
            self._request("updateOpen", {"openFiles": opened, "changedFiles": changed})

    def rename(self, path: WorkspacePath, start: int, new_name: str) -> list[ServerEdit]:
        """Return the edits of a rename."""
        answer = self._request("rename", self._at(path, start))
        info = answer.get("info") if isinstance(answer, dict) else None
        if not isinstance(info, dict):
            raise ServerFailed("answered what is not a rename")
        if not info.get("canRename"):
            raise _refusal(self.name, str(info.get("localizedErrorMessage")))
        found = [
            self._edit(group.get("file"), each, new_name)
            for group in _dicts(answer.get("locs"))
            for each in _dicts(group.get("locs"))
        ]
        if len(found) > _MAX_EDITS:
            raise ServerFailed("answered more edits than a rename has")
        return found

    def find(self, path: WorkspacePath, start: int, what: str) -> list[ServerEdit]:
        """Return the spans of references or definitions of the symbol at an offset."""
        answer = self._request(what, self._at(path, start))
        listed = _dicts(answer.get("refs") if isinstance(answer, dict) else answer)
        inside = [each for each in listed if self.texts.path_of(str(each.get("file"))) is not None]
        found = [self._edit(each.get("file"), each, "") for each in inside]
        return found + [OUTSIDE] * (what == "definition" and len(listed) > len(found))

    def problems(self, paths: Sequence[WorkspacePath]) -> list[CheckerProblem] | None:
        """Return what the compiler reports for files that it was shown."""
        found: list[CheckerProblem] = []
        for path in paths:
            file = self.texts.file(path)
            for command in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync"):
                for each in _dicts(self._request(command, {"file": file})):
                    if each.get("category") == "error":
                        edit = self._edit(file, each, "")
                        text = f"{each.get('code')} {each.get('text')}"
                        found.append(CheckerProblem(path, edit.start, edit.end, text))
        return found

    def stop(self) -> None:
        """Say goodbye."""
        self._send("exit", {})

    def _place(self, path: WorkspacePath, offset: int) -> dict[str, int]:
        line, column = self.texts.position(path, offset)
        return {"line": line + 1, "offset": column + 1}

    def _at(self, path: WorkspacePath, start: int) -> dict[str, Any]:
        return {"file": self.texts.file(path), **self._place(path, start)}

    def _edit(self, file: Any, given: dict[str, Any], new_name: str) -> ServerEdit:
        path = self.texts.path_of(file) if isinstance(file, str) else None
        if path is None:
            raise _refusal(self.name, f"a file outside of the workspace refers to it: {file}")
        start, end = (self._offset(path, given.get(name)) for name in ("start", "end"))
        before, after = given.get("prefixText") or "", given.get("suffixText") or ""
        if start > end or not isinstance(before, str) or not isinstance(after, str):
            raise ServerFailed("answered what is not an edit")
        return ServerEdit(path, start, end, f"{before}{new_name}{after}")

    def _offset(self, path: WorkspacePath, place: Any) -> int:
        line = place.get("line") if isinstance(place, dict) else None
        column = place.get("offset") if isinstance(place, dict) else None
        if type(line) is not int or type(column) is not int:
            raise ServerFailed("answered what is not a place")
        return self.texts.offset(path, line - 1, column - 1)

    def _send(self, command: str, arguments: dict[str, Any]) -> None:
        self._last += 1
        sent = {"seq": self._last, "type": "request", "command": command, "arguments": arguments}
        self._wire.send(sent, as_line=True)

    def _request(self, command: str, arguments: dict[str, Any]) -> Any:
        self._send(command, arguments)
        while True:
            message = self._wire.receive(self.ends)
            if message.get("event") == "projectLoadingStart":
                self.waiting(f"{self.name} reads the project")
            if message.get("request_seq") == self._last and message.get("type") == "response":
                if not message.get("success"):
                    raise _refusal(self.name, str(message.get("message"))[:400])
                return message.get("body")


Session = LspSession | TsserverSession


def _ignore(_: str) -> None:
    """Drop what a server says that it waits for."""


def _dicts(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ServerFailed("answered what is not a list")
    return value


def _language_id(path: WorkspacePath) -> str:
    suffix = path.name.rpartition(".")[2].lower()
    return _LANGUAGE_IDS.get(suffix, suffix)


def _refusal(name: str, why: str) -> CannotApply:
    return CannotApply(f"{name} does not rename it: {why}", hint="rename it with edit or rewrite")
