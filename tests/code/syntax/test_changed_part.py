"""The part of a large file whose syntax is checked after an edit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.syntax.changed_part import MIN_LINES, changed_part
from redline.code.syntax.languages import BY_NAME
from redline.core.errors import ParserFailed

PIECE = "def f{0}(a):\n    b = a + {0}\n\n    return b\n\n"
LARGE = "".join(PIECE.format(number) for number in range(MIN_LINES // 5 + 10))


@pytest.fixture(scope="module")
def analysis() -> Iterator[IsolatedAnalysis]:
    workers = IsolatedCalls()
    yield IsolatedAnalysis(workers, FailedContent("/dev/null"))
    workers.close()


def test_a_small_file_is_taken_as_a_whole() -> None:
    assert changed_part("a = 1\n", "a = 2\n") is None


def test_the_part_is_the_piece_around_the_change() -> None:
    part = changed_part(LARGE, LARGE.replace("a + 700\n", "a - 700\n"))
    assert part is not None
    assert part.old == PIECE.format(700).removesuffix("\n")
    assert part.new == part.old.replace("+", "-")
    assert part.skipped == 700 * 5


def test_pieces_that_are_added_or_removed_are_in_the_part() -> None:
    added = changed_part(LARGE, LARGE.replace("def f9(", "def new(): ...\n\ndef f9("))
    assert added is not None
    assert "def new()" in added.new
    assert "def new()" not in added.old
    removed = changed_part(LARGE, LARGE.replace(PIECE.format(9), ""))
    assert removed is not None
    assert "def f9(" in removed.old
    assert "def f9(" not in removed.new


def test_a_file_without_blank_lines_is_cut_between_statements() -> None:
    flat = "".join(f"a{number} = {number}\n" for number in range(MIN_LINES + 10))
    part = changed_part(flat, flat.replace("a700 = 700\n", "b = 1\nc = 2\n"))
    assert part is not None
    assert part.old == "a699 = 699\na700 = 700"
    assert part.new == "a699 = 699\nb = 1\nc = 2"
    chained = flat.replace("a699 = 699\n", "if x:\n    y()\nelse:\n    z()\n")
    part = changed_part(chained, chained.replace("a700 = 700", "b = 1"))
    assert part is not None
    assert part.old.startswith("if x:")


def test_a_large_file_that_cannot_be_cut_is_parsed_only_at_any_cost(
    analysis: IsolatedAnalysis,
) -> None:
    whole = "a = [\n" + "    1,\n" * 50_010 + "]\n"
    wrong = whole.replace("    1,\n]", "    (1,\n]")
    with pytest.raises(ParserFailed, match="too large"):
        analysis.introduced_issues(whole, wrong, BY_NAME["python"], at_any_cost=False)
    assert analysis.introduced_issues(whole, wrong, BY_NAME["python"])


def test_the_body_of_a_definition_in_a_large_file_is_found(analysis: IsolatedAnalysis) -> None:
    (body,) = analysis.bodies(LARGE, BY_NAME["python"], "f700").values()
    assert body is not None
    assert LARGE[body.start : body.end] == "b = a + 700\n\n    return b"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a + 700\n", "a + (700\n"),
        ("    b = a + 700\n", "  b = a + 700\n\t\tc = 1\n"),
        ("def f700(a):\n", "def f700(a:\n"),
        ("    b = a + 700\n", "    b = '''\n"),
        ("def f0(a)", "def f0(a"),
        (PIECE.format(4009), "def g(:\n"),
    ],
)
def test_an_error_in_a_large_file_is_found_where_it_is(
    analysis: IsolatedAnalysis, old: str, new: str
) -> None:
    assert LARGE.count(old) == 1
    after = LARGE.replace(old, new)
    found = analysis.introduced_issues(LARGE, after, BY_NAME["python"])
    changed = LARGE[: LARGE.index(old)].count("\n") + 1
    assert found
    assert changed - 1 <= found[0].line <= changed + 8


def test_an_old_error_beside_the_change_is_not_reported(analysis: IsolatedAnalysis) -> None:
    broken = LARGE.replace("a + 700\n", "a + (700\n")
    after = broken.replace("def f700(a)", "def f700(a, c)")
    assert analysis.introduced_issues(broken, after, BY_NAME["python"]) == []
