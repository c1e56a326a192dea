"""`redline serve`: the MCP server, over HTTP on loopback or over stdio."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from redline.cli.flags import add_settings, add_workspace_flags, report_usage_error, settings_from
from redline.settings import Settings, SettingsError, read_sandbox_profile

if TYPE_CHECKING:
    import argparse

    from redline.server.calls.tool_server import ToolServer
    from redline.wiring.workspace import Redline

_TOOL_FLAGS = {
    "--tools LIST": "agent (default), all, or of coding,files,code,json,yaml,docs,history",
    "--read-only": "no tool that changes anything; overrides everything else",
    "--structured": "agent: send structuredContent and output schemas too, for programs",
    "--tool-names HOW": "auto, original (dots kept) or portable (dots become underscores)",
    "--errors HOW": "auto, or result: report failures as results that models can see",
    "--protocol DATE": "newest MCP revision to agree to",
    "--strict-syntax": "refuse edits that break a file's syntax",
    "--check": "agent: run the project's formatters and checkers on each change",
    "--llm NAME": "ollama:MODEL, openai:MODEL, ... or off",
    "--sessions URL": "where to store previews: memory, sqlite:FILE or redis://...",
}
_HISTORY_FLAGS = {
    "--history-days N": "how long changes can be undone",
    "--history-size SIZE": "how much history to keep, for example 1G",
    "--policy FILE": "rules about changes (default: policy.toml in the configuration directory)",
    "--sandbox MODE": "for commands: safe (default), trusted or dangerous",
}


def read_plainly(arguments: Sequence[str]) -> SimpleNamespace | None:
    """Return what argparse would for a server over stdio with plain flags: exact names, each once.

    None for anything else: then argparse reads it, or says what is wrong. It is not needed for what
    clients write into their settings, and loading it takes longer than listing all tools.
    """
    known: dict[str, Any] = {"--stdio": True, "--no-record": False, "--workspace": None}
    for flag in (*_TOOL_FLAGS, *_HISTORY_FLAGS, "--state-dir DIR", "--config FILE"):
        name, _, value = flag.partition(" ")
        known[name] = None if value else True
    given: dict[str, Any] = {}
    words = iter(arguments)
    for word in words:
        name = word[2:].replace("-", "_").removeprefix("no_")
        if word not in known or name in given:
            return None
        value = known[word]
        given[name] = next(words, "-") if value is None else value
        if str(given[name]).startswith("-"):
            return None
    absent = dict.fromkeys(("http", "host", "directories", "sandbox_profile"))
    return SimpleNamespace(**absent, **given) if "stdio" in given else None


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    where = parser.add_argument_group("transport")
    where.add_argument(
        "--stdio", action="store_true", help="serve one client over stdin and stdout"
    )
    where.add_argument(
        "--http", metavar="HOST:PORT", help="address to listen on (default: 127.0.0.1:8000)"
    )
    where.add_argument("--host", help="the host part of --http")
    where.add_argument("--port", type=int, help="the port part of --http; 0 picks a free one")
    add_workspace_flags(parser)
    _add_tool_flags(parser)
    _add_http_flags(parser)
    _add_compatibility_flags(parser)
    parser.epilog = (
        "Every flag can also be set in the environment (REDLINE_TOOLS, REDLINE_READ_ONLY, ...)\n"
        "or in the config file. Exit codes: 0 the client disconnected or SIGTERM, 1 the server\n"
        "could not start, 2 a flag or setting is wrong."
    )


def _add_tool_flags(parser: argparse.ArgumentParser) -> None:
    tools = parser.add_argument_group("tools")
    add_settings(tools, _TOOL_FLAGS)
    tools.add_argument(
        "--no-record",
        dest="record",
        action="store_const",
        const=False,
        help="do not record what other programs change (see redline watch)",
    )
    add_settings(tools, _HISTORY_FLAGS)
    tools.add_argument(
        "--allow-domain",
        metavar="NAME",
        dest="allow_domains",
        action="append",
        help="a host that commands in safe mode reach through a proxy: example.org,"
        " *.example.org, example.org:8443, or mirror.corp=private for a host of a private network"
        " (repeatable)",
    )


def _add_http_flags(parser: argparse.ArgumentParser) -> None:
    http = parser.add_argument_group("HTTP")
    add_settings(
        http,
        {
            "--workspaces DIR|FILE": "serve many: each directory of DIR, or those a TOML FILE"
            " lists, at /w/NAME/mcp",
            "--workspace-idle SECONDS": "close one of many workspaces after (default: 600)",
            "--max-open N": "how many of many are open at once (default: 64)",
            "--park-after-days DAYS": "park one of many workspaces after so many days without a"
            " call (default: never)",
            "--park-to URL": "where it is parked: each at URL/NAME, such as s3://bucket/idle",
            "--park-trust LIST": "keys of other servers whose parked workspaces are woken (see"
            " redline workspace key)",
            "--shared URL": "redis://HOST:PORT/DB: servers that name the same one work as one"
            " (extra teams)",
            "--reachable-at URL": "where those servers reach this one (default: the address of"
            " --http)",
            "--auth-token TEXT": "bearer token that clients must send; prefer REDLINE_AUTH_TOKEN",
            "--oauth-issuer URL": "accept this issuer's access tokens (extra oauth)",
            "--oauth-audience URL": "URL of this server in access tokens",
            "--oauth-name-claim CLAIM": "what names the person there (default: sub)",
            "--users FILE": "people, their tokens and rights (see redline token)",
            "--allowed-hosts LIST": "other Host headers to accept, exactly",
            "--allowed-origins LIST": "other Origin headers to accept, exactly",
            "--max-body SIZE": "largest request (default: 1M)",
            "--receive-timeout SECONDS": "time to send a request (default: 30)",
            "--max-connections N": "maximum open connections (default: 256)",
            "--max-sessions N": "maximum open sessions (default: 100)",
            "--session-idle SECONDS": "end idle sessions after (default: 1800)",
            "--rate-limit N": "requests per second and client; 0 for no limit",
            "--max-calls N": "concurrent calls per client, others wait (default: 16)",
            "--otel": "an OpenTelemetry span per call, to OTEL_EXPORTER_OTLP_ENDPOINT (extra otel)",
            "--audit-log FILE": "write audit lines there instead of stderr",
        },
    )


def _add_compatibility_flags(parser: argparse.ArgumentParser) -> None:
    from argparse import SUPPRESS

    other = parser.add_argument_group("compatibility")
    other.add_argument(
        "--sandbox-profile", metavar="FILE", help="JSON with read_write and read_only directories"
    )
    other.add_argument("--mcp-server", action="store_true", help=SUPPRESS)
    other.add_argument(
        "--enable-view-image",
        dest="view_image",
        action="store_true",
        default=None,
        help=SUPPRESS,
    )
    other.add_argument(
        "--dangerously-skip-all-permissions",
        dest="sandbox",
        action="store_const",
        const="dangerous",
        help=SUPPRESS,
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the client disconnects or a signal arrives."""
    from redline.server.calls.catalog import CatalogError
    from redline.wiring.command_line import refuse_changed_modules

    try:
        settings = _settings(args)
        refuse_changed_modules()
        if settings.workspaces is not None or settings.shared is not None:
            return _serve_many(args, settings)
        redline, server = _build(settings)
        gc.freeze()  # what was loaded to start stays
    except (SettingsError, CatalogError) as failure:
        return report_usage_error(failure)
    except OSError as failure:
        from redline.cli.terminal import NO_DIRECTORY, fail, is_directory_gone

        fail(*NO_DIRECTORY if is_directory_gone() else (str(failure),))
        return 1
    finally:
        gc.enable()

    def start_recording(address: str) -> None:
        redline.served_at = address
        if settings.record and not settings.read_only:
            redline.record_soon()

    try:
        if args.stdio:
            start_recording("stdio")
            return _serve_stdio(redline, server, settings)
        from redline.cli.commands.server.serve_http import serve

        if sys.stderr is not None and sys.stderr.isatty():
            from redline.cli.commands.server.terminal_log import ActivityLines

            server.observers.append(ActivityLines(redline).observe)
        return serve(server, redline, settings, start_recording)
    finally:
        redline.close()


