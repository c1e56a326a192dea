"""Noun phrases: which part of the document an instruction speaks of.

"the email of the second user whose status is inactive"
  -> [second user whose status is inactive] > [email], outermost piece first
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from redline.instruct.conditions import STARTERS, Condition, parse_condition
from redline.instruct.tokens import Tokens
from redline.instruct.words import ARTICLES, ORDINALS, QUANTIFIERS, SCOPING, number_in

_EXCEPT = ("except", "excluding", "besides", "other", "but", "apart")
_EXCEPT_TAILS = {"except": "for", "other": "than", "apart": "from"}
_EVERYONE = frozenset(("everyone", "everybody"))
# A bare comparison belongs to the noun right before it: "orders over 50".
_BARE = frozenset(("over", "above", "under", "below"))
_MAX_SPLITS = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """One step on the way to the target.

    `first` and `count` take elements by position: the second is (1, 1), the last three (-3, 3).
    """

    names: Tokens
    quantifier: str = ""
    first: int | None = None
    count: int = 1
    condition: Condition | None = None
    excepted: Tokens = ()
    possessive: bool = False

    @property
    def picks(self) -> bool:
        """Whether it speaks of elements rather than of a place."""
        return bool(self.quantifier or self.condition or self.excepted) or self.first is not None


@dataclass(frozen=True, slots=True)
class Target:
    """Pieces from the outermost to the one that is meant."""

    pieces: tuple[Piece, ...]


def parse_target(tokens: Tokens) -> Iterator[Target]:
    """Every way to read *tokens* as a noun phrase, the most natural first."""
    tokens = _strip(tokens)
    if not tokens:
        return
    start = next((i for i, t in enumerate(tokens) if i and _starts(tokens, i)), None)
    if start is not None:
        yield from _filtered_targets(tokens, start)
    yield from _plain_targets(tokens)


def _starts(tokens: Tokens, place: int) -> bool:
    """Whether a condition or an exception begins at *place*."""
    return tokens[place].low in STARTERS or bool(_exception(tokens, place))


def _filtered_targets(tokens: Tokens, start: int) -> Iterator[Target]:
    head, rest = tokens[:start], tokens[start:]
    cuts = [i for i, t in enumerate(rest) if i > 1 and t.low in SCOPING]
    for cut in [None, *reversed(cuts)]:
        tested, scope = (rest, ()) if cut is None else (rest[:cut], rest[cut + 1 :])
        for condition, excepted in _conditions(tested):
            outers = list(_plain_targets(_strip(scope))) if scope else [Target(())]
            for inner in _plain_targets(head):
                for outer in outers:
                    pieces = outer.pieces + inner.pieces
                    nearest = len(outer.pieces)
                    last = nearest + 1 if tested[0].low in _BARE else len(pieces)
                    for place in range(nearest, last):
                        yield Target(_attach(pieces, place, condition, excepted))


def _attach(
    pieces: tuple[Piece, ...], place: int, condition: Condition | None, excepted: Tokens
) -> tuple[Piece, ...]:
    old = pieces[place]
    new = Piece(
        old.names, old.quantifier, old.first, old.count, condition, excepted, old.possessive
    )
    return (*pieces[:place], new, *pieces[place + 1 :])


def _conditions(tokens: Tokens) -> Iterator[tuple[Condition | None, Tokens]]:
    # "active but not retired" goes on with the condition, "all users but Bob" does not
    cut = next(
        (i for i, t in enumerate(tokens) if _exception(tokens, i) and not (i and t.low == "but")),
        None,
    )
    if cut is None:
        for condition in parse_condition(tokens):
            yield condition, ()
        return
    excepted = tokens[cut + _exception(tokens, cut) :]
    if not excepted:
        return
    if cut == 0:
        yield None, excepted
        return
    for condition in parse_condition(tokens[:cut]):
        yield condition, excepted


def _exception(tokens: Tokens, place: int) -> int:
    """How many words say `except` at *place*; 0 when none do."""
    word = tokens[place].low
    if word not in _EXCEPT:
        return 0
    tail = _EXCEPT_TAILS.get(word)
    if tail is not None and [t.low for t in tokens[place + 1 : place + 2]] == [tail]:
        return 2
    return 0 if word in ("other", "apart") else 1


def _plain_targets(tokens: Tokens) -> Iterator[Target]:
    """Readings without a condition; each preposition either opens a scope or is part of a name."""
    places = [i for i, t in enumerate(tokens) if 0 < i < len(tokens) - 1 and t.low in SCOPING]
    places = places[-_MAX_SPLITS:]
    for size in range(len(places), -1, -1):
        for chosen in combinations(places, size):
            segments = _cut(tokens, chosen)
            for pieces in _segments(segments):
                yield Target(pieces)


def _cut(tokens: Tokens, places: tuple[int, ...]) -> list[Tokens]:
    """The segments between the chosen prepositions, outermost (the last) first."""
    edges = [-1, *places, len(tokens)]
    return [tokens[a + 1 : b] for a, b in pairwise(edges)][::-1]


def _segments(segments: list[Tokens]) -> Iterator[tuple[Piece, ...]]:
    if not segments:
        yield ()
        return
    for head in _chain(segments[0]):
        for rest in _segments(segments[1:]):
            yield head + rest


def _chain(tokens: Tokens) -> Iterator[tuple[Piece, ...]]:
    """`Alice's second address`: owners first."""
    place = next((i for i, t in enumerate(tokens) if t.kind == "poss"), None)
    if place is None:
        for piece in _piece(tokens, possessive=False):
            yield (piece,)
        return
    for piece in _piece(tokens[:place], possessive=True):
        if place + 1 == len(tokens):
            yield (piece,)
            continue
        for rest in _chain(tokens[place + 1 :]):
            yield (piece, *rest)


def _piece(tokens: Tokens, *, possessive: bool) -> Iterator[Piece]:
    quantifier, rest = _quantifier(_strip(tokens))
    if not rest and quantifier:
        yield Piece((), quantifier, possessive=possessive)
        return
    if not rest or not all(t.is_name for t in rest):
        return
    taken = _ordinal(rest)
    if taken is not None:
        first, count, names = taken
        yield Piece(_strip(names), quantifier, first, count, possessive=possessive)
    picked = _indexed(rest)
    if picked is not None:
        yield Piece(picked[1], quantifier, picked[0], 1, possessive=possessive)
    yield Piece(rest, quantifier, possessive=possessive)


def _strip(tokens: Tokens) -> Tokens:
    while len(tokens) > 1 and tokens[0].low in ARTICLES and tokens[1].kind != "poss":
        tokens = tokens[1:]
    return tokens


def _quantifier(tokens: Tokens) -> tuple[str, Tokens]:
    if tokens and tokens[0].low in _EVERYONE:
        return "everyone", tokens[1:]
    if not tokens or tokens[0].low not in QUANTIFIERS:
        return "", tokens
    word, rest = tokens[0].low, tokens[1:]
    while rest and rest[0].low in ("of", "the", "single", "one", "my", "our", "these", "those"):
        rest = rest[1:]
    return word, rest


def _ordinal(tokens: Tokens) -> tuple[int, int, Tokens] | None:
    """`second user`, `last two users`, `first 3 items`."""
    place = ORDINALS.get(tokens[0].low)
    if place is None or tokens[0].kind != "word":
        return None
    count = number_in(tokens[1].text) if len(tokens) > 2 and tokens[1].kind == "word" else None
    if count is None or not count.isdigit() or place not in (0, -1) or count == "0":
        return place, 1, tokens[1:]
    number = int(count)
    return (0 if place == 0 else -number), number, tokens[2:]


def _indexed(tokens: Tokens) -> tuple[int, Tokens] | None:
    """`user at index 2`, `index 2`, `element 0`: counted from zero."""
    if len(tokens) < 2 or not tokens[-1].text.isdigit() or tokens[-1].kind != "word":
        return None
    if tokens[-2].low not in ("index", "idx"):
        return None
    names = tokens[:-2]
    if names and names[-1].low in ("at", "with"):
        names = names[:-1]
    return int(tokens[-1].text), names
