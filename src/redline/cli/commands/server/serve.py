"""`redline serve`: the MCP server, over HTTP on loopback or over stdio."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from redline.cli.flags import add_workspace_flags, complain, settings_from
from redline.settings import Settings, SettingsError, read_sandbox_profile

if TYPE_CHECKING:
    from redline.app import Redline
    from redline.server.calls.dispatch import Dispatch


def configure(parser: argparse.ArgumentParser) -> None:
    """The flags of `serve`."""
    where = parser.add_argument_group("transport")
    where.add_argument("--stdio", action="store_true", help="speak over stdin and stdout")
    where.add_argument("--http", metavar="HOST:PORT", help="listen there (default: 127.0.0.1:8000)")
    where.add_argument("--host", help="the host part of --http")
    where.add_argument("--port", type=int, help="the port part of --http; 0 picks a free one")
    add_workspace_flags(parser)
    _add_tool_flags(parser)
    _add_http_flags(parser)
    _add_compatibility_flags(parser)
    parser.epilog = (
        "Every flag can also be set in the environment (REDLINE_TOOLS, REDLINE_READ_ONLY, ...)\n"
        "or in the config file. Exit codes: 0 the client left or SIGTERM came, 1 the server could\n"
        "not start, 2 a flag or setting is wrong."
    )


def _add_tool_flags(parser: argparse.ArgumentParser) -> None:
    tools = parser.add_argument_group("tools")
    tools.add_argument(
        "--tools",
        metavar="LIST",
        help="toolsets, comma separated: coding,files,code,json,yaml,docs,history (default: all)",
    )
    tools.add_argument(
        "--read-only",
        action="store_true",
        default=None,
        help="no tool that changes anything; wins over everything else",
    )
    tools.add_argument(
        "--tool-names",
        metavar="HOW",
        help="auto, seed (dots kept) or portable (dots become underscores)",
    )
    tools.add_argument(
        "--errors", metavar="HOW", help="auto, or result: failures as results models can see"
    )
    tools.add_argument("--protocol", metavar="DATE", help="newest MCP revision to agree to")
    tools.add_argument(
        "--strict-syntax",
        action="store_true",
        default=None,
        help="refuse edits that break a file's syntax",
    )
    tools.add_argument("--llm", metavar="NAME", help="openai:MODEL, anthropic:MODEL, ... or off")
    tools.add_argument(
        "--sessions", metavar="URL", help="where previews wait: memory, sqlite:FILE or redis://..."
    )
    tools.add_argument("--history-days", metavar="N", help="how long changes can be undone")
    tools.add_argument("--history-size", metavar="SIZE", help="how much history to keep, as 1G")
    tools.add_argument(
        "--sandbox", metavar="MODE", help="for commands: safe (default), trusted or dangerous"
    )


def _add_http_flags(parser: argparse.ArgumentParser) -> None:
    http = parser.add_argument_group("HTTP")
    http.add_argument(
        "--auth-token",
        metavar="TEXT",
        help="bearer token clients must send; better set as REDLINE_AUTH_TOKEN",
    )
    http.add_argument("--oauth-issuer", metavar="URL", help="accept this issuer's access tokens")
    http.add_argument("--oauth-audience", metavar="URL", help="our URL, as tokens name it")
    http.add_argument(
        "--allowed-hosts", metavar="LIST", help="further Host headers to accept, exactly"
    )
    http.add_argument(
        "--allowed-origins", metavar="LIST", help="further Origin headers to accept, exactly"
    )
    http.add_argument("--max-body", metavar="SIZE", help="largest request (default: 1M)")
    http.add_argument(
        "--receive-timeout", metavar="SECONDS", help="time to send a request (default: 30)"
    )
    http.add_argument(
        "--max-connections", metavar="N", help="open connections at most (default: 256)"
    )
    http.add_argument("--max-sessions", metavar="N", help="open sessions at most (default: 100)")
    http.add_argument("--session-idle", metavar="SECONDS", help="idle sessions end (default: 1800)")
    http.add_argument(
        "--rate-limit", metavar="N", help="requests per second and client; 0 is no limit"
    )
    http.add_argument(
        "--max-calls", metavar="N", help="calls of a client at once, more wait (default: 16)"
    )
    http.add_argument(
        "--otel",
        action="store_true",
        default=None,
        help="an OpenTelemetry span per call, to OTEL_EXPORTER_OTLP_ENDPOINT (extra otel)",
    )
    http.add_argument("--audit-log", metavar="FILE", help="audit lines go there, not to stderr")


def _add_compatibility_flags(parser: argparse.ArgumentParser) -> None:
    other = parser.add_argument_group("compatibility")
    other.add_argument(
        "--sandbox-profile", metavar="FILE", help="JSON with read_write and read_only directories"
    )
    other.add_argument("--mcp-server", action="store_true", help="accepted and ignored")
    other.add_argument(
        "--enable-view-image",
        dest="view_image",
        action="store_true",
        default=None,
        help="accepted; view_image is on unless REDLINE_VIEW_IMAGE=0",
    )
    other.add_argument(
        "--dangerously-skip-all-permissions",
        dest="sandbox",
        action="store_const",
        const="dangerous",
        help="the same as --sandbox dangerous",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the client leaves or a signal comes."""
    from redline.app import keep_stderr_for_words
    from redline.server.calls.catalog import CatalogError

    try:
        settings = _settings(args)
        redline, dispatch = _build(settings)
    except (SettingsError, CatalogError) as failure:
        return complain(failure)
    except OSError as failure:
        from redline.cli.terminal import err

        err(f"redline: {failure}")
        return 1
    try:
        keep_stderr_for_words()
        if args.stdio:
            return _serve_stdio(redline, dispatch, settings)
        from redline.cli.commands.server.serve_http import serve

        return serve(dispatch, settings, instructions(dispatch))
    finally:
        redline.close()


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


