"""What is said of a record without naming the field: `T2: 45 min`, `the suite costs 195`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.moments import shift_time
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.typing import has_shape, number_for, same_shape
from redline.instruct.grammar.predicates import Predicate, word_stem
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import (
    FALSE_WORDS,
    ORDINALS,
    TRUE_WORDS,
    key_form,
    key_words,
    number_in,
    unit_of,
)
from redline.instruct.lexicon.senses import Sort, flag_stems
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

_DEPTH = 2
_MAX_LEFT = 8
_SWITCHES = frozenset("enabled active on isactive isenabled".split())
# Words that speak of a field, and the words its key may have instead.
_RELATED = {
    word: frozenset(words.split())
    for group, words in {
        "cost charge price": "price rate fee amount cost",
        "fee rate bill": "price rate fee amount",
        "old": "age year",
        "until till end finish close": "to end until till close finish checkout",
        "start begin open": "from start begin open",
        "long last take": "minute duration length second hour",
        "call": "name title displayname",
        "email mail": "email mail",
        "number phone": "phone",
        "max most": "maximum max limit",
        "min least": "minimum min",
        "address": "email mail url address addr street",
        "team department group": "department team dept group",
        "image version tag": "image version tag",
    }.items()
    for word in group.split()
}
_SURE = frozenset("cost charg price old".split())
_DAYS = re.compile(r"(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?", re.IGNORECASE)


class _Fit(NamedTuple):
    node: int
    value: Value
    score: int  # how many words speak of the field
    full: bool = False  # they are its whole name
    doubt: str = ""
    left: tuple[int, ...] = ()  # words that nothing explains


def imply(context: EffectContext) -> EffectOutcome:
    """Give the one field a value that all the words said of its record can mean."""
    predicate: Predicate = context.clause.role("said")
    holders, many = _holders(context)
    operations: list[DocumentOperation] = []
    keys: set[object] = set()
    left: set[int] = set()
    for holder in holders:
        if predicate.also:
            added, spare = _added(context, holder, predicate)
            operations += added
            left.update(spare)
            continue
        fits = _fits(context, holder, predicate)
        keys.add(tuple(context.tree.keys[fit.node] for fit in fits))
        for fit in fits:
            context.doubt = context.doubt or fit.doubt
            left.update(fit.left)
            operations += context.replace(fit.node, fit.value, 0.9)
    if len(keys) > 1:
        raise Unclear("several", "several fields may be meant", holders)
    if not left:
        return context.outcome(operations, holders)
    words = tuple(context.chart.tokens[place].text for place in sorted(left))
    doubt = context.doubt or f"it is not clear what {words[0]!r} has to do with it"
    return EffectOutcome(
        tuple(operations), "", holders, doubt=doubt, cost=context.cost + 3, unexplained=words
    )


def _holders(context: EffectContext) -> tuple[tuple[int, ...], bool]:
    """Return the records that are spoken of: named, spoken of before, or the document itself."""
    owner, tree = context.clause.role("owner"), context.tree
    if owner is not None:
        if owner.sort is Sort.PATH:
            raise Unclear("clause", "a path means its own place", owner.nodes)
        singled = owner.filtered and not owner.many
        if singled and not any(w in ORDINALS for w in context.chart.lows[owner.start : owner.end]):
            raise Unclear("clause", "it may be a part of what is said", owner.nodes)
        found = context.resolve(owner)
        if not found.whole and not owner.many and _is_field(context, owner.start, owner.end):
            raise Unclear("clause", "it may be a field", found.nodes)
        nodes, many = found.nodes, found.many
    elif context.clause.extra == "root":
        nodes, many = (0,), False
    else:
        if not context.focus:
            raise Unclear("clause", "it is not clear what it is said of")
        nodes, many = tuple(sorted({context._record(n) for n in context.focus})), False
        if len(nodes) != 1:
            raise Unclear("clause", "it is not clear what it is said of", nodes)
    if not all(isinstance(tree.values[n], dict) for n in nodes) or len(nodes) > 500:
        raise Unclear("clause", "it is not said of a record", nodes)
    return nodes, many


def _is_field(context: EffectContext, start: int, end: int) -> bool:
    return any(
        sense.end == end and sense.sort is Sort.KEY and sense.whole
        for sense in context.chart.lexicon.senses(start)
    )


def _fields(context: EffectContext, holder: int, depth: int = 0) -> Iterator[int]:
    """Yield the scalars of a record and of the sections in it."""
    tree = context.tree
    for child in tree.children(holder):
        value = tree.values[child]
        if isinstance(value, dict):
            if depth < _DEPTH and not tree.is_map(child):
                yield from _fields(context, child, depth + 1)
        elif not isinstance(value, list):
            yield child


def _fits(context: EffectContext, holder: int, predicate: Predicate) -> list[_Fit]:
    """Return the field a predicate is about, or the two of `Thu 18:30`."""
    try:
        found = _best(context, holder, predicate)
    except Unclear:
        found = None
        if len(predicate.words) != 2:
            raise
    if found is not None and (not found.left or len(predicate.words) != 2):
        return [found]
    both = []
    for word in predicate.words:
        try:
            both.append(_best(context, holder, replace(predicate, words=(word,)), loose=False))
        except Unclear:
            break
    if len(both) == 2 and both[0].node != both[1].node and not (both[0].score or both[1].score):
        return both
    if found is None:
        raise Unclear("clause", "no field says so of it", (holder,))
    return [found]


def _best(
    context: EffectContext, holder: int, predicate: Predicate, *, loose: bool = True
) -> _Fit:
    """Return the one field the predicate can be about; Refusal when none or several can."""
    fits = []
    for node in _fields(context, holder):
        context.tree.spend(5)
        fit = _fit(context, holder, node, predicate)
        if fit is not None:
            fits.append(fit)
    if not fits and loose:
        fits = [f for n in _fields(context, holder) if (f := _loose(context, holder, n, predicate))]
    if not fits:
        raise Unclear("clause", "no field says so of it", (holder,))
    best = max((fit.score, fit.full) for fit in fits)
    chosen = [fit for fit in fits if (fit.score, fit.full) == best]
    if context.choice in [fit.node for fit in chosen]:
        chosen = [fit for fit in chosen if fit.node == context.choice]
    if len(chosen) > 1:
        raise Unclear("several", "several fields may be meant", tuple(f.node for f in chosen))
    if context.clause.extra == "root" and not chosen[0].score:
        raise Unclear("clause", "no field is named", (holder,))
    return chosen[0]


def _added(
    context: EffectContext, holder: int, predicate: Predicate
) -> tuple[list[DocumentOperation], list[int]]:
    """Return the value put into the one list that the words can be about: `fr too`."""
    tree, chart = context.tree, context.chart
    fits: list[tuple[int, int, int]] = []
    left: dict[int, list[int]] = {}
    for node in _lists(context, holder):
        _, stems = _names(context, holder, node)
        rest = [p for p in predicate.words if not _speaks_of(chart.low(p), stems)]
        known = [p for p in rest if chart.tokens[p].text in _elements(context, node)]
        if len(rest) == 1 or len(known) == 1:
            value = (known or rest)[0]
            left[node] = [p for p in rest if p != value]
            fits.append((len(predicate.words) - len(rest), node, value))
    best = [fit for fit in fits if fit[0] == max(f[0] for f in fits)]
    if len(best) != 1 or predicate.negated or predicate.sign or predicate.old:
        raise Unclear("clause", "no one list can be meant", (holder,))
    score, node, place = best[0]
    token, held = chart.tokens[place], tree.values[node]
    assert isinstance(held, list)
    if not score and token.text not in _elements(context, node) and token.kind != "quoted":
        raise Unclear("clause", "no list is named", (holder,))
    if not score:
        context.doubt = context.doubt or f"{context.key(node)} is not named"
    if token.kind == "word" and number_in(token.text) is not None:
        raise Unclear("clause", f"{token.text} is a number", (node,))
    if token.text in held:
        return [], left[node]
    path = (*tree.path(node), str(len(held)))
    added = DocumentOperation("insert", path, value=token.text).with_confidence(0.9)
    return [added], left[node]


def _elements(context: EffectContext, node: int) -> set[str]:
    """Return the texts that the list and those of records beside it hold."""
    lists = (*context.tree.peers(node), context.tree.values[node])
    return {t for held in lists if isinstance(held, list) for t in held if isinstance(t, str)}


def _lists(context: EffectContext, holder: int, depth: int = 0) -> Iterator[int]:
    """Yield the lists of texts of a record and of the sections in it."""
    tree = context.tree
    for child in tree.children(holder):
        value = tree.values[child]
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            yield child
        elif isinstance(value, dict) and depth < _DEPTH and not tree.is_map(child):
            yield from _lists(context, child, depth + 1)


def _names(context: EffectContext, holder: int, node: int) -> tuple[set[str], set[str]]:
    """Return the stems of a field's own key, and those of the keys that lead to it as well."""
    path = context.tree.path(node)[len(context.tree.path(holder)) :]
    own = {word_stem(word) for word in key_words(path[-1])}
    return own, own | {word_stem(word) for part in path for word in key_words(part)}


