"""Numbers reach the client as the document spells them, on both transports in both eras."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.wire.client import MODERN, HttpClient, connect

EXACT = b'"price":1.50,"big":12345678901234567890.12345678901234567890,"name":"b"'


@pytest.mark.requirement("json-exact-numbers")
@pytest.mark.parametrize("protocol", ["2025-11-25", MODERN])
@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "application/json"])
def test_structured_content_over_http_keeps_every_digit(
    accept: str, protocol: str, tmp_path: Path
) -> None:
    with connect("http", ["--tools", "json"], cwd=tmp_path, protocol=protocol) as client:
        assert isinstance(client, HttpClient)
        client.headers["Accept"] = accept
        document = EXACT.replace(b'"b"', b'"a"').decode()
        session = _structured(client, "json_editor_preview", '{"instruction":"Set name to b",'
                              f'"document":{{{document}}}}}')  # fmt: skip
        at = session.index(b'"session_id":"') + len(b'"session_id":"')
        name = session[at : session.index(b'"', at)].decode()
        answer = _structured(client, "json_editor_apply", f'{{"session_id":"{name}"}}')
        assert b'"modified_document":{' + EXACT + b"}" in answer


def _structured(client: HttpClient, tool: str, arguments: str) -> bytes:
    """The bytes of one answer behind the name of its structured content."""
    message = client._message("tools/call", {"name": tool, "arguments": {"@": 1}})
    body = json.dumps(message).replace('{"@": 1}', arguments).encode()
    headers = {"Mcp-Method": "tools/call", "Mcp-Name": tool} if client.protocol == MODERN else {}
    status, _, reply = client.post(body, headers)
    assert status == 200
    return reply[reply.index(b'"structuredContent"') :]