def _serve_many(args: argparse.Namespace, settings: Settings) -> int:
    """Serve many workspaces, or one that several servers share."""
    if args.stdio:
        flag = "--shared" if settings.workspaces is None else "--workspaces"
        raise SettingsError(f"{flag} is served over HTTP; over stdio serve one --workspace")
    gc.enable()
    if settings.workspaces is None:
        from redline.teams.commands.serve_group import serve_group

        return serve_group(settings, lambda: _build(settings))
    from redline.teams.commands.serve_many import serve_many

    return serve_many(settings)


def _settings(args: argparse.Namespace) -> Settings:
    if args.http is not None:
        host, _, port = args.http.rpartition(":")
        if not host or not port.isdigit():
            raise SettingsError(f"--http takes HOST:PORT, got {args.http}")
        args.host, args.port = host.strip("[]"), int(port)
    if args.sandbox_profile is not None:
        given = list(args.directories or [])
        args.directories = [*given, *read_sandbox_profile(args.sandbox_profile)]
    if args.stdio:
        args.host = None
    return settings_from(args)


def _build(settings: Settings) -> tuple[Redline, ToolServer]:
    from redline.server.calls.catalog import choose_catalogs
    from redline.server.calls.tool_server import ToolServer
    from redline.server.observe.audit import Audit
    from redline.server.observe.log import to_stderr
    from redline.wiring.workspace import Redline

    redline = Redline(settings)
    redline.require_own_files()
    without = () if settings.view_image else ("view_image",)
    # A module with another TOOLSET, for tests of the protocol on the real server.
    fixtures = os.environ.get("REDLINE_TEST_TOOLSET")
    extra = {"fixtures": fixtures} if fixtures else {}
    catalogs = choose_catalogs(
        settings.tools,
        extra,
        read_only=settings.read_only,
        tool_names=settings.tool_names,
        without=without,
        structured=settings.structured,
    )
    sink: Any = redline.audit_sink() if settings.audit_log else to_stderr
    server = ToolServer(
        catalogs.chosen,
        redline,
        catalogs=catalogs,
        errors=settings.errors,
        trace=to_stderr if settings.trace else None,
        audit=Audit(sink, is_kept=bool(settings.audit_log)),
    )
    if settings.otel:
        server.watchers.append(_spans(redline))
    return redline, server


def _spans(redline: Redline) -> Any:
    from redline._version import __version__
    from redline.server.observe.spans import SpansUnavailable, otlp_provider, span_watch

    try:
        provider = otlp_provider(__version__)
    except SpansUnavailable as failure:
        raise SettingsError(str(failure)) from None
    redline.at_close(provider.shutdown)
    return span_watch(provider)


def _serve_stdio(redline: Redline, server: ToolServer, settings: Settings) -> int:
    from redline.server.stdio import serve_stdio

    reader, writer = redline.claim_std_streams()
    return serve_stdio(server, reader, writer, cap=settings.protocol)
