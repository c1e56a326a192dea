"""What is said of a record without naming the field: `T2: 45 min`, `the suite costs 195`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.groups import check_status, check_subject, group_values
from redline.instruct.effects.implied.lists import add_to_list
from redline.instruct.effects.implied.records import check_telling, spoken_of
from redline.instruct.effects.implied.shifts import move_value
from redline.instruct.effects.implied.words import (
    holds_names,
    is_like_peers,
    is_named,
    is_number_like,
    is_only_number,
    is_plain,
    is_sure,
    is_telling,
    is_terse,
    measures,
    names,
    same_look,
    speaks_of,
    tells_apart,
)
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.values.families import is_of_family
from redline.instruct.grammar.adjuncts.predicates import Predicate, word_stem
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.grammar.vocabulary import KNOWN_WORDS
from redline.instruct.language.words import FALSE_WORDS, TRUE_WORDS, key_form
from redline.instruct.lexicon.senses import flag_stems
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

_DEPTH = 2
_MAX_LEFT = 8
_MAX_GROUPED = 6
_SWITCHES = frozenset("enabled active on isactive isenabled".split())


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
    holders = spoken_of(context)
    check_telling(context, predicate, holders)
    if context.clause.extra == "spread" and len(group_values(context, predicate)) < 2:
        raise Unclear("clause", "it is one value only", holders)
    operations: list[DocumentOperation] = []
    keys: set[object] = set()
    left: set[int] = set()
    named = False
    fields: list[int] = []
    for holder in holders:
        if predicate.also:
            added, spare = add_to_list(context, holder, predicate)
            operations += added
            left.update(spare)
            continue
        fits = _fits(context, holder, predicate)
        keys.add(tuple(context.tree.keys[fit.node] for fit in fits))
        for fit in fits:
            context.doubt = context.doubt or fit.doubt
            named = named or fit.score > 0
            fields.append(fit.node)
            left.update(fit.left)
            operations += context.replace(fit.node, fit.value, 0.9)
    if len(keys) > 1:
        raise Unclear("several", "several fields may be meant", holders)
    if not left:
        if context.clause.extra == "stated" and not operations and not named:
            # what is so already may be a second value of what was changed before
            raise Unclear("clause", "it is not clear what it is said of", holders)
        # what is said of the document is said of that field
        about = tuple(sorted(fields)) if context.clause.extra == "root" else ()
        return context.outcome(operations, about or holders)
    words = tuple(context.chart.tokens[place].text for place in sorted(left))
    doubt = context.doubt or f"it is not clear what {words[0]!r} has to do with it"
    return EffectOutcome(
        tuple(operations), "", holders, doubt=doubt, cost=context.cost + 3, unexplained=words
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
        if not 1 < len(predicate.words) <= _MAX_GROUPED:
            raise
    if found is not None and (not found.left or not 1 < len(predicate.words) <= _MAX_GROUPED):
        return [found]
    both: list[_Fit] = []
    groups = group_values(context, predicate)
    for words in groups:
        try:
            both.append(_best(context, holder, replace(predicate, words=words), loose=False))
        except Unclear:
            break
    apart = 1 < len({fit.node for fit in both}) == len(both) == len(groups)
    measured = len(predicate.words) > 2 or not any(fit.score for fit in both)
    if apart and measured:
        return both
    if found is None:
        raise Unclear("clause", "no field says so of it", (holder,))
    return [found]


def _best(context: EffectContext, holder: int, predicate: Predicate, *, loose: bool = True) -> _Fit:
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
    if context.clause.extra == "root":
        _check_only(context, holder, chosen[0])
        check_subject(context, chosen[0].node, chosen[0].value)
        check_status(context, chosen[0].node)
    return chosen[0]


def _check_only(context: EffectContext, holder: int, fit: _Fit) -> None:
    """Refuse a field of the document that is not named, or of which there are several."""
    if not fit.score:
        raise Unclear("clause", "no field is named", (holder,))
    alike = context.tree.by_form[key_form(str(context.tree.keys[fit.node]))]
    if len(alike) > 1:
        raise Unclear("several", "several fields may be meant", tuple(alike))


def _fit(context: EffectContext, holder: int, node: int, predicate: Predicate) -> _Fit | None:
    """Return the value a predicate gives a field, if all its words are about it."""
    own, stems = names(context, holder, node)
    chart = context.chart
    about = [p for p in predicate.words if speaks_of(chart.low(p), stems)]
    if own - {"is"} and about and not any(speaks_of(chart.low(p), own) for p in about):
        about = []
    rest = [p for p in predicate.words if p not in about]
    score, said = len(about), {word_stem(chart.low(p)) for p in about}
    full = bool(own) and own <= said
    if not score and (context.tree.identifies(node) or tells_apart(context, node)):
        return None
    if not rest:
        return _flag(context, node, predicate, score, full)
    if rest[-1] - rest[0] + 1 != len(rest):
        return None
    span = TokenSpan(rest[0], rest[-1] + 1)
    if predicate.old is not None and not _holds(context, node, predicate.old):
        return None
    if predicate.sign:
        return _shift_fit(context, node, span, predicate, score, full)
    try:
        return _value_fit(context, holder, node, span, predicate, score, full)
    except Unclear:
        return None


def _loose(context: EffectContext, holder: int, node: int, predicate: Predicate) -> _Fit | None:
    """Return what a predicate may mean for a field when some of its words are left out."""
    chart, held = context.chart, context.tree.values[node]
    _, stems = names(context, holder, node)
    about = [p for p in predicate.words if speaks_of(chart.low(p), stems)]
    rest = [p for p in predicate.words if p not in about]
    if not rest or len(rest) > _MAX_LEFT or context.tree.identifies(node):
        return None
    if isinstance(held, bool):
        fit = _flag(context, node, predicate, len(about), False)
        return fit and fit._replace(left=tuple(rest))
    telling = [p for p in rest if is_telling(context, p)]
    if not telling or telling[-1] - telling[0] + 1 != len(telling):
        return None
    kept = tuple(p for p in predicate.words if p in about or p in telling)
    left = tuple(p for p in rest if p not in telling)
    fit = _fit(context, holder, node, replace(predicate, words=kept)) if left else None
    if fit is None and not about and holds_names(context, node) and not predicate.negated:
        text = chart.text(telling[0], telling[-1] + 1)
        if is_named(context, TokenSpan(telling[0], telling[-1] + 1)):
            return _Fit(node, text, 0, False, "the field is not named", left)
    return fit and fit._replace(left=left)


def _flag(
    context: EffectContext, node: int, predicate: Predicate, score: int, full: bool
) -> _Fit | None:
    value = context.tree.values[node]
    lows = context.chart.lows[predicate.start : predicate.end]
    if isinstance(value, Num) and full and "no" in lows and not predicate.old:
        doubt = "" if {"get", "gets"} & set(lows) else "it may be meant to have none"
        return _Fit(node, Num("0"), score, full, doubt)
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


def _shift_fit(
    context: EffectContext,
    node: int,
    span: TokenSpan,
    predicate: Predicate,
    score: int,
    full: bool,
) -> _Fit | None:
    """Return a number or time moved by an amount: `two days longer`, `+10%`."""
    if predicate.negated:
        return None  # "don't lower the fee by 5"
    try:
        moved = move_value(context, node, span, predicate.sign, named=bool(score))
    except Unclear:
        return None
    return None if moved is None else _Fit(node, moved, score, full)


def _value_fit(
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
        return _switch_fit(context, holder, node, low, predicate, score, full)
    if predicate.negated:
        return None
    part = replace_context(context)
    value = part.type_value(span, node)
    doubt = part.doubt
    quoted = context.chart.tokens[span.start].kind in ("quoted", "json")
    known = {p.lower() for p in tree.peers(node) if isinstance(p, str)}
    if isinstance(held, Num) or (held is None and isinstance(value, Num)):
        sized = measures(context.key(node), text)
        if not score and not sized and not is_number_like(context, node, text):
            return None
        guessed = not is_sure(context, holder, node, predicate) if score else not sized
        guessed = guessed and not _is_plainly_it(context, node, span, predicate)
        guessed = guessed and (bool(score) or not is_terse(context, span, predicate))
        doubt = doubt or (f"what {text!r} is is a guess" if guessed else "")
        return _Fit(node, value, score, full, doubt)
    alike = isinstance(held, str) and (same_look(held, str(value)) or is_of_family(held, text))
    alike = alike or (held is None and bool(score) and is_like_peers(tree.peers(node), value))
    if low in known or alike:
        return _Fit(node, value, score, full, doubt)
    if not score:
        return None
    named = is_named(context, span) and context.clause.extra != "root"
    alike = isinstance(held, str) and full and is_plain(held) and is_plain(text)
    alike = alike and low not in KNOWN_WORDS and span.start > max(predicate.words[0], 0)
    if not (quoted or named or alike):
        doubt = doubt or f"it is not clear that {text!r} is the value"
    return _Fit(node, value, score, full, doubt)


def _is_plainly_it(
    context: EffectContext, node: int, span: TokenSpan, predicate: Predicate
) -> bool:
    """Return whether a record has one number only and just `is now` is between it and that."""
    between = context.chart.lows[predicate.start : span.start]
    plain = all(low in ("is", "are", "now", "costs", "at") for low in between) and len(between) > 0
    return plain and is_only_number(context, node)


def replace_context(context: EffectContext) -> EffectContext:
    """Return a context in which the doubts of a trial stay apart."""
    return replace(context, doubt="")


def _switch_fit(
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
