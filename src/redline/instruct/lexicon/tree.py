"""A document's nodes in document order, with constant-time containment tests."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence

from redline.core.errors import LimitReached
from redline.instruct.language.words import key_form, key_words
from redline.instruct.model.operations import Path
from redline.instruct.model.values import Num, Value

MAX_DEPTH = 100
MAX_PEERS = 200
# About a microsecond of work each.
BUDGET = 1_500_000
# Larger documents are not searched node by node for what may be meant.
MAX_SEARCHED_NODES = 4000
Nodes = tuple[int, ...]
NAME_FORMS = frozenset(
    "name fullname displayname firstname lastname username nick nickname title label handle".split()
)
ID_FORMS = frozenset(
    "id uuid key code sku slug email symbol isbn login number hostname n no nr num ref "
    "plate".split()
)
# Fields that say how a record is, never which one it is.
_STATES = frozenset("status state mode severity priority condition".split())
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?|\d\d?:\d\d(:\d\d)?")
_ID_ENDINGS = ("name", "id", "code", "number", "key", "title", "no", "nr", "num", "ref")


class OverBudget(Exception):
    """Reading the instruction would take more work than allowed."""


class DocumentTree:
    """The nodes of a document; node *n* contains the nodes n .. end[n] - 1."""

    def __init__(self, document: Value, budget: int = BUDGET) -> None:
        self.document = document
        self.budget = budget
        self.parents: list[int] = []
        self.keys: list[str | int] = []
        self.values: list[Value] = []
        self.end: list[int] = []
        self.by_key: dict[str, list[int]] = {}
        self.by_form: dict[str, list[int]] = {}
        self._identifying: dict[str, bool] = {}
        self._labels: dict[tuple[int, str], bool] = {}
        self._paths: dict[int, Path] = {}
        self._by_part: dict[int, dict[str, int]] = {}
        self.selections: dict[Hashable, Nodes | None] = {}
        self._peers: dict[tuple[int, Path], tuple[list[Value], bool]] = {}
        self._walk(document, -1, "", 0)
        for key, nodes in self.by_key.items():
            self.by_form.setdefault(key_form(key), []).extend(nodes)
        for nodes in self.by_form.values():
            nodes.sort()

    def _walk(self, value: Value, parent: int, key: str | int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise LimitReached(f"Document is nested deeper than {MAX_DEPTH} levels")
        parents, keys, values, end, by_key = (
            self.parents, self.keys, self.values, self.end, self.by_key,
        )  # fmt: skip
        node = len(parents)
        parents.append(parent)
        keys.append(key)
        values.append(value)
        end.append(node + 1)
        entries: Iterable[tuple[str | int, Value]]
        if isinstance(value, dict):
            entries = value.items()
            for key in value:
                if key not in by_key:
                    by_key[key] = []
        else:
            assert isinstance(value, list)
            entries = enumerate(value)
        for name, item in entries:
            child = len(parents)
            if name.__class__ is str:
                by_key[name].append(child)
            if item.__class__ is dict or item.__class__ is list:
                self._walk(item, node, name, depth + 1)
                continue
            # Most nodes are scalars: appended here to save a call for each.
            parents.append(node)
            keys.append(name)
            values.append(item)
            end.append(child + 1)
        end[node] = len(parents)

    def spend(self, work: int) -> None:
        """Take *work* from the budget; OverBudget when nothing is left."""
        self.budget -= work
        if self.budget < 0:
            raise OverBudget

    def path(self, node: int) -> Path:
        """Return the path of a node from the root."""
        if node <= 0:
            return ()
        known = self._paths.get(node)
        if known is None:
            known = self._paths[node] = (*self.path(self.parents[node]), str(self.keys[node]))
        return known

    def children(self, node: int) -> Iterator[int]:
        """Iterate over the nodes directly below *node*."""
        child, end = node + 1, self.end[node]
        while child < end:
            yield child
            child = self.end[child]

    def child(self, node: int, key: str) -> int | None:
        """Return the member of an object under exactly that key."""
        value = self.values[node]
        if not isinstance(value, dict) or key not in value:
            return None
        return next(c for c in self.children(node) if self.keys[c] == key)

    def children_called(self, node: int, form: str) -> list[int]:
        """Return the children whose key has that form."""
        return [c for c in self.children(node) if key_form(str(self.keys[c])) == form]

    def node_at(self, path: Iterable[str], start: int = 0) -> int | None:
        """Return the node at *path* below *start*, or None."""
        node = start
        for part in path:
            if node not in self._by_part:
                self._by_part[node] = {str(self.keys[c]): c for c in self.children(node)}
            found = self._by_part[node].get(part)
            if found is None:
                return None
            node = found
        return node

    def ancestors(self, node: int) -> Iterator[int]:
        """Iterate over the node's containers, the nearest first."""
        node = self.parents[node]
        while node >= 0:
            yield node
            node = self.parents[node]

    def outermost(self, nodes: Sequence[int]) -> list[int]:
        """Drop nodes that lie inside another of *nodes*; the rest in document order."""
        tops: list[int] = []
        for node in sorted(set(nodes)):
            if not tops or node >= self.end[tops[-1]]:
                tops.append(node)
        return tops

    def inside(self, nodes: Sequence[int], holders: Sequence[int]) -> Nodes:
        """Return those of *nodes* that are one of *holders* or lie inside one."""
        self.spend(10 + (len(nodes) + len(holders)) // 3)
        tops = self.outermost(holders)
        if tops == [0]:
            return tuple(nodes)
        found: list[int] = []
        end = self.end
        for node in nodes:
            place = bisect_right(tops, node) - 1
            if place >= 0 and node < end[tops[place]]:
                found.append(node)
        return tuple(found)

    def strictly_inside(self, nodes: Sequence[int], holders: Sequence[int]) -> Nodes:
        """Return those of *nodes* that lie inside one of *holders* and are none of them."""
        held = set(holders)
        return tuple(n for n in self.inside(nodes, holders) if n not in held)

    def directly_in(self, nodes: Sequence[int], holders: Iterable[int]) -> Nodes:
        """Return those of *nodes* whose parent is one of *holders*."""
        held = set(holders)
        return tuple(n for n in nodes if self.parents[n] in held)

    def below(self, holder: int, nodes: Sequence[int]) -> Sequence[int]:
        """Return the slice of sorted *nodes* that lies in *holder*'s subtree, itself included."""
        return nodes[bisect_left(nodes, holder) : bisect_left(nodes, self.end[holder])]

    def is_element(self, node: int) -> bool:
        """Return whether the node is an element of an array."""
        return node > 0 and isinstance(self.values[self.parents[node]], list)

    def is_map(self, node: int) -> bool:
        """Return whether the node is an object of two or more objects with a key in common."""
        value = self.values[node]
        if not isinstance(value, dict) or len(value) < 2:
            return False
        shared: set[str] | None = None
        for item in value.values():
            if not isinstance(item, dict):
                return False
            shared = set(item) if shared is None else shared & set(item)
        return bool(shared)

    def is_record(self, node: int) -> bool:
        """Return whether the node is one of several alike: an array element or a map's entry."""
        if node <= 0 or not isinstance(self.values[node], dict):
            return False
        return self.is_element(node) or self.is_map(self.parents[node])

    def is_group(self, node: int) -> bool:
        """Return whether a node holds records, of which conditions speak one by one."""
        value = self.values[node]
        if isinstance(value, list):
            return any(isinstance(item, dict) for item in value)
        return isinstance(value, dict) and self.is_map(node)

    def is_collection(self, node: int) -> bool:
        """Return whether the node holds things of one kind: an array, or an object of objects."""
        value = self.values[node]
        if isinstance(value, list):
            return True
        if not isinstance(value, dict) or not value:
            return False
        kinds = {type(item) for item in value.values()}
        return kinds == {dict}

    def identifies(self, node: int) -> bool:
        """Return whether the field tells its record from others, by its key or by its values."""
        key = self.keys[node]
        if key.__class__ is not str or not key:
            return False
        known = self._identifying.get(key)
        if known is None:
            form, words = key_form(key), key_words(key)
            known = form in NAME_FORMS or form in ID_FORMS
            known = known or (len(words) > 1 and words[-1] in _ID_ENDINGS)
            self._identifying[key] = known
        return known or self.is_label(node)

    def is_label(self, node: int) -> bool:
        """Return whether a short text is different in every record of the array."""
        record = self.parents[node]
        if not self.is_element(record) or not isinstance(self.values[node], str):
            return False
        array, key = self.parents[record], str(self.keys[node])
        if key in _STATES:
            return False
        known = self._labels.get((array, key))
        if known is None:
            held = self.values[array]
            assert isinstance(held, list)
            texts = [item.get(key) for item in held if isinstance(item, dict)]
            known = (
                len(texts) == len(held) > 1
                and not self.is_named(record)
                and all(isinstance(t, str) and 0 < len(t) <= 40 for t in texts)
                and not all(_MOMENT.fullmatch(str(t)) for t in texts)
                and len(set(texts)) == len(texts)
            )
            self._labels[array, key] = known
        return known

    def is_named(self, node: int) -> bool:
        """Return whether an object has a name of its own."""
        value = self.values[node]
        return isinstance(value, dict) and any(key_form(key) in NAME_FORMS for key in value)

    def element_around(self, node: int) -> int:
        """Return the nearest element of an array that a node is or lies in; 0 for none."""
        while node > 0 and not isinstance(self.keys[node], int):
            node = self.parents[node]
        return max(node, 0)

    def record_of(self, field: int) -> int:
        """Return the record a field belongs to: the nearest record around it, else its object."""
        owner = self.parents[field]
        node = owner
        while node > 0:
            if self.is_record(node):
                return node
            node = self.parents[node]
            if node == 0 or self.is_named(node) or isinstance(self.values[node], list):
                break
        return owner

    def peers(self, field: int) -> list[Value]:
        """Return the different values records of the collection hold under the field's path."""
        return self._peers_of(field)[0]

    def repeats(self, field: int) -> bool:
        """Return whether records share values under the field's path: a state, not a name."""
        return self._peers_of(field)[1]

    def _peers_of(self, field: int) -> tuple[list[Value], bool]:
        record = self.record_of(field)
        if record <= 0 or not self.is_record(record):
            return [], False
        holder = self.parents[record]
        rest = self.path(field)[len(self.path(record)) :]
        known = self._peers.get((holder, rest))
        if known is None:
            self.spend(self.end[holder] - holder)
            nodes = (self.node_at(rest, sibling) for sibling in self.children(holder))
            values = [self.values[node] for node in nodes if node is not None]
            distinct: dict[str, Value] = {}
            for value in values:
                distinct.setdefault(repr(value), value)
                if len(distinct) == MAX_PEERS:
                    break
            known = (list(distinct.values()), len(distinct) < len(values))
            self._peers[holder, rest] = known
        return known

    def text(self, node: int) -> str | None:
        """Return a scalar's text: strings and numbers; None for the rest."""
        value = self.values[node]
        if isinstance(value, str):
            return value
        return value.text if isinstance(value, Num) else None
