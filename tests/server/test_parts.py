"""The smaller parts of the server: redaction, rates, workers, tokens, wire, arguments."""

from __future__ import annotations

import json
import threading
import weakref
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.errors import Cancelled, InvalidArgument
from redline.server.calls.arguments import nearest, validate
from redline.server.calls.workers import QueueFull, Workers, release_slot_while_waiting
from redline.server.http.gate import RateLimit
from redline.server.observe.redact import REDACTED, redact
from redline.server.rpc import wire
from redline.server.rpc.messages import CancelToken
from redline.toolsets.tool import READS, Json, Tool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SURROGATES = st.text(st.characters(min_codepoint=0xD700, max_codepoint=0xE000), max_size=5)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnopqrstuvwx",
        "ghp_abcdefghijklmnopqrstuvwxyz0123",
        "AKIAABCDEFGHIJKLMNOP",
        "Bearer abcdefghijkl.mnop",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "password=hunter2",
        "API_KEY: s3cr3tvalue",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_secret_is_redacted_wherever_it_stands(secret: str) -> None:
    shown = json.dumps(redact({"text": f"before {secret} after", "list": [{"x": secret}]}))
    assert REDACTED in shown
    assert secret.split()[-1].split("=")[-1] not in shown
    assert "before" in shown


@pytest.mark.parametrize("key", ["password", "apiKey", "api_key", "AUTH_TOKEN", "client_secret"])
def test_values_under_secret_names_are_redacted_whatever_they_are(key: str) -> None:
    assert redact({key: "x", "env": {key: ["y"]}}) == {key: REDACTED, "env": {key: REDACTED}}


def test_long_texts_and_lists_are_cut_and_a_secret_across_the_cut_is_still_found() -> None:
    assert len(redact("x" * 1000)) == 240
    assert len(redact(list(range(500)))) == 50
    assert "ghp_" not in redact("x" * 230 + " ghp_abcdefghijklmnopqrstuvwxyz0123")


@given(JSON)
@settings(max_examples=60)
def test_redaction_never_fails_and_stays_json(value: Any) -> None:
    wire.encode(redact(value))


@given(JSON | SURROGATES | st.dictionaries(SURROGATES, SURROGATES))
@settings(max_examples=150)
def test_whatever_is_sent_is_valid_json_in_valid_utf8(value: Any) -> None:
    data = wire.encode({"value": value})
    json.loads(data.decode("utf-8"), parse_constant=pytest.fail)
    assert b"\n" not in data


def test_a_rate_allows_a_burst_then_a_steady_pace_per_principal() -> None:
    now = [0.0]
    limit = RateLimit(2, clock=lambda: now[0])
    assert [limit.wait_for("ann") for _ in range(4)] == [0, 0, 0, 0]
    assert limit.wait_for("ann") == pytest.approx(0.5)
    assert limit.wait_for("bob") == 0
    now[0] += 0.5
    assert limit.wait_for("ann") == 0
    assert limit.wait_for("ann") > 0
    assert RateLimit(0).wait_for("ann") == 0


def test_workers_run_jobs_at_once_and_drain_waits_for_all() -> None:
    workers = Workers(limit=4)
    meet = threading.Barrier(4)
    done: list[int] = []

    def job() -> None:
        meet.wait(10)
        done.append(1)

    for _ in range(4):
        workers.submit(job)
    assert workers.drain(10)
    assert len(done) == 4


def test_workers_that_wait_for_a_person_hold_up_nobody_and_are_not_too_many_afterwards() -> None:
    workers = Workers(limit=2)
    answered, ran = threading.Event(), threading.Event()
    before = threading.active_count()
    for _ in range(6):
        workers.submit(lambda: release_slot_while_waiting(lambda: answered.wait(20)))
    workers.submit(ran.set)
    assert ran.wait(20)
    assert threading.active_count() >= before + 6
    answered.set()
    assert workers.drain(20)
    both = threading.Barrier(2)
    for _ in range(20):
        workers.submit(lambda: both.wait(20) and None)
    assert workers.drain(20)
    assert workers._threads == 2


