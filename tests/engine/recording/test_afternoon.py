"""A short afternoon of changes beside Redline; the long one is a program of its own."""

from __future__ import annotations

import pytest

from tests.engine.recording.afternoon import spend
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
