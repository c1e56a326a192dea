"""Words that say several values at once, and flags that a status beside them may replace."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.grammar.adjuncts.predicates import Predicate
from redline.instruct.language.words import key_form, key_words, number_in, unit_of
from redline.instruct.model.values import Value

_SUBJECTS = frozenset("i i'd i'm i've we we're we've they they're they've me us".split())
_STATUSES = frozenset("status state stage phase condition".split())


def group_values(context: EffectContext, predicate: Predicate) -> list[tuple[int, ...]]:
    """Return the words that say one value each: `12 minutes`, `every 3 days`, `18:30`."""
    chart = context.chart
    found: list[tuple[int, ...]] = []
    lead: tuple[int, ...] = ()
    for place in predicate.words:
        low = chart.low(place)
        joined = found and unit_of(low) is not None and number_in(chart.low(place - 1)) is not None
        if joined and found[-1][-1] == place - 1:
            found[-1] = (*found[-1], place)
        elif low in ("every", "each", "after", "within"):
            lead = (place,)
        else:
            found.append((*lead, place))
            lead = ()
    return [*found, lead] if lead else found


def check_subject(context: EffectContext, node: int, value: Value) -> None:
    """Doubt that `we need 3 days` gives a field another number: it may say what people have."""
    lows = set(context.chart.lows[context.clause.start : context.clause.end])
    share = "percent" in key_words(context.key(node)) and lows & {"percent", "%"}
    compared = context.clause.role("said").old is not None or "every" in lows
    is_personal = context.chart.low(context.clause.start) in _SUBJECTS
    if is_personal and not isinstance(value, bool) and not share and not compared:
        context.doubt = context.doubt or f"it may not be said of {context.key(node)!r}"


def check_status(context: EffectContext, node: int) -> None:
    """Doubt that a flag is meant where its record has a status in words beside it."""
    tree = context.tree
    if not isinstance(tree.values[node], bool):
        return
    for other in tree.children(tree.parents[node]):
        if isinstance(tree.values[other], str) and key_form(str(tree.keys[other])) in _STATUSES:
            context.doubt = context.doubt or f"{context.key(other)!r} may be meant"
