"""`redline serve --workspaces`: many workspaces in one process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from redline.cli.commands.server.serve_http import report_not_listening
from redline.cli.terminal import err
from redline.review.wiring import LazyReview
from redline.server.calls.catalog import CatalogChoice, choose_catalogs
from redline.server.calls.tool_server import ToolServer
from redline.server.observe.audit import Audit
from redline.server.observe.log import Sink, to_stderr
from redline.settings import Settings
from redline.teams.http.serve import WorkspaceParts, serve_workspaces, shared_states
from redline.teams.ports import WorkspaceEntry
from redline.teams.wiring import workspaces
from redline.teams.wiring.group import join_group, open_access, open_group
from redline.teams.wiring.moving import open_idle


def serve_many(settings: Settings) -> int:
    """Serve until a signal arrives."""
    directory = workspaces.open_directory(settings)
    workspaces.check_apart(directory, settings)
    catalogs = {read_only: _choose(settings, read_only) for read_only in (False, True)}
    sink = workspaces.open_audit_log(settings.audit_log) if settings.audit_log else to_stderr
    key = os.urandom(24).hex()
    templates = workspaces.open_templates()
    group = open_group(settings)
    access = open_access(settings, key, group)
    address: list[str] = []

    def open_parts(entry: WorkspaceEntry) -> WorkspaceParts:
        redline = workspaces.open_one(entry, settings, templates)
        redline.served_at = f"{address[0]}/w/{entry.name}/mcp"
        redline.is_still_served = lambda: directory.find(entry.name) == entry
        join_group(redline, group, entry.name)
        server = ToolServer(
            catalogs[redline.settings.read_only].chosen,
            redline,
            catalogs=catalogs[redline.settings.read_only],
            errors=settings.errors,
            trace=to_stderr if settings.trace else None,
            audit=Audit(_name_workspace(sink, entry.name), is_kept=bool(settings.audit_log)),
            name=entry.name,
            states=None if redline.shared is None else shared_states(redline.shared),
        )
        if settings.record and not redline.settings.read_only:
            redline.record_soon()
        pages = LazyReview(redline, access)
        return WorkspaceParts(
            server, pages, redline.close, redline.is_busy, redline.rest, redline.shared
        )

    def announce(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        address.append(f"http://{shown}:{port}")
        names = [entry.name for entry in directory.list()]
        with suppress(OSError, ValueError):
            err(_banner(settings, address[0], names, key))

    try:
        return serve_workspaces(
            directory,
            open_parts,
            lambda shut: workspaces.build_front(access, directory, shut),
            Audit(sink, is_kept=bool(settings.audit_log)),
            settings,
            catalogs[False].chosen,
            announce,
            group,
            open_idle(directory, settings),
        )
    except OSError as failure:
        return report_not_listening(settings, failure)


def _choose(settings: Settings, read_only: bool) -> CatalogChoice:
    return choose_catalogs(
        settings.tools,
        read_only=read_only or settings.read_only,
        tool_names=settings.tool_names,
        without=() if settings.view_image else ("view_image",),
        structured=settings.structured,
    )


def _name_workspace(sink: Sink, name: str) -> Sink:
    """Return *sink* with the workspace's name in every line."""

    def write(event: Mapping[str, Any]) -> None:
        sink({**event, "workspace": name})

    return write


def _banner(settings: Settings, address: str, names: list[str], key: str) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    count = f"{len(names)} workspace{'' if len(names) == 1 else 's'}"
    return "\n".join(
        [
            f"Redline serves {count} of {settings.workspaces}",
            "",
            f"  URL      {address}/w/NAME/mcp    ({', '.join(names[:5]) or 'none yet'}{more})",
            f"  page     {address}/#key={key}",
            f"  access   {'people in ' + settings.users if settings.users else 'see --users'}",
            "",
            "Ctrl-C stops. redline workspace --help makes, archives and moves workspaces.",
        ]
    )
