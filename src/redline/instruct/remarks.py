"""Remarks around an instruction: skipped only when they narrow nothing."""

from __future__ import annotations

from redline.instruct.grammar.chart import Chart
from redline.instruct.language.tokens import Token
from redline.instruct.language.words import ARTICLES, SCOPING, key_form, key_words, number_in, singular
from redline.instruct.operations import Operation

# Words that limit what is done: never part of something that may be left aside.
_LIMITING = frozenset(
    "not only except unless if without but no never don't dont excluding all every each both "
    "none until when while or".split()
)
_COLOURLESS = ARTICLES | frozenset(
    "we i he she it they you there is are was were be been has have had now , and its their his "
    "her our to 's so too very just will would can could should that this".split()
)


def doubtful_word(
    chart: Chart, start: int, end: int, operations: tuple[Operation, ...]
) -> str:
    """Return a word of the remark that may narrow what is done, or an empty text."""
    inside = set(range(start, end))
    said = {
        form for place, token in enumerate(chart.tokens) if place not in inside
        for form in _forms(token)
    }  # fmt: skip
    touched = [
        {form for part in operation.path for form in _part_forms(part)} for operation in operations
    ]
    if touched:
        said |= set.intersection(*touched)
    for place in range(start, end):
        token = chart.tokens[place]
        if token.low in _COLOURLESS or said & set(_forms(token)):
            continue
        if _limits(token) or any(s.whole for s in chart.lexicon.senses(place)):
            return token.text
    return ""


def _limits(token: Token) -> bool:
    """Return whether the word may narrow what is done: a preposition, a number, a name."""
    if token.kind != "word":
        return token.kind not in ("sign", "end", "poss")
    named = token.text[:1].isupper() and token.start > 0 or number_in(token.text) is not None
    return named or token.low in _LIMITING or token.low in SCOPING


def _part_forms(part: str) -> set[str]:
    return {key_form(part), *map(singular, key_words(part))}


def _forms(token: Token) -> tuple[str, str]:
    return key_form(token.text), singular(token.text.lower())
