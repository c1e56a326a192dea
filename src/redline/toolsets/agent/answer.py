"""Answers of this toolset: paths as they are shown, and what a change did."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from redline.core import errors
from redline.core.access.rights import Right
from redline.core.changes import ChangeSet, FileState
from redline.core.encodings.opening import configured_in
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.core.ports.history import Operation
from redline.plan.describe import list_touched
from redline.search.globs import is_glob, split_base
from redline.services.brief_diff import brief_change
from redline.services.code.packages import note_missing_packages
from redline.services.commit import Planned, commit_plan
from redline.services.history.listing import bounded_diff
from redline.services.history.news import explain_stale
from redline.services.versions import check_versions
from redline.toolsets.agent.errors import quote
from redline.toolsets.call import Call, Result
from redline.toolsets.repeated_edits import note_made
from redline.toolsets.tool import Json

_MAX_PROBLEMS = 50


class CallChecks:
    """The checks of one call: none unless it, or the server's setting, asks for them."""

    def __init__(self, call: Call) -> None:
        self._call = call
        takes = "check" in call.tool.input_schema["properties"]
        given = call.arguments.get("check") if takes else False
        self._is_asked = given is True
        self.is_wanted = takes and bool(
            call.runtime.options.get("check") if given is None else given
        )
        self._problems: list[Json] = []
        self._lines: list[str] = []
        self._notes: list[str] = []

    def apply(self, change_set: ChangeSet) -> ChangeSet:
        """Return the change with the formatting that belongs to it."""
        if not self.is_wanted or change_set.is_empty:
            return change_set
        from redline.services.checking import check_change

        self._problems, self._lines, self._notes = [], [], []
        try:
            self._check_right()
            call = self._call
            done = check_change(call.runtime, change_set, call.origin("check"), call.cancel)
        except (errors.RightMissing, errors.SandboxUnavailable) as error:
            if self._is_asked:
                raise type(error)(error.message, hint="leave check out") from None
            self._notes = [f"not checked: {error.message}"]
            return change_set
        self._problems = [each._asdict() for each in done.problems[:_MAX_PROBLEMS]]
        self._lines = [str(each) for each in done.problems[:_MAX_PROBLEMS]]
        self._notes = list(done.notes)
        if len(done.problems) > _MAX_PROBLEMS:
            self._notes.append(f"{len(done.problems)} new problems, the first are listed")
        return done.change_set

    def _check_right(self) -> None:
        """Settings of a project can name code, such as plugins: checks are commands."""
        client = self._call.client
        if Right.RUN not in client.rights:
            raise errors.RightMissing(
                f"{client.principal} does not have the right to run here; refused: check",
            )

    def lines(self) -> Iterator[str]:
        """Yield what the answer says."""
        yield from (f"new problem: {line}" for line in self._lines)

    @property
    def notes(self) -> list[str]:
        """What is worth mentioning."""
        return self._notes

    def wire(self) -> Json:
        """Return the fields of the structured answer; none unless checks were asked for."""
        return {"problems": self._problems} if self.is_wanted else {}


# A longer diff is not in the text; `changes` shows it by the change's id.
_MAX_BRIEF = 1_500
_MAX_DIFF = 65_536
_MAX_FILES = 500


def resolve(
    call: Call,
    raw: str,
    access: Access = Access.READ,
    *,
    follow: bool = True,
    exists: bool = False,
    for_globs: str = "path names one place; find with globs lists what a pattern matches",
) -> WorkspacePath:
    """Return the place that an absolute path, or one relative to the workspace, names.

    *for_globs* is the hint for a pattern in the place of a path.
    """
    workspace = call.runtime.workspace
    try:
        return workspace.resolve(read_name(raw), access, follow=follow, must_exist=exists)
    except errors.NotFound as error:
        if is_glob(raw):
            error.hint = for_globs
        raise


def globs_of(call: Call) -> list[str]:
    """Return the call's globs, which are relative to its path; InvalidArgument for others."""
    globs: list[str] = call.arguments.get("globs") or []
    for glob in globs:
        mark = "!" if glob.startswith("!") else ""
        base, pattern = split_base(glob.removeprefix(mark))
        if base.startswith("/") or ".." in base.split("/"):
            raise errors.InvalidArgument(
                f"A glob must be relative to path: {glob}",
                field="globs",
                hint=f"pass {quote(_from_base(call, base, mark + pattern))}",
            )
    return globs


def _from_base(call: Call, base: str, pattern: str) -> Json:
    """Return the arguments for a glob that begins at *base*, which may lead up from path."""
    path = posixpath.normpath(posixpath.join(call.arguments.get("path") or ".", base))
    return {"path": path, "globs": [pattern]}


def number_of(call: Call, name: str, default: int, low: int, high: int) -> int:
    """Return a number of the call, at most *high*; InvalidArgument below *low*."""
    value = int(call.arguments.get(name, default))
    if value < low:
        raise errors.InvalidArgument(f"{name} must be {low} to {high}, got {value}", field=name)
    if value > high:
        call.notes.append(f"{name} is at most {high}; {value} was taken for that")
    return min(value, high)


