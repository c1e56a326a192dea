"""Sentences into clauses: every word of the instruction must end up in one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from redline.instruct import assign, conditionals, preface
from redline.instruct.grammars import Grammar
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import OWNERS, Memory, Reader
from redline.instruct.statements import ASSIGNING, statement
from redline.instruct.tokens import Tokens
from redline.instruct.verbs import verb_at

_OPENINGS = tuple(
    tuple(phrase.split())
    for phrase in (
        "please|kindly|could you|can you|would you|will you|i want you to|i need you to|i want to|"
        "i need to|i would like to|i would like you to|i'd like to|i'd like you to|we need to|"
        "we should|you should|let's|lets|go ahead and|just|now|also|then|next|finally|first|"
        "afterwards|hi|hey|hello|ok|okay|so|and|simply|i'd like|i want|i would like|we want|"
        "i need|help me|try to|you need to|your task is to|additionally|lastly|after that"
    ).split("|")
)
_CLOSINGS = tuple(
    tuple(phrase.split())
    for phrase in (
        "please|thanks|thank you|for me|now|instead|too|as well|if you can|right away|pls|asap|"
        "if possible|thanks a lot|thank you very much|immediately"
    ).split("|")
)
_JOINTS = frozenset((",", "and", "then", "&", "plus", "also"))
_SCOPES = frozenset("in for under within inside on at from".split())
_FILTERS = frozenset("whose where with that which who having".split())
# Verbs that are nouns as often: "order 1001 should be ...".
_NOUNS_TOO = frozenset("order flag mark copy cut drop let use".split())
# Verbs that only announce what is done to a thing: "extend the trial: set its end to ..."
_OPENERS = frozenset("update modify edit change extend fix correct adjust configure".split())
_EVERYWHERE = tuple(
    tuple(phrase.split())
    for phrase in (
        "everywhere|throughout|globally|across the board|in all places|wherever it appears|"
        "wherever it occurs|throughout the document|everywhere in the document|"
        "across the document|across the whole document|in the whole document"
    ).split("|")
)
_MAX_SEGMENTS = 6


def read(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """The outcomes of every clause in order; Unclear unless all of them are certain."""
    outcomes: list[Outcome] = []
    for sentence in sentences(tokens):
        reader.memory.scopes = (0,)
        reader.resolver.scope_many = False
        outcomes += _sentence(reader, sentence)
    if not outcomes:
        raise Unclear("words", "the instruction says nothing to do")
    return outcomes


def sentences(tokens: Tokens) -> list[Tokens]:
    """The sentences without politeness, list marks and empty ones."""
    parts: list[Tokens] = [()]
    for token in tokens:
        if token.kind == "end":
            parts.append(())
        else:
            parts[-1] = (*parts[-1], token)
    stripped = [_courtesy(_unlisted(part)) for part in parts]
    return [part for part in stripped if part]


def _unlisted(tokens: Tokens) -> Tokens:
    if len(tokens) == 1 and tokens[0].text.rstrip(")").isdigit():
        return ()
    if tokens and tokens[0].text in ("-", "*", "•", "–"):
        return tokens[1:]
    return tokens


def _courtesy(tokens: Tokens) -> Tokens:
    changed = True
    while changed:
        changed = False
        lows = tuple(t.low for t in tokens)
        for phrase in _OPENINGS:
            if lows[: len(phrase)] == phrase:
                tokens, changed = tokens[len(phrase) :], True
                break
        else:
            if lows[:1] == (",",):
                tokens, changed = tokens[1:], True
        lows = tuple(t.low for t in tokens)
        for phrase in _CLOSINGS:
            if len(tokens) > len(phrase) and lows[-len(phrase) :] == phrase:
                tokens, changed = tokens[: -len(phrase)], True
                break
        else:
            if lows[-1:] == (",",):
                tokens, changed = tokens[:-1], True
    return tokens


def _sentence(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """The outcomes of one sentence; what only introduces or explains it must not add to it."""
    start = replace(reader.memory)
    refusal: Unclear | None = None
    for main, aside in preface.readings(tokens):
        reader.memory = replace(start)
        reader.resolver.scope_many = False
        try:
            outcomes = _stripped(reader, _courtesy(main))
        except Unclear as unclear:
            refusal = refusal or unclear
            continue
        preface.check(reader.index, aside, main, outcomes)
        return outcomes
    raise refusal or Unclear("clause", "the instruction is not understood")


def _stripped(reader: Reader, tokens: Tokens) -> list[Outcome]:
    conditional = conditionals.taken_apart(tokens)
    if conditional is not None:
        condition, tokens = conditional
        if not conditionals.holds(reader, condition):
            _stripped(replace(reader, memory=replace(reader.memory)), _courtesy(tokens))
            return [Outcome((), "the condition does not hold")]
        tokens = _courtesy(tokens)
    tokens = _leading_scope(reader, conditionals.about_itself(tokens))
    outcomes: list[Outcome] = []
    for group in _groups(tokens):
        group_outcomes = _group(reader, group)
        outcomes += group_outcomes
    return outcomes


def _leading_scope(reader: Reader, tokens: Tokens) -> Tokens:
    """`In the server section, ...`: what follows is read within it."""
    if not tokens:
        return tokens
    opened = tokens[0].low in _OPENERS and _opens(tokens)
    named = not opened and verb_at(tokens) is None and (_opens(tokens) or _entitles(reader, tokens))
    if tokens[0].low not in _SCOPES and not opened and not named:
        return tokens
    first = 0 if named and tokens[0].low not in _SCOPES else 1
    for place in range(1 + first, len(tokens)):
        mark = tokens[place].low == ":" or (tokens[place].low == "," and not opened)
        if (opened or not first) and not mark:
            continue
        if mark or verb_at(tokens, place) or tokens[place].low == "please":
            rest = _courtesy(tokens[place + 1 :] if mark else tokens[place:])
            found = reader.targets(tokens[first:place])
            if not rest:
                break
            if not found.nodes:
                raise Unclear("target", f"nothing fits {reader.text(tokens[1:place])!r}")
            reader.memory.scopes = reader.memory.found = found.nodes
            reader.resolver.scope_many = found.many
            return rest
    raise Unclear("clause", "the instruction is not understood")


def _opens(tokens: Tokens) -> bool:
    """`update order 1002: set ...`: a colon followed by a verb."""
    place = next((i for i, t in enumerate(tokens) if t.low == ":"), None)
    rest = () if place is None else _courtesy(tokens[place + 1 :])
    return verb_at(rest) is not None or (len(rest) > 1 and rest[0].low in OWNERS)


def _entitles(reader: Reader, tokens: Tokens) -> bool:
    """`Shipping: method express, cost 12.5`: a colon behind the name of one object."""
    place = next((i for i, t in enumerate(tokens) if t.low == ":"), len(tokens))
    rest = tokens[place + 1 :]
    if len(rest) < 2 or not place or rest[0].kind == "json":
        return False
    meanings = reader.meanings(tokens[:place], strict=True)
    nodes = meanings[0].nodes if len(meanings) == 1 else ()
    return len(nodes) == 1 and isinstance(reader.value(nodes[0]), dict)


def _groups(tokens: Tokens) -> list[list[Tokens]]:
    """Segments between commas and conjunctions; a new group begins where a verb does."""
    groups: list[list[Tokens]] = []
    current: list[Tokens] = [()]
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and tokens[end].low in _JOINTS:
            end += 1
        if end > place and end < len(tokens):
            rest = _courtesy(tokens[end:])
            starts = verb_at(rest) is not None and len(rest) > 1
            segment_break = tokens[place:end]
            if starts and current[0]:
                groups.append(current)
                current = [()]
                place = len(tokens) - len(rest) if tokens[-len(rest) :] == rest else end
                continue
            current.append(segment_break)
            current.append(())
            place = end
            continue
        current[-1] = (*current[-1], tokens[place])
        place += 1
    groups.append(current)
    return groups


def _group(reader: Reader, group: list[Tokens]) -> list[Outcome]:
    """Try each way to make clauses of the segments; what all of them agree on is done."""
    start = replace(reader.memory)
    worked: dict[tuple[object, ...], tuple[list[Outcome], Memory]] = {}
    refusal: Unclear | None = None
    for clauses in _segmentations(group):
        reader.memory = replace(start)
        try:
            outcomes = _clauses(reader, clauses)
        except Unclear as unclear:
            if refusal is None or unclear.weight > refusal.weight:
                refusal = unclear
            continue
        signature = tuple(sig for o in outcomes for sig in o.signature)
        worked.setdefault(signature, (outcomes, replace(reader.memory)))
    acting = {sig: result for sig, result in worked.items() if sig} or worked
    if len(acting) > 1 and any(t.low in _FILTERS for t in group[0]):
        # "with status a and total below 20": the conjunction continues the filter
        fewest = min(len(outcomes) for outcomes, _ in acting.values())
        acting = {sig: found for sig, found in acting.items() if len(found[0]) == fewest}
    if len(acting) > 1:
        raise Unclear("several", "it can be read in more than one way")
    if not acting:
        raise refusal or Unclear("clause", "the instruction is not understood")
    outcomes, reader.memory = next(iter(acting.values()))
    return outcomes


def _segmentations(group: list[Tokens]) -> Iterator[list[Tokens]]:
    """Clauses made of neighbouring segments, the finest cut first."""
    joints = list(range(1, len(group), 2))
    if len(joints) >= _MAX_SEGMENTS:
        choices: Iterator[tuple[int, ...]] = iter([tuple(joints), ()])
    else:
        choices = (c for size in range(len(joints), -1, -1) for c in combinations(joints, size))
    for chosen in choices:
        clauses: list[Tokens] = [()]
        for place, part in enumerate(group):
            if place in chosen:
                clauses.append(())
            else:
                clauses[-1] = (*clauses[-1], *part)
        if all(clauses):
            yield clauses


def _clauses(reader: Reader, clauses: list[Tokens]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    grammar: Grammar | None = None
    for place, tokens in enumerate(clauses):
        reader.elided = place > 0
        plain, everywhere = _everywhere(_courtesy(tokens))
        read_clause, grammar = _clause(plain, grammar)
        with reader.speaking_of_all(everywhere):
            found = read_clause(reader)
        distinct = {outcome.signature: outcome for outcome in found}
        if len(distinct) != 1:
            raise Unclear("several", f"{reader.text(tokens)!r} can be read in more than one way")
        outcome = next(iter(distinct.values()))
        if place and not outcome.found and not outcome.operations:
            raise Unclear("target", f"{reader.text(tokens)!r} names nothing here")
        outcomes.append(outcome)
        reader.memory.found = outcome.found or reader.memory.found
    reader.elided = False
    return outcomes


def _everywhere(tokens: Tokens) -> tuple[Tokens, bool]:
    """The clause without the words that make it speak of every place there is."""
    lows = tuple(t.low for t in tokens)
    for phrase in _EVERYWHERE:
        if len(tokens) > len(phrase) and lows[-len(phrase) :] == phrase:
            return tokens[: -len(phrase)], True
    return tokens, False


_Clause = Callable[[Reader], list[Outcome]]


def _clause(tokens: Tokens, previous: Grammar | None) -> tuple[_Clause, Grammar | None]:
    """How to read one clause; without a verb of its own it takes the one before."""
    verb = verb_at(tokens)
    if tokens and tokens[0].low in _NOUNS_TOO and any(t.low in ("should", "must") for t in tokens):
        verb = None
    if len(tokens) > 2 and tokens[1].low in ASSIGNING:
        # a key may be called like a verb: "flag = false"
        verb = None
    if verb is not None and len(tokens) > verb[1]:
        grammar, width = verb
        rest = tokens[width:]
        return (lambda reader: grammar(reader, rest)), grammar
    stated = statement(tokens)
    if stated is not None:
        return stated, previous
    if previous is not None and tokens:
        kept = previous
        return (lambda reader: kept(reader, tokens)), previous
    if len(tokens) > 1:
        return (lambda reader: assign.pair(reader, tokens)), None
    raise Unclear("clause", "the instruction is not understood")
