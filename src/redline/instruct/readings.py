"""Readings compared by their effect: one is acted on, several are candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from redline.core.errors import CannotApply, NodeNotFound
from redline.instruct.clause_checks import check_outcome, check_words, why_nothing
from redline.instruct.doubts import doubt_changes
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import Nothing
from redline.instruct.effects.table import EFFECTS
from redline.instruct.grammar import (  # noqa: F401 - they register their rules
    attachments,
    conditions,
    filters,
    literals,
    participles,
    slots,
)
from redline.instruct.grammar.additions import (  # noqa: F401 - they register their rules
    definitions,
    new_places,
    pairs,
)
from redline.instruct.grammar.adjuncts import (  # noqa: F401 - they register their rules
    contrasts,
    positions,
    predicates,
    settled,
    tails,
)
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import Clause
from redline.instruct.grammar.nouns import everything, pronouns  # noqa: F401 - they register rules
from redline.instruct.grammar.sentences import Reading, readings
from redline.instruct.grammar.vocabulary import KNOWN_WORDS
from redline.instruct.language.tokens import Token, tokenize
from redline.instruct.language.words import (
    QUANTIFIERS,
    key_form,
    key_words,
    number_in,
    singular,
)
from redline.instruct.lexicon.names import Lexicon
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.merging import merge_clauses
from redline.instruct.model.operations import DocumentOperation, check_applicable
from redline.instruct.model.values import dumps
from redline.instruct.protecting import spare_protected

MAX_TRIED = 80
MAX_CHOICES = 5
# Readings this much dearer than the cheapest that works are not compared with it.
_MARGIN = 3

_EVERYONE = frozenset("everyone everybody everything everywhere".split())

Signature = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class InstructionMeaning:
    """What one reading does; in doubt when it must be chosen rather than acted on."""

    operations: tuple[DocumentOperation, ...]
    cost: int
    note: str = ""
    absent: bool = False
    doubt: str = ""
    unexplained: tuple[str, ...] = ()
    filtered: bool = False  # it would do something if a condition held
    alternative: bool = False  # all is clear but which of several like places is meant

    @property
    def removes(self) -> bool:
        """Whether it removes anything."""
        return any(operation.op == "remove" for operation in self.operations)

    @property
    def signature(self) -> Signature:
        """Equal for meanings with the same effect."""
        inserted = [o for o in self.operations if o.op == "insert"]
        ordered = sorted(
            (o.op, o.path, dumps(o.value) if o.op in ("replace", "add") else "", o.new_path or ())
            for o in self.operations
            if o.op != "insert"
        )
        return (tuple(ordered), tuple((o.path, dumps(o.value)) for o in inserted))


@dataclass(slots=True)
class FoundMeanings:
    """All meanings of an instruction, and the most telling reason why others are none."""

    chart: Chart
    meanings: list[InstructionMeaning]
    refusal: Unclear | None = None


def understand(
    tree: DocumentTree, instruction: str, *, fuzzy: bool = False, made: tuple[int, ...] = ()
) -> FoundMeanings:
    """Return every meaning of *instruction* over the document; *made* are nodes just added."""
    chart = Chart(Lexicon(tree, tokenize(instruction), instruction, fuzzy=fuzzy), made)
    found = FoundMeanings(chart, [])
    best: int | None = None
    cheapest: int | None = None
    conflict = False
    for tried, reading in enumerate(readings(chart, partial(_is_hopeless, found, {}))):
        if tried >= MAX_TRIED or (best is not None and reading.cost > best + _MARGIN):
            break
        try:
            meaning = carry_out(chart, reading)
        except Unclear as refusal:
            conflict = conflict or refusal.conflict
            refusal.missing = all(clause.effect == "novalue" for clause in reading.clauses)
            if found.refusal is None or refusal.weight > found.refusal.weight:
                found.refusal = refusal
            if refusal.rank == "several":
                cheapest = cheapest if cheapest is not None else reading.cost
                like = reading.cost == cheapest and _are_alike(tree, refusal.nodes)
                like = like and not _says_several(chart)
                found.meanings += _choices(chart, reading, refusal, like)
            continue
        if conflict and not meaning.doubt:
            # a likelier reading contradicts itself
            meaning = replace(meaning, doubt="it would change what is to stay as it is")
        found.meanings.append(meaning)
        if not meaning.doubt and not meaning.unexplained:
            best = meaning.cost if best is None else min(best, meaning.cost)
    return found


def _is_hopeless(found: FoundMeanings, known: dict[object, bool], beginning: Reading) -> bool:
    """Return whether the clauses so far can do nothing, whatever follows them."""
    key = (tuple(clause.meaning for clause in beginning.clauses), beginning.remarks)
    if key not in known:
        known[key] = False
        try:
            carry_out(found.chart, beginning)
        except Unclear as refusal:
            known[key] = refusal.rank != "several"
            if found.refusal is None or refusal.weight > found.refusal.weight:
                found.refusal = refusal
    return known[key]


def is_function_word(tree: DocumentTree, token: Token) -> bool:
    """Return whether the grammar or the document knows a word by itself."""
    if token.kind != "word":
        return True
    low = token.low
    if low in KNOWN_WORDS or number_in(token.text.lstrip("$€£#").rstrip("%")) is not None:
        return True
    forms = {singular(word) for word in key_words(token.text)}
    return key_form(token.text) in tree.by_form or any(form in tree.by_form for form in forms)


def carry_out(chart: Chart, reading: Reading, choice: int | None = None) -> InstructionMeaning:
    """Return what a reading does to the document; Refusal when it cannot be meant."""
    tree = chart.tree
    tree.spend(200)
    outcomes: list[EffectOutcome] = []
    focus = chart.made
    previous: Clause | None = None
    filtered = False
    for clause in reading.clauses:
        focus = _lead(clause) or focus or _spoken_of(chart, reading, clause)
        context = EffectContext(chart, clause, focus, previous=previous, choice=choice)
        try:
            check_words(context)
            outcome = EFFECTS[clause.effect](context)
            check_outcome(context, outcome)
        except Nothing as nothing:
            filtered = filtered or nothing.filtered
            outcome = EffectOutcome((), why_nothing(context, nothing), focus, absent=True)
        outcomes.append(outcome)
        focus = outcome.found or focus
        previous = clause
    if not outcomes:
        raise Unclear("clause", "it asks for no change")
    operations = merge_clauses(outcome.operations for outcome in outcomes)
    try:
        check_applicable(tree.document, operations)
    except (CannotApply, NodeNotFound) as error:
        raise Unclear("several", error.message[0].lower() + error.message[1:]) from None
    operations = spare_protected(tree, reading, operations)
    cost = reading.cost + sum(outcome.cost for outcome in outcomes)
    doubt = next((o.doubt for o in outcomes if o.doubt), "") or _remark_doubt(
        chart, reading, operations
    )
    doubt = doubt or doubt_changes(chart, operations)
    if operations:
        doubt = doubt or next((o.note for o in outcomes if o.absent), "")
    note = next((o.note for o in outcomes if o.note), "")
    idle = not operations
    absent = idle and any(o.absent for o in outcomes)
    left = tuple(word for outcome in outcomes for word in outcome.unexplained)
    return InstructionMeaning(operations, cost, note if idle else "", absent, doubt, left, filtered)


def _lead(clause: Clause) -> tuple[int, ...]:
    """Return what is said right before a clause, as in `turn off x by setting it to 0`."""
    return next((s.phrase.nodes for s in clause.scopes if s.leads and s.phrase is not None), ())


def _spoken_of(chart: Chart, reading: Reading, clause: Clause) -> tuple[int, ...]:
    """Return what a scope or a remark before the clause speaks of, for its pronouns."""
    for scope in clause.scopes:
        phrase = scope.about or scope.phrase
        if phrase is not None and phrase.nodes:
            return phrase.nodes
        fields: tuple[int, ...] = getattr(scope.condition, "fields", ())
        if phrase is None and len(fields) == 1:
            return fields
    for start, end in reading.remarks:
        if end <= clause.start:
            subject = _subject(chart, start, end)
            if subject:
                return subject
    return ()


def _subject(chart: Chart, start: int, end: int) -> tuple[int, ...]:
    """Return the one thing a remark begins with; nothing where unknown words come before it."""
    for place in range(start, end):
        for edge in chart.edges("NP", place):
            phrase = edge.item
            if not phrase.owner and not phrase.many and len(phrase.nodes) == 1:
                return tuple(phrase.nodes)
        if chart.low(place) not in KNOWN_WORDS:
            return ()
    return ()


def _remark_doubt(chart: Chart, reading: Reading, operations: tuple[DocumentOperation, ...]) -> str:
    """Return why a remark may narrow what is done: it names things the changes do not touch."""
    from redline.instruct.remarks import doubtful_word

    for start, end in reading.remarks:
        word = doubtful_word(chart, start, end, operations)
        if word:
            return f"it is not clear what {word!r} has to do with it"
    return ""


def _are_alike(tree: DocumentTree, nodes: tuple[int, ...]) -> bool:
    """Return whether the places are one field of several records, or several elements."""
    return len({tree.keys[n] if isinstance(tree.keys[n], str) else "" for n in nodes}) == 1


def _says_several(chart: Chart) -> bool:
    """Return whether a word says that several are meant, so that no one place is all of it."""
    if any(low in QUANTIFIERS or low in _EVERYONE for low in chart.lows):
        return True
    return any(
        sense.sort is Sort.ITEMS and sense.plural
        for place in range(chart.size)
        for sense in chart.lexicon.senses(place)
    )


def _choices(
    chart: Chart, reading: Reading, refusal: Unclear, like: bool
) -> Iterator[InstructionMeaning]:
    """Yield the reading for each place it may be about."""
    if not 1 < len(refusal.nodes) <= MAX_CHOICES:
        return
    for node in refusal.nodes:
        try:
            meaning = carry_out(chart, reading, node)
        except Unclear:
            continue
        if meaning.operations:
            yield replace(meaning, doubt=refusal.message, alternative=like and not meaning.doubt)


def _rivals(other: InstructionMeaning, first: InstructionMeaning) -> bool:
    """Return whether another meaning is as likely as the first.

    One in doubt must be likelier, and is none when it does only a part of what the first does.
    """
    is_idle = other.absent and not other.filtered
    dearest = first.cost - bool(other.doubt or other.absent)
    if other.unexplained or is_idle or other.cost > dearest:
        return False
    if not other.doubt:
        return True
    done = {(o.op, o.path, repr(o.value)) for o in first.operations}
    return not all((o.op, o.path, repr(o.value)) in done for o in other.operations)


def decide(found: FoundMeanings) -> tuple[InstructionMeaning | None, list[InstructionMeaning]]:
    """Return the one meaning to act on, or None, and the distinct meanings there are."""
    distinct: dict[Signature, InstructionMeaning] = {}
    for meaning in found.meanings:
        signature = meaning.signature
        other = distinct.get(signature)
        if other is None or (bool(meaning.doubt), meaning.cost) < (bool(other.doubt), other.cost):
            distinct[signature] = meaning
    ranked = sorted(distinct.values(), key=lambda m: (bool(m.unexplained), m.cost, bool(m.doubt)))
    sure = [m for m in ranked if not m.doubt and not m.unexplained]
    acting = [m for m in sure if not m.absent]
    if (
        sure
        and not acting
        and any(m.operations and m.cost <= sure[0].cost + _MARGIN for m in ranked)
    ):
        # "nothing fits" is not said while something may
        return None, ranked
    if not sure:
        return None, ranked
    first = (acting or sure)[0]
    rivals = [m for m in ranked if m is not first and _rivals(m, first)]
    return (None if rivals else first), ranked
