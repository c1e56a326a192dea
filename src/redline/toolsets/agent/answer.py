"""Answers of this toolset: paths as they are shown, and what a change did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in
from redline.core.errors import InvalidArgument, NotFound
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.core.ports.history import Operation
from redline.plan.describe import list_touched
from redline.search.globs import is_glob, split_base
from redline.services.brief_diff import brief_diff
from redline.services.commit import commit_plan
from redline.services.history.listing import bounded_diff
from redline.toolsets.agent.checking import CallChecks
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json

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
    except NotFound as error:
        if is_glob(raw):
            error.hint = for_globs
        raise


def globs_of(call: Call) -> list[str]:
    """Return the call's globs, which are relative to its path; InvalidArgument for others."""
    globs: list[str] = call.arguments.get("globs") or []
    for glob in globs:
        base, pattern = split_base(glob.removeprefix("!"))
        if base.startswith("/") or ".." in base.split("/"):
            raise InvalidArgument(
                f"A glob is relative to path: {glob}",
                field="globs",
                hint=f'give path: "{base}" and globs: ["{pattern}"]',
            )
    return globs


def number_of(call: Call, name: str, default: int, low: int, high: int) -> int:
    """Return a number of the call; InvalidArgument outside of its range."""
    value = int(call.arguments.get(name, default))
    if not low <= value <= high:
        raise InvalidArgument(f"{name} must be {low} to {high}, got {value}", field=name)
    return value


def edits_of(call: Call) -> Iterator[tuple[str, Json]]:
    """Yield each of the call's edits with its path, its own or the one for all."""
    given = call.arguments
    if not given["edits"]:
        raise InvalidArgument("edits is empty", field="edits", hint="give one edit or more")
    for number, item in enumerate(given["edits"]):
        raw = item.get("path") or given.get("path")
        if not raw:
            raise InvalidArgument(
                f"edits[{number}] has no path", field="edits", hint="give it a path, or one for all"
            )
        yield raw, item


def is_dry(call: Call) -> bool:
    """Whether the call only wants to see the change."""
    return call.arguments.get("dry_run") is True


def access_of(call: Call) -> Access:
    """Return what the files of a change are wanted for."""
    return Access.READ if is_dry(call) else Access.WRITE


def carry_out(
    call: Call,
    plan: Callable[[], ChangeSet],
    summary: str,
    notes: Callable[[], Iterable[str]] = tuple,
    *,
    on_made: Callable[[ChangeSet], None] | None = None,
) -> Result:
    """Commit what *plan* returns and answer what it did; with dry_run only show it.

    A call that asks for checks has them run on each plan. *on_made* gets what was committed.
    """
    checks = CallChecks(call)
    if is_dry(call):
        return _answer(call, checks.apply(plan()), None, [*notes(), *checks.notes], checks)
    operation = commit_plan(
        call.runtime.editor, lambda: checks.apply(plan()), call.origin(summary), call.cancel
    )
    if on_made is not None:
        on_made(operation.change_set)
    said = [*notes(), *checks.notes, *operation.notes]
    return _answer(call, operation.change_set, operation.id, said, checks)


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
    diff = bounded_diff(change_set, label, _MAX_DIFF, configured_in(call.runtime.tree))
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
    return Result.of_text("\n".join(_lines(diff.text, diff.is_cut, made, lines)), structured)


def _lines(diff: str, is_cut: bool, made: str | None, lines: list[str]) -> Iterable[str]:
    brief = brief_diff(diff, 0 if is_cut else _MAX_BRIEF)
    if brief:
        yield show_name(brief)
    yield from map(show_name, lines)
    if not brief:
        yield "nothing to change: it is so already"
    elif made is None:
        yield "dry run: nothing was changed"
    else:
        yield f"change {made}"
