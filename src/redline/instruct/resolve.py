"""From a noun phrase to the nodes it means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from redline.instruct.conditions import Condition, Test
from redline.instruct.filters import Filters, equals
from redline.instruct.index import Index
from redline.instruct.kinds import Kinds
from redline.instruct.lookup import Lookup
from redline.instruct.nouns import Piece, Target, parse_target
from redline.instruct.tokens import Token, Tokens
from redline.instruct.words import (
    ARTICLES,
    ORDINALS,
    STRUCTURAL,
    is_plural,
    key_form,
    key_words,
    singular,
)


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


_TOP = frozenset(("top-level", "toplevel", "root-level", "root"))


@dataclass(frozen=True, slots=True)
class _Level:
    nodes: list[int]
    many: bool
    partial: bool


class Resolver:
    """Resolves noun phrases against one document."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.filters = Filters(index)
        self.kinds = Kinds(index)
        self.lookup = Lookup(index, self.kinds)
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
        levels = [_Level(scopes, many=False, partial=False)]
        for place, piece in enumerate(pieces):
            last = place == len(pieces) - 1
            level = self._level(piece, levels[-1].nodes, strict=strict, last=last)
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

    def _several(self, levels: list[_Level]) -> bool:
        """Whether a level that speaks of one thing has more than one that leads to the target."""
        if self.everywhere:
            return False
        leading = levels[-1].nodes
        for upper, lower in zip(reversed(levels[:-1]), reversed(levels[1:]), strict=True):
            holders: dict[int, int] = {}
            ordered = sorted(upper.nodes)
            for node in leading:
                holder = self._holder(node, ordered)
                holders[holder] = holders.get(holder, 0) + 1
            if not lower.many and any(count > 1 for count in holders.values()):
                return True
            leading = sorted(holders)
        return len(leading) > 1 and not self.scope_many

    def _holder(self, node: int, ordered: list[int]) -> int:
        place = bisect_right(ordered, node) - 1
        while place > 0 and node >= self.index.end[ordered[place]]:
            place -= 1
        return ordered[max(place, 0)]

    def _level(self, piece: Piece, scopes: list[int], *, strict: bool, last: bool) -> _Level | None:
        top = self._top_level(piece, scopes) or self._same_record(piece, scopes)
        if top is not None:
            return top
        records = None if last else self.kinds.records_with(piece, scopes)
        if records is not None:
            return self._picked(piece, records, many=True)
        for names in self._variants(piece.names, scopes):
            level = self._named(replace(piece, names=names), scopes, strict=strict, last=last)
            if level is not None:
                return level
        return self._of_kind(piece, scopes, strict=strict, last=last)

    def _of_kind(
        self, piece: Piece, scopes: list[int], *, strict: bool, last: bool
    ) -> _Level | None:
        """Where no name fits: the things that are what the noun says."""
        if self.kinds.whole(piece, scopes):
            return _Level([0], many=False, partial=False)
        elements = self.kinds.of_root(piece, scopes)
        if elements and (piece.condition is not None or not (strict or last)):
            return self._picked(piece, elements, many=True)
        members = self.kinds.members(piece, scopes)
        if members is None or (strict and last and scopes == [0] and not members[1]):
            # "remove the editor" may mean a person or a word
            return None
        return self._picked(piece, members[0], many=members[1])

    def _picked(self, piece: Piece, members: list[int], *, many: bool) -> _Level | None:
        kept: list[int] | None = self._positions(piece, members)
        if kept and piece.condition is not None:
            kept = self._meeting(piece.condition, kept)
        if kept and piece.excepted:
            kept = self._without(kept, piece.excepted, members)
        return None if kept is None else _Level(kept, many, partial=False)

    def _same_record(self, piece: Piece, scopes: list[int]) -> _Level | None:
        """`Zoe's order`: the record of Zoe, called by the collection it stands in."""
        if len(piece.names) != 1 or piece.picks or not all(map(self.index.is_record, scopes)):
            return None
        form = key_form(piece.names[0].text)
        kinds = {key_form(str(self.index.keys[self.index.parents[s]])) for s in scopes}
        if kinds != {form} or is_plural(piece.names[0].text):
            return None
        return _Level(scopes, many=False, partial=False)

    def _top_level(self, piece: Piece, scopes: list[int]) -> _Level | None:
        """`the top-level name`: the entry of the document itself."""
        names = piece.names
        if len(names) < 2 or scopes != [0] or names[0].low not in _TOP or piece.picks:
            return None
        nodes = self.lookup.phrase(names[1:], scopes, strict=True, last=True)[0]
        own = [node for node in nodes if self.index.parents[node] == 0]
        return _Level(own, many=False, partial=False) if len(own) == 1 else None

    def _variants(self, names: Tokens, scopes: list[int]) -> Iterator[Tokens]:
        """The names, then without a noun that only says what kind of thing it is."""
        yield names
        if len(names) > 1:
            kinds = {key_form(str(self.index.keys[scope])) for scope in scopes[:1]}
            if self._is_kind(names[-1], kinds):
                yield names[:-1]
            if self._is_kind(names[0], kinds):
                yield names[1:]

    def _is_kind(self, name: Token, kinds: set[str]) -> bool:
        """`field`, `entry`, or `tag` within tags."""
        if name.kind != "word":
            return False
        return singular(name.low) in STRUCTURAL or key_form(name.text) in kinds

    def _named(self, piece: Piece, scopes: list[int], *, strict: bool, last: bool) -> _Level | None:
        if not piece.names:
            # Nothing says what of: only a scope that was named, or a document that is a list.
            named = scopes != [0] or isinstance(self.index.document, list)
            nodes, partial = [s for s in scopes if named and self.index.is_collection(s)], False
            if not nodes and scopes == [0] and piece.quantifier == "everyone":
                whole = strict and last and piece.condition is None and not piece.excepted
                nodes = [] if whole else self.kinds.people()
        else:
            strict_here = strict and last and not piece.picks
            nodes, partial = self.lookup.phrase(piece.names, scopes, strict=strict_here, last=last)
        if not nodes:
            return self._described(piece, scopes)
        nodes = self._nearest(nodes, scopes, piece)
        if not piece.picks:
            return _Level(nodes, self._is_plural_of(piece, nodes), partial)
        return self._pick(piece, nodes, partial)

    def _nearest(self, nodes: list[int], scopes: list[int], piece: Piece) -> list[int]:
        """Within a named scope a direct entry is meant before a deeper one of the same name."""
        if scopes == [0] or piece.quantifier:
            return nodes
        tops = set(scopes)
        direct = {self.index.parents[n] for n in nodes if self.index.parents[n] in tops}
        if not direct:
            return nodes
        ordered = sorted(direct)
        return [
            n
            for n in nodes
            if self.index.parents[n] in direct
            or self._holder(n, ordered) not in direct
            or n >= self.index.end[self._holder(n, ordered)]
        ]

    def _is_plural_of(self, piece: Piece, nodes: list[int]) -> bool:
        """Whether the phrase is a plural and the keys it names are not: `prices` for `price`."""
        word = piece.names[-1] if piece.names else None
        if word is None or word.kind != "word" or not is_plural(word.text):
            return False
        return all(
            isinstance(key := self.index.keys[n], str) and not is_plural(key_words(key)[-1])
            for n in nodes
            if isinstance(self.index.keys[n], str) and key_words(str(self.index.keys[n]))
        )

    def _pick(self, piece: Piece, nodes: list[int], partial: bool) -> _Level | None:
        """Elements of the named collections, by position, condition and exception."""
        elements: list[int] = []
        for node in nodes:
            if self.index.is_collection(node) or (piece.excepted and self._is_object(node)):
                elements += self._positions(piece, list(self.index.children(node)))
            elif piece.first is None:
                elements.append(node)
        if not elements:
            return None
        kept: list[int] | None = elements
        if piece.condition is not None:
            kept = self._meeting(piece.condition, elements)
        if kept is not None and piece.excepted:
            kept = self._without(kept, piece.excepted, elements) if self._is_many(piece) else None
        if kept is None:
            return None
        plain = not any(isinstance(self.index.values[e], dict | list) for e in elements)
        swept = plain and piece.condition is not None and piece.condition.sweeping
        return _Level(kept, swept or self._is_many(piece), partial)

    def _is_object(self, node: int) -> bool:
        return isinstance(self.index.values[node], dict)

    def _meeting(self, condition: Condition, elements: list[int]) -> list[int] | None:
        """A condition on plain fields is one on the records they stand in."""
        kept = self.filters.satisfying(condition, elements)
        if kept is not None or any(isinstance(self.index.values[e], dict) for e in elements):
            return kept
        for owner_of in (self._parent, self._enclosing):
            owners = sorted({owner_of(e) for e in elements})
            passing = self.filters.satisfying(condition, owners)
            if passing is not None:
                held = set(passing)
                return [e for e in elements if owner_of(e) in held]
        return None

    def _parent(self, node: int) -> int:
        return self.index.parents[node]

    def _enclosing(self, node: int) -> int:
        """The array element a node lies in, or the document."""
        node = self.index.parents[node]
        while node > 0 and not self.index.is_record(node):
            node = self.index.parents[node]
        return node

    def _is_many(self, piece: Piece) -> bool:
        plural = bool(piece.names) and is_plural(piece.names[-1].text)
        return bool(piece.quantifier) or piece.count > 1 or (plural and piece.first is None)

    def _positions(self, piece: Piece, children: list[int]) -> list[int]:
        if piece.first is None:
            return children
        start = piece.first if piece.first >= 0 else len(children) + piece.first
        if start < 0 or start + piece.count > len(children):
            return []
        return children[start : start + piece.count]

    def _without(self, kept: list[int], excepted: Tokens, elements: list[int]) -> list[int] | None:
        gone: set[int] = set()
        for part in _listed(excepted):
            meanings = self.find(part, scopes=(self.index.parents[elements[0]],))
            if len(meanings) != 1 or not meanings[0].nodes:
                return None
            for node in meanings[0].nodes:
                gone |= {e for e in elements if e <= node < self.index.end[e]}
        return [node for node in kept if node not in gone] if gone else None

    def _described(self, piece: Piece, scopes: list[int]) -> _Level | None:
        """`inactive users`: words before the noun that fit the records by one of their fields."""
        for cut in range(len(piece.names) - 1, 0, -1):
            words, noun = piece.names[:cut], piece.names[cut:]
            nodes, _ = self.lookup.phrase(noun, scopes, strict=False, last=False)
            elements = [
                child
                for node in nodes
                if self.index.is_collection(node)
                for child in self.index.children(node)
            ]
            if not elements:
                held = [n for n in nodes if equals(self.index.values[n], words)]
                if held and piece.first is None and piece.condition is None and not piece.excepted:
                    # "every pending status": the fields of that name that say so
                    return _Level(held, self._is_many(piece), partial=False)
                elements = self.kinds.named_by(replace(piece, names=noun), scopes)
            fitting = self.filters.described(words, elements)
            if fitting is None:
                continue
            kept = [e for e in elements if e in fitting]
            if piece.condition is not None:
                kept = self.filters.satisfying(piece.condition, kept) or []
            if piece.first is not None:
                kept = self._positions(piece, kept)
            return _Level(kept, self._is_many(piece), partial=False)
        return None


def _content(tokens: Tokens) -> Tokens:
    """`the value of count` means count."""
    rest = tokens[1:] if tokens and tokens[0].low in ARTICLES else tokens
    if len(rest) > 2 and singular(rest[0].low) in STRUCTURAL and rest[1].low in ("of", "for"):
        return rest[2:]
    return ()


def _listed(tokens: Tokens) -> list[Tokens]:
    parts: list[Tokens] = [()]
    for token in tokens:
        if token.low in ("and", ",", "or"):
            parts.append(())
        else:
            parts[-1] = (*parts[-1], token)
    return [part for part in parts if part]
