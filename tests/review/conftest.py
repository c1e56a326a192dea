"""A person at a workspace of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.review.browser import open_browser
from tests.review.person import Person


# No longer than a module: while it runs, its event loop keeps other tests from having one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as found:
        yield found


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    found = Person(tmp_path)
    yield found
    found.close()
