"""Workspaces as the directories of a folder; its `.redline` holds what is not served."""

from __future__ import annotations

import os
from collections.abc import Sequence

from redline.adapters.private_file import write_private_file
from redline.core.errors import InvalidArgument, WriteFailed
from redline.teams import ports

_OWN, _ARCHIVE, _PARKED = ".redline", "archive", "parked"


class FolderOfWorkspaces:
    """See `teams.ports.WorkspaceDirectory`.

    A link is no workspace: it could lead into another one.
    """

    def __init__(self, folder: str, state_home: str | None = None) -> None:
        self._folder = os.path.realpath(folder)
        self._state_home = state_home

    def list(self) -> Sequence[ports.WorkspaceEntry]:
        """Return every workspace, by name."""
        names = {entry.name for entry in os.scandir(self._folder) if _is_workspace(entry)}
        names.update(_names_in(self._own(_PARKED)))
        return [self._entry(name) for name in sorted(names)]

    def find(self, name: str) -> ports.WorkspaceEntry | None:
        """Return the workspace of this name."""
        try:
            ports.check_workspace_name(name)
        except InvalidArgument:
            return None
        path = self._path(name)
        is_there = os.path.isdir(path) and not os.path.islink(path)
        entry = self._entry(name)
        return entry if is_there or entry.parked_at else None

    def place(self, name: str) -> ports.WorkspaceEntry:
        """Return the workspace of this name, or where one would be."""
        return self._entry(ports.check_workspace_name(name))

    def create(self, name: str) -> ports.WorkspaceEntry:
        """Make an empty workspace."""
        self._require_free(name)
        try:
            os.mkdir(self._path(name))
        except OSError as failure:
            raise WriteFailed(f"Cannot make a workspace: {name}: {failure.strerror}") from None
        return self._entry(name)

    def list_archived(self) -> Sequence[str]:
        """Return the names of archived workspaces, in order."""
        return sorted(_names_in(self._own(_ARCHIVE)))

    def archive(self, name: str) -> None:
        """Move a workspace out of sight."""
        if self.find(name) is None:
            raise ports.unknown_workspace(name)
        if self._read_note(name):
            raise InvalidArgument(f"The workspace is parked: {name}", field="name", hint="wake it")
        if os.path.lexists(self._own(_ARCHIVE, name)):
            raise InvalidArgument(f"One of this name is archived already: {name}", field="name")
        self._move(self._path(name), self._own(_ARCHIVE, name))

    def restore(self, name: str) -> ports.WorkspaceEntry:
        """Bring an archived workspace back."""
        self._require_free(name, is_new=False)
        if not os.path.isdir(self._own(_ARCHIVE, name)):
            raise InvalidArgument(f"No archived workspace has this name: {name}", field="name")
        self._move(self._own(_ARCHIVE, name), self._path(name))
        return self._entry(name)

    def mark_parked(self, name: str, address: str) -> None:
        """Note where a workspace rests."""
        ports.check_workspace_name(name)
        note = self._own(_PARKED, name)
        try:
            if address:
                write_private_file(note, address.encode())
            elif os.path.lexists(note):
                os.unlink(note)
        except OSError as failure:
            raise WriteFailed(f"Cannot note that {name} is parked: {failure.strerror}") from None

    def _require_free(self, name: str, *, is_new: bool = True) -> None:
        ports.check_workspace_name(name)
        if os.path.lexists(self._path(name)) or self._read_note(name):
            raise InvalidArgument(f"There is a workspace of this name: {name}", field="name")
        # Its history is found by its path: a new one would continue that of the archived one.
        if is_new and os.path.lexists(self._own(_ARCHIVE, name)):
            raise InvalidArgument(f"An archived workspace has this name: {name}", field="name")

    def _move(self, source: str, target: str) -> None:
        try:
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            os.rename(source, target)
        except OSError as failure:
            raise WriteFailed(f"Cannot move {source}: {failure.strerror}") from None

    def _entry(self, name: str) -> ports.WorkspaceEntry:
        state = os.path.join(self._state_home, name) if self._state_home else None
        return ports.WorkspaceEntry(name, self._path(name), state, parked_at=self._read_note(name))

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _own(self, *names: str) -> str:
        return os.path.join(self._folder, _OWN, *names)

    def _read_note(self, name: str) -> str:
        try:
            with open(self._own(_PARKED, name), encoding="utf-8") as note:
                return note.read().strip()
        except OSError:
            return ""


def _is_workspace(entry: os.DirEntry[str]) -> bool:
    try:
        ports.check_workspace_name(entry.name)
    except InvalidArgument:
        return False
    return entry.is_dir(follow_symlinks=False)


def _names_in(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        return []
