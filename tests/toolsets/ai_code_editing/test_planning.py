"""What each kind of request does to a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.syntax.languages import language_of
from redline.core.errors import (
    AlreadyApplied,
    AmbiguousMatch,
    Conflict,
    InvalidArgument,
    NoMatch,
)
from redline.toolsets.ai_code_editing.instruction import EditRequest
from redline.toolsets.ai_code_editing.planning import needs_provider, plan_edit
from redline.toolsets.ai_code_editing.source import FileUnderEdit, PlannedEdit

WORKERS = IsolatedCalls()
ANALYSIS = IsolatedAnalysis(WORKERS, FailedContent("/dev/null"))


@pytest.fixture(scope="module", autouse=True)
def _close() -> Iterator[None]:
    yield
    WORKERS.close()


SHOP = """import os
import sys


class Shop:
    \"\"\"A shop.\"\"\"

    def open(self):
        return 1

    # closes the shop
    def close(self):
        return 0


def total(xs):
    return sum(xs)
"""


def _plan(text: str, seen: str | None = None, file: str = "a.py", **arguments: Any) -> PlannedEdit:
    arguments.setdefault("edit_instruction", "change it")
    request = EditRequest.of({"target_file": file, **arguments})
    return plan_edit(FileUnderEdit(text, seen, language_of(file), ANALYSIS), request)


def _result(text: str, **arguments: Any) -> str:
    return _plan(text, **arguments).text


# Lines


def test_a_code_block_with_lines_replaces_them() -> None:
    assert _result("a\nb\nc\n", start_line=2, end_line=2, code_block="x\ny") == "a\nx\ny\nc\n"


def test_a_trailing_newline_in_the_block_is_not_an_extra_line() -> None:
    for block in ("x", "x\n"):
        assert _result("a\nb\nc\n", start_line=2, code_block=block) == "a\nx\nc\n"
        assert _result("a\n", code_block=block) == "a\nx\n"


def test_inserted_code_takes_the_line_ends_of_the_file() -> None:
    after = _result("a\r\nb\r\n", edit_type="insert", start_line=2, code_block="x\ny\n")
    assert after == "a\r\nx\r\ny\r\nb\r\n"


def test_a_missing_final_newline_stays_missing() -> None:
    assert _result("a\nb", code_block="c") == "a\nb\nc"
    assert _result("a\nb", start_line=2, code_block="c\n") == "a\nc"


def test_lines_are_deleted() -> None:
    assert _result("a\nb\nc\n", edit_type="delete", start_line=1, end_line=2) == "c\n"


def test_lines_outside_the_file_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="it has 2"):
        _plan("a\nb\n", start_line=2, end_line=5, code_block="x")


def test_an_end_before_the_start_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="before start_line"):
        _plan("a\nb\n", start_line=2, end_line=1, code_block="x")


def test_an_end_without_a_start_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="needs start_line"):
        _plan("a\nb\n", end_line=1, code_block="x")


# Expected text


def test_numbers_that_are_off_are_corrected_and_reported() -> None:
    planned = _plan("a\nb\nc\nd\n", start_line=1, end_line=1, code_block="x", expected_text="c\n")
    assert planned.text == "a\nb\nx\nd\n"
    assert "asked for line 1, the text is at line 3" in planned.notes[0]


def test_expected_text_that_is_nowhere_is_refused() -> None:
    with pytest.raises(NoMatch):
        _plan("a\nb\n", start_line=1, code_block="x", expected_text="gone")


def test_expected_text_at_the_given_lines_beats_its_copies() -> None:
    after = _result("a\nb\na\n", start_line=3, code_block="x", expected_text="a")
    assert after == "a\nb\nx\n"


def test_expected_text_in_several_places_and_at_none_of_the_lines_is_refused() -> None:
    with pytest.raises(AmbiguousMatch):
        _plan("a\nb\na\n", start_line=2, code_block="x", expected_text="a")


def test_expected_text_alone_says_what_to_replace() -> None:
    assert _result("a\nb\nc\n", code_block="x", expected_text="b") == "a\nx\nc\n"


# What the connection saw


def test_lines_that_changed_since_they_were_read_are_refused() -> None:
    with pytest.raises(Conflict, match="changed at line 2"):
        _plan("a\nB\nc\n", seen="a\nb\nc\n", start_line=2, code_block="x")


def test_lines_that_only_moved_are_followed() -> None:
    planned = _plan("new\na\nb\nc\n", seen="a\nb\nc\n", start_line=2, code_block="x")
    assert planned.text == "new\na\nx\nc\n"
    assert "asked for line 2" in planned.notes[0]


def test_a_change_elsewhere_does_not_matter() -> None:
    assert _result("a\nb\nC\n", seen="a\nb\nc\n", start_line=1, code_block="x") == "x\nb\nC\n"


def test_a_line_that_was_doubled_since_is_refused() -> None:
    with pytest.raises(Conflict):
        _plan("a\nb\nb\nc\n", seen="a\nb\nc\n", start_line=2, code_block="x")


def test_an_insert_follows_its_neighbours() -> None:
    after = _result("new\na\nb\n", seen="a\nb\n", edit_type="insert", start_line=2, code_block="x")
    assert after == "new\na\nx\nb\n"


def test_a_replace_sent_twice_changes_nothing_the_second_time() -> None:
    once = _result("a\nb\n", seen="a\nb\n", start_line=2, code_block="x")
    with pytest.raises(AlreadyApplied):
        _plan(once, seen=once, start_line=2, code_block="x")


def test_an_insert_sent_twice_changes_nothing_the_second_time() -> None:
    block = "def f():\n    pass\n"
    once = _result("a = 1\n", code_block=block)
    with pytest.raises(AlreadyApplied):
        _plan(once, code_block=block)


# Places in the instruction


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        ("Add a constant", 18),
        ("Add a constant at the end of the file", 18),
        ("Put this at the top", 1),
        ("Add this at the beginning of the file.", 1),
        ("insert before line 3", 3),
        ("insert this after line 3, please", 4),
        ("Add it after the imports", 3),
        ("Insert after function total", 18),
        ("Add this after the `open` method", 10),
        ("add a method after Shop.open()", 10),
        ("add it after total", 18),
        ("right before Shop.close, please", 11),
        ("at the start of function total", 17),
        ("Put this at the beginning of Shop.open", 9),
        ("at the end of the method open", 10),
        ("as the first statement in total", 17),
        ("at the top of class Shop", 7),
        ("Prepend this", 1),
        ("Add a function that sums two numbers", 18),
        ("Add a function that waits before retrying", 18),
        ("Add a function to open files to the module", 18),
        ("Add the following function", 18),
        ("Add support for yaml in Python", 18),
        ("add a method after method Shop.open()", 10),
        ("put it before the method close", 11),
        ("add it above class Shop", 5),
        ("insert it after `return 1`", 10),
        ("insert it before the line 'import sys'", 2),
    ],
)
def test_an_insert_goes_where_the_instruction_says(instruction: str, line: int) -> None:
    after = _result(SHOP, edit_instruction=instruction, code_block="    x = 1")
    assert after.split("\n").index("    x = 1") + 1 == line


def test_code_beside_a_method_is_indented_like_it() -> None:
    after = _result(
        SHOP,
        edit_instruction="add after method open",
        code_block="def lock(self):\n    pass\n",
    )
    assert "        return 1\n    def lock(self):\n        pass\n" in after


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a method to class Shop",
        "Add a `lock` method inside the Shop class",
        "Put it at the end of class Shop",
        "Add a method to Shop",
        "Add a method to Shop that locks it",
        "Add it as the last method of class Shop",
    ],
)
def test_code_goes_to_the_end_of_the_class_it_is_meant_for(instruction: str) -> None:
    after = _result(SHOP, edit_instruction=instruction, code_block="def lock(self):\n    pass")
    assert "        return 0\n    def lock(self):\n        pass\n\n\ndef total" in after


def test_code_goes_before_the_closing_brace_of_a_class() -> None:
    text = "class A {\n  f() { return 1; }\n}\nconst x = 1;\n"
    after = _result(
        text, file="a.ts", edit_instruction="add a method to class A", code_block="g() {}"
    )
    assert after == "class A {\n  f() { return 1; }\n  g() {}\n}\nconst x = 1;\n"


def test_code_for_the_inside_of_a_function_needs_a_line() -> None:
    with pytest.raises(InvalidArgument, match="not clear where in function total"):
        _plan(SHOP, edit_instruction="Add logging to the function total", code_block="log()")


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a check before the return statement",
        "Insert it before the loop in class Shop",
        "Add a null check to the constructor",
        "Put it inside the if block",
        "between open and close",
        "next to total",
        "in the middle of the file",
        "at the end of the class",
        "after the last function",
        "Add a method to Foo",
        "Add a field to missing_thing",
        "Add logging before retrying",
        "Add a function that cuts everything after the first comma",
    ],
)
def test_a_place_that_is_not_understood_is_refused_with_the_forms_that_are(
    instruction: str,
) -> None:
    with pytest.raises(InvalidArgument, match="names a place that is not understood") as caught:
        _plan(SHOP, edit_instruction=instruction, code_block="x = 1")
    assert "at the start or end of function NAME" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        ("at the start of function main", 2),
        ("at the end of main", 4),
        ("at the start of g", 13),
        ("at the end of A.f", 9),
        ("at the top of class A", 7),
    ],
)
def test_a_body_in_braces_has_a_start_and_an_end(instruction: str, line: int) -> None:
    text = (
        "function main(args) {\n  const x = 1;\n  return x;\n}\n\n"
        "class A {\n  f() {\n    return 1;\n  }\n}\n\n"
        "const g = (a) => {\n  return a;\n};\n"
    )
    after = _result(text, file="a.js", edit_instruction=instruction, code_block="let y = 2;")
    lines = after.split("\n")
    assert lines[line - 1].strip() == "let y = 2;"
    assert lines[line - 1].startswith("    " if "A.f" in instruction else "  ")


def test_the_start_of_a_function_is_behind_its_docstring() -> None:
    text = 'def f(\n    a,\n):\n    """Doc.\n\n    More.\n    """\n    return a\n'
    after = _result(text, edit_instruction="at the start of f", code_block="a = 1")
    assert after == text.replace("    return a", "    a = 1\n    return a")


def test_the_start_of_a_function_on_one_line_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="not clear where in function f"):
        _plan("def f(): return 1\n", edit_instruction="at the start of f", code_block="x")


def test_a_shebang_stays_the_first_line() -> None:
    after = _result("#!/bin/sh\necho\n", file="a.sh", edit_instruction="at the top", code_block="x")
    assert after == "#!/bin/sh\nx\necho\n"


def test_two_places_in_one_instruction_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="several places"):
        _plan(SHOP, edit_instruction="before line 3 or after function total", code_block="x")


def test_a_symbol_the_file_lacks_is_refused_with_what_it_has() -> None:
    with pytest.raises(InvalidArgument, match="No such symbol") as caught:
        _plan(SHOP, edit_instruction="after function nope", code_block="x")
    assert "Shop.open" in str(caught.value.hint)


# Symbols


def test_a_symbol_is_replaced() -> None:
    after = _result(SHOP, symbol="Shop.open", code_block="def open(self):\n    return 2")
    assert "    def open(self):\n        return 2\n" in after
    assert "return 1" not in after


def test_a_symbol_is_deleted_with_its_comment() -> None:
    after = _result(SHOP, symbol="close", edit_type="delete")
    assert "close" not in after
    assert "def open" in after


def test_code_goes_before_a_symbol_when_the_instruction_says_before() -> None:
    after = _result(
        SHOP,
        symbol="total",
        edit_type="insert",
        edit_instruction="put it before",
        code_block="X = 1",
    )
    assert "X = 1\ndef total" in after


@pytest.mark.parametrize("instruction", ["at the start", "at the end of it", "inside"])
def test_code_goes_into_a_symbol_when_the_instruction_says_so(instruction: str) -> None:
    after = _result(
        SHOP,
        symbol="total",
        edit_type="insert",
        edit_instruction=instruction,
        code_block="x = 1",
    )
    body = ["    x = 1\n", "    return sum(xs)\n"]
    assert after.endswith("".join(body if "start" in instruction else body[::-1]))


def test_a_symbol_that_changed_since_it_was_read_is_refused() -> None:
    with pytest.raises(Conflict, match=r"Shop\.open changed"):
        _plan(
            SHOP.replace("return 1", "return 5"),
            seen=SHOP,
            symbol="Shop.open",
            code_block="def open(self): pass",
        )


def test_a_replace_that_names_a_function_needs_no_lines() -> None:
    after = _result(
        SHOP,
        edit_type="replace",
        edit_instruction="Replace the function total with a faster one",
        code_block="def total(xs): ...",
    )
    assert "def total(xs): ...\n" in after
    assert "sum" not in after


@pytest.mark.parametrize(
    "instruction",
    [
        "Replace total",
        "replace the total function with this",
        "Rewrite the function total",
        "Update total to be faster",
    ],
)
def test_an_instruction_to_replace_replaces_without_an_edit_type(instruction: str) -> None:
    after = _result(SHOP, edit_instruction=instruction, code_block="def total(xs): ...")
    assert after.endswith("\n\n\ndef total(xs): ...\n")
    assert after.count("def total") == 1


def test_an_instruction_replaces_lines_or_quoted_text() -> None:
    lines = _result(SHOP, edit_instruction="Replace line 9", code_block="        return 7")
    text = _result(SHOP, edit_instruction="Replace `return 1` with this", code_block="return 7")
    assert lines == text == SHOP.replace("return 1", "return 7")


@pytest.mark.parametrize(
    "instruction",
    ["Replace the body of total", "Replace nope", "Update the docs", "Refactor total and Shop"],
)
def test_an_instruction_to_replace_something_unknown_is_refused(instruction: str) -> None:
    with pytest.raises(InvalidArgument, match="what to replace"):
        _plan(SHOP, edit_instruction=instruction, code_block="x = 1")


@pytest.mark.requirement("code-unknown-place")
@pytest.mark.parametrize(
    "instruction",
    [
        *("around total()", "two lines below total", "3 lines after line 4", "10 lines down"),
        *("a few lines above Shop", "5 lines from the end", "past line 3", "around line 5"),
        *("in place of total", "instead of Shop", "behind total", "preceding total", "over total"),
        *("inside of Shop", "outside the class", "out of the class", "outside of Shop", "line 7"),
        *("not after total", "anywhere but Shop", "except in total", "insert here", "insert there"),
        *("insert at the cursor", "halfway through total", "toward the end", "towards the top"),
        *("with the other imports", "alongside the imports", "among the constants", "from total"),
        *("on the last line", "as the second line", "where total is called", "on top of total"),
        *("in the middle of total", "close to total", "prepend to total", "before import sys"),
        *("Add a retry around total()", "Add a function that seeks to the start of the file"),
    ],
)
def test_a_place_or_distance_that_is_not_understood_is_refused(instruction: str) -> None:
    with pytest.raises(InvalidArgument, match=r"not understood|not clear where") as refused:
        _plan(SHOP, edit_instruction=instruction, code_block="x = 1")
    assert "start_line" in str(refused.value.hint)


@pytest.mark.requirement("code-unknown-place")
@pytest.mark.parametrize(
    "instruction",
    [
        *(
            "wrap total",
            "Wrap everything in try",
            "surround Shop with try",
            "move total below Shop",
        ),
        *("decorate total", "extend Shop", "split total", "duplicate total", "guard total()"),
        *("comment out total", "Fix the import error", "Update the docs", "please merge both"),
    ],
)
def test_code_with_a_verb_that_acts_on_other_code_is_refused(instruction: str) -> None:
    with pytest.raises(InvalidArgument, match=r"says something else|what to replace"):
        _plan(SHOP, edit_instruction=instruction, code_block="x = 1")


_SPEAKS_OF_OTHER_THINGS = [
    *("Fix the bug by adding a guard function", "Refactor: add a helper for sorting"),
    *("Update the module with a new constant", "Add a function to validate input after parsing"),
    *("Add a function that inserts a row above the header", "wrap total", "Replace total"),
    *("Fix the import error", "instead of Shop", "not after total", "insert here", "line 7"),
]


@pytest.mark.requirement("code-explicit-insert")
@pytest.mark.parametrize("instruction", _SPEAKS_OF_OTHER_THINGS)
def test_an_explicit_insert_is_made_whatever_else_the_words_say(instruction: str) -> None:
    order = {"edit_type": "insert", "edit_instruction": instruction, "code_block": "x = 1"}
    assert _result(SHOP, **order) == SHOP + "x = 1\n"
    beside = _plan(SHOP.replace("def total", "def other"), symbol="Shop.open", **order)
    assert beside.text.count("    x = 1\n") == 1


@pytest.mark.requirement("code-explicit-insert")
def test_an_explicit_insert_goes_where_the_words_say_and_tells_what_it_did_not_read() -> None:
    order = {"edit_type": "insert", "code_block": "x = 1"}
    said = "Fix the bug by adding a guard before function total"
    assert "x = 1\ndef total" in _result(SHOP, edit_instruction=said, **order)
    planned = _plan(SHOP, edit_instruction="Add a check before the return statement", **order)
    assert planned.text == SHOP + "x = 1\n"
    assert any("before the return" in note and "end of the file" in note for note in planned.notes)
    with pytest.raises(InvalidArgument):
        _plan(SHOP, edit_instruction="add it after function missing", **order)


@pytest.mark.requirement("code-explicit-insert")
@pytest.mark.parametrize(
    "instruction",
    ["Please add this", "Kindly add this", "Now add a helper", "Then add this", "Quickly add it"],
)
def test_a_word_before_add_is_no_verb_where_add_is_defined(instruction: str) -> None:
    text = "def add(a, b):\n    return a + b\n"
    assert _result(text, edit_instruction=instruction, code_block="x = 1") == text + "x = 1\n"
    for acts in ("memoize add", "Please memoize the add function"):
        with pytest.raises(InvalidArgument, match="says something else: memoize"):
            _plan(text, edit_instruction=acts, code_block="x = 1")


@pytest.mark.requirement("code-unknown-place")
@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        *(("at top", 1), ("top of file", 1), ("at start of file", 1), ("as the first line", 1)),
        *(("at the head of the file", 1), ("at end", 18), ("EOF", 18), ("at the file's end", 18)),
        *(("add at module level", 18), ("Add a class based on Shop", 18)),
        *(("Add a decorator used by total", 18), ("helper for total", 18)),
        *(("Add a function iterating over total items", 18), ("under the imports", 3)),
        *(("Add a method that returns the first line of the file", 18), ("Add two functions", 18)),
        *(("Add a function that seeks to the end of the file", 18), ("Handle errors", 18)),
    ],
)
def test_an_insert_is_not_refused_for_words_about_the_code(instruction: str, line: int) -> None:
    after = _result(SHOP, edit_instruction=instruction, code_block="    x = 1")
    assert after.split("\n").index("    x = 1") + 1 == line


@pytest.mark.requirement("code-delete-given")
@pytest.mark.parametrize(
    "instruction",
    ["Delete this block", "remove these lines.", "delete", "Please remove the function"],
)
def test_an_instruction_to_delete_means_the_lines_or_the_symbol_of_the_call(
    instruction: str,
) -> None:
    given = {"edit_instruction": instruction, "start_line": 1, "end_line": 2}
    assert _result("a\nb\nc\n", **given) == "c\n"
    function = {"edit_instruction": instruction, "symbol": "f"}
    assert _result("def f():\n    pass\nx = 1\n", **function) == "x = 1\n"
    with pytest.raises(InvalidArgument):
        _plan("a\nb\nc\n", edit_instruction=instruction)


@pytest.mark.requirement("code-delete-given")
@pytest.mark.parametrize(
    "instruction",
    [
        "Delete the cache key",
        "remove logging from this block",
        "remove the comments",
        "drop dead code",
    ],
)
def test_an_instruction_to_delete_a_part_of_the_lines_is_not_taken_for_all(
    instruction: str,
) -> None:
    with pytest.raises(InvalidArgument, match="no code to write"):
        _plan("a\nb\nc\n", edit_instruction=instruction, start_line=1, end_line=2)


@pytest.mark.requirement("code-delete-given")
def test_a_delete_with_an_empty_code_block_is_called_one() -> None:
    planned = _plan("a\nb\n", edit_type="delete", start_line=1, code_block="")
    assert (planned.text, planned.notes) == ("b\n", ("Deleted line 1.",))


@pytest.mark.requirement("code-insert-explicit")
@pytest.mark.parametrize("instruction", ["edit", "Update the file.", "please modify this module"])
def test_an_insert_by_name_needs_no_more_than_that_the_file_is_edited(instruction: str) -> None:
    after = _result(SHOP, edit_type="insert", edit_instruction=instruction, code_block="x = 1")
    assert after == SHOP + "x = 1\n"
    with pytest.raises(InvalidArgument):
        _plan(SHOP, edit_instruction=instruction, code_block="x = 1")


def test_a_replace_that_names_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="what to replace"):
        _plan(SHOP, edit_type="replace", code_block="x")


# Without a code block


def test_a_fenced_block_is_the_code() -> None:
    after = _result("a\n", edit_instruction="Add this:\n```python\nb = 1\nc = 2\n```\nat the top")
    assert after == "b = 1\nc = 2\na\n"


def test_thousands_of_unclosed_fences_are_read_in_one_go() -> None:
    with pytest.raises(InvalidArgument, match="pass code_block"):
        _plan("a\n", edit_instruction="```py\n" * 50_000)


def test_two_fenced_blocks_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="several fenced"):
        _plan("a\n", edit_instruction="```\na\n```\nand\n```\nb\n```\n")


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ("delete line 2", "a = 1\nprint(a)\n"),
        ("Delete lines 1-2.", "print(a)\n"),
        ("remove lines 2 to 3", "a = 1\n"),
        ("remove the line `b = a`", "a = 1\nprint(a)\n"),
        ("rename a to z", "z = 1\nb = z\nprint(z)\n"),
        ("Rename the variable `a` to `z`.", "z = 1\nb = z\nprint(z)\n"),
        ("replace `print(a)` with `print(b)`", "a = 1\nb = a\nprint(b)\n"),
        ("Replace '1' by '2'.", "a = 2\nb = a\nprint(a)\n"),
        ("replace print(a) with print(b)", "a = 1\nb = a\nprint(b)\n"),
        ("replace all `a` with `q`", "q = 1\nb = q\nprint(q)\n"),
    ],
)
def test_a_plain_order_is_carried_out(instruction: str, after: str) -> None:
    assert _result("a = 1\nb = a\nprint(a)\n", edit_instruction=instruction) == after


def test_a_function_is_deleted_by_name() -> None:
    assert "total" not in _result(SHOP, edit_instruction="Delete the function total")


def test_a_literal_that_stands_twice_is_refused() -> None:
    with pytest.raises(AmbiguousMatch):
        _plan("a\na\n", edit_instruction="replace `a` with `b`")


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a function that sums two numbers",
        "rename a to b and log every call",
        "make it faster",
        "delete what is not needed",
    ],
)
def test_what_needs_invention_is_refused_without_a_provider(instruction: str) -> None:
    request = EditRequest.of({"target_file": "a.py", "edit_instruction": instruction})
    assert needs_provider(request)
    with pytest.raises(InvalidArgument, match="pass code_block"):
        _plan(SHOP, edit_instruction=instruction)


def test_an_insert_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="nothing to insert"):
        _plan("a\n", code_block="", edit_type="insert")


def test_lines_of_a_delete_beat_the_words_of_its_instruction() -> None:
    after = _result(
        "a\nb\nc\n",
        edit_type="delete",
        edit_instruction="delete the function f",
        start_line=2,
    )
    assert after == "a\nc\n"


ELIXIR = "defmodule M do\n  def f(a) do\n    b = a\n    b\n  rescue\n    e -> e\n  end\nend\n"
DART = "class A {\n  int f(int a) async {\n    return a;\n  }\n}\n"
KOTLIN = "class A {\n    fun f(a: Int): Int {\n        return a\n    }\n}\n"
HCL = 'resource "a" "f" {\n  name = "b"\n}\n'
STYLES = ".f {\n  color: red;\n}\n"


@pytest.mark.requirement("code-instruction-places")
@pytest.mark.parametrize(
    ("file", "text", "code", "first", "last"),
    [
        ("a.ex", ELIXIR, "g(a)", "    b = a\n", "  rescue\n"),
        ("a.dart", DART, "g(a);", "    return a;\n", "  }\n}"),
        ("a.kt", KOTLIN, "g(a)", "        return a\n", "    }\n}"),
        ("a.tf", HCL, "count = 1", '  name = "b"\n', "}\n"),
        ("a.css", STYLES, "margin: 0;", "  color: red;\n", "}\n"),
    ],
)
def test_code_is_added_at_either_edge_of_a_body(
    file: str, text: str, code: str, first: str, last: str
) -> None:
    indent = first[: len(first) - len(first.lstrip())]
    for edge, behind in (("start", first), ("end", last)):
        asked = f"add it at the {edge} of f"
        after = _result(text, file=file, edit_instruction=asked, code_block=code)
        assert after == text.replace(behind, f"{indent}{code}\n{behind}", 1), (file, edge)


@pytest.mark.requirement("code-instruction-places")
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.ex", "def f(a), do: a\n"),
        ("a.kt", "fun f() = 1\n"),
        ("a.dart", "int f() => 1;\n"),
        ("a.css", ".f { a: b }\n"),
    ],
)
def test_code_is_not_added_to_a_body_on_one_line(file: str, text: str) -> None:
    with pytest.raises(InvalidArgument, match="not clear where"):
        _plan(text, file=file, edit_instruction="add it at the start of f", code_block="x")


@pytest.mark.requirement("code-elided-block")
@pytest.mark.parametrize(
    ("mark", "arguments"),
    [
        ("# ... existing code ...", {"symbol": "total", "edit_type": "replace"}),
        ("// ... rest of the function ...", {"start_line": 18, "end_line": 18}),
        ("    # \u2026 unchanged", {"edit_instruction": "replace function total"}),
        ("/* ... Existing code ... */", {"edit_instruction": "at the end of total"}),
        ("<!-- ... remaining lines -->", {"start_line": 3, "edit_type": "insert"}),
    ],
)
def test_a_block_that_leaves_code_out_is_refused(mark: str, arguments: dict[str, Any]) -> None:
    block = f"def total(xs):\n{mark}\n    return 1\n"
    with pytest.raises(InvalidArgument) as caught:
        _plan(SHOP, code_block=block, **arguments)
    assert caught.value.message == f"code_block leaves code out: {mark.strip()}"


@pytest.mark.requirement("code-elided-block")
@pytest.mark.parametrize(
    "line",
    [
        "    ...",
        '    log("... the rest of it")',
        "    # ...",
        "    # the same as ever",
        "    x[...]",
    ],
)
def test_dots_that_may_be_code_are_written_as_they_are(line: str) -> None:
    block = f"def total(xs):\n{line}\n    return 1\n"
    assert line in _result(SHOP, symbol="total", code_block=block)


@pytest.mark.requirement("code-elided-block")
def test_a_comment_that_the_file_has_too_is_written_as_it_is() -> None:
    text = "def f():\n    # ... the rest is unchanged\n    return 1\n"
    block = text.replace("return 1", "return 2")
    assert _result(text, symbol="f", code_block=block) == block


@pytest.mark.requirement("code-rename-css")
@pytest.mark.parametrize(
    "asked",
    [
        "rename .btn-old to .btn",
        "Rename the CSS class .btn-old to .btn.",
        "rename class `btn-old` to `btn`",
        "rename the selector '.btn-old' to '.btn'",
    ],
)
def test_a_class_of_a_style_sheet_is_renamed(asked: str) -> None:
    text = ".btn-old, a.btn-old:hover {\n  color: red;\n}\n#btn-old {\n}\n"
    if "." in asked.removesuffix("."):
        after = _result(text, file="a.css", edit_instruction=asked)
        assert after == text.replace(".btn-old", ".btn")
    else:
        with pytest.raises(InvalidArgument, match="A class and an id"):
            _plan(text, file="a.css", edit_instruction=asked)


def test_a_custom_property_of_a_style_sheet_is_renamed() -> None:
    text = ":root {\n  --main: red;\n}\na {\n  color: var(--main);\n}\n"
    after = _result(text, file="a.css", edit_instruction="rename --main to --accent")
    assert after == text.replace("--main", "--accent")


# Minified files: every place in a very long line costs as much as the line is long


MINIFIED = "function a(){return b}" * 2000 + "var last=1;"


def test_a_rename_in_a_minified_file_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="minified"):
        _plan(MINIFIED, file="a.js", edit_instruction="rename a to c")


def test_text_is_still_deleted_from_a_minified_file() -> None:
    after = _result(MINIFIED, file="a.js", edit_instruction='delete "var last=1;"')
    assert after == MINIFIED.removesuffix("var last=1;")
