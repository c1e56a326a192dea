"""apply_patch: one envelope, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.core.changes import FileState, State
from redline.core.diff import diff_of_files
from redline.core.errors import InvalidArgument
from redline.core.paths import Access, WorkspacePath
from redline.plan.patch.apply import Affected, PatchPlan, plan_patch
from redline.plan.patch.envelope import parse_patch
from redline.toolsets.coding_tools.answer import success
from redline.toolsets.coding_tools.paths import shown, spelled
from redline.toolsets.repeats import cause_of, note_made, refuse_repeated
from redline.toolsets.tool import Call, Json, Result

_LARGEST_DIFF = 256 << 10


def apply_patch(call: Call) -> Result:
    """Plan the patch, and unless it is a dry run, make it real."""
    arguments = call.arguments
    dry_run = arguments.get("dry_run", False)
    operations = parse_patch(arguments["patch"])

    def resolve(raw: str) -> WorkspacePath:
        return call.runtime.workspace.resolve(
            spelled(raw), Access.WRITE, relative_only=True, follow=False
        )

    plan = plan_patch(
        call.runtime.tree, operations, resolve, _expected(arguments.get("expected", {}))
    )
    summary = "\n".join(affected.summary for affected in plan.affected)
    fields: Json = {
        "dry_run": dry_run,
        "clean": True,
        "summary": summary,
        "affected_files": [_affected(each) for each in plan.affected],
        "warnings": list(plan.notes),
    }
    if dry_run:
        fields["diff"] = _diff(plan)
    else:
        cause = cause_of(call)
        refuse_repeated(call, plan.change_set, cause)
        operation = call.runtime.editor.commit(plan.change_set, call.origin(summary))
        note_made(call, plan.change_set, cause)
        fields["id"] = operation.id
        fields["warnings"] += operation.notes
    return success(fields)


def _expected(given: Mapping[str, Any]) -> dict[str, str]:
    """Paths with the SHA-256 they must have; a `version` of read_file serves as well."""
    expected: dict[str, str] = {}
    for path, version in given.items():
        digest = version.get("sha256") if isinstance(version, Mapping) else version
        if not isinstance(digest, str):
            raise InvalidArgument(
                f"expected needs the sha256 of a version, for {path}",
                field="expected",
                hint="pass the version that read_file answered",
            )
        expected[path] = digest
    return expected


def _affected(affected: Affected) -> Json:
    fields: Json = {"path": shown(affected.path), "operation": affected.operation}
    if affected.old_path is not None:
        fields["old_path"] = shown(affected.old_path)
    return fields


def _diff(plan: PatchPlan) -> str:
    pieces: list[str] = []
    size = 0
    for path, (before, after) in plan.states.items():
        piece = _file_diff(shown(path), before, after)
        size += len(piece)
        if size > _LARGEST_DIFF:
            pieces.append(f"... more, not shown: {shown(path)} and what follows\n")
            break
        pieces.append(piece)
    return "".join(pieces)


def _file_diff(name: str, before: State, after: State) -> str:
    old, new = _content(before), _content(after)
    return diff_of_files(
        old or b"",
        new or b"",
        "/dev/null" if old is None else f"a/{name}",
        "/dev/null" if new is None else f"b/{name}",
    )


def _content(state: State) -> bytes | None:
    return state.content or b"" if isinstance(state, FileState) else None
