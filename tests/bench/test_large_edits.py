"""No copy of a large file creeps in on the way from a call to the disk and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.library.measure import Report
from bench.programs.large_edits import edit_of, measure, measure_write
from tests.wire.client import connect

# Its bytes before and after; of JSON with comments also a copy without them, of YAML and TOML the
# messages to and from the worker that parses them.
MOST = {"jsonc": 3.5, "yaml": 4.1, "toml": 4.1}
SIZES = {
    "json": 20,
    "one line.json": 20,
    "jsonc": 8,
    "yaml": 4,
    "toml": 4,
    "txt": 20,
    "patched txt": 20,
}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
@pytest.mark.parametrize("form", SIZES)
def test_an_edit_of_a_large_file_takes_a_few_times_its_size(form: str) -> None:
    report = Report("memory")
    measure(report, form, SIZES[form] * 1_000_000)
    times = {
        row.task.rpartition(", ")[2]: row.rss_mb * 1.048576 / SIZES[form] for row in report.rows
    }
    assert set(times) == {"dry run", "edit", "undo"}
    assert 1 < times["edit"] <= MOST.get(form, 2.8), times
    assert 1 < times["dry run"] <= MOST.get(form, 2.8), times
    assert times["undo"] <= 3.5, times


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_writing_a_large_file_takes_a_few_times_its_size() -> None:
    report = Report("memory")
    measure_write(report, 20_000_000)
    new, over = (row.rss_mb * 1.048576 / 20 for row in report.rows)
    # Over a file of this size, what it held is compared with what it will hold.
    assert 1 < new <= 3.6, new
    assert 1 < over <= 4.8, over


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_over_http_neither_the_message_nor_its_text_is_kept_while_a_file_is_written(
    tmp_path: Path,
) -> None:
    size, proc = 20_000_000, Path("/proc")
    text = edit_of("txt", size).content.decode()
    with connect("http", ["--tools", "files", "--max-body", "64MB"], cwd=tmp_path) as client:
        status = proc / str(client.process.pid) / "status"

        def memory(name: str) -> int:
            lines = status.read_text().splitlines()
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))

        grown = 0.0
        for content in ("warm", "old" + text, "new" + text):
            status.with_name("clear_refs").write_text("5")  # the peak starts anew
            before = memory("VmRSS")
            client.call("write_file", {"path": str(tmp_path / "a.txt"), "content": content})
            grown = (memory("VmHWM") - before) / size
    # Reading it takes as much: the message, the decoder's copy of it, and the text.
    assert 1 < grown <= 3.4, grown
