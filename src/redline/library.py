"""Redline as a library: open a workspace, edit files together, look back, undo.

from redline import Workspace

with Workspace.open("project") as workspace:
    with workspace.edit("rename the flag") as edit:
        edit.replace("cli.py", "--colour", "--color")
        edit.replace("README.md", "--colour", "--color")
    workspace.undo()
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from redline.app import Redline
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import UnsupportedEncoding
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Author, Direction, HistoryQuery, Operation, Origin
from redline.core.textfile import encode
from redline.plan.describe import diff_of
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.plan.replace import TextEdit
from redline.services.history.revert import Wish, revert
from redline.services.text_edits import replace_text
from redline.settings import Settings


class Workspace:
    """A directory whose every change is exact, all-or-nothing, written down and undoable."""

    def __init__(self, settings: Settings, client: str = "library") -> None:
        self._app = Redline(settings)
        self._client = client
        self._session = f"{client}-{os.urandom(4).hex()}"
        self._app.workspace  # noqa: B018  a directory that cannot be used is said at once

    @classmethod
    def open(
        cls,
        path: str,
        *,
        read_only: bool = False,
        state_dir: str | None = None,
        allow_write: Sequence[str] = (),
        allow_read: Sequence[str] = (),
        git_writes: bool = False,
        guarded_paths: Sequence[str] = (),
        policy: str | None = None,
    ) -> Self:
        """The workspace at *path*; history goes to *state_dir* or the user's state directory.

        *git_writes* and *guarded_paths* are the settings of these names: what the person's own
        tools execute is written only if they allow it (GuardedWrite). *policy* is a file with rules
        about changes, by default policy.toml in the configuration directory: what a rule denies
        raises RuleDenied, what it wants a person to decide ChangeHeld.
        """
        return cls(
            Settings(
                workspace=path,
                read_only=read_only,
                state_dir=state_dir,
                directories=(
                    *((each, True) for each in allow_write),
                    *((each, False) for each in allow_read),
                ),
                git_writes=git_writes,
                guarded_paths=tuple(guarded_paths),
                policy=policy,
            )
        )

    # -- reading ------------------------------------------------------------------------------

    def read(self, path: str) -> str:
        """The text of a file; UnsupportedEncoding unless it is text in a known encoding."""
        place = self._place(path, Access.READ)
        file = open_file(self._app.tree, place, self._app.tree.read(place))
        if not file.is_foreign and not file.is_utf8:
            raise UnsupportedEncoding(path)
        return file.text

    def read_bytes(self, path: str) -> bytes:
        """The bytes of a file."""
        return self._app.tree.read(self._place(path, Access.READ))

    def names(self, path: str = ".") -> list[str]:
        """The names in a directory, sorted."""
        return [entry.path.name for entry in self._app.tree.scan(self._place(path, Access.READ))]

    # -- changing -----------------------------------------------------------------------------

    def edit(self, summary: str = "") -> Editor:
        """Changes that happen together when the `with` block ends without an error."""
        return Editor(self, summary)

    def write(self, path: str, content: str | bytes) -> Operation:
        """Give a file new content; missing directories are made."""
        return self.edit(f"write {path}").write(path, content).commit()

    def replace(self, path: str, old: str, new: str) -> Operation:
        """Replace *old*, which must occur in the file exactly once."""
        return self.edit(f"edit {path}").replace(path, old, new).commit()

    def delete(self, path: str) -> Operation:
        """Remove a file, link or directory with everything in it."""
        return self.edit(f"delete {path}").delete(path).commit()

    def move(self, source: str, target: str) -> Operation:
        """Give a file or directory another name."""
        return self.edit(f"move {source} to {target}").move(source, target).commit()

    # -- looking back -------------------------------------------------------------------------

    def log(self, limit: int = 50, *, path: str | None = None) -> Sequence[Operation]:
        """The latest operations, newest first."""
        return self._app.history.list(HistoryQuery(path=path, limit=limit))

    def show(self, operation_id: str) -> str:
        """What an operation changed, as a unified diff."""
        return self._diff(self._app.history.get(operation_id).change_set)

    def undo(self, operation_id: str | None = None) -> Operation:
        """Take an operation back: the one named, or the latest that is not undone."""
        return self._revert(Direction.UNDO, operation_id)

    def redo(self, operation_id: str | None = None) -> Operation:
        """Take an undo back."""
        return self._revert(Direction.REDO, operation_id)

    def close(self) -> None:
        """Release everything."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _place(self, path: str, access: Access, *, follow: bool = True) -> WorkspacePath:
        return self._app.workspace.resolve(path, access, follow=follow)

    def _origin(self, tool: str, summary: str = "") -> Origin:
        return Origin(tool, self._client, "", summary, self._session)

    def _revert(self, direction: Direction, operation_id: str | None) -> Operation:
        wish = Wish(direction, Author(principal=""), id=operation_id)
        return revert(self._app, wish, self._origin(direction.value))

    def _diff(self, change_set: ChangeSet) -> str:
        return diff_of(change_set, lambda path: path.relative)


