"""What every verb's grammar works with: targets, values and the memory of earlier clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from redline.instruct.index import Index
from redline.instruct.operations import ABSENT, Absent, Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.resolve import Found, Resolver
from redline.instruct.tokens import Tokens, text_of, tokenize
from redline.instruct.typed import listed, typed
from redline.instruct.values import Value, same, type_name
from redline.instruct.words import ARTICLES, ORDINALS, SCOPING, key_form, key_words

BASE = 0.95
PARTIAL = 0.03
IMPLIED = 0.04
PRONOUNS = frozenset("it them that this those these".split())
OWNERS = frozenset("its his her their".split())
_PEERS = 200


@dataclass(slots=True)
class Memory:
    """What earlier clauses of the same instruction spoke of."""

    found: tuple[int, ...] = ()
    head: Tokens = ()
    scopes: tuple[int, ...] = (0,)
    # Whether the clause before gave its value without a connecting word.
    loose: bool = False


@dataclass(slots=True)
class Reader:
    """One instruction being read against one document."""

    source: str
    index: Index
    resolver: Resolver
    memory: Memory = field(default_factory=Memory)
    elided: bool = False
    # Whether the place was given as a path, so that even a change of its kind is meant.
    exact: bool = False
    _peers: dict[str, list[Value]] = field(default_factory=dict)

    @contextmanager
    def speaking_of_all(self, everywhere: bool) -> Iterator[None]:
        """Within it, a place that is there more than once is meant each time."""
        before = self.resolver.everywhere
        self.resolver.everywhere = before or everywhere
        try:
            yield
        finally:
            self.resolver.everywhere = before

    def text(self, tokens: Tokens) -> str:
        """The words as written."""
        return text_of(tokens, self.source)

    def tokens(self, text: str) -> Tokens:
        """The tokens of *text*."""
        return tokenize(text)

    def nearest(self, word: str) -> list[str]:
        """Keys that differ from *word* by a slip of the finger."""
        from difflib import get_close_matches

        return get_close_matches(key_form(word), self.index.by_form, n=3, cutoff=0.8)

    def value(self, node: int) -> Value:
        """The value at a node."""
        return self.index.values[node]

    def targets(self, tokens: Tokens, *, strict: bool = False) -> Found:
        """What *tokens* mean, as one or several places; Unclear unless it is certain."""
        if not tokens:
            raise Unclear("words", "nothing says what to change")
        meanings = self.meanings(tokens, strict=strict)
        if not meanings:
            raise Unclear("target", f"nothing here is called {self.text(tokens)!r}",
                          value=self.text(tokens))  # fmt: skip
        if len(meanings) > 1:
            nodes = tuple(dict.fromkeys(n for m in meanings for n in m.nodes))
            raise Unclear("several", self._several(tokens, nodes), nodes)
        found = meanings[0]
        if found.several:
            raise Unclear("several", self._several(tokens, found.nodes), found.nodes)
        return found

    def _several(self, tokens: Tokens, nodes: tuple[int, ...]) -> str:
        keys = {key_form(str(self.index.keys[n])) for n in nodes}
        if len(keys) == 1 and isinstance(self.index.keys[nodes[0]], str):
            return f"multiple {' '.join(key_words(str(self.index.keys[nodes[0]])))} fields found"
        return f"{self.text(tokens)!r} fits {len(nodes)} places"

    def meanings(self, tokens: Tokens, *, strict: bool = False) -> list[Found]:
        """Every distinct meaning of *tokens*, pronouns and lists included."""
        scopes = self.memory.scopes
        if len(tokens) == 1 and tokens[0].low in PRONOUNS:
            return self._back(self.memory.found, many=tokens[0].low in ("them", "those", "these"))
        if len(tokens) > 1 and tokens[0].low in OWNERS:
            scopes, tokens = self.owners(), tokens[1:]
            if not scopes:
                return []
        parts = listed(tokens)
        if len(parts) > 1:
            whole = self.resolver.find(tokens, scopes=scopes, strict=strict)
            together = self.places(parts, strict=strict)
            return whole or ([together] if together else [])
        if tokens[-1].kind == "poss" and self.memory.head:
            tokens = (*tokens, *self.memory.head)
        return self._find(tokens, scopes, strict=strict)

    def _find(self, tokens: Tokens, scopes: tuple[int, ...], *, strict: bool) -> list[Found]:
        """An elided clause keeps the owner of the one before, when that owner has such a thing."""
        if self.elided and scopes == (0,) and not _is_scoped(tokens):
            owners = self.owners()
            if owners:
                own = self.resolver.find(tokens, scopes=owners, strict=strict)
                if own and own[0].nodes:
                    return own
        return self.resolver.find(tokens, scopes=scopes, strict=strict)

    def _back(self, found: tuple[int, ...], *, many: bool) -> list[Found]:
        if not found or (len(found) > 1 and not many):
            return []
        return [Found(found, many=many)]

    def owners(self) -> tuple[int, ...]:
        """The record the last clause spoke of: a record itself, or the one its field lies in."""
        owners: dict[int, None] = {}
        for node in self.memory.found:
            while node > 0 and not self.index.is_record(node):
                if isinstance(self.value(node), dict) and node in self.memory.found:
                    break
                node = self.index.parents[node]
            if node == 0:
                node = self.index.parents[self.memory.found[0]]
            owners[node] = None
        owners.pop(0, None)
        owners.pop(-1, None)
        return tuple(owners)

    def places(self, parts: list[Tokens], *, strict: bool) -> Found | None:
        """`Alice's email and phone`, `the host and port of the database`, `caching and logging`."""
        nodes: list[int] = []
        partial = False
        for place in range(len(parts)):
            found = None
            for tried in self._shared(parts, place):
                meanings = self._find(tried, self.memory.scopes, strict=strict)
                if len(meanings) == 1 and meanings[0].nodes and not meanings[0].several:
                    found = meanings[0]
                    break
            if found is None:
                return None
            nodes += found.nodes
            partial = partial or found.partial
        if len(set(nodes)) != len(nodes):
            return None
        return Found(tuple(nodes), many=True, partial=partial)

    def _shared(self, parts: list[Tokens], place: int) -> Iterator[Tokens]:
        """The part with the owner of the first or the scope of the last, then by itself."""
        part, first, last = parts[place], parts[0], parts[-1]
        bare = tuple(t for t in part if t.low not in ARTICLES)
        if place < len(parts) - 1 and bare and bare[-1].low in ORDINALS:
            # "the first and the last step": the noun is said once
            yield (*part, *_after_ordinal(last))
            return
        if place < len(parts) - 1 and part[-1].kind == "poss":
            # "Ann's and Bob's age"
            yield (*part, *_after_owner(last))
            return
        if place and not _is_scoped(part):
            cut = next((i for i in range(len(first) - 1, -1, -1) if first[i].kind == "poss"), None)
            if cut is not None:
                yield (*first[: cut + 1], *part)
            cut = next((i for i in range(len(first) - 1, 0, -1) if first[i].low in SCOPING), None)
            if cut is not None:
                yield (*first[: cut + 1], *part)
        if place < len(parts) - 1 and not _is_scoped(part):
            yield from _ending(part, last)
        yield part

    def peers(self, node: int) -> list[Value]:
        """Values other records hold under the same key."""
        key = self.index.keys[node]
        if not isinstance(key, str):
            siblings = self.index.children(self.index.parents[node])
            return [
                self.value(n) for n, _ in zip(siblings, range(_PEERS), strict=False) if n != node
            ]
        return self.peers_of(key)

    def peers_of(self, key: str) -> list[Value]:
        """Values found under a key anywhere."""
        known = self._peers.get(key)
        if known is None:
            nodes = self.index.by_form.get(key_form(key), [])[:_PEERS]
            held = [self.value(n) for n in nodes if self.index.keys[n] == key]
            texts = {v for v in held if isinstance(v, str)}
            known = [*sorted(texts), *[v for v in held if not isinstance(v, str)][:20]]
            self._peers[key] = known
        return known

    def typed(self, tokens: Tokens, node: int) -> Value:
        """The value *tokens* say for the place *node*."""
        key, current = self.index.keys[node], self.value(node)
        value = typed(tokens, self.source, current, self.peers(node), str(key))
        kinds = {isinstance(v, dict | list) for v in (current, value) if v is not None}
        if len(kinds) == 2 and not self.exact:
            raise Unclear("type", f"{key} holds a {type_name(current)}, not {type_name(value)}",
                          (node,))  # fmt: skip
        return value

    def replace(self, node: int, value: Value, confidence: float = BASE) -> list[Operation]:
        """The operation that puts *value* at *node*; none when it is there already."""
        if same(self.value(node), value):
            return []
        path = self.index.path(node)
        return [Operation("replace", path, self.value(node), value).rated(confidence)]

    def each(
        self, found: Found, change: Callable[[int], Value], *, confidence: float = BASE
    ) -> Outcome:
        """Every place of *found* gets what *change* says."""
        if not found.nodes:
            return Outcome((), "nothing fits the condition")
        rated = confidence - (PARTIAL if found.partial else 0)
        operations: list[Operation] = []
        for node in found.nodes:
            operations += self.replace(node, change(node), rated)
        return Outcome(tuple(operations), "already as asked", found.nodes)


def rate(found: Found, confidence: float = BASE) -> float:
    """The confidence of a change that rests on *found*."""
    return round(confidence - (PARTIAL if found.partial else 0), 2)


def shown(reader: Reader, found: Found) -> str:
    """Where the first place found is."""
    return "/".join(reader.index.path(found.nodes[0])) if found.nodes else "it"


def best(attempts: Iterable[Callable[[], Outcome]]) -> list[Outcome]:
    """The outcomes of the attempts that worked; the most telling refusal when none did."""
    worked: list[Outcome] = []
    refusal: Unclear | None = None
    for attempt in attempts:
        try:
            worked.append(attempt())
        except Unclear as unclear:
            if refusal is None or unclear.weight > refusal.weight:
                refusal = unclear
    if worked:
        acting = [outcome for outcome in worked if outcome.operations]
        return acting or worked[:1]
    raise refusal or Unclear("clause", "the instruction is not understood")


def _after_owner(tokens: Tokens) -> Tokens:
    place = next((i for i, t in enumerate(tokens) if t.kind == "poss"), len(tokens))
    return tokens[place + 1 :]


def _ending(part: Tokens, last: Tokens) -> Iterator[Tokens]:
    """The part with the scope or the owned thing that only the last one says."""
    cut = next((i for i, t in enumerate(last) if i and t.low in SCOPING), None)
    if cut is not None:
        yield (*part, *last[cut:])
    if _after_owner(last):
        # "Ann and Bob's age"
        place = next(i for i, t in enumerate(last) if t.kind == "poss")
        yield (*part, *last[place:])


def _after_ordinal(tokens: Tokens) -> Tokens:
    place = next((i for i, t in enumerate(tokens) if t.low in ORDINALS), -1)
    return tokens[place + 1 :] if place >= 0 else ()


def _is_scoped(tokens: Tokens) -> bool:
    return any(t.kind == "poss" or (i and t.low in SCOPING) for i, t in enumerate(tokens))


__all__ = ["ABSENT", "BASE", "IMPLIED", "Absent", "Memory", "Reader", "best", "rate", "shown"]
