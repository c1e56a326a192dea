"""Conditions as the chart keeps them: which nodes they select, and how values compare."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from redline.instruct.grammar.nouns.kinds import extreme
from redline.instruct.language.dates import date_in
from redline.instruct.language.words import number_in
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.values import Num, Value

NULL = frozenset("null nil".split())
EMPTY = NULL | frozenset("empty blank missing none unset undefined".split())
TRUE = frozenset("true yes on set enabled".split())
FALSE = frozenset("false no off disabled".split())


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison of a field with operands; `holds` is None where there is no such field."""

    fields: Nodes
    op: str
    operands: tuple[str, ...]
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.fields, self.op, self.operands, self.whole)

    def holds(self, tree: DocumentTree, node: int) -> bool | None:
        """Return whether the nearest such field in or around *node* compares as said."""
        found = nearest_fields(tree, node, self.fields)
        if not found:
            return None
        return self._compare_all([tree.values[n] for n in found])

    def _compare_all(self, values: list[Value]) -> bool:
        if self.op in ("!=", "lacks"):
            return all(not _matches(v, "=" if self.op == "!=" else "has", self.operands)
                       for v in values)  # fmt: skip
        return any(_matches(value, self.op, self.operands) for value in values)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes for which it holds; None when none has the field."""
        key = (self.meaning, nodes)
        if key not in tree.selections:
            tree.selections[key] = self._choose_nodes(tree, nodes)
        return tree.selections[key]

    def _choose_nodes(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        tree.spend(len(nodes) * 3)
        members: dict[int, list[int]] = {}
        for field in self.fields:
            members.setdefault(tree.parents[field], []).append(field)
        known: dict[str, bool] = {}
        chosen: list[int] = []
        fits = False
        for node in nodes:
            own = members.get(node) or members.get(tree.parents[node])
            if own is None or len(own) > 1:
                verdict = self.holds(tree, node)
            else:
                text = tree.text(own[0])
                if text is None or text not in known:
                    verdict = self._compare_all([tree.values[own[0]]])
                    if text is not None:
                        known[text] = verdict
                else:
                    verdict = known[text]
            fits = fits or verdict is not None
            if verdict:
                chosen.append(node)
        return tuple(chosen) if fits else None


@dataclass(frozen=True, slots=True)
class Against:
    """One comparison of a field with another field of the same record."""

    fields: Nodes
    op: str
    others: Nodes
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.fields, self.op, self.others, self.whole)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes for which it holds; None when one lacks a field."""
        chosen = []
        for node in nodes:
            left, right = (nearest_fields(tree, node, f) for f in (self.fields, self.others))
            if len(left) != 1 or len(right) != 1 or (text := tree.text(right[0])) is None:
                return None
            if Test((), self.op, (text,))._compare_all([tree.values[left[0]]]):
                chosen.append(node)
        return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Among:
    """Whether a node is, or lies in, one of the records given."""

    records: Nodes
    wanted: bool = True
    cost: int = 0
    whole: bool = True
    known: Nodes = ()

    @property
    def meaning(self) -> Hashable:
        return (self.records, self.wanted, self.whole)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes in, or not in, the records."""
        if self.known and not tree.inside(nodes, self.known):
            return None
        inside = set(tree.inside(nodes, self.records))
        return tuple(n for n in nodes if (n in inside) is self.wanted)


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a record has a field, or one with something in it."""

    fields: Nodes
    wanted: bool
    cost: int = 0
    whole: bool = True
    empty: bool = False  # a field with nothing in it is there too

    @property
    def meaning(self) -> Hashable:
        return (self.fields, self.wanted, self.empty)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes with, or without, something in the field."""
        return tuple(n for n in nodes if self._has(tree, n) is self.wanted)

    def _has(self, tree: DocumentTree, node: int) -> bool:
        if not isinstance(tree.values[node], dict | list):
            node = tree.record_of(node)  # of a field its record is asked
        if self.empty:
            return any(tree.parents[n] == node for n in tree.below(node, self.fields))
        held = (tree.values[n] for n in tree.below(node, self.fields))
        return any(value is not None and value not in ("", [], {}) for value in held)


@dataclass(frozen=True, slots=True)
class Most:
    """The one record with the highest or lowest number in a field."""

    forms: tuple[str, ...]
    highest: bool
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.forms, self.highest)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return that record; None when the field does not rank them."""
        node = extreme(tree, nodes, self.forms, self.highest)
        return None if node is None else (node,)


