"""Instructions read part by part where the whole makes no sense.

Each part between separators is read by itself, by its likeliest reading, and what all parts do
together is one candidate. Something is removed only when every part is certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from redline.core.errors import CannotApply, NodeNotFound
from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import VERBS
from redline.instruct.language.words import SCOPING
from redline.instruct.lexicon.tree import MAX_SEARCHED_NODES, DocumentTree, Nodes, OverBudget
from redline.instruct.merging import merge_clauses
from redline.instruct.model.operations import check_applicable
from redline.instruct.offers.guesses import GUESS, guess_meanings
from redline.instruct.offers.incomplete import incomplete_meanings
from redline.instruct.readings import InstructionMeaning, decide, understand

MAX_READ = 14
_MAX_PARTS = 8
# What a guess must score to be a part: a word speaks of the field or its record.
_LEAST = 5
_MAX_JOINED = 3
_BREAKS = frozenset(", ; . ! ? \n : — –".split(" "))
_LEADS = frozenset(", ; . ! \n and then also plus — –".split(" "))


@dataclass(frozen=True, slots=True)
class _Part:
    """A run of tokens between separators."""

    start: int
    end: int


def stepwise_meanings(
    chart: Chart, instruction: str, known: list[InstructionMeaning]
) -> Iterator[InstructionMeaning]:
    """Yield what the parts of an instruction do together, when there are several."""
    if len(chart.tree.values) > MAX_SEARCHED_NODES:
        return
    parts = list(_parts(chart))
    if not 1 < len(parts) <= _MAX_PARTS:
        return
    try:
        meaning = _Reader(chart, instruction, parts).read()
    except OverBudget:
        return
    if meaning is not None and meaning.signature not in {m.signature for m in known}:
        yield meaning


class _Reader:
    """Reads the parts from left to right; what one speaks of may be meant by the next."""

    def __init__(self, chart: Chart, instruction: str, parts: list[_Part]) -> None:
        self.chart = chart
        self.tree: DocumentTree = chart.tree
        self.instruction = instruction
        self.parts = parts
        self.lead = ""
        self.focus: Nodes = ()
        self.reads = 0

    def read(self) -> InstructionMeaning | None:
        found: list[InstructionMeaning] = []
        missed: list[str] = []
        place = 0
        while place < len(self.parts):
            meaning, place = self._next(place, missed)
            if meaning is not None:
                found.append(meaning)
                self._speak_of(meaning)
        if len([m for m in found if m.operations]) < 2:
            return None
        return self._together(found, missed)

    def _next(self, place: int, missed: list[str]) -> tuple[InstructionMeaning | None, int]:
        """Return the reading of the part at *place*, perhaps with those behind it."""
        first: InstructionMeaning | None = None
        for joined in range(1, _MAX_JOINED + 1):
            if place + joined > len(self.parts) or self.reads >= MAX_READ:
                break
            meaning = self._read(place, place + joined)
            if meaning is not None and not meaning.doubt and not meaning.unexplained:
                return meaning, place + joined
            first = first or meaning
        if first is not None:
            return first, place + 1
        if place == 0 and self._leads():
            self.lead = self._text(0, 1, separator=True)
        else:
            missed.append(self._text(place, place + 1))
        return None, place + 1

    def _read(self, start: int, end: int) -> InstructionMeaning | None:
        """Return the likeliest meaning of some parts, in doubt unless it is certain."""
        self.reads += 1
        text = self.lead + self._text(start, end)
        found = understand(self.tree, text, made=self.focus)
        chosen, ranked = decide(found)
        if chosen is not None:
            return chosen
        ranked = [m for m in ranked if m.operations and not m.removes]
        if ranked and not ranked[0].unexplained:
            return ranked[0]
        if end - start > 1:
            return None
        offers = [*islice(incomplete_meanings(found.chart, text, []), 1), *ranked[:1]]
        offers += islice(guess_meanings(found.chart, [], _LEAST), 1) if not offers else ()
        return offers[0] if offers else None

    def _leads(self) -> bool:
        """Return whether the first part says where the others apply."""
        part = self.parts[0]
        return self.chart.low(part.end) == ":" or self.chart.low(part.start) in SCOPING

    def _text(self, start: int, end: int, *, separator: bool = False) -> str:
        tokens = self.chart.tokens
        last = self.parts[end - 1].end - 1
        text = self.instruction[tokens[self.parts[start].start].start : tokens[last].end]
        return f"{text}{self.chart.low(last + 1)} " if separator else text

    def _speak_of(self, meaning: InstructionMeaning) -> None:
        paths = {o.path[:-1] for o in meaning.operations}
        if len(paths) == 1:
            node = self.tree.node_at(paths.pop())
            self.focus = (node,) if node else ()

    def _together(
        self, found: list[InstructionMeaning], missed: list[str]
    ) -> InstructionMeaning | None:
        operations = merge_clauses(m.operations for m in found)
        left = (*(word for m in found for word in m.unexplained), *missed)
        unsure = bool(left) or any(m.doubt for m in found)
        if not operations or (unsure and any(o.op == "remove" for o in operations)):
            return None
        try:
            check_applicable(self.tree.document, operations)
        except (CannotApply, NodeNotFound, Unclear):
            return None
        cost = sum(m.cost for m in found)
        doubt = next((m.doubt for m in found if m.doubt), "") or GUESS
        return InstructionMeaning(operations, cost, doubt=doubt, unexplained=left)


def _parts(chart: Chart) -> Iterator[_Part]:
    """Yield the parts between separators, and before `and` or `then` with a verb behind it."""
    start = place = 0
    while place < chart.size:
        behind = _separator_end(chart, place)
        if behind is None or place == start:
            place = place + 1 if behind is None else behind
            start = start if behind is None else behind
            continue
        yield _Part(start, place)
        start = place = behind
    if start < chart.size:
        yield _Part(start, chart.size)


def _separator_end(chart: Chart, place: int) -> int | None:
    """Return where the separator at *place* ends, or None when there is none."""
    low = chart.low(place)
    joined = low in ("and", "then", "&", "+") and chart.low(place + 1) in VERBS | {"then"}
    if low not in _BREAKS and not joined:
        return None
    end = place + 1
    while end < chart.size and chart.low(end) in _LEADS:
        end += 1
    return end
