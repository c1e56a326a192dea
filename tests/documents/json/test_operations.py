"""Typed operations at JSON pointers become one lossless edit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.errors import CannotApply, InvalidArgument
from redline.core.splice import apply_splices
from redline.documents.json.operations import JsonOp, parse_pointer, plan_operations, render_pointer

SOURCE = b'{\n  "a": [1, 2.50, 3],\n  "b": {"x": 1e2},\n  "big": 12345678901234567890\n}\n'


def after(*operations: JsonOp, source: bytes = SOURCE, form: str = "json") -> bytes:
    edit = plan_operations(source, operations, form)
    assert apply_splices(source, edit.splices) == edit.after
    return edit.after


def test_each_operation_changes_only_its_own_bytes() -> None:
    assert after(JsonOp("replace", "/b/x", "2")) == SOURCE.replace(b"1e2", b"2")
    assert after(JsonOp("add", "/b/y", "[1]")) == SOURCE.replace(b"1e2", b'1e2, "y": [1]')
    assert after(JsonOp("insert", "/a/1", "0")) == SOURCE.replace(b"1, 2.50", b"1, 0, 2.50")
    assert after(JsonOp("insert", "/a/-", "4")) == SOURCE.replace(b"3]", b"3, 4]")
    assert after(JsonOp("remove", "/a/0")) == SOURCE.replace(b"1, 2.50", b"2.50")
    assert after(JsonOp("rename", "/b", "c")) == SOURCE.replace(b'"b"', b'"c"')
    assert after(JsonOp("add", "/n", "null")).endswith(b'12345678901234567890,\n  "n": null\n}\n')


def test_each_operation_sees_what_its_predecessors_left() -> None:
    done = after(
        JsonOp("insert", "/a/0", "0"),
        JsonOp("replace", "/a/1", '"one"'),
        JsonOp("rename", "/a", "list"),
        JsonOp("remove", "/list/3"),
        JsonOp("add", "/b/y", "1"),
        JsonOp("add", "/b/z", "2"),
    )
    assert json.loads(done) == {
        "list": [0, "one", 2.5],
        "b": {"x": 100.0, "y": 1, "z": 2},
        "big": 12345678901234567890,
    }


def test_many_removals_from_one_list_leave_commas_right() -> None:
    source = b"[0, 1, 2, 3, 4]"
    assert after(*(JsonOp("remove", f"/{i}") for i in (4, 3, 1)), source=source) == b"[0, 2]"
    assert after(*(JsonOp("remove", "/0") for _ in range(5)), source=source) == b"[]"


def test_comments_survive_operations_on_jsonc() -> None:
    source = b'{\n  "a": 1, // one\n  /* two */ "b": 2 // two\n}\n'
    operations = (JsonOp("replace", "/a", "9"), JsonOp("remove", "/b"))
    done = after(*operations, source=source, form="jsonc")
    assert done == b'{\n  "a": 9 // one\n  /* two */  // two\n}\n'


@pytest.mark.parametrize(
    "operation",
    [
        JsonOp("replace", "/nope", "1"),
        JsonOp("remove", "/a/9"),
        JsonOp("insert", "/a/9", "1"),
        JsonOp("rename", "/b", "a"),
        JsonOp("rename", "/a/0", "x"),
        JsonOp("add", "/big/x", "1"),
        JsonOp("replace", "/a", "["),
        JsonOp("remove", ""),
    ],
)
def test_what_cannot_be_applied_is_refused(operation: JsonOp) -> None:
    with pytest.raises(CannotApply):
        plan_operations(SOURCE, [operation])


def test_a_malformed_pointer_is_an_argument_error() -> None:
    for pointer in ("a", "/a~", "/a~2"):
        with pytest.raises(InvalidArgument):
            parse_pointer(pointer)
    assert parse_pointer("/a~1b/~0") == ("a/b", "~")
    assert render_pointer(("a/b", "~", 0)) == "/a~1b/~0/0"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


def _pointers(value: Any, prefix: str = "") -> list[str]:
    found = [prefix]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _pointers(inner, prefix + render_pointer([key]))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _pointers(inner, f"{prefix}/{index}")
    return found


@settings(max_examples=150)
@given(VALUES, st.data(), st.sampled_from([None, 0, 2]))
def test_batched_operations_mean_what_plain_values_say(
    value: Any, data: st.DataObject, indent: int | None
) -> None:
    model = json.loads(json.dumps({"r": value}))
    source = json.dumps(model, indent=indent, ensure_ascii=False).encode()
    operations = []
    for _ in range(data.draw(st.integers(1, 4))):
        pointer = data.draw(st.sampled_from(_pointers(model)[1:]))
        new = data.draw(VALUES)
        action = data.draw(st.sampled_from(["replace", "remove"]))
        if action == "remove" and pointer == "/r":
            action = "replace"
        holder = model
        tokens = parse_pointer(pointer)
        for token in tokens[:-1]:
            holder = holder[int(token) if isinstance(holder, list) else token]
        last: Any = int(tokens[-1]) if isinstance(holder, list) else tokens[-1]
        if action == "replace":
            holder[last] = new
        else:
            del holder[last]
        operations.append(JsonOp(action, pointer, json.dumps(new)))
    assert json.loads(after(*operations, source=source)) == model
