"""Removals that a statement implies: what can go, who has left."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort

_PEOPLE = frozenset(
    "traveller traveler guest attendee participant member volunteer player staff crew team helper "
    "passenger student invitee invited subscriber singer person".split()
)
_GONE = frozenset("declined absent cancelled canceled former left alumni inactive".split())


def check_leaving(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Refuse or doubt a removal that is only implied, where it may mean something else."""
    if context.clause.extra == "goes":
        _check_going(context, found, target)
    elif context.clause.extra == "leaves":
        _check_person(context, found, target)


def _check_going(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Refuse `it can go` of what may be sent or started rather than removed."""
    if target.sort not in (Sort.RECORD, Sort.ELEMENT) or len(found.nodes) != 1:
        raise Unclear("target", "it is not one thing of several", found.nodes)
    held = context.tree.values[found.nodes[0]]
    stated = isinstance(held, dict) and any(
        isinstance(value, bool) or key_form(key) in ("status", "state", "stage")
        for key, value in held.items()
    )
    if stated:
        context.doubt = context.doubt or f"{context.text(target)!r} may be ready to go"


def _check_person(context: EffectContext, found: ResolvedNodes, target: Phrase) -> None:
    """Refuse `Tom has left` unless he is in one list of people, by nothing but his name."""
    homes = [context.tree.parents[n] for n in found.nodes if target.sort is Sort.ELEMENT]
    if len(homes) != 1 or key_form(context.key(found.nodes[0])) not in _PEOPLE:
        raise Unclear("target", "no list says who is there", found.nodes)
    beside = context.tree.children(context.tree.parents[homes[0]])
    if any(isinstance(context.tree.values[c], list) for c in beside if c != homes[0] and
           key_form(str(context.tree.keys[c])) in _PEOPLE | _GONE):  # fmt: skip
        context.doubt = context.doubt or f"{context.text(target)!r} may be meant to move"
