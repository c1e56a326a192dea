"""A document's nodes in document order, with the ways in which an instruction can name them."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence

from redline.core.call_scope import checkpoint
from redline.core.errors import LimitReached
from redline.instruct.model.operations import Path, is_index
from redline.instruct.model.values import Num, Value
from redline.instruct.words import is_plural, key_form, key_words

MAX_DEPTH = 100
MAX_CPU = 0.8  # seconds of this thread for one instruction
_STRIDE = 1000  # units of work between two looks at the clock
NAME_FORMS = frozenset(
    "name fullname displayname firstname lastname username nickname title label handle".split()
)
_ID_FORMS = frozenset(
    "id uuid key code sku slug email symbol isbn login number hostname host n no nr num ref plate "
    "tag bib username ticket".split()
)
_ID_ENDINGS = ("name", "id", "code", "number", "key", "title", "no", "ref", "sku")
Nodes = tuple[int, ...]


class OverBudget(Exception):
    """Reading the instruction would take more time than allowed."""


class DocumentTree:
    """The nodes of a document; node *n* contains the nodes n .. end[n] - 1."""

    def __init__(self, document: Value) -> None:
        self.document = document
        self.parents: list[int] = []
        self.keys: list[str | int] = []
        self.values: list[Value] = []
        self.end: list[int] = []
        self.by_key: dict[str, list[int]] = {}
        self.by_form: dict[str, list[int]] = {}
        self._maps: dict[int, bool] = {}
        self._identity: dict[int, frozenset[str]] = {}
        self._labels: dict[str, list[int]] | None = None
        self._first_texts: dict[str, list[int]] = {}
        self._texts: frozenset[str] | None = None
        self._name_words: dict[str, list[int]] = {}
        self._work = _STRIDE
        self._deadline = time.thread_time() + MAX_CPU
        self._soonest = time.monotonic() + MAX_CPU
        self._walk(document, -1, "", 0)
        for key, nodes in self.by_key.items():
            held = self.by_form.setdefault(key_form(key), [])
            held.extend(nodes)
        for nodes in self.by_form.values():
            nodes.sort()

    def spend(self, work: int = 1) -> None:
        """Count *work*; now and then, stop what takes too long or what the caller cancelled."""
        self._work -= work
        if self._work < 0:
            self._work = _STRIDE
            checkpoint()
            # The clock of the thread is a system call, and never ahead of the other one.
            if time.monotonic() > self._soonest and time.thread_time() > self._deadline:
                raise OverBudget

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
            for name in value:
                if name not in by_key:
                    by_key[name] = []
        else:
            assert isinstance(value, list)
            entries = enumerate(value)
        for name_, item in entries:
            child = len(parents)
            if name_.__class__ is str:
                by_key[str(name_)].append(child)
            if item.__class__ is dict or item.__class__ is list:
                self._walk(item, node, name_, depth + 1)
                continue
            # Most nodes are scalars: appended here to save a call for each.
            parents.append(node)
            keys.append(name_)
            values.append(item)
            end.append(child + 1)
        end[node] = len(parents)
        self.spend(end[node] - node)

    # -- places

    def path(self, node: int) -> Path:
        """Return the path of a node from the root."""
        parts: list[str] = []
        while node > 0:
            parts.append(str(self.keys[node]))
            node = self.parents[node]
        return tuple(reversed(parts))

    def children(self, node: int) -> Iterator[int]:
        """Iterate over the nodes directly below *node*."""
        child, end = node + 1, self.end[node]
        while child < end:
            yield child
            child = self.end[child]

    def child(self, node: int, part: str) -> int | None:
        """Return the member or element of *node* under exactly that key or index."""
        value = self.values[node]
        if isinstance(value, dict):
            if part not in value:
                return None
            nodes = self.by_key[part]
            for place in range(bisect_left(nodes, node + 1), len(nodes)):
                self.spend()
                if self.parents[nodes[place]] == node:
                    return nodes[place]
        if isinstance(value, list) and is_index(part.removeprefix("-")):
            index = int(part)
            index += len(value) if index < 0 else 0
            if 0 <= index < len(value):
                self.spend(index)
                return next(n for i, n in enumerate(self.children(node)) if i == index)
        return None

    def node_at(self, path: Sequence[str], start: int = 0) -> int | None:
        """Return the node at *path* below *start*, or None."""
        node: int | None = start
        for part in path:
            if node is None:
                return None
            node = self.child(node, part)
        return node

    def lies_in(self, node: int, holders: Container[int]) -> bool:
        """Return whether *node* is one of *holders* or lies in one."""
        while node >= 0:
            if node in holders:
                return True
            node = self.parents[node]
        return False

    def below(self, nodes: Sequence[int], holder: int) -> list[int]:
        """Return those of the sorted *nodes* that lie in *holder*, itself left out."""
        start = bisect_left(nodes, holder + 1)
        return list(nodes[start : bisect_left(nodes, self.end[holder])])

    def depth(self, node: int, above: int = 0) -> int:
        """Return how many steps lead from *above* to *node*."""
        steps = 0
        while node > above:
            node = self.parents[node]
            steps += 1
        return steps

    def is_container(self, node: int) -> bool:
        """Return whether a node is an object or array."""
        return isinstance(self.values[node], dict | list)

    # -- records

    def is_map(self, node: int) -> bool:
        """Return whether an object holds records under their names, as `jobs` does."""
        known = self._maps.get(node)
        if known is None:
            value = self.values[node]
            known = (
                isinstance(value, dict)
                and bool(value)
                and all(isinstance(item, dict) for item in value.values())
                and (len(value) > 1 or is_plural(_last_word(self.keys[node])))
            )
            self._maps[node] = known
            self.spend(len(value) if isinstance(value, dict) else 1)
        return known

    def is_collection(self, node: int) -> bool:
        """Return whether a node holds like members: a list, a map, or an object named in plural."""
        if isinstance(self.values[node], list) or self.is_map(node):
            return True
        return isinstance(self.values[node], dict) and is_plural(_last_word(self.keys[node]))

    def is_record(self, node: int) -> bool:
        """Return whether a node is an object in a list or map."""
        parent = self.parents[node]
        if parent < 0 or not isinstance(self.values[node], dict):
            return False
        return isinstance(self.values[parent], list) or self.is_map(parent)

    def record_of(self, node: int) -> int | None:
        """Return the nearest record that a node is or lies in."""
        while node > 0:
            if self.is_record(node):
                return node
            node = self.parents[node]
        return None

    def record_lists(self) -> list[int]:
        """Return the lists of objects that lie in no other list."""
        found: list[int] = []
        node = 0
        while node < len(self.values):
            value = self.values[node]
            if isinstance(value, list) and value and isinstance(value[0], dict):
                found.append(node)
                node = self.end[node]
            else:
                node += 1
        return found

    def identifies(self, node: int) -> bool:
        """Return whether the value of a scalar node tells which record it is in."""
        key = self.keys[node]
        if not isinstance(key, str):
            return False
        form = key_form(key)
        return self._is_naming(node, key, form) or self._is_distinct(node, key)

    def _is_naming(self, node: int, key: str, form: str) -> bool:
        if form in NAME_FORMS or form in _ID_FORMS:
            return True
        words = key_words(key)
        if len(words) == 2 and words[-1] in _ID_ENDINGS:
            record = self.record_of(node)
            collection = self.parents[record] if record is not None else -1
            return collection >= 0 and words[0] in key_form(str(self.keys[collection]))
        return False

    def _is_distinct(self, node: int, key: str) -> bool:
        """Return whether the first text of each record in the collection is of its own."""
        above = self.parents[node]
        collection = self.parents[above] if above >= 0 else -1
        known = self._identity.get(collection)
        if known is None:
            known = frozenset()
            if collection >= 0 and (
                isinstance(self.values[collection], list) or self.is_map(collection)
            ):
                members = (self.values[child] for child in self.children(collection))
                records = [member for member in members if isinstance(member, dict)]
                self.spend(len(records))
                first = {next((k for k, v in r.items() if isinstance(v, str)), "") for r in records}
                texts = {str(r[k]) for r in records for k in first if k in r}
                if len(first) == 1 and len(texts) == len(records):
                    known = frozenset(first)
            self._identity[collection] = known
        return key in known

    def with_label(self, text: str) -> list[int]:
        """Return the scalars with that text that tell which record they are in."""
        if self._labels is None:
            self._index_labels()
        assert self._labels is not None
        return self._labels.get(text.lower()) or self._first_texts.get(text.lower(), [])

    def holds_text(self, text: str) -> bool:
        """Return whether a scalar is that text, whatever its case."""
        if self._texts is None:
            self.spend(len(self.values))
            self._texts = frozenset(v.lower() for v in self.values if isinstance(v, str))
        return text.lower() in self._texts

    def named_with(self, word: str) -> list[int]:
        """Return the names that hold *word* among others."""
        self.with_label("")
        return self._name_words.get(word.lower(), [])

    def _index_labels(self) -> None:
        self._labels = {}
        for key, nodes in self.by_key.items():
            self.spend(len(nodes))
            form = key_form(key)
            is_name, is_known = form in NAME_FORMS, form in NAME_FORMS or form in _ID_FORMS
            may_name = is_known or (len(key_words(key)) == 2 and key_words(key)[-1] in _ID_ENDINGS)
            for node in nodes:
                value = self.values[node]
                text = _label(value)
                if not text or len(text) > 80:
                    continue
                if is_known or (may_name and self._is_naming(node, key, form)):
                    self._labels.setdefault(text.lower(), []).append(node)
                elif isinstance(value, str) and self._is_distinct(node, key):
                    self._first_texts.setdefault(text.lower(), []).append(node)
                if is_name and " " in text:
                    for word in text.lower().split():
                        self._name_words.setdefault(word, []).append(node)


def _label(value: Value) -> str:
    """Return the text of a text or a number, empty for others."""
    return value if isinstance(value, str) else value.text if isinstance(value, Num) else ""


def _last_word(key: str | int) -> str:
    words = key_words(key) if isinstance(key, str) else ()
    return words[-1] if words else ""
