"""json_editor_preview shows what an instruction would change; json_editor_apply does just that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from redline.core import errors
from redline.core.changes import Change, ChangeSet, FileState, digest_of
from redline.core.errors import DocumentError, InvalidArgument
from redline.core.paths import Access
from redline.core.ports.previews import StoredPreview
from redline.core.records import replace
from redline.instruct.model.operations import DocumentOperation, apply_operations
from redline.instruct.model.values import Value, dumps, to_plain
from redline.services.instructions import (
    MAX_SHOWN,
    Session,
    Source,
    candidate_json,
    change_id,
    change_json,
    check_depth,
    check_size,
    file_source,
    hash_of,
    is_exact,
    load,
    plan_file,
    propose_with,
    read_document,
    shown,
    store,
)
from redline.toolsets.call import Call, Result
from redline.toolsets.exact_arguments import exact_argument
from redline.toolsets.json_editor.errors import now
from redline.toolsets.tool import Json

_MAX_ATTEMPTS = 20
_PENDING = "pending:"


class _Overtaken(Exception):
    """The file changed between reading and writing it."""


def apply_to_file(call: Call, session_id: str, every: Chosen, wanted: Chosen) -> Result:
    """Write the *wanted* changes to the session's file and return the resulting document.

    *every* has all changes of the session: what other calls applied stays applied.
    """
    for _ in range(_MAX_ATTEMPTS):
        stored, session = load(call.runtime.previews, session_id, call.client.principal)
        try:
            return _apply_once(call, stored, session, every, wanted)
        except _Overtaken:
            continue  # the writer may be another call of this session; its change is kept
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
        raise errors.StaleBase(
            session.file, hint="Another candidate was applied; preview the file again"
        )
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
        # Stored before the commit: a call that finds the file changed can then recognize this
        # change as the session's own.
        remember(call, stored, _PENDING + key, outcome, previewed.raw)
        if fitted.applied:
            outcome["operation_id"] = _commit(call, source, after, len(fitted.applied))
        stored, _ = load(call.runtime.previews, stored.id, call.client.principal)
        remember(call, stored, key, outcome)
    document = read_document(call.runtime.confined, after, session.form)
    return reply(document, outcome["document_hash"], outcome)


def _current_version(call: Call, session: Session, access: Access) -> Source:
    """Return the file's present content; StaleBase if it is gone or no longer a document."""
    try:
        return file_source(call.runtime, session.file, access)
    except (
        errors.NotFound,
        errors.NotADirectory,
        errors.IsADirectory,
        errors.TooLarge,
        errors.DocumentError,
    ):
        raise _with_changes(session) from None


def _changes_in_place(session: Session, digest: str) -> list[str]:
    """Return the ids of the changes that the file contains.

    Raises StaleBase if the content is neither the previewed one nor the result of an apply.
    """
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
    except errors.DocumentError as error:
        raise errors.CannotApply(error.message) from error


def _answer_from_parts(session: Session, source: Source, wanted: Chosen) -> Result:
    """Return the answer for changes that other calls of the session have applied already."""
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
    except errors.StaleBase:
        raise _Overtaken from None


def _plan_change(call: Call, source: Source, after: bytes) -> Change:
    assert source.path is not None
    before = call.runtime.tree.state(source.path)
    if not isinstance(before, FileState) or before.digest != source.document_hash:
        raise _Overtaken
    return Change(source.path, before, FileState.of(after, before.mode))


def _with_changes(session: Session) -> errors.StaleBase:
    return errors.StaleBase(session.file, hint="Preview the file again: it has changed since")


def apply(call: Call) -> Result:
    """Handle json_editor_apply: return the modified document and the changes that were applied."""
    session_id = call.arguments["session_id"]
    stored, session = load(call.runtime.previews, session_id, call.client.principal)
    wanted = _read_wanted(session, call.arguments.get("confirmed_changes"))
    _refuse_other_version(session, call.arguments.get("document_hash"))
    if session.file:
        return apply_to_file(call, session_id, _every(session), wanted)
    return _apply_inline(call, stored, session, wanted)


def _refuse_other_version(session: Session, expected: str | None) -> None:
    """Raise StaleBase for a document_hash that no answer of this session has contained."""
    known = {session.document_hash}
    known |= {outcome.get("document_hash") for outcome in session.results.values()}
    if expected is not None and expected not in known:
        raise errors.StaleBase(
            session.file or "document", hint="Preview the current document again"
        )


