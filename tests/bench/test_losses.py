"""What the performance page says of losses follows from the results alone."""

from __future__ import annotations

from typing import Any

from scripts.felt_figures import felt_section
from scripts.result_pages import losses, losses_section, results


def _row(who: str, cpu: float, wall: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"task": "t", "who": who, "cpu_ms": cpu, "p50_ms": wall, "note": "", **more}


def test_every_measure_in_which_a_peer_is_cheaper_is_a_loss() -> None:
    rows = [_row("redline", 4.0, 1.0), _row("peer", 2.0, 3.0), _row("other", 8.0, 0.5)]
    found = losses("page", rows)
    assert [round(times, 2) for times, _ in found] == [2.0, 2.0]
    assert "CPU ms | 4.00 | peer | 2.00 | 2.00" in found[0][1]
    assert "median ms | 1.00 | other | 0.50 | 2.00" in found[1][1]


def test_rows_of_ours_are_not_compared_with_each_other() -> None:
    assert losses("page", [_row("redline, a", 4.0), _row("redline, b", 2.0)]) == []


def test_tokens_over_the_better_peer_are_a_loss() -> None:
    rows = [_row("redline", 0, ratio=1.2), _row("peer", 0, ratio=1.0)]
    ((times, row),) = losses("page", rows)
    assert times == 1.2
    assert "tokens" in row


def test_missed_goals_are_named_even_where_no_peer_is_cheaper() -> None:
    body = {"rows": [_row("redline", 1.0), _row("peer", 2.0)], "facts": {"missed": ["too slow"]}}
    told = losses_section({"files": body})
    assert "Nowhere in these results" in told
    assert "- Toolset files: too slow" in told


def test_the_page_opens_with_ten_lines_from_the_results() -> None:
    assert len(felt_section(results()).splitlines()) == 10


def test_a_line_whose_program_was_not_run_is_left_out() -> None:
    found = results()
    del found["commit"]
    section = felt_section(found)
    assert "Undoing a change" not in section
    assert len(section.splitlines()) == 9
