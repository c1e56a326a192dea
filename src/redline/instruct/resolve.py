"""From a noun phrase to the nodes it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from redline.instruct.conditions import Condition, Test
from redline.instruct.index import Index
from redline.instruct.nouns import Piece, Target, parse_target
from redline.instruct.pieces import Level, Pieces
from redline.instruct.tokens import Tokens
from redline.instruct.words import ARTICLES, ORDINALS, STRUCTURAL, singular


@dataclass(frozen=True, slots=True)
class Found:
    """What a noun phrase means.

    `nodes` is empty when the places exist but no record passes the condition. `several` is True
    when more than one place fits and nothing in the phrase speaks of more than one. `partial` is
    True when a name was given by a part of it or by a synonym. `record` is the last record named.
    """

    nodes: tuple[int, ...]
    many: bool = False
    several: bool = False
    partial: bool = False
    scopes: tuple[int, ...] = (0,)
    plain: bool = True


class Resolver:
    """Resolves noun phrases against one document."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.pieces = Pieces(index, self._meaning)
        self.filters = self.pieces.filters
        # Whether the scope a sentence opened with speaks of many: "for every user, ..."
        self.scope_many = False
        # Whether a place that is there more than once is meant each time: "... everywhere".
        self.everywhere = False
        # The same words are looked up by many readings of one instruction.
        self._found: dict[tuple[object, ...], list[Found]] = {}

    def find(
        self, tokens: Tokens, *, scopes: tuple[int, ...] = (0,), strict: bool = False
    ) -> list[Found]:
        """Every distinct meaning of *tokens*; no synonyms or partial names when *strict*."""
        spans = tuple((t.start, t.end) for t in tokens)
        key = (spans, scopes, strict, self.scope_many, self.everywhere)
        if key not in self._found:
            found = self._find(tokens, scopes, strict=strict)
            self._found[key] = found or self._find(_content(tokens), scopes, strict=strict)
        return self._found[key]

    def _find(self, tokens: Tokens, scopes: tuple[int, ...], *, strict: bool) -> list[Found]:
        meanings: dict[tuple[int, ...], Found] = {}
        empties: list[Found] = []
        for target in parse_target(tokens):
            self.index.spend(300)
            found = self.resolve(target, scopes, strict=strict)
            if found is None:
                continue
            if not found.nodes:
                empties.append(found)
                continue
            known = meanings.get(found.nodes)
            if known is None or (known.several and not found.several):
                meanings[found.nodes] = found
        return self._preferred(list(meanings.values())) or empties[:1]

    def _meaning(self, tokens: Tokens, scope: int) -> tuple[int, ...] | None:
        meanings = self.find(tokens, scopes=(scope,))
        return meanings[0].nodes or None if len(meanings) == 1 else None

    def _preferred(self, found: list[Found]) -> list[Found]:
        """Whole names beat partial ones."""
        whole = [f for f in found if not f.partial]
        return whole or found

    def resolve(self, target: Target, scopes: tuple[int, ...], *, strict: bool) -> Found | None:
        """The meaning of one reading, or None."""
        for pieces in self._orders(target.pieces):
            found = self._levels(pieces, list(scopes), strict=strict)
            if found is not None:
                return found
        for pieces in self._classed(target.pieces):
            found = self._levels(pieces, list(scopes), strict=strict)
            if found is not None and (found.nodes or all(len(p.names) < 3 for p in target.pieces)):
                return found
        return None

    def _classed(self, pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
        """`products in the furniture category`: a scope that is the value of a field."""
        for place, piece in enumerate(pieces[:-1]):
            inner = pieces[place + 1]
            if len(piece.names) < 2 or piece.picks or piece.possessive:
                continue
            for field, value in (
                (piece.names[-1:], piece.names[:-1]),
                (piece.names[:1], piece.names[1:]),
            ):
                if any(word.low in ORDINALS for word in value):
                    continue
                test = Test(field, "==", value)
                condition = (inner.condition or Condition(((),))).also(test)
                filtered = replace(inner, condition=condition)
                yield (*pieces[:place], filtered, *pieces[place + 2 :])

    def _orders(self, pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
        """Scopes may be named in any order; what is meant stays last, owners stay before it."""
        yield pieces
        if len(pieces) != 3 or any(piece.possessive for piece in pieces):
            return
        for outer in permutations(pieces[:-1]):
            if outer != pieces[:-1]:
                yield (*outer, pieces[-1])

    def _levels(
        self, pieces: tuple[Piece, ...], scopes: list[int], *, strict: bool
    ) -> Found | None:
        levels = [Level(scopes, many=False, partial=False)]
        for place, piece in enumerate(pieces):
            last = place == len(pieces) - 1
            level = self.pieces.level(piece, levels[-1].nodes, strict=strict, last=last)
            if level is None:
                return None
            if strict and last and levels[-1].partial and level.nodes == levels[-1].nodes:
                # a record to be removed must be called by its whole name
                return None
            levels.append(level)
            if not level.nodes:
                tested = any(p.condition is not None or p.excepted for p in pieces[: place + 1])
                return Found((), scopes=tuple(levels[-2].nodes)) if tested else None
        several = self._several(levels)
        return Found(
            tuple(levels[-1].nodes),
            many=any(level.many for level in levels) or self.scope_many or self.everywhere,
            several=several,
            partial=any(level.partial for level in levels),
            scopes=tuple(levels[-2].nodes),
            plain=len(pieces) == 1 and not pieces[0].picks,
        )

    def _several(self, levels: list[Level]) -> bool:
        """Whether a level that speaks of one thing has more than one that leads to the target."""
        if self.everywhere:
            return False
        leading = levels[-1].nodes
        for upper, lower in zip(reversed(levels[:-1]), reversed(levels[1:]), strict=True):
            holders: dict[int, int] = {}
            ordered = sorted(upper.nodes)
            for node in leading:
                holder = self.index.holder(node, ordered)
                holders[holder] = holders.get(holder, 0) + 1
            if not lower.many and any(count > 1 for count in holders.values()):
                return True
            leading = sorted(holders)
        return len(leading) > 1 and not self.scope_many


def _content(tokens: Tokens) -> Tokens:
    """`the value of count` means count."""
    rest = tokens[1:] if tokens and tokens[0].low in ARTICLES else tokens
    if len(rest) > 2 and singular(rest[0].low) in STRUCTURAL and rest[1].low in ("of", "for"):
        return rest[2:]
    return ()
