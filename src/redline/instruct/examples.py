"""Examples for an instruction that names a field of many records and no value."""

from __future__ import annotations

from decimal import Decimal

from redline.instruct.language.words import key_words, singular
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.values import Num, Value


def examples(tree: DocumentTree, nodes: tuple[int, ...]) -> tuple[str, ...]:
    """Return how to say it for one record by name, for all of them, and more precisely.

    Only numbers have an example: a step from the value there is shows the form.
    """
    if len(nodes) < 2 or not all(isinstance(tree.values[n], Num) for n in nodes):
        return ()
    node = nodes[0]
    record = tree.record_of(node)
    key, name = tree.keys[node], _name(tree, record)
    if not tree.is_record(record) or name is None or not isinstance(key, str):
        return ()
    noun = singular(str(tree.keys[tree.parents[record]])) or "item"
    field = " ".join(key_words(key))
    every = field + ("es" if field.endswith(("s", "x", "ch", "sh")) else "s")
    one = f"Update {name} {field} to {_next(tree.values[node])}"
    return (
        f"Specify which {noun}'s {field} to update (e.g., '{one}')",
        f"Specify all {every} to update (e.g., 'Increase all {every} by 10%')",
        "Use more specific field references",
    )


def _next(value: Value) -> str:
    assert isinstance(value, Num)
    return f"{value.decimal + Decimal(2):f}"


def _name(tree: DocumentTree, record: int) -> str | None:
    for child in tree.children(record):
        value = tree.values[child]
        if tree.identifies(child) and isinstance(value, str) and "'" not in value:
            return value
    return None
