"""The offline engine: an instruction and a document become operations, or a reasoned refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from redline.core.errors import CannotApply
from redline.instruct.clauses import read
from redline.instruct.index import Index, OverBudget
from redline.instruct.operations import Operation, apply_operations
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.patches import read_patch
from redline.instruct.reader import Reader
from redline.instruct.resolve import Resolver
from redline.instruct.suggest import plain_suggestions, suggestions_for
from redline.instruct.tokens import tokenize
from redline.instruct.values import Value

_SUGGESTING = 150_000
_LONGEST = 1000
_QUOTED_EXAMPLE = re.compile(r"^Specify .*\(e\.g\., '(.+)'\)$")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the engine makes of an instruction.

    `status` is success, no_changes or ambiguous; only a success has operations, only an ambiguous
    one has suggestions.
    """

    status: str
    message: str
    operations: tuple[Operation, ...] = ()
    suggestions: tuple[str, ...] = ()


def propose(document: Value, instruction: str) -> Proposal:
    """The operations *instruction* asks for, if every word of it is accounted for."""
    example = _QUOTED_EXAMPLE.match(instruction.strip())
    if example:
        instruction = example[1]
    index = Index(document)
    try:
        return _proposal(document, _outcomes(index, instruction))
    except Unclear as unclear:
        message = f"Instruction is ambiguous - {unclear.message}"
        return Proposal("ambiguous", message, (), _suggestions(index, instruction, unclear))
    except OverBudget:
        message = "Instruction is ambiguous - it takes too much work to be certain"
        return Proposal("ambiguous", message, (), _suggestions(index, "", Unclear("words", "")))


def _outcomes(index: Index, instruction: str) -> list[Outcome]:
    patch = read_patch(index.document, instruction)
    if patch is not None:
        return [Outcome(tuple(patch), "already as asked")]
    reader = Reader(instruction, index, Resolver(index))
    try:
        return read(reader, tokenize(instruction))
    except ArithmeticError:
        raise Unclear("words", "a number is too large or too small to calculate with") from None


def _suggestions(index: Index, instruction: str, unclear: Unclear) -> tuple[str, ...]:
    """Instructions near the given one that do work, tried before they are shown."""

    def works(suggestion: str) -> bool:
        if len(suggestion) > _LONGEST:
            return False
        try:
            return _proposal(index.document, _outcomes(index, suggestion)).status == "success"
        except Unclear:
            return False

    reader = Reader(instruction, index, Resolver(index))
    ways: tuple[Callable[[], list[str]], ...] = (
        lambda: suggestions_for(reader, unclear, works),
        lambda: plain_suggestions(reader, works),
    )
    for suggest in ways:
        index.budget = _SUGGESTING
        try:
            found = suggest()
        except (OverBudget, ArithmeticError):
            continue
        if found:
            return tuple(found)
    return ()


def _proposal(document: Value, outcomes: list[Outcome]) -> Proposal:
    operations: dict[tuple[object, ...], Operation] = {}
    for outcome in outcomes:
        for operation in outcome.operations:
            signature = Outcome((operation,)).signature
            if operation.op == "insert":
                signature = (*signature, len(operations))
            operations.setdefault(signature, operation)
    if not operations:
        note = next((o.note for o in outcomes if o.note), "already as asked")
        return Proposal("no_changes", f"No changes needed - {note}")
    try:
        apply_operations(document, tuple(operations.values()))
    except CannotApply as error:
        raise Unclear("several", error.message[0].lower() + error.message[1:]) from None
    return Proposal("success", found_message(len(operations)), tuple(operations.values()))


def found_message(count: int) -> str:
    """How many changes a preview holds."""
    return f"Found {count} change{'' if count == 1 else 's'} to apply"
