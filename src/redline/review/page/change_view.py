"""One change: who made it, its files as diffs, and what can be done about each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from zlib import crc32

from redline.core.changes import Change, FileState
from redline.core.encodings.opening import configured_in
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.history import GIT, Direction, HistoryQuery, Operation
from redline.core.records import dataclass
from redline.review.page.diffs.colours import colour_diff
from redline.review.page.diffs.model import DiffShape, FileDiff, read_files
from redline.review.page.diffs.table import (
    SPLIT_COLUMNS,
    UNIFIED_COLUMNS,
    TableOptions,
    count_rows,
    rows_of,
)
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, facts, hidden, join, link, tag
from redline.review.page.session_view import session_facts, session_story
from redline.review.page.timeline import draw_path, line_counts, run_badge
from redline.review.page.times import iso, long_time
from redline.services.history.blocked import hunks_gone
from redline.services.history.export import SESSION, WorkSession
from redline.services.history.revert import Wish, plan_revert
from redline.services.names import display_name
from redline.services.runtime import Runtime

UNDOABLE = ("change", "undo", "redo")
_LATER = 200
# Of changes with more hunks it is not found out which of them are left.
_MAX_PLANNED = 60
# Rows that the first answer holds, about two screens; more are loaded when they come near.
FIRST_ROWS = 100
MORE_ROWS = 600
# A file with more rows than this is closed at first, unless it is the only one.
_LARGE = 600
_MAX_FILES = 300
_MAX_COMMAND = 200
# Of a file with more hunks it is not found out which of them are left.
_MAX_COMPARED = 60
Notes = Mapping[tuple[int, str, int], Sequence[Html]]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What is needed to draw a change."""

    runtime: Runtime
    viewer: Viewer
    operation: Operation
    files: Sequence[FileDiff]
    notes: Notes
    # Later operations that took parts of this one back, and the hunks that are gone with them.
    later: Sequence[str] = ()
    gone: frozenset[int] = frozenset()
    # The session that this is, if it is one.
    session: WorkSession | None = None

    @classmethod
    def load(
        cls,
        runtime: Runtime,
        viewer: Viewer,
        operation: Operation,
        notes: Notes,
        files: Sequence[FileDiff] | None = None,
        session: WorkSession | None = None,
    ) -> ChangeView:
        """Read the files of an operation, unless they are given."""
        label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
        if files is None:
            files = read_files(
                operation.change_set, label, configured_in(runtime.tree), runtime.mask_for_person
            )
        if session is not None:
            counts = [sum(1 for hunk in file.hunks if hunk.number) for file in files]
            gone = hunks_gone(runtime, operation, counts, _MAX_COMPARED)
            return cls(runtime, viewer, operation, files, notes, (), gone, session)
        later = find_later(runtime, operation)
        gone = find_gone(runtime, operation, files) if later else frozenset()
        return cls(runtime, viewer, operation, files, notes, later, gone)

    @property
    def base(self) -> str:
        """The address of this change."""
        return f"/{self.operation.id}" if self.session else f"/change/{self.operation.id}"

    @property
    def name(self) -> str:
        """The change or session as the name of a file."""
        return self.operation.id.replace("/", "-")

    @property
    def can_undo(self) -> bool:
        """Whether parts of this can be taken back here."""
        return self.viewer.can_act and not self.operation.reverted_by

    @property
    def options(self) -> TableOptions:
        """How its tables are drawn."""
        return TableOptions(self.base, self.viewer.is_split, self.can_undo, self.gone, self.notes)

    def draw(self) -> Html:
        """Return the whole view."""
        operation = self.operation
        added, removed = (sum(getattr(f, n) for f in self.files) for n in ("added", "removed"))
        left = FIRST_ROWS
        drawn: list[Html] = []
        for file in self.files[:_MAX_FILES]:
            section, used = self._file(file, left)
            left -= used
            drawn.append(section)
        hidden_files = len(self.files) - _MAX_FILES + operation.left_out
        return join(
            heading(
                self.title,
                line_counts(added, removed) if added or removed else None,
                self._view_switch(),
            ),
            session_facts(self.session) if self.session else self._facts(),
            self._actions(),
            session_story(self.runtime, self.viewer, self.session) if self.session else None,
            self._contents() if len(self.files) > 1 else None,
            tag("div", drawn, class_="files-of"),
            tag("p", f"{hidden_files} more files are not shown.", class_="empty")
            if hidden_files > 0
            else None,
        )

    @property
    def title(self) -> str:
        """The files that it touches."""
        operation = self.operation
        if self.session:
            return self.session.title
        if operation.kind == "checkpoint":
            return f"Checkpoint {operation.origin.summary}"
        if operation.kind == GIT:
            return operation.git
        files = [file for file in self.files if file.touched.kind != "directory"] or self.files
        names = [file.touched.path for file in files[:2]]
        more = len(files) - len(names)
        return (", ".join(names) or operation.kind) + (f" and {more} more" if more > 0 else "")

    def _facts(self) -> Html:
        operation, origin = self.operation, self.operation.origin
        later = self.later
        rows: list[tuple[str, object]] = [
            ("Change", tag("code", operation.id)),
            ("When", tag("time", long_time(operation.time), datetime=iso(operation.time))),
            (
                "Tool",
                join(origin.tool, f" ({operation.kind})" if operation.kind != "change" else ""),
            ),
            ("Client", origin.client),
            ("Person", origin.principal),
            (
                "Session",
                origin.session and link(address("/", session=origin.session), origin.session),
            ),
            ("Asked", origin.summary),
            *self._run_facts(),
            ("Takes back", _links(operation.reverts)),
            ("Undone by", _links(operation.reverted_by)),
            ("Partly undone by", join(link_to(each) for each in later) if later else ""),
            *(("Note", note) for note in operation.notes),
        ]
        return facts(rows)

    def _run_facts(self) -> list[tuple[str, object]]:
        run = self.runtime.runs.of_change(self.operation.id)
        if run is None:
            return []
        line = self.runtime.mask_for_person(run.line)
        shown = link(address(f"/run/{run.number}"), tag("code", line[:_MAX_COMMAND]))
        return [("Command", shown), ("Ended", run_badge(run)), ("Sandbox", run.sandbox)]

    def _actions(self) -> Html | None:
        operation, viewer = self.operation, self.viewer
        if not viewer.can_act or operation.kind not in (*UNDOABLE, SESSION):
            return None
        what = "session" if self.session else "change"
        exports = [
            link(
                address("/export", id=operation.id),
                "Commit this session" if self.session else "Export",
            ),
            link(
                address(f"{self.base}/patch"),
                "Export as a patch" if self.session else "Patch",
                download=f"{self.name}.patch",
            ),
        ]
        form: object
        if operation.reverted_by and self.session:
            form = tag("p", "Everything that this session changed was undone.", class_="hint")
        elif operation.reverted_by:
            form = viewer.form(
                "/redo", hidden("id", operation.id), tag("button", "Redo change", id="redo")
            )
        else:
            form = viewer.form(
                "/undo",
                hidden("id", operation.id),
                tag("button", f"Undo {what}", id="undo-all", name="all", value="1"),
                tag("button", "Undo selected hunks", id="undo-some", class_="quiet"),
                id="undo",
            )
        return tag("div", form, tag("span", exports, class_="links"), class_="actions bar-actions")

    def _view_switch(self) -> Html:
        other = "unified" if self.viewer.is_split else "split"
        shown = "Unified" if self.viewer.is_split else "Side by side"
        return link(address(self.base, view=other), shown, class_="button quiet", id="view-switch")

    def _contents(self) -> Html:
        items: list[Html] = []
        folders = groupby(
            self.files[:_MAX_FILES], lambda file: file.touched.path.rpartition("/")[0]
        )
        for folder, files in folders:
            inside = [
                tag(
                    "li",
                    link(f"#f{file.step}", file.touched.path.rpartition("/")[2]),
                    line_counts(file.added, file.removed),
                )
                for file in files
            ]
            named = tag("li", tag("span", f"{folder}/", class_="dir"), tag("ol", inside))
            items += [named] if folder else inside
        return tag(
            "details",
            tag("summary", f"{len(self.files)} files", tag("span", id="unseen", class_="seen")),
            tag("ol", items),
            class_="contents",
        )

    # -- files --------------------------------------------------------------------------------

    def _file(self, file: FileDiff, left: int) -> tuple[Html, int]:
        """Return a file's section, and how many rows of it were drawn."""
        total = count_rows(file, self.options) if file.shape is DiffShape.TEXT else 0
        is_closed = file.is_generated or (len(self.files) > 1 and total > _LARGE)
        count = 0 if is_closed else min(total, max(left, 0))
        body: list[object] = []
        if file.shape is DiffShape.BINARY:
            body.append(self._binary(file))
        elif total:
            more = self.more(file, total, count, is_closed=is_closed)
            body.append(self.table(file, self.rows(file, 0, count), more))
        section = tag(
            "section",
            self._file_heading(file),
            body,
            class_="file",
            id=f"f{file.step}",
            data_state=self._state_of(file) if self.session else None,
            data_mark=self._mark_of(file),
            data_changes=self._count_changes(file) if self.session else None,
            aria_label=file.touched.path,
        )
        return section, count

    def rows(self, file: FileDiff, start: int, count: int) -> Html:
        """Return some rows of a file's table."""
        if not count:
            return Html("")
        colours = colour_diff(self.runtime, file, start, count)
        return Html("".join(rows_of(file, self.options, colours, start, count)))

    def table(self, file: FileDiff, rows: Html, *more: object) -> Html:
        """Return the table around rows."""
        kind = "split" if self.viewer.is_split else "unified"
        return tag(
            "div",
            tag(
                "table",
                tag("caption", f"Changes of {file.touched.path}", class_="sr"),
                SPLIT_COLUMNS if self.viewer.is_split else UNIFIED_COLUMNS,
                tag("tbody", rows, *more),
                class_=f"diff {kind}",
                data_step=file.step,
            ),
            class_="scroll",
        )

    def more(
        self, file: FileDiff, total: int, shown: int, *, is_closed: bool = False
    ) -> Html | None:
        """Return the row behind those shown: a link to the others; a closed file waits for it."""
        if shown >= total:
            return None
        where = address(f"{self.base}/rows", file=str(file.step), from_=str(shown))
        text = f"Show {total - shown:,} more lines" if shown else f"Show {total:,} lines"
        kind = "load closed" if is_closed else "load"
        cell = tag("td", link(where, text, class_=kind), colspan=self.options.columns)
        return tag("tr", cell, class_="rest")

    def _badges(self, file: FileDiff) -> list[str | None]:
        touched = file.touched
        badges = [_ACTION_NAMES.get(touched.action)]
        if touched.kind not in ("file", "entry"):
            badges.append(touched.kind)
        if file.mode:
            badges.append(f"mode {file.mode[0]:o} \u2192 {file.mode[1]:o}")
        if file.shape is DiffShape.BINARY:
            badges.append("binary")
        if file.is_generated:
            badges.append("generated")
        if self.session and self.session.mixed & {*self._paths(file)}:
            badges.append("others wrote here too")
        return badges

    def _file_heading(self, file: FileDiff) -> Html:
        touched, badges = file.touched, self._badges(file)
        moved = None
        if touched.old_path is not None:
            moved = tag("span", touched.old_path, " \u2192 ", class_="dir")
        undo = None
        if self.can_undo and len(self.files) > 1 and touched.action != "move":
            undo = tag(
                "button", "Undo file", class_="quiet", form="undo", name="path",
                value=touched.path, aria_label=f"Undo {touched.path}",
            )  # fmt: skip
        views = None
        if touched.kind == "file" and touched.action != "delete":
            views = tag(
                "span",
                link(address("/file", path=touched.path), "History"),
                link(address("/blame", path=touched.path), "Blame"),
                class_="links",
            )
        return tag(
            "div",
            tag(
                "h2", moved,
                draw_path(touched.path),
                class_="name",
            ),
            [tag("em", badge, class_=touched.action) for badge in badges if badge],
            line_counts(file.added, file.removed) if file.hunks else None,
            views,
            undo,
            class_="file-head",
        )  # fmt: skip

    def _state_of(self, file: FileDiff) -> str:
        """Return a token that identifies the state of a file after the change."""
        step = self.operation.change_set.steps[file.step]
        after = step.after if isinstance(step, Change) else None
        return after.digest[:16] if isinstance(after, FileState) else str(file.touched.action)

    def _count_changes(self, file: FileDiff) -> int:
        """Return how many changes of the session touched a file."""
        paths = {*self._paths(file)}
        made = self.session.operations if self.session else ()
        return sum(1 for operation in made if paths & {*operation.change_set.paths})

    def _mark_of(self, file: FileDiff) -> str:
        """Return a version token of a drawn file: first hunk, gone hunks, notes and buttons."""
        numbers = [hunk.number for hunk in file.hunks if hunk.number]
        gone = ",".join(str(number) for number in numbers if number in self.gone)
        notes = join(each for (step, _, _), each in self.notes.items() if step == file.step)
        return f"{numbers[:1]}{gone}n{crc32(notes.encode()):x}{'u' if self.can_undo else ''}"

    def _paths(self, file: FileDiff) -> Sequence[WorkspacePath]:
        return self.operation.change_set.steps[file.step].paths

    def _binary(self, file: FileDiff) -> Html:
        """Return both versions as pictures where they are pictures, else their sizes."""
        step = self.operation.change_set.steps[file.step]
        cells: list[Html] = []
        assert isinstance(step, Change)
        for side, name, state in (("old", "Before", step.before), ("new", "After", step.after)):
            if not isinstance(state, FileState):
                continue
            image = self.runtime.images.recognise(state.content) if state.content else None
            facts = f"{state.size:,} bytes"
            picture = None
            if image is not None:
                facts = f"{image.width} \u00d7 {image.height}, {facts}"
                where = address(f"{self.base}/image", file=str(file.step), side=side)
                picture = tag("img", data_src=where, alt=f"{name}: {file.touched.path}")
            cells.append(tag("figure", picture, tag("figcaption", f"{name}: {facts}")))
        return tag("div", cells, class_="binary")


