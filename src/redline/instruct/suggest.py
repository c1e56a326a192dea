"""Suggestions for an instruction that was not certain; each works when sent back as it is."""

from __future__ import annotations

from decimal import Decimal

from redline.instruct.operations import pointer
from redline.instruct.outcome import Unclear
from redline.instruct.reader import Reader
from redline.instruct.values import Num, Value, dumps
from redline.instruct.words import key_words, singular

_MOST = 5


def suggestions_for(reader: Reader, unclear: Unclear, instruction: str) -> list[str]:
    """What to say instead."""
    if unclear.suggestions:
        return list(unclear.suggestions)
    nodes = [n for n in unclear.nodes if n > 0][:_MOST]
    if unclear.rank in ("value", "several") and nodes and not has_value(reader, instruction):
        examples = _examples(reader, list(unclear.nodes))
        if examples:
            return examples
    if nodes:
        return [_assignment(reader, node, instruction) for node in nodes]
    return _general(reader)


def has_value(reader: Reader, instruction: str) -> bool:
    """Whether the instruction gives a value at all."""
    words = {t.low for t in reader.tokens(instruction)}
    return bool(words & {"to", "=", "by", "->", "with", "be", ":"})


def _assignment(reader: Reader, node: int, instruction: str) -> str:
    """The same place by its pointer."""
    where = pointer(reader.index.path(node))
    verb = next((t.low for t in reader.tokens(instruction)), "set")
    if verb in ("remove", "delete", "drop", "erase"):
        return f"Remove {where}"
    value = _said(reader, instruction)
    example = value if value is not None else _example(reader.value(node))
    return f"Set {where} to {example}"


def _said(reader: Reader, instruction: str) -> str | None:
    """The value the instruction gave after its last `to`, if it is one token."""
    tokens = reader.tokens(instruction)
    places = [i for i, t in enumerate(tokens) if t.low in ("to", "=", "be")]
    if not places or places[-1] != len(tokens) - 2:
        return None
    token = tokens[-1]
    return reader.source[token.start : token.end]


def _example(value: Value) -> str:
    if isinstance(value, Num):
        return f"{value.decimal + 2:f}"
    if isinstance(value, bool):
        return dumps(not value)
    if isinstance(value, str):
        return dumps("new " + value.split("\n")[0][:20])
    return dumps(value)[:60] if len(dumps(value)) <= 60 else "null"


def _examples(reader: Reader, nodes: list[int]) -> list[str]:
    """For one field of many records: one record by name, all of them, or a closer reference."""
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
        f"Specify which {noun}'s {field} to update (e.g., '{one}')",
        f"Specify all {field}s to update (e.g., '{every}')",
        "Use more specific field references",
    ]


def _every(value: Value, field: str) -> str:
    if isinstance(value, Num) and value.decimal != Decimal(0):
        return f"Increase all {field}s by 10%"
    return f"Set all {field}s to {_example(value)}"


def _name(reader: Reader, record: int) -> str | None:
    for child in reader.index.children(record):
        value = reader.value(child)
        if reader.index.identifies(child) and isinstance(value, str) and "'" not in value:
            return value
    return None


def _general(reader: Reader) -> list[str]:
    """One instruction that works on this document, to show the form."""
    for node, value in enumerate(reader.index.values):
        if node and not isinstance(value, dict | list):
            return [f"Set {pointer(reader.index.path(node))} to {_example(value)}"]
    return []
