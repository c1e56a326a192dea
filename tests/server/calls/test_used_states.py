"""Sealed states are good once, in time, and nobody's use costs another's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from redline.server.calls.elicitation.sealed_states import UsedStates


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_state_is_good_once_and_in_time() -> None:
    spent = UsedStates()
    assert spent.take("ann", "n1", expires=10, now=9)
    assert not spent.take("ann", "n1", expires=10, now=9)
    assert not spent.take("ann", "n2", expires=10, now=11)


def test_of_many_that_come_with_one_state_one_is_served(hurried: None) -> None:
    spent = UsedStates()
    with ThreadPoolExecutor(8) as pool:
        for number in range(300):
            tries = [pool.submit(spent.take, "ann", f"n{number}", 10, 9) for _ in range(8)]
            assert sum(each.result() for each in tries) == 1


def test_a_used_state_stays_used_however_many_follow() -> None:
    spent = UsedStates()
    assert spent.take("ann", "first", expires=1000, now=1)
    for number in range(20_000):
        assert spent.take("ann", f"n{number}", expires=1001 + number, now=1)
    assert not spent.take("ann", "first", expires=1000, now=1)
    assert all(not spent.take("ann", f"n{n}", 1001 + n, 1) for n in range(0, 20_000, 97))
    assert sum(map(len, spent._used.values())) <= 4097, "and it does not grow for ever"


def test_whoever_uses_many_spends_no_other_ones() -> None:
    spent = UsedStates()
    for number in range(10_000):
        spent.take("ann", f"n{number}", expires=1001 + number, now=1)
    assert spent.take("bob", "old", expires=1000, now=1)


def test_what_has_expired_is_not_kept() -> None:
    spent = UsedStates()
    for number in range(4096):
        spent.take("ann", f"n{number}", expires=10, now=1)
    spent.take("bob", "one", expires=10, now=1)
    assert spent.take("ann", "late", expires=30, now=20)
    assert spent._used == {"ann": {"late": 30}}
