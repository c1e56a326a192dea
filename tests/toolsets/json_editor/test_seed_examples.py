"""The published examples, over both transports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.wire.client import Client, connect

CONTACT = {"name": "John Doe", "age": 30, "email": "john@example.com"}
USERS = {
    "users": [
        {
            "id": 1,
            "profile": {
                "name": "Alice Smith",
                "settings": {"theme": "dark", "notifications": True},
            },
        },
        {
            "id": 2,
            "profile": {
                "name": "Bob Johnson",
                "settings": {"theme": "light", "notifications": False},
            },
        },
    ]
}
PRODUCTS = {
    "products": [
        {"name": "Widget A", "price": 10.99},
        {"name": "Widget B", "price": 15.99},
        {"name": "Gadget C", "price": 25.99},
    ]
}
SEEN = ("id", "path", "current_value", "proposed_value", "confidence")


@pytest.fixture(scope="module", params=["stdio", "http"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("examples")
    with connect(str(request.param), ["--tools", "json"], cwd=folder) as connected:
        yield connected


def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = client.call(tool, arguments)["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    body: dict[str, Any] = result["structuredContent"]
    return body


def preview(client: Client, document: Any, instruction: str) -> dict[str, Any]:
    return ask(client, "json_editor_preview", document=document, instruction=instruction)


def shown(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: change[name] for name in SEEN} for change in reply["changes"]]


@pytest.mark.requirement("json-simple-update")
def test_a_simple_field_update_is_previewed_and_applied(client: Client) -> None:
    reply = preview(client, CONTACT, "Update the email to john.doe@newcompany.com")
    assert re.fullmatch(r"sess_[a-zA-Z0-9]+", reply["session_id"])
    assert shown(reply) == [
        {
            "id": "change_001",
            "path": ["email"],
            "current_value": "john@example.com",
            "proposed_value": "john.doe@newcompany.com",
            "confidence": 1.0,
        }
    ]
    assert (reply["message"], reply["status"]) == ("Found 1 change to apply", "success")
    assert "suggestions" not in reply

    applied = ask(client, "json_editor_apply", session_id=reply["session_id"])
    assert applied["modified_document"] == {**CONTACT, "email": "john.doe@newcompany.com"}
    assert list(applied["modified_document"]) == ["name", "age", "email"]
    [change] = applied["applied_changes"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", change["applied_at"])
    assert (change["id"], change["path"]) == ("change_001", ["email"])
    assert change["old_value"] == "john@example.com"
    assert change["new_value"] == "john.doe@newcompany.com"
    assert applied["message"] == "Successfully applied 1 change"
    assert applied["status"] == "success"


@pytest.mark.requirement("json-nested-update")
def test_two_clauses_change_two_nested_settings(client: Client) -> None:
    wanted = "Change Alice's theme to light and enable Bob's notifications"
    reply = preview(client, USERS, wanted)
    assert shown(reply) == [
        {
            "id": "change_001",
            "path": ["users", "0", "profile", "settings", "theme"],
            "current_value": "dark",
            "proposed_value": "light",
            "confidence": 1.0,
        },
        {
            "id": "change_002",
            "path": ["users", "1", "profile", "settings", "notifications"],
            "current_value": "false",
            "proposed_value": "true",
            "confidence": 1.0,
        },
    ]
    assert (reply["message"], reply["status"]) == ("Found 2 changes to apply", "success")


@pytest.mark.requirement("json-ambiguous")
def test_an_ambiguous_instruction_gets_suggestions(client: Client) -> None:
    reply = preview(client, PRODUCTS, "Update the price")
    assert reply["changes"] == []
    assert reply["message"].startswith('Instruction is ambiguous - multiple "price" fields found')
    assert reply["status"] == "ambiguous"
    assert reply["suggestions"] == [
        "/products/0/price = 10.99",
        "/products/1/price = 15.99",
        "/products/2/price = 25.99",
    ]


@pytest.mark.requirement("json-suggestions-work")
def test_the_suggested_instructions_work_when_sent_back(client: Client) -> None:
    suggested = preview(client, PRODUCTS, "Update the price to 12.99")["suggestions"]
    found = [preview(client, PRODUCTS, text)["changes"] for text in suggested]
    assert [[(c["path"][1], c["proposed_value"]) for c in changes] for changes in found] == [
        [("0", "12.99")],
        [("1", "12.99")],
        [("2", "12.99")],
    ]


@pytest.mark.requirement("json-error-object")
def test_a_document_that_is_a_string_is_refused_with_the_error_object(client: Client) -> None:
    reply = client.call(
        "json_editor_preview",
        {"document": "invalid json string", "instruction": "Update something"},
    )["result"]
    assert reply["isError"] is True
    error = reply["structuredContent"]["error"]
    debug = error["data"].pop("debug_info")
    assert debug["request_id"].startswith("req_")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", debug["timestamp"])
    assert error == {
        "code": "INVALID_INPUT",
        "message": "Document must be a valid JSON object",
        "data": {
            "error_type": "validation",
            "details": {"field": "document", "reason": "Expected object, received string"},
            "suggestions": [
                "Ensure the document parameter contains a valid JSON object",
                "Check that the JSON is properly formatted",
            ],
        },
    }
