"""The guards to try, and a registry to reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.adapters.egress.registry import Registry, serving
from tests.adapters.processes.ground import BACKENDS, require


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    require(request.param)
    return str(request.param)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving() as made:
        yield made