def _every(session: Session) -> Chosen:
    """Return every operation of the session by its id, including those of every candidate."""
    every = {change_id(place): o for place, o in enumerate(session.operations)}
    for name, operations in session.choices().items():
        every |= {f"{name}_{change_id(i)}": o for i, o in enumerate(operations)}
    return every


def _read_wanted(session: Session, confirmed: list[str] | None) -> Chosen:
    """Return the confirmed operations by id, in the preview's order, or those of one candidate."""
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
        raise errors.InvalidArgument(
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
    except errors.CannotApply as error:
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
    """Return the stored answer with the document that it describes."""
    applied = {change["id"] for change in outcome["applied_changes"]}
    operations = [o for name, o in _every(session).items() if name in applied]
    document = apply_operations(session.document, operations)
    return reply(document, hash_of(document), outcome, again=True)


Chosen = dict[str, DocumentOperation]
T = TypeVar("T")
_MAX_STORE_ATTEMPTS = 20
# A longer list of changes is applied as a whole or not at all.
MAX_PARTIAL = 200


class ApplicableChanges(NamedTuple):
    """The operations that can be applied together, and why the others cannot."""

    applied: Chosen
    failed: dict[str, str]


def fit(wanted: Chosen, plan: Callable[[Chosen], T]) -> tuple[T, ApplicableChanges]:
    """Plan all of *wanted*, or else as many of them as can be planned together.

    Raises CannotApply, with the reason why the whole failed, when none can be planned.
    """
    try:
        return plan(wanted), ApplicableChanges(wanted, {})
    except errors.CannotApply as error:
        whole = error
    if len(wanted) > MAX_PARTIAL:
        raise whole
    failed = dict.fromkeys(wanted, whole.message)
    # A change that fails alone may succeed after another, so retry the rest until none is added.
    while added := _first_that_fits(wanted, failed, plan):
        del failed[added]
    if len(failed) == len(wanted):
        raise whole
    applied = {name: o for name, o in wanted.items() if name not in failed}
    return plan(applied), ApplicableChanges(applied, failed)


def _first_that_fits(
    wanted: Chosen, failed: dict[str, str], plan: Callable[[Chosen], T]
) -> str | None:
    """Return the first of *failed* that can be planned together with all others that succeed."""
    for added in failed:
        try:
            plan({name: o for name, o in wanted.items() if name not in failed or name == added})
        except errors.CannotApply as error:
            failed[added] = error.message
        else:
            return added
    return None


def describe_outcome(session: Session, fitted: ApplicableChanges, *, is_dry: bool) -> Json:
    """Return the answer without the document: the changes, a message and a status."""
    applied, failed = fitted
    count = f"{len(applied)} change{'' if len(applied) == 1 else 's'}"
    if session.status == "ambiguous" and not applied:
        status, message = "failed", "Nothing to apply: the instruction was ambiguous"
        if session.candidates:
            message += ", choose one of its candidates"
    elif not applied:
        status, message = "success", "No changes to apply"
    else:
        status = "partial_success" if failed else "success"
        message = f"Successfully applied {count}"
        if is_dry:
            message = f"Dry run, nothing was written: would apply {count}"
        if failed:
            reasons = "; ".join(f"{name} ({why})" for name, why in failed.items())
            message += f", could not apply {reasons}"
    time = now()
    return {
        "applied_changes": [_describe_applied(name, o, time) for name, o in applied.items()],
        "message": message,
        "status": status,
    }


def _describe_applied(name: str, operation: DocumentOperation, time: str) -> Json:
    body: Json = {
        "id": name,
        "path": list(operation.path),
        "old_value": shown(operation.old),
        "new_value": shown(operation.value),
        "applied_at": time,
        "op": operation.op,
    }
    if operation.new_path is not None:
        body["new_path"] = list(operation.new_path)
    return body


def remember(
    call: Call, stored: StoredPreview, key: str, outcome: Json, original: bytes = b""
) -> Json:
    """Store *outcome* and return it; if another call stored the same result first, return that."""
    session = Session.decode(stored.payload)
    for _ in range(_MAX_STORE_ATTEMPTS):
        new = session.with_result(key, outcome, original)
        changed = StoredPreview(stored.id, stored.principal, new.encode(), stored.expires_at)
        if call.runtime.previews.replace(stored, changed):
            break
        stored, session = load(call.runtime.previews, stored.id, call.client.principal)
        first: Json | None = session.results.get(key)
        if first is not None and first.get("document_hash") == outcome.get("document_hash"):
            return first
    return outcome


def reply(document: Value, digest: str, outcome: Json, *, again: bool = False) -> Result:
    """Return the answer of an apply that left *document*."""
    message = outcome["message"]
    if again:
        message += " (already applied earlier, nothing was done again)"
    body: Json = {
        "modified_document": document,
        "applied_changes": outcome["applied_changes"],
        "message": message,
        "status": outcome["status"],
        "document_hash": digest,
    }
    if outcome.get("operation_id"):
        body["operation_id"] = outcome["operation_id"]
    return Result.of_text(dumps(body), {**body, "modified_document": _wire(document)})


def _wire(document: Value) -> Any:
    """Return the document for structuredContent, with exact numbers."""
    if not is_exact(document):
        import orjson

        text = dumps(document)
        if text.isascii() or "\\ud" not in text.lower():
            return orjson.Fragment(text)
    return to_plain(document)


# A preview with more changes shows the first few of them.
MAX_CHANGES = 200


def preview(call: Call) -> Result:
    """Return the proposed changes and the session that holds them."""
    source = document_of(call)
    instruction = call.arguments["instruction"]
    if not instruction.strip():
        raise InvalidArgument("Instruction must say what to change", field="instruction")
    call.cancel.check()
    proposal = propose_with(
        lambda: call.runtime.llm, source.document, instruction, call.client.principal
    )
    session = Session(
        source.document,
        proposal.operations,
        proposal.status,
        source.document_hash,
        source.file,
        source.form,
        candidates=tuple(candidate.operations for candidate in proposal.candidates),
    )
    session_id = store(call.runtime.previews, session, call.client.principal)
    body: Json = {
        "session_id": session_id,
        "changes": [change_json(i, o) for i, o in enumerate(_first(proposal.operations))],
        "message": "; ".join((proposal.message, *_notes(call, source, proposal.operations))),
        "status": proposal.status,
    }
    if proposal.status == "ambiguous":
        body["suggestions"] = list(proposal.suggestions)
        if proposal.candidates:
            body["candidates"] = [candidate_json(i, c) for i, c in enumerate(proposal.candidates)]
    body["document_hash"] = source.document_hash
    return Result.of_text(dumps(body), body)


def _first(operations: Sequence[DocumentOperation]) -> Sequence[DocumentOperation]:
    return operations if len(operations) <= MAX_CHANGES else operations[:MAX_SHOWN]


def _notes(call: Call, source: Source, operations: Sequence[DocumentOperation]) -> list[str]:
    """Return what a caller must know beside the changes that are shown."""
    notes = _foresee(call, source, operations)
    if len(operations) > MAX_CHANGES:
        notes.insert(
            0,
            f"the first {MAX_SHOWN} are shown; json_editor_apply with dry_run lists all of them, "
            "without it all are applied or none",
        )
    return notes


def _foresee(call: Call, source: Source, operations: Sequence[DocumentOperation]) -> list[str]:
    """Return what would keep an apply of all changes from writing the file, if anything would."""
    if source.path is None or not operations:
        return []
    before = call.runtime.tree.state(source.path)
    if not isinstance(before, FileState):
        return []
    try:
        after = plan_file(call.runtime.confined, source, operations)
    except DocumentError:
        return []  # an apply says which of them cannot be made
    change = Change(source.path, before, FileState.of(after, before.mode))
    return call.foresee(ChangeSet((change,)), "json_editor_apply")


def document_of(call: Call) -> Source:
    """Return the document of a preview call; exactly one of document and document_path.

    Beside a path an empty document counts as none: clients that keep to the listing send one.
    """
    path = call.arguments.get("document_path")
    given = call.arguments.get("document")
    given = None if path is not None and not given else given
    if (given is None) == (path is None):
        raise InvalidArgument(
            "Give either document or document_path",
            field="document",
            hint="Pass the JSON as document, or the name of a workspace file as document_path",
        )
    if path is not None:
        return file_source(call.runtime, path)
    document = exact_argument(call, "document", given)
    text = dumps(document)
    check_size(len(text.encode("utf-8", "surrogatepass")), "document")
    check_depth(document)
    return Source(document, hash_of(document))
