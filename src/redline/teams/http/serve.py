"""Serve many workspaces, or one as one of several servers, over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import NamedTuple

from redline.core.errors import Busy
from redline.core.ports.pages import WebPages, WorkspaceFront
from redline.core.ports.shared import SharedParts
from redline.server.calls.catalog import Catalog
from redline.server.calls.elicitation.sealed_states import SealedStates
from redline.server.calls.tool_server import ToolServer
from redline.server.calls.workers import Workers
from redline.server.http.app import HttpApp
from redline.server.http.auth import open_authenticator
from redline.server.http.gate import Gate, HttpCounts
from redline.server.http.mcp_endpoint import McpEndpoint
from redline.server.http.pages import PageEndpoint
from redline.server.http.serve import build_workers, listen, run_app
from redline.server.http.session_records import SessionRecords
from redline.server.observe.audit import Audit
from redline.settings import Settings
from redline.teams.http.group_routing import GroupRouting, OwnedElsewhere
from redline.teams.http.one_workspace import OneOfGroup
from redline.teams.http.opened import OpenWorkspaces, ServedWorkspace
from redline.teams.http.resting import RestingWorkspaces
from redline.teams.http.routing import ManyWorkspaces
from redline.teams.idle import IdleWorkspaces
from redline.teams.people.users_file import open_users
from redline.teams.ports import ServerGroup, WorkspaceDirectory, WorkspaceEntry


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
    """Serve many workspaces until a signal; see `server.http.serve`.

    *build_front* makes the first page; it gets a function that closes a workspace. *group* is the
    servers that serve the same workspaces as one; *idle* says which workspaces are parked by
    themselves.
    """
    listening, port = listen(settings)
    workers = build_workers(settings, None if group is None else group.slots)
    share = None if group is None else group.share_rate
    auth = open_authenticator(settings, open_users(settings))
    gate = Gate(auth, settings, audit, HttpCounts(settings, share))

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
    """Serve one workspace as one of several servers; see `server.http.serve`.

    *server* has the tools and the audit log of every *open_parts*.
    """
    listening, port = listen(settings)
    workers = build_workers(settings, group.slots)
    counts = HttpCounts(settings, group.share_rate)
    auth = open_authenticator(settings, open_users(settings))
    gate = Gate(auth, settings, server.audit, counts)

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
        run_app(app, settings, listening, lambda: announce(settings.host, port))
        workers.drain(1.0)
    finally:
        opened.close_all()
        if group is not None:
            group.close()


def _address(settings: Settings, port: int) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{port}"