class Editor:
    """Changes to several files that become one operation, or none."""

    def __init__(self, workspace: Workspace, summary: str) -> None:
        self._workspace = workspace
        self._summary = summary
        self._changes = ChangeSet()
        self.operation: Operation | None = None

    def write(self, path: str, content: str | bytes) -> Self:
        """Give a file new content; missing directories are made."""
        data = encode(content) if isinstance(content, str) else content
        place = self._workspace._place(path, Access.WRITE)
        if (known := self._known(place)) is not None:
            return self._add(Change(place, known, FileState.of(data, known.mode)))
        return self._plan(plan_write(self._workspace._app.tree, place, path, data))

    def replace(self, path: str, old: str, new: str) -> Self:
        """Replace *old*, which must occur in the file exactly once."""
        app = self._workspace._app
        place = self._workspace._place(path, Access.WRITE)
        before = self._known(place) or FileState.of(app.tree.read(place))
        file = open_file(app.tree, place, before.content or b"")
        text = replace_text(app, place.name, file.text, [TextEdit(old, new)])
        return self._add(Change(place, before, FileState.of(file.with_text(text), before.mode)))

    def make_directory(self, path: str) -> Self:
        """Make a directory and the missing ones above it."""
        place = self._workspace._place(path, Access.WRITE)
        return self._plan(plan_make_directory(self._workspace._app.tree, place, path))

    def delete(self, path: str) -> Self:
        """Remove a file, link or directory with everything in it."""
        place = self._workspace._place(path, Access.WRITE, follow=False)
        return self._plan(plan_delete(self._workspace._app.tree, place, path))

    def move(self, source: str, target: str) -> Self:
        """Give a file or directory another name."""
        one = self._workspace._place(source, Access.WRITE, follow=False)
        other = self._workspace._place(target, Access.WRITE, follow=False)
        return self._plan(plan_move(self._workspace._app.tree, one, other, target))

    def diff(self) -> str:
        """What would change, as a unified diff."""
        return self._workspace._diff(self._changes)

    def commit(self) -> Operation:
        """Make every change real, or none."""
        origin = self._workspace._origin("library", self._summary)
        self.operation = self._workspace._app.editor.commit(self._changes, origin)
        self._changes = ChangeSet()
        return self.operation

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.commit()

    def _known(self, path: WorkspacePath) -> FileState | None:
        """The file as the changes so far leave it."""
        for step in reversed(self._changes.steps):
            if isinstance(step, Change) and step.path == path:
                return step.after if isinstance(step.after, FileState) else None
        return None

    def _plan(self, planned: ChangeSet) -> Self:
        made = set(self._changes.steps)
        self._changes += ChangeSet(tuple(step for step in planned.steps if step not in made))
        return self

    def _add(self, change: Change) -> Self:
        """Take a change in; two to one file become one."""
        steps = list(self._changes.steps)
        for number, step in enumerate(steps):
            if isinstance(step, Change) and step.path == change.path:
                steps[number] = Change(step.path, step.before, change.after)
                break
        else:
            steps.append(change)
        self._changes = ChangeSet(tuple(steps))
        return self
