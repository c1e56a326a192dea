"""`redline serve` over HTTP: start it, and print how to connect."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from redline.cli.terminal import err, fail, program
from redline.server.calls.tool_server import ToolServer
from redline.settings import Settings
from redline.wiring.workspace import Redline

if TYPE_CHECKING:
    from redline.server.http.auth import UsersSource


def serve(
    server: ToolServer, redline: Redline, settings: Settings, on_listening: Callable[[str], None]
) -> int:
    """Serve over HTTP until a signal arrives; *on_listening* is called with the address."""
    from redline.server.http.serve import serve_http

    pages = redline.review_pages()

    def announce(host: str, port: int) -> None:
        on_listening(f"http://{_reachable(host)}:{port}/mcp")
        # Standard output stays empty; a closed standard error is no reason not to serve.
        with suppress(OSError, ValueError):
            err(banner(server, settings, host, port, pages.key if pages else ""))

    try:
        return serve_http(server, settings, announce, pages, _open_users(settings))
    except OSError as failure:
        return report_not_listening(settings, failure)


def _open_users(settings: Settings) -> UsersSource | None:
    if settings.users is None:
        return None
    from redline.teams.people.users_file import open_users

    return open_users(settings)


def report_not_listening(settings: Settings, failure: OSError) -> int:
    """Say why the server does not listen, and return its exit code."""
    fail(
        f"Cannot listen on {settings.host}:{settings.port}: {failure.strerror}",
        "choose another with --port, or --port 0 for any",
    )
    return 1


def banner(server: ToolServer, settings: Settings, host: str, port: int, key: str) -> str:
    """Return what a person needs to connect a client, and to review what it does."""
    page = f"http://{_reachable(host)}:{port}/"
    url = f"{page}mcp"
    root = os.path.abspath(settings.roots[0][0]) if settings.roots else "(none)"
    lines = [
        f"Redline serves {root}",
        "",
        f"  URL      {url}",
        *([f"  review   {page}#key={key}"] if key else ()),
        f"  access   {_access(settings)}",
        f"  history  {_history_directory(settings)}",
        "  tools    " + _tool_lines(server),
        *_address_lines(server, url),
        "",
        "Connect a client:",
        *_client_lines(url, has_token=bool(settings.auth_token or settings.users)),
        f"  Claude Desktop and others over stdio:  {program()} config claude-desktop",
        "",
        f"Ctrl-C stops. Undo changes with: {program()} log, {program()} undo",
    ]
    return "\n".join(lines)


def _address_lines(server: ToolServer, url: str) -> list[str]:
    """Return the address of each toolset that is served beside the chosen one."""
    names = server.toolsets_beside
    if not names:
        return []
    from redline.server.calls.catalog import load_toolsets

    texts = {"all": "All of these but agent, together"}
    for toolset in load_toolsets(["agent", "all"]):
        texts[toolset.name] = f"{toolset.title} ({len(toolset.tools)} tools)"
    rows = [f"  {url}/{name:<8}  {texts[name]}" for name in names]
    return ["", "Each toolset by itself:", *rows]


def _reachable(host: str) -> str:
    """Return a host name under which this machine reaches *host*."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _client_lines(url: str, *, has_token: bool) -> list[str]:
    """Return the command or entry for each client, with the token as a shell variable."""
    bearer = "Authorization: Bearer $REDLINE_AUTH_TOKEN"
    header = f' --header "{bearer}"' if has_token else ""
    variable = " --bearer-token-env-var REDLINE_AUTH_TOKEN" if has_token else ""
    entry = f'"url": "{url}"'
    if has_token:
        entry += ', "headers": {"Authorization": "Bearer TOKEN"}'
    return [
        f"  Claude Code   claude mcp add --transport http redline {url}{header}",
        f"  Codex         codex mcp add redline --url {url}{variable}",
        f"  Gemini        gemini mcp add --transport http redline {url}{header}",
        f'  Cursor        "redline": {{{entry}}}    in .cursor/mcp.json',
        f'  VS Code       "redline": {{"type": "http", {entry}}}    in .vscode/mcp.json',
    ]


def _access(settings: Settings) -> str:
    ways = [
        (settings.users, f"tokens of the people in {settings.users}"),
        (settings.oauth_issuer, f"access tokens of {settings.oauth_issuer}"),
        (settings.auth_token, "bearer token"),
    ]
    who = " or ".join(text for way, text in ways if way) or "this machine only"
    return f"{who}, {'read-only' if settings.read_only else 'read and write'}"


def _history_directory(settings: Settings) -> str:
    if settings.state_dir:
        return os.path.abspath(settings.state_dir)
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return f"{base}/redline"


def _tool_lines(server: ToolServer) -> str:
    listed = set(server.catalog.names)
    rows = []
    for toolset in server.catalog.toolsets:
        names = [tool.name for tool in toolset.tools if tool.name in listed]
        if names:
            rows.append(f"{toolset.name}: {', '.join(names)}")
    return "\n           ".join(rows)
