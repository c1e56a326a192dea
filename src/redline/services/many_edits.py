"""Edits of several files by quotation, planned as one change: all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from redline.core.changes import Change, ChangeSet, Rename
from redline.core.errors import NoMatch, RedlineError, UnclearIndentation
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field, replace
from redline.core.wording import join_texts
from redline.plan.match.hanging import repair_hint
from redline.plan.replace import TextEdit
from redline.services.commit import Planned
from redline.services.names import display_name
from redline.services.runtime import Runtime
from redline.services.text_edits import plan_text_edits

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel


@dataclass(slots=True)
class FileEdits:
    """The edits of one file; `numbers` are their places in the call.

    `by_glob` says that only a glob named the file: it need not hold the text.
    """

    path: WorkspacePath
    edits: list[TextEdit] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    by_glob: bool = True
    encoding: str | None = None


def plan_many_edits(runtime: Runtime, files: Sequence[FileEdits], cancel: Cancel) -> Planned[int]:
    """Plan the edits of every file; the detail is how many files of globs lack the text.

    The first failure is raised and names its file. Edits whose indentation is unclear are refused
    together, each with the edit that works.
    """
    steps: list[Change | Rename] = []
    notes: list[str] = []
    missed: list[RedlineError] = []
    doubts: list[UnclearIndentation] = []
    is_alone = len({number for file in files for number in file.numbers}) == 1
    for file in files:
        cancel.check()
        name = display_name(runtime.workspace, file.path)
        edits = [
            replace(edit, number=number)
            for edit, number in zip(file.edits, file.numbers, strict=True)
        ]
        try:
            planned = plan_text_edits(runtime, file.path, name, edits, file.encoding)
        except RedlineError as error:
            if file.by_glob and isinstance(error, NoMatch):
                missed.append(error)
                continue
            named = _name_file(error, name, file, is_alone, len(files) == 1)
            if not isinstance(named, UnclearIndentation) or not named.repairs:
                raise (doubts[0] if doubts else named) from None
            doubts.append(named)
            continue
        steps += planned.change_set.steps
        notes += [f"{name}: {note}" for note in planned.notes]
    if len(doubts) > 1:
        calls = {number: call for doubt in doubts for number, call in doubt.repairs.items()}
        doubts[0].hint = repair_hint(calls)
    if doubts:
        raise doubts[0]
    if missed and len(missed) == len(files):
        raise missed[0]
    return Planned(ChangeSet(tuple(steps)), len(missed), tuple(notes))


def _name_file(
    error: RedlineError, name: str, file: FileEdits, is_alone: bool, is_one_file: bool
) -> RedlineError:
    """Return *error* with its file, and the number of its edit in the whole call.

    *is_alone* says that the call has no other edit.
    """
    number = error.details.get("edit")
    if isinstance(number, int) and number < len(file.numbers):
        error.details["edit"] = file.numbers[number]
        if not is_alone:
            error.message = join_texts(f"edits[{file.numbers[number]}]: ", error.message_text)
    if isinstance(error, UnclearIndentation) and file.numbers != list(range(len(file.numbers))):
        error.repairs = {file.numbers[n]: call for n, call in error.repairs.items()}
        error.hint = repair_hint(error.repairs)
    error.details.setdefault("file", name)
    if not is_one_file:
        error.message = join_texts(f"{name}: ", error.message_text, " (no file was changed)")
    return error
