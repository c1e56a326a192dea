"""Redline as a library: open a workspace, edit files together, look back, undo.

from redline import Workspace

with Workspace.open("project") as workspace:
    with workspace.edit("rename the flag") as edit:
        edit.replace("cli.py", "--colour", "--color")
        edit.replace("README.md", "--colour", "--color")
    workspace.undo()
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from redline.core.call_scope import UNCANCELLABLE
from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in, open_file
from redline.core.errors import InvalidArgument, Unavailable, UnsupportedEncoding
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Author, Direction, HistoryQuery, Operation, Origin
from redline.documents.base.path import read_path
from redline.documents.editing import Options, edit_at
from redline.documents.isolated import read_value
from redline.library.arguments import StrPath, as_path, as_text
from redline.library.editor import Editor
from redline.plan.describe import diff_of
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.services.code.rewrite import RewriteRequest, plan_rewrite
from redline.services.documents import edit_documents, open_document, refuse_code
from redline.services.history.lines import BlamedLine, blame, restore
from redline.services.history.listing import BoundedDiff, number_hunks
from redline.services.history.references import find_operation, find_point
from redline.services.history.revert import Wish, create_checkpoint, revert
from redline.settings import Settings
from redline.wiring.workspace import Redline


class Workspace:
    """A directory whose every change is exact, all-or-nothing, written down and undoable."""

    def __init__(self, settings: Settings, client: str = "library") -> None:
        if not isinstance(settings, Settings):
            raise TypeError("Workspace takes settings; Workspace.open(path) opens a directory")
        self._redline = Redline(settings)
        self._is_closed = False
        self._client = client
        self._session = f"{client}-{os.urandom(4).hex()}"
        self._app.workspace  # noqa: B018  raises now for a directory that cannot be used

    @classmethod
    def open(
        cls,
        path: StrPath,
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
                workspace=as_path(path),
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

    def read(self, path: StrPath) -> str:
        """Return the text of a file; UnsupportedEncoding unless it is text in a known encoding."""
        place = self._place(path, Access.READ)
        file = open_file(self._app.tree, place, self._app.tree.read(place))
        if not file.is_foreign and not file.is_utf8:
            raise UnsupportedEncoding(as_path(path))
        return file.text

    def read_bytes(self, path: StrPath) -> bytes:
        """Return the bytes of a file."""
        return self._app.tree.read(self._place(path, Access.READ))

    def names(self, path: StrPath = ".") -> list[str]:
        """Return the names in a directory, sorted."""
        return [entry.path.name for entry in self._app.tree.scan(self._place(path, Access.READ))]

    # -- changing -----------------------------------------------------------------------------

    def edit(self, summary: str = "") -> Editor:
        """Changes that happen together when the `with` block ends without an error."""
        return Editor(self, summary)

    def write(self, path: StrPath, content: str | bytes) -> Operation:
        """Give a file new content; missing directories are made."""
        return self.edit(f"write {path}").write(path, content).commit()

    def replace(self, path: StrPath, old: str, new: str) -> Operation:
        """Replace *old*, which must occur in the file exactly once."""
        return self.edit(f"edit {path}").replace(path, old, new).commit()

    def delete(self, path: StrPath) -> Operation:
        """Remove a file, link or directory with everything in it."""
        return self.edit(f"delete {path}").delete(path).commit()

    def move(self, source: StrPath, target: StrPath) -> Operation:
        """Give a file or directory another name."""
        return self.edit(f"move {source} to {target}").move(source, target).commit()

    # -- documents and code -------------------------------------------------------------------

    def get(self, path: StrPath, key: str = "") -> Any:
        """Return the value at *key* of a YAML, JSON, JSONC, JSON5 or TOML file, as plain Python."""
        path = as_path(path)
        refuse_code(path, None, takes_format=False)
        source = open_document(self._app, self._place(path, Access.READ), Options())
        return read_value(self._app.confined, source, read_path(key))

    def set(self, path: StrPath, key: str, value: Any, *, create: bool = False) -> Operation:
        """Set the value at *key* (`a.b[0]`; `a[+]` appends); every other byte of the file stays."""
        path = as_path(path)
        refuse_code(path, None, takes_format=False)
        edit = edit_at("set", key, _as_json(value), as_json=True)
        done = edit_documents(
            self._app,
            [self._place(path, Access.WRITE)],
            [edit],
            Options(create_parents=create),
            lambda _: path,
            self._origin("set", f"set {key} in {path}"),
            UNCANCELLABLE,
        )
        assert done.operation is not None
        return done.operation

    def rename(
        self,
        symbol: str,
        new_name: str,
        *,
        path: StrPath | None = None,
        line: int | None = None,
        possible: bool | None = None,
    ) -> Operation:
        """Rename a symbol: its definition and every reference that is bound to it.

        *possible* renames uncertain references too, or, if false, leaves them as they are.
        """
        self._app.code_index.build()
        place = None if path is None else self._place(path, Access.READ)
        request = RenameRequest(symbol, new_name, place, line, possible)
        planned = plan_symbol_rename(self._app, request, Access.WRITE, UNCANCELLABLE)
        return self._commit(planned.change_set, "rename", f"{symbol} to {new_name}")

    def rewrite(
        self,
        pattern: str,
        replacement: str,
        *,
        language: str = "",
        path: StrPath = ".",
        globs: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
    ) -> Operation:
        """Replace code that an ast-grep *pattern* matches; NoMatch if nothing does.

        *where* holds constraints of metavariables, such as ``{"A": {"regex": "^old_"}}``.
        """
        request = RewriteRequest(pattern, replacement, language, globs, None, where)
        top = self._place(path, Access.READ)
        planned = plan_rewrite(self._app, top, request, Access.WRITE, UNCANCELLABLE)
        return self._commit(planned.change_set, "rewrite", pattern)

    # -- looking back -------------------------------------------------------------------------

    def log(
        self,
        limit: int = 50,
        *,
        path: StrPath | None = None,
        session: str | None = None,
        client: str | None = None,
        principal: str | None = None,
    ) -> Sequence[Operation]:
        """Return the latest operations, newest first: all, or those of one file or maker."""
        by = Author(session, client, principal)
        known = None if path is None else as_path(path)
        return self._app.history.list(HistoryQuery(path=known, limit=limit, by=by))

    def show(self, operation_id: str) -> str:
        """What an operation changed, as a unified diff; hunks are numbered if there are several."""
        history = self._app.history
        operation = history.get(find_operation(history, as_text(operation_id, "operation_id")))
        return number_hunks(BoundedDiff(self._diff(operation.change_set), is_cut=False)).text

    def blame(self, path: StrPath) -> Sequence[BlamedLine]:
        """The lines of a file, each with the operation that made it, None if not recorded."""
        return blame(self._app, self._place(path, Access.READ))

    def undo(
        self,
        operation_id: str | None = None,
        *,
        paths: Sequence[StrPath] = (),
        hunks: Sequence[int] = (),
        session: str | None = None,
        since: str | None = None,
        to: str | None = None,
        by: Author | None = None,
    ) -> Operation:
        """Take an operation back: the one named, or the latest of this client.

        *paths* and *hunks*, numbered as `show` does, choose a part of it. *session*, *since* and
        *to* take many back as one: all of a session, or what *by* matches from a point on (an
        operation, a checkpoint, a time). Later changes of other lines are kept; UndoBlocked, and
        nothing is changed, if they touch.
        """
        return self._revert(
            Wish(
                Direction.UNDO,
                self._own,
                id=_as_id(operation_id),
                paths=tuple(map(as_path, paths)),
                hunks=hunks,
                session=session,
                since=since,
                to=to,
                by=by,
            )
        )

    def redo(self, operation_id: str | None = None) -> Operation:
        """Take an undo back: the one named, or the latest of this client."""
        return self._revert(Wish(Direction.REDO, self._own, id=_as_id(operation_id)))

    def checkpoint(self, name: str) -> Operation:
        """Name this moment, to go back to it with `undo(to=name)`."""
        return create_checkpoint(self._app, name, self._origin("checkpoint", name))

    def restore(self, path: StrPath, at: str) -> Operation:
        """Give a file the content it had at a point, as one operation."""
        point, name = find_point(self._app.history, at, inclusive=False), as_path(path)
        place, origin = self._place(path, Access.WRITE), self._origin("restore", f"{name} at {at}")
        return restore(self._app, place, point, name, origin)

    def close(self) -> None:
        """Release everything; later calls raise Unavailable."""
        self._is_closed = True
        self._redline.close()

    def __repr__(self) -> str:
        return f"Workspace({self._redline.settings.workspace!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _app(self) -> Redline:
        if self._is_closed:
            raise Unavailable("The workspace is closed", hint="open it again with Workspace.open")
        return self._redline

    def _commit(self, change_set: ChangeSet, tool: str, summary: str) -> Operation:
        return self._app.editor.commit(change_set, self._origin(tool, summary))

    def _place(self, path: StrPath, access: Access, *, follow: bool = True) -> WorkspacePath:
        return self._app.workspace.resolve(as_path(path), access, follow=follow)

    def _origin(self, tool: str, summary: str = "") -> Origin:
        return Origin(tool, self._client, "", summary, self._session)

    @property
    def _own(self) -> Author:
        """Whose changes this program takes back unless it names others."""
        return Author(client=self._client, principal="")

    def _revert(self, wish: Wish) -> Operation:
        return revert(self._app, wish, self._origin(wish.direction.value, wish.summary))

    def _diff(self, change_set: ChangeSet) -> str:
        return diff_of(change_set, lambda path: path.relative, configured_in(self._app.tree))


def _as_id(operation_id: str | None) -> str | None:
    return None if operation_id is None else as_text(operation_id, "operation_id")


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(
            f"Not a value that documents hold: {error}",
            field="value",
            hint="text, numbers, True, False, None, and lists and dicts of them",
        ) from None