def _build(settings: Settings) -> tuple[Redline, Dispatch]:
    from redline.app import Redline, refuse_changed_modules
    from redline.server.calls.catalog import Catalog, load_dialects
    from redline.server.calls.dispatch import Dispatch
    from redline.server.observe.audit import Audit
    from redline.server.observe.log import to_stderr

    refuse_changed_modules()
    redline = Redline(settings)
    without = () if settings.view_image else ("view_image",)
    # A module with one more DIALECT, for tests of the protocol on the real stack.
    fixtures = os.environ.get("REDLINE_TEST_DIALECT")
    extra = {"fixtures": fixtures} if fixtures else {}
    catalog = Catalog(
        load_dialects(settings.tools, extra),
        read_only=settings.read_only,
        tool_names=settings.tool_names,
        without=without,
    )
    sink: Any = redline.audit_sink() if settings.audit_log else to_stderr
    dispatch = Dispatch(
        catalog,
        redline,
        errors=settings.errors,
        trace=to_stderr if settings.trace else None,
        audit=Audit(sink),
    )
    if settings.otel:
        dispatch.watchers.append(_spans(redline))
    return redline, dispatch


def _spans(redline: Redline) -> Any:
    from redline._version import __version__
    from redline.server.observe.spans import SpansUnavailable, otlp_provider, span_watch

    try:
        provider = otlp_provider(__version__)
    except SpansUnavailable as failure:
        raise SettingsError(str(failure)) from None
    redline.at_close(provider.shutdown)
    return span_watch(provider)


def instructions(dispatch: Dispatch) -> str:
    """What every connected model is told once."""
    own = "Redline changes files exactly and all-or-nothing; a failure says how to repair the call."
    return "\n".join([own, *(d.instructions for d in dispatch.catalog.dialects if d.instructions)])


def _serve_stdio(redline: Redline, dispatch: Dispatch, settings: Settings) -> int:
    from redline.server.stdio import serve_stdio

    reader, writer = redline.claim_std_streams()
    return serve_stdio(
        dispatch, reader, writer, cap=settings.protocol, instructions=instructions(dispatch)
    )
