"""What a dry run answers: the change in words and as a diff."""

from __future__ import annotations

from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in
from redline.plan.describe import pieces_of
from redline.toolsets.call import Call
from redline.toolsets.files.answer import add_notes, clean, shown

# Enough of a diff to judge it by.
_MAX_DIFF = 262_144


def dry_run_text(call: Call, change_set: ChangeSet, summary: str) -> str:
    """Describe *change_set*, which was not made, with its diff."""
    if change_set.is_empty:
        return f"Dry run, nothing was changed. Would {summary}: no changes"
    lines, size = [f"Dry run, nothing was changed. Would {summary}:\n"], 0
    configured = configured_in(call.runtime.tree)
    for piece in pieces_of(change_set, lambda path: shown(call, path), configured):
        size += len(piece)
        if size > _MAX_DIFF:
            lines.append("[diff truncated]\n")
            break
        lines.append(piece)
    return add_notes(clean("".join(lines)).rstrip("\n"), call.foresee(change_set))
