"""Where each MCP client keeps its servers, and how an entry looks there."""

from __future__ import annotations

import os
import sys
from typing import Any

from redline.core.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """One client's configuration file: `key` is the table that holds servers by name.

    `url_key` names the address of a server over HTTP, empty where the file cannot have one.
    `folder` is how entries of this client name the project that is open, which is `here`; empty
    where the client knows no variable for it.
    """

    name: str
    title: str
    file: str
    key: str
    format: str = "json"
    typed: bool = False
    command: tuple[str, ...] = ()
    url_key: str = "url"
    url_typed: bool = False
    folder: str = ""
    here: str = ""
    # What the person must do once before the client starts the server.
    trust: str = ""
    headers_key: str = "headers"
    # What else an entry says, for example that its tools are always in the model's view.
    more: tuple[tuple[str, Any], ...] = ()

    def entry(self, argv: list[str]) -> dict[str, Any]:
        """Return the server entry that starts Redline with *argv*."""
        kind = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": argv[0], "args": argv[1:], **dict(self.more)}

    def http_entry(self, url: str, token: str | None = None) -> dict[str, Any]:
        """Return the server entry for a Redline that listens at *url*."""
        kind = {"type": "http"} if self.url_typed else {}
        sent = {self.headers_key: {"Authorization": f"Bearer {token}"}} if token else {}
        return {**kind, self.url_key: url, **sent, **dict(self.more)}


def known_clients(workspace: str) -> dict[str, ClientConfig]:
    """Return every client that `redline config` knows, for this person and *workspace*."""
    home = os.path.expanduser("~")
    here = os.path.abspath(workspace)
    found = (
        ClientConfig(
            "claude-desktop", "Claude Desktop", _claude_desktop(home), "mcpServers", url_key=""
        ),
        ClientConfig(
            "claude-code",
            "Claude Code",
            os.path.join(here, ".mcp.json"),
            "mcpServers",
            command=("claude", "mcp", "add", "NAME", "--"),
            url_typed=True,
            # Only plugins have the variable for certain; servers start in the project.
            folder="${CLAUDE_PROJECT_DIR:-.}",
            trust="Claude Code asks once, when you start it here; check with: claude mcp list",
            # Without it the model sees a tool only after it has searched for it.
            more=(("alwaysLoad", True),),
        ),
        ClientConfig(
            "codex",
            "Codex",
            os.path.join(here, ".codex", "config.toml"),
            "mcp_servers",
            format="toml",
            # `codex mcp add` writes for all projects, so it is not offered for one.
            trust="Codex asks whether you trust the project; type /hooks there to allow the hooks",
            headers_key="http_headers",
        ),
        ClientConfig(
            "cursor",
            "Cursor",
            os.path.join(here, ".cursor", "mcp.json"),
            "mcpServers",
            folder="${workspaceFolder}",
            trust="Cursor: turn redline on once under Settings, MCP",
        ),
        ClientConfig(
            "vscode",
            "VS Code",
            os.path.join(here, ".vscode", "mcp.json"),
            "servers",
            typed=True,
            url_typed=True,
            folder="${workspaceFolder}",
            trust="VS Code asks once whether you trust the server",
        ),
        ClientConfig(
            "windsurf",
            "Windsurf",
            os.path.join(home, ".codeium", "windsurf", "mcp_config.json"),
            "mcpServers",
            url_key="serverUrl",
        ),
        ClientConfig(
            "gemini",
            "Gemini CLI",
            os.path.join(here, ".gemini", "settings.json"),
            "mcpServers",
            command=("gemini", "mcp", "add", "NAME"),
            url_key="httpUrl",
            trust="Gemini CLI starts it in folders that you trust; it asks when you start it there",
        ),
    )
    return {client.name: replace(client, here=here) for client in found}


def _claude_desktop(home: str) -> str:
    name = "claude_desktop_config.json"
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "Claude", name)
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA", home), "Claude", name)
    return os.path.join(os.environ.get("XDG_CONFIG_HOME", f"{home}/.config"), "Claude", name)
