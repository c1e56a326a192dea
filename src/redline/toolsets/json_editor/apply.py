"""json_editor_apply: carry out what a preview showed, nothing else."""

from __future__ import annotations

from typing import Any

from redline.core.changes import Change, ChangeSet, FileState, digest_of
from redline.core.errors import (
    CannotApply,
    DocumentError,
    InvalidArgument,
    IsADirectory,
    NotADirectory,
    NotFound,
    StaleBase,
    TooLarge,
)
from redline.core.paths import Access
from redline.core.ports.previews import StoredPreview
from redline.core.records import replace
from redline.instruct.model.operations import DocumentOperation, apply_operations
from redline.services.instructions.files import plan_file
from redline.services.instructions.inputs import Source, file_source, read_document
from redline.services.instructions.session import Session, change_id, hash_of, load
from redline.toolsets.call import Call, Result
from redline.toolsets.json_editor.outcome import Chosen, describe_outcome, fit, remember, reply
from redline.toolsets.tool import Json

_MAX_ATTEMPTS = 20
_PENDING = "pending:"


class _Overtaken(Exception):
    """The file changed between reading and writing it."""


def apply_to_file(call: Call, session_id: str, every: Chosen, wanted: Chosen) -> Result:
    """Make the *wanted* of all changes true in the file and answer with the document."""
    for _ in range(_MAX_ATTEMPTS):
        stored, session = load(call.runtime.previews, session_id, call.client.principal)
        try:
            return _apply_once(call, stored, session, every, wanted)
        except _Overtaken:
            continue  # perhaps by another call of this session, whose change is in place now
    raise _with_changes(session)


def _apply_once(
    call: Call, stored: StoredPreview, session: Session, every: Chosen, wanted: Chosen
) -> Result:
    is_dry = call.arguments.get("dry_run") is True
    source = _current_version(call, session, Access.READ if is_dry else Access.WRITE)
    in_place = _changes_in_place(session, source.document_hash)
    missing = {name: o for name, o in wanted.items() if name not in in_place}
    key = ",".join(wanted)
    earlier = session.results.get(key)
    if in_place and earlier and earlier["document_hash"] == source.document_hash:
        return reply(source.document, source.document_hash, earlier, again=True)
    if in_place and not missing:
        return _answer_from_parts(session, source, wanted)
    if in_place and session.candidates:
        raise StaleBase(session.file, hint="Another candidate was applied; preview the file again")
    previewed = _previewed_version(call, session, source) if in_place else source

    def plan(part: Chosen) -> bytes:
        together = [o for name, o in every.items() if name in in_place or name in part]
        return _plan(call, previewed, together)

    after, fitted = fit(missing, plan)
    outcome = describe_outcome(session, fitted, is_dry=is_dry)
    outcome["document_hash"] = digest_of(after)
    outcome["in_place"] = [*in_place, *fitted.applied]
    if is_dry:
        foreseen = call.foresee(ChangeSet((_plan_change(call, source, after),)))
        outcome["message"] = "; ".join((outcome["message"], *foreseen))
    else:
        # Written down first: a call that finds the file changed can then tell this very change
        # from another one.
        remember(call, stored, _PENDING + key, outcome, previewed.raw)
        if fitted.applied:
            outcome["operation_id"] = _commit(call, source, after, len(fitted.applied))
        stored, _ = load(call.runtime.previews, stored.id, call.client.principal)
        remember(call, stored, key, outcome)
    document = read_document(call.runtime.confined, after, session.form)
    return reply(document, outcome["document_hash"], outcome)


def _current_version(call: Call, session: Session, access: Access) -> Source:
    """Return the file as it is; StaleBase if it is gone or no longer a document."""
    try:
        return file_source(call.runtime, session.file, access)
    except (NotFound, NotADirectory, IsADirectory, TooLarge, DocumentError):
        raise _with_changes(session) from None


def _changes_in_place(session: Session, digest: str) -> list[str]:
    """Return the ids of the changes that the file has; StaleBase if another program wrote it."""
    if digest == session.document_hash:
        return []
    for outcome in session.results.values():
        if outcome["document_hash"] == digest:
            names: list[str] = outcome["in_place"]
            return names
    raise _with_changes(session)


def _previewed_version(call: Call, session: Session, source: Source) -> Source:
    document = read_document(call.runtime.confined, session.original, session.form)
    return replace(source, document=document, raw=session.original)


def _plan(call: Call, previewed: Source, together: list[DocumentOperation]) -> bytes:
    try:
        return plan_file(call.runtime.confined, previewed, together)
    except DocumentError as error:
        raise CannotApply(error.message) from error


def _answer_from_parts(session: Session, source: Source, wanted: Chosen) -> Result:
    """Answer for changes that the file has from other calls of the session."""
    outcomes = session.results.values()
    made = {change["id"]: change for o in outcomes for change in o["applied_changes"]}
    count = len(wanted)
    outcome: Json = {
        "applied_changes": [made[name] for name in wanted],
        "message": f"Successfully applied {count} change{'' if count == 1 else 's'}",
        "status": "success",
    }
    return reply(source.document, source.document_hash, outcome, again=True)


def _commit(call: Call, source: Source, after: bytes, count: int) -> str:
    change = _plan_change(call, source, after)
    summary = f"{count} change{'' if count == 1 else 's'} by instruction in {source.file}"
    try:
        return call.runtime.editor.commit(ChangeSet((change,)), call.origin(summary)).id
    except StaleBase:
        raise _Overtaken from None


def _plan_change(call: Call, source: Source, after: bytes) -> Change:
    assert source.path is not None
    before = call.runtime.tree.state(source.path)
    if not isinstance(before, FileState) or before.digest != source.document_hash:
        raise _Overtaken
    return Change(source.path, before, FileState.of(after, before.mode))


def _with_changes(session: Session) -> StaleBase:
    return StaleBase(session.file, hint="Preview the file again, it was changed since")


def apply(call: Call) -> Result:
    """The modified document and what was applied to get it."""
    session_id = call.arguments["session_id"]
    stored, session = load(call.runtime.previews, session_id, call.client.principal)
    wanted = _read_wanted(session, call.arguments.get("confirmed_changes"))
    _refuse_other_version(session, call.arguments.get("document_hash"))
    if session.file:
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