def edits_of(call: Call) -> Iterator[tuple[str, Json]]:
    """Yield each of the call's edits with its path, its own or the one for all."""
    given = call.arguments
    if not given["edits"]:
        raise errors.InvalidArgument("edits is empty", field="edits", hint="give one edit or more")
    for number, item in enumerate(given["edits"]):
        raw = item.get("path") or given.get("path")
        if not raw:
            raise errors.InvalidArgument(
                f"edits[{number}] has no path", field="edits", hint="give it a path, or one for all"
            )
        yield raw, item


def check_unchanged(
    call: Call, versions: Mapping[WorkspacePath, str], repeat: Callable[[WorkspacePath, str], str]
) -> None:
    """Refuse a call for files that changed since the version it names; StaleBase says how.

    *repeat* returns the arguments to send the call again with, for a path and its version now.
    """
    tree = call.runtime.tree
    for path, version in versions.items():
        try:
            check_versions(tree, {path: version})
        except errors.StaleBase as error:
            what = explain_stale(call.runtime, path, version, call.client.connection)
            state = tree.state(path)
            error.message += f"; {what}" if what else ""
            again = repeat(path, f"@{state.digest[:8]}") if isinstance(state, FileState) else ""
            if again:
                error.hint = f"if the change still holds, pass {again}"
            raise


def is_dry(call: Call) -> bool:
    """Return whether the call only wants to see the change."""
    return call.arguments.get("dry_run") is True


def access_of(call: Call) -> Access:
    """Return what the files of a change are wanted for."""
    return Access.READ if is_dry(call) else Access.WRITE


def carry_out(
    call: Call,
    plan: Callable[[], Planned[Any]],
    summary: str,
    *,
    cause: str = "",
) -> Result:
    """Commit what *plan* returns and answer what it did; with dry_run only show it.

    A call that asks for checks has them run on each plan. *cause* names a call that must not be
    repeated right away.
    """
    checks = CallChecks(call)

    def plan_checked() -> Planned[Any]:
        planned = plan()
        checked = checks.apply(planned.change_set)
        return planned._replace(change_set=checked, notes=(*planned.notes, *checks.notes))

    plan_whole = plan_checked if checks.is_wanted else plan
    if is_dry(call):
        planned = plan_whole()
        return _answer(call, planned.change_set, None, list(planned.notes), checks)
    made = commit_plan(call.runtime.editor, plan_whole, call.origin(summary), call.cancel)
    operation = made.operation
    note_made(call, operation.change_set, cause)
    return _answer(call, operation.change_set, operation.id, list(made.notes), checks)


def answer_planned(call: Call, change_set: ChangeSet, notes: Iterable[str] = ()) -> Result:
    """Answer a change that was not made."""
    return _answer(call, change_set, None, list(notes))


def answer_committed(call: Call, operation: Operation, notes: Iterable[str] = ()) -> Result:
    """Answer a change that was made, or that there was nothing to change."""
    return _answer(call, operation.change_set, operation.id, [*notes, *operation.notes])


def _answer(
    call: Call,
    change_set: ChangeSet,
    made: str | None,
    notes: list[str],
    checks: CallChecks | None = None,
) -> Result:
    label = call.label
    if made is None:
        notes = [*notes, *call.foresee(change_set)]
    notes = [*notes, *note_missing_packages(call.runtime.tree, change_set, label)]
    configured, started = configured_in(call.runtime.tree), time.monotonic()
    brief = brief_change(change_set, label, _MAX_BRIEF, configured)
    diff = bounded_diff(change_set, label, _MAX_DIFF, configured, started)
    touched = list_touched(change_set, label, _MAX_FILES)
    structured: Json = {
        "id": made or None,
        "dry_run": made is None,
        "files": [place.wire() for place in touched],
        "diff": diff.text,
        "diff_truncated": diff.is_cut,
        "notes": notes,
    }
    lines = [f"note: {note}" for note in notes]
    if checks is not None:
        structured |= checks.wire()
        lines = [*checks.lines(), *lines]
    return Result.of_text("\n".join(_lines(brief, made, lines)), structured)


def _lines(brief: str, made: str | None, lines: list[str]) -> Iterable[str]:
    if brief:
        yield show_name(brief)
    yield from map(show_name, lines)
    if not brief:
        yield "nothing to change: it is so already"
    elif made is None:
        yield "dry run: nothing was changed"
    else:
        yield f"change {made}"


def tell_waiting(call: Call) -> Callable[[str], None]:
    """Return what reports to the client what a call waits for, each time that it changes."""
    said: list[str] = []

    def tell(text: str) -> None:
        if text not in said[-1:]:
            said.append(text)
            call.progress(len(said), None, text)

    return tell
