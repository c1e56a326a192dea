"""What a person's answer is bound to: equal calls have one binding, others another."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.server.calls.elicitation.asking import bind

pytestmark = pytest.mark.requirement("engine-sealed-state")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3),
    st.text(st.sampled_from("a1:;\ud800\udc00\u00e9"), max_size=4),
    st.sampled_from(["x" * 70_000, "x" * 65_536, "\u00e9" * 70_000, "text 1:a", "other null;"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES, VALUES)
@example(["ab", "c"], ["a", "bc"])
@example([["a"], "b"], [["a", "b"]])
@example({"a": {}, "b": 1}, {"a": {"b": 1}})
@example([1, True], [1.0, 1])
def test_two_calls_have_one_binding_only_if_they_are_the_same(one: Any, other: Any) -> None:
    is_same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (bind(one) == bind(other)) is is_same


@given(st.dictionaries(st.text("abc", max_size=2), SCALARS, max_size=4))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert bind(value) == bind(dict(reversed(value.items())))


def test_a_long_text_is_not_copied() -> None:
    arguments = {"path": "a.txt", "content": "words and lines\n" * (1 << 20)}
    tracemalloc.start()
    try:
        bind(["write", arguments])
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_values_within_values_are_bound_at_any_depth() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert bind(deep) != bind([deep])
