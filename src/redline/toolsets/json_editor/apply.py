"""json_editor_apply: carry out what a preview showed, nothing else."""

from __future__ import annotations

from typing import Any

from redline.core.changes import Change, ChangeSet, FileState, digest_of
from redline.core.errors import CannotApply, InvalidArgument, StaleBase
from redline.core.paths import Access
from redline.core.ports.previews import StoredPreview
from redline.instruct.model.operations import DocumentOperation, apply_operations, check_expected
from redline.instruct.model.values import Value, dumps, to_plain
from redline.services.instructions.inputs import Source, file_source, read_document
from redline.services.instructions.session import (
    Session,
    change_id,
    hash_of,
    is_exact,
    load,
    shown,
)
from redline.toolsets.call import Call, Result
from redline.toolsets.json_editor.errors import now
from redline.toolsets.tool import Json

Chosen = dict[str, DocumentOperation]
_AGAIN = 20
_PENDING = "pending:"


def apply(call: Call) -> Result:
    """The modified document and what was applied to get it."""
    session_id = call.arguments["session_id"]
    stored, session = load(call.runtime.previews, session_id, call.client.principal)
    wanted = _wanted(session, call.arguments.get("confirmed_changes"))
    expected = call.arguments.get("document_hash")
    if expected is not None and expected != session.document_hash:
        raise StaleBase(session.file or "document", hint="Preview the current document again")
    key = ",".join(wanted)
    if key in session.results:
        return _again(call, session, session.results[key])
    if session.file:
        return _apply_file(call, stored, session, wanted, key)
    return _apply_inline(call, stored, session, wanted, key)


def _wanted(session: Session, confirmed: list[str] | None) -> Chosen:
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


def _apply_inline(
    call: Call, stored: StoredPreview, session: Session, wanted: Chosen, key: str
) -> Result:
    applied, failed = _applicable(session, wanted)
    document = apply_operations(session.document, list(applied.values()))
    outcome = _outcome(session, applied, failed)
    kept = _remember(call, stored, session, key, outcome)
    return _reply(document, hash_of(document), kept, again=kept is not outcome)


def _applicable(session: Session, wanted: Chosen) -> tuple[Chosen, list[str]]:
    """Return what still fits the document, and the ids of what does not."""
    applied: Chosen = {}
    failed: list[str] = []
    for name, operation in wanted.items():
        try:
            check_expected(session.document, operation)
            apply_operations(session.document, [operation])
            applied[name] = operation
        except CannotApply:
            failed.append(name)
    return applied, failed


def _outcome(session: Session, applied: Chosen, failed: list[str]) -> Json:
    count = len(applied)
    if session.status == "ambiguous" and not applied and not failed:
        status, message = "failed", "Nothing to apply: the instruction was ambiguous"
        if session.candidates:
            message += ", choose one of its candidates"
    elif not applied and not failed:
        status, message = "success", "No changes to apply"
    elif failed and not applied:
        status, message = "failed", "No change could be applied"
    else:
        status = "partial_success" if failed else "success"
        message = f"Successfully applied {count} change{'' if count == 1 else 's'}"
        if failed:
            message += f", could not apply {', '.join(failed)}"
    time = now()
    return {
        "applied_changes": [_applied(name, o, time) for name, o in applied.items()],
        "message": message,
        "status": status,
    }


def _applied(name: str, operation: DocumentOperation, time: str) -> Json:
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


def _remember(call: Call, stored: StoredPreview, session: Session, key: str, outcome: Json) -> Json:
    """Store *outcome*; when another call was first, its outcome is the answer."""
    for _ in range(_AGAIN):
        new = session.with_result(key, outcome)
        changed = StoredPreview(stored.id, stored.principal, new.encode(), stored.expires_at)
        if call.runtime.previews.replace(stored, changed):
            break
        stored, session = load(call.runtime.previews, stored.id, call.client.principal)
        if key in session.results:
            first: Json = session.results[key]
            return first
    return outcome


def _again(call: Call, session: Session, outcome: Any) -> Result:
    """The stored answer; a file is shown as that apply left it."""
    if session.file:
        document = read_document(call.runtime.confined, outcome["after"].encode(), session.form)
        return _reply(document, outcome["document_hash"], outcome, again=True)
    applied = {change["id"] for change in outcome["applied_changes"]}
    every = {change_id(i): o for i, o in enumerate(session.operations)}
    for name, operations in session.choices().items():
        every |= {f"{name}_{change_id(i)}": o for i, o in enumerate(operations)}
    document = apply_operations(
        session.document, [every[name] for name in every if name in applied]
    )
    return _reply(document, hash_of(document), outcome, again=True)


def _reply(document: Value, digest: str, outcome: Json, *, again: bool) -> Result:
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


def _apply_file(
    call: Call, stored: StoredPreview, session: Session, wanted: Chosen, key: str
) -> Result:
    from redline.services.instructions.files import plan_file

    source = file_source(call.runtime, session.file, Access.WRITE)
    if source.document_hash != session.document_hash:
        return _applied_elsewhere(call, stored.id, source.document_hash, key)
    operations = list(wanted.values())
    after = plan_file(call.runtime.confined, source, operations)
    outcome = _outcome(session, wanted, [])
    outcome["document_hash"] = digest_of(after)
    outcome["after"] = after.decode("utf-8").removeprefix("\ufeff")
    # What is about to happen is written down first: a call that finds the file changed can then
    # tell this very change from another one.
    _remember(call, stored, session, _PENDING + key, outcome)
    if operations:
        try:
            outcome["operation_id"] = _commit(call, source, after, len(operations))
        except StaleBase:
            current = file_source(call.runtime, session.file, Access.WRITE)
            return _applied_elsewhere(call, stored.id, current.document_hash, key)
    stored, session = load(call.runtime.previews, stored.id, call.client.principal)
    kept = _remember(call, stored, session, key, outcome)
    document = read_document(call.runtime.confined, kept["after"].encode(), session.form)
    return _reply(document, kept["document_hash"], kept, again=False)


def _applied_elsewhere(call: Call, session_id: str, digest: str, key: str) -> Result:
    """The answer when another call of the same session was first; StaleBase for anybody else."""
    _, session = load(call.runtime.previews, session_id, call.client.principal)
    outcome = session.results.get(key) or session.results.get(_PENDING + key)
    if outcome is not None and outcome["document_hash"] == digest:
        return _again(call, session, outcome)
    raise StaleBase(session.file, hint="Preview the file again, it was changed since")


def _commit(call: Call, source: Source, after: bytes, count: int) -> str:
    assert source.path is not None
    before = call.runtime.tree.state(source.path)
    if not isinstance(before, FileState) or before.digest != source.document_hash:
        raise StaleBase(source.file, hint="Preview the file again, it was changed since")
    change = Change(source.path, before, FileState.of(after, before.mode))
    summary = f"{count} change{'' if count == 1 else 's'} by instruction in {source.file}"
    return call.runtime.editor.commit(ChangeSet((change,)), call.origin(summary)).id
