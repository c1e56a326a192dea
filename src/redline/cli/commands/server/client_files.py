"""A client's own settings files: found, and changed without touching the rest of them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable

from redline.cli.flags import TERMINAL
from redline.cli.terminal import err, fail, is_terminal, out, paint, paint_diff, program
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    digest_of,
)
from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import HistoryQuery, Operation, Origin
from redline.plan.describe import diff_of
from redline.settings import Settings
from redline.wiring.workspace import Redline


def locate(title: str, file: str, workspace: str) -> tuple[str, str] | None:
    """Return the directory in whose history changes of *file* belong, and the name there.

    None, after saying why, when a link leads elsewhere or the client was never started.
    """
    here = os.path.abspath(workspace)
    if not file.startswith(os.path.join(here, "")):
        folder, name = os.path.split(file)
        if os.path.isdir(folder):
            return folder, name
        fail(f"{title} is not set up here: {folder}", "start it once, then try again")
        return None
    name = os.path.relpath(file, here)
    if os.path.realpath(file) == os.path.join(os.path.realpath(here), name):
        return here, name
    fail(
        f"A link leads elsewhere: {file} -> {os.path.realpath(file)}",
        "replace the link by a file, or edit the file it names by hand",
    )
    return None


class ClientFile:
    """One settings file, changed by what a person typed on the command line."""

    def __init__(self, title: str, folder: str, name: str, state_dir: str | None) -> None:
        self.title = title
        self.folder = folder
        settings = Settings(workspace=folder, state_dir=state_dir, allow_any_root=True)
        self.redline = Redline(settings)
        self.path = self.redline.workspace.resolve(name, Access.WRITE)
        self._before = self.redline.tree.state(self.path)

    @property
    def source(self) -> bytes:
        """What the file holds now; empty when it is not there."""
        return (self._before.content or b"") if isinstance(self._before, FileState) else b""

    def change(self, edit: Callable[[bytes], bytes], tool: str, summary: str) -> str:
        """Write what *edit* makes of the file; return the operation, empty if nothing changed."""
        after = edit(self.source)
        if after == self.source:
            return ""
        old = self._before if isinstance(self._before, FileState) else ABSENT
        steps = [
            *missing_parents(self.redline, self.path),
            Change(self.path, old, FileState.of(after)),
        ]
        change_set = ChangeSet(tuple(steps))
        operation = self.redline.editor.commit(change_set, self.origin(tool, summary))
        out(
            paint_diff(
                diff_of(change_set, lambda place: place.relative, fold=is_terminal())
            ).rstrip("\n")
        )
        warn_of_paths(change_set, self.folder)
        return operation.id

    def undo_latest(self, tool: str, summary: str, *, if_created: bool = False) -> str:
        """Undo the change of *tool* that left the file as it is; return the undo, else empty.

        With *if_created* only a change that created the file.
        """
        operation, change = self._latest_change()
        if operation is None or change is None or operation.reverted_by:
            return ""
        after = change.after
        is_as_left = isinstance(after, FileState) and after.digest == digest_of(self.source)
        is_wanted = not if_created or isinstance(change.before, Absent)
        if operation.origin.tool != tool or not is_as_left or not is_wanted:
            return ""
        try:
            return self.redline.editor.undo(operation.id, self.origin(tool, summary)).id
        except RedlineError:
            return ""  # something else depends on it

    def _latest_change(self) -> tuple[Operation | None, Change | None]:
        for operation in self.redline.history.list(HistoryQuery(limit=100)):
            for step in operation.change_set.steps:
                if isinstance(step, Change) and step.path == self.path:
                    return operation, step
        return None, None

    def origin(self, tool: str, summary: str) -> Origin:
        """Return the origin of a change that the person asked for by running the command."""
        return Origin(tool, "command line", "", summary, TERMINAL, lambda *_: True, as_owner=True)

    def say_written(self, operation: str) -> None:
        """Say what was done and how to take it back."""
        out(f"\nwritten as change {operation}; restart {self.title}")
        where = shlex.quote(self.folder)
        undo = f"{program()} undo {operation} --allow-guarded --workspace {where}"
        out(paint(f"to undo it: {undo}", "dim"))


def warn_of_paths(changed: ChangeSet, here: str) -> None:
    """Say which of the files name places of this machine and would be taken by git."""
    above = here
    while not os.path.lexists(os.path.join(above, ".git")) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    if not os.path.lexists(os.path.join(above, ".git")):
        return
    marks = (here.encode(), sys.prefix.encode())
    for step in changed.steps:
        content = getattr(getattr(step, "after", None), "content", None) or b""
        name = step.paths[-1].relative
        if any(mark in content for mark in marks) and ".local." not in name:
            err(f"note: {name} names paths of this machine: keep it out of git")


def missing_parents(redline: Redline, path: WorkspacePath) -> list[Change]:
    """Return the changes that create the directories above *path*."""
    above: list[WorkspacePath] = []
    parent = path.parent
    while parent.parts and redline.tree.stat(parent) is None:
        above.append(parent)
        parent = parent.parent
    return [Change(place, ABSENT, DirState()) for place in reversed(above)]
