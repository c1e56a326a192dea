"""No copy of a large file creeps in on the way from a call to the disk and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.large_edits import measure
from bench.measure import Report

# Its bytes before and after; a copy without comments; the text that is searched.
MOST = {"json": 2.5, "one line.json": 2.5, "jsonc": 3.5, "yaml": 2.9, "toml": 2.9, "txt": 3.3}
SIZES = {"json": 20, "one line.json": 20, "jsonc": 8, "yaml": 4, "toml": 4, "txt": 20}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
@pytest.mark.parametrize("form", SIZES)
def test_an_edit_of_a_large_file_takes_a_few_times_its_size(form: str) -> None:
    report = Report("memory")
    measure(report, form, SIZES[form] * 1_000_000)
    times = {
        row.task.rpartition(", ")[2]: row.rss_mb * 1.048576 / SIZES[form] for row in report.rows
    }
    assert set(times) == {"dry run", "edit", "undo"}
    assert 1 < times["edit"] <= MOST[form], times
    assert 1 < times["dry run"] <= MOST[form], times
    assert times["undo"] <= 3.5, times
