"""What stands around an instruction without being one: reasons, purposes, labels.

Such words are left aside only if no qualifier is dropped with them: whatever they name in the
document must be spoken of by the instruction itself, a name nobody knows here is never skipped,
and a label may say nothing that the instruction and the place it changes do not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from redline.instruct.index import Index
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.tokens import Token, Tokens
from redline.instruct.verbs import verb_at
from redline.instruct.words import ARTICLES, SCOPING, key_form, key_words, number_in, singular

_GERUNDS = {
    "setting": "set", "changing": "change", "updating": "update", "removing": "remove",
    "deleting": "delete", "adding": "add", "renaming": "rename", "replacing": "replace",
    "switching": "switch", "increasing": "increase", "decreasing": "decrease",
}  # fmt: skip
# Words that limit what is done: never part of something that may be left aside.
_LIMITING = frozenset(
    "not only except unless if without but no never don't dont excluding all every each both "
    "none until when while or".split()
)
_COLOURLESS = ARTICLES | frozenset(
    "we i he she it they you there is are was were be been has have had now , and its their his "
    "her our to".split()
)


@dataclass(frozen=True, slots=True)
class Aside:
    """Words around an instruction; a label, unlike a reason, may be the scope of it."""

    tokens: Tokens = ()
    label: bool = False


def readings(tokens: Tokens) -> Iterator[tuple[Tokens, Aside]]:
    """The instruction as it is, then what may be the instruction and what stands around it."""
    yield tokens, Aside()
    lows = [t.low for t in tokens]
    for place in range(1, len(tokens) - 1):
        word, rest = lows[place], tokens[place + 1 :]
        if word in ("so", "therefore", "hence", ":") and verb_at(rest):
            yield rest, Aside(tokens[:place], label=word == ":")
        elif word in ("because", "since") or (word == "so" and rest[0].low == "that"):
            yield tokens[:place], Aside(rest)
        elif word == "by" and rest[0].low in _GERUNDS:
            verb = Token("word", _GERUNDS[rest[0].low], rest[0].start, rest[0].end)
            yield (verb, *rest[1:]), Aside(tokens[:place])


def check(index: Index, aside: Aside, main: Tokens, outcomes: list[Outcome]) -> None:
    """Unclear unless *aside* adds nothing to what *main* says and *outcomes* do."""
    if not aside.tokens:
        return
    said = {form for token in main for form in _forms(token)}
    around = [
        {form for part in operation.path for form in _words(part)}
        for outcome in outcomes
        for operation in outcome.operations
    ]
    if around:
        said |= set.intersection(*around)
    for token in aside.tokens:
        if token.low in _COLOURLESS or said & set(_forms(token)):
            continue
        if aside.label or _limits(token) or any(_is_known(index, f) for f in _forms(token)):
            raise Unclear("words", f"it is not clear what {token.text!r} has to do with it")


def _limits(token: Token) -> bool:
    """Whether the word may narrow what is done: a preposition, a number, a name."""
    if token.kind != "word":
        return token.kind != "sign"
    named = token.text[:1].isupper() or number_in(token.text) is not None
    return named or token.low in _LIMITING or token.low in SCOPING


def _words(part: str) -> set[str]:
    return {key_form(part), *map(singular, key_words(part))}


def _forms(token: Token) -> tuple[str, str]:
    return key_form(token.text), singular(token.text.lower())


def _is_known(index: Index, form: str) -> bool:
    return form in index.by_form or form in index.entities or form in index.entity_parts
