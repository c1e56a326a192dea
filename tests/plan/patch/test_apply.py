"""A patch is planned whole: operations see each other, bytes outside the hunks never change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.call_scope import CallScope
from redline.core.changes import Change, FileState, Rename
from redline.core.errors import (
    AlreadyApplied,
    AlreadyExists,
    NotFound,
    PatchError,
    RedlineError,
    StaleBase,
    SymlinkEscape,
)
from redline.core.textfile import TextFile, line_body, split_lines
from redline.plan.match import engine, lines, searched_text
from redline.plan.patch.apply import PatchPlan, plan_patch
from redline.plan.patch.parse import parse_patch
from tests.plan.patch.in_memory import MemoryTree, patched, place_at, plan_text
from tests.support import LONG


def _plan(files: dict[str, bytes], *lines: str, **options: dict[str, str]) -> PatchPlan:
    return plan_text(files, "\n".join(["*** Begin Patch", *lines, "*** End Patch"]), **options)


def _result(files: dict[str, bytes], *lines: str) -> dict[str, bytes]:
    return patched(files, "\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


def test_add_update_delete_and_move_in_one_patch() -> None:
    before = {"a": b"one\ntwo\n", "b": b"gone\n", "c": b"x\n"}
    after = _result(
        before,
        "*** Add File: d/e/new",
        "+hello",
        "*** Update File: a",
        "@@",
        " one",
        "-two",
        "+2",
        "*** Delete File: b",
        "*** Update File: c",
        "*** Move to: d/c",
    )
    assert after == {"a": b"one\n2\n", "d/e/new": b"hello\n", "d/c": b"x\n"}


def test_the_summary_names_every_operation() -> None:
    plan = _plan(
        {"a": b"1\n", "b": b"1\n", "c": b"1\n"},
        "*** Add File: n",
        "+x",
        "*** Update File: a",
        "*** Delete File: b",
        "*** Update File: c",
        "*** Move to: m",
    )
    assert [each.summary for each in plan.affected] == ["A n", "M a", "D b", "R c -> m"]
    assert [each.operation for each in plan.affected] == ["add", "update", "delete", "move"]


def test_missing_parents_are_made_once_and_before_their_children() -> None:
    plan = _plan({}, "*** Add File: d/e/one", "+1", "*** Add File: d/e/two", "+2")
    made = [(s.path.relative, s.after) for s in plan.change_set.steps if isinstance(s, Change)]
    assert [path for path, _ in made] == ["d", "d/e", "d/e/one", "d/e/two"]


def test_operations_on_one_path_see_each_other() -> None:
    after = _result(
        {"a": b"1\n"},
        "*** Update File: a",
        "@@",
        "-1",
        "+2",
        "*** Update File: a",
        "@@",
        "-2",
        "+3",
        "*** Add File: n",
        "+x",
        "*** Update File: n",
        "*** Move to: m",
        "@@",
        "-x",
        "+y",
        "*** Delete File: a",
        "*** Add File: a",
        "+fresh",
    )
    assert after == {"a": b"fresh\n", "m": b"y\n"}


def test_a_plain_move_stays_a_move() -> None:
    plan = _plan({"a": b"1\n2\n"}, "*** Update File: a", "*** Move to: b", "@@", "-1", "+one")
    rename, change = plan.change_set.steps
    assert rename == Rename(place_at("a"), place_at("b"))
    assert isinstance(change, Change)
    assert isinstance(change.after, FileState)
    assert change.after.content == b"one\n2\n"


def test_an_update_without_hunks_changes_nothing() -> None:
    assert _plan({"a": b"1\n"}, "*** Update File: a").change_set.steps == ()


def test_added_files_end_with_a_newline_and_an_empty_one_is_a_single_newline() -> None:
    assert _result({}, "*** Add File: a", "+x")["a"] == b"x\n"
    assert _result({}, "*** Add File: a")["a"] == b"\n"


@pytest.mark.parametrize(
    ("lines", "error", "said"),
    [
        (["*** Add File: a", "+other"], AlreadyExists, "already exists"),
        (["*** Add File: a", "+one", "+two", "+one"], AlreadyApplied, "already there"),
        (["*** Delete File: zz"], NotFound, "zz"),
        (["*** Update File: zz", "@@", "-x"], NotFound, "zz"),
        (["*** Delete File: d"], PatchError, "directory"),
        (["*** Update File: a", "*** Move to: d/f"], AlreadyExists, "already exists"),
        (["*** Update File: a", "@@", "-one", "+1"], PatchError, "matched 2 places"),
        (["*** Update File: a", "@@", "-three", "+3"], PatchError, "hunk 1 of 1"),
        (["*** Update File: link", "@@", "-x"], SymlinkEscape, "link"),
        (["*** Delete File: link"], SymlinkEscape, "link"),
        (["*** Add File: link", "+x"], SymlinkEscape, "link"),
        (["*** Update File: a", "*** Move to: link"], SymlinkEscape, "link"),
        (["*** Add File: n", "+x", "*** Add File: n/b", "+x"], PatchError, "parent"),
        (
            ["*** Update File: a", "@@", "-one", "-two", "+1", "@@", "-two", "-one", "+2"],
            PatchError,
            "same text",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    lines: list[str], error: type[RedlineError], said: str
) -> None:
    tree = MemoryTree({"a": b"one\ntwo\none\n", "d/f": b"x\n"}, {"link": "a"})
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    with pytest.raises(error, match=said):
        plan_patch(tree, parse_patch(text), place_at)  # type: ignore[arg-type]


def test_one_failing_operation_refuses_all() -> None:
    with pytest.raises(PatchError):
        _plan({"a": b"1\n"}, "*** Add File: n", "+x", "*** Update File: a", "@@", "-9", "+8")


CLASS = b"class A:\n    def f(self):\n        return 1\n"
CLASSES = CLASS + b"\n\n" + CLASS.replace(b"A", b"B")


def test_a_heading_narrows_the_search() -> None:
    change = ["@@ class B:", "-        return 1", "+        return 2"]
    after = _result({"a.py": CLASSES}, "*** Update File: a.py", *change)["a.py"]
    assert after == CLASSES[: CLASSES.rindex(b"1")] + b"2\n"


def test_headings_nest_and_may_be_shortened() -> None:
    lines = ["@@ class A", "@@ def f", "-        return 1", "+        return 2"]
    after = _result({"a.py": CLASSES}, "*** Update File: a.py", *lines)["a.py"]
    assert after == CLASSES.replace(b"1", b"2", 1)


def test_a_heading_over_several_places_is_refused() -> None:
    with pytest.raises(PatchError, match="matched 2 places"):
        _plan({"a.py": CLASSES}, "*** Update File: a.py", "@@ def f", "-        return 1")


class _Counted:
    """Counts how often a loop asks whether to go on."""

    checks = 0

    def check(self) -> None:
        self.checks += 1

    def on_cancel(self, action: Callable[[], None]) -> None:
        del action


def test_under_a_heading_that_names_thousands_of_lines_a_hunk_must_be_unique() -> None:
    counted = _Counted()
    names = b"".join(b"def f%d():\n    return %d\n" % (n, n) for n in range(3000))
    change = ["*** Update File: a.py", "@@ def", "-    return 2999", "+    return 0"]
    with CallScope(counted):
        after = _result({"a.py": names}, *change)["a.py"]
    assert after == names.replace(b"return 2999", b"return 0")
    assert counted.checks < 1000  # not a search under every one of them
    with pytest.raises(PatchError, match="matched 2 places"):
        _plan({"a.py": names.replace(b"return 2998", b"return 2999")}, *change)


def test_text_that_is_not_under_its_heading_is_refused() -> None:
    before = b"class A:\n    x = 1\n\nclass B:\n    y = 2\n"
    with pytest.raises(PatchError, match="not under the heading"):
        _plan({"a.py": before}, "*** Update File: a.py", "@@ class B:", "-    x = 1")


def test_the_heading_behind_line_numbers_only_helps_to_choose() -> None:
    lines = ["@@ -90,3 +90,3 @@ class B:", "-        return 1", "+        return 2"]
    after = _result({"a.py": CLASSES}, "*** Update File: a.py", *lines)["a.py"]
    assert after == CLASSES[: CLASSES.rindex(b"1")] + b"2\n"
    stale = ["@@ -1,3 +1,3 @@ class Z:", " class A:", "+    x = 1"]
    assert b"class A:\n    x = 1\n" in _result({"a": CLASSES}, "*** Update File: a", *stale)["a"]


def test_end_of_file_chooses_the_last_place() -> None:
    after = _result({"a": b"x\ny\nx\n"}, "*** Update File: a", "@@", "-x", "+z", "*** End of File")
    assert after["a"] == b"x\ny\nz\n"


def test_lines_without_context_go_under_the_heading_or_to_the_end() -> None:
    before = {"a": b"one\ntwo"}
    assert _result(before, "*** Update File: a", "@@ one", "+new")["a"] == b"one\nnew\ntwo"
    at_end = ["@@", "+new", "*** End of File"]
    assert _result(before, "*** Update File: a", *at_end)["a"] == b"one\ntwo\nnew"


@pytest.mark.parametrize(
    "hunk",
    [
        ["@@", " one", "-two", "+2"],
        ["@@ one", "+between"],
        ["@@", " one", "+one and a half"],
        ["@@", "+last", "*** End of File"],
    ],
)
def test_a_patch_sent_twice_says_that_it_was_applied(hunk: list[str]) -> None:
    once = _result({"a": b"one\ntwo\nthree\n"}, "*** Update File: a", *hunk)
    with pytest.raises(AlreadyApplied, match="already"):
        _plan(once, "*** Update File: a", *hunk)


def test_an_expected_version_that_is_gone_is_a_conflict() -> None:
    lines = ["*** Update File: a", "@@", "-1", "+2"]
    good = FileState.of(b"1\n").digest
    assert _plan({"a": b"1\n"}, *lines, expected={"a": good}).change_set.steps
    for wrong in ({"a": "0" * 64}, {"missing": good}):
        with pytest.raises(StaleBase):
            _plan({"a": b"1\n"}, *lines, expected=wrong)


def test_tolerant_matches_are_told() -> None:
    plan = _plan(
        {"a": b"x = 1  \ny = 2\n"}, "*** Update File: a", "@@", " x = 1", "-y = 2", "+y = 3"
    )
    assert "trailing whitespace" in plan.notes[0]


LINE = st.text(
    st.sampled_from(["a", "b", " ", "\t", "é", "\f", "\u2028", "\r", "\udc80", "'", "”"]),
    min_size=0,
    max_size=6,
).map(lambda text: text.rstrip("\r"))


@settings(max_examples=200)
@given(
    bodies=st.lists(LINE, min_size=1, max_size=12),
    ends=st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    final=st.booleans(),
    bom=st.booleans(),
    pick=st.integers(0, 11),
    context=st.integers(0, 3),
    new=st.lists(st.text("xyz", min_size=1, max_size=3), max_size=3),
)
def test_bytes_outside_a_hunk_never_change(
    bodies: list[str],
    ends: list[str],
    final: bool,
    bom: bool,
    pick: int,
    context: int,
    new: list[str],
) -> None:
    """Whatever the line ends, encoding and final newline: only the removed line's bytes go."""
    lines = [body + end for body, end in zip(bodies, ends, strict=False)]
    if not final:
        lines[-1] = line_body(lines[-1])
    raw = (b"\xef\xbb\xbf" if bom else b"") + "".join(lines).encode("utf-8", "surrogateescape")
    lines = split_lines(TextFile(raw).text)
    if not lines:
        return
    at = pick % len(lines)
    first, last = max(0, at - context), min(len(lines), at + context + 1)
    hunk = [f" {line_body(line)}" for line in lines[first:at]]
    hunk += [f"-{line_body(lines[at])}", *(f"+{body}" for body in new)]
    hunk += [f" {line_body(line)}" for line in lines[at + 1 : last]]
    try:
        after = _result({"a": raw}, "*** Update File: a", "@@", *hunk)["a"]
    except (PatchError, AlreadyApplied):
        return  # not unique: refused, which is always allowed here
    before_text, after_text = TextFile(raw).text, TextFile(after).text
    assert TextFile(after).has_bom == bom
    head, tail = "".join(lines[:at]), "".join(lines[at + 1 :])
    middle = [line_body(line) for line in split_lines(after_text)][at : at + len(new)]
    assert middle == new
    if new or not tail:
        assert after_text.startswith(head if new else line_body(head))
    assert after_text.endswith(tail)
    if tail:
        assert after_text.startswith(head)
    if new or tail:
        assert before_text.endswith("\n") == after_text.endswith("\n")


