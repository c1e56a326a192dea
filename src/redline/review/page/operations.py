"""What a person does on the page: undo, redo, merge, checkpoint. Each is one operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from redline.core.changes import ChangeSet
from redline.core.errors import (
    GuardedWrite,
    InvalidArgument,
    PermissionRequired,
    RedlineError,
    UndoBlocked,
)
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Author, Direction, Operation, Origin
from redline.core.records import replace
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, hidden, join, link, tag
from redline.services.history.blocked import (
    BlockedFile,
    commit_merge,
    compare_versions,
    take_back_parts,
)
from redline.services.history.export import SESSION as SESSION_KIND
from redline.services.history.export import read_session
from redline.services.history.references import find_operation
from redline.services.history.revert import Wish, check_owner, create_checkpoint, revert
from redline.services.names import display_name
from redline.services.runtime import Runtime

CLIENT, SESSION = "review page", "review"
# A person at the page owns what every client of this login did.
_OWN = Author(principal="")
_MAX_LINES = 40
Form = Mapping[str, Sequence[str]]


class UndoSelection(NamedTuple):
    """What a form asks to take back."""

    id: str = ""
    session: str = ""
    turn: str = ""
    hunks: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()
    allows_guarded: bool = False

    @classmethod
    def read(cls, form: Form) -> UndoSelection:
        """Return the selection of a form; a button of one hunk goes before the boxes."""
        only, chosen = form.get("only", ()), form.get("hunk", ())
        paths = tuple(form.get("path", ()))
        try:
            hunks = tuple(int(each) for each in (only or chosen))
        except ValueError:
            raise InvalidArgument("A hunk is a number", field="hunk") from None
        if form.get("all") or (paths and not only):
            hunks = ()
        elif not (hunks or paths or form.keys() & {"session", "turn", "whole"}):
            raise InvalidArgument("No hunk is selected", field="hunk", hint="tick one or more")
        found = cls(_one(form, "id"), _one(form, "session"), _one(form, "turn"), hunks, paths)
        return found._replace(allows_guarded=bool(form.get("allow_guarded")))

    def fields(self) -> list[Html]:
        """Return the same as hidden fields."""
        given = {"id": self.id, "session": self.session, "turn": self.turn}
        fields = [hidden(name, value) for name, value in given.items() if value]
        fields += [hidden("hunk", number) for number in self.hunks]
        fields += [hidden("path", path) for path in self.paths]
        return fields if self.hunks or self.paths else [*fields, hidden("whole", "1")]

    @property
    def session_name(self) -> str:
        """The session that is meant, or "": one is named as a change is, by `session/NAME`."""
        is_session = self.id.startswith(f"{SESSION_KIND}/")
        return self.id.removeprefix(f"{SESSION_KIND}/") if is_session else self.session

    @property
    def is_part_of_session(self) -> bool:
        """Whether files or hunks of a session's combined change are meant."""
        return bool(self.session_name and (self.hunks or self.paths))

    @property
    def wish(self) -> Wish:
        """The same for the service."""
        if self.turn:
            return Wish(Direction.UNDO, turn=self.turn)
        if self.session_name:
            return Wish(Direction.UNDO, session=self.session_name)
        return Wish(Direction.UNDO, _OWN, id=self.id, paths=self.paths, hunks=self.hunks)


def place_of(selection: UndoSelection) -> str:
    """Return where the change or session of a selection is shown."""
    return f"/{selection.id}" if selection.session_name else f"/change/{selection.id}"


def _one(form: Form, name: str) -> str:
    found = form.get(name, ())
    return found[0] if found else ""


def origin_for(tool: str, summary: str, by: str, *, allows_guarded: bool = False) -> Origin:
    """Return the origin of what the person *by* does here; "" is the owner."""

    def consent(refused: PermissionRequired, _: ChangeSet, /) -> bool | None:
        if not isinstance(refused, GuardedWrite):
            return None  # held: decided in its own view
        if not allows_guarded:
            raise refused
        return True

    return Origin(tool, CLIENT, by, summary, SESSION, consent)


def undo(
    runtime: Runtime, selection: UndoSelection, by: str = "", only_of: str | None = None
) -> Operation:
    """Take back what is selected; with *only_of* only changes of this principal. RightMissing."""
    wish = replace(selection.wish, only_of=only_of)
    origin = origin_for("undo", wish.summary, by, allows_guarded=selection.allows_guarded)
    if selection.is_part_of_session:
        operation, paths = _parts(runtime, selection)
        _check_session_owner(runtime, selection, only_of)
        hunks = frozenset(selection.hunks)
        return take_back_parts(runtime, operation, paths, hunks, origin)
    try:
        return revert(runtime, wish, origin)
    except UndoBlocked:
        if not selection.session_name:
            raise
        # What a part of it took back may be all that is in the way.
        operation = read_session(runtime, selection.session_name).combined
        try:
            return take_back_parts(runtime, operation, (), frozenset(), origin)
        except RedlineError:
            pass
        raise


def redo(
    runtime: Runtime, operation_id: str, by: str = "", only_of: str | None = None
) -> Operation:
    """Do again what was undone."""
    wish = Wish(Direction.REDO, _OWN, id=operation_id, only_of=only_of)
    return revert(runtime, wish, origin_for("redo", wish.summary, by))


