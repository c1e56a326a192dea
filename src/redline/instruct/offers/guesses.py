"""Guesses where no reading explains every word: to be chosen by the caller, never acted on.

A guess is one field of something the instruction names, and a value that it says and that the
field can take. The more words speak of the field and its record, the likelier it is. Nothing is
ever removed by a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from redline.instruct.effects.implied.words import speaks_of
from redline.instruct.effects.outcome import Unclear
from redline.instruct.effects.values.families import takes_place
from redline.instruct.effects.values.shapes import has_shape, same_shape
from redline.instruct.effects.values.typing import type_value
from redline.instruct.grammar.adjuncts.predicates import word_stem
from redline.instruct.grammar.chart import Chart
from redline.instruct.language.words import key_words, number_in
from redline.instruct.lexicon.runs import STOP_WORDS
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import MAX_SEARCHED_NODES
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value, same
from redline.instruct.readings import InstructionMeaning, is_function_word

GUESS = "it is a guess"
MAX_HOLDERS = 12
_DEPTH = 3
_NEGATIONS = frozenset(
    "not no never don't doesn't isn't aren't can't won't shouldn't without stop disable off cannot "
    "wasn't longer unpublish remove hide mustn't turn-off cancel".split()
)
# Verbs that begin an instruction which gives nothing a value.
_DELETING = frozenset("remove delete rm erase eliminate".split())
_MORE = frozenset("more extra another additional up increase raise longer later higher".split())
_LESS = frozenset("less fewer down decrease lower reduce shorter earlier cheaper sold".split())
_STATED = frozenset("to at is be = : of from".split())
_ADDING = frozenset("too also add another new include as invite let third second extra".split())


# Words that hold a sentence together and are never what a field becomes.
_FUNCTION_WORDS = STOP_WORDS | frozenset(
    "and or is are be been was were will would should could can may might must do does did has "
    "have had we i you he she it they them us our my your their his her its that this these those "
    "there here which who what when where how why if so as at by with from to of than then too "
    "also now please instead but because while run let gets get goes go want wants need needs "
    "says say called named like just only still again later earlier such very some any other "
    "another same one two use used uses it's they'd we're we've i'd i'm make makes change keep "
    "keeps stay stays until till up down out off about".split()
)


@dataclass(frozen=True, slots=True)
class _Guess:
    score: int
    operation: DocumentOperation
    used: frozenset[int]


def guess_meanings(
    chart: Chart, known: list[InstructionMeaning], least: int = -9
) -> Iterator[InstructionMeaning]:
    """Yield the likeliest guesses of a score of *least*, each with the words that it leaves out."""
    if len(chart.tree.values) > MAX_SEARCHED_NODES or chart.low(0) in _DELETING:
        return
    seen = {meaning.signature for meaning in known}
    places = [p for p, token in enumerate(chart.tokens) if _is_content(chart, p)]
    ranked = sorted(_guesses(chart), key=lambda guess: -guess.score)
    for guess in ranked:
        if guess.score < least:
            return
        words = tuple(chart.tokens[p].text for p in places if p not in guess.used)
        meaning = InstructionMeaning(
            (guess.operation,), 60 - guess.score, doubt=GUESS, unexplained=words
        )
        if meaning.signature not in seen:
            seen.add(meaning.signature)
            yield meaning


def _is_content(chart: Chart, place: int) -> bool:
    token = chart.tokens[place]
    return token.kind in ("quoted", "code", "json") or (
        token.kind == "word" and not is_function_word(chart.tree, token)
    )


def _guesses(chart: Chart) -> Iterator[_Guess]:
    for holder, score, named in _holders(chart):
        for field in _fields(chart, holder):
            chart.tree.spend(60)
            about = _about(chart, holder, field, named)
            for value, weight, used in _values(chart, field, named | about, bool(about)):
                total = 2 * score + 3 * len(about) + weight
                if not about and not score:
                    total -= 2
                operation = _operation(chart, field, value)
                if operation is not None:
                    yield _Guess(total, operation, named | about | used)


def _holders(chart: Chart) -> list[tuple[int, int, frozenset[int]]]:
    """Return what the words name, with how well they do, and the document itself."""
    tree = chart.tree
    found: dict[int, tuple[int, frozenset[int]]] = {}
    for start in range(chart.size):
        for sense in chart.lexicon.senses(start):
            if sense.sort not in (Sort.RECORD, Sort.KEY, Sort.ITEMS) or len(sense.nodes) > 6:
                continue
            words = frozenset(range(start, sense.end))
            quality = 2 * len(words) if sense.whole else len(words)
            for node in sense.nodes:
                if not isinstance(tree.values[node], dict):
                    continue
                before = found.get(node, (0, frozenset()))
                if not words <= before[1]:
                    found[node] = (before[0] + quality, before[1] | words)
    best = sorted(found.items(), key=lambda item: -item[1][0])[:MAX_HOLDERS]
    holders = [(node, score, words) for node, (score, words) in best]
    return [*holders, (0, 0, frozenset())] if 0 not in found else holders


def _fields(chart: Chart, holder: int, depth: int = 0) -> Iterator[int]:
    """Yield the scalars and lists of texts in a record or section."""
    tree = chart.tree
    for child in tree.children(holder):
        value = tree.values[child]
        if isinstance(value, dict) and depth < _DEPTH and not tree.is_map(child):
            yield from _fields(chart, child, depth + 1)
        elif isinstance(value, dict):
            continue
        elif not isinstance(value, list) or all(isinstance(item, str) for item in value):
            yield child


def _about(chart: Chart, holder: int, field: int, named: frozenset[int]) -> frozenset[int]:
    """Return the words that speak of a field, or of the sections that lead to it."""
    path = chart.tree.path(field)[len(chart.tree.path(holder)) :]
    stems = {word_stem(word) for part in path for word in key_words(part)}
    return frozenset(
        place for place, token in enumerate(chart.tokens)
        if place not in named and token.kind in ("word", "code") and len(token.text) > 1
        and any(speaks_of(word, stems) for word in key_words(token.text) or (token.low,))
    )  # fmt: skip


_Value = tuple[Value, int, frozenset[int]]


def _values(chart: Chart, field: int, taken: frozenset[int], named: bool) -> Iterator[_Value]:
    """Yield the values the words may give a field, with how likely each is."""
    held = chart.tree.values[field]
    lows = set(chart.lows)
    if isinstance(held, bool):
        if named or lows & {"on", "off"}:
            negated = bool(lows & _NEGATIONS)
            yield not negated, 2 if held is negated else 0, frozenset()
    elif isinstance(held, list):
        yield from _elements(chart, field, held, taken)
    elif isinstance(held, Num) or held is None:
        yield from _numbers(chart, held, taken, named)
    if isinstance(held, str) or held is None:
        yield from _texts(chart, field, held, taken, named)


def _numbers(
    chart: Chart, held: Num | None, taken: frozenset[int], named: bool
) -> Iterator[_Value]:
    lows = set(chart.lows)
    for place, token in enumerate(chart.tokens):
        number = number_in(token.text.strip("$€£%")) if token.kind == "word" else None
        if number is None or place in taken:
            continue
        used = frozenset((place,))
        step = Decimal(number)
        if held is not None and lows & (_MORE | _LESS):
            moved = held.decimal + (-step if lows & _LESS else step)
            share = held.decimal * (1 + (-step if lows & _LESS else step) / 100)
            percent = token.text.endswith("%") or chart.low(place + 1) == "percent"
            yield Num(f"{(share if percent else moved).normalize():f}"), 3 + named, used
        yield Num(number), 2 + named + (chart.low(place - 1) in _STATED), used


def _texts(
    chart: Chart, field: int, held: str | None, taken: frozenset[int], named: bool
) -> Iterator[_Value]:
    tree = chart.tree
    known = {str(p).lower(): p for p in tree.peers(field) if isinstance(p, str)}
    for start, end in _spans(chart, taken):
        text = chart.text(start, end)
        first = chart.tokens[start]
        used = frozenset(range(start, end))
        if first.kind == "quoted":
            yield first.text, 4, used
        elif text.lower() in known:
            yield known[text.lower()], 4, used
        elif held is not None and (same_shape(held, text) or takes_place(held, text)):
            yield text, 4, used
        elif held is not None and has_shape(held):
            try:
                yield type_value(chart.tokens[start:end], chart.source, held), 4, used
            except Unclear:
                continue
        else:
            weight = _plain_weight(chart, held, start, end, named)
            if weight:
                yield text, weight, used


def _plain_weight(chart: Chart, held: str | None, start: int, end: int, named: bool) -> int:
    """Return how likely words are a text that looks like the one there is; 0 when they are not."""
    if _is_name(chart, start, end) and (held is None or held[:1].isupper()):
        return 2 + named
    word = chart.text(start, end)
    if word in _FUNCTION_WORDS:
        return 0
    if named and end == start + 1 and held is not None and held.islower() and word.islower():
        return 1 + (chart.low(start - 1) in _STATED)
    return 0


def _elements(
    chart: Chart, field: int, held: list[Value], taken: frozenset[int]
) -> Iterator[_Value]:
    """Yield values for one more element of a list."""
    adding = bool(set(chart.lows) & _ADDING)
    for start, end in _spans(chart, taken):
        first, text = chart.tokens[start], chart.text(start, end)
        text = first.text if first.kind == "quoted" else text
        alike = any(isinstance(item, str) and same_shape(item, text) for item in held)
        lists = [
            item for peer in chart.tree.peers(field) if isinstance(peer, list) for item in peer
        ]
        if first.kind == "quoted" or alike or text in lists or _is_name(chart, start, end):
            yield text, 2 + adding + alike, frozenset(range(start, end))


def _spans(chart: Chart, taken: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of up to five words that nothing else has used."""
    for start, token in enumerate(chart.tokens):
        if token.kind == "quoted" and start not in taken:
            yield start, start + 1
        if token.kind != "word":
            continue
        for end in range(start + 1, min(start + 5, chart.size) + 1):
            if end - 1 in taken or chart.tokens[end - 1].kind != "word":
                break
            yield start, end


def _is_name(chart: Chart, start: int, end: int) -> bool:
    """Return whether a run is written as a name is, and is as long as it can be."""
    tokens = chart.tokens
    if start == 0 or not all(t.text[:1].isupper() for t in tokens[start:end]):
        return False
    longer = end < chart.size and tokens[end].kind == "word" and tokens[end].text[:1].isupper()
    before = tokens[start - 1].kind == "word" and tokens[start - 1].text[:1].isupper() and start > 1
    return not longer and not before


def _operation(chart: Chart, field: int, value: Value) -> DocumentOperation | None:
    """Return the change a guess makes; None when it would change nothing."""
    held, path = chart.tree.values[field], chart.tree.path(field)
    if isinstance(held, list):
        if value in held:
            return None
        return DocumentOperation("insert", (*path, str(len(held))), value=value, confidence=0.4)
    if same(held, value):
        return None
    return DocumentOperation("replace", path, held, value, confidence=0.4)
