"""Suggestions for an instruction that was not certain; each works when sent back as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from redline.instruct.operations import pointer
from redline.instruct.outcome import Unclear
from redline.instruct.reader import Reader
from redline.instruct.tokens import Tokens
from redline.instruct.values import Num, Value, dumps
from redline.instruct.verbs import verb_at
from redline.instruct.words import key_words, singular

_MOST = 5
_TRIED = 12
_SHOWN = 3
_REMOVING = frozenset(("remove", "delete", "drop", "erase", "clear"))
_CONNECTORS = frozenset(("to", "=", "by", "->", "with", "be", ":", "as"))
Works = Callable[[str], bool]


def suggestions_for(reader: Reader, unclear: Unclear, works: Works) -> list[str]:
    """What to say instead; *works* tells whether an instruction leads to changes."""
    tokens = reader.tokens(reader.source)
    if unclear.rank in ("value", "several") and unclear.nodes and not _has_value(tokens):
        examples = _examples(reader, list(unclear.nodes))
        if examples and all(works(instruction) for _, instruction in examples):
            shown = [f"{what} (e.g., '{instruction}')" for what, instruction in examples]
            return [*shown, "Use more specific field references"]
    nodes = [n for n in unclear.nodes if n > 0] or _near(reader, tokens)
    nodes = list(dict.fromkeys(n for node in nodes for n in _within(reader, node, tokens)))
    found: list[str] = []
    for node in [*nodes[:_TRIED], *_plain(reader)]:
        if len(found) == _MOST or (found and node not in nodes[:_TRIED]):
            break
        working = next((s for s in _forms(reader, node, tokens) if works(s)), None)
        if working is not None and working not in found:
            found.append(working)
    return found


def plain_suggestions(reader: Reader, works: Works) -> list[str]:
    """The plainest form, shown with the first values there are."""
    forms = (
        f"Set {pointer(reader.index.path(node))} to {_example(reader.value(node))}"
        for node in _plain(reader)
    )
    return [form for form in forms if works(form)][:2]


def _within(reader: Reader, node: int, tokens: Tokens) -> Iterator[int]:
    """The node, or for a container some of what it holds: nobody is advised to lose it whole."""
    if not isinstance(reader.value(node), dict | list):
        yield node
        return
    removing = bool(tokens) and tokens[0].low in _REMOVING
    below = reader.index.children(node) if removing else range(node, reader.index.end[node])
    plain = (n for n in below if removing or not isinstance(reader.value(n), dict | list))
    for _, found in zip(range(_SHOWN), plain, strict=False):
        yield found


def _has_value(tokens: Tokens) -> bool:
    if tokens and tokens[0].low in _REMOVING:
        return True
    return any(t.low in _CONNECTORS for t in tokens)


def _near(reader: Reader, tokens: Tokens) -> list[int]:
    """Places whose key is almost what was said."""
    nodes: dict[int, None] = {}
    for token in tokens:
        if token.kind in ("word", "code", "quoted") and len(token.text) > 2:
            for form in reader.nearest(token.text):
                nodes.update(dict.fromkeys(reader.index.by_form[form][:_MOST]))
    return list(nodes)


def _plain(reader: Reader) -> Iterator[int]:
    """Some plain values of the document, to show the form with."""
    shown = 0
    for node, value in enumerate(reader.index.values):
        if node and not isinstance(value, dict | list):
            yield node
            shown += 1
        if shown == _MOST:
            return


def _forms(reader: Reader, node: int, tokens: Tokens) -> Iterator[str]:
    """The instruction with its place as a pointer, then plainer forms of it."""
    where = pointer(reader.index.path(node))
    verb = verb_at(tokens)
    said = reader.text(tokens[: verb[1]]) if verb else "Set"
    said = said[:1].upper() + said[1:]
    place = next((i for i, t in enumerate(tokens) if i and t.low in _CONNECTORS), None)
    if place is not None:
        tail = reader.text(tokens[place:]).rstrip("?! ")
        yield f"{said} {where} {tail}"
        yield f"Set {where} to {reader.text(tokens[place + 1 :])}".rstrip("?! ")
    elif verb:
        yield f"{said} {where}"
    yield f"Set {where} to {_example(reader.value(node))}"


def _example(value: Value) -> str:
    if isinstance(value, Num):
        return f"{value.decimal + 2:f}"
    if isinstance(value, bool):
        return dumps(not value)
    if isinstance(value, str):
        return dumps("new " + value.split("\n")[0][:20].replace('"', ""))
    return '"value"'


def _examples(reader: Reader, nodes: list[int]) -> list[tuple[str, str]]:
    """For one field of many records: one of them by name, or all, each with an instruction."""
    index = reader.index
    node = nodes[0]
    record = node
    while record > 0 and not index.is_record(record):
        record = index.parents[record]
    key = index.keys[node]
    name = _name(reader, record)
    if len(nodes) < 2 or record == 0 or name is None or not isinstance(key, str):
        return []
    noun = singular(str(index.keys[index.parents[record]])) or "item"
    field = " ".join(key_words(key))
    every = _every(reader.value(node), field)
    one = f"Update {name} {field} to {_example(reader.value(node))}"
    return [
        (f"Specify which {noun}'s {field} to update", one),
        (f"Specify all {_plural(field)} to update", every),
    ]


def _plural(words: str) -> str:
    return words + ("es" if words.endswith(("s", "x", "ch", "sh")) else "s")


def _every(value: Value, field: str) -> str:
    if isinstance(value, Num) and value.decimal != Decimal(0):
        return f"Increase all {_plural(field)} by 10%"
    return f"Set all {_plural(field)} to {_example(value)}"


def _name(reader: Reader, record: int) -> str | None:
    for child in reader.index.children(record):
        value = reader.value(child)
        if reader.index.identifies(child) and isinstance(value, str) and "'" not in value:
            return value
    return None
