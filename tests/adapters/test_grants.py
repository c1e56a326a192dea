"""A grant covers what a person agreed to, for as long as they agreed to it, and nothing else."""

from __future__ import annotations

from typing import Any

from redline.adapters.session_memory import MemoryGrants
from redline.core.ports.session_memory import Grant


def _grant(**changes: Any) -> Grant:
    facts: dict[str, Any] = {
        "id": "g1",
        "owner": "me",
        "tool": "exec_command",
        "permission": "network",
        "scope": "once",
        "expires_at": 100.0,
        "digest": "a",
    }
    return Grant(**{**facts, **changes})


def test_a_grant_for_once_covers_one_call_with_that_hash() -> None:
    grants = MemoryGrants(clock=lambda: 0.0)
    grants.add(_grant())
    assert grants.consume("me", "exec_command", "network", "b") is None
    assert grants.consume("me", "exec_command", "network", "a") == _grant()
    assert grants.consume("me", "exec_command", "network", "a") is None


def test_a_session_grant_covers_that_call_again_until_it_ends() -> None:
    now = [0.0]
    grants = MemoryGrants(clock=lambda: now[0])
    grants.add(_grant(scope="session"))
    for _ in range(2):
        assert grants.consume("me", "exec_command", "network", "a")
    assert grants.consume("me", "exec_command", "network", "b") is None
    now[0] = 100.0
    assert grants.consume("me", "exec_command", "network", "a") is None


def test_nobody_else_and_nothing_else_is_covered() -> None:
    grants = MemoryGrants(clock=lambda: 0.0)
    grants.add(_grant(scope="session"))
    assert grants.consume("you", "exec_command", "network", "a") is None
    assert grants.consume("me", "apply_patch", "network", "a") is None
    assert grants.consume("me", "exec_command", "destructive_command", "a") is None
