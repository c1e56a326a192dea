"""Mutated sources of all grammars are served; the long form is `tests.crashes.through_server`."""

from __future__ import annotations

import sys

import pytest

from tests.crashes.through_server import run
from tests.support import LONG


@pytest.mark.requirement("parsers-die-alone")
@pytest.mark.skipif(sys.platform == "win32", reason="ends the server by signal")
def test_mutated_files_are_served_and_the_server_ends_in_time() -> None:
    report = run(1_000_000 if LONG else 60, seed="short", batch=100 if LONG else 30)
    assert report.problems == []
    assert report.files >= 60
    assert report.latest_ping < 1.0  # promised are 0.1 s; without the time spent in a queue
    assert report.end_seconds < 5
