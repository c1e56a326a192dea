"""What of an instruction grounds a change: its value, its record among siblings, its key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from redline.instruct.effects.typing import round_result
from redline.instruct.grammar.chart import Chart
from redline.instruct.ground_words import (
    CHOOSING,
    COPYING,
    FIRST,
    FLAT,
    REMOVING,
    is_place,
    is_reordered,
    names_key,
    numbers_in,
)
from redline.instruct.language.dates import date_in
from redline.instruct.language.tokens import tokenize
from redline.instruct.language.words import ORDINALS, key_words, singular
from redline.instruct.lexicon.names import Lexicon
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, OverBudget
from redline.instruct.model.operations import DocumentOperation, NoValue, Path
from redline.instruct.model.values import Num, Value, render


class Grounds:
    """The instruction's words and readings, against which proposals are held."""

    def __init__(self, document: Value, instruction: str) -> None:
        self.tree = DocumentTree(document)
        self.instruction = instruction
        self.tokens = tokenize(instruction)
        self.chart = Chart(Lexicon(self.tree, self.tokens, instruction))
        self.text = " " + " ".join(FLAT.sub(" ", instruction.lower()).split()) + " "
        self.words = {singular(word) for t in self.tokens for word in key_words(t.text)}
        self.numbers = set(numbers_in(instruction, self.tokens))

    def says(self, value: Any) -> bool:
        """Return whether a value is in the instruction as whole words."""
        text = " ".join(FLAT.sub(" ", render(value).lower()).split())
        return bool(text) and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.text) is not None

    # -- values

    def missing(self, operation: DocumentOperation) -> str:
        """Return why a change does not follow from the instruction, or an empty text."""
        if operation.op == "remove" and not self.words & REMOVING:
            return "The instruction does not ask for a removal"
        if operation.op == "rename":
            assert operation.new_path is not None
            new = operation.new_path[-1]
            return "" if self._names(new) or self.says(new) else f"It does not say {new!r}"
        if operation.op not in ("replace", "add", "insert"):
            return ""
        if operation.op == "insert" and not self._is_position(operation):
            return "The instruction does not say that it goes there"
        value = operation.value
        assert not isinstance(value, NoValue)
        if operation.op == "add" and not self._names(operation.path[-1]):
            return f"The instruction does not speak of {operation.path[-1]!r}"
        if self.words & COPYING and self._is_copy(value):
            return ""
        return self._find_untraced(
            value, None if isinstance(operation.old, NoValue) else operation.old
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

    def _find_untraced(self, value: Any, old: Any) -> str:
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return ""
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for key, item in value.items():
                if key not in before and not self._names(key) and not self.says(item):
                    return f"The instruction does not speak of {key!r}"
                reason = (
                    "" if item == before.get(key) else self._find_untraced(item, before.get(key))
                )
                if reason:
                    return reason
            return ""
        if isinstance(value, list):
            held = old if isinstance(old, list) else []
            reasons = (self._find_untraced(item, None) for item in value if item not in held)
            return next((reason for reason in reasons if reason), "")
        if value == old or self.says(value) or self._follows(value, old):
            return ""
        return f"The instruction does not give the value {render(value)[:80]!r}"

    def _is_copy(self, value: Any) -> bool:
        """Return whether the value is under a key the instruction names, or only reorders one."""
        if isinstance(value, list) and any(is_reordered(held, value) for held in self.tree.values):
            return True
        return any(
            held == value and isinstance(key, str) and self._names(key)
            for held, key in zip(self.tree.values, self.tree.keys, strict=True)
        )

    def _follows(self, value: Any, old: Any) -> bool:
        """Return whether a number, date or text is the old one changed as the words say."""
        if isinstance(value, str):
            if isinstance(old, str) and self._rewritten(value, old):
                return True
            return any(date_in(text) == value for text in self._spans())
        if not isinstance(value, Num):
            return False
        made = value.decimal
        if made in self.numbers:
            return True
        if not isinstance(old, Num):
            return False
        now = old.decimal
        for step in self.numbers | {Decimal(1), Decimal(2), Decimal(3)}:
            results = [now + step, now - step, now * step]
            shares = [now * (1 + step / 100), now * (1 - step / 100)]
            shares += [now / step] if step else []
            if made in results or value in [round_result(share, old) for share in shares]:
                return True
        return any(
            made == number * factor
            for number in self.numbers
            for factor in (Decimal(1000), Decimal(60), Decimal(3600), Decimal(60000), Decimal(24),
                           Decimal("0.01"), Decimal(1024), Decimal(3600000), Decimal(86400))
        )  # fmt: skip

    def _spans(self) -> Iterator[str]:
        texts = [token.text for token in self.tokens]
        for start in range(len(texts)):
            for end in range(start + 1, min(start + 5, len(texts)) + 1):
                yield " ".join(texts[start:end])

    def _rewritten(self, value: str, old: str) -> bool:
        """Return whether a text changed case, blanks, or a part that the instruction says."""
        if value.lower().strip() == old.lower().strip():
            return True
        head = 0
        while head < min(len(value), len(old)) and value[head] == old[head]:
            head += 1
        tail = 0
        while tail < min(len(value), len(old)) - head and value[-1 - tail] == old[-1 - tail]:
            tail += 1
        new, gone = value[head : len(value) - tail], old[head : len(old) - tail]
        if new.isdigit() and gone.isdigit() and int(new) == int(gone) + 1:
            return True  # a version that was bumped
        return bool(head or tail) and self.says(gone or new) and (not new or self.says(new))

    # -- places

    def explain_implied(self, operations: list[DocumentOperation]) -> str:
        """Return why the places of the changes are not all named, or an empty text."""
        try:
            groups = self._groups(operations)
            # what the new value says does not say where it goes
            places = Grounds(self.tree.document, self._without_values(operations))
            for (collection, rest), records in groups.items():
                done = self._holding(collection, rest, operations)
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

    def _holding(
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
        if isinstance(key, str) and self._names(key):
            score += 2 * len(key_words(key))
        for inner in range(node, min(self.tree.end[node], node + 200)):
            text = self.tree.text(inner)
            if not text or len(text) > 80:
                continue
            if self.says(text):
                score += 2 * len(text.split())
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
        if any(self._names(part) for part in names[-2:]) or self._is_key_said(node):
            return True
        old = operation.old
        if not isinstance(old, NoValue | dict | list) and old is not None and self.says(old):
            return True
        if isinstance(operation.value, str) and operation.op == "replace":
            peers = self.tree.peers(node) if node is not None else []
            return operation.value in peers
        return is_place(path[-1]) or (isinstance(old, dict) and self._score_of(path) > 0)

    def _is_other_named(self, operation: DocumentOperation) -> bool:
        """Return whether the words name another member of the object that could take the value."""
        holder = self.tree.node_at(operation.path[:-1])
        if holder is None or operation.op != "replace" or self._names(operation.path[-1]):
            return False
        return any(
            type(self.tree.values[child]) is type(operation.value)
            and isinstance(key := self.tree.keys[child], str)
            and key != operation.path[-1]
            and self._names(key)
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

    def _names(self, key: str) -> bool:
        """Return whether the instruction says a key, a synonym of it, or what it abbreviates."""
        return self.says(key) or names_key(self.text, self.words, key)
