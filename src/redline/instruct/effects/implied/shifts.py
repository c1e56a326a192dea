"""Numbers, dates and times of a record moved by what is said of it: two days longer, 5% dearer."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.words import is_never_negative, is_only_number, measures
from redline.instruct.effects.values.moments import shift_time
from redline.instruct.effects.values.shapes import has_shape
from redline.instruct.effects.values.typing import number_for, round_result, share_in
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_words
from redline.instruct.model.values import Num, Value


def move_value(
    context: EffectContext, node: int, span: TokenSpan, sign: int, *, named: bool
) -> Value:
    """Return what a field holds after the change, None where it cannot be meant."""
    held, key, text = context.tree.values[node], context.key(node), context.text(span)
    if isinstance(held, str) and has_shape(held) and named:
        return shift_time(held, text, sign)
    if not isinstance(held, Num):
        return None
    if not named and not measures(key, text) and not is_only_number(context, node):
        return None
    share = share_in(text)
    if share is not None:
        # of a percentage, so many percent more may as well be points
        moved = round_result(held.decimal * (1 + sign * share / 100), held)
        return None if "percent" in key_words(key) else moved
    tokens = context.chart.tokens[span.start : span.end]
    step = number_for(tokens, text.lstrip("+"), held, key)
    assert isinstance(step, Num)
    number = held.decimal + sign * abs(step.decimal)
    return None if number < 0 <= held.decimal and is_never_negative(key) else Num(f"{number:f}")
