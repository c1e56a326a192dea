"""Work of others in a process of its own: it answers, is stopped or dies alone."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.core.errors import InvalidArgument, LimitReached, NotFound, TimeLimit
from redline.core.ports.confined import Budget
from redline.documents.isolated import DocumentSource, query, validate

DOUBLING = {
    f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}, {"$ref": f"#/$defs/a{i + 1}"}]}
    for i in range(60)
} | {"a60": {"type": "integer"}}


@pytest.fixture
def confined() -> Iterator[IsolatedCalls]:
    workers = IsolatedCalls(Budget(5.0, 600 << 20))
    yield workers
    workers.close()


def never(*_: Any) -> bool:
    return False


def asked(confined: IsolatedCalls, text: str, expression: str) -> list[Any]:
    found, _ = query(confined, DocumentSource(text.encode(), "json"), expression, never, 100)
    return [match.path for match in found]


def test_matches_come_back_with_their_source(confined: IsolatedCalls) -> None:
    found, total = query(
        confined, DocumentSource(b"a:\n  - x\n  - y\n", "yaml"), "$.a[*]", never, 1
    )
    assert total == 2
    assert found[0].path == ("a", 0)
    assert found[0].slice is not None
    assert (found[0].slice.data, found[0].slice.line) == (b"x", 2)


def test_regular_expressions_are_asked_of_the_caller(confined: IsolatedCalls) -> None:
    def test(pattern: str, text: str, whole: bool) -> bool:
        assert (pattern, whole) == ("w.*", True)
        return text == "web"

    source = DocumentSource(b'[{"n": "web"}, {"n": "api"}]', "json")
    found, _ = query(confined, source, "$[?match(@.n, 'w.*')]", test, 10)
    assert [match.path for match in found] == [(0,)]


def test_a_refusal_keeps_its_kind_and_its_words(confined: IsolatedCalls) -> None:
    with pytest.raises(InvalidArgument, match="Not a JSONPath expression") as refusal:
        asked(confined, "[1]", "$[")
    assert refusal.value.field == "expression"
    assert refusal.value.hint is not None


def test_a_refusal_of_the_caller_comes_back_through_the_worker(confined: IsolatedCalls) -> None:
    def missing(name: str) -> bytes:
        raise NotFound(name)

    with pytest.raises(NotFound, match=r"s\.json"):
        validate(confined, DocumentSource(b"{}", "json"), "s.json", missing)
    assert asked(confined, "[1]", "$[0]") == [(0,)]


@pytest.mark.parametrize("expression", ["$" + "[0,0,0,0,0,0,0,0]" * 12, "$" + "..*" * 40])
def test_an_expression_without_end_is_stopped(confined: IsolatedCalls, expression: str) -> None:
    with pytest.raises(LimitReached):
        asked(confined, "[" * 60 + "1" + "]" * 60, expression)
    assert asked(confined, "[1]", "$[0]") == [(0,)]


@pytest.mark.parametrize("expression", ["$" + ".a" * 100_000, "$[?@<1e400]", "$" + "[?(" * 3000])
def test_an_expression_out_of_bounds_is_an_invalid_argument(
    confined: IsolatedCalls, expression: str
) -> None:
    with pytest.raises(InvalidArgument):
        asked(confined, "[1]", expression)


def test_a_schema_that_doubles_its_work_is_stopped(confined: IsolatedCalls) -> None:
    schema = json.dumps({"$ref": "#/$defs/a0", "$defs": DOUBLING}).encode()
    with pytest.raises(TimeLimit):
        validate(confined, DocumentSource(b"1", "json"), "s.json", lambda _: schema)


def test_a_schema_that_fills_the_memory_dies_alone(confined: IsolatedCalls) -> None:
    schema = {"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, "maxItems": 0}
    source = DocumentSource(b"[" * 40 + b"]" * 40, "json")
    with pytest.raises(LimitReached):
        validate(confined, source, "s.json", lambda _: json.dumps(schema).encode())
    assert validate(confined, DocumentSource(b"[1]", "json"), "s.json", lambda _: b"{}") == ([], 0)


def test_problems_come_back_with_their_lines(confined: IsolatedCalls) -> None:
    schema = b'{"properties": {"a": {"type": "string"}}}'
    found, total = validate(
        confined, DocumentSource(b"x: 1\na: 2\n", "yaml"), "s.json", lambda _: schema
    )
    assert total == 1
    assert (found[0].path, found[0].line) == ("a", 2)


@pytest.mark.requirement("parsers-die-alone")
def test_calls_that_run_at_once_leave_their_workers_to_the_next_ones(
    confined: IsolatedCalls,
) -> None:
    together = threading.Barrier(4)

    def call() -> int:
        answers = {"meet": lambda: together.wait(30)}
        function, budget = "tests.adapters.workers.hostile:meet", Budget(60.0, 600 << 20)
        process: int = confined.call(function, (), answers, budget=budget)
        return process

    with ThreadPoolExecutor(4) as pool:
        rounds = [{each.result() for each in [pool.submit(call) for _ in "abcd"]} for _ in "ab"]
    assert len(rounds[0]) == 4
    assert rounds[0] == rounds[1]


def test_calls_that_are_forgotten_leave_no_process_and_no_thread() -> None:
    workers = IsolatedCalls()
    workers.call("tests.adapters.workers.hostile:echo", ["warm"])
    (worker,) = workers._idle
    assert workers._keeper is not None
    thread = workers._keeper._thread
    workers.itself = workers  # type: ignore[attr-defined]
    del workers
    gc.collect()
    assert not worker.is_alive
    thread.join(10)
    assert not thread.is_alive()
