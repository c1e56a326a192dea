"""edit and apply_patch: quoted text and patches, over several files, all of it or nothing."""

from __future__ import annotations

from redline.core.changes import ChangeSet
from redline.core.paths import WorkspacePath
from redline.plan.patch.apply import PatchPlan, plan_patch
from redline.plan.patch.parse import parse_patch
from redline.plan.replace import TextEdit
from redline.search.globs import is_glob
from redline.services.many_edits import FileEdits, PlannedEdits, plan_many_edits
from redline.services.select import select_files
from redline.services.versions import check_versions
from redline.toolsets.agent.answer import access_of, carry_out, edits_of, is_dry, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.repeats import cause_of, note_made, refuse_repeated
from redline.toolsets.tool import Json


def edit(call: Call) -> Result:
    """Replace quoted text in one or several files."""
    files, versions = _targets(call)
    cause = cause_of(call)
    is_plain = all(e.limit == 1 and not e.is_regex for file in files for e in file.edits)
    latest = PlannedEdits(ChangeSet())

    def plan() -> ChangeSet:
        nonlocal latest
        latest = plan_many_edits(call.runtime, files, versions, call.cancel)
        if is_plain and not is_dry(call):
            refuse_repeated(call, latest.change_set, cause)
        return latest.change_set

    return carry_out(
        call,
        plan,
        f"edit {call.label(files[0].path) if len(files) == 1 else f'{len(files)} files'}",
        lambda: _notes(latest),
        on_made=lambda made: note_made(call, made, cause),
    )


def _notes(planned: PlannedEdits) -> list[str]:
    if not planned.without:
        return list(planned.notes)
    count = planned.without
    said = "1 file of the glob does" if count == 1 else f"{count} files of the glob do"
    return [*planned.notes, f"{said} not hold the text"]


def _targets(call: Call) -> tuple[list[FileEdits], dict[WorkspacePath, str]]:
    """Return each file with its edits in order, and the versions that are asked for."""
    files: dict[WorkspacePath, FileEdits] = {}
    versions: dict[WorkspacePath, str] = {}
    for number, (raw, item) in enumerate(edits_of(call)):
        version = item.get("version") or (
            None if item.get("path") else call.arguments.get("version")
        )
        named = not is_glob(raw)
        for path in select_files(call.runtime, raw, access_of(call), call.cancel):
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
    versions = {resolve(call, raw): str(version) for raw, version in given.items()}
    cause = cause_of(call)
    latest: PatchPlan | None = None

    def place(raw: str) -> WorkspacePath:
        return resolve(call, raw, access_of(call), follow=False)

    def plan() -> ChangeSet:
        nonlocal latest
        check_versions(call.runtime.tree, versions)
        latest = plan_patch(
            call.runtime.tree, readings, place, None, call.arguments.get("encoding")
        )
        if not is_dry(call):
            refuse_repeated(call, latest.change_set, cause)
        return latest.change_set

    return carry_out(
        call,
        plan,
        "apply a patch",
        lambda: latest.notes if latest else (),
        on_made=lambda made: note_made(call, made, cause),
    )
