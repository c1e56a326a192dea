"""`redline serve` over HTTP: start it, and tell a person how to connect."""

from __future__ import annotations

import os

from redline.cli.terminal import displayed, err, program
from redline.server.calls.dispatch import Dispatch
from redline.server.http.options import HttpOptions
from redline.settings import Settings


def serve(dispatch: Dispatch, settings: Settings, instructions: str) -> int:
    """Serve over HTTP until a signal comes."""
    from redline.server.http.serve import serve_http

    options = HttpOptions(
        host=settings.host,
        port=settings.port,
        auth_token=settings.auth_token,
        oauth_issuer=settings.oauth_issuer,
        oauth_audience=settings.oauth_audience,
        allowed_hosts=settings.allowed_hosts,
        allowed_origins=settings.allowed_origins,
        max_body=settings.max_body,
        receive_timeout=settings.receive_timeout,
        max_connections=settings.max_connections,
        max_sessions=settings.max_sessions,
        session_idle=settings.session_idle,
        rate_limit=settings.rate_limit,
        max_calls=settings.max_calls,
        protocol=settings.protocol,
        instructions=instructions,
    )

    def announce(host: str, port: int) -> None:
        print(displayed(banner(dispatch, settings, host, port)), flush=True)

    try:
        return serve_http(dispatch, options, announce)
    except OSError as failure:
        where = f"{settings.host}:{settings.port}"
        err(f"redline: cannot listen on {where}: {failure.strerror}")
        err("hint: choose another with --port, or --port 0 for any")
        return 1


def banner(dispatch: Dispatch, settings: Settings, host: str, port: int) -> str:
    """What a person needs to know to connect a client."""
    url = f"http://{_reachable(host)}:{port}/mcp"
    root = os.path.abspath(settings.roots[0][0]) if settings.roots else "(none)"
    lines = [
        f"Redline serves {root}",
        "",
        f"  URL      {url}",
        f"  access   {_access(settings)}",
        f"  history  {_history_place(settings)}",
        "  tools    " + _tool_lines(dispatch),
        "",
        "Connect a client:",
        *_client_lines(url, has_token=bool(settings.auth_token)),
        f"  Claude Desktop and others over stdio:  {program()} config claude-desktop",
        "",
        f"Ctrl-C stops. Take changes back with: {program()} log, {program()} undo",
    ]
    return "\n".join(lines)


def _reachable(host: str) -> str:
    """A name this machine reaches *host* by; others use the machine's own."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _client_lines(url: str, *, has_token: bool) -> list[str]:
    """The command or entry of each client; with the token as the shell knows it."""
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
    if settings.oauth_issuer:
        who = f"access tokens of {settings.oauth_issuer}"
    elif settings.auth_token:
        who = "bearer token"
    else:
        who = "this machine only"
    return f"{who}, {'read-only' if settings.read_only else 'read and write'}"


def _history_place(settings: Settings) -> str:
    if settings.state_dir:
        return os.path.abspath(settings.state_dir)
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return f"{base}/redline"


def _tool_lines(dispatch: Dispatch) -> str:
    listed = set(dispatch.catalog.names)
    rows = []
    for dialect in dispatch.catalog.dialects:
        names = [tool.name for tool in dialect.tools if tool.name in listed]
        if names:
            rows.append(f"{dialect.name}: {', '.join(names)}")
    return "\n           ".join(rows)
