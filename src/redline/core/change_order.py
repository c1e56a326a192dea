"""Changes in an order in which they can be carried out."""

from __future__ import annotations

from collections.abc import Iterable

from redline.core.changes import ABSENT, Change


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return removals, children first, then everything else, parents first.

    A path whose kind changes is removed first and then created again.
    """
    removals: list[Change] = []
    others: list[Change] = []
    for change in sorted(changes, key=lambda change: change.path):
        gone = type(change.before) is not type(change.after) and change.before != ABSENT
        if not gone:
            others.append(change)
            continue
        removals.append(Change(change.path, change.before, ABSENT))
        if change.after != ABSENT:
            others.append(Change(change.path, ABSENT, change.after))
    return (*reversed(removals), *others)
