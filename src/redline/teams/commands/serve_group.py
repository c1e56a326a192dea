"""`redline serve --shared`: several server processes serve one workspace together."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from redline.cli.commands.server.serve_http import banner, report_not_listening
from redline.cli.terminal import err
from redline.review.wiring import LazyReview
from redline.server.calls.tool_server import ToolServer
from redline.settings import Settings
from redline.teams.http.serve import WorkspaceParts, serve_in_group, shared_states
from redline.teams.ports import WorkspaceEntry
from redline.teams.wiring.group import join_group, open_access, open_group
from redline.wiring.workspace import Redline

_NAME = "workspace"


def serve_group(settings: Settings, build: Callable[[], tuple[Redline, ToolServer]]) -> int:
    """Serve until a signal arrives, and return the exit code.

    *build* creates the server whenever this process acquires the workspace.
    """
    group = open_group(settings)
    assert group is not None
    key = os.urandom(24).hex()
    access = open_access(settings, key, group)
    address: list[str] = []
    # Wrong settings fail here, before this process acquires the workspace. The group takes the
    # catalog of tools and the audit log from this first server.
    redline, front = build()
    redline.close()

    def open_parts(entry: WorkspaceEntry) -> WorkspaceParts:
        redline, server = build()
        redline.served_at = f"{address[0]}/mcp"
        join_group(redline, group, entry.name)
        if settings.record and not settings.read_only:
            redline.record_soon()
        pages = LazyReview(redline, access)
        assert redline.shared is not None
        server.states = shared_states(redline.shared)
        return WorkspaceParts(
            server, pages, redline.close, redline.is_busy, redline.rest, redline.shared
        )

    def announce(host: str, port: int) -> None:
        address.append(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        with suppress(OSError, ValueError):
            err(banner(front, settings, host, port, key))

    path = os.path.realpath(settings.roots[0][0])
    entry = WorkspaceEntry(_NAME, path, settings.state_dir, settings.read_only)
    try:
        return serve_in_group(entry, open_parts, front, settings, announce, group)
    except OSError as failure:
        return report_not_listening(settings, failure)
