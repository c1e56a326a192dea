"""The JSON editor over the wire: parts of a preview, repeated applies, changed files, dry runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

Json = dict[str, Any]
PLAIN = '{"a": 1, "b": 2, "list": [1,2,3]}\n'
THREE = json.dumps(
    [
        {"op": "replace", "path": "/a", "value": 5},
        {"op": "replace", "path": "/list/2", "value": 9},
        {"op": "remove", "path": "/list/0"},
    ]
)


@pytest.fixture(scope="module", params=["stdio", "http"])
def editor(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("json")
    with connect(request.param, ["--tools", "json,history"], cwd=folder) as client:
        yield client, folder


def preview(client: Client, **arguments: Any) -> str:
    result = client.call("json_editor_preview", arguments)["result"]
    assert result["structuredContent"]["status"] == "success", result
    session: str = result["structuredContent"]["session_id"]
    return session


def apply(client: Client, session: str, *confirmed: str, **more: Any) -> Json:
    if confirmed:
        more["confirmed_changes"] = list(confirmed)
    result = client.call("json_editor_apply", {"session_id": session, **more})["result"]
    answer: Json = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == answer
    return answer


@pytest.mark.requirement("json-part-by-part")
def test_changes_of_a_file_are_confirmed_one_after_the_other(editor: tuple[Client, Path]) -> None:
    client, folder = editor
    file = folder / "parts.json"
    file.write_text(PLAIN)
    session = preview(client, document_path="parts.json", instruction=THREE)
    first = apply(client, session, "change_003")
    assert file.read_text() == PLAIN.replace("[1,2,3]", "[2,3]")
    # The second change names an index of the list as it was previewed.
    second = apply(client, session, "change_002", document_hash=first["document_hash"])
    assert (second["status"], [c["id"] for c in second["applied_changes"]]) == (
        "success",
        ["change_002"],
    )
    assert file.read_text() == PLAIN.replace("[1,2,3]", "[2,9]")
    rest = apply(client, session)
    assert [c["id"] for c in rest["applied_changes"]] == ["change_001"]
    assert json.loads(file.read_text()) == rest["modified_document"]
    assert rest["modified_document"] == {"a": 5, "b": 2, "list": [2, 9]}
    again = apply(client, session, "change_001", "change_002")
    assert "already applied earlier" in again["message"]
    assert [c["id"] for c in again["applied_changes"]] == ["change_001", "change_002"]
    assert again["modified_document"] == rest["modified_document"]


@pytest.mark.requirement("json-apply-again-file")
def test_an_apply_after_the_file_was_changed_outside_is_document_changed(
    editor: tuple[Client, Path],
) -> None:
    client, folder = editor
    file = folder / "outside.json"
    file.write_text(PLAIN)
    session = preview(client, document_path="outside.json", instruction=THREE)
    apply(client, session)
    assert "already applied earlier" in apply(client, session)["message"]
    for other in (PLAIN.replace("1", "7"), "no document {", "[1"):
        file.write_text(other)
        for confirmed in ((), ("change_001",)):
            error = apply(client, session, *confirmed)["error"]
            assert error["code"] == "DOCUMENT_CHANGED"
        assert file.read_text() == other
    file.unlink()
    assert apply(client, session)["error"]["code"] == "DOCUMENT_CHANGED"
    assert not file.exists()


@pytest.mark.requirement("json-apply-again-file")
def test_an_apply_after_an_undo_writes_the_changes_again(editor: tuple[Client, Path]) -> None:
    client, folder = editor
    file = folder / "undone.json"
    file.write_text(PLAIN)
    session = preview(client, document_path="undone.json", instruction=THREE)
    made = apply(client, session)
    written = file.read_text()
    client.call("undo_change", {"id": made["operation_id"]})
    assert file.read_text() == PLAIN
    again = apply(client, session)
    assert again["operation_id"] != made["operation_id"]
    assert file.read_text() == written


@pytest.mark.requirement("json-partial-success")
def test_what_the_format_cannot_hold_is_left_out_and_the_rest_applied(
    editor: tuple[Client, Path],
) -> None:
    client, folder = editor
    file = folder / "c.toml"
    file.write_text("a = 1\nb = 2\n")
    operations = [
        {"op": "replace", "path": "/a", "value": None},
        {"op": "replace", "path": "/b", "value": 7},
    ]
    session = preview(client, document_path="c.toml", instruction=json.dumps(operations))
    for attempt in ("first", "again"):
        answer = apply(client, session)
        assert answer["status"] == "partial_success", attempt
        assert [c["id"] for c in answer["applied_changes"]] == ["change_002"]
        assert "could not apply change_001 (TOML has no null)" in answer["message"]
        assert answer["modified_document"] == {"a": 1, "b": 7}
    assert file.read_text() == "a = 1\nb = 7\n"
    assert apply(client, session, "change_001")["error"]["code"] == "PROCESSING_ERROR"


@pytest.mark.requirement("json-apply-dry-run")
def test_a_dry_run_of_apply_shows_the_document_and_changes_nothing(
    editor: tuple[Client, Path],
) -> None:
    client, folder = editor
    file = folder / "dry.json"
    file.write_text(PLAIN)
    session = preview(client, document_path="dry.json", instruction=THREE)
    shown = apply(client, session, dry_run=True)
    assert shown["message"] == "Dry run, nothing was written: would apply 3 changes"
    assert "operation_id" not in shown
    assert file.read_text() == PLAIN
    made = apply(client, session)
    assert made["modified_document"] == shown["modified_document"]
    assert made["document_hash"] == shown["document_hash"]
    assert "already" not in made["message"]
    inline = preview(client, document={"a": 1}, instruction="/a = 2")
    assert apply(client, inline, dryRun=True)["modified_document"] == {"a": 2}
    assert "already" not in apply(client, inline)["message"]


@pytest.mark.requirement("json-request-id")
def test_no_two_failures_have_the_same_request_id(editor: tuple[Client, Path]) -> None:
    client, folder = editor
    found = set()
    with connect(client.transport, ["--tools", "json"], cwd=folder) as other:
        # The second client begins to count its requests anew.
        for each in (client, other):
            for _ in range(8):
                error = apply(each, "sess_0")["error"]
                found.add(error["data"]["debug_info"]["request_id"])
    assert len(found) == 16
    assert all(name.startswith("req_") for name in found)


@pytest.mark.requirement("json-input-schema")
def test_the_listing_requires_a_document_and_calls_may_name_a_file(
    editor: tuple[Client, Path],
) -> None:
    client, folder = editor
    listed = {tool["name"]: tool["inputSchema"] for tool in client.list_tools()}
    assert listed["json_editor_preview"]["required"] == ["document", "instruction"]
    assert listed["json_editor_apply"]["required"] == ["session_id"]
    (folder / "named.json").write_text(PLAIN)
    for more in ({}, {"document": {}}, {"document": []}):
        named: Json = {"document_path": "named.json", **more}
        assert preview(client, instruction="set b to 3", **named)
    both = {"document": {"b": 1}, "document_path": "named.json", "instruction": "set b to 3"}
    blank = {"document": {"b": 1}, "instruction": " "}
    for refused in (both, blank, {"instruction": "set b to 3"}):
        result = client.call("json_editor_preview", refused)["result"]
        assert result["isError"] is True
        assert result["structuredContent"]["error"]["code"] == "INVALID_INPUT"