class Gate:
    """Jobs that run until they are let go."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self._lock = threading.Lock()
        self.begun = threading.Semaphore(0)
        self.running = self.most = 0

    def __call__(self) -> None:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.begun.release()
        assert self.open.wait(20)
        with self._lock:
            self.running -= 1


def test_an_owner_has_its_share_and_another_is_served_meanwhile() -> None:
    workers, flood, ran = Workers(limit=4, share=3), Gate(), threading.Event()
    for _ in range(50):
        workers.submit(flood, owner="ann")
    assert all(flood.begun.acquire(timeout=20) for _ in range(3))
    for _ in range(5):
        ran.clear()
        workers.submit(ran.set, owner="bob")
        assert ran.wait(20)
    assert not flood.begun.acquire(blocking=False)
    flood.open.set()
    assert workers.drain(20)
    assert flood.most == 3


def test_the_first_call_of_an_owner_runs_even_when_all_threads_are_held_by_others() -> None:
    workers, flood, ran = Workers(limit=4, share=2), Gate(), threading.Event()
    for number in range(60):
        workers.submit(flood, owner=f"owner {number % 6}")
    assert all(flood.begun.acquire(timeout=20) for _ in range(6))
    workers.submit(ran.set, owner="late")
    assert ran.wait(20)
    flood.open.set()
    assert workers.drain(20)
    assert flood.most <= 4 + 6
    assert workers._threads <= 4 + 1
    assert workers._queues == {}


def test_who_waits_for_a_person_leaves_the_place_to_the_owners_next() -> None:
    workers, answered, ran = Workers(limit=2, share=1), threading.Event(), threading.Event()
    for _ in range(6):
        workers.submit(lambda: release_slot_while_waiting(lambda: answered.wait(20)), owner="ann")
    workers.submit(ran.set, owner="ann")
    assert ran.wait(20)
    answered.set()
    assert workers.drain(20)
    assert workers._queues == {}


def test_a_line_that_is_full_takes_no_more_and_goes_on_when_it_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("redline.server.calls.workers._MAX_WAITING", 2)
    workers, flood = Workers(limit=2, share=1), Gate()
    for _ in range(3):
        workers.submit(flood, owner="ann")
    with pytest.raises(QueueFull):
        workers.submit(flood, owner="ann")
    workers.submit(lambda: None, owner="bob")
    flood.open.set()
    assert workers.drain(20)
    workers.submit(flood, owner="ann")
    assert workers.drain(20)
    assert flood.begun.acquire(timeout=0)


def test_a_line_holds_so_many_bytes_but_always_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redline.server.calls.workers._MAX_HELD_BYTES", 100)
    workers, flood = Workers(limit=2, share=1), Gate()
    workers.submit(flood, 1000, "ann")
    workers.submit(flood, 1000, "ann")
    with pytest.raises(QueueFull, match="1 calls"):
        workers.submit(flood, 1, "ann")
    flood.open.set()
    assert workers.drain(20)
    workers.submit(flood, 60, "ann")
    assert workers.drain(20)


def test_a_job_that_fails_does_not_take_its_worker_along(capfd: Any) -> None:
    workers = Workers(limit=1)
    ran = threading.Event()
    workers.submit(lambda: 1 // 0)
    workers.submit(ran.set)
    assert ran.wait(10)
    assert workers.drain(10)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_token_runs_its_actions_once_and_late_ones_at_once() -> None:
    token, seen = CancelToken(lambda _: None), []
    token.check()
    token.on_cancel(lambda: seen.append("early"))
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: seen.append("late"))
    assert seen == ["early", "late"]
    with pytest.raises(Cancelled):
        token.check()


def test_a_token_reports_an_action_that_fails_and_runs_the_others() -> None:
    reports: list[str] = []
    seen: list[str] = []
    token = CancelToken(reports.append)
    token.on_cancel(lambda: seen.append("first"))
    token.on_cancel(lambda: {}["x"])
    token.on_cancel(lambda: seen.append("last"))
    token.cancel()
    assert seen == ["first", "last"]
    assert reports == ["cancel action failed: KeyError('x')"]


# --- arguments -----------------------------------------------------------------------------

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "max_results": {"type": "integer", "minimum": 1, "maximum": 9},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"oldText": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["oldText"],
                "additionalProperties": False,
            },
        },
        "value": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["z"]}]},
    },
    "required": ["path"],
    "additionalProperties": False,
}
TOOL = Tool("edit", "Edit", "Edits.", SCHEMA, "m:f", READS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["path is required", "give path (string)"]),
        ({"path": ""}, ["path must have at least 1 characters", 'got ""']),
        ({"path": 5}, ["path must be string, got 5"]),
        ({"path": "a", "maxResults": 3}, ["unknown maxResults", "did you mean max_results?"]),
        ({"path": "a", "max_results": 10}, ["max_results must be at most 9, got 10"]),
        ({"path": "a", "max_results": "3"}, ['max_results must be integer, got "3"']),
        ({"path": "a", "mode": "quick"}, ['mode must be one of "fast", "slow", got "quick"']),
        ({"path": "a", "edits": []}, ["edits must have at least 1 items, got []"]),
        ({"path": "a", "edits": [{"oldText": "x"}, {"old_text": "y"}]},
         ["unknown edits[1].old_text", "did you mean edits[1].oldText?", "is required"]),
        ({"path": "a", "value": 3}, ["value must fit one of: string; object", "got 3"]),
        ({"file": "a"}, ["unknown file", "path is required", "legal names: path, max_results"]),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_wrong_and_what_is_legal(arguments: Json, words: list[str]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(TOOL, arguments)
    for word in words:
        assert word in caught.value.text
    assert caught.value.field


def test_a_whole_number_spelled_as_a_float_reaches_the_handler_as_an_integer() -> None:
    arguments = validate(TOOL, {"path": "a", "max_results": 3.0})
    assert arguments["max_results"] == 3
    assert isinstance(arguments["max_results"], int)


def test_a_huge_wrong_value_is_shown_in_short() -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(TOOL, {"path": "a", "mode": "x" * 100_000, "y" * 100_000: 1})
    assert len(caught.value.text) < 1000


@given(st.dictionaries(st.sampled_from(["path", "edits", "mode", "value", "x"]), JSON))
@settings(max_examples=150)
def test_any_arguments_are_accepted_or_refused_in_words(arguments: Json) -> None:
    refused = None
    try:
        validate(TOOL, arguments)
    except InvalidArgument as refusal:
        refused = refusal.message
    starts = ("Invalid arguments for edit", "Arguments are not")
    assert refused is None or refused.startswith(starts)


def test_the_nearest_name_ignores_case_and_separators_first() -> None:
    assert nearest("OldText", ["old_text", "new_text"]) == "old_text"
    assert nearest("pth", ["path", "pattern"]) == "path"
    assert nearest("zzz", ["path"]) is None


def test_a_worker_that_waits_holds_nothing_of_its_last_job() -> None:
    workers = Workers()
    large = threading.Event()  # stands for what a call brought along
    held = weakref.ref(large)
    workers.submit(large.set)
    del large
    assert workers.drain(10)
    assert held() is None
