"""The offline engine: an instruction and a document become operations, or a reasoned refusal."""

from __future__ import annotations

import re

from redline.core.errors import CannotApply, NodeNotFound
from redline.core.records import dataclass, replace
from redline.instruct.exact import Unfit, read_exact
from redline.instruct.exact_forms import describe_operations, exact_form
from redline.instruct.kinds import BY_VERB
from redline.instruct.model.operations import (
    DocumentOperation,
    Path,
    apply_operations,
    check_applicable,
)
from redline.instruct.model.values import Value
from redline.instruct.patches import BadPatch, read_patch
from redline.instruct.plans import ABSENT_NOTE, DONE_NOTE, ClauseOutcome
from redline.instruct.refusals import explain, fitting, suggest
from redline.instruct.sentence import SEVERAL, Sentence, Trouble
from redline.instruct.sentences import read
from redline.instruct.tree import DocumentTree, OverBudget
from redline.instruct.words import key_form

MAX_CANDIDATES = 3
_REASON = re.compile(r",?\s+(?:because|so that|in order to)\s([^\"'`\n.;:]+)\.?\s*$", re.IGNORECASE)
_TOO_LONG = "it takes too much work on this document; name the places by path"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several complete readings: its operations, and what they do in words."""

    operations: tuple[DocumentOperation, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the engine makes of an instruction.

    `status` is success, no_changes or ambiguous; only a success has operations, only an ambiguous
    one has suggestions and candidates.
    """

    status: str
    message: str
    operations: tuple[DocumentOperation, ...] = ()
    suggestions: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """One complete reading: its operations, and why there are none."""

    operations: tuple[DocumentOperation, ...]
    notes: tuple[str, ...]


def propose(document: Value, instruction: str) -> Proposal:
    """Return the operations *instruction* asks for, if all its words allow one effect only."""
    try:
        tree = DocumentTree(document)
        exact = _read_exactly(tree, document, instruction)
        return exact if exact is not None else _read_sentence(tree, instruction)
    except OverBudget:
        return Proposal("ambiguous", f"Instruction is ambiguous - {_TOO_LONG}")
    except ArithmeticError:
        message = "a number is too large or too small to calculate with"
        return Proposal("ambiguous", f"Instruction is ambiguous - {message}")


def found_message(count: int) -> str:
    """Return how many changes a preview holds."""
    return f"Found {count} change{'' if count == 1 else 's'} to apply"


def _read_exactly(tree: DocumentTree, document: Value, instruction: str) -> Proposal | None:
    """Return the answer to a patch or to exact forms; None when the instruction is neither."""
    try:
        operations = read_patch(document, instruction)
        if operations is None:
            operations = read_exact(tree, instruction)
        if operations is None:
            return None
        check_applicable(document, operations)
    except (BadPatch, Unfit) as error:
        return Proposal("ambiguous", f"Instruction is ambiguous - {error}")
    except (CannotApply, NodeNotFound) as error:
        return Proposal("ambiguous", f"Instruction is ambiguous - {error.message}")
    return _answer(_Reading(tuple(operations), ()))


def _answer(reading: _Reading, left_out: str = "") -> Proposal:
    behind = f"; left out: {left_out}" if left_out else ""
    if reading.operations:
        found = found_message(len(reading.operations))
        return Proposal("success", f"{found}{behind}", reading.operations)
    notes = [n for n in dict.fromkeys(reading.notes) if n and n != "kept"] or [DONE_NOTE]
    lead = "No changes needed" if notes == [DONE_NOTE] else "Nothing to change"
    return Proposal("no_changes", f"{lead} - {'; '.join(notes)}{behind}")


def _read_sentence(tree: DocumentTree, instruction: str) -> Proposal:
    text, left_out = _without_reason(tree, instruction)
    s = Sentence(text, tree)
    readings = _readings(s)
    if len(readings) == 1:
        return _answer(readings[0], left_out)
    if readings:
        return _several(s, readings)
    trouble = explain(s)
    return _refusal(s, trouble)


def _without_reason(tree: DocumentTree, instruction: str) -> tuple[str, str]:
    """Return the instruction without a reason that holds no command and names nothing here."""
    match = _REASON.search(instruction)
    if match is None:
        return instruction, ""
    words = re.findall(r"[^\s,]+", match[1])
    if any(
        w.lower() in BY_VERB or tree.by_form.get(key_form(w)) or tree.with_label(w) for w in words
    ):
        return instruction, ""
    return instruction[: match.start()], instruction[match.start() :].strip(" ,")


def _readings(s: Sentence) -> list[_Reading]:
    """Return the complete readings that can be carried out, each effect once."""
    usable: list[tuple[int, _Reading]] = []
    for outcomes in read(s):
        reading = _merge(s, outcomes)
        if reading is not None:
            absent = sum(o.note == ABSENT_NOTE for o in outcomes)
            usable.append((absent, reading))
    if not usable:
        return []
    fewest = min(absent for absent, _ in usable)
    distinct: dict[str, _Reading] = {}
    for absent, reading in usable:
        if absent == fewest:
            key = repr([(o.op, o.path, o.value, o.new_path) for o in reading.operations])
            distinct.setdefault(key, reading)
    return list(distinct.values())


