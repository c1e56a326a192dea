"""Streamable HTTP at /mcp."""

from __future__ import annotations

import logging
import signal
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

import uvicorn

from redline.core.errors import Busy
from redline.core.ports.pages import WebPages, WorkspaceFront
from redline.core.ports.teams import (
    ServerGroup,
    SharedParts,
    WorkspaceDirectory,
    WorkspaceEntry,
)
from redline.server.calls.catalog import Catalog
from redline.server.calls.elicitation.sealed_states import SealedStates
from redline.server.calls.tool_server import ToolServer
from redline.server.calls.turns import LoopTurns
from redline.server.calls.workers import Workers
from redline.server.ending import end_process_within
from redline.server.http.app import HttpApp
from redline.server.http.connections import connection_limit
from redline.server.http.group.one_workspace import OneOfGroup
from redline.server.http.group.routing import GroupRouting, OwnedElsewhere
from redline.server.http.many.opened import OpenWorkspaces, ServedWorkspace
from redline.server.http.many.resting import RestingWorkspaces
from redline.server.http.many.routing import ManyWorkspaces
from redline.server.http.mcp_endpoint import McpEndpoint
from redline.server.http.pages import PageEndpoint, PagesAlone
from redline.server.http.people.auth import Authenticator
from redline.server.http.people.gate import Gate, HttpCounts
from redline.server.http.people.users_file import UsersFile
from redline.server.http.session_records import SessionRecords
from redline.server.http.uvicorn_protocol import protocol_with_limits
from redline.server.observe.audit import Audit
from redline.server.observe.log import warn
from redline.services.people.users import workspace_name
from redline.services.resting import IdleWorkspaces
from redline.settings import Settings

_GRACE_SECONDS = 3
_THREADS = 32
_MAX_LOG_KINDS = 100

AnyApp = HttpApp | PagesAlone | ManyWorkspaces | OneOfGroup


def serve_http(
    server: ToolServer,
    settings: Settings,
    announce: Callable[[str, int], None],
    pages: WebPages | None = None,
) -> int:
    """Serve until a signal; *announce* is called with host and port when the server listens.

    *pages* answer browsers, at every path that is not the protocol's.
    """
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    listening = _listen(settings)
    port = listening.getsockname()[1]
    workers = _workers(settings)
    endpoint = McpEndpoint(server, workers, settings)
    auth = _authenticator(settings)
    counts = HttpCounts(settings)
    shown = (
        None if pages is None else PageEndpoint(pages, settings, auth, server.audit, counts.streams)
    )
    gate = Gate(auth, settings, server.audit, counts)
    app = HttpApp(endpoint, server, settings, port, gate, shown)
    _run(app, settings, listening, lambda: announce(settings.host, port))
    workers.drain(1.0)
    return 0


def _workers(settings: Settings, group: ServerGroup | None = None) -> Workers:
    # One client alone never occupies every thread.
    limit = max(_THREADS, 2 * settings.max_calls)
    workers = Workers(limit, settings.max_calls, None if group is None else group.slots)
    workers.turns = LoopTurns(workers)
    return workers


class WorkspaceParts(NamedTuple):
    """What one of many workspaces brings: its tools, its pages, and how it is closed."""

    server: ToolServer
    pages: WebPages
    close: Callable[[], None]
    is_busy: Callable[[], bool]
    rest: Callable[[], None]
    # With several servers of one workspace: what they share.
    shared: SharedParts | None = None


def shared_states(shared: SharedParts) -> SealedStates:
    """Return the states of questions that any server of a group can read."""
    return SealedStates(shared.state_key, shared.used)


def serve_workspaces(
    directory: WorkspaceDirectory,
    open_parts: Callable[[WorkspaceEntry], WorkspaceParts],
    build_front: Callable[[Callable[[str], bool]], WorkspaceFront],
    audit: Audit,
    settings: Settings,
    catalog: Catalog,
    announce: Callable[[str, int], None],
    group: ServerGroup | None = None,
    idle: IdleWorkspaces | None = None,
) -> int:
    """Serve many workspaces until a signal; see `serve_http`.

    *build_front* makes the first page; it gets a function that closes a workspace. *group* is the
    servers that serve the same workspaces as one; *idle* says which workspaces are parked by
    themselves.
    """
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    listening = _listen(settings)
    port = listening.getsockname()[1]
    workers = _workers(settings, group)
    share = None if group is None else group.share_rate
    gate = Gate(_authenticator(settings), settings, audit, HttpCounts(settings, share))

    def open_one(entry: WorkspaceEntry) -> ServedWorkspace:
        if directory.find(entry.name) != entry:
            raise Busy(f"The workspace is being moved: {entry.name}", hint="try again")
        parts = open_parts(entry)
        own = gate.in_workspace(entry.name, parts.server.audit)
        return _serve_parts(entry, parts, own, workers, settings, port)

    opened = OpenWorkspaces(
        _open_own(open_one, group), settings.max_open, settings.workspace_idle, group=group
    )
    front = build_front(opened.shut_from_thread)
    routing = None if group is None else GroupRouting(group, settings, catalog)
    resting = None if idle is None else RestingWorkspaces(idle, opened)
    app = ManyWorkspaces(directory, opened, gate, settings, port, front, group, routing, resting)
    _run_opened(app, opened, workers, settings, listening, announce, group)
    return 0


