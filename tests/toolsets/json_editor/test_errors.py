"""All eleven error codes, each reached through a real call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from redline.core import errors as e
from redline.core.errors import ProviderFailed, RedlineError
from redline.toolsets.call import FailedCall, Result
from redline.toolsets.json_editor.errors import code_of, word
from redline.toolsets.tool import Client
from tests.toolsets.json_editor.desk import Desk, ScriptedLlm

PREVIEW, APPLY = "json_editor_preview", "json_editor_apply"
VAGUE = {"document": {"a": 1}, "instruction": "make it nicer"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.requirement("json-code-invalid-input")
@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"document": 3, "instruction": "x"}, "document"),
        ({"document": None, "instruction": "x"}, "document"),
        ({"document": {}}, "instruction"),
        ({"document": {}, "instruction": ""}, "instruction"),
        ({"instruction": "x"}, "document"),
        ({"document": {"a": 1}, "document_path": "a.json", "instruction": "x"}, "document"),
        ({"document": {}, "instruction": "x", "extra": 1}, "extra"),
        ({"document_path": "../outside.json", "instruction": "x"}, "document_path"),
        ({"document_path": "missing.json", "instruction": "x"}, "document_path"),
    ],
)
def test_malformed_parameters(desk: Desk, arguments: Any, field: str) -> None:
    error = desk.error(PREVIEW, arguments)
    assert error["code"] == "INVALID_INPUT"
    assert error["data"]["error_type"] == "validation"
    assert error["data"]["details"]["field"] == field


@pytest.mark.requirement("json-code-invalid-json")
@pytest.mark.parametrize("text", ['{"a": 1,}', '{"a": 1, "a": 2}', "[NaN]", '"text"', "\xff"])
def test_a_file_that_is_not_a_json_document(desk: Desk, text: str) -> None:
    (desk.folder / "bad.json").write_bytes(text.encode("latin-1"))
    error = desk.error(PREVIEW, {"document_path": "bad.json", "instruction": "set a to 3"})
    assert error["code"] == "INVALID_JSON"
    assert error["data"]["error_type"] == "validation"


def test_a_document_with_a_key_twice_is_refused(desk: Desk) -> None:
    raw = '{"document": {"a": 1, "a": 2}, "instruction": "set a to 3"}'
    assert desk.error(PREVIEW, raw)["code"] == "INVALID_JSON"


@pytest.mark.requirement("json-code-too-large")
def test_a_document_over_the_limit(desk: Desk) -> None:
    error = desk.error(PREVIEW, {"document": {"a": "x" * 1_000_001}, "instruction": "set a to b"})
    assert error["code"] == "DOCUMENT_TOO_LARGE"
    assert error["data"]["error_type"] == "validation"
    (desk.folder / "big.json").write_text('{"a": "' + "x" * 1_000_001 + '"}')
    asked = {"document_path": "big.json", "instruction": "set a to b"}
    assert desk.call(PREVIEW, asked)["structuredContent"]["status"] == "success"


@pytest.mark.requirement("json-code-too-long")
def test_an_instruction_over_the_limit(desk: Desk) -> None:
    error = desk.error(PREVIEW, {"document": {"a": 1}, "instruction": "x" * 1001})
    assert error["code"] == "INSTRUCTION_TOO_LONG"
    assert error["data"]["details"]["field"] == "instruction"


@pytest.mark.requirement("json-code-llm")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("error", "LLM_SERVICE_ERROR"),
        ("rate_limit", "LLM_RATE_LIMIT"),
        ("timeout", "LLM_TIMEOUT"),
    ],
)
def test_a_provider_that_fails(tmp_path: Path, kind: str, code: str) -> None:
    desk = Desk(tmp_path, ScriptedLlm(ProviderFailed("It failed", kind=kind)))
    error = desk.error(PREVIEW, VAGUE)
    assert error["code"] == code
    assert error["data"]["error_type"] == "llm_service"


@pytest.mark.requirement("json-code-session", "json-error-reason")
def test_a_session_that_is_not_there(desk: Desk) -> None:
    error = desk.error(APPLY, {"session_id": "sess_unknown"})
    assert error["code"] == "SESSION_NOT_FOUND"
    assert error["data"]["error_type"] == "session"
    (advice,) = error["data"]["suggestions"]
    assert "json_editor_preview" in advice
    assert error["data"]["details"]["reason"] == error["message"]
    assert desk.error(APPLY, {"session_id": "bad id!"})["code"] == "INVALID_INPUT"


@pytest.mark.requirement("json-error-reason")
@pytest.mark.parametrize(
    ("arguments", "field", "reason"),
    [
        ({"document": {"a": 1}, "instruction": 5}, "instruction", "instruction must be string"),
        ({"document": {"a": 1}}, "instruction", "instruction is required"),
        ({"document": {"a": 1}, "instruction": "x", "b": 1}, "b", "unknown b"),
    ],
)
def test_the_reason_says_what_is_wrong_with_which_field(
    desk: Desk, arguments: dict[str, Any], field: str, reason: str
) -> None:
    details = desk.error(PREVIEW, arguments)["data"]["details"]
    assert details["field"] == field
    assert details["reason"].startswith(reason)


@pytest.mark.requirement("json-session-principal")
def test_a_session_of_somebody_else_is_not_there(desk: Desk) -> None:
    held = desk.preview({"a": 1}, "set a to 2", principal="ann")["session_id"]
    assert desk.error(APPLY, {"session_id": held}, "bob")["code"] == "SESSION_NOT_FOUND"
    assert desk.call(APPLY, {"session_id": held}, "ann")["isError"] is False


@pytest.mark.requirement("json-code-changed")
def test_a_document_that_changed_since_the_preview(desk: Desk) -> None:
    file = desk.folder / "c.json"
    file.write_text('{"a": 1}')
    held = desk.call(PREVIEW, {"document_path": "c.json", "instruction": "set a to 2"})
    file.write_text('{"a": 9}')
    session_id = held["structuredContent"]["session_id"]
    error = desk.error(APPLY, {"session_id": session_id})
    assert error["code"] == "DOCUMENT_CHANGED"
    assert error["data"]["error_type"] == "session"
    assert file.read_text() == '{"a": 9}'


@pytest.mark.requirement("json-code-changed")
def test_a_document_hash_that_is_not_the_previews(desk: Desk) -> None:
    held = desk.preview({"a": 1}, "set a to 2")
    wrong = {"session_id": held["session_id"], "document_hash": "0" * 64}
    assert desk.error(APPLY, wrong)["code"] == "DOCUMENT_CHANGED"
    reply = desk.apply(held["session_id"], document_hash=held["document_hash"])
    assert reply["status"] == "success"


@pytest.mark.requirement("json-bulk")
def test_a_preview_of_thousands_of_changes_shows_the_first_and_applies_all(desk: Desk) -> None:
    document = {"items": [{"n": number} for number in range(3000)]}
    held = desk.preview(document, "set n to 5000 for all items")
    assert (held["status"], len(held["changes"])) == ("success", 10)
    assert "Found 3000 changes to apply; the first 10 are shown" in held["message"]
    reply = desk.apply(held["session_id"])
    assert [item["n"] for item in reply["modified_document"]["items"]] == [5000] * 3000
    assert len(reply["applied_changes"]) == 3000


@pytest.mark.requirement("json-code-processing")
def test_a_document_nested_too_deeply(desk: Desk) -> None:
    deep = '{"document": ' + '{"a":' * 150 + "1" + "}" * 150 + ', "instruction": "set a to 2"}'
    error = desk.error(PREVIEW, deep)
    assert error["code"] == "PROCESSING_ERROR"
    (advice,) = error["data"]["suggestions"]
    assert "inner part" in advice


@pytest.mark.requirement("json-redis-error")
def test_a_redis_that_is_not_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path, sessions="redis://127.0.0.1:1/0")
    error = desk.error(PREVIEW, {"document": {"a": 1}, "instruction": "set a to 2"})
    assert error["code"] == "REDIS_CONNECTION_ERROR"
    assert error["data"]["error_type"] == "processing"


def _made(kind: type[RedlineError]) -> RedlineError:
    special: dict[type[RedlineError], RedlineError] = {
        e.AmbiguousMatch: e.AmbiguousMatch("m", count=2),
        e.UnclearIndentation: e.UnclearIndentation("m", hint="h"),
        e.UndoBlocked: e.UndoBlocked("m", paths=["a"], diff="d"),
        e.PermissionRequired: e.PermissionRequired("m", permission="p"),
        e.ChangeHeld: e.ChangeHeld("m", held_id="1", hint="h"),
    }
    return special.get(kind) or kind("m")


def _kinds(kind: type[RedlineError]) -> list[type[RedlineError]]:
    return [kind] + [found for below in kind.__subclasses__() for found in _kinds(below)]


@pytest.mark.parametrize("kind", _kinds(RedlineError), ids=lambda kind: kind.__name__)
def test_every_error_has_a_wording(kind: type[RedlineError]) -> None:
    error = _made(kind)
    answer = word(error, FailedCall(PREVIEW, {}, Client(), "7"))
    assert isinstance(answer, Result)
    assert answer.is_error
    assert answer.structured is not None
    assert answer.structured["error"]["code"] == code_of(error)
    assert answer.structured["error"]["data"]["debug_info"]["request_id"] == "req_7"
