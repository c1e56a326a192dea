"""Documents for generated sentences, and the changes such a sentence can mean."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

FIRST = "Ada Bela Cyrus Dora Emil Freya Gwen Hugo Ines Jonas Kira Lev".split()
LAST = "Stone Rivers Marsh Keller Okafor Silva Brandt Novak Lindt Moreau".split()
GROUPS = "Sales Support Legal Finance Design".split()
ROLES = "Lead Manager Analyst Clerk Partner".split()
CITIES = "Oslo Turin Ghent Porto Lyon Basel".split()
KINDS = ("employees", "agents", "members", "clients")
REMARKS = (
    "until Friday", "as discussed", "per the ticket", "for now", "temporarily", "again",
    "starting tomorrow", "like before", "when ready", "unless it breaks", "by default",
    "as of today", "once done", "in case of failure", "only", "exactly", "next week",
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A sentence over a document; `result` is None when acting on it would be wrong."""

    rule: str
    document: Any
    sentence: str
    result: Any


def new_document(pick: random.Random) -> tuple[str, Any]:
    kind = pick.choice(KINDS)
    names = pick.sample([f"{first} {last}" for first in FIRST for last in LAST], 5)
    while len({name.split()[0] for name in names}) < 5 or len({n.split()[1] for n in names}) < 5:
        names = pick.sample([f"{first} {last}" for first in FIRST for last in LAST], 5)
    records = [
        {
            "id": 100 + place,
            "name": name,
            "group": pick.choice(GROUPS[:4]),
            "title": f"{pick.choice(GROUPS)} {pick.choice(ROLES)}",
            "city": pick.choice(CITIES),
            "score": pick.randint(1, 90),
            "limit": pick.randint(1, 90),
            "active": pick.random() < 0.5,
            "tags": pick.sample(["red", "blue", "green", "new"], pick.randint(0, 3)),
        }
        for place, name in enumerate(names)
    ]
    document = {
        "server": {"host": "a.local", "port": pick.randint(1000, 9000), "debug": False},
        "backup": {"host": "b.local", "port": pick.randint(1000, 9000), "debug": True},
        kind: records,
        "owner": pick.choice(LAST),
        "level": "info",
    }
    return kind, document


def change_copy(document: Any, change: Callable[[Any], None]) -> Any:
    after = copy.deepcopy(document)
    change(after)
    return after


def set_in_records(document: Any, kind: str, chosen: list[int], key: str, value: Any) -> Any:
    def change(after: Any) -> None:
        for place in chosen:
            after[kind][place][key] = value

    return change_copy(document, change)
