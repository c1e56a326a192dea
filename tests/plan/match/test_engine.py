"""Where an edit goes, level by level, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core.errors import (
    AlreadyApplied,
    AmbiguousMatch,
    InvalidArgument,
    MatchError,
    NoMatch,
    UnclearIndentation,
)
from redline.plan.match.engine import (
    MatchLevel,
    Placement,
    apply_placements,
    place,
    place_insert,
    place_lines,
    place_range,
)
from tests.support import LONG


def edited(text: str, old: str, new: str) -> str:
    return apply_placements(text, [place(text, old, new)])


def level(text: str, old: str, new: str) -> MatchLevel:
    return place(text, old, new).level


class TestLiteral:
    def test_a_substring_is_replaced_and_nothing_else(self) -> None:
        assert edited("a = 1\nb = 2\n", "= 2", "= 3") == "a = 1\nb = 3\n"

    def test_dollars_and_backslashes_are_literal(self) -> None:
        assert edited("x\n", "x", r"$& \1 $$") == "$& \\1 $$\n"

    def test_two_occurrences_are_refused_with_their_lines(self) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place("a\nb\na\n", "a", "c")
        assert (caught.value.count, caught.value.lines) == (2, (1, 3))

    def test_overlapping_occurrences_are_two(self) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place("aaa", "aa", "b")
        assert caught.value.count == 2

    def test_a_literal_match_beats_look_alikes(self) -> None:
        assert edited("    go()\ngo() \n\tgo()", "go() \n", "run()\n") == "    go()\nrun()\n\tgo()"

    def test_empty_old_text_is_refused(self) -> None:
        with pytest.raises(InvalidArgument):
            place("abc", "", "x")


class TestLineEnds:
    def test_lf_in_the_call_matches_crlf_and_the_file_stays_crlf(self) -> None:
        assert edited("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n") == "a\r\nx\r\ny\r\nc\r\n"

    def test_crlf_in_the_call_matches_lf_and_the_file_stays_lf(self) -> None:
        assert edited("a\nb\nc\n", "a\r\nb", "a\r\nx\r\ny") == "a\nx\ny\nc\n"

    def test_mixed_ends_stay_with_their_lines(self) -> None:
        assert edited("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc") == "a\r\nB\nc\r\n"

    def test_a_kept_line_keeps_its_end_when_lines_follow_it(self) -> None:
        assert edited("a\r\nb\nc\r\n", "a\nb", "a\nb\nx") == "a\r\nb\nx\nc\r\n"
        assert edited("a\nb\r\nc\n", "a\nb", "a\nb\nx") == "a\nb\r\nx\r\nc\n"

    def test_lone_cr_form_feed_and_line_separator_end_no_line(self) -> None:
        text = "a\rb\x0cc\u2028d\r\ne\r\n"
        assert edited(text, "d\ne", "d\nf") == "a\rb\x0cc\u2028d\r\nf\r\n"

    def test_a_missing_final_newline_stays_missing(self) -> None:
        assert edited("a\nb", "b", "c") == "a\nc"

    def test_a_single_line_edit_in_a_crlf_file_inserts_crlf(self) -> None:
        assert edited("a\r\nb\r\n", "b", "b1\nb2") == "a\r\nb1\r\nb2\r\n"


class TestTrailing:
    @pytest.mark.requirement("engine-diff-any-size")
    def test_kept_lines_of_a_long_block_keep_their_blanks_between_distant_changes(self) -> None:
        middle = [f"line {n}" for n in range(1_500)]
        text, old, new = (
            "\n".join([first, *lines, last, ""])
            for first, lines, last in [
                ("top", [f"{line} " for line in middle], "end"),
                ("top", middle, "end"),
                ("TOP", middle, "END"),
            ]
        )
        assert edited(text, old, new) == text.replace("top", "TOP").replace("end", "END")

    def test_trailing_blanks_may_differ_and_kept_lines_keep_theirs(self) -> None:
        assert edited("a  \nb\t\nc\n", "a\nb\nc", "a\nb\nd") == "a  \nb\t\nd\n"

    def test_a_line_of_blanks_behind_the_last_quoted_line_stays(self) -> None:
        assert edited("a;\nb;\n \nc\n", "a; \nb;\n", "a;\nd;\n") == "a;\nd;\n \nc\n"

    def test_blanks_in_the_call_only_match_at_a_line_end(self) -> None:
        assert edited("foo\nfoobar\n", "foo  \n", "x\n") == "x\nfoobar\n"
        with pytest.raises(NoMatch):
            place("foobar\n", "foo ", "x")


class TestIndentation:
    TEXT = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"

    def test_a_shifted_block_is_found_and_the_new_lines_are_shifted_back(self) -> None:
        got = edited(
            self.TEXT,
            "def f(self):\n    return 1\n",
            "def f(self):\n    x = 1\n    return x\n",
        )
        assert got == self.TEXT.replace("        return 1", "        x = 1\n        return x")

    def test_an_over_indented_block_is_taken_back(self) -> None:
        got = edited(
            self.TEXT,
            "      def f(self):\n          return 1",
            "      def f(self):\n          return 9",
        )
        assert got == self.TEXT.replace("return 1", "return 9")

    def test_spaces_in_the_call_become_the_tabs_of_the_file(self) -> None:
        text = "if x {\n\tfoo()\n\tif y {\n\t\tbar()\n\t}\n}\n"
        got = edited(
            text,
            "    foo()\n    if y {\n        bar()\n",
            "    foo()\n    if y {\n        baz()\n        qux()\n",
        )
        assert got == "if x {\n\tfoo()\n\tif y {\n\t\tbaz()\n\t\tqux()\n\t}\n}\n"

    def test_tabs_in_the_call_become_the_spaces_of_the_file(self) -> None:
        text = "def f():\n  if y:\n    bar()\n"
        assert edited(text, "\tif y:\n\t\tbar()", "\tif y:\n\t\tbaz()") == text.replace(
            "bar", "baz"
        )

    def test_lines_that_no_one_shift_explains_are_refused(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place("  a\n      b\n", "a\n  b\n", "c\n")
        assert "indentation" in caught.value.message

    def test_a_new_text_with_another_margin_is_refused(self) -> None:
        with pytest.raises(UnclearIndentation):
            place("    a()\n    b()\n", "a()\nb()\n", "    c()\n    d()\n")

    def test_new_text_that_shares_a_line_by_accident_is_not_shifted_with_the_old(self) -> None:
        with pytest.raises(UnclearIndentation):
            place(
                "    try:\n        a()\n        try:\n            b()\n",
                "try:\n    a()\n    try:\n        b()\n",
                "    try:\n        if x:\n            a()\n        try:\n            b()\n",
            )

    def test_new_text_that_quotes_the_file_and_goes_on_at_the_margin_is_not_shifted(self) -> None:
        with pytest.raises(UnclearIndentation):
            place(
                "def f():\n    go(\n        a,\n    )\n",
                "    a,\n)\n",
                "        a,\n    )\n\n\ndef g():\n    pass\n",
            )

    def test_new_text_with_the_one_quoted_line_as_the_file_has_it_is_not_shifted(self) -> None:
        with pytest.raises(NoMatch):
            place_range("f(a,\n    b);\n", 2, 2, "g();\n    b);\n", expected="b);")

    def test_lines_that_are_as_quoted_because_they_were_wrapped_are_not_shifted(self) -> None:
        with pytest.raises(UnclearIndentation):
            place("if x:\n  a()\n  b()\n", "    a()\n    b()\n", "  with y:\n    a()\n    b()\n")

    def test_a_shifted_block_can_be_wrapped(self) -> None:
        got = edited("def f():\n    a()\n    b()\n", "a()\nb()\n", "if x:\n    a()\n    b()\n")
        assert got == "def f():\n    if x:\n        a()\n        b()\n"

    def test_lines_at_the_depth_of_the_file_after_no_opener_are_not_shifted(self) -> None:
        with pytest.raises(UnclearIndentation):
            place("def f():\n    a()\n    b()\n", "a()\nb()\n", "x = 1\n    a()\n    b()\n")

    def test_lines_between_kept_ones_can_be_wrapped(self) -> None:
        got = edited(
            "def f():\n    a()\n    b()\n    c()\n    d()\n",
            "a()\nb()\nc()\nd()\n",
            "a()\nif x:\n    b()\n    c()\n    d()\n",
        )
        assert got == "def f():\n    a()\n    if x:\n        b()\n        c()\n        d()\n"

    def test_lines_that_a_deeper_block_takes_to_the_depth_of_the_file_are_shifted(self) -> None:
        text = "func f() {\n\t\ta := 1\n\t\tgo(a)\n\t\tend(a)\n}\n"
        old = "\ta := 1\n\tgo(a)\n\tend(a)\n"
        new = "\ta := 1\n\tb := 2\n\tif b {\n\t\tgo(a)\n\t\tend(a)\n\t}\n"
        assert apply_placements(text, [place(text, old, new)]) == (
            "func f() {\n\t\ta := 1\n\t\tb := 2\n\t\tif b {\n\t\t\tgo(a)\n\t\t\tend(a)\n\t\t}\n}\n"
        )

    def test_new_text_that_quotes_nothing_as_the_call_does_is_not_shifted(self) -> None:
        text = "def f():\n    def feed(x):\n        stop = 0\n        go(x)\n"
        old = "def feed(x):\n    stop = 0\n    go(x)\n"
        new = "class A:\n    def feed(self, x):\n        stop = 0\n        go(x)\n"
        with pytest.raises(UnclearIndentation):
            place(text, old, new)

    def test_new_text_at_the_depth_of_the_file_is_not_shifted(self) -> None:
        with pytest.raises(UnclearIndentation):
            place(
                "    {\n        id: 1\n    }\n",
                "    id: 1\n}\n",
                "    x\n        id: 1\n    }\n",
            )

    def test_two_shifted_blocks_are_ambiguous(self) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place("  a\n  b\n\n    a\n    b\n", "a\nb\n", "c\n")
        assert caught.value.lines == (1, 4)

    def test_another_indent_unit_is_translated(self) -> None:
        text = "if x:\n    if y:\n        go()\n"
        assert edited(
            text, "if x:\n  if y:\n    go()\n", "if x:\n  if y:\n    run()\n"
        ) == text.replace("go", "run")

    def test_absolute_new_lines_after_a_partial_quote_stay_where_they_are(self) -> None:
        got = edited("def f():\n    return 1\n", "return 1", "x = 1\n    return x")
        assert got == "def f():\n    x = 1\n    return x\n"

    def test_a_deeper_first_line_before_kept_ones_is_shifted_with_them(self) -> None:
        text = "x = {\n    k: {\n    },\n    m,\n}\n"
        got = edited(text, "},\nm,\n", "    n,\n},\nm,\n")
        assert got == "x = {\n    k: {\n        n,\n    },\n    m,\n}\n"


class TestTypography:
    def test_smart_quotes_in_the_call_are_written_as_the_file_has_them(self) -> None:
        assert edited('x = say("hi")\n', "say(“hi”)", "say(“hello”)") == 'x = say("hello")\n'
        assert edited('say("hi")\n', "say(“hi”)\n", "say(“hi”, “you”)\n") == 'say("hi", "you")\n'

    def test_plain_quotes_in_the_call_keep_the_smart_ones_of_the_file(self) -> None:
        assert (
            edited("Sie sagt “ja”.\n", 'Sie sagt "ja".', 'Sie sagt "nein".') == "Sie sagt “nein”.\n"
        )

    def test_new_plain_quotes_beside_smart_ones_are_refused(self) -> None:
        with pytest.raises(NoMatch):
            place("Sie sagt “ja”.\n", 'Sie sagt "ja".', 'Sie sagt "ja" und "nein".')

    def test_a_no_break_space_in_the_file_is_kept(self) -> None:
        assert edited("a\u00a0b c\n", "a b c", "a b d") == "a\u00a0b d\n"

    def test_a_no_break_space_that_ends_a_line_stays_at_the_end_of_that_line(self) -> None:
        text = "a\n  {\u00a0\nb\n"
        assert edited(text, "  { ", "  { \n  }\n  c") == "a\n  {\u00a0\n  }\n  c\nb\n"

    def test_a_no_break_space_of_the_call_is_no_end_of_a_line_that_goes_on(self) -> None:
        with pytest.raises(NoMatch):
            place("foo { bar\n", "foo {\u00a0", "baz {\u00a0")

    def test_shifted_and_misspelled_together(self) -> None:
        assert edited(
            'if x:\n    say("a")\n    go()\n', "say(“a”)\ngo()\n", "say(“b”)\ngo()\n"
        ) == ('if x:\n    say("b")\n    go()\n')

    def test_another_indentation_and_look_alikes_elsewhere_are_ambiguous(self) -> None:
        text = 'if x:\n    say("a")\n    go()\nelse:\n  say(“a”)\n  go()\n'
        with pytest.raises(AmbiguousMatch) as caught:
            place(text, '  say("a")\n  go()\n', '  say("b")\n  go()\n')
        assert caught.value.lines == (2, 5)
        hunk = [("-", '  say("a")'), ("+", '  say("b")'), (" ", "  go()")]
        with pytest.raises(AmbiguousMatch) as caught:
            place_lines(text, hunk)
        assert caught.value.lines == (2, 5)

    def test_an_ellipsis_stands_for_nothing(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place("a\nb\nc\n", "a\n...\nc\n", "x\n")
        assert "leaves lines out" in caught.value.message


class TestTwice:
    @pytest.mark.parametrize(
        ("text", "old", "new"),
        [
            ("import a\n", "import a\n", "import a\nimport b\n"),
            ("x = foo\n", "x = foo", "x = foo + bars"),
            ("a\nb\n", "a\nb", "a\nc\nb"),
            ("  a\n  b\n", "a\nb\n", "a\nb\nc\n"),
            ("long line\n\n/*\n", "long line\n\n/*", "long line\n/*\n\n/*"),
            ("  a\n  b\n", "  a\n  b\n", "  if x:\n    a\n    b\n"),
            ("a\r\nb\r\n", "a\nb\n", "if x:\n\ta\n\tb\n"),
        ],
    )
    def test_an_edit_sent_twice_is_refused_the_second_time(
        self, text: str, old: str, new: str
    ) -> None:
        once = edited(text, old, new)
        with pytest.raises(AlreadyApplied) as caught:
            place(once, old, new)
        assert "already in place" in caught.value.message


class TestNearest:
    @pytest.mark.parametrize(
        ("text", "old", "word"),
        [
            ("one\ntwo three\n", "one\ntwo four\n", "`four`"),
            ("a\nfoo bar baz\nb\n", "foo bar bax", "line 2"),
            ("Foo Bar\n", "foo bar\n", "upper and lower case"),
            ("x\n", "completely other\n", "nothing there resembles"),
            ("ab\ncd\n", "ab\ncd\nef\n", "ends before"),
        ],
    )
    def test_a_refusal_names_the_nearest_place(self, text: str, old: str, word: str) -> None:
        with pytest.raises(NoMatch) as caught:
            place(text, old, "new")
        assert word in caught.value.message

    def test_a_refusal_stays_short(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place("x" * 90_000 + " tail\n", "x" * 100_000 + " tail\n", "y")
        assert len(caught.value.text) < 1000


class TestHunks:
    def test_kept_lines_come_from_the_file(self) -> None:
        text = "a  \nb\nc\n"
        spot = place_lines(text, [(" ", "a"), ("-", "b"), ("+", "B"), (" ", "c")])
        assert apply_placements(text, [spot]) == "a  \nB\nc\n"

    def test_a_window_narrows_the_search(self) -> None:
        text = "a\nb\na\nb\n"
        spot = place_lines(text, [("-", "b"), ("+", "c")], within=range(2, 4))
        assert apply_placements(text, [spot]) == "a\nb\na\nc\n"

    def test_the_end_of_the_file_narrows_the_search(self) -> None:
        text = "x\ny\nx"
        spot = place_lines(text, [("-", "x"), ("+", "z")], at_end=True)
        assert apply_placements(text, [spot]) == "x\ny\nz"

    def test_a_line_added_behind_an_unterminated_one(self) -> None:
        spot = place_lines("a\r\nb", [(" ", "b"), ("+", "c")])
        assert apply_placements("a\r\nb", [spot]) == "a\r\nb\r\nc"

    def test_shifted_hunks_are_shifted_back(self) -> None:
        text = "f {\n\tone();\n\ttwo();\n}\n"
        spot = place_lines(text, [(" ", "    one();"), ("-", "    two();"), ("+", "    2();")])
        assert apply_placements(text, [spot]) == "f {\n\tone();\n\t2();\n}\n"
        assert spot.level is MatchLevel.INDENT


class TestRanges:
    def test_lines_by_number(self) -> None:
        text = "a\r\nb\r\nc"
        assert apply_placements(text, [place_range(text, 2, 2, "x\ny\n")]) == "a\r\nx\r\ny\r\nc"
        assert apply_placements(text, [place_range(text, 3, 3, "z\n")]) == "a\r\nb\r\nz"

    def test_numbers_that_are_off_follow_the_expected_text(self) -> None:
        text = "a\nb\nc\n"
        spot = place_range(text, 1, 1, "C\n", expected="c\n")
        assert apply_placements(text, [spot]) == "a\nb\nC\n"

    def test_the_tail_of_a_line_does_not_show_that_a_line_was_replaced(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place_range("be be seen by all\n", 1, 1, "be seen by all\n", expected="BE BE SEEN\n")
        assert not isinstance(caught.value, AlreadyApplied)

    def test_expected_text_that_is_gone_is_refused(self) -> None:
        with pytest.raises(NoMatch):
            place_range("a\nb\n", 1, 1, "x", expected="q\n")

    def test_bad_ranges_are_refused(self) -> None:
        for first, last in ((0, 1), (2, 1), (1, 4)):
            with pytest.raises(InvalidArgument):
                place_range("a\nb\nc\n", first, last, "x")

    def test_insertion_before_and_behind(self) -> None:
        assert apply_placements("a\nb", [place_insert("a\nb", 1, "x\n")]) == "x\na\nb"
        assert apply_placements("a\nb", [place_insert("a\nb", 3, "x\n")]) == "a\nb\nx"
        assert apply_placements("", [place_insert("", 1, "x\n")]) == "x\n"


PIECES = st.sampled_from(
    ["a", "b", " ", "  ", "\t", "\n", "\r\n", "\r", "“", '"', "é", "\udce9", "\x0c", "\u2028", "-"]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def _changed_only_inside(text: str, spot: Placement) -> None:
    after = apply_placements(text, [spot])
    assert after.startswith(text[: spot.start])
    assert after.endswith(text[spot.end :])
    assert len(after) == len(text) - (spot.end - spot.start) + len(spot.replacement)


@settings(max_examples=300 if LONG else 100)
@given(text=TEXTS, old=TEXTS, new=TEXTS)
@example(text="a\n", old="a\n ", new=" ")
@example(text="a\n\nb", old="a\n ", new="a\n  x")
def test_whatever_is_asked_only_the_matched_span_changes(text: str, old: str, new: str) -> None:
    try:
        spot = place(text, old, new)
    except (MatchError, InvalidArgument):
        return
    _changed_only_inside(text, spot)


@settings(max_examples=300 if LONG else 100)
@given(head=TEXTS, old=st.text("abc \n", min_size=1, max_size=12), tail=TEXTS, new=TEXTS)
@example(head=" ", old=" b", tail="", new="b")  # refused: the line would move
def test_a_unique_literal_text_is_replaced_where_it_stands(
    head: str, old: str, tail: str, new: str
) -> None:
    text = head + old + tail
    try:
        spot = place(text, old, new)
    except MatchError:
        return
    _changed_only_inside(text, spot)
    assert text[spot.start : spot.end].replace("\r\n", "\n") == old


class TestEitherLine:
    """A removal that could take either of two lines the call spells alike."""

    OLD = "a\nq\nmiddle\nq\nb"
    NEW = "a\nq\nb"

    def test_it_is_refused_when_the_files_lines_differ_in_their_blanks(self) -> None:
        with pytest.raises(AmbiguousMatch, match="Either of two lines"):
            place("a \nq\t\nmiddle\nq  \nb\n", self.OLD, self.NEW)

    def test_it_lands_when_they_are_the_same(self) -> None:
        assert edited("a \nq \nmiddle\nq \nb\n", self.OLD, self.NEW) == "a \nq \nb\n"

    def test_line_numbers_with_expected_text_are_no_evidence_either(self) -> None:
        text = "a \nq\t\nmiddle\nq  \nb\n"
        with pytest.raises(AmbiguousMatch, match="Either of two lines"):
            place_range(text, 1, 5, self.NEW, expected=self.OLD)
