"""Readings that leave words of the instruction out: to be chosen by the caller, never acted on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart
from redline.instruct.language.tokens import Token
from redline.instruct.language.words import ARTICLES, QUANTIFIERS, SCOPING
from redline.instruct.readings import InstructionMeaning, decide, is_function_word, understand

MAX_SHORTER = 10
# Every shortened instruction is read over the whole document again.
_LARGE = 20_000
_MAX_OVER_LARGE = 1
_BREAKS = frozenset(", ; . ! ? : \n so but because since - – —".split(" "))
_LEADING = SCOPING | ARTICLES | QUANTIFIERS
Spans = tuple[tuple[int, int], ...]


def unknown_words(chart: Chart) -> list[str]:
    """Return the words that neither the grammar nor the document knows."""
    return [chart.tokens[place].text for place in _unknown_places(chart)]


def incomplete_meanings(
    chart: Chart, instruction: str, known: list[InstructionMeaning]
) -> Iterator[InstructionMeaning]:
    """Yield meanings of the instruction without some of its words, each with those words."""
    seen = {meaning.signature for meaning in known}
    tried: set[str] = set()
    most = MAX_SHORTER if len(chart.tree.values) < _LARGE else _MAX_OVER_LARGE
    for dropped in _droppable(chart):
        shorter = _without(chart, instruction, dropped)
        if shorter in tried or not shorter.strip():
            continue
        tried.add(shorter)
        if len(tried) > most:
            return
        chosen, _ = decide(understand(chart.tree, shorter))
        if chosen is None or not chosen.operations or chosen.signature in seen:
            continue
        if any(operation.op == "remove" for operation in chosen.operations):
            continue
        seen.add(chosen.signature)
        words = tuple(t.text for start, end in dropped for t in chart.tokens[start:end])
        yield replace(chosen, unexplained=words)


def _without(chart: Chart, instruction: str, dropped: Spans) -> str:
    """Return the instruction without some runs of its tokens."""
    kept, place = "", 0
    for start, end in dropped:
        kept += instruction[place : chart.tokens[start].start]
        place = chart.tokens[end - 1].end
    return (kept + instruction[place:]).strip(" ,;:-")


def _droppable(chart: Chart) -> Iterator[Spans]:
    """Yield what may be left out: a run of unknown words, a part between commas, all of them."""
    runs = list(_unknown_runs(chart))
    for start, end in runs[:4]:
        yield ((start, end),)
    parts = _parts(chart)
    for start, end in parts if len(parts) > 1 else ():
        rest = tuple(part for part in parts if part != (start, end))
        yield _drop_empty(rest)
        inner = [run for run in _longest(runs) if start <= run[0] and run[1] <= end]
        if inner:
            yield _drop_empty(tuple(sorted((*rest, *inner))))
    if len(runs) > 1:
        yield _drop_empty(tuple(sorted(_longest(runs))))


def _drop_empty(spans: Spans) -> Spans:
    return tuple(span for span in spans if span[0] < span[1])


def _longest(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the runs that lie in no other."""
    return [
        (start, end) for start, end in runs
        if not any(s <= start and end <= e and (s, e) != (start, end) for s, e in runs)
    ]  # fmt: skip


def _parts(chart: Chart) -> Spans:
    """Return the parts of the instruction between commas, sentences and conjunctions."""
    found, start = [], 0
    for place in range(chart.size + 1):
        if place == chart.size or chart.low(place) in _BREAKS:
            if place > start:
                found.append((start, place))
            start = place + 1
    return tuple(found)


def _unknown_places(chart: Chart) -> list[int]:
    """Return the places of the words that name nothing."""
    named: set[int] = set()
    for place in range(chart.size):
        for sense in chart.lexicon.senses(place):
            named.update(range(place, sense.end))
    return [
        place for place, token in enumerate(chart.tokens)
        if place not in named and not is_function_word(chart.tree, token)
    ]  # fmt: skip


def _unknown_runs(chart: Chart) -> Iterator[tuple[int, int]]:
    """Yield runs of unknown words, the last ones first, and with what leads to them."""
    unknown = set(_unknown_places(chart))
    end = chart.size
    while end > 0:
        start = end
        while start > 0 and start - 1 in unknown and _is_word(chart.tokens[start - 1]):
            start -= 1
        if start < end:
            yield from ((middle, end) for middle in range(max(start + 1, end - 3), end))
            yield start, end
            wider = start
            while wider > 1 and chart.low(wider - 1) in _LEADING:
                wider -= 1
            if wider < start:
                yield wider, end
        end = start - 1 if start == end else start


def _is_word(token: Token) -> bool:
    return token.kind == "word"