def serve_in_group(
    entry: WorkspaceEntry,
    open_parts: Callable[[WorkspaceEntry], WorkspaceParts],
    server: ToolServer,
    settings: Settings,
    announce: Callable[[str, int], None],
    group: ServerGroup,
) -> int:
    """Serve one workspace as one of several servers; see `serve_http`.

    *server* has the tools and the audit log of every *open_parts*.
    """
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    listening = _listen(settings)
    port = listening.getsockname()[1]
    workers = _workers(settings, group)
    counts = HttpCounts(settings, group.share_rate)
    gate = Gate(_authenticator(settings), settings, server.audit, counts)

    def open_one(entry: WorkspaceEntry) -> ServedWorkspace:
        return _serve_parts(entry, open_parts(entry), gate, workers, settings, port)

    opened = OpenWorkspaces(_open_own(open_one, group), 1, float("inf"), group=group)
    routing = GroupRouting(group, settings, server.catalog)
    app = OneOfGroup(entry, opened, gate, settings, port, group, routing)
    _run_opened(app, opened, workers, settings, listening, announce, group)
    return 0


def _serve_parts(
    entry: WorkspaceEntry,
    parts: WorkspaceParts,
    gate: Gate,
    workers: Workers,
    settings: Settings,
    port: int,
) -> ServedWorkspace:
    pages = PageEndpoint(parts.pages, settings, gate.auth, parts.server.audit, gate.counts.streams)
    records = None
    if parts.shared is not None:
        records = SessionRecords(parts.shared.sessions, parts.shared.process_session)
    endpoint = McpEndpoint(parts.server, workers, settings, records)
    app = HttpApp(endpoint, parts.server, settings, port, gate, pages)
    return ServedWorkspace(entry, app, parts.close, parts.is_busy, parts.rest)


def _open_own(
    open_one: Callable[[WorkspaceEntry], ServedWorkspace], group: ServerGroup | None
) -> Callable[[WorkspaceEntry], ServedWorkspace]:
    """Return *open_one* that opens what this server has, or can have; OwnedElsewhere."""

    def claim_and_open(entry: WorkspaceEntry) -> ServedWorkspace:
        assert group is not None
        owner = group.claim(entry)
        if owner is not None:
            raise OwnedElsewhere(owner)
        try:
            return open_one(entry)
        except BaseException:
            group.give_back(entry.name)
            raise

    return open_one if group is None else claim_and_open


def _run_opened(
    app: ManyWorkspaces | OneOfGroup,
    opened: OpenWorkspaces,
    workers: Workers,
    settings: Settings,
    listening: socket.socket,
    announce: Callable[[str, int], None],
    group: ServerGroup | None,
) -> None:
    """Serve until a signal, then close every workspace and give it to the other servers."""
    port = listening.getsockname()[1]
    if group is not None:
        address = settings.reachable_at or _address(settings, port)
        group.start(address, opened.drop_from_thread, opened.shut_soon)
    try:
        _run(app, settings, listening, lambda: announce(settings.host, port))
        workers.drain(1.0)
    finally:
        opened.close_all()
        if group is not None:
            group.close()


def _address(settings: Settings, port: int) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{port}"


def serve_pages(pages: WebPages, settings: Settings, announce: Callable[[str, int], None]) -> int:
    """Serve pages alone until a signal; see `serve_http`."""
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    listening = _listen(settings)
    port = listening.getsockname()[1]
    app = PagesAlone(pages, settings, port)
    _run(app, settings, listening, lambda: announce(settings.host, port))
    return 0


def _run(
    app: AnyApp,
    settings: Settings,
    listening: socket.socket,
    announce: Callable[[], None],
) -> None:
    uvicorn_server = _Server(_config(app, settings), app)
    # In force before uvicorn handles signals; uvicorn raises them again at its end, when this
    # has no effect.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, uvicorn_server.end)
    announce()
    uvicorn_server.run(sockets=[listening])


class LibraryLog(logging.Handler):
    """Logs what libraries log: one line per kind and interval, a traceback only once."""

    def __init__(self, seconds: float = 10.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[tuple[object, ...], list[float]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Log *record*, or only count it when one of its kind was just logged."""
        failure = record.exc_info[1] if record.exc_info else None
        kind = (record.name, record.msg, type(failure))
        now = time.monotonic()
        known = kind in self._kinds
        if not known and len(self._kinds) >= _MAX_LOG_KINDS:
            self._kinds.clear()
        last, left_out = self._kinds.setdefault(kind, [-self._seconds, 0])
        if now - last < self._seconds:
            self._kinds[kind][1] += 1
            return
        self._kinds[kind] = [now, 0]
        if failure is None or not known:
            text = self.format(record)
        else:
            text = f"{record.getMessage().strip()}: {failure!r}"[:500]
        warn(text + (f" ({left_out:.0f} more like it before)" if left_out else ""))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off for accepted connections; without
    # that, every answer in two parts waits 40 ms for the client's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((settings.host, settings.port))
    listening.listen(128)  # clients may connect as soon as the address is announced
    return listening


def _authenticator(settings: Settings) -> Authenticator:
    users = None
    if settings.users is not None:
        users = UsersFile(settings.users)
        users.check()
    return Authenticator(
        token=settings.auth_token,
        issuer=settings.oauth_issuer,
        audience=settings.oauth_audience,
        name_claim=settings.oauth_name_claim,
        users=users,
        workspace=workspace_name(settings.roots[0][0]) if settings.roots else "",
    )


def _config(app: AnyApp, settings: Settings) -> uvicorn.Config:
    limit = connection_limit(settings.max_connections)
    return uvicorn.Config(
        app,
        http=protocol_with_limits(settings.receive_timeout, limit),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    """Cancels running calls as soon as a signal asks the process to end."""

    def __init__(self, config: uvicorn.Config, app: AnyApp) -> None:
        super().__init__(config)
        self._app = app

    def end(self, _signal: int, _frame: object) -> None:
        """Stop as soon as possible."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse new calls, cancel running ones, then close as usual."""
        end_process_within()
        self._app.stop()
        await super().shutdown(sockets)
