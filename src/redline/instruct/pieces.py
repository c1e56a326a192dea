"""From one piece of a noun phrase to the nodes it means within its scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from redline.instruct.conditions import Condition
from redline.instruct.filters import Filters, equals
from redline.instruct.index import Index
from redline.instruct.kinds import Kinds
from redline.instruct.lookup import Lookup
from redline.instruct.nouns import Piece
from redline.instruct.tokens import Token, Tokens
from redline.instruct.words import STRUCTURAL, is_plural, key_form, key_words, singular

_TOP = frozenset(("top-level", "toplevel", "root-level", "root"))


@dataclass(frozen=True, slots=True)
class Level:
    """The nodes one piece means; `many` when it speaks of more than one."""

    nodes: list[int]
    many: bool
    partial: bool


# The one set of nodes a phrase means below a node, or None.
Meaning = Callable[[Tokens, int], tuple[int, ...] | None]


class Pieces:
    """Finds what a piece means: by name, kind, position, condition and exception."""

    def __init__(self, index: Index, meaning: Meaning) -> None:
        self.index = index
        self.filters = Filters(index)
        self.kinds = Kinds(index)
        self.lookup = Lookup(index, self.kinds)
        self._meaning = meaning

    def level(self, piece: Piece, scopes: list[int], *, strict: bool, last: bool) -> Level | None:
        """What *piece* means within *scopes*, or None when nothing fits."""
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
    ) -> Level | None:
        """Where no name fits: the things that are what the noun says."""
        if self.kinds.whole(piece, scopes):
            return Level([0], many=False, partial=False)
        elements = self.kinds.of_root(piece, scopes)
        if elements and (piece.condition is not None or not (strict or last)):
            return self._picked(piece, elements, many=True)
        members = self.kinds.members(piece, scopes)
        if members is None or (strict and last and scopes == [0] and not members[1]):
            # "remove the editor" may mean a person or a word
            return None
        return self._picked(piece, members[0], many=members[1])

    def _picked(self, piece: Piece, members: list[int], *, many: bool) -> Level | None:
        kept: list[int] | None = self._positions(piece, members)
        if kept and piece.condition is not None:
            kept = self._meeting(piece.condition, kept)
        if kept and piece.excepted:
            kept = self._without(kept, piece.excepted, members)
        return None if kept is None else Level(kept, many, partial=False)

    def _same_record(self, piece: Piece, scopes: list[int]) -> Level | None:
        """`Zoe's order`: the record of Zoe, called by the collection it stands in."""
        if len(piece.names) != 1 or piece.picks or not all(map(self.index.is_record, scopes)):
            return None
        form = key_form(piece.names[0].text)
        kinds = {key_form(str(self.index.keys[self.index.parents[s]])) for s in scopes}
        if kinds != {form} or is_plural(piece.names[0].text):
            return None
        return Level(scopes, many=False, partial=False)

    def _top_level(self, piece: Piece, scopes: list[int]) -> Level | None:
        """`the top-level name`: the entry of the document itself."""
        names = piece.names
        if len(names) < 2 or scopes != [0] or names[0].low not in _TOP or piece.picks:
            return None
        nodes = self.lookup.phrase(names[1:], scopes, strict=True, last=True)[0]
        own = [node for node in nodes if self.index.parents[node] == 0]
        return Level(own, many=False, partial=False) if len(own) == 1 else None

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

    def _named(self, piece: Piece, scopes: list[int], *, strict: bool, last: bool) -> Level | None:
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
            return Level(nodes, self._is_plural_of(piece, nodes), partial)
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
            or self.index.holder(n, ordered) not in direct
            or n >= self.index.end[self.index.holder(n, ordered)]
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

    def _pick(self, piece: Piece, nodes: list[int], partial: bool) -> Level | None:
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
        return Level(kept, swept or self._is_many(piece), partial)

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
            nodes = self._meaning(part, self.index.parents[elements[0]])
            if nodes is None:
                return None
            for node in nodes:
                gone |= {e for e in elements if e <= node < self.index.end[e]}
        return [node for node in kept if node not in gone] if gone else None

    def _described(self, piece: Piece, scopes: list[int]) -> Level | None:
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
                    return Level(held, self._is_many(piece), partial=False)
                elements = self.kinds.named_by(replace(piece, names=noun), scopes)
            fitting = self.filters.described(words, elements)
            if fitting is None:
                continue
            kept = [e for e in elements if e in fitting]
            if piece.condition is not None:
                kept = self.filters.satisfying(piece.condition, kept) or []
            if piece.first is not None:
                kept = self._positions(piece, kept)
            return Level(kept, self._is_many(piece), partial=False)
        return None


def _listed(tokens: Tokens) -> list[Tokens]:
    parts: list[Tokens] = [()]
    for token in tokens:
        if token.low in ("and", ",", "or"):
            parts.append(())
        else:
            parts[-1] = (*parts[-1], token)
    return [part for part in parts if part]
