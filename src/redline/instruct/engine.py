"""The offline engine: an instruction and a document become operations, or a reasoned refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise

from redline.instruct.effects.outcome import Unclear
from redline.instruct.exact import exact_form, says
from redline.instruct.examples import examples
from redline.instruct.language.questions import asks_only
from redline.instruct.language.tokens import tokenize
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.spelling import is_slip
from redline.instruct.lexicon.tree import DocumentTree, OverBudget
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Value
from redline.instruct.offers.guesses import GUESS, guess_meanings
from redline.instruct.offers.incomplete import incomplete_meanings, unknown_words
from redline.instruct.offers.stepwise import stepwise_meanings
from redline.instruct.patches import read_patch
from redline.instruct.readings import (
    FoundMeanings,
    InstructionMeaning,
    decide,
    is_function_word,
    understand,
)
from redline.instruct.stages import read_stages

MAX_CANDIDATES = 5
# What `sed` calls a substitution: s/old/new/
_SUBSTITUTION = re.compile(r"^s/([^/\"]+)/([^/\"]+)/(?=$|\s)")
_QUOTED_EXAMPLE = re.compile(r"^Specify .*\(e\.g\., '(.+)'\)$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One whole reading for the caller to choose: what it does, and the words it leaves out."""

    operations: tuple[DocumentOperation, ...]
    says: str
    unexplained: tuple[str, ...] = ()


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


def propose(document: Value, instruction: str) -> Proposal:
    """Return the operations *instruction* asks for, if all its words allow one effect only."""
    example = _QUOTED_EXAMPLE.match(instruction.strip())
    if example:
        instruction = example[1]
    instruction = _SUBSTITUTION.sub(r'replace "\1" with "\2"', instruction)
    try:
        patch = read_patch(document, instruction)
    except Unclear as refusal:
        return Proposal("ambiguous", f"Instruction is ambiguous - {refusal.message}")
    if patch is not None:
        return _answer(InstructionMeaning(tuple(patch), 0, "already as asked"))
    if asks_only(instruction):
        return Proposal("no_changes", "Nothing to change - it is a question")
    tree = DocumentTree(document)
    try:
        return _read(tree, instruction)
    except OverBudget:
        return Proposal(
            "ambiguous", "Instruction is ambiguous - it takes too much work to be certain"
        )
    except ArithmeticError:
        return Proposal(
            "ambiguous",
            "Instruction is ambiguous - a number is too large or too small to calculate with",
        )


def found_message(count: int) -> str:
    """Return how many changes a preview holds."""
    return f"Found {count} change{'' if count == 1 else 's'} to apply"


def _answer(meaning: InstructionMeaning) -> Proposal:
    if meaning.operations:
        return Proposal("success", found_message(len(meaning.operations)), meaning.operations)
    if meaning.absent:
        return Proposal("no_changes", f"Nothing to change - {meaning.note}")
    return Proposal("no_changes", f"No changes needed - {meaning.note or 'already as asked'}")


def _read(tree: DocumentTree, instruction: str) -> Proposal:
    found = understand(tree, instruction)
    chosen, ranked = decide(found)
    if chosen is None and not ranked and _has_slip(tree, instruction):
        # slips of the pen are looked for only where nothing else makes sense
        near = understand(tree, instruction, fuzzy=True)
        chosen, ranked = decide(near)
        if chosen is not None and chosen.removes:
            chosen = None
    if chosen is None and not any(_is_sure(m) for m in ranked):
        chosen = read_stages(tree, instruction)
    if chosen is not None:
        return _answer(chosen)
    shown = [m for m in ranked if m.operations and not (m.unexplained and m.removes)]
    steps: list[InstructionMeaning] = []
    if not any(_is_sure(m) for m in shown) and not (found.refusal and found.refusal.missing):
        steps = list(stepwise_meanings(found.chart, instruction, shown))
    if len(shown) < MAX_CANDIDATES and not (found.refusal and found.refusal.missing):
        shown += incomplete_meanings(found.chart, instruction, shown)
    if all(m.unexplained for m in shown) and not (found.refusal and found.refusal.missing):
        free = MAX_CANDIDATES - len(shown)
        shown += islice(guess_meanings(found.chart, shown), max(free, 0))
    done = {m.signature for m in steps}
    shown = [*steps, *(m for m in shown if m.signature not in done)]
    return _ambiguous(tree, found, shown)


def _is_sure(meaning: InstructionMeaning) -> bool:
    return not meaning.doubt and not meaning.unexplained


def _has_slip(tree: DocumentTree, instruction: str) -> bool:
    """Return whether a word that names nothing is almost a key."""
    unknown = [t for t in tokenize(instruction) if not is_function_word(tree, t)]
    said = {key_form(token.text) for token in unknown}
    texts = [t.text for t in tokenize(instruction)]
    said |= {key_form(f"{a} {b}") for a, b in pairwise(texts)}
    return any(is_slip(word, form) for word in said for form in tree.by_form)


def _ambiguous(
    tree: DocumentTree, found: FoundMeanings, shown: list[InstructionMeaning]
) -> Proposal:
    refusal = found.refusal
    message = _reason(found, shown)
    if refusal is not None and refusal.missing:
        return Proposal(
            "ambiguous",
            f"Instruction is ambiguous - {message}",
            suggestions=examples(tree, refusal.nodes),
        )
    candidates = tuple(
        Candidate(m.operations, says(m.operations), m.unexplained) for m in shown[:MAX_CANDIDATES]
    )
    exact = (exact_form(tree.document, m.operations) for m in _suggestible(shown[:MAX_CANDIDATES]))
    suggestions = tuple(text for text in exact if text is not None)
    message = f"Instruction is ambiguous - {message}"
    return Proposal("ambiguous", message, (), suggestions, candidates)


def _suggestible(shown: list[InstructionMeaning]) -> list[InstructionMeaning]:
    """Return the readings to send back verbatim: several sure ones, or one for each like place."""
    whole = [meaning for meaning in shown if not meaning.unexplained]
    sure = [meaning for meaning in whole if not meaning.doubt]
    like = [meaning for meaning in whole if meaning.alternative]
    return sure if len(sure) > 1 else like if len(like) > 1 and shown[0].alternative else []


def _reason(found: FoundMeanings, shown: list[InstructionMeaning]) -> str:
    sure = [m for m in shown if not m.doubt and not m.unexplained]
    if len(sure) > 1:
        return f"it can be read in {len(sure)} ways"
    if shown and shown[0].doubt not in ("", GUESS):
        return shown[0].doubt
    if found.refusal is not None and found.refusal.weight > 1:
        return found.refusal.message
    unknown = unknown_words(found.chart)
    if unknown:
        return "these words are not understood: " + ", ".join(unknown[:8])
    return "it does not say what to change and how"
