"""Several changes that a Python program collects and commits as one."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Operation
from redline.library.arguments import StrPath, as_content, as_path, as_text
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.plan.replace import TextEdit
from redline.services.text_edits import replace_text

if TYPE_CHECKING:
    from redline.library.workspace import Workspace


class Editor:
    """Changes to several files that become one operation, or none."""

    def __init__(self, workspace: Workspace, summary: str) -> None:
        self._workspace = workspace
        self._summary = summary
        self._changes = ChangeSet()
        self.operation: Operation | None = None

    def write(self, path: StrPath, content: str | bytes) -> Self:
        """Give a file new content; missing directories are made."""
        data = as_content(content)
        place = self._workspace._place(path, Access.WRITE)
        if (known := self._find_known(place)) is not None:
            return self._add(Change(place, known, FileState.of(data, known.mode)))
        return self._plan(plan_write(self._workspace._app.tree, place, as_path(path), data))

    def replace(self, path: StrPath, old: str, new: str) -> Self:
        """Replace *old*, which must occur in the file exactly once."""
        app, edit = self._workspace._app, TextEdit(as_text(old, "old"), as_text(new, "new"))
        place = self._workspace._place(path, Access.WRITE)
        before = self._find_known(place) or FileState.of(app.tree.read(place))
        file = open_file(app.tree, place, before.content or b"")
        text = replace_text(app, place.name, file.text, [edit])
        return self._add(Change(place, before, FileState.of(file.with_text(text), before.mode)))

    def make_directory(self, path: StrPath) -> Self:
        """Make a directory and the missing ones above it."""
        place = self._workspace._place(path, Access.WRITE)
        return self._plan(plan_make_directory(self._workspace._app.tree, place, as_path(path)))

    def delete(self, path: StrPath) -> Self:
        """Remove a file, link or directory with everything in it."""
        place = self._workspace._place(path, Access.WRITE, follow=False)
        return self._plan(plan_delete(self._workspace._app.tree, place, as_path(path)))

    def move(self, source: StrPath, target: StrPath) -> Self:
        """Give a file or directory another name."""
        one = self._workspace._place(source, Access.WRITE, follow=False)
        other = self._workspace._place(target, Access.WRITE, follow=False)
        return self._plan(plan_move(self._workspace._app.tree, one, other, as_path(target)))

    def diff(self) -> str:
        """Return what would change, as a unified diff."""
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

    def _find_known(self, path: WorkspacePath) -> FileState | None:
        """Return the file as the changes so far leave it."""
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
