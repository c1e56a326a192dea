"""json_editor_preview: what an instruction would change."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import DocumentError, InvalidArgument
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import dumps
from redline.services.instructions.files import (
    Source,
    check_depth,
    check_size,
    file_source,
    plan_file,
)
from redline.services.instructions.propose import propose_with
from redline.services.instructions.session import (
    MAX_SHOWN,
    Session,
    candidate_json,
    change_json,
    hash_of,
    store,
)
from redline.toolsets.call import Call, Result
from redline.toolsets.exact_arguments import exact_argument
from redline.toolsets.tool import Json

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
    """The document of a preview call; exactly one of document and document_path.

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