def _speaks_of(word: str, stems: set[str]) -> bool:
    stem = word_stem(word)
    return stem in stems or bool(
        {word_stem(other) for other in _RELATED.get(stem, _RELATED.get(word, ()))} & stems
    )


def _is_sure(context: EffectContext, holder: int, node: int, predicate: Predicate) -> bool:
    """Return whether all words about a field are of its key, or say what only such a field is."""
    _, stems = _names(context, holder, node)
    return all(
        (stem := word_stem(context.chart.low(place))) in stems or stem in _SURE
        for place in predicate.words
        if _speaks_of(context.chart.low(place), stems)
    )


def _fit(context: EffectContext, holder: int, node: int, predicate: Predicate) -> _Fit | None:
    """Return the value a predicate gives a field, if all its words are about it."""
    own, stems = _names(context, holder, node)
    chart = context.chart
    about = [p for p in predicate.words if _speaks_of(chart.low(p), stems)]
    if own - {"is"} and about and not any(_speaks_of(chart.low(p), own) for p in about):
        about = []
    rest = [p for p in predicate.words if p not in about]
    score, said = len(about), {word_stem(chart.low(p)) for p in about}
    full = bool(own) and own <= said
    if context.tree.identifies(node) and not score:
        return None
    if not rest:
        return _flag(context, node, predicate, score, full)
    if rest[-1] - rest[0] + 1 != len(rest):
        return None
    span = TokenSpan(rest[0], rest[-1] + 1)
    if predicate.old is not None and not _holds(context, node, predicate.old):
        return None
    if predicate.sign:
        return _shifted(context, node, span, predicate, score, full)
    try:
        return _valued(context, holder, node, span, predicate, score, full)
    except Unclear:
        return None


