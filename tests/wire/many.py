"""A server of many workspaces, and people who call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from redline.teams.people.users import digest
from tests.wire.client import HttpClient

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}
KIND = {"Content-Type": "application/x-www-form-urlencoded"}
BASE = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def write_people(path: Path, people: dict[str, tuple[list[str], dict[str, list[str]]]]) -> None:
    """A users file: rights everywhere, and rights in some workspaces instead."""
    parts = []
    for name, (rights, elsewhere) in people.items():
        parts.append(f"[users.{name}]\nrights = {json.dumps(rights)}\n[users.{name}.workspaces]\n")
        parts += [f"{where} = {json.dumps(given)}\n" for where, given in elsewhere.items()]
        for kind, more in (("token", ""), ("page", "page = true\n")):
            secret = digest(f"{kind}-of-{name}")
            parts.append(
                f'[[users.{name}.tokens]]\nid = "{kind}-{name}"\nsha256 = "{secret}"\n{more}'
            )
    path.write_text("".join(parts))


class Site:
    """What somebody does at a server of many workspaces."""

    def __init__(self, client: HttpClient, base: Path) -> None:
        self.client, self.base = client, base

    def ask(
        self, who: str, workspace: str, method: str, *, able: bool = False, **params: Any
    ) -> tuple[int, Any]:
        """One request of the stateless era."""
        meta = dict(META)
        if able:
            meta["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = {**BASE, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if who:
            headers["Authorization"] = f"Bearer token-of-{who}"
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        body = json.dumps(message).encode()
        status, _, data = self.client.fetch("POST", f"/w/{workspace}/mcp", body, headers)
        return status, json.loads(data) if data else None

    def call(self, who: str, workspace: str, tool: str, **arguments: Any) -> Any:
        """The result of a call, or its error."""
        reply = self.ask(who, workspace, "tools/call", name=tool, arguments=arguments)[1]
        return reply.get("result", reply)

    def sign_in(self, who: str) -> dict[str, str]:
        """The headers of somebody who signed in."""
        body = urlencode({"key": f"page-of-{who}"}).encode()
        status, headers, token = self.client.fetch("POST", "/sign-in", body, KIND)
        assert status == 200, who
        cookie = headers["set-cookie"].partition(";")[0]
        return {"Cookie": cookie, "X-Redline-Token": token.decode()}

    def get(self, visit: dict[str, str], path: str) -> tuple[int, str]:
        found = self.client.fetch("GET", path, None, visit)
        return found[0], found[2].decode()

    def post(self, visit: dict[str, str], path: str, **form: str) -> tuple[int, str]:
        """Send a form."""
        body = urlencode(form).encode()
        found = self.client.fetch("POST", path, body, {**KIND, **visit})
        return found[0], found[1].get("location", found[2].decode())
