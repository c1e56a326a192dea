"""Exact forms: `server.port = 9090`, `/tags/- = "new"`, `a.b += 1`, `/flags/0/owner -> team`.

A path stands first and every character behind the operator is the value, to the end of the line.
Several statements stand on lines of their own, or behind `;` when the value before is delimited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from redline.core.errors import DocumentSyntax
from redline.instruct.literals import Given, Misfit, fit
from redline.instruct.model.operations import ABSENT, DocumentOperation, Path
from redline.instruct.model.values import Num, Value, dumps, parse
from redline.instruct.paths import (
    find,
    find_jsonpath,
    insertion_point,
    object_for_new_key,
    path_parts,
    suffix_nodes,
)
from redline.instruct.plans import exact as exact_sum
from redline.instruct.tree import DocumentTree
from redline.instruct.words import key_form, number_in

_POINTER = re.compile(r"/[^\s=]*(?:=[^\s=][^\s=]*)*")
_DOTTED = re.compile(
    r"`?(?:[\w$@~-]+|\[(?:-?\d+|\+|\*|\"[^\"]*\"|'[^']*')\])"
    r"(?:\.[\w$@~*-]+|\[(?:-?\d+|\+|\*|\"[^\"]*\"|'[^']*')\])*`?"
)
_OPERATOR = re.compile(r"\s*(\+=|-=|\*=|->|=(?![=>]))\s*")
_BARE_NAME = re.compile(r"[A-Za-z_][\w-]*|/\S+|[\w-]+(?:\.[\w-]+)+")
_FILTERED = re.compile(r"[\w$.\[\]'\"@-]*\[\?")  # a JSONPath, with or without its `$.`
_REMOVAL = re.compile(r"(?:delete|remove) ([\w$@~/-]\S*?)(?:;|$)", re.IGNORECASE)
_SELECTING = re.compile(r"\[\?|\*\]|\.\*|\.\.|,|:")  # what makes a JSONPath speak of several
_DECODER = json.JSONDecoder()


class Unfit(Exception):
    """An exact form that cannot be carried out; the message says why."""


class ExactStatement(NamedTuple):
    """One statement: a path, an operator, and the value as text or as JSON."""

    path: str
    operator: str
    value: Given


def read_exact(tree: DocumentTree, text: str) -> list[DocumentOperation] | None:
    """Return the operations of exact statements; None for other text. Raises Unfit."""
    statements = _statements(text)
    if not statements or all(statement.operator == "delete" for statement in statements):
        return None
    operations: list[DocumentOperation] = []
    for statement in statements:
        made = _carry_out(tree, statement)
        if made is None:
            return None
        operations += made
    return operations


def _statements(text: str) -> list[ExactStatement] | None:
    found: list[ExactStatement] = []
    for line in text.strip().splitlines():
        rest = line.strip().rstrip(";")
        while rest:
            step = _statement(rest)
            if step is None:
                return None
            statement, rest = step
            found.append(statement)
    return found


def _statement(text: str) -> tuple[ExactStatement, str] | None:
    removal = _REMOVAL.match(text)
    if removal:
        return ExactStatement(removal[1], "delete", Given()), text[removal.end() :].strip()
    path = _path_in(text)
    operator = _OPERATOR.match(text, len(path)) if path else None
    if operator is None or operator.end() == len(text):
        return None
    read = _value(text[operator.end() :])
    if read is None:
        return None
    value, rest = read
    return ExactStatement(path.strip("`"), operator[1], value), rest


def _path_in(text: str) -> str:
    """Return the path that a statement begins with, or an empty text."""
    if text.startswith("$") or _FILTERED.match(text):
        depth = 0
        for place, char in enumerate(text):
            depth += (char == "[") - (char == "]")
            if depth == 0 and (char.isspace() or (char == "=" and text[place - 1] != "=")):
                return text[:place]
        return ""
    match = _POINTER.match(text) if text.startswith("/") else _DOTTED.match(text)
    return match[0] if match else ""


def _value(text: str) -> tuple[Given, str] | None:
    """Return the value at the start of *text* and what follows it as a statement of its own."""
    stripped = text.strip()
    literal = _literal(stripped)
    if literal is not None:
        value, end = literal
        rest = stripped[end:].lstrip()
        if rest in ("", "."):
            return _as_given(value, stripped[:end]), ""
        following = rest[1:].strip().removeprefix("and ")
        if rest.startswith((";", ",")) and following:
            if _statement(following) is None:
                return None
            return _as_given(value, stripped[:end]), following
    if ";" in stripped:
        raise Unfit(f"the value is not delimited: put it in quotes: {dumps(stripped[:80])}")
    if stripped[:1] == stripped[-1:] == "'" and len(stripped) > 1:
        return Given(stripped[1:-1], "quoted"), ""
    return Given(stripped, "word" if " " not in stripped else "line"), ""


def _as_given(value: Value, text: str) -> Given:
    if isinstance(value, Num):
        return Given(value, "number")
    if isinstance(value, bool):
        return Given(text, "word")
    return Given(value, "quoted" if isinstance(value, str) else "json")


def _literal(text: str) -> tuple[Value, int] | None:
    try:
        _, end = _DECODER.raw_decode(text)
        if text[end : end + 1] not in ("", " ", ";", ".", ",") or (
            text[end : end + 2] not in ("", ".") and text[end : end + 1] == "."
        ):
            return None
        return parse(text[:end]), end
    except (ValueError, RecursionError, DocumentSyntax):
        number = number_in(text) if " " not in text and text[-1:].isdigit() else None
        return (Num(number), len(text)) if number is not None else None


# -- carrying out


def _carry_out(tree: DocumentTree, statement: ExactStatement) -> list[DocumentOperation] | None:
    path, operator = _plainly(statement), statement.operator
    nodes = find_jsonpath(tree, path) if path.startswith("$") else find(tree, path)
    if nodes is None:
        raise Unfit(f"not a path: {path}")
    if operator == "delete":
        return [DocumentOperation("remove", tree.path(n), tree.values[n]) for n in nodes] or None
    if operator == "->":
        return _rename(tree, path, nodes, statement.value)
    if nodes:
        if 0 in nodes:
            raise Unfit("the whole document cannot be assigned; send a patch")
        return [o for node in nodes for o in _assign(tree, node, operator, statement.value)]
    if operator != "=" or path.startswith("$"):
        if suffix_nodes(tree, path):
            return None
        raise Unfit(f"nothing is at {path}")
    return _create(tree, path, statement.value)


def _plainly(statement: ExactStatement) -> str:
    """Return the path of a statement: a JSONPath where it selects, else as keys."""
    path = statement.path
    if statement.operator == "=" and path.startswith("$") and not _SELECTING.search(path):
        return path[1:].removeprefix(".")
    return f"$.{path}" if _FILTERED.match(path) and not path.startswith("$") else path


def _assign(
    tree: DocumentTree, node: int, operator: str, given: Given
) -> Iterator[DocumentOperation]:
    tree.spend()
    old = tree.values[node]
    if operator == "=":
        try:
            value = fit(given, old, str(tree.keys[node]))
        except Misfit as error:
            raise Unfit(str(error)) from None
    elif isinstance(old, list) and operator == "+=":
        place = (*tree.path(node), str(len(old)))
        yield DocumentOperation("insert", place, value=fit(given, ABSENT, "", old))
        return
    else:
        value = _calculate(old, operator, given)
    if dumps(old) != dumps(value):
        yield DocumentOperation("replace", tree.path(node), old, value)


def _calculate(old: Value, operator: str, given: Given) -> Value:
    if operator == "+=" and isinstance(old, str) and given.style == "quoted":
        return old + str(given.value)
    if not isinstance(old, Num) or not isinstance(given.value, Num):
        raise Unfit(f"{operator} needs two numbers")
    by = given.value.decimal
    made = old.decimal * by if operator == "*=" else old.decimal + (by if operator == "+=" else -by)
    if not made.is_finite() or abs(made) > Decimal("1e300"):
        raise Unfit("the result is too large")
    return exact_sum(made, old)


def _create(tree: DocumentTree, text: str, given: Given) -> list[DocumentOperation] | None:
    """Return the addition of a new key or element under a parent that is there."""
    parts = path_parts(text) or ()
    place = insertion_point(tree, parts)
    if place is not None and (parts[-1] in ("+", "-")):
        holder, index = place
        held = tree.values[holder]
        assert isinstance(held, list)
        value = fit(given, ABSENT, "", held)
        return [DocumentOperation("insert", (*tree.path(holder), str(index)), value=value)]
    holder_ = object_for_new_key(tree, parts) if parts else None
    if holder_ is None:
        if suffix_nodes(tree, text) or (len(parts) == 1 and not text.startswith("/")):
            return None
        raise Unfit(f"nothing is at {text}, and its parent is not there either")
    if len(parts) == 1 and not text.startswith("/"):
        if tree.by_form.get(key_form(parts[0])) or tree.with_label(parts[0]):
            return None  # something of that name is elsewhere: read it as a sentence
        if given.style == "line":
            raise Unfit(f"the value is not delimited: put it in quotes: {dumps(given.value)}")
    if len(parts) > 1 and suffix_nodes(tree, text):
        return None
    held = tree.values[holder_]
    assert isinstance(held, dict)
    value = fit(given, ABSENT, parts[-1])
    return [DocumentOperation("add", parts, value=value)]


def _rename(
    tree: DocumentTree, text: str, nodes: tuple[int, ...], given: Given
) -> list[DocumentOperation] | None:
    """Return the renaming of `path -> key`; None where a value stands behind the arrow."""
    target = str(given.value)
    is_path = text.startswith(("/", "$")) or "." in text or "[" in text
    if given.style != "word" or not _BARE_NAME.fullmatch(target) or target in ("true", "false"):
        return None
    if not is_path and not nodes:
        return None
    if not is_path and (not target.isidentifier() or any(tree.parents[n] for n in nodes)):
        return None
    if not nodes:
        raise Unfit(f"nothing is at {text}")
    operations = []
    for node in nodes:
        path = tree.path(node)
        new = _target(path, target)
        parent = tree.values[tree.parents[node]]
        if not isinstance(parent, dict):
            raise Unfit("an element of a list has no name")
        if new[-1] in parent:
            raise Unfit(f'"{new[-1]}" is there already')
        value = tree.values[node]
        operations.append(DocumentOperation("rename", path, value, value, new))
    return operations


def _target(path: Path, text: str) -> Path:
    parts = path_parts(text) if text.startswith("/") or "." in text else (text,)
    if parts and len(parts) > 1:
        if parts[:-1] != path[:-1] and parts[:-1] != path[-len(parts) : -1]:
            raise Unfit("-> keeps the key in its object; move it with: move A to B")
        parts = parts[-1:]
    return (*path[:-1], (parts or (text,))[0])
