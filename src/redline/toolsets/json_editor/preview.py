"""json_editor_preview: what an instruction would change."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import DocumentError, InvalidArgument, LimitReached
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import dumps
from redline.services.instructions.files import plan_file
from redline.services.instructions.inputs import Source
from redline.services.instructions.propose import propose_with
from redline.services.instructions.session import Session, candidate_json, change_json, store
from redline.toolsets.call import Call, Result
from redline.toolsets.json_editor.inputs import document_of
from redline.toolsets.tool import Json

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
    if len(proposal.operations) > MAX_CHANGES:
        raise LimitReached(
            f"The instruction makes {len(proposal.operations)} changes, more than {MAX_CHANGES}",
            hint="Narrow the instruction, or change the file with a script",
            details={"field": "instruction", "limit": MAX_CHANGES},
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
        "changes": [change_json(i, o) for i, o in enumerate(proposal.operations)],
        "message": "; ".join((proposal.message, *_foresee(call, source, proposal.operations))),
        "status": proposal.status,
    }
    if proposal.status == "ambiguous":
        body["suggestions"] = list(proposal.suggestions)
        if proposal.candidates:
            body["candidates"] = [candidate_json(i, c) for i, c in enumerate(proposal.candidates)]
    body["document_hash"] = source.document_hash
    return Result.of_text(dumps(body), body)


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