def _loose(context: EffectContext, holder: int, node: int, predicate: Predicate) -> _Fit | None:
    """Return what a predicate may mean for a field when some of its words are left out."""
    chart, held = context.chart, context.tree.values[node]
    _, stems = _names(context, holder, node)
    about = [p for p in predicate.words if _speaks_of(chart.low(p), stems)]
    rest = [p for p in predicate.words if p not in about]
    if not rest or len(rest) > _MAX_LEFT or context.tree.identifies(node):
        return None
    if isinstance(held, bool):
        fit = _flag(context, node, predicate, len(about), False)
        return fit and fit._replace(left=tuple(rest))
    telling = [p for p in rest if _is_telling(context, p)]
    if not telling or telling[-1] - telling[0] + 1 != len(telling):
        return None
    kept = tuple(p for p in predicate.words if p in about or p in telling)
    left = tuple(p for p in rest if p not in telling)
    fit = _fit(context, holder, node, replace(predicate, words=kept)) if left else None
    if fit is None and not about and _holds_names(context, node) and not predicate.negated:
        text = chart.text(telling[0], telling[-1] + 1)
        if _is_named(context, TokenSpan(telling[0], telling[-1] + 1)):
            return _Fit(node, text, 0, False, "the field is not named", left)
    return fit and fit._replace(left=left)


def _holds_names(context: EffectContext, node: int) -> bool:
    """Return whether a field that does not tell its record from others holds names."""
    tree = context.tree
    held = [tree.values[node], *tree.peers(node)]
    texts = [value for value in held if isinstance(value, str)]
    return bool(texts) and all(t[:1].isupper() and not has_shape(t) for t in texts)


def _is_telling(context: EffectContext, place: int) -> bool:
    """Return whether a token shows that it is a value: a number, a name, an address."""
    token = context.chart.tokens[place]
    text = token.text
    if place == context.clause.start and not any(map(str.isdigit, text)):
        return False
    if token.kind in ("quoted", "json") or number_in(text.lstrip("$€£")) is not None:
        return True
    return text[:1].isupper() or has_shape(text) or any(map(str.isdigit, text)) or bool(
        unit_of(text)
    )  # fmt: skip


def _flag(
    context: EffectContext, node: int, predicate: Predicate, score: int, full: bool
) -> _Fit | None:
    value = context.tree.values[node]
    none = "no" in context.chart.lows[predicate.start : predicate.end]
    if isinstance(value, Num) and full and none and not predicate.old:
        return _Fit(node, Num("0"), score, full)
    if not isinstance(value, bool) or not score or predicate.old or predicate.sign:
        return None
    return _Fit(node, not predicate.negated, score, full)


def _holds(context: EffectContext, node: int, old: TokenSpan) -> bool:
    before = context.doubt
    try:
        return context.type_value(old, node) == context.tree.values[node]
    except Unclear:
        return False
    finally:
        context.doubt = before


def _shifted(
    context: EffectContext,
    node: int,
    span: TokenSpan,
    predicate: Predicate,
    score: int,
    full: bool,
) -> _Fit | None:
    """Return a number or time moved by an amount: `two days longer`, `+10%`."""
    held, text = context.tree.values[node], context.text(span)
    try:
        if isinstance(held, Num):
            sized = _measures(context.key(node), text)
            if not score and not sized and not _is_only_number(context, node):
                return None
            tokens = context.chart.tokens[span.start : span.end]
            step = number_for(tokens, text, held, context.key(node))
            assert isinstance(step, Num)
            moved = held.decimal + predicate.sign * abs(step.decimal)
            return _Fit(node, Num(f"{moved:f}"), score, full)
        if isinstance(held, str) and has_shape(held) and score:
            return _Fit(node, shift_time(held, text, predicate.sign), score, full)
    except Unclear:
        return None
    return None