@dataclass(frozen=True, slots=True)
class Joined:
    """Several conditions, all or any of which must hold."""

    parts: tuple[Condition, ...]
    every: bool

    @property
    def cost(self) -> int:
        return sum(part.cost for part in self.parts)

    @property
    def whole(self) -> bool:
        return all(part.whole for part in self.parts)

    @property
    def meaning(self) -> Hashable:
        return (self.every, *(part.meaning for part in self.parts))

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes that every part, or any part, selects."""
        chosen = [part.select(tree, nodes) for part in self.parts]
        if any(one is None for one in chosen):
            return None
        sets = [set(one) for one in chosen if one is not None]
        kept = set.intersection(*sets) if self.every else set.union(*sets)
        return tuple(n for n in nodes if n in kept)


Condition = Test | Against | Among | Exists | Most | Joined


def nearest_fields(tree: DocumentTree, node: int, fields: Nodes) -> list[int]:
    """Return the fields directly in the node, else the nearest around or below it."""
    inner = tree.below(node, fields)
    if inner:
        direct = [n for n in inner if tree.parents[n] == node or n == node]
        # what one of many records says, is not said of the document
        return direct or (list(inner) if node or len(inner) == 1 else [])
    for holder in tree.ancestors(node):
        around = tree.below(holder, fields)
        if around:
            direct = [n for n in around if tree.parents[n] == holder]
            return (direct or list(around)) if direct or len(around) == 1 else []
        if tree.is_record(holder):
            # only one step out: the record a field belongs to, and what that record is part of
            continue
    return []


def compared_fields(condition: Any) -> list[Nodes]:
    """Return the fields that a condition, or each part of it, compares."""
    parts = getattr(condition, "parts", (condition,))
    return [part.fields for part in parts if getattr(part, "fields", ())]


def is_about(tree: DocumentTree, nodes: Nodes, condition: Any) -> bool:
    """Return whether a condition compares fields of the elements it is said of, not others."""
    if not any(map(tree.element_around, nodes)):
        return True
    # mostly the first node decides, so that the others are not looked at
    return all(
        any(tree.below(around, fields) for n in nodes if (around := tree.element_around(n)))
        for fields in compared_fields(condition)
    )


def _matches(value: Value, op: str, operands: tuple[str, ...]) -> bool:
    if op == "between":
        return _compare(value, ">=", operands[0]) and _compare(value, "<=", operands[1])
    return any(_compare(value, op, operand) for operand in operands)


def _compare(value: Value, op: str, operand: str) -> bool:
    if op == "has":
        return _has(value, operand)
    if op == "=":
        return _equals(value, operand)
    left, right = size_of(value), size_of(operand)
    if left is None or right is None or type(left) is not type(right):
        return False
    if op == ">":
        return left > right  # type: ignore[operator]
    if op == "<":
        return left < right  # type: ignore[operator]
    return left >= right if op == ">=" else left <= right  # type: ignore[operator]


def _has(value: Value, operand: str) -> bool:
    if isinstance(value, list):
        return any(_equals(item, operand) for item in value)
    if isinstance(value, dict):
        return operand.lower() in (key.lower() for key in value)
    return isinstance(value, str) and operand.lower() in value.lower()


def _equals(value: Value, operand: str) -> bool:
    low = operand.lower()
    if isinstance(value, list) and value:
        # "with the tag wall": one of them is
        return any(not isinstance(item, list) and _equals(item, operand) for item in value)
    if isinstance(value, bool):
        return low in (TRUE if value else FALSE)
    if value is None:
        return low in EMPTY
    if value in ("", [], {}):
        return low in EMPTY - NULL or (value == "" and operand == "")
    if isinstance(value, Num):
        size = size_of(operand)
        return isinstance(size, Decimal) and size == value.decimal
    if isinstance(value, str):
        return " ".join(value.lower().split()) == " ".join(low.split()) or (
            date_in(operand) == value
        )
    return False


def size_of(value: Value) -> Decimal | str | None:
    """Return what can be compared: a number, or a date as ISO text."""
    if isinstance(value, Num):
        return value.decimal
    if not isinstance(value, str):
        return None
    number = number_in(value.strip().lstrip("$€£").rstrip("%").strip())
    if number is not None:
        return Decimal(number)
    return date_in(value) or (value[:10] if value[:4].isdigit() and value[4:5] == "-" else None)


@dataclass(frozen=True, slots=True)
class Sized:
    """Whether a number is above or below another: every price below 70."""

    op: str
    operand: str
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.op, self.operand)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the numbers that compare so; None when one is no number."""
        if not all(isinstance(tree.values[n], Num) for n in nodes):
            return None
        return tuple(n for n in nodes if _compare(tree.values[n], self.op, self.operand))


@dataclass(frozen=True, slots=True)
class Itself:
    """Whether a node's own value is as said."""

    operand: str
    wanted: bool = True
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.operand, self.wanted)

    def select(self, tree: DocumentTree, nodes: Nodes) -> Nodes | None:
        """Return the nodes whose value is, or is not, that; None for records."""
        if any(isinstance(tree.values[n], dict) for n in nodes):
            return None
        return tuple(n for n in nodes if _equals(tree.values[n], self.operand) is self.wanted)
