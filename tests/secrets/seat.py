"""A workspace with servers of several toolsets, called in this process as a client would."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.server.calls.dispatch import Context, Dispatch
from redline.server.calls.tool_server import ToolServer
from redline.settings import Settings
from redline.toolsets.call import RpcFailure
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline

MASK = re.compile(r"«secret:[A-Za-z0-9_.-]+:[0-9a-f]+»")
# As much of a secret as an answer may show: less is no use, and any text has it by chance.
LEAST_SEEN = 12


class Seat:
    """Calls the tools of a new workspace."""

    def __init__(self, folder: Path, session: str = "one", **settings: Any) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(parents=True, exist_ok=True)
        given = {"workspace": str(self.folder), "state_dir": str(folder / "state"), **settings}
        self.redline = Redline(Settings(**given))
        self._dispatches: dict[str, Dispatch] = {}
        self._client = Client(name="test", session=session)

    def call(self, tool: str, *, toolset: str = "agent", **arguments: Any) -> str:
        """Return everything that a call is answered with, as one text."""
        outcome = self.outcome(tool, arguments, toolset)
        if isinstance(outcome, RpcFailure):
            return f"{outcome.message}\n{json.dumps(outcome.data, ensure_ascii=False)}"
        return "\n".join(texts_in(outcome))

    def outcome(self, tool: str, arguments: dict[str, Any], toolset: str = "agent") -> Any:
        """Return the outcome of a call whose request is as raw as it would be on the wire."""
        if toolset not in self._dispatches:
            server = ToolServer(Catalog(load_toolsets([toolset])), self.redline)
            self._dispatches[toolset] = server.dispatch
        params = {"name": tool, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        raw = json.dumps(request).encode()
        context = Context(self._client, request_id="1", raw=raw)
        return self._dispatches[toolset].call(json.loads(raw)["params"], context)

    def read(self, name: str) -> str:
        """Return what a file holds."""
        return (self.folder / name).read_bytes().decode()

    def write(self, name: str, content: str) -> None:
        """Write a file as a person would."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())

    def close(self) -> None:
        """End what runs."""
        self.redline.close()


def texts_in(value: Any) -> list[str]:
    """Return every text in plain data."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in (str(key), *texts_in(each))]
    return [text for each in value for text in texts_in(each)] if isinstance(value, list) else []


def is_seen(part: str, answer: str) -> bool:
    """Whether an answer shows as much of a secret's part as counts, also encoded."""
    plain = MASK.sub("\0", answer)
    forms = [part, part.encode().hex()]
    import base64

    for before in range(3):
        shown = base64.b64encode(bytes(before) + part.encode()).decode()
        forms.append(shown[-(-before * 8 // 6) : (before + len(part)) * 8 // 6])
    packed = re.sub(r"\n", "", plain)
    hexes = "".join(_dump_columns(plain))
    return any(
        form[at : at + LEAST_SEEN * (2 if number == 1 else 1)] in text
        for number, form in enumerate(forms)
        for text in ((plain, packed, hexes) if number else (plain,))
        for at in range(max(1, len(form) - LEAST_SEEN * (2 if number == 1 else 1) + 1))
    )


def _dump_columns(text: str) -> Sequence[str]:
    found = []
    for line in text.splitlines():
        match = re.match(r"[0-9a-f]{8}:?\s+([0-9a-f \0]+?)  ", line)
        if match:
            found.append(match[1].replace(" ", ""))
    return found