def _is_only_number(context: EffectContext, node: int) -> bool:
    tree = context.tree
    numbers = [c for c in tree.children(tree.parents[node])
               if isinstance(tree.values[c], Num) and not tree.identifies(c)]  # fmt: skip
    return numbers == [node]


def _measures(key: str, text: str) -> bool:
    """Return whether a key names a measure of the kind the text has: 45 min, 21 degrees."""
    family = _unit_family(text)
    warm = family == "degree" and bool({"temp", "temperature"} & set(key_words(key)))
    return bool(family) and (warm or family == _unit_family(key))


def _unit_family(text: str) -> str:
    words = key_words(text)
    unit = unit_of(words[-1]) if words else None
    return unit[0] if unit else ""


def _valued(
    context: EffectContext,
    holder: int,
    node: int,
    span: TokenSpan,
    predicate: Predicate,
    score: int,
    full: bool,
) -> _Fit | None:
    """Return the value that the words left over say, if it is clear that they are one."""
    tree, text = context.tree, context.text(span)
    held, low = tree.values[node], text.lower()
    if isinstance(held, bool):
        return _switched(context, holder, node, low, predicate, score, full)
    if predicate.negated:
        return None
    part = replace_context(context)
    value = part.type_value(span, node)
    doubt = part.doubt
    quoted = context.chart.tokens[span.start].kind in ("quoted", "json")
    known = {p.lower() for p in tree.peers(node) if isinstance(p, str)}
    if isinstance(held, Num) or (held is None and isinstance(value, Num)):
        sized = _measures(context.key(node), text)
        if not score and not sized and not _is_number_like(context, node, text):
            return None
        guessed = score and not _is_sure(context, holder, node, predicate)
        doubt = doubt or (f"what {text!r} is is a guess" if guessed else "")
        return _Fit(node, value, score, full, doubt)
    if low in known or (isinstance(held, str) and _same_look(held, str(value))):
        return _Fit(node, value, score, full, doubt)
    if not score:
        return None
    named = _is_named(context, span) and context.clause.extra != "root"
    alike = isinstance(held, str) and full and _is_plain(held) and _is_plain(text)
    if not (quoted or named or alike):
        doubt = doubt or f"it is not clear that {text!r} is the value"
    return _Fit(node, value, score, full, doubt)


def _is_named(context: EffectContext, span: TokenSpan) -> bool:
    """Return whether the words are written as names are, and do not merely begin the sentence."""
    if span.start == context.clause.start:
        return False
    return all(t.text[:1].isupper() for t in context.chart.tokens[span.start : span.end])


def replace_context(context: EffectContext) -> EffectContext:
    """Return a context in which the doubts of a trial stay apart."""
    return replace(context, doubt="")


def _switched(
    context: EffectContext,
    holder: int,
    node: int,
    low: str,
    predicate: Predicate,
    score: int,
    full: bool,
) -> _Fit | None:
    """Return a flag that is said to be on, off, or what its name means."""
    name = key_form(str(context.tree.keys[node]))
    if low in TRUE_WORDS | FALSE_WORDS:
        own = name in _SWITCHES and context.tree.parents[node] == holder
        if not score and not own:
            return None
        return _Fit(node, (low in TRUE_WORDS) is not predicate.negated, score or 1, full)
    for wanted, stem in flag_stems(key_form(low)):
        if word_stem(stem) == word_stem(name.removeprefix("is")):
            return _Fit(node, wanted is not predicate.negated, score + 1, full)
    return None


def _is_number_like(context: EffectContext, node: int, text: str) -> bool:
    """Return whether a number can only be meant for this one of the numbers beside it."""
    tree = context.tree
    number = number_in(text.lstrip("$€£"))
    if number is None:
        return False
    numbers = [c for c in tree.children(tree.parents[node])
               if isinstance(tree.values[c], Num) and not tree.identifies(c)]  # fmt: skip
    if numbers == [node]:
        return True
    if Decimal(number) % 1 == 0:
        return False
    broken = [c for c in numbers if isinstance(v := tree.values[c], Num) and v.decimal % 1]
    return broken == [node]


def _same_look(held: str, text: str) -> bool:
    """Return whether both texts are dates, addresses, days of the week and the like."""
    if _DAYS.fullmatch(held) and _DAYS.fullmatch(text):
        return len(held) > 4 or len(text) <= 4
    return same_shape(held, text) and has_shape(text)


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_-]*", text) is not None
