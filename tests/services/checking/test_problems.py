"""What checkers print, read as problems; and which of them are new."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.services.checking import CheckerMessage, find_new, read_problems

PRINTED = {
    "ruff": (
        (
            "a.py:1:8: F401 [*] `os` imported but unused\n"
            "b.py:3:5: invalid-syntax: Expected an expression\n"
        ),
        [
            ("a.py", 1, "F401", "`os` imported but unused"),
            ("b.py", 3, "invalid-syntax", "Expected an expression"),
        ],
    ),
    "ruff format": (
        "error: Failed to parse a.py:1:4: Expected an expression\n",
        [("a.py", 1, "", "Expected an expression")],
    ),
    "mypy": (
        (
            'a.py:2: error: Name "x" is not defined  [name-defined]\n'
            "a.py:2: note: See the page\n"
            "a.py:9: error: invalid syntax\n"
        ),
        [("a.py", 2, "name-defined", 'Name "x" is not defined'), ("a.py", 9, "", "invalid syntax")],
    ),
    "tsc": (
        (
            "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
            "  The rest of the message.\n"
        ),
        [("src/a.ts", 3, "TS2322", "Type 'string' is not assignable to type 'number'.")],
    ),
    "prettier": (
        "[error] a.ts: SyntaxError: ';' expected. (1:7)\n[error] > 1 | let x y\n",
        [("a.ts", 1, "", "SyntaxError: ';' expected.")],
    ),
    "gofmt": (
        "a.go:3:1: expected declaration, found x\n",
        [("a.go", 3, "", "expected declaration, found x")],
    ),
    "rustfmt": (
        "error: expected one of `!` or `::`, found `x`\n --> /w/a.rs:3:5\n  |\n3 | fn x\n",
        [("/w/a.rs", 3, "", "expected one of `!` or `::`, found `x`")],
    ),
}


@pytest.mark.parametrize("tool", PRINTED)
@pytest.mark.requirement("agent-check-new-problems")
def test_what_a_tool_prints_is_read(tool: str) -> None:
    output, expected = PRINTED[tool]
    found = read_problems(tool, f"\n{output}Found 2 errors.\n", lambda path: path)
    assert [tuple(each)[1:] for each in found] == expected


def _problem(line: int, message: str = "m") -> CheckerMessage:
    return CheckerMessage("t", "a.py", line, "C", message)


@pytest.mark.requirement("agent-check-new-problems")
def test_the_one_that_is_not_where_an_old_one_moved_to_is_the_new_one() -> None:
    before = [_problem(1), _problem(5)]
    after = [_problem(1), _problem(3), _problem(7)]
    assert find_new(before, after, lambda _path, line: line + 2 * (line > 1)) == [_problem(3)]


@pytest.mark.requirement("agent-check-new-problems")
def test_numbers_of_lines_in_messages_do_not_make_a_problem_new() -> None:
    before, after = [_problem(3, "defined on line 1")], [_problem(4, "defined on line 2")]
    assert find_new(before, after, lambda _path, line: line) == []


_LISTS = st.lists(st.builds(_problem, st.integers(1, 6), st.sampled_from("mno")), max_size=12)


@given(_LISTS, _LISTS, st.integers(-2, 2))
@pytest.mark.requirement("agent-check-new-problems")
def test_as_many_are_new_as_are_more_than_before(
    before: list[CheckerMessage], after: list[CheckerMessage], shift: int
) -> None:
    new = find_new(before, after, lambda _path, line: line + shift)
    count = Counter(each.message for each in after)
    count.subtract(Counter(each.message for each in before))
    assert Counter(each.message for each in new) == +count
    assert not Counter(new) - Counter(after)
