"""Workspaces as a TOML file lists them.

root = "/srv/workspaces"        # where new ones are made

[workspaces.billing]
path = "/srv/billing"
state_dir = "/var/lib/redline/billing"   # optional
policy = "/etc/redline/billing.toml"     # optional: rules of its own
read_only = true                         # optional
archived = true                          # written by `redline workspace archive`
parked = "s3://bucket/billing"           # written by `redline workspace park`
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from redline.adapters.private_file import write_private_file
from redline.core.errors import InvalidArgument, WriteFailed
from redline.documents.editing import DocEdit, Options, apply_edits
from redline.teams import ports

_KEYS = {
    "path": str,
    "state_dir": str,
    "policy": str,
    "read_only": bool,
    "archived": bool,
    "parked": str,
}


class ListedWorkspaces:
    """See `teams.ports.WorkspaceDirectory`; the file is read again when it changes."""

    def __init__(self, path: str, state_home: str | None = None) -> None:
        self._file = os.path.abspath(path)
        self._state_home = state_home
        self._version: tuple[int, ...] = ()
        self._tables: dict[str, dict[str, Any]] = {}
        self._root = ""

    def list(self) -> Sequence[ports.WorkspaceEntry]:
        """Return every workspace, by name."""
        tables = self._read()
        return [self._entry(n, t) for n, t in sorted(tables.items()) if not t.get("archived")]

    def find(self, name: str) -> ports.WorkspaceEntry | None:
        """Return the workspace of this name."""
        table = self._read().get(name)
        return None if table is None or table.get("archived") else self._entry(name, table)

    def place(self, name: str) -> ports.WorkspaceEntry:
        """Return the workspace of this name, which must be listed."""
        table = self._read().get(name)
        if table is None:
            raise ports.unknown_workspace(name)
        return self._entry(name, table)

    def create(self, name: str) -> ports.WorkspaceEntry:
        """Make an empty workspace beneath `root`, and list it."""
        ports.check_workspace_name(name)
        if name in self._read():
            raise InvalidArgument(f"There is a workspace of this name: {name}", field="name")
        if not self._root:
            raise InvalidArgument(
                f"The list does not say where new workspaces are made: {self._file}",
                field="name",
                hint='add a line such as root = "/srv/workspaces" at its top',
            )
        path = os.path.join(self._root, name)
        try:
            os.mkdir(path)
        except OSError as failure:
            raise WriteFailed(f"Cannot make a workspace: {path}: {failure.strerror}") from None
        key, value = json.dumps(name), json.dumps(path)
        self._write(
            lambda text: text.rstrip() + f"\n\n[workspaces.{key}]\npath = {value}\n".encode()
        )
        return self._entry(name, self._read()[name])

    def list_archived(self) -> Sequence[str]:
        """Return the names of archived workspaces, in order."""
        return [name for name, table in sorted(self._read().items()) if table.get("archived")]

    def archive(self, name: str) -> None:
        """Stop serving a workspace."""
        if self.find(name) is None:
            raise ports.unknown_workspace(name)
        self._edit(DocEdit("set", ("workspaces", name, "archived"), "true"))

    def restore(self, name: str) -> ports.WorkspaceEntry:
        """Serve an archived workspace again."""
        if not self._read().get(name, {}).get("archived"):
            raise InvalidArgument(f"No archived workspace has this name: {name}", field="name")
        self._edit(DocEdit("delete", ("workspaces", name, "archived")))
        return self._entry(name, self._read()[name])

    def mark_parked(self, name: str, address: str) -> None:
        """Note where a workspace rests."""
        table = self._read().get(name)
        if table is None:
            raise ports.unknown_workspace(name)
        place = ("workspaces", name, "parked")
        if address:
            self._edit(DocEdit("set", place, json.dumps(address)))
        elif "parked" in table:
            self._edit(DocEdit("delete", place))

    def _entry(self, name: str, table: Mapping[str, Any]) -> ports.WorkspaceEntry:
        state = table.get("state_dir")
        if state is None and self._state_home:
            state = os.path.join(self._state_home, name)
        return ports.WorkspaceEntry(
            name,
            table["path"],
            state,
            table.get("read_only", False),
            table.get("policy"),
            table.get("parked", ""),
        )

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = os.stat(self._file)
            version = (found.st_ino, found.st_mtime_ns, found.st_size)
            if version != self._version:
                with open(self._file, "rb") as stream:
                    self._root, self._tables = _parse(tomllib.load(stream), self._file)
                self._version = version
        except OSError as failure:
            raise InvalidArgument(
                f"The list of workspaces cannot be read: {self._file}: {failure.strerror}"
            ) from None
        except ValueError as failure:
            raise InvalidArgument(
                f"The list of workspaces is not valid TOML: {self._file}: {failure}"
            ) from None
        return self._tables

    def _edit(self, edit: DocEdit) -> None:
        self._write(lambda text: apply_edits("list.toml", text, [edit], Options()).after)

    def _write(self, change: Callable[[bytes], bytes]) -> None:
        try:
            with open(self._file, "rb") as stream:
                before = stream.read()
            write_private_file(self._file, change(before))
        except OSError as failure:
            raise WriteFailed(f"Cannot write {self._file}: {failure.strerror}") from None


def _parse(content: Mapping[str, Any], file: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return the directory for new workspaces and each workspace's table; InvalidArgument."""
    unknown = sorted(set(content) - {"root", "workspaces"})
    tables, root = content.get("workspaces", {}), content.get("root", "")
    if unknown or not isinstance(tables, dict) or not isinstance(root, str):
        raise InvalidArgument(f"{file}: expected root and tables [workspaces.NAME], got {unknown}")
    for name, table in tables.items():
        ports.check_workspace_name(name)
        where = f"{file}: workspaces.{name}"
        if not isinstance(table, dict) or not os.path.isabs(str(table.get("path", ""))):
            raise InvalidArgument(f"{where} needs a path that begins with /")
        for key, value in table.items():
            if key not in _KEYS or not isinstance(value, _KEYS[key]):
                known = ", ".join(_KEYS)
                raise InvalidArgument(f"{where}.{key} is unknown or of another kind (has: {known})")
    return root, tables
