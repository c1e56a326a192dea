"""States: enable, disable, toggle, mark as, make it so, clear."""

from __future__ import annotations

from redline.instruct.filters import flag_says, spoken
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, rate, shown
from redline.instruct.resolve import Found
from redline.instruct.tokens import Tokens
from redline.instruct.typed import has_shape
from redline.instruct.values import Value
from redline.instruct.words import key_form


def flags_below(reader: Reader, node: int) -> list[int] | None:
    """The flags of an object of nothing but flags."""
    value = reader.value(node)
    if isinstance(value, dict) and value and all(isinstance(v, bool) for v in value.values()):
        return list(reader.index.children(node))
    return None


_SWITCHES = {
    "enable": (("enabled", "active", "on"), True), "disable": (("enabled", "active", "on"), False),
    "activate": (("active", "enabled"), True), "deactivate": (("active", "enabled"), False),
}  # fmt: skip
_PAIRS = (
    ("enabled", "disabled"), ("active", "inactive"), ("on", "off"), ("yes", "no"),
    ("activated", "deactivated"),
)  # fmt: skip


def switch(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Enable, disable, activate, deactivate, turn on and off."""
    names, on = _SWITCHES[verb]
    found = reader.targets(tokens)
    plain = not any(isinstance(reader.value(n), bool | dict) for n in found.nodes)
    if len(tokens) == 1 and tokens[0].low == "it" and plain and len(reader.owners()) == 1:
        # "set its timeout to 9 and enable it": what was spoken of, not the field of it
        found = Found(reader.owners())
    nodes: list[int] = []
    for node in found.nodes:
        nodes += _switches(reader, node, names, found)
    wider = Found(tuple(nodes), found.many, False, found.partial)
    outcome = reader.each(wider, lambda n: _switched(reader, n, on), confidence=0.91)
    return [Outcome(outcome.operations, outcome.note, found.nodes)]


def _switches(reader: Reader, node: int, names: tuple[str, ...], found: Found) -> list[int]:
    value = reader.value(node)
    if not isinstance(value, dict):
        return [node]
    for name in names:
        inner = [
            child
            for child in reader.index.children(node)
            if key_form(str(reader.index.keys[child])) in (name, "is" + name)
        ]
        if len(inner) == 1:
            return inner
    states = [
        child
        for child in reader.index.children(node)
        if any(
            reader.value(child) in pair for pair in _PAIRS if isinstance(reader.value(child), str)
        )
    ]
    if len(states) == 1:
        return states
    flags = flags_below(reader, node)
    if flags is not None and found.many:
        return flags
    raise Unclear("target", f"{shown(reader, found)} has no switch", (node,))


def _switched(reader: Reader, node: int, on: bool) -> Value:
    value = reader.value(node)
    if isinstance(value, bool):
        return on
    if isinstance(value, str):
        for yes, no in _PAIRS:
            if value.lower() in (yes, no):
                word = yes if on else no
                return word.capitalize() if value[0].isupper() else word
    raise Unclear("type", f"{shown(reader, Found((node,)))} is not true or false", (node,))


def toggle(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Flip a flag."""
    found = reader.targets(tokens)

    def flipped(node: int) -> Value:
        value = reader.value(node)
        if not isinstance(value, bool):
            raise Unclear("type", f"{shown(reader, Found((node,)))} is not true or false", (node,))
        return not value

    return [reader.each(found, flipped)]


def mark(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`mark task 3 as done`: a flag of that name, or the one field that takes such a value."""
    place = next((i for i, t in enumerate(tokens) if t.low == "as" and i), None)
    if place is None and len(tokens) > 1 and tokens[-1].kind == "word":
        return become(reader, tokens[:-1], tokens[-1:])
    if place is None or place == len(tokens) - 1:
        raise Unclear("clause", "mark needs: mark X as Y")
    return become(reader, tokens[:place], tokens[place + 1 :], confidence=0.91, new=True)


def become(
    reader: Reader, target: Tokens, words: Tokens, *, confidence: float = 0.91, new: bool = False
) -> list[Outcome]:
    """`make Bob an admin`: a flag of that name, or the one field that holds such a value.

    With *new* a status may get a word no record has yet.
    """
    found = reader.targets(target)
    negated = words[0].low == "not" and len(words) > 1
    state = words[1:] if negated else words
    if not all(t.kind in ("word", "quoted", "code") for t in state):
        raise Unclear("value", f"{reader.text(words)!r} is not a state", found.nodes)
    operations = []
    for node in found.nodes:
        if not new and not isinstance(reader.value(node), dict):
            raise Unclear("value", f"{reader.text(words)!r} may not be a value", found.nodes)
        place, value = _state(reader, node, state, negated=negated, new=new)
        operations += reader.replace(place, value, rate(found, confidence))
    return [Outcome(tuple(operations), "already as asked", found.nodes)]


def _state(
    reader: Reader, node: int, words: Tokens, *, negated: bool, new: bool
) -> tuple[int, Value]:
    """The field that says whether *node* is so, and what it says then."""
    said = spoken(words)
    if not isinstance(reader.value(node), dict):
        return node, _plain_state(reader, node, words, negated=negated)
    fields = list(reader.index.children(node))
    flags = [
        (child, holds)
        for child in fields
        if isinstance(reader.value(child), bool)
        and (holds := flag_says(key_form(str(reader.index.keys[child])), said, True)) is not None
    ]
    if len(flags) == 1:
        return flags[0][0], flags[0][1] != negated
    refusal = Unclear("target", f"no field says whether it is {said}", (node,))
    if negated:
        raise refusal
    texts = [child for child in fields if isinstance(reader.value(child), str)]
    holding = [child for child in texts if _as_written(reader, child, said) is not None]
    if len(holding) == 1:
        return holding[0], _as_written(reader, holding[0], said)
    status = [c for c in texts if key_form(str(reader.index.keys[c])) in ("status", "state")]
    if len(status) == 1 and not holding and new and len(words) == 1:
        return status[0], words[0].text
    raise refusal


def _plain_state(reader: Reader, node: int, words: Tokens, *, negated: bool) -> Value:
    """What a flag, or a text that is a state or has peers that say so, becomes."""
    value, said = reader.value(node), spoken(words)
    form = key_form(str(reader.index.keys[node]))
    known = isinstance(value, str) and _as_written(reader, node, said) is not None
    stateful = isinstance(value, bool) or form in ("status", "state") or known
    if negated or not stateful:
        raise Unclear("value", f"{said!r} is no state of it", (node,))
    return reader.typed(words, node)


def _as_written(reader: Reader, node: int, said: str) -> str | None:
    """The text a record holds under the same key that *said* spells."""
    for peer in [*reader.peers(node), reader.value(node)]:
        if isinstance(peer, str) and peer.lower() == said:
            return peer
    return None


def clear(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Empty a list, an object or a text."""
    found = reader.targets(tokens)

    def emptied(node: int) -> Value:
        value = reader.value(node)
        if isinstance(value, str) and None in reader.peers(node):
            raise Unclear("value", f"{shown(reader, found)} may become empty or null", (node,))
        if isinstance(value, str) and not has_shape(value):
            return ""
        if isinstance(value, list):
            return []
        if isinstance(value, dict) and found.plain:
            return {}
        raise Unclear("type", f"{shown(reader, found)} cannot be emptied", (node,))

    return [reader.each(found, emptied)]
