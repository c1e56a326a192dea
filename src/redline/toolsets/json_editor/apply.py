"""json_editor_apply: carry out what a preview showed, nothing else."""

from __future__ import annotations

from typing import Any

from redline.core.errors import CannotApply, InvalidArgument, StaleBase
from redline.core.ports.previews import StoredPreview
from redline.instruct.model.operations import apply_operations
from redline.services.instructions.session import Session, change_id, hash_of, load
from redline.toolsets.call import Call, Result
from redline.toolsets.json_editor.outcome import (
    Chosen,
    describe_outcome,
    fit,
    remember,
    reply,
)
from redline.toolsets.tool import Json


def apply(call: Call) -> Result:
    """The modified document and what was applied to get it."""
    session_id = call.arguments["session_id"]
    stored, session = load(call.runtime.previews, session_id, call.client.principal)
    wanted = _read_wanted(session, call.arguments.get("confirmed_changes"))
    _refuse_other_version(session, call.arguments.get("document_hash"))
    if session.file:
        from redline.toolsets.json_editor.apply_file import apply_to_file

        return apply_to_file(call, session_id, _every(session), wanted)
    return _apply_inline(call, stored, session, wanted)


def _refuse_other_version(session: Session, expected: str | None) -> None:
    """Refuse a document_hash that is none the client can have from this session."""
    known = {session.document_hash}
    known |= {outcome.get("document_hash") for outcome in session.results.values()}
    if expected is not None and expected not in known:
        raise StaleBase(session.file or "document", hint="Preview the current document again")


def _every(session: Session) -> Chosen:
    """Return every operation of the session by its id, those of all readings included."""
    every = {change_id(place): o for place, o in enumerate(session.operations)}
    for name, operations in session.choices().items():
        every |= {f"{name}_{change_id(i)}": o for i, o in enumerate(operations)}
    return every


def _read_wanted(session: Session, confirmed: list[str] | None) -> Chosen:
    """Return the operations asked for by id, in order, each once; or those of one reading."""
    changes = {change_id(place): o for place, o in enumerate(session.operations)}
    if confirmed is None:
        return changes
    choices = session.choices()
    if len(confirmed) == 1 and confirmed[0] in choices:
        name = confirmed[0]
        return {f"{name}_{change_id(i)}": o for i, o in enumerate(choices[name])}
    unknown = [name for name in confirmed if name not in changes]
    if unknown or not confirmed:
        what = f"Unknown change id: {unknown[0]}" if unknown else "confirmed_changes is empty"
        if unknown and unknown[0] in choices:
            what = f"A candidate is applied alone: {unknown[0]}"
        legal = ", ".join([*changes, *choices])
        raise InvalidArgument(
            what,
            field="confirmed_changes",
            hint=f"Legal ids: {legal or 'none, the preview has no changes'}",
        )
    return {name: operation for name, operation in changes.items() if name in set(confirmed)}


def _apply_inline(call: Call, stored: StoredPreview, session: Session, wanted: Chosen) -> Result:
    key = ",".join(wanted)
    if key in session.results:
        return _answer_again(session, session.results[key])
    try:
        document, fitted = fit(
            wanted, lambda part: apply_operations(session.document, list(part.values()))
        )
    except CannotApply as error:
        outcome: Json = {
            "applied_changes": [],
            "message": f"No change could be applied: {error.message}",
            "status": "failed",
        }
        return reply(session.document, session.document_hash, outcome)
    is_dry = call.arguments.get("dry_run") is True
    outcome = describe_outcome(session, fitted, is_dry=is_dry)
    kept = outcome if is_dry else remember(call, stored, key, outcome)
    return reply(document, hash_of(document), kept, again=kept is not outcome)


def _answer_again(session: Session, outcome: Any) -> Result:
    """Return the stored answer with the document that it was about."""
    applied = {change["id"] for change in outcome["applied_changes"]}
    operations = [o for name, o in _every(session).items() if name in applied]
    document = apply_operations(session.document, operations)
    return reply(document, hash_of(document), outcome, again=True)
