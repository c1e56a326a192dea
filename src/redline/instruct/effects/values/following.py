"""Bare words that are plainly the next value of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.instruct.effects.values.families import is_locale, is_state, is_weekday, takes_place
from redline.instruct.grammar.values import TokenSpan

if TYPE_CHECKING:
    from redline.instruct.effects.context import EffectContext


def follows(context: EffectContext, node: int, held: str, value: TokenSpan) -> bool:
    """Return whether a bare word is plainly the next value of a field."""
    said = context.text(value)
    if held.lower() == said.lower() or _is_listed_word(context, held, said.lower()):
        return True
    if _is_weekday_value(context, node, said) or is_locale(context.key(node), held, said):
        return True
    if takes_place(held, said):
        return True
    terse = context.clause.extra == "terse" and not context.tree.repeats(node)
    return terse and is_state(context.key(node), held, said)


def _is_weekday_value(context: EffectContext, node: int, said: str) -> bool:
    """Return whether another day of the week holds the word: closed, beside 9-17."""
    tree = context.tree
    days = [c for c in tree.children(tree.parents[node]) if is_weekday(str(tree.keys[c]))]
    return node in days and any(tree.values[c] == said for c in days)


def _is_listed_word(context: EffectContext, held: str, said: str) -> bool:
    """Return whether a word is the value of one more field of a list: `total 16, status paid`."""
    single = held.isalpha() and held.islower() and said.isalpha()
    return single and context.previous is not None and context.previous.effect == "assign"
