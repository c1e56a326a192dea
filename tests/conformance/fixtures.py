"""The tools, prompts and resources the official conformance suite asks for, on the real stack.

Switched on by REDLINE_TEST_TOOLSET. Redline offers no sampling and no subscriptions:
baseline-*.yml lists what follows from that.
"""

from __future__ import annotations

import json
import threading

from redline.core.errors import PermissionRequired, RedlineError
from redline.toolsets.call import Call, FailedCall, Question, Result, RpcFailure
from redline.toolsets.tool import (
    READS,
    Json,
    Prompt,
    PromptArgument,
    Resource,
    Tool,
    Toolset,
)

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAA"
    "AABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


def test_simple_text(call: Call) -> Result:
    return Result.of_text("This is a simple text response for testing.")


def _image() -> Json:
    return {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def _resource(uri: str, mime: str, text: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}


def test_image_content(call: Call) -> Result:
    return Result([_image()])


def test_audio_content(call: Call) -> Result:
    return Result([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}])


def test_embedded_resource(call: Call) -> Result:
    return Result([_resource("test://embedded-resource", "text/plain", "Embedded text.")])


def test_multiple_content_types(call: Call) -> Result:
    data = _resource("test://mixed-content-resource", "application/json", '{"test":"data"}')
    return Result([{"type": "text", "text": "Multiple content types test:"}, _image(), data])


def test_error_handling(call: Call) -> Result:
    raise RedlineError("This tool intentionally returns an error for testing")


def test_tool_with_progress(call: Call) -> Result:
    for done in (0, 50, 100):
        call.progress(done, 100, "")
        threading.Event().wait(0.05)
    return Result.of_text("done")


def test_logging_tool(call: Call) -> Result:
    call.log("info", "Logged where the request asks for it")
    return Result.of_text("logged")


def test_tool_with_logging(call: Call) -> Result:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        call.log("info", message)
        threading.Event().wait(0.05)
    return Result.of_text("logged")


def test_missing_capability(call: Call) -> Result:
    if "sampling" not in call.client.capabilities:
        raise PermissionRequired("The client must support sampling", permission="sampling")
    return Result.of_text("supported")


def json_schema_2020_12_tool(call: Call) -> Result:
    return Result.of_text("valid")


def test_custom_headers(call: Call) -> Result:
    return Result.of_text(call.arguments["region"])


def _ask(call: Call, message: str, properties: Json, key: str = "answer") -> Result:
    if call.ask is None:
        return Result.of_text("This client cannot be asked", is_error=True)
    form = {"type": "object", "properties": properties, "required": list(properties)}
    answer = call.ask(Question(message, form, key))
    said = json.dumps(dict(answer.content))
    return Result.of_text(f"Elicitation completed: action={answer.action}, content={said}")


def test_elicitation(call: Call) -> Result:
    text = {"type": "string", "description": "User's response"}
    return _ask(call, call.arguments["message"], {"username": text, "email": text})


def test_elicitation_sep1034_defaults(call: Call) -> Result:
    properties: Json = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"],
                   "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }  # fmt: skip
    return _ask(call, "Please review", properties)


def test_elicitation_sep1330_enums(call: Call) -> Result:
    plain = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
    properties: Json = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                       "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }  # fmt: skip
    return _ask(call, "Please choose", properties)


def test_input_required_result_elicitation(call: Call) -> Result:
    return _ask(call, "What is your name?", {"name": {"type": "string"}}, "user_name")


def test_streaming_elicitation(call: Call) -> Result:
    return _ask(call, "What is your name?", {"name": {"type": "string"}}, "user_name")


def test_input_required_result_capabilities(call: Call) -> Result:
    return _ask(call, "What is your name?", {"name": {"type": "string"}}, "user_name")


def test_input_required_result_request_state(call: Call) -> Result:
    answered = _ask(call, "Please confirm", {"ok": {"type": "boolean"}}, "confirm")
    return Result.of_text(f"state-ok {answered.content[0]['text']}")


def test_input_required_result_tampered_state(call: Call) -> Result:
    return _ask(call, "Please confirm", {"ok": {"type": "boolean"}}, "confirm")


