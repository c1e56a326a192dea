"""What an apply did, how it is remembered, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from redline.core.errors import CannotApply
from redline.core.ports.previews import StoredPreview
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Value, dumps, to_plain
from redline.services.instructions.session import Session, is_exact, load, shown
from redline.toolsets.call import Call, Result
from redline.toolsets.json_editor.errors import now
from redline.toolsets.tool import Json

Chosen = dict[str, DocumentOperation]
T = TypeVar("T")
_MAX_ATTEMPTS = 20
# More changes than this are applied all or none.
MAX_PARTIAL = 200


class ApplicableChanges(NamedTuple):
    """The operations that can be applied together, and why the others cannot."""

    applied: Chosen
    failed: dict[str, str]


def fit(wanted: Chosen, plan: Callable[[Chosen], T]) -> tuple[T, ApplicableChanges]:
    """Plan all of *wanted*, or else as many as can be planned together.

    Raises the CannotApply of the whole when not even one of them can be planned.
    """
    try:
        return plan(wanted), ApplicableChanges(wanted, {})
    except CannotApply as error:
        whole = error
    if len(wanted) > MAX_PARTIAL:
        raise whole
    failed = dict.fromkeys(wanted, whole.message)
    # One that is refused alone may fit beside another: the rest is tried until none is added.
    while added := _first_that_fits(wanted, failed, plan):
        del failed[added]
    if len(failed) == len(wanted):
        raise whole
    applied = {name: o for name, o in wanted.items() if name not in failed}
    return plan(applied), ApplicableChanges(applied, failed)


def _first_that_fits(
    wanted: Chosen, failed: dict[str, str], plan: Callable[[Chosen], T]
) -> str | None:
    """Return the first of *failed* that can be planned with all that did not fail."""
    for added in failed:
        try:
            plan({name: o for name, o in wanted.items() if name not in failed or name == added})
        except CannotApply as error:
            failed[added] = error.message
        else:
            return added
    return None


def describe_outcome(session: Session, fitted: ApplicableChanges, *, is_dry: bool) -> Json:
    """Return what the answer says of the changes, without the document."""
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
    """Store *outcome*; when another call was first, its outcome is the answer."""
    session = Session.decode(stored.payload)
    for _ in range(_MAX_ATTEMPTS):
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
