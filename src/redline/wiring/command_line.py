"""Adapters that the command line needs beside a workspace."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from redline.settings import Settings

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from redline.adapters.audit_file import ChainReport
    from redline.adapters.files.registry import WorkspacePlace
    from redline.adapters.stdio_client import StdioClient
    from redline.core.ports.git import Committer


def refuse_changed_modules() -> None:
    """Have this process import Redline's modules only as they were when it started.

    For servers: they live long, and import much of Redline when it is first needed.
    """
    import sys

    from redline.adapters.workers import loaded_program
    from redline.adapters.workers.child import guard_imports

    def refuse() -> None:
        # Looked up, not imported: this runs within an import, and a server that only lists tools
        # never loads the errors.
        errors = sys.modules.get("redline.core.errors")
        if errors is None:
            raise ImportError("Redline's own files have changed since the server started")
        raise errors.ProgramChanged

    guard_imports(loaded_program.STATE, refuse)


def write_private_file(path: str, content: bytes) -> None:
    """Replace a file outside any workspace in one step, readable by its owner only."""
    from redline.adapters.private_file import write_private_file

    write_private_file(path, content)


def verify_audit_log(path: str, last: str | None) -> ChainReport:
    """Check that no line of an audit log was changed, removed or added; OSError."""
    from redline.adapters.audit_file import verify_audit_file

    return verify_audit_file(path, last)


def locate_workspace(start: str, state_dir: str | None) -> Settings:
    """Return settings for the workspace that a directory lies in: upwards from *start*."""
    from redline.adapters.files.registry import find_workspace

    return _settings_of(find_workspace(start, state_dir))


def list_workspaces() -> list[Settings]:
    """Return settings for every workspace of this user that has a history."""
    from redline.adapters.files.registry import list_workspaces

    return [_settings_of(place)._replace(read_only=True) for place in list_workspaces()]


def _settings_of(place: WorkspacePlace) -> Settings:
    (workspace, _), *others = place.roots
    return Settings(
        workspace=workspace,
        directories=tuple(others),
        state_dir=place.state_dir,
        allow_any_root=workspace in (os.sep, os.path.realpath(os.path.expanduser("~"))),
    )


def open_committer(start: str) -> Committer:
    """Open the repository that a directory lies in, for commits."""
    from redline.adapters.git import GitCommitter

    return GitCommitter(start)


def page_text(text: str) -> bool:
    """Show *text* in the person's pager; False if there is none."""
    from redline.adapters.terminal import page_text

    return page_text(text)


def ask_at_terminal(question: str) -> str | None:
    """Return what the person at this process's terminal types; None where there is none."""
    from redline.adapters.terminal import ask_at_terminal

    return ask_at_terminal(question)


def read_named_input(path: str, limit: int) -> bytes:
    """Return what a file, a pipe or a descriptor that a person names holds; OSError."""
    from redline.adapters.std_streams import read_named_input

    return read_named_input(path, limit)


def greet_server(argv: Sequence[str]) -> int:
    """Connect to a server as a client does, and return how many tools it lists; RedlineError."""
    from redline.adapters.stdio_client import greet_server

    return greet_server(argv)


def open_client(argv: Sequence[str], name: str) -> StdioClient:
    """Start a server and connect to it as an agent does; NoHandshake."""
    from redline.adapters.stdio_client import StdioClient

    return StdioClient(argv, name)


def scratch_workspace(files: Mapping[str, str]) -> AbstractContextManager[tuple[str, str]]:
    """Create a temporary workspace that holds *files*, and a directory for its history."""
    from redline.adapters.scratch import scratch_workspace

    return scratch_workspace(files)


def write_plainly(path: str, text: str) -> None:
    """Write a file as a person's editor would, not through Redline."""
    from redline.adapters.scratch import write_plainly

    write_plainly(path, text)
