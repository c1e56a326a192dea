"""A short afternoon of changes beside Redline, and a recorder killed at random moments."""

from __future__ import annotations

import pytest

from tests.recorder.afternoon import spend
from tests.recorder.kills import survive
from tests.support import LONG


@pytest.mark.requirement("recorder-afternoon")
def test_every_state_of_every_file_is_in_the_history_on_the_right_side() -> None:
    verdict = spend(2000 if LONG else 60, seed=7)
    assert min(verdict.sides[side] for side in ("redline", "person", "agent")) > 0
    assert verdict.gaps == []
    assert verdict.wrong_side == []
    assert verdict.lost == []
    assert verdict.not_undone == []
    assert verdict.limits == []


@pytest.mark.requirement("recorder-restart")
def test_a_recorder_killed_at_any_moment_leaves_no_gap_and_records_what_it_missed_at_once() -> None:
    toll = survive(100 if LONG else 4, seed=7)
    assert toll.gaps == []
    assert toll.mistaken == []
    assert 0 < toll.missed <= toll.kills + 1
