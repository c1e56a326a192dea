"""Headers of the stateless era are judged as the official SDK judges them."""

from __future__ import annotations

import base64
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.inbound import (
    InboundLadderRejection,
    classify_inbound_request,
    decode_header_value,
    encode_header_value,
    validate_mcp_param_headers,
)

from redline.server.calls.catalog import Catalog
from redline.server.calls.tool_server import ToolServer
from redline.server.conversation import Conversation
from redline.server.http.header_rules import (
    check_arguments,
    check_headers,
    decode_header,
    marked_arguments,
    status_of,
)
from redline.server.http.request import headers_of
from redline.server.rpc.messages import Channel, Refusal
from redline.toolsets.tool import READS, Json, Tool, Toolset
from tests.support import LONG

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ECHO = Tool("echo", "Echo", "Echoes.", {"type": "object"}, "m:f", READS)
SERVER = ToolServer(Catalog([Toolset("test", "Test", (ECHO,), "m:w")]), cast(Any, None))
UNKNOWN_METHOD = -32601

versions = st.sampled_from(["2026-07-28", "2025-11-25", "2031-01-01", ""]) | st.none()
methods = st.sampled_from(["tools/list", "tools/call", "server/discover", "prompts/get", "x"])
names = st.sampled_from(["echo", "caf\u00e9", " echo", "=?base64?ZWNobw==?="]) | st.none()
metas = st.fixed_dictionaries(
    {}, optional={VERSION: versions | st.just(3), CAPABILITIES: st.just({})}
)


def by_us(message: Json, headers: dict[str, str]) -> int | None:
    """The code we refuse with before anything is looked up; None when the request goes on."""
    try:
        check_headers(message, headers)
    except Refusal as refusal:
        return refusal.code
    replies: list[Any] = []
    talk = Conversation(SERVER, lambda _job, _size: None, modern=True)
    talk.receive(message, b"", Channel(replies.append, replies.append))
    code = replies[0].get("error", {}).get("code") if replies else None
    return None if code == UNKNOWN_METHOD else code


@given(
    methods, metas | st.none(), names, versions, methods | st.none(),
    names.map(lambda name: None if name is None else encode_header_value(name)),
)  # fmt: skip
@settings(max_examples=400 if LONG else 150)
def test_a_request_is_refused_with_the_code_of_the_official_sdk(
    method: str, meta: Json | None, name: str | None, version: str | None, said: str | None,
    named: str | None,
) -> None:  # fmt: skip
    params: Json = {} if meta is None else {"_meta": meta}
    if name is not None:
        params["name"] = name
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    given_headers = {"mcp-protocol-version": version, "mcp-method": said, "mcp-name": named}
    headers = {key: value for key, value in given_headers.items() if value is not None}
    verdict = classify_inbound_request(message, headers=headers)
    theirs = verdict.code if isinstance(verdict, InboundLadderRejection) else None
    assert by_us(message, headers) == theirs


def test_a_request_that_says_the_same_in_both_places_goes_on() -> None:
    meta = {VERSION: "2026-07-28", CAPABILITIES: {}}
    params = {"name": "caf\u00e9", "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
    headers["mcp-name"] = encode_header_value("caf\u00e9")
    assert by_us(message, headers) is None
    assert by_us(message, {**headers, "mcp-name": "caf"}) == -32020


SCHEMA: Json = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "inner": {
            "type": "object",
            "properties": {"deep": {"type": "string", "x-mcp-header": "Deep"}},
        },
        "plain": {"type": "string"},
    },
}
values = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.integers(2**60, 2**70)
    | st.sampled_from([1.0, 2.5, -0.0, 1e20, "1", "true", "eu", "\u00e9", " x", ["a"], {"a": 1}])
)  # fmt: skip
written = (
    values.map(lambda value: encode_header_value(str(value)))
    | st.sampled_from(["true", "false", "1", "1.0", "01", "-0", "1e20", "=?base64?!?=", "9" * 5000])
)  # fmt: skip


@given(
    st.fixed_dictionaries(
        {}, optional={"region": values, "count": values, "dry": values, "plain": values,
                      "inner": st.none() | st.fixed_dictionaries({}, optional={"deep": values})},
    ),
    st.fixed_dictionaries(
        {}, optional={f"mcp-param-{n}": written for n in ("region", "count", "dry", "deep", "x")}
    ),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=600 if LONG else 200)
def test_arguments_repeated_as_headers_are_compared_as_the_official_sdk_does(
    arguments: Json, headers: dict[str, str], agrees: bool
) -> None:
    if agrees:  # else nearly every example would be a refusal
        for path, token, _ in marked_arguments(SCHEMA):
            value: Any = arguments
            for part in path:
                value = value.get(part) if isinstance(value, dict) else None
            headers.pop(f"mcp-param-{token.lower()}", None)
            if isinstance(value, bool):
                headers[f"mcp-param-{token.lower()}"] = str(value).lower()
            elif isinstance(value, str | int | float):
                headers[f"mcp-param-{token.lower()}"] = encode_header_value(str(value))
    theirs = validate_mcp_param_headers(SCHEMA, arguments, headers)
    ours = None
    try:
        check_arguments(marked_arguments(SCHEMA), arguments, headers)
    except Refusal as refusal:
        ours = refusal.code
    assert ours == (None if theirs is None else theirs.code), theirs


@given(st.text(max_size=12) | st.binary(max_size=12).map(lambda b: base64.b64encode(b).decode()))
@settings(max_examples=200)
def test_a_header_that_is_encoded_is_read_as_the_official_sdk_reads_it(text: str) -> None:
    for value in (text, encode_header_value(text), f"=?base64?{text}?=", f"=?base64?{text}=?="):
        try:
            theirs = decode_header_value(value)
        except ValueError:  # beyond ASCII it forgets to look
            theirs = None
        assert decode_header(value) == theirs


def test_none_of_our_own_tools_asks_for_headers() -> None:
    from redline.server.calls.catalog import load_toolsets

    tools = [tool for toolset in load_toolsets(["all"]) for tool in toolset.tools]
    assert len(tools) > 30
    assert [tool.name for tool in tools if marked_arguments(tool.input_schema)] == []


@pytest.mark.parametrize(
    "name", ["mcp-method", "mcp-name", "mcp-session-id", "mcp-param-x", "host"]
)
def test_a_header_that_decides_something_counts_only_when_it_is_there_once(name: str) -> None:
    twice = {"headers": [(name.encode(), b"same"), (name.encode(), b"same")]}
    assert headers_of(twice)[name] != "same"
    assert headers_of({"headers": [(name.encode(), b"same")]})[name] == "same"


@pytest.mark.parametrize(
    ("code", "status"),
    [(-32700, 400), (-32600, 400), (-32601, 404), (-32602, 400), (-32603, 200), (-32020, 400),
     (-32021, 400), (-32022, 400)],
)  # fmt: skip
def test_an_error_has_the_status_of_the_specification(code: int, status: int) -> None:
    from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS

    assert status_of({"error": {"code": code, "message": ""}}) == status
    assert ERROR_CODE_HTTP_STATUS.get(code, 200) == status
    assert status_of({"result": {}}) == 200
