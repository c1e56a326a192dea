"""Two server processes on one Redis."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.previews.redis_server import RedisServer
from tests.wire.client import connect

PREVIEW = {"document": {"a": 1}, "instruction": "set a to 2"}


@pytest.mark.redis
@pytest.mark.requirement("json-two-servers")
@pytest.mark.requirement("json-redis-error")
def test_a_preview_of_one_server_is_applied_by_another_and_redis_may_die(tmp_path: Path) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    args = ["--tools", "json", "--sessions", redis.url]
    try:
        with (
            connect("stdio", args, cwd=tmp_path) as one,
            connect("http", args, cwd=tmp_path) as two,
        ):
            held = one.call("json_editor_preview", PREVIEW)["result"]["structuredContent"]
            apply = {"session_id": held["session_id"]}
            reply = two.call("json_editor_apply", apply)["result"]["structuredContent"]
            assert reply["modified_document"] == {"a": 2}
            again = one.call("json_editor_apply", apply)["result"]["structuredContent"]
            assert "already applied" in again["message"]
            redis.stop()
            failed = one.call("json_editor_preview", PREVIEW)["result"]
            assert failed["structuredContent"]["error"]["code"] == "REDIS_CONNECTION_ERROR"
            failed = two.call("json_editor_apply", apply)["result"]
            assert failed["structuredContent"]["error"]["code"] == "REDIS_CONNECTION_ERROR"
            redis.start()
            held = one.call("json_editor_preview", PREVIEW)["result"]["structuredContent"]
            apply = {"session_id": held["session_id"]}
            reply = two.call("json_editor_apply", apply)["result"]["structuredContent"]
            assert reply["status"] == "success"
    finally:
        redis.stop()
