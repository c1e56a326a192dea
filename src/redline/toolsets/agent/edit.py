"""edit: quoted text over several files, all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.core.changes import ABSENT, FileState
from redline.core.errors import AlreadyApplied, NoMatch
from redline.core.paths import WorkspacePath
from redline.core.wording import join_texts
from redline.plan.file_ops import plan_write
from redline.plan.patch.parse import parse_patch
from redline.plan.replace import TextEdit
from redline.search.globs import is_glob
from redline.services.commit import Planned
from redline.services.history.explaining import explain_lost_text
from redline.services.select import encode_content, select_files
from redline.services.text_edits import (
    FileEdits,
    note_broken_content,
    plan_checked_patch,
    plan_many_edits,
)
from redline.toolsets.agent import answer
from redline.toolsets.agent.errors import quote
from redline.toolsets.call import Call, Result, session_of
from redline.toolsets.repeated_edits import cause_of, refuse_repeated
from redline.toolsets.tool import Json


def edit(call: Call) -> Result:
    """Replace quoted text in one or several files."""
    created = _create(call)
    if created is not None:
        return created
    files, versions = _targets(call)
    cause = cause_of(call)
    is_plain = all(e.limit == 1 and not e.is_regex for file in files for e in file.edits)

    def plan() -> Planned[int]:
        answer.check_unchanged(
            call, versions, lambda path, version: _repeat(call, files, path, version)
        )
        try:
            planned = plan_many_edits(call.runtime, files, call.cancel)
        except NoMatch as error:
            _say_where_it_went(call, files, error)
            raise
        if is_plain and not answer.is_dry(call):
            refuse_repeated(call, planned.change_set, cause)
        return planned._replace(notes=(*planned.notes, *_note_without(planned.detail)))

    named = call.label(files[0].path) if len(files) == 1 else f"{len(files)} files"
    return answer.carry_out(call, plan, f"edit {named}", cause=cause)


def _create(call: Call) -> Result | None:
    """Write a file that is not there or empty, of which no text is quoted; otherwise None."""
    (raw, item), *more = answer.edits_of(call)
    asks_more = item.get("regex") or item.get("version") or call.arguments.get("encoding")
    if more or item["old"] or asks_more or is_glob(raw):
        return None
    path = answer.resolve(call, raw, answer.access_of(call))
    state = call.runtime.tree.state(path)
    if state is not ABSENT and not (isinstance(state, FileState) and not state.size):
        return None
    name, data = call.label(path), encode_content(item.get("new", ""))

    def plan() -> Planned[None]:
        notes = note_broken_content(call.runtime, path, data)
        return Planned(plan_write(call.runtime.tree, path, name, data), None, tuple(notes))

    return answer.carry_out(call, plan, f"create {name}")


def _repeat(call: Call, files: Sequence[FileEdits], path: WorkspacePath, version: str) -> str:
    """Return the arguments that name the version of a file now, where the call named it."""
    now, edits = quote({"version": version}), call.arguments["edits"]
    numbers = next((file.numbers for file in files if file.path == path), [])
    return ", ".join(f"edits[{n}]: {now}" for n in numbers if edits[n].get("version")) or now


def _say_where_it_went(call: Call, files: Sequence[FileEdits], error: NoMatch) -> None:
    """Have *error* say what became of the text, where the history knows it."""
    if isinstance(error, AlreadyApplied):
        return
    number, name = error.details.get("edit"), error.details.get("file")
    for file in files:
        if number in file.numbers and call.label(file.path) == name:
            old = file.edits[file.numbers.index(number)].old
            said = explain_lost_text(call.runtime, file.path, old, session_of(call.client))
            if said:
                error.message = join_texts(error.message_text, f"; {said}")


def _note_without(count: int) -> Iterator[str]:
    """Yield a note on the files of a glob that do not hold the text, where there are any."""
    if count:
        said = "1 file of the glob does" if count == 1 else f"{count} files of the glob do"
        yield f"{said} not hold the text"


def _targets(call: Call) -> tuple[list[FileEdits], dict[WorkspacePath, str]]:
    """Return each file with its edits in order, and the versions that are asked for."""
    files: dict[WorkspacePath, FileEdits] = {}
    versions: dict[WorkspacePath, str] = {}
    for number, (raw, item) in enumerate(answer.edits_of(call)):
        version = item.get("version")
        named = not is_glob(raw)
        for path in select_files(call.runtime, raw, answer.access_of(call), call.cancel):
            file = files.setdefault(path, FileEdits(path, encoding=call.arguments.get("encoding")))
            file.edits.append(_edit(item))
            file.numbers.append(number)
            file.by_glob = file.by_glob and not named
            if version:
                versions[path] = version
    return list(files.values()), versions


def _edit(item: Json) -> TextEdit:
    return TextEdit(
        item["old"],
        item.get("new", ""),
        0 if item.get("all") else 1,
        bool(item.get("regex")),
        bool(item.get("ignore_case")),
    )


def apply_patch(call: Call) -> Result:
    """Apply a patch envelope or a unified diff."""
    readings = parse_patch(call.arguments["patch"])
    given: Json = call.arguments.get("versions") or {}
    versions = {answer.resolve(call, raw): str(version) for raw, version in given.items()}
    cause = cause_of(call)

    def place(raw: str) -> WorkspacePath:
        return answer.resolve(call, raw, answer.access_of(call), follow=False)

    def plan() -> Planned[None]:
        answer.check_unchanged(
            call,
            versions,
            lambda path, version: quote({"versions": {**given, call.label(path): version}}),
        )
        patch = plan_checked_patch(
            call.runtime, readings, place, None, call.arguments.get("encoding")
        )
        if not answer.is_dry(call):
            refuse_repeated(call, patch.change_set, cause)
        return Planned(patch.change_set, None, patch.notes)

    return answer.carry_out(call, plan, "apply a patch", cause=cause)