def test_input_required_result_multi_round(call: Call) -> Result:
    _ask(call, "Step 1: What is your name?", {"name": {"type": "string"}}, "step1")
    return _ask(call, "Step 2: Favourite colour?", {"color": {"type": "string"}}, "step2")


def test_simple_prompt(call: Call) -> Result:
    return Result.of_text("This is a simple prompt for testing.")


def test_prompt_with_arguments(call: Call) -> Result:
    given = call.arguments
    return Result.of_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")


def test_prompt_with_embedded_resource(call: Call) -> Result:
    text = _resource(call.arguments["resourceUri"], "text/plain", "Embedded resource content.")
    return Result([text, {"type": "text", "text": "Please process the embedded resource above."}])


def test_prompt_with_image(call: Call) -> Result:
    return Result([_image(), {"type": "text", "text": "Please analyze the image above."}])


def test_input_required_result_prompt(call: Call) -> Result:
    return _ask(call, "What context should I use?", {"context": {"type": "string"}}, "user_input")


def complete_argument(call: Call) -> list[str]:
    return [call.arguments["arg1"] + "ing"]


def static_text(call: Call) -> Result:
    return Result.of_text("This is the content of the static text resource.")


def static_binary(call: Call) -> Result:
    return Result([_image()])


def template_data(call: Call) -> Result:
    found = {"id": call.arguments["id"], "templateTest": True}
    return Result.of_text(json.dumps({**found, "data": f"Data for ID: {call.arguments['id']}"}))


def wording(error: RedlineError, call: FailedCall) -> Result | RpcFailure:
    """A missing capability has its own code; everything else is an isError result."""
    if isinstance(error, PermissionRequired):
        return RpcFailure(-32021, error.text, {"requiredCapabilities": {error.permission: {}}})
    return Result.of_text(error.text, is_error=True)


_SCHEMA_2020: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_TEXT: Json = {"type": "string"}
_SCHEMAS: dict[str, Json] = {
    "json_schema_2020_12_tool": _SCHEMA_2020,
    "test_elicitation": {
        "type": "object",
        "properties": {"message": _TEXT},
        "required": ["message"],
    },
    "test_custom_headers": {
        "type": "object",
        "properties": {"region": {**_TEXT, "x-mcp-header": "Region"}, "query": _TEXT},
        "required": ["region"],
    },
}
_NAMES = (
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_logging_tool",
    "test_tool_with_logging",
    "test_missing_capability",
    "json_schema_2020_12_tool",
    "test_custom_headers",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_input_required_result_elicitation",
    "test_streaming_elicitation",
    "test_input_required_result_capabilities",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multi_round",
)


def _tool(name: str) -> Tool:
    return Tool(
        name=name,
        title=name.replace("_", " "),
        description=f"Conformance fixture {name}.",
        input_schema=_SCHEMAS.get(name, {"type": "object", "properties": {}}),
        handler=f"tests.conformance.fixtures:{name}",
        hints=READS,
    )


def _prompt(name: str, *arguments: str, completer: str | None = None) -> Prompt:
    return Prompt(
        name=name,
        title=name.replace("_", " "),
        description=f"Conformance fixture {name}.",
        handler=f"tests.conformance.fixtures:{name}",
        arguments=tuple(PromptArgument(each, "A text.", True, completer) for each in arguments),
    )


def _offer(uri: str, name: str, mime: str) -> Resource:
    handler = f"tests.conformance.fixtures:{name}"
    return Resource(uri, name, name, f"Conformance fixture {name}.", mime, handler)


TOOLSET = Toolset(
    name="fixtures",
    title="Conformance fixtures",
    prompts=(
        _prompt("test_simple_prompt"),
        _prompt(
            "test_prompt_with_arguments",
            "arg1",
            "arg2",
            completer="tests.conformance.fixtures:complete_argument",
        ),
        _prompt("test_prompt_with_embedded_resource", "resourceUri"),
        _prompt("test_prompt_with_image"),
        _prompt("test_input_required_result_prompt"),
    ),
    resources=(
        _offer("test://static-text", "static_text", "text/plain"),
        _offer("test://static-binary", "static_binary", "image/png"),
        _offer("test://template/{id}/data", "template_data", "application/json"),
    ),
    tools=tuple(_tool(name) for name in _NAMES),
    wording="tests.conformance.fixtures:wording",
)
