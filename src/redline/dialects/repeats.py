"""The very same edit twice in a row: the second one changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping

from redline.core.changes import Change, ChangeSet, FileState, State, digest_of
from redline.core.errors import AlreadyApplied
from redline.core.paths import WorkspacePath
from redline.dialects.tool import Call

_FACT = "The very same edit was made by the call before; nothing was changed"
_HINT = "nothing to do; to make it once more, quote the text as it is now with more around it"


def cause_of(call: Call) -> str:
    """What names this call: its tool and its arguments."""
    return digest_of(json.dumps([call.tool.name, call.arguments], sort_keys=True).encode())


def refuse_repeated(call: Call, change_set: ChangeSet) -> None:
    """Refuse a plan whose files are all as this very call left them."""
    before = _files({step.path: step.before for step in _changes(change_set)})
    made = call.runtime.reads.made
    connection, cause = call.client.connection, cause_of(call)
    if before and all(made(connection, path) == (cause, d) for path, d in before.items()):
        raise AlreadyApplied(_FACT, hint=_HINT, details={"repeated": True, "already_applied": True})


def note_made(call: Call, change_set: ChangeSet) -> None:
    """Remember how this call left each file."""
    after = _files({step.path: step.after for step in _changes(change_set)})
    cause = cause_of(call)
    for path, digest in after.items():
        call.runtime.reads.note_made(call.client.connection, path, (cause, digest))


def _changes(change_set: ChangeSet) -> list[Change]:
    return [step for step in change_set.steps if isinstance(step, Change)]


def _files(states: Mapping[WorkspacePath, State]) -> dict[WorkspacePath, str]:
    return {path: state.digest for path, state in states.items() if isinstance(state, FileState)}