def _merge(s: Sentence, outcomes: tuple[ClauseOutcome, ...]) -> _Reading | None:
    """Return the clauses of a reading as one; None when they contradict each other."""
    operations = tuple(o for outcome in outcomes for o in outcome.operations)
    missing = [o for o in outcomes if o.note == ABSENT_NOTE and o.it is not None and not o.it.many]
    if not outcomes or (operations and missing):
        if missing:
            s.fail(21, "a part of it names something that is not there")
        return None
    gone = {o.path for o in operations if o.op == "remove"}
    remaining = any(token.low == "remaining" for token in s.tokens)
    if len(gone) > 1 or remaining:
        operations = tuple(
            o for o in operations
            if (o.op != "remove" and not remaining)
            or not any(o.path[:n] in gone for n in range(len(o.path)))
        )  # fmt: skip
    guarded = [s.tree.path(n) for outcome in outcomes for n in outcome.guarded]
    for operation in operations:
        if any(operation.path[: len(path)] == path for path in guarded):
            s.fail(21, "it changes what it says must stay")
            return None
    operations = _fold(operations)
    try:
        check_applicable(s.tree.document, operations)
    except (CannotApply, NodeNotFound) as error:
        s.fail(21, error.message)
        return None
    if all(outcome.note == "kept" for outcome in outcomes):
        return None
    return _Reading(operations, tuple(outcome.note for outcome in outcomes))


def _fold(operations: tuple[DocumentOperation, ...]) -> tuple[DocumentOperation, ...]:
    """Return the operations with what changes elements of a list after it was sorted inside it."""
    for at, order in enumerate(operations):
        old, new = order.old, order.value
        if order.op != "replace" or not isinstance(old, list) or not isinstance(new, list):
            continue
        size = len(order.path)
        later = [o for o in operations[at + 1 :] if o.path[:size] == order.path]
        places = {id(item): place for place, item in enumerate(old) if isinstance(item, dict)}
        if not later or len(places) != len(new) or not all(id(item) in places for item in new):
            continue
        if any(o.op not in ("replace", "add", "remove") for o in later):
            continue
        gone = {int(o.path[size]) for o in later if len(o.path) == size + 1}
        changed = [
            apply_operations(item, _below(later, (*order.path, str(places[id(item)]))))
            for item in new if places[id(item)] not in gone
        ]  # fmt: skip
        rest = tuple(o for o in operations if o not in later)
        return (*rest[:at], replace(order, value=changed), *rest[at + 1 :])
    return operations


def _below(operations: list[DocumentOperation], path: Path) -> list[DocumentOperation]:
    """Return the operations below a path, as operations on what is there."""
    return [replace(o, path=o.path[len(path) :]) for o in operations if o.path[: len(path)] == path]


def _several(s: Sentence, readings: list[_Reading]) -> Proposal:
    shown = [r for r in readings if r.operations][:MAX_CANDIDATES]
    candidates = tuple(Candidate(r.operations, describe_operations(r.operations)) for r in shown)
    message = f"Instruction is ambiguous - it can be read in {len(readings)} ways"
    forms = [exact_form(r.operations) for r in shown]
    working = (f for f in forms if f and _effect(s, f) is not None)
    suggestions = fitting(message, working)
    if suggestions:
        message += f". One of them: {suggestions[0]}"
    return Proposal("ambiguous", message, (), suggestions, candidates)


def _refusal(s: Sentence, trouble: Trouble) -> Proposal:
    suggestions = suggest(s, trouble, lambda text: _effect(s, text))
    message = f"Instruction is ambiguous - {trouble.message[:160]}"
    if suggestions:
        message += f". Nearest form: {suggestions[0]}"
    candidates: tuple[Candidate, ...] = ()
    if trouble.weight == SEVERAL and 1 < len(trouble.nodes) <= len(suggestions):
        answers = [_read_exactly(s.tree, s.tree.document, text) for text in suggestions]
        made = [a.operations for a in answers if a is not None and a.operations]
        if len(made) == len(trouble.nodes):
            candidates = tuple(
                Candidate(operations, describe_operations(operations)) for operations in made
            )
    return Proposal("ambiguous", message, (), suggestions, candidates)


def _effect(s: Sentence, text: str) -> tuple[DocumentOperation, ...] | None:
    """Return what an instruction does; None when it is not understood without a question."""
    if text.strip() == s.text.strip():
        return None
    exact = _read_exactly(s.tree, s.tree.document, text)
    if exact is not None:
        return exact.operations if exact.status != "ambiguous" else None
    readings = _readings(Sentence(text, s.tree))
    return readings[0].operations if len(readings) == 1 else None
