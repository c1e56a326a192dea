"""A dry run's answer: the diff a command would make."""

from __future__ import annotations

from redline.core.changes import ABSENT, Change, ChangeSet
from redline.core.paths import WorkspacePath
from redline.plan.describe import diff_of
from redline.toolsets.coding_tools.paths import shown
from redline.toolsets.tool import Json

_MOST = 262_144


def dry_run_fields(change_set: ChangeSet) -> Json:
    """`diff` and `affected_files` of the changes, the diff cut at whole lines."""
    diff = diff_of(change_set, _label)
    cut = len(diff) > _MOST
    if cut:
        diff = diff[: diff.rfind("\n", 0, _MOST) + 1]
    files = [
        {"path": shown(step.path), "operation": _operation(step)}
        for step in change_set.steps
        if isinstance(step, Change)
    ]
    return {"diff": diff, "diff_truncated": cut, "affected_files": files}


def _label(path: WorkspacePath) -> str:
    return shown(path)


def _operation(step: Change) -> str:
    if step.before == ABSENT:
        return "add"
    return "delete" if step.after == ABSENT else "update"
