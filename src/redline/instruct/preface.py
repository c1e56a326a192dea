"""What stands around an instruction without being one: reasons, labels, announcements.

Such words are left aside only if whatever they name in the document is spoken of by the
instruction itself, so that no qualifier is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.index import Index
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.tokens import Token, Tokens
from redline.instruct.verbs import verb_at
from redline.instruct.words import key_form, number_in, singular

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


def readings(tokens: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """The instruction as it is, then what may be the instruction and what stands around it."""
    yield tokens, ()
    lows = [t.low for t in tokens]
    for place in range(1, len(tokens) - 1):
        word, rest = lows[place], tokens[place + 1 :]
        if (word in ("so", "therefore", "hence") and verb_at(rest)) or (
            word == ":" and verb_at(rest)
        ):
            yield rest, tokens[:place]
        elif word in ("because", "since") or (word == "so" and rest[0].low == "that"):
            yield tokens[:place], rest
        elif word == "by" and rest[0].low in _GERUNDS:
            verb = Token("word", _GERUNDS[rest[0].low], rest[0].start, rest[0].end)
            yield (verb, *rest[1:]), tokens[:place]


def check(index: Index, aside: Tokens, main: Tokens, outcomes: list[Outcome]) -> None:
    """Unclear unless *aside* names nothing here but what *outcomes* are about."""
    if not aside:
        return
    said = {form for token in main for form in _forms(token)}
    around = [
        {key_form(part) for part in operation.path}
        for outcome in outcomes
        for operation in outcome.operations
    ]
    if around:
        said |= set.intersection(*around)
    for token in aside:
        limiting = token.low in _LIMITING or number_in(token.text) is not None
        known = any(_is_known(index, form) for form in _forms(token))
        if (limiting or known or token.kind == "json") and not said & set(_forms(token)):
            raise Unclear("words", f"it is not clear what {token.text!r} has to do with it")


def _forms(token: Token) -> tuple[str, str]:
    return key_form(token.text), singular(token.text.lower())


def _is_known(index: Index, form: str) -> bool:
    return form in index.by_form or form in index.entities or form in index.entity_parts
