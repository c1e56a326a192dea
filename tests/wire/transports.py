"""Tests over both transports; a `conftest.py` that imports these two names has them."""

from __future__ import annotations

from zlib import crc32

import pytest

from tests.support import LONG

TRANSPORTS = ("stdio", "http")


@pytest.fixture
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport in turn."""
    return str(request.param)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over both transports.

    Where every test of a tool starts a server, each takes one of the two, by turns: what the
    transports themselves do is shown elsewhere. The long mode takes both.
    """
    if "transport" in metafunc.fixturenames:
        taking_turns = getattr(metafunc.module, "TRANSPORTS_TAKE_TURNS", False) and not LONG
        first = crc32(metafunc.function.__name__.encode()) % 2
        chosen = TRANSPORTS[first : first + 1] if taking_turns else TRANSPORTS
        metafunc.parametrize("transport", chosen, indirect=True)
