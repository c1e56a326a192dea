"""apply_patch: a patch over several files, all of it or nothing."""

from __future__ import annotations

from redline.core.paths import WorkspacePath
from redline.plan.patch.parse import parse_patch
from redline.services.commit import Planned
from redline.services.text_edits import plan_checked_patch
from redline.toolsets.agent.answer import (
    access_of,
    carry_out,
    check_unchanged,
    is_dry,
    resolve,
)
from redline.toolsets.agent.errors import quote
from redline.toolsets.call import Call, Result
from redline.toolsets.repeats import cause_of, refuse_repeated
from redline.toolsets.tool import Json


def apply_patch(call: Call) -> Result:
    """Apply a patch envelope or a unified diff."""
    readings = parse_patch(call.arguments["patch"])
    given: Json = call.arguments.get("versions") or {}
    versions = {resolve(call, raw): str(version) for raw, version in given.items()}
    cause = cause_of(call)

    def place(raw: str) -> WorkspacePath:
        return resolve(call, raw, access_of(call), follow=False)

    def plan() -> Planned[None]:
        check_unchanged(
            call,
            versions,
            lambda path, version: quote({"versions": {**given, call.label(path): version}}),
        )
        patch = plan_checked_patch(
            call.runtime, readings, place, None, call.arguments.get("encoding")
        )
        if not is_dry(call):
            refuse_repeated(call, patch.change_set, cause)
        return Planned(patch.change_set, None, patch.notes)

    return carry_out(call, plan, "apply a patch", cause=cause)
