"""Records by what their fields hold: the one that is called so, or all that are of a kind."""

from __future__ import annotations

from redline.instruct.lexicon.senses import Sense, Sort
from redline.instruct.lexicon.tree import DocumentTree


def record_sense(
    tree: DocumentTree,
    said: str,
    end: int,
    members: list[int],
    cost: int,
    whole: bool,
    plural: bool,
) -> Sense:
    """Return the records that words mean which are what the fields *members* hold."""
    identifying = [n for n in members if tree.identifies(n)]
    keys = {tree.keys[n] for n in identifying}
    # One alone in its list is known by the same field as those of longer lists.
    chosen = [n for n in members if tree.keys[n] in keys] or members
    as_written = {n for n in members if tree.text(n) == said}
    if as_written and as_written.isdisjoint(identifying):
        chosen = members  # "the warrior" may be one by its class, not the one called Warrior
    # the document itself is meant only where no record of it is
    nested = [n for n in chosen if tree.record_of(n) > 0]
    chosen = nested or chosen
    if not nested and not identifying:
        cost += 2  # hardly the document by what one of its fields holds
    return Sense(
        end,
        Sort.RECORD,
        tuple(sorted({tree.record_of(n) for n in chosen})),
        cost + (0 if identifying else 1),
        whole,
        plural=plural and not identifying,
        fields=tuple(members),
    )
