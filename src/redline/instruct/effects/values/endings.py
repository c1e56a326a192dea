"""Bare values that may be more than the value: where something is, or the next change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.instruct.grammar.values import TokenSpan

if TYPE_CHECKING:
    from redline.instruct.effects.context import EffectContext

# Verbs that hardly begin a text.
_ASKING = frozenset("add append insert remove delete drop set rename replace increase".split())
# Words that begin to say where something is.
_PLACING = frozenset("in on at by of for from with under over into near inside".split())


def says_where(context: EffectContext, span: TokenSpan, node: int) -> str:
    """Return a doubt when a statement may say where something is, not what it is."""
    first = context.chart.tokens[span.start]
    if not context.is_statement or first.kind != "word" or first.low not in _PLACING:
        return ""
    known = (context.tree.values[node], *context.tree.peers(node))
    if any(isinstance(v, str) and v.lower().split()[:1] == [first.low] for v in known):
        return ""
    return f"{context.text(span)!r} may be more than the value ({first.low})"


# What a passive may say is to be done to a text, rather than be its first word.
_PARTICIPLE = re.compile(r"[a-z]{2,}ed|written|shown|spelt|drawn|given|sung|read|put|kept|left")


def says_how(context: EffectContext, span: TokenSpan, node: int) -> str:
    """Return a doubt when a passive may say what is to be done: `should be printed in bold`."""
    first, held = context.chart.tokens[span.start], context.tree.values[node]
    passive = context.chart.low(span.start - 1) in ("be", "is", "are", "been", "being", "gets")
    if not passive or not isinstance(held, str) or not _PARTICIPLE.fullmatch(first.text):
        return ""
    if first.kind != "word" or not (span.end - span.start > 1 or " " in held.strip()):
        return ""
    known = (held, *context.tree.peers(node))
    if any(isinstance(v, str) and v.lower().split()[:1] == [first.low] for v in known):
        return ""
    return f"{first.text!r} may say what is to be done with {context.key(node)}"


def speaks_on(context: EffectContext, span: TokenSpan) -> str:
    """Return a doubt when a verb or, after a comma, a key shows that another change begins."""
    if context.chart.tokens[span.start].kind != "word" or span.end - span.start < 2:
        return ""
    for place in range(span.start, span.end - 1):
        joined = context.chart.low(place) in (",", "and")
        begins = place + joined
        opens = joined or (place == span.start and context.is_statement)
        if opens and context.chart.low(begins) in _ASKING:
            return f"{context.text(span)!r} may be more than the value"
        if joined and context.names_key(begins, span.end):
            return f"{context.text(span)!r} may be more than the value"
    return ""
