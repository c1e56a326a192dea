"""The offline engine: an instruction and a document become operations, or a reasoned refusal."""

from __future__ import annotations

from dataclasses import dataclass

from redline.instruct.effects.outcome import Refusal
from redline.instruct.lexicon.tree import OverBudget, Tree
from redline.instruct.operations import Operation
from redline.instruct.patches import read_patch
from redline.instruct.outcome import Unclear
from redline.instruct.readings import Found, Meaning, decide, understand
from redline.instruct.values import Value


@dataclass(frozen=True, slots=True)
class Proposal:
    status: str
    message: str
    operations: tuple[Operation, ...] = ()
    suggestions: tuple[str, ...] = ()
    candidates: tuple[Meaning, ...] = ()


def propose(document: Value, instruction: str) -> Proposal:
    try:
        patch = read_patch(document, instruction)
    except Unclear as error:
        return Proposal("ambiguous", error.message)
    if patch is not None:
        if not patch:
            return Proposal("no_changes", "already as asked")
        return Proposal("success", "", tuple(patch))
    tree = Tree(document)
    try:
        found = understand(tree, instruction)
    except OverBudget:
        return Proposal("ambiguous", "too much work")
    chosen, ranked = decide(found)
    if chosen is None:
        message = found.refusal.message if found.refusal else "not understood"
        cands = tuple(m for m in ranked if m.operations)
        return Proposal("ambiguous", message, candidates=cands)
    if not chosen.operations:
        return Proposal("no_changes", chosen.note)
    return Proposal("success", "found", chosen.operations)
