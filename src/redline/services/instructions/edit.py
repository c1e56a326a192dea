"""Change a document in a file by instruction, in one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import CannotApply, DocumentError, InvalidArgument, StaleBase
from redline.core.paths import Access
from redline.instruct.engine import Candidate, Proposal
from redline.instruct.model.operations import DocumentOperation
from redline.services.instructions.files import plan_file
from redline.services.instructions.inputs import Source, file_source
from redline.services.instructions.propose import propose_with
from redline.services.runtime import Runtime

MAX_CHANGES = 200


@dataclass(frozen=True, slots=True)
class Instructed:
    """What an instruction means for a file: the change, or why there is none."""

    status: str
    message: str
    change_set: ChangeSet
    suggestions: Sequence[str] = ()
    candidates: Sequence[Candidate] = ()


def plan_instruction(
    runtime: Runtime,
    file: str,
    instruction: str,
    access: Access,
    *,
    choose: int | None = None,
    principal: str = "",
) -> Instructed:
    """Plan what *instruction* asks of *file*; of several readings the one numbered *choose*."""
    source = file_source(runtime, file, access)
    proposal = propose_with(lambda: runtime.llm, source.document, instruction, principal)
    operations = proposal.operations
    if choose is not None:
        operations = _choose_reading(proposal, choose)
    elif proposal.status != "success":
        found = proposal.suggestions, proposal.candidates
        return Instructed(proposal.status, proposal.message, ChangeSet(), *found)
    if len(operations) > MAX_CHANGES:
        raise InvalidArgument(
            f"The instruction makes {len(operations)} changes, more than {MAX_CHANGES}",
            field="instruction",
        )
    return Instructed("success", proposal.message, _change(runtime, source, operations))


def _choose_reading(proposal: Proposal, number: int) -> tuple[DocumentOperation, ...]:
    if not 1 <= number <= len(proposal.candidates):
        count = len(proposal.candidates)
        raise InvalidArgument(
            f"There is no reading {number}",
            field="choose",
            hint=f"choose 1 to {count}" if count else "leave choose out: there is one reading",
        )
    return tuple(proposal.candidates[number - 1].operations)


def _change(
    runtime: Runtime, source: Source, operations: tuple[DocumentOperation, ...]
) -> ChangeSet:
    assert source.path is not None
    try:
        after = plan_file(runtime.confined, source, operations)
    except DocumentError as error:
        raise CannotApply(error.message, hint=error.hint) from error
    before = runtime.tree.state(source.path)
    if not isinstance(before, FileState) or before.digest != source.document_hash:
        raise StaleBase(source.file)
    if after == before.content:
        return ChangeSet()
    return ChangeSet((Change(source.path, before, FileState.of(after, before.mode)),))
