"""The standard library reads a message exactly as orjson does, or leaves it to orjson."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.server.rpc import wire

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", '"a"', '"\\n"', '"\\ud800"', "1", "-0", "01", "1e999", "1.5",
     "NaN", "-Infinity", "null", "true", " ", "\n", "\x00", "\x0b", "9" * 20, "'a'", "//"]
)  # fmt: skip


def agrees(data: bytes) -> None:
    plain = wire.decode_plain(data)
    if plain is None:
        return
    expected = orjson.loads(data)
    assert plain == expected
    assert repr(plain) == repr(expected), "types are the same too"


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.booleans())
@settings(max_examples=200)
def test_valid_messages_are_read_alike(message: dict[str, object], ascii_only: bool) -> None:
    agrees(json.dumps(message, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))


@given(st.lists(PIECES, max_size=8))
@settings(max_examples=300)
def test_text_that_may_not_be_json_is_read_alike_or_left_to_orjson(pieces: list[str]) -> None:
    agrees(('{"a":' + "".join(pieces) + "}").encode())


@pytest.mark.parametrize(
    "data",
    [
        b'{"id": 12345678901234567890}',
        b'{"id": -0}',
        b'{"a": 1e999}',
        b'{"a": 1.0}',
        b'{"a": NaN}',
        b'{"a": "\\ud800"}',
        b'{"method": "tools/call"}',
        b"[1]",
        b'{"a": "' + b"x" * 5000 + b'"}',
        b'{"a": ' + b"[" * 2000 + b"]" * 2000 + b"}",
        "{'a': 'é'}".encode(),
    ],
)
def test_anything_out_of_the_ordinary_is_left_to_orjson(data: bytes) -> None:
    assert wire.decode_plain(data) is None


def test_a_handshake_is_plain() -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    assert wire.decode_plain(json.dumps(request).encode()) == request
