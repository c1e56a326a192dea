"""apply_patch: one envelope, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.plan.patch.apply import Affected, PatchPlan
from redline.plan.patch.parse import parse_patch
from redline.services.commit import Committed, Planned, commit_plan
from redline.services.text_edits import plan_checked_patch
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import diff_of_states, shown, success, writable
from redline.toolsets.repeated_edits import cause_of, note_made, refuse_repeated
from redline.toolsets.tool import Json

_MAX_DIFF = 256 << 10


def apply_patch(call: Call) -> Result:
    """Plan the patch, and unless it is a dry run, make it real."""
    arguments = call.arguments
    readings = parse_patch(arguments["patch"])
    expected = _read_expected(arguments.get("expected", {}))
    encoding = arguments.get("encoding")

    def resolve(raw: str) -> WorkspacePath:
        return writable(call, raw)

    def plan() -> PatchPlan:
        return plan_checked_patch(call.runtime, readings, resolve, expected, encoding)

    if arguments.get("dry_run", False):
        proposed = plan()
        fields = _fields(proposed, dry_run=True)
        fields["warnings"] += call.foresee(proposed.change_set)
        return success({**fields, "diff": _diff(proposed, encoding)})
    made = _commit(call, plan)
    fields = _fields(made.detail, dry_run=False)
    fields["id"] = made.operation.id
    fields["warnings"] += made.operation.notes
    return success(fields)


def _commit(call: Call, plan: Callable[[], PatchPlan]) -> Committed[PatchPlan]:
    cause = cause_of(call)

    def plan_once() -> Planned[PatchPlan]:
        patch = plan()
        refuse_repeated(call, patch.change_set, cause)
        return Planned(patch.change_set, patch)

    first = plan_once()
    origin = call.origin(_summary(first.detail))
    made = commit_plan(call.runtime.editor, plan_once, origin, call.cancel, planned=first)
    note_made(call, made.plan.change_set, cause)
    return made


def _summary(plan: PatchPlan) -> str:
    return "\n".join(affected.summary for affected in plan.affected)


def _fields(plan: PatchPlan, *, dry_run: bool) -> Json:
    return {
        "dry_run": dry_run,
        "clean": True,
        "summary": _summary(plan),
        "affected_files": [_affected_json(each) for each in plan.affected],
        "warnings": list(plan.notes),
    }


def _read_expected(given: Mapping[str, Any]) -> dict[str, str]:
    """Return paths with the SHA-256 they must have, which may be a `version` of read_file."""
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


def _affected_json(affected: Affected) -> Json:
    fields: Json = {"path": shown(affected.path), "operation": affected.operation}
    if affected.old_path is not None:
        fields["old_path"] = shown(affected.old_path)
    return fields


def _diff(plan: PatchPlan, encoding: str | None) -> str:
    pieces: list[str] = []
    size = 0
    for path, (before, after) in plan.states.items():
        piece = diff_of_states(shown(path), before, after, encoding)
        size += len(piece)
        if size > _MAX_DIFF:
            pieces.append(f"... more, not shown: {shown(path)} and what follows\n")
            break
        pieces.append(piece)
    return "".join(pieces)
