"""Connects many workspaces to one server: where they are, and what each brings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.settings import Settings, SettingsError
from redline.wiring.workspace import Redline

if TYPE_CHECKING:
    from redline.adapters.process_templates.template import ProcessTemplates
    from redline.review.page.access import ReviewAccess
    from redline.teams.front import FrontPages
    from redline.teams.ports import WorkspaceDirectory, WorkspaceEntry


def open_directory(settings: Settings) -> WorkspaceDirectory:
    """Open the folder or the list of workspaces that the settings name."""
    from redline.teams.adapters.folder import FolderOfWorkspaces
    from redline.teams.adapters.listed import ListedWorkspaces

    where = settings.workspaces or ""
    if os.path.isdir(where):
        return FolderOfWorkspaces(where, settings.state_dir)
    return ListedWorkspaces(where, settings.state_dir)


def check_apart(directory: WorkspaceDirectory, settings: Settings) -> None:
    """Refuse workspaces that lie in each other, hold a file that decides about them, or lie where
    every command can read; SettingsError.
    """
    from redline.adapters.files.own_places import has_other_names, names_on_the_way
    from redline.adapters.sandbox.visible_paths import is_beneath, readable
    from redline.wiring.storage import refuse_exposed

    shown = readable(os.environ.get("PATH", ""))
    paths = sorted((os.path.realpath(entry.path), entry.name) for entry in directory.list())
    deciding = (settings.users, settings.audit_log, settings.config, settings.workspaces)
    for number, (path, name) in enumerate(paths):
        if any(is_beneath(path, each) for each in shown):
            raise SettingsError(f"Every command can read the directory of {name}: {path}")
        for file in filter(None, deciding):
            on_the_way = names_on_the_way(file)
            if has_other_names(file) or any(is_beneath(place, path) for place in on_the_way):
                raise refuse_exposed(file)
        for other, inner in paths[number + 1 :]:
            if is_beneath(other, path):
                raise SettingsError(f"Workspaces must not lie in each other: {name} and {inner}")


def open_templates() -> ProcessTemplates | None:
    """Return what processes of all workspaces are copied from; None where the system cannot.

    Nothing is started before a workspace needs it.
    """
    from redline.adapters.process_templates.template import ProcessTemplates, Template, is_possible
    from redline.adapters.processes.helper import start_template as start_helpers
    from redline.adapters.sandbox.program import capture_helper
    from redline.adapters.workers.isolated_calls import start_template as start_workers

    if not is_possible():
        return None
    return ProcessTemplates(Template(start_workers), Template(start_helpers(capture_helper())))


def open_one(
    entry: WorkspaceEntry, settings: Settings, templates: ProcessTemplates | None = None
) -> Redline:
    """Open one of many workspaces."""
    own = settings._replace(
        workspace=entry.path,
        workspaces=None,
        state_dir=entry.state_dir,
        read_only=settings.read_only or entry.read_only,
        policy=entry.policy or settings.policy,
    )
    redline = Redline(own, entry.name, is_brief=templates is not None)
    redline.templates = templates
    redline.require_own_files()
    return redline


def open_audit_log(path: str) -> Callable[[dict[str, Any]], None]:
    """Open the file that audit lines go to."""
    from redline.adapters.audit_file import open_audit_file

    return open_audit_file(path)


def build_front(
    access: ReviewAccess, directory: WorkspaceDirectory, shut: Callable[[str], bool]
) -> FrontPages:
    """Return the first page of a server with many workspaces."""
    from redline.teams.front import FrontPages

    return FrontPages(access, directory, shut)
