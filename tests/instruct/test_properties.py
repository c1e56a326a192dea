"""What preview shows is exactly what apply does, for any document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.instruct.engine import propose
from redline.instruct.model.operations import (
    ABSENT,
    DocumentOperation,
    NoValue,
    apply_operations,
    pointer,
    value_at,
)
from redline.instruct.model.values import Num, Value, dumps, parse, type_name
from redline.services.instructions.files import plan_file
from redline.services.instructions.inputs import Source
from redline.services.instructions.session import Session, hash_of
from tests.support import LONG

EXAMPLES = 2000 if LONG else 150
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
KEYS = st.sampled_from(["a", "b", "name", "port", "maxSize", "max_size", "x/y", "t~u", "ü", "0"])
NUMBERS = st.sampled_from(["0", "-1", "1.10", "1E5", "12345678901234567890123", "0.1", "-0", "7"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), NUMBERS.map(Num), st.just("plain")
)
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
).filter(lambda value: isinstance(value, dict | list) and bool(value))


def paths(value: Value, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [above] if above else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*above, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            found += paths(item, (*above, str(place)))
    return found


@st.composite
def edits(draw: st.DrawFn) -> tuple[Value, list[DocumentOperation]]:
    """A document and operations at places of their own."""
    document = draw(DOCUMENTS)
    operations: list[DocumentOperation] = []
    for path in draw(st.lists(st.sampled_from(paths(document)), max_size=4, unique=True)):
        if any(o.path[: len(path)] == path or path[: len(o.path)] == o.path for o in operations):
            continue
        old = value_at(document, path)
        holder = value_at(document, path[:-1])
        kind = draw(st.sampled_from(["replace", "remove", "rename", "insert"]))
        if kind == "rename" and isinstance(holder, dict):
            target = (*path[:-1], "new_" + path[-1])
            operations.append(DocumentOperation("rename", path, old, old, target))
        elif kind == "insert" and isinstance(holder, list):
            operations.append(DocumentOperation("insert", path, ABSENT, draw(SCALARS)))
        elif kind == "remove":
            operations.append(DocumentOperation("remove", path, old))
        else:
            operations.append(DocumentOperation("replace", path, old, draw(SCALARS)))
    return document, operations


@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(edits())
def test_only_what_is_listed_changes(case: tuple[Value, list[DocumentOperation]]) -> None:
    document, operations = case
    before = dumps(document)
    after = apply_operations(document, operations)
    assert dumps(document) == before
    touched = [o.path for o in operations]
    for path in paths(after):
        if any(path[: len(t) - 1] == t[:-1] for t in touched):
            continue
        assert dumps(value_at(document, path)) == dumps(value_at(after, path)) or any(
            t[: len(path)] == path for t in touched
        )


@pytest.mark.requirement("json-preview-is-apply")
@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(edits())
def test_a_stored_session_does_what_the_operations_did(
    case: tuple[Value, list[DocumentOperation]],
) -> None:
    document, operations = case
    session = Session(document, tuple(operations), "success", hash_of(document))
    again = Session.decode(session.encode())
    assert again.encode() == session.encode()
    expected = dumps(apply_operations(document, operations))
    assert dumps(apply_operations(again.document, again.operations)) == expected


class _NoWorker:
    """JSON needs no worker process."""

    def call(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a JSON file was sent to a worker process")


@pytest.mark.requirement("json-preview-is-apply")
@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(edits(), st.sampled_from([None, 2, "\t"]))
def test_a_file_gets_exactly_what_was_previewed(
    case: tuple[Value, list[DocumentOperation]], indent: Any
) -> None:
    document, operations = case
    text = dumps(document) if indent is None else _indented(document, indent)
    source = Source(document, "", "f.json", None, text.encode())
    after = plan_file(_NoWorker(), source, operations)
    assert dumps(parse(after)) == dumps(apply_operations(document, operations))


def _indented(document: Value, indent: Any) -> str:
    marks: dict[str, str] = {}

    def marked(value: Value) -> Any:
        if isinstance(value, dict):
            return {key: marked(item) for key, item in value.items()}
        if isinstance(value, list):
            return [marked(item) for item in value]
        if isinstance(value, Num):
            name = f"\u2603{len(marks)}\u2603"
            marks[f'"{name}"'] = value.text
            return name
        return value

    text = json.dumps(marked(document), indent=indent, ensure_ascii=False)
    for mark, number in marks.items():
        text = text.replace(mark, number)
    return text


@pytest.mark.requirement("json-preview-is-apply")
@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(DOCUMENTS, st.data())
def test_an_assignment_by_pointer_changes_that_place_alone(
    document: Value, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(paths(document)))
    value = data.draw(SCALARS)
    if isinstance(value, str) and ('"' in value or "\\" in value or not value.isprintable()):
        value = "plain"
    if any("/" not in p and (not p or " " in p) for p in path):
        return
    spelled = f'"{value}"' if isinstance(value, str) else dumps(value)
    proposal = propose(document, f"set {pointer(path)} to {spelled}")
    old = value_at(document, path)
    if proposal.status == "no_changes":
        assert old == value
        assert type_name(old) == type_name(value)
        return
    if proposal.status == "ambiguous":
        assert type_name(old) != type_name(value)
        return
    [operation] = proposal.operations
    assert (operation.op, operation.path) == ("replace", path)
    assert not isinstance(operation.value, NoValue)
    texts = isinstance(old, str) or (old is None and isinstance(operation.value, str))
    if texts and isinstance(value, Num):
        value = value.text  # bare digits are a text where a text was, or where others have texts
    assert type_name(operation.value) == type_name(value)
    assert operation.value == value


@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(
    DOCUMENTS,
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
)
def test_no_text_makes_the_engine_fail(document: Value, instruction: str) -> None:
    proposal = propose(document, instruction)
    assert proposal.status in ("success", "no_changes", "ambiguous")
    assert bool(proposal.operations) == (proposal.status == "success")


WORDS = Path(__file__).with_name("cases").joinpath("batch1.json").read_text("utf-8").split()


@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
@given(DOCUMENTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_no_mix_of_words_makes_the_engine_fail(document: Value, words: list[str]) -> None:
    proposal = propose(document, " ".join(words))
    assert proposal.status in ("success", "no_changes", "ambiguous")
    apply_operations(document, proposal.operations)


def test_a_pointer_to_a_record_never_means_a_field_of_it() -> None:
    document = parse('[{"a": {"a": "x"}}, {"a": {"a": "y"}}]')
    for value in ("x", "y"):
        assert propose(document, f'set /0 to "{value}"').status == "ambiguous"
