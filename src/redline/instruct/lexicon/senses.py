"""What a name can denote, and the states a word can say of a flag."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from redline.instruct.lexicon.tree import Nodes

_UNDOING = ("in", "un", "dis", "non", "not")
_OPPOSITES = {
    "disabled": "enabled", "inactive": "active", "off": "on", "down": "up", "closed": "open",
    "offline": "online", "private": "public", "public": "private",
}  # fmt: skip


class Sort(StrEnum):
    """What a name denotes: named members, things held by a collection, records by a value or a
    flag, a scalar array element, or a node by its path."""

    KEY = "key"
    ITEMS = "items"
    RECORD = "record"
    FLAG = "flag"
    ELEMENT = "element"
    PATH = "path"


class Sense(NamedTuple):
    """One meaning of the words up to token *end*.

    `fields` are the scalars by whose value records were named. A `weak` one needs another name
    beside it. `whole` is false when only a part of a name or a name with a typing slip matched.
    """

    end: int
    sort: Sort
    nodes: Nodes
    cost: int = 0
    whole: bool = True
    plural: bool = False
    fields: Nodes = ()
    weak: bool = False


def flag_stems(form: str) -> list[tuple[bool, str]]:
    """Return the states a word may say of a boolean key: inactive is active, false."""
    found = [(True, form)]
    if form in _OPPOSITES:
        found.append((False, _OPPOSITES[form]))
    marks = (m for m in _UNDOING if form.startswith(m) and len(form) > len(m) + 2)
    return [*found, *((False, form[len(mark) :]) for mark in marks)]