_ACTION_NAMES = {"create": "new", "delete": "deleted", "move": "renamed", "replace": "replaced"}


def link_to(operation_id: str) -> Html:
    """Return a link to a change, by an id with or without marks around it."""
    bare = operation_id.strip("+~")
    return tag("span", link(address(f"/change/{bare}"), bare), " ")


def _links(ids: str | None) -> Html | str:
    return join(link_to(each) for each in ids.split(",")[:20]) if ids else ""


def find_later(runtime: Runtime, operation: Operation) -> list[str]:
    """Return the later operations that took a part of this one back."""
    if operation.kind not in UNDOABLE:
        return []
    query = HistoryQuery(since=operation.time, limit=_LATER, steps=0)
    wanted = f"{operation.id}~"
    return [
        each.id
        for each in runtime.history.list(query)
        if each.reverts and wanted in each.reverts.split(",") and not each.reverted_by
    ]


def find_gone(runtime: Runtime, operation: Operation, files: Sequence[FileDiff]) -> frozenset[int]:
    """Return the hunks of which nothing is left to take back."""
    numbers = [hunk.number for file in files for hunk in file.hunks if hunk.number]
    if operation.reverted_by or len(numbers) > _MAX_PLANNED:
        return frozenset()
    found = set()
    for number in numbers:
        try:
            wish = Wish(Direction.UNDO, id=operation.id, hunks=(number,))
            if plan_revert(runtime, wish).change_set.is_empty:
                found.add(number)
        except RedlineError:  # something else is in the way
            continue
    return frozenset(found)
