"""Held changes: list them, look at one, approve it, with an edit or without, or refuse it.

Questions about commands are listed too; `services.questions` answers one.

No tool calls this module: an agent cannot decide about its own changes.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence

from redline.core.changes import Absent, Change, ChangeSet, FileState, Rename
from redline.core.encodings.opening import configured_in, open_file
from redline.core.errors import HeldStale, InvalidArgument, PathError, StaleBase
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.ports.review import Decision, HeldChange, HeldState, PermissionQuestion
from redline.core.records import dataclass, replace
from redline.plan.describe import Touched, diff_of, list_touched
from redline.services.names import display_name
from redline.services.questions import check_decision
from redline.services.runtime import Runtime

_MAX_NAMED = 5
_STALE_HINT = "refuse it and let the agent make the change again"


@dataclass(frozen=True, slots=True)
class HeldFile:
    """One place of a held change; `text` is what the file would hold, None if that is no text."""

    touched: Touched
    diff: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class HeldView:
    """A held change for a person to look at; `stale` names files it no longer fits."""

    change: HeldChange
    state: HeldState
    files: tuple[HeldFile, ...]
    stale: tuple[str, ...] = ()


def list_held(runtime: Runtime, *, decided: bool = False) -> Sequence[HeldChange]:
    """Return the changes that wait, oldest first; with *decided* also those that do not any more.

    Contents are not loaded.
    """
    now = time.time()
    found = [
        held for held in runtime.held.list() if decided or held.state(now) is HeldState.WAITING
    ]
    return sorted(found, key=lambda held: held.time)


def list_questions(runtime: Runtime, *, decided: bool = False) -> Sequence[PermissionQuestion]:
    """Return the questions that wait, oldest first; with *decided* all that are kept."""
    now = time.time()
    found = [
        each for each in runtime.questions.list() if decided or each.state(now) is HeldState.WAITING
    ]
    return found[::-1]


def show_held(runtime: Runtime, held_id: str) -> HeldView:
    """Return one held change with its diffs; the start of an id is enough. UnknownHeld."""
    held = runtime.held.get(held_id)
    state = held.state(time.time())
    files = tuple(_file(runtime, step) for step in held.change_set.steps)
    stale = _misfits(runtime, held.change_set) if state is HeldState.WAITING else ()
    return HeldView(held, state, files, tuple(stale))


def fingerprint(change_set: ChangeSet) -> str:
    """Return a digest of everything that a held change would do."""
    facts = "\0".join(repr(step) for step in change_set.steps)
    return hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()


def approve_held(
    runtime: Runtime,
    held_id: str,
    by: str,
    edited: Mapping[str, str | bytes] | None = None,
    shown: str | None = None,
) -> Operation:
    """Carry a held change out, all of it or nothing, and write down that *by* approved it.

    *edited* maps names as `show_held` gives them to contents that replace what the agent wanted
    for these files. *shown* is the fingerprint of what the person saw. HeldStale when it is that
    of another change, or when a file is no longer what the change was planned from,
    HeldDecided when it was decided before or has expired, UnknownHeld.
    """
    check_decision(by)
    with runtime.held.deciding(held_id) as held:
        if shown is not None and shown != fingerprint(held.change_set):
            raise HeldStale(
                f"What was shown is not what is held as {held.id}", hint="look at it again"
            )
        change_set = _with_edits(runtime, held.change_set, edited or {})
        stale = _misfits(runtime, change_set)
        if stale:
            raise _stale(held, stale)
        # Written down first: an approval that is not in the journal is not given.
        runtime.editor.note_grant(_origin(runtime, held, by, "approved", ""))
        try:
            operation = runtime.editor.commit_approved(replace(held, change_set=change_set), by)
        except (StaleBase, PathError) as error:
            raise _stale(held, [error.message]) from None
        decision = Decision(
            HeldState.APPROVED, by, time.time(), "", operation.id, is_edited=bool(edited)
        )
        runtime.held.decide(held.id, decision)
    return operation


def refuse_held(runtime: Runtime, held_id: str, by: str, reason: str = "") -> HeldChange:
    """Refuse a held change; the agent gets *reason*. HeldDecided, UnknownHeld."""
    check_decision(by, reason)
    with runtime.held.deciding(held_id) as held:
        runtime.editor.note_grant(_origin(runtime, held, by, "refused", reason))
        return runtime.held.decide(held.id, Decision(HeldState.REFUSED, by, time.time(), reason))


def _origin(runtime: Runtime, held: HeldChange, by: str, what: str, reason: str) -> Origin:
    paths = held.change_set.paths
    names = ", ".join(display_name(runtime.workspace, path) for path in paths[:_MAX_NAMED])
    more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
    because = f": {reason}" if reason else ""
    return Origin("held", "review", by, f"{what} {held.id} ({names}{more}){because}")


def _file(runtime: Runtime, step: Change | Rename) -> HeldFile:
    def label(path: WorkspacePath) -> str:
        return display_name(runtime.workspace, path)

    alone = ChangeSet((step,))
    (touched,) = list_touched(alone, label)
    return HeldFile(
        touched, diff_of(alone, label, configured_in(runtime.tree)), _text_after(runtime, step)
    )


def _text_after(runtime: Runtime, step: Change | Rename) -> str | None:
    if isinstance(step, Rename) or not isinstance(step.after, FileState):
        return None
    if step.after.content is None:
        return None
    file = open_file(runtime.tree, step.path, step.after.content)
    return file.text if file.is_foreign or file.is_utf8 else None


def _with_edits(
    runtime: Runtime, change_set: ChangeSet, edited: Mapping[str, str | bytes]
) -> ChangeSet:
    """Return the change set with other contents for the files that a person edited."""
    left = dict(edited)
    steps: list[Change | Rename] = []
    for step in change_set.steps:
        if isinstance(step, Change) and isinstance(step.after, FileState):
            content = left.pop(display_name(runtime.workspace, step.path), None)
            if content is not None:
                step = replace(step, after=_edited_state(runtime, step, content))
        steps.append(step)
    if left:
        raise InvalidArgument(
            f"The held change gives this file no content: {next(iter(left))}", field="edited"
        )
    return ChangeSet(tuple(steps))


def _edited_state(runtime: Runtime, step: Change, content: str | bytes) -> FileState:
    assert isinstance(step.after, FileState)
    if isinstance(content, str):
        file = open_file(runtime.tree, step.path, step.after.content or b"")
        content = file.with_text(content)
    return FileState.of(content, step.after.mode)


def _misfits(runtime: Runtime, change_set: ChangeSet) -> list[str]:
    """Return the places that are no longer what *change_set* starts from."""
    seen: set[WorkspacePath] = set()
    found: list[str] = []
    for step in change_set.steps:
        # What an earlier step makes or moves is not there yet.
        if not any(end.is_beneath(other) for end in step.paths for other in seen) and not _fits(
            runtime, step
        ):
            found.append(display_name(runtime.workspace, step.paths[0]))
        seen.update(step.paths)
    return found


def _fits(runtime: Runtime, step: Change | Rename) -> bool:
    try:
        if isinstance(step, Rename):
            now, target = runtime.tree.state(step.source), runtime.tree.state(step.target)
            return not isinstance(now, Absent) and isinstance(target, Absent)
        now = runtime.tree.state(step.path)
    except PathError:
        return False
    if isinstance(now, FileState) and isinstance(step.before, FileState):
        return now.digest == step.before.digest
    return type(now) is type(step.before)


def _stale(held: HeldChange, paths: Sequence[str]) -> HeldStale:
    return HeldStale(
        f"The held change is stale, these files have changed since: {', '.join(paths)}",
        hint=_STALE_HINT,
        details={"held_id": held.id, "paths": list(paths)},
    )
