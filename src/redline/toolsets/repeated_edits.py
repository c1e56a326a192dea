"""The very same edit twice in a row: the second one changes nothing."""

from __future__ import annotations

import json

from redline.core.changes import Change, ChangeSet, FileState, State, digest_of
from redline.core.errors import AlreadyApplied
from redline.core.paths import WorkspacePath
from redline.toolsets.call import Call

_FACT = "The very same edit was made by the call before; nothing was changed"
_HINT = "nothing to do; to make it once more, quote the text as it is now with more around it"


def cause_of(call: Call) -> str:
    """Return a digest that identifies a call by its tool and arguments."""
    named = json.dumps([call.tool.name, call.arguments], sort_keys=True)
    return digest_of(named.encode())


def refuse_repeated(call: Call, change_set: ChangeSet, cause: str) -> None:
    """Refuse a plan if every file is still as an identical earlier call left it."""
    made, connection = call.runtime.reads.last_change, call.client.connection
    before: dict[WorkspacePath, State] = {}
    for step in change_set.steps:
        if isinstance(step, Change):
            before.setdefault(step.path, step.before)
    left = [
        made(connection, path) == (cause, state.digest)
        for path, state in before.items()
        if isinstance(state, FileState)
    ]
    if left and all(left):
        raise AlreadyApplied(_FACT, hint=_HINT, details={"repeated": True, "already_applied": True})


def note_made(call: Call, change_set: ChangeSet, cause: str) -> None:
    """Remember how this call left each file."""
    for step in change_set.steps:
        if isinstance(step, Change) and isinstance(step.after, FileState):
            made = cause, step.after.digest
            call.runtime.reads.note_change(call.client.connection, step.path, made)
