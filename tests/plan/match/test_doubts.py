"""Where two readings of a call differ, or one only seems to: what is written, and what is not."""

from __future__ import annotations

import pytest

from redline.core.errors import (
    AlreadyApplied,
    AmbiguousMatch,
    InvalidArgument,
    NoMatch,
    UnclearIndentation,
)
from redline.core.textfile import TextFile
from redline.plan.match.engine import apply_placements, place, place_lines, place_range


def edited(text: str, old: str, new: str) -> str:
    return apply_placements(text, [place(text, old, new)])


class TestTheEndOfTheFile:
    def test_a_block_at_an_open_end_counts_as_much_as_its_double(self) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place("a\nb\n\na\nb", "a\nb\n", "c\n")
        assert caught.value.lines == (1, 4)

    def test_a_block_at_an_open_end_beats_what_only_looks_like_it(self) -> None:
        text = "    aa\n    bb\n\naa\nbb"
        assert edited(text, "\naa\nbb\n", "\naa\ncc\n") == "    aa\n    bb\n\naa\ncc"

    def test_lines_added_at_an_open_end_are_not_added_again(self) -> None:
        hunk = [(" ", "a"), ("+", "b")]
        with pytest.raises(AlreadyApplied):
            place_lines("a\nb", hunk)


class TestTrailingBlanks:
    def test_a_last_line_that_is_kept_keeps_its_blanks(self) -> None:
        assert edited("a \nb \nz\n", "a\nb", "a\nb\nc") == "a \nb \nc\nz\n"

    def test_a_last_line_that_goes_takes_its_blanks_along(self) -> None:
        assert edited("a \nb \nz\n", "a\nb", "a\nc") == "a \nc\nz\n"


