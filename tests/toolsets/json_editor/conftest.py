"""What every test of the json toolset shares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.toolsets.json_editor.desk import Desk


@pytest.fixture(autouse=True)
def close_desks() -> Iterator[None]:
    """End the worker processes that a test's desks started."""
    yield
    while Desk.open:
        Desk.open.pop().redline.close()
