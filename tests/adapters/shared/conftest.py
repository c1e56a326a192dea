"""A group of its own in one real Redis, for each test."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from redline.adapters.shared import GroupStore
from tests.adapters.previews.redis_server import RedisServer

SECRET = b"s" * 32


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def store(redis: RedisServer) -> Iterator[GroupStore]:
    found = GroupStore(redis.url, secrets.token_hex(6), SECRET)
    yield found
    found.redis.close()