class TestMadeBefore:
    def test_a_blank_line_before_a_line_is_not_there_because_the_line_before_ends(self) -> None:
        assert edited("a = 1\nb = 2\n", "b = 2\n", "\nb = 2\n") == "a = 1\n\nb = 2\n"

    def test_what_a_cut_leaves_over_does_not_show_that_it_was_made(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place(
                "first_line()\nsecond_line()\n", "first_line()\nsceond_line()\n", "first_line()\n"
            )
        assert not isinstance(caught.value, AlreadyApplied)

    def test_a_shifted_look_alike_is_left_alone_when_the_new_text_stands(self) -> None:
        with pytest.raises(AlreadyApplied):
            place("    }\n  }\n ]\n}\n", "  }\n}\n", "  }\n ]\n}\n")

    def test_lines_that_stand_with_a_deeper_first_line_were_not_written_by_the_edit(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place(
                "     see_this()\n    and_that()\n",
                "sea_this()\nx\n",
                "    see_this()\n    and_that()",
            )
        assert not isinstance(caught.value, AlreadyApplied)

    def test_one_text_as_old_and_new_is_refused_where_the_file_has_it_otherwise(self) -> None:
        with pytest.raises(NoMatch, match="Old and new text are the same"):
            place("x\n      go()\n", "        go()\n", "        go()\n")
        assert edited("go()\n", "go()\n", "go()\n") == "go()\n"


class TestIndentation:
    def test_a_place_the_new_text_does_not_fit_is_a_place_all_the_same(self) -> None:
        text = "x\n\n};\n\ny\n\n\t};\n\nz\n"
        with pytest.raises(AmbiguousMatch) as caught:
            place_range(text, 5, 5, "\n\t\t\tgo();\n\n", expected="\n\t\t};\n\n")
        assert caught.value.lines == (2, 6)

    def test_one_misquoted_depth_is_not_another_unit(self) -> None:
        with pytest.raises(NoMatch):
            place("def f():\n    a()\n", "def f():\n        a()\n", "def f():\n    b()\n")

    def test_a_shift_that_may_be_another_unit_is_not_written(self) -> None:
        text = "if x:\n    if y:\n        a()\n    b()\n"
        with pytest.raises(NoMatch):
            place_lines(text, [(" ", "    a()"), ("+", "    if z:"), ("+", "      c()")])

    def test_a_shift_in_the_unit_of_the_file_is_written(self) -> None:
        text = "if x:\n    if y:\n        a()\n    b()\n"
        spot = place_lines(text, [(" ", "      a()"), ("+", "      if z:"), ("+", "          c()")])
        assert apply_placements(text, [spot]) == text.replace(
            "a()\n", "a()\n        if z:\n            c()\n"
        )

    def test_a_tab_whose_width_nothing_tells_is_not_written(self) -> None:
        with pytest.raises(UnclearIndentation):
            place("  a {\n  }\n  b\n", "a {\n}\nb\n", "a {\n\tgo();\n}\nb\n")

    def test_new_lines_with_the_calls_tabs_count_from_the_calls_margin(self) -> None:
        text = "x\n\n@mark(\n    y\n)\n@skip\n"
        new = "\tdata = 1\n\twith z:\n\t\tgo()\n@skip\n"
        assert edited(text, "@mark(\n\ty\n)\n@skip\n", new) == (
            "x\n\n    data = 1\n    with z:\n        go()\n@skip\n"
        )

    def test_blanks_that_indent_nothing_are_written_as_they_were_sent(self) -> None:
        text = "def f():\n    a()\n    b()\n"
        got = edited(text, "a()\nb()\n", "a()\n  \nb()\n")
        assert got == "def f():\n    a()\n  \n    b()\n"

    def test_lines_that_are_all_kept_need_no_margin(self) -> None:
        text = "    while x:\n        i += 1\n    raise y\n"
        assert edited(text, "            i += 1\n        raise y\n", "        raise y\n") == (
            "    while x:\n    raise y\n"
        )


class TestTypography:
    TEXT = "# it\u2019s here\nx = 'a'\n"

    def test_new_lines_are_the_calls_where_the_file_has_such_characters(self) -> None:
        assert edited(self.TEXT, "# it's here\n", "# it's here\ny = 'b'\n") == (
            "# it\u2019s here\ny = 'b'\nx = 'a'\n"
        )

    def test_new_characters_that_the_file_only_has_in_another_form_are_refused(self) -> None:
        with pytest.raises(NoMatch, match="not clear how to write"):
            place("It\u2019s here\nand there\n", "It's here\n", "It's here\nit isn't\n")

    def test_a_dash_of_the_call_stays_when_only_its_blanks_were_off(self) -> None:
        assert edited("a b\n", "a\u00a0b\n", "c \u2014 d\n") == "c \u2014 d\n"

    def test_a_dash_nobody_has_seen_is_refused_when_the_quotes_were_off(self) -> None:
        with pytest.raises(NoMatch, match="not clear how to write"):
            place("a 'b'\n", "a \u2018b\u2019\n", "a \u2014 b\n")

    def test_the_other_quote_of_a_pair_is_plain_too(self) -> None:
        assert edited("it's\nz\n", "it\u2019s\nz\n", "\u2018its\u2019\nz\n") == "'its'\nz\n"

    def test_marks_are_not_paired_by_chance_where_the_file_has_them_both_ways(self) -> None:
        text = '"N %s, j, \u201eP\u201c "\n'
        old = "\u201cN %s, j, \u201eP\u201c \u201d\n"
        with pytest.raises(NoMatch, match="not clear how to write"):
            place(text, old, "\u201ct\u201ewo\u201c three\n")


class TestEncoding:
    def test_a_file_that_is_not_utf8_takes_no_letters_it_does_not_have(self) -> None:
        file = TextFile(b"caf\xe9 a\n")
        with pytest.raises(InvalidArgument, match="not UTF-8"):
            file.with_text(file.text.replace("a\n", "\u00e4\n"))
        assert file.with_text(file.text.replace("a\n", "b\n")) == b"caf\xe9 b\n"