def merge(
    runtime: Runtime,
    selection: UndoSelection,
    choice: str,
    by: str = "",
    only_of: str | None = None,
) -> Operation:
    """Take back what is selected although lines were changed since, as the person chose."""
    files = _compare(runtime, selection)
    if files is None or choice not in ("keep", "restore"):
        raise InvalidArgument("There is no merge of this", field="choice")
    if selection.session_name:
        _check_session_owner(runtime, selection, only_of)
    else:
        check_owner(runtime, [find_operation(runtime.history, selection.id)], only_of)
    origin = origin_for("undo", f"undo {selection.id or selection.session}, merged", by)
    return commit_merge(runtime, files, origin, restore=choice == "restore")


def checkpoint(runtime: Runtime, name: str, by: str = "") -> Operation:
    """Name this moment."""
    return create_checkpoint(runtime, name, origin_for("create_checkpoint", name, by))


def _compare(runtime: Runtime, selection: UndoSelection) -> list[BlockedFile] | None:
    if selection.turn:
        return None
    operation, paths = _parts(runtime, selection)
    return compare_versions(runtime, operation, paths, frozenset(selection.hunks))


def _parts(runtime: Runtime, selection: UndoSelection) -> tuple[Operation, list[WorkspacePath]]:
    """Return the change, or the session as one, that a selection is of, and its paths."""
    if selection.session_name:
        operation = read_session(runtime, selection.session_name).combined
    else:
        operation = runtime.history.get(find_operation(runtime.history, selection.id))
    resolve = runtime.workspace.resolve
    return operation, [resolve(path, Access.READ, follow=False) for path in selection.paths]


def _check_session_owner(runtime: Runtime, selection: UndoSelection, only_of: str | None) -> None:
    made = read_session(runtime, selection.session_name).operations
    check_owner(runtime, [operation.id for operation in made], only_of)


# -- what is in the way -----------------------------------------------------------------------


def blocked_view(
    runtime: Runtime, viewer: Viewer, selection: UndoSelection, blocked: UndoBlocked
) -> Html:
    """Return what prevents an undo, from three sides, with the merges that exist."""
    files = _compare(runtime, selection)
    back = address(place_of(selection)) if selection.id else address("/")
    others = [link(address(f"/change/{each}"), each) for each in blocked.operations]
    return join(
        heading("This undo is blocked"),
        _reason(others) if files else tag("p", blocked.message, class_="lead"),
        [_file_sides(runtime, file) for file in files or ()],
        tag("pre", blocked.diff, class_="plain") if not files else None,
        _choices(viewer, selection, files or ()),
        tag("p", link(back, "Cancel")),
    )


def _reason(others: Sequence[Html]) -> Html:
    who = join("change ", _commas(others)) if others else "another program or client"
    where = "The same lines were changed since, by "
    return tag("p", where, who, ". Nothing has been touched.", class_="lead")


def _commas(links: Sequence[Html]) -> Html:
    return join([join(", " if n else None, each) for n, each in enumerate(links)])


def _file_sides(runtime: Runtime, file: BlockedFile) -> Html | None:
    if not file.conflicts:
        return None
    name = display_name(runtime.workspace, file.path)
    tables = [
        tag(
            "table",
            tag("caption", f"{name}, line {each.line}"),
            tag("thead", tag("tr", [
                tag("th", title, scope="col")
                for title in ("Before the change", "As the change left it", "Now in the file")
            ])),
            tag("tbody", tag("tr", [
                tag("td", tag("pre", _show(lines)), class_=kind)
                for lines, kind in ((each.before, "want"), (each.left, "base"), (each.now, "now"))
            ])),
            class_="sides",
        )
        for each in file.conflicts
    ]  # fmt: skip
    return tag("section", tag("h2", name), tables, class_="file blocked", aria_label=name)


def _show(lines: Sequence[bytes]) -> Html:
    shown = [line.decode("utf-8", "surrogateescape") for line in lines[:_MAX_LINES]]
    more = len(lines) - _MAX_LINES
    rest = tag("em", f"{more} more lines") if more > 0 else None
    return join("".join(shown) or tag("em", "no lines"), rest)


def _choices(viewer: Viewer, selection: UndoSelection, files: Sequence[BlockedFile]) -> Html | None:
    choices = (
        ("restore", "Overwrite these lines", "discards the later edit",
         lambda file: file.restored),
        ("keep", "Undo the rest, keep these lines", "they stay as they are now",
         lambda file: file.kept),
    )  # fmt: skip
    offered = [
        viewer.form(
            "/merge",
            selection.fields(),
            hidden("choice", choice),
            tag("button", shown),
            tag("span", effect, class_="hint"),
        )
        for choice, shown, effect, content in choices
        if files and _changes_something(files, content)
    ]
    return tag("div", offered, class_="actions column") if offered else None


def _changes_something(
    files: Sequence[BlockedFile], content: Callable[[BlockedFile], bytes | None]
) -> bool:
    found = [content(file) for file in files]
    return None not in found and any(
        file.whole is not None or new != getattr(file.now, "content", None)
        for new, file in zip(found, files, strict=True)
    )


def guarded_view(viewer: Viewer, selection: UndoSelection, refused: GuardedWrite) -> Html:
    """Ask whether files may be changed that the person's own tools execute."""
    return join(
        heading("This touches guarded files"),
        tag("p", refused.message, class_="lead"),
        tag("ul", [tag("li", tag("code", path)) for path in refused.paths]),
        viewer.form(
            "/undo",
            selection.fields(),
            hidden("allow_guarded", "1"),
            tag("button", "Undo it anyway"),
            class_="actions",
        ),
        tag("p", link("/", "Cancel")),
    )
