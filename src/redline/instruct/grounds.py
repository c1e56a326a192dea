"""What of an instruction grounds a change: its value, its record among siblings, its key."""

from __future__ import annotations

from decimal import Decimal

from redline.instruct.effects.implied.words import speaks_of
from redline.instruct.effects.values.shapes import has_shape, same_shape
from redline.instruct.grammar.adjuncts.predicates import word_stem
from redline.instruct.ground_values import SaidValues
from redline.instruct.ground_words import (
    CHOOSING,
    COPYING,
    FIRST,
    REMOVING,
    is_place,
)
from redline.instruct.language.words import ORDINALS, key_form, key_words, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import NAME_FORMS, OverBudget
from redline.instruct.model.operations import DocumentOperation, NoValue, Path
from redline.instruct.model.values import Num, render


class Grounds(SaidValues):
    """The instruction's words and readings, against which proposals are held."""

    # -- values

    def missing(self, operation: DocumentOperation) -> str:
        """Return why a change does not follow from the instruction, or an empty text."""
        if operation.op == "remove" and not (self.words & REMOVING or self._is_undone(operation)):
            return "The instruction does not ask for a removal"
        if operation.op == "rename":
            assert operation.new_path is not None
            new = operation.new_path[-1]
            return "" if self.names(new) or self.says(new) else f"It does not say {new!r}"
        if operation.op not in ("replace", "add", "insert"):
            return ""
        if operation.op == "insert" and not self._is_position(operation):
            return "The instruction does not say that it goes there"
        value = operation.value
        assert not isinstance(value, NoValue)
        if operation.op == "add" and not self.names(operation.path[-1]):
            return f"The instruction does not speak of {operation.path[-1]!r}"
        if self.words & COPYING and self.is_copy(value):
            return ""
        return self.find_untraced(
            value, None if isinstance(operation.old, NoValue) else operation.old
        )

    def _is_undone(self, operation: DocumentOperation) -> bool:
        """Return whether a verb undoes what the list is for: unblock, of the blocked ones."""
        stems = {word_stem(word) for part in operation.path for word in key_words(part)}
        return any(
            token.low.startswith("un") and speaks_of(token.low[2:], stems) for token in self.tokens
        )

    def _is_position(self, operation: DocumentOperation) -> bool:
        """Return whether an element goes to the end, or where the words say."""
        holder = self.tree.node_at(operation.path[:-1])
        held = self.tree.values[holder] if holder is not None else []
        place = int(operation.path[-1])
        if isinstance(held, list) and place == len(held):
            return not self.words & FIRST
        if place == 0 and self.words & FIRST:
            return True
        assert holder is not None
        beside = list(self.tree.children(holder))
        if "before" in self.words or "after" in self.words:
            anchor = beside[place - ("after" in self.words) :][:1]
            return bool(anchor) and self._score(anchor[0]) > 0
        return "index" in self.words and Decimal(place) in self.numbers

    # -- places

    def explain_implied(self, operations: list[DocumentOperation]) -> str:
        """Return why the places of the changes are not all named, or an empty text."""
        try:
            groups = self._groups(operations)
            # what the new value says does not say where it goes
            places = Grounds(self.tree.document, self._without_values(operations))
            for (collection, rest), records in groups.items():
                done = self._find_holding(collection, rest, operations)
                if not places.is_distinguished(collection, rest, records, done):
                    return "which record is meant is not said"
            for operation in operations:
                chosen = bool(groups) and not self._is_other_named(operation)
                if not chosen and not self._is_named(operation):
                    return f"{operation.path[-1]!r} is not named in the instruction"
        except OverBudget:
            return "it takes too much work to be certain"
        return ""

    def _without_values(self, operations: list[DocumentOperation]) -> str:
        """Return the instruction without the last mention of each new value."""
        text = self.instruction
        for operation in operations:
            value = operation.value
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str | Num) and render(item):
                    head, found, tail = text.lower().rpartition(render(item).lower())
                    if found:
                        text = f"{text[: len(head)]} {text[len(text) - len(tail) :]}"
        return text

    def _find_holding(
        self, collection: int, rest: Path, operations: list[DocumentOperation]
    ) -> set[int]:
        """Return the records that have the new value already."""
        values = [o.value for o in operations if o.op == "replace"]
        found = set()
        for child in self.tree.children(collection):
            node = self.tree.node_at(rest, child)
            if node is not None and any(self.tree.values[node] == value for value in values):
                found.add(child)
        return found

    def _groups(self, operations: list[DocumentOperation]) -> dict[tuple[int, Path], set[int]]:
        """Return the records touched, by the collection they are in and the path within them."""
        found: dict[tuple[int, Path], set[int]] = {}
        for operation in operations:
            adds = operation.op in ("add", "insert")
            path = operation.path[:-1] if adds else operation.path
            for length in range(1, len(path) + 1):
                node = self.tree.node_at(path[:length])
                if node is not None and (self.tree.is_element(node) or self.tree.is_record(node)):
                    found.setdefault((self.tree.parents[node], path[length:]), set()).add(node)
        return found

    def is_distinguished(
        self, collection: int, rest: Path, records: set[int], done: set[int]
    ) -> bool:
        """Return whether the words choose these records, or there is nothing to choose.

        Those in *done* need no change, so that they may be meant as well.
        """
        rivals = {
            child for child in self.tree.children(collection)
            if self.tree.node_at(rest, child) is not None
        }  # fmt: skip
        if rivals - done <= records:
            return len(records | done) == 1 or bool(rivals <= records | done)
        if self._is_denoted(records, rivals, done):
            return True
        if self._chooses_otherwise():
            return False
        scores = {node: self._score(node) for node in rivals | records}
        least = min(scores[node] for node in records)
        others = [scores[node] for node in rivals - records]
        return least > 0 and least > max(others, default=0)

    def _chooses_otherwise(self) -> bool:
        """Return whether records are chosen by a path, a position or a condition."""
        if any(token.path for token in self.tokens):
            return True
        lows = {token.low for token in self.tokens}
        undone = any(
            sense.sort is Sort.FLAG
            for start in range(self.chart.size)
            for sense in self.chart.lexicon.senses(start)
        )
        return undone or bool(lows & (CHOOSING | set(ORDINALS)))

    def _is_denoted(self, records: set[int], rivals: set[int], done: set[int]) -> bool:
        """Return whether a phrase means exactly these records, and none around it means others."""
        spans: list[tuple[int, int, frozenset[int], bool]] = []
        for start in range(self.chart.size):
            for edge in (*self.chart.edges("NP", start), *self.chart.edges("NPLIST", start)):
                phrase = edge.item
                if phrase.owner or not phrase.nodes or phrase.cost > 2:
                    continue
                inside = frozenset(
                    r for r in rivals | records
                    if self.tree.inside((r,), phrase.nodes)
                    or any(r <= n < self.tree.end[r] for n in phrase.nodes)
                )  # fmt: skip
                if inside and inside != rivals:
                    spans.append((start, edge.end, inside, phrase.many))
        for start, end, inside, many in spans:
            if not records <= inside <= records | done or not (many or len(inside) == 1):
                continue
            around = (
                s for s in spans if s[0] <= start and end <= s[1] and s[1] - s[0] > end - start
            )
            if all(other[2] == inside for other in around):
                return True
        return False

    def _score(self, node: int) -> int:
        """Return how many words of the instruction a record's key and values account for."""
        score = 0
        key = self.tree.keys[node]
        if isinstance(key, str) and self.names(key):
            score += 2 * len(key_words(key))
        for inner in range(node, min(self.tree.end[node], node + 200)):
            text = self.tree.text(inner)
            if not text or len(text) > 80:
                continue
            if self.says(text):
                score += (3 if self.tree.identifies(inner) else 1) * len(text.split())
            elif self.tree.identifies(inner):
                score += len({singular(w) for w in key_words(text)} & self.words)
        return score

    def _is_named(self, operation: DocumentOperation) -> bool:
        """Return whether the key, its container or its old value is spoken of."""
        path = operation.path
        names = [part for part in path if not is_place(part)]
        if operation.op == "add" or not names:
            return True
        node = self.tree.node_at(path)
        if any(self.names(part) for part in names[-2:]) or self._is_key_said(node):
            return True
        old = operation.old
        if not isinstance(old, NoValue | dict | list) and old is not None and self.says(old):
            return True
        if node is not None and self._is_only_place(operation, node):
            return True
        if isinstance(operation.value, str) and operation.op == "replace":
            peers = self.tree.peers(node) if node is not None else []
            return operation.value in peers
        return is_place(path[-1]) or (isinstance(old, dict) and self._score_of(path) > 0)

    def _is_only_place(self, operation: DocumentOperation, node: int) -> bool:
        """Return whether no other member of the object could take the value that is said."""
        value, old = operation.value, operation.old
        if operation.op != "replace" or isinstance(value, NoValue):
            return False
        if isinstance(value, str):
            form = key_form(operation.path[-1])
            if form in NAME_FORMS and self.words & {"rename", "call", "name", "retitle"}:
                return self.says(value)
            if form in ("status", "state") and self.says(value):
                return True
            if not isinstance(old, str) or not same_shape(old, value) or not has_shape(value):
                return False
        elif not isinstance(value, bool | Num):
            return False
        beside = [c for c in self.tree.children(self.tree.parents[node])
                  if c != node and not self.tree.identifies(c)]  # fmt: skip
        held = [self.tree.values[c] for c in beside]
        if isinstance(value, str):
            return not any(same_shape(item, value) for item in held)
        return not any(type(item) is type(value) for item in held)

    def _is_other_named(self, operation: DocumentOperation) -> bool:
        """Return whether the words name another member of the object that could take the value."""
        holder = self.tree.node_at(operation.path[:-1])
        if holder is None or operation.op != "replace" or self.names(operation.path[-1]):
            return False
        return any(
            type(self.tree.values[child]) is type(operation.value)
            and isinstance(key := self.tree.keys[child], str)
            and key != operation.path[-1]
            and self.names(key)
            for child in self.tree.children(holder)
        )

    def _is_key_said(self, node: int | None) -> bool:
        """Return whether the grammar takes some words for the key of that node."""
        return any(
            node in sense.nodes or node in sense.fields
            for start in range(self.chart.size)
            for sense in self.chart.lexicon.senses(start)
            if sense.sort in (Sort.KEY, Sort.PATH, Sort.FLAG)
        )

    def _score_of(self, path: Path) -> int:
        node = self.tree.node_at(path)
        return 0 if node is None else self._score(node)
