"""doc_set, doc_insert and doc_delete: one call, one operation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from redline.core.changes import ChangeSet, FileState
from redline.core.diff import first_of, pieces_of_diff
from redline.core.errors import DocumentError, InvalidArgument, IsADirectory, NotFound, StaleBase
from redline.core.paths import Access, WorkspacePath
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit, Options, change_of
from redline.documents.isolated import apply_edits
from redline.toolsets.documents.targets import shown, targets
from redline.toolsets.tool import Call, Json, Result

# Somebody else may change a file between reading and writing; the edits are then planned again on
# what they left, so that parallel edits of one file are all kept.
_TRIES = 50
_MOST_DIFF = 100_000


def doc_set(call: Call) -> Result:
    """Replace values, or carry out several edits."""
    arguments = call.arguments
    single: Json = {
        key: arguments[key] for key in ("path", "value", "value_format") if key in arguments
    }
    listed: list[Json] = arguments.get("edits", [])
    if listed and single:
        raise InvalidArgument("Give either path and value or edits, not both", field="edits")
    if not listed and not {"path", "value"} <= set(single):
        raise InvalidArgument("path and value are needed (or edits)", field="path")
    edits = [_edit(raw, number) for number, raw in enumerate(listed)] or [_edit(single, 0)]
    return _carry_out(call, edits)


def doc_insert(call: Call) -> Result:
    """A new list item or key."""
    return _carry_out(call, [_edit({**call.arguments, "action": "insert"}, 0)])


def doc_delete(call: Call) -> Result:
    """Without a key or list item."""
    return _carry_out(call, [_edit({**call.arguments, "action": "delete"}, 0)])


def _edit(raw: Json, number: int) -> DocEdit:
    action = raw.get("action", "set")
    if action != "delete" and "value" not in raw:
        raise InvalidArgument(f"edits[{number}] has no value", field="edits")
    as_json = raw.get("value_format") == "json"
    return DocEdit(action, parse_path(raw["path"]), raw.get("value", ""), as_json)


def _carry_out(call: Call, edits: Sequence[DocEdit]) -> Result:
    dry_run = bool(call.arguments.get("dry_run"))
    places = targets(call, Access.READ if dry_run else Access.WRITE)
    summary = f"{edits[0].action} {call.arguments.get('path', f'{len(edits)} values')}"
    for attempt in range(_TRIES):
        changes, diff, notes = _plan(call, places, edits)
        if dry_run:
            return _answer(call, None, changes, diff, notes)
        try:
            operation = call.runtime.editor.commit(changes, call.origin(summary))
        except StaleBase:
            if attempt == _TRIES - 1:
                raise
            call.cancel.check()
            continue
        break
    return _answer(call, operation.id, changes, diff, [*notes, *operation.notes])


def _plan(
    call: Call, places: Sequence[WorkspacePath], edits: Sequence[DocEdit]
) -> tuple[ChangeSet, str, list[str]]:
    arguments = call.arguments
    options = Options(
        arguments.get("format"),
        arguments.get("doc_index", 0),
        create_parents=bool(arguments.get("create_parents")),
    )
    changes, diffs, notes = ChangeSet(), [], []
    for place in places:
        call.cancel.check()
        before = _state(call, place)
        name = shown(call, place)
        try:
            done = apply_edits(call.runtime.confined, name, before.content or b"", edits, options)
        except DocumentError as error:
            error.details.setdefault("file", name)
            if len(places) > 1:
                error.message = f"{error.message} (in {name}; nothing was changed)"
            raise
        if done.after == before.content:
            continue
        changes += change_of(place, before, done.after)
        diffs.append(pieces_of_diff(before.content or b"", done.after, name, name))
        notes += [f"{name}: {note}" if len(places) > 1 else note for note in done.notes]
    diff, size = first_of(chain.from_iterable(diffs), _MOST_DIFF)
    if size > _MOST_DIFF:
        diff = f"{diff}\n... cut at {_MOST_DIFF} of {size} characters\n"
    return changes, diff, notes


def _state(call: Call, place: WorkspacePath) -> FileState:
    state = call.runtime.tree.state(place)
    if isinstance(state, FileState):
        return state
    name = shown(call, place)
    raise NotFound(name) if call.runtime.tree.stat(place) is None else IsADirectory(name)


def _answer(
    call: Call, operation: str | None, changes: ChangeSet, diff: str, notes: Sequence[str]
) -> Result:
    files = [shown(call, place) for place in changes.paths]
    structured = {
        "id": operation or None,
        "dry_run": bool(call.arguments.get("dry_run")),
        "files": files,
        "diff": diff,
        "notes": list(notes),
    }
    lines = [f"note: {note}" for note in notes]
    if not diff:
        lines.append("no change")
    elif operation:
        lines.append(f"changed {', '.join(files[:5])}{' ...' if len(files) > 5 else ''}")
    return Result.of_text("\n".join([*lines, diff]).rstrip("\n"), structured)
