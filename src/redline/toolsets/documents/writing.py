"""doc_set, doc_insert and doc_delete: one call, one operation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from redline.core.diff import diff_labels, first_of, pieces_of_diff
from redline.core.errors import DocumentError, InvalidArgument
from redline.core.paths import Access
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit
from redline.services.documents.edit import EditedDocuments, edit_documents, plan_edits
from redline.toolsets.call import Call, Result
from redline.toolsets.documents.targets import options_of, targets
from redline.toolsets.tool import Json

_MAX_DIFF = 100_000


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
    """Add a list item or key."""
    return _carry_out(call, [_edit({**call.arguments, "action": "insert"}, 0)])


def doc_delete(call: Call) -> Result:
    """Remove a key or list item."""
    return _carry_out(call, [_edit({**call.arguments, "action": "delete"}, 0)])


def _edit(raw: Json, number: int) -> DocEdit:
    action = raw.get("action", "set")
    if action != "delete" and "value" not in raw:
        raise InvalidArgument(f"edits[{number}] has no value", field="edits")
    as_json = raw.get("value_format") == "json"
    return DocEdit(action, parse_path(raw["path"]), raw.get("value", ""), as_json)


def _carry_out(call: Call, edits: Sequence[DocEdit]) -> Result:
    arguments, runtime = call.arguments, call.runtime
    dry_run = bool(arguments.get("dry_run"))
    places = targets(call, Access.READ if dry_run else Access.WRITE)
    options = options_of(call)
    label = call.label
    try:
        if dry_run:
            done = plan_edits(runtime, places, edits, options, label, call.cancel)
        else:
            summary = f"{edits[0].action} {arguments.get('path', f'{len(edits)} values')}"
            origin = call.origin(summary)
            done = edit_documents(runtime, places, edits, options, label, origin, call.cancel)
    except DocumentError as error:
        error.details.setdefault("file", label(places[0]))
        raise
    foreseen = call.foresee(done.change_set) if dry_run else []
    return _answer(done, foreseen, dry_run=dry_run)


def _answer(done: EditedDocuments, foreseen: Sequence[str], *, dry_run: bool) -> Result:
    files = [file.name for file in done.changed]
    diff, notes = _diff(done), [*_notes(done), *foreseen]
    operation = done.operation.id if done.operation is not None else ""
    structured = {
        "id": operation or None,
        "dry_run": dry_run,
        "files": files,
        "diff": diff,
        "notes": notes,
    }
    lines = [f"note: {note}" for note in notes]
    if not diff:
        lines.append("no change")
    elif operation:
        lines.append(f"changed {', '.join(files[:5])}{' ...' if len(files) > 5 else ''}")
    return Result.of_text("\n".join([*lines, diff]).rstrip("\n"), structured)


def _notes(done: EditedDocuments) -> list[str]:
    several = len(done.files) > 1
    notes = [
        f"{file.name}: {note}" if several else note for file in done.changed for note in file.notes
    ]
    return [*notes, *(done.operation.notes if done.operation is not None else ())]


def _diff(done: EditedDocuments) -> str:
    pieces = (
        pieces_of_diff(file.source, file.after, *diff_labels(file.name), fold=True)
        for file in done.changed
    )
    diff, size = first_of(chain.from_iterable(pieces), _MAX_DIFF)
    if size > _MAX_DIFF:
        diff = f"{diff}\n... cut at {_MAX_DIFF} of {size} characters\n"
    return diff
