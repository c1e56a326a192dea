"""A document walked once: every node by its key, every record by what identifies it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

from redline.core.errors import LimitReached
from redline.instruct.operations import Path
from redline.instruct.values import Num, Value
from redline.instruct.words import key_form, key_words

MAX_DEPTH = 100
# About a microsecond of work each; ordinary instructions on 5,000 records take a fifth of it.
BUDGET = 1_000_000
NAME_FORMS = frozenset(
    "name fullname displayname firstname lastname username nick nickname title label handle".split()
)
_ID_FORMS = frozenset("id uuid key code sku slug email symbol isbn login number hostname".split())
_ID_ENDINGS = ("name", "id", "code", "number", "key", "title")


class OverBudget(Exception):
    """The instruction would take more work than allowed."""


class Index:
    """The nodes of a document in document order.

    Node *n* covers the numbers n .. end[n] - 1, so "beneath" is a comparison of numbers.
    """

    def __init__(self, document: Value, budget: int = BUDGET) -> None:
        self.document = document
        self.budget = budget
        self.parents: list[int] = []
        self.keys: list[str | int] = []
        self.values: list[Value] = []
        self.end: list[int] = []
        self.by_form: dict[str, list[int]] = {}
        self._by_key: dict[str, list[int]] = {}
        self._identifying: dict[str, bool] = {}
        self._known_tops: dict[tuple[int, ...], list[int]] = {}
        self._walk(document, -1, "", 0)

    def _walk(self, value: Value, parent: int, key: str | int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise LimitReached(f"Document is nested deeper than {MAX_DEPTH} levels")
        parents, keys, values, end = self.parents, self.keys, self.values, self.end
        node = len(parents)
        parents.append(parent)
        keys.append(key)
        values.append(value)
        end.append(node + 1)
        entries: Iterable[tuple[str | int, Value]]
        if isinstance(value, dict):
            entries = value.items()
        else:
            assert isinstance(value, list)
            entries = enumerate(value)
        for name, item in entries:
            child = len(parents)
            if name.__class__ is str:
                self._place(name, child)
            if item.__class__ is dict or item.__class__ is list:
                self._walk(item, node, name, depth + 1)
                continue
            # Most nodes are plain values: they are taken down without a call of their own.
            parents.append(node)
            keys.append(name)
            values.append(item)
            end.append(child + 1)
        end[node] = len(parents)

    def _place(self, key: str, node: int) -> None:
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = self.by_form.setdefault(key_form(key), [])
        found.append(node)

    def spend(self, work: int) -> None:
        """Take *work* from the budget; OverBudget when nothing is left."""
        self.budget -= work
        if self.budget < 0:
            raise OverBudget

    def path(self, node: int) -> Path:
        """The path of a node from the root."""
        parts: list[str] = []
        while node > 0:
            parts.append(str(self.keys[node]))
            node = self.parents[node]
        return tuple(reversed(parts))

    def children(self, node: int) -> Iterator[int]:
        """The nodes directly below."""
        child, end = node + 1, self.end[node]
        while child < end:
            yield child
            child = self.end[child]

    def child(self, node: int, key: str) -> int | None:
        """The entry of an object under exactly that key."""
        value = self.values[node]
        if not isinstance(value, dict) or key not in value:
            return None
        return next(c for c in self.children(node) if self.keys[c] == key)

    def node_at(self, path: Iterable[str]) -> int | None:
        """The node at *path*, or None."""
        node: int = 0
        for part in path:
            found = next((c for c in self.children(node) if str(self.keys[c]) == part), None)
            if found is None:
                return None
            node = found
        return node

    def beneath(self, nodes: Iterable[int], scopes: list[int]) -> list[int]:
        """Those of *nodes* (in order) that lie below one of *scopes*."""
        nodes = list(nodes)
        self.spend(10 + len(nodes) // 4)
        if scopes == [0]:
            return [node for node in nodes if node > 0]
        self.spend(len(scopes) // 8)
        tops = self._tops(scopes)
        found: list[int] = []
        for node in nodes:
            place = bisect_right(tops, node - 1) - 1
            if place >= 0 and node < self.end[tops[place]]:
                found.append(node)
        return found

    def _tops(self, scopes: list[int]) -> list[int]:
        key = tuple(scopes)
        known = self._known_tops.get(key)
        if known is not None:
            return known
        tops = self._known_tops[key] = []
        for scope in sorted(set(scopes)):
            if not tops or scope >= self.end[tops[-1]]:
                tops.append(scope)
        return tops

    def is_record(self, node: int) -> bool:
        """Whether the node is an element of an array."""
        return node > 0 and isinstance(self.values[self.parents[node]], list)

    def is_collection(self, node: int) -> bool:
        """Whether the node holds records: an array, or an object of objects."""
        value = self.values[node]
        if isinstance(value, list):
            return True
        return (
            isinstance(value, dict)
            and bool(value)
            and all(isinstance(item, dict) for item in value.values())
        )

    @cached_property
    def entities(self) -> dict[str, list[int]]:
        """Identifying text in lower case -> the fields that hold it, whole text only."""
        return self._named(whole=True)

    @cached_property
    def entity_parts(self) -> dict[str, list[int]]:
        """First words, and last word, of identifying names -> the fields that hold them."""
        found = self._named(whole=False)
        for text, fields in self._telling().items():
            found.setdefault(text, []).extend(fields)
        return found

    def _telling(self) -> dict[str, list[int]]:
        """Texts that tell the records of an array apart where none has a name or title."""
        found: dict[str, list[int]] = {}
        for array, value in enumerate(self.values):
            if not isinstance(value, list) or len(value) < 2:
                continue
            records = list(self.children(array))
            if any(not isinstance(r, dict) or not r for r in value) or self.is_named(records[0]):
                continue
            for key in _shared_keys(value):
                texts = [record[key] for record in value if isinstance(record, dict)]
                if len(set(map(str, texts))) == len(texts) and all(map(_is_label, texts)):
                    for record, text in zip(records, texts, strict=True):
                        field = self.child(record, key)
                        if field is not None:
                            found.setdefault(_spoken(str(text)), []).append(field)
        return found

    def _named(self, whole: bool) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for node, value in enumerate(self.values):
            kind = type(value)
            if (kind is not str and kind is not Num) or not self.identifies(node):
                continue
            text: str = value.text if isinstance(value, Num) else value  # type: ignore[assignment]
            for form in [_spoken(text)] if whole else _parts(text):
                found.setdefault(form, []).append(node)
        return found

    def identifies(self, node: int) -> bool:
        """Whether the field tells its record from others."""
        key = self.keys[node]
        if isinstance(key, int) or not key:
            return False
        known = self._identifying.get(key)
        if known is None:
            form, words = key_form(key), key_words(key)
            known = form in NAME_FORMS or form in _ID_FORMS
            known = known or (len(words) > 1 and words[-1] in _ID_ENDINGS)
            self._identifying[key] = known
        return known

    def is_named(self, node: int) -> bool:
        """Whether an object has a name of its own."""
        value = self.values[node]
        return isinstance(value, dict) and any(key_form(key) in NAME_FORMS for key in value)

    def record_of(self, field: int) -> int:
        """The record a field identifies: its object, or the array element that wraps it."""
        owner = self.parents[field]
        node = owner
        while node > 0:
            if self.is_record(node):
                return node
            node = self.parents[node]
            if node == 0 or self.is_named(node) or isinstance(self.values[node], list):
                break
        return owner

    def holder(self, node: int, ordered: list[int]) -> int:
        """Which of the nodes *ordered*, given in document order, *node* lies in."""
        place = bisect_right(ordered, node) - 1
        while place > 0 and node >= self.end[ordered[place]]:
            place -= 1
        return ordered[max(place, 0)]


def _spoken(text: str) -> str:
    return " ".join(text.lower().split())


def _parts(text: str) -> list[str]:
    words = _spoken(text).split()
    if not 2 <= len(words) <= 6:
        return []
    heads = [" ".join(words[:length]) for length in range(1, len(words))]
    return [*heads, words[-1]] if len(words) == 2 else heads


def _shared_keys(records: list[Value]) -> list[str]:
    first = records[0]
    keys = list(first) if isinstance(first, dict) else []
    return [k for k in keys if all(isinstance(r, dict) and k in r for r in records)]


def _is_label(value: Value) -> bool:
    """Whether a text is short enough to be what people call a thing."""
    return isinstance(value, str) and 0 < len(value) <= 40 and len(value.split()) <= 4