@pytest.mark.requirement("coding-patch-many-hunks")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_many_hunks_search_an_index_of_the_lines(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a hunk does not grow with the file: nothing is split or counted again for it."""
    splits = 0

    def counted(text: str) -> list[str]:
        nonlocal splits
        splits += len(text) > 10_000
        return split_lines(text)

    for module in (engine, lines, searched_text):
        monkeypatch.setattr(module, "split_lines", counted)
    count = 2_000
    before = "".join(f"line {n}{end}" for n in range(count))
    hunks = [line for n in range(0, count, 4) for line in ("@@", f"-line {n}", f"+row {n}")]
    hunks += [line for n in range(1, count, 4) for line in (f"@@ line {n}", f"+more {n}")]
    after = _result({"a": before.encode()}, "*** Update File: a", *hunks)["a"].decode()
    wanted = []
    for n in range(count):
        wanted.append(f"row {n}" if n % 4 == 0 else f"line {n}")
        if n % 4 == 1:
            wanted.append(f"more {n}")
    assert after == "".join(line + end for line in wanted)
    assert splits <= 2


@pytest.mark.requirement("coding-patch-many-hunks")
def test_a_refusal_stops_counting_hunks_that_have_no_place() -> None:
    hunks = [line for n in range(200) for line in ("@@", f"-nowhere {n}", f"+row {n}")]
    with pytest.raises(PatchError, match="and at least 47 more hunks"):
        _plan({"a": b"one\n"}, "*** Update File: a", *hunks)
    with pytest.raises(PatchError, match="and 2 more hunks"):
        _plan({"a": b"one\n"}, "*** Update File: a", *hunks[:15])


ROUTES = "".join(
    f'test("{name}", () => {{\n  open();\n  check(1);\n}});\n' for name in ("a", "b", "c")
)


def _hunks(*lines: str) -> str:
    text = _result({"r.ts": ROUTES.encode()}, "*** Update File: r.ts", *lines)["r.ts"].decode()
    names = [line[6] for line in text.split("\n") if line.startswith("test(")]
    parts = text.split("test(")[1:]
    return "".join(name for name, part in zip(names, parts, strict=True) if "more();" in part)


@pytest.mark.requirement("coding-patch-order")
class TestHunksInOrder:
    ADD = ("@@", "   open();", "+  more();", "   check(1);")

    def test_a_seek_says_where_the_next_hunk_is(self) -> None:
        assert _hunks("@@", ' test("c", () => {', *self.ADD) == "c"

    def test_of_several_places_behind_a_seek_the_first_is_meant(self) -> None:
        assert _hunks("@@", ' test("b", () => {', *self.ADD) == "b"

    def test_a_hunk_may_begin_with_the_line_that_was_sought(self) -> None:
        unique = ("@@", ' test("b", () => {', "   open();", "+  more();")
        assert _hunks(
            "@@", ' test("b", () => {', *unique, "@@", ' test("c", () => {', *self.ADD
        ) == ("bc")

    def test_a_hunk_between_two_that_have_one_place_lies_between_them(self) -> None:
        first = ("@@", '-test("b", () => {', '+test("b", async () => {')
        last = ("@@", '-test("c", () => {', '+test("c", async () => {')
        assert _hunks(*first, *self.ADD, *last) == "b"

    def test_as_many_hunks_as_places_take_them_in_order(self) -> None:
        assert _hunks(*self.ADD, *self.ADD, *self.ADD) == "abc"

    def test_without_a_seek_several_places_in_order_are_refused(self) -> None:
        first = ("@@", '-test("a", () => {', '+test("a", async () => {')
        for hunks in (self.ADD, (*first, *self.ADD), (*self.ADD, *self.ADD)):
            with pytest.raises(PatchError, match="matched 3 places"):
                _hunks(*hunks)

    def test_hunks_that_are_not_in_order_are_no_evidence(self) -> None:
        last = ("@@", '-test("c", () => {', '+test("c", async () => {')
        first = ("@@", '-test("b", () => {', '+test("b", async () => {')
        with pytest.raises(PatchError, match="matched 3 places"):
            _hunks(*last, *self.ADD, *first)


@settings(max_examples=300 if LONG else 100)
@given(
    bodies=st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
    wanted=st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
)
@pytest.mark.requirement("coding-patch-order")
def test_hunks_are_placed_if_one_choice_keeps_their_order(
    bodies: list[str], wanted: list[str]
) -> None:
    """The judge tries every choice of lines."""
    content = "".join(f"{body}\n" for body in bodies).encode()
    hunks = [part for n, body in enumerate(wanted) for part in ("@@", f"-{body}", f"+{n}")]
    choices = [
        lines
        for lines in combinations(range(len(bodies)), len(wanted))
        if [bodies[line] for line in lines] == wanted
    ]
    alone = all(bodies.count(body) == 1 for body in wanted) and len(set(wanted)) == len(wanted)
    try:
        after = _result({"f": content}, "*** Update File: f", *hunks)["f"].decode().split("\n")
    except PatchError:
        assert not alone
        assert len(choices) != 1
        return
    assert len(choices) == 1 or alone
    lines = choices[0] if len(choices) == 1 else tuple(bodies.index(body) for body in wanted)
    expected = [*bodies, ""]
    for number, line in enumerate(lines):
        expected[line] = str(number)
    assert after == expected


@pytest.mark.requirement("coding-patch-context-indent")
class TestContextIndentation:
    TEXT = b"class A:\n    x = 1\n    if x:\n        y = 2\n    z = 3\n"

    def test_context_lines_may_be_indented_unevenly_where_the_removed_ones_are_not(self) -> None:
        for hunk in (
            ("   if x:", "-        y = 2", "+        y = 4", "     z = 3"),
            (" x = 1", "     if x:", "-        y = 2", "+        y = 4"),
        ):
            after = _result({"a.py": self.TEXT}, "*** Update File: a.py", "@@", *hunk)["a.py"]
            assert after == self.TEXT.replace(b"2", b"4")

    def test_new_lines_go_beside_a_context_line_that_is_as_in_the_file(self) -> None:
        hunk = ("@@", "   x = 1", "     if x:", "+        w = 0", "         y = 2")
        after = _result({"a.py": self.TEXT}, "*** Update File: a.py", *hunk)["a.py"]
        assert after == self.TEXT.replace(b"if x:\n", b"if x:\n        w = 0\n")

    def test_uneven_removed_lines_and_new_lines_without_a_neighbour_are_refused(self) -> None:
        for hunk in (
            ("     x = 1", "-   if x:", "-        y = 2", "+    y = 4"),
            ("     x = 1", "   if x:", "+        w = 0", "       y = 2", "     z = 3"),
        ):
            with pytest.raises(PatchError):
                _result({"a.py": self.TEXT}, "*** Update File: a.py", "@@", *hunk)

    def test_new_lines_are_not_shifted_by_a_context_line_that_hangs(self) -> None:
        text = b"class A:\n    x = 1\n"
        hunk = ("@@", " x = 1", "+", "+    def f(self):", "+        pass")
        after = _result({"a.py": text}, "*** Update File: a.py", *hunk)["a.py"]
        assert after == text + b"\n    def f(self):\n        pass\n"

    def test_new_lines_that_count_from_the_quoted_line_are_shifted_with_it(self) -> None:
        for hunk, added in (
            ((" x = 1", "+y = 2"), b"    y = 2\n"),
            ((" if x:", "+    w = 0"), b"        w = 0\n"),
        ):
            after = _result({"a.py": self.TEXT}, "*** Update File: a.py", "@@", *hunk)["a.py"]
            assert added in after

    def test_a_removed_blank_line_may_lie_after_the_end_of_the_file(self) -> None:
        after = _result({"f": b"a\nb\n"}, "*** Update File: f", "@@", " a", "-b", "-", "+c")
        assert after == {"f": b"a\nc\n"}
