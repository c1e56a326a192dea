"""A text that is there once is replaced to the letter; what is refused, and the call it names."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from redline.core.errors import AlreadyApplied, AmbiguousMatch, NoMatch, UnclearIndentation
from redline.plan.match.engine import MatchLevel, apply_placements, place
from tests.support import LONG

FILE = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


def edited(text: str, old: str, new: str) -> str:
    return apply_placements(text, [place(text, old, new)])


@pytest.mark.requirement("files-edit-to-the-letter")
class TestHangingFirstLine:
    """The old text begins behind its line's indentation, and the new text has further lines."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("return 1", "x = 1\n        return x"),
            ("return 1\n", "return 1\n  b()\n"),
            ("return 1", "    return x"),
            ("return 1", "    b()\n    c()"),
            ("return 1\n", ""),
            ("return 1\n", "x = 1\n        return 1\n"),
            ("return 1\n", "if x:\n            return 1\n"),
            ("return 1\n", "if x:\n        return 1\n"),
            ("def f(self):\n        return 1\n", "@mark\n    def f(self):\n        return 1\n"),
            ("def f(self):\n        return 1\n", "if x:\n        def f(self):\n            y()\n"),
            ("def f(self):\n        return 1\n", "return 1\n"),
            ("def f(self):\n        return 1\n", "g()\n"),
            ("return 1\n\n    def g(self):\n", "return 1\n\n    def h(self):\n"),
        ],
    )
    def test_it_is_spliced_and_no_line_is_moved(self, old: str, new: str) -> None:
        assert edited(FILE, old, new) == FILE.replace(old, new)
        assert place(FILE, old, new).level is MatchLevel.LITERAL

    @pytest.mark.parametrize(
        ("old", "new", "repaired"),
        [
            # A line comes back where the call quotes it, not where the file has it.
            (
                "def f(self):\n        return 1\n",
                "@mark\ndef f(self):\n        return 1\n",
                "    @mark\n    def f(self):\n        return 1\n",
            ),
            # It comes back twice, and once where the call quotes it.
            (
                "def g(self):\n        return 2\n",
                "x = 1\ndef g(self):\n        y()\n\n    def g(self):\n        return 2\n",
                "    x = 1\n    def g(self):\n        y()\n\n    def g(self):\n        return 2\n",
            ),
            # Lines below it come back from the margin of the call.
            (
                "def f(self):\n        return 1\n",
                "def f(self):\n    x = 1\n    return 1\n",
                "    def f(self):\n        x = 1\n        return 1\n",
            ),
            # The first line brings the indentation that the old text leaves out.
            ("return 1\n", "        return 1\n        b()\n", "        return 1\n        b()\n"),
            # Two lines change places.
            (
                "def f(self):\n        return 1\n\n    def g(self):\n        return 2\n",
                "def g(self):\n        return 2\n\ndef f(self):\n        return 1\n",
                "    def g(self):\n        return 2\n\n    def f(self):\n        return 1\n",
            ),
        ],
    )
    @pytest.mark.requirement("files-edit-hanging-line")
    def test_a_line_that_comes_back_elsewhere_is_refused_with_the_call_that_works(
        self, old: str, new: str, repaired: str
    ) -> None:
        with pytest.raises(UnclearIndentation) as caught:
            place(FILE, old, new)
        call = caught.value.details["old"], caught.value.details["new"]
        assert call[1] == repaired
        assert edited(FILE, *call) == FILE.replace(*call)
        assert FILE.count(call[0]) == 1

    @pytest.mark.parametrize(
        ("old", "new", "repaired"),
        [
            ("return 1", "y = h(1)\nif y:\n    z()\nreturn y", None),
            ("return 1\n", "return 1\nb()\n", None),
            ("return 1", "# before\nreturn 1\n# after\nb()", None),
            ("return 1", "if (x) {\n    return 1\n}", None),
            ("return 1", "\nreturn 2", "\n        return 2"),
        ],
    )
    @pytest.mark.requirement("files-edit-column-0")
    def test_further_lines_at_column_0_of_a_line_quoted_alone_are_refused_with_the_shift(
        self, old: str, new: str, repaired: str | None
    ) -> None:
        with pytest.raises(UnclearIndentation) as caught:
            place(FILE, old, new)
        shifted = "".join(
            " " * 8 + line if line.strip() else line for line in new.splitlines(keepends=True)
        )
        call = caught.value.repairs[0]
        assert call == (" " * 8 + old, repaired or shifted)
        assert edited(FILE, *call) == FILE.replace(*call)

    @pytest.mark.requirement("files-edit-column-0")
    def test_no_call_is_printed_for_a_definition_that_may_belong_beside_the_block(self) -> None:
        with pytest.raises(UnclearIndentation) as caught:
            place(FILE, "return 1", "return 1\n\ndef h():\n    pass")
        assert caught.value.repairs == {}

    @pytest.mark.requirement("files-edit-column-0")
    def test_of_several_lines_a_new_one_at_column_0_is_refused_unless_they_show_the_margin(
        self,
    ) -> None:
        text = "class A:\n    a = 1\n    b = 2\n    c = 3\n"
        old = "a = 1\n    b = 2\n"
        with pytest.raises(UnclearIndentation) as caught:
            place(text, old, "x = 1\ny = 2\n")
        assert caught.value.repairs == {}
        assert "indent every line of newText" in caught.value.text
        kept = "a = 1\n    b = 2\n\nx = 3\n"
        assert edited(text, old, kept) == text.replace(old, kept)
        shallow = "b = 2\n    c = 3\n\nd = 4\n"
        text += "\nd = 4\n"
        assert edited(text, shallow, "c = 3\n\ne = 4\n") == text.replace(
            shallow, "c = 3\n\ne = 4\n"
        )

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("\t\tgo()\n\t\t\tend()\n", "\t\tgo()\n\t\tend()\n"),
            ("\t\tgo()", "\t\tgo()\nx()"),
            (" go()", " stop()\n go()"),
        ],
    )
    @pytest.mark.requirement("files-edit-column-0")
    def test_a_text_that_begins_with_blanks_is_written_to_the_letter(
        self, old: str, new: str
    ) -> None:
        text = f"if a {{\n\t\t\tgo()\n\t\t\tend()\n{' ' * 8}go()\n".replace(
            " go()" if old[0] == "\t" else "\tgo()", "no()"
        )
        assert text.count(old) == 1
        assert edited(text, old, new) == text.replace(old, new)

    def test_lines_wrapped_together_with_a_new_one_are_not_moved(self) -> None:
        text = "f() {\n    a();\n    b();\n}\n"
        old = "a();\n    b();\n"
        new = "try {\n        const x = 1;\n        a();\n        b();\n    } end\n"
        assert edited(text, old, new) == text.replace(old, new)

    def test_a_block_that_is_taken_out_of_another_must_move_as_one(self) -> None:
        text = "def f():\n    if x:\n        a()\n        b()\n"
        old = "if x:\n        a()\n        b()\n"
        assert edited(text, old, "a()\n    b()\n") == "def f():\n    a()\n    b()\n"
        with pytest.raises(UnclearIndentation):
            place(text, old, "a()\n        b()\n")

    def test_a_line_behind_a_brace_that_left_its_block_has_moved_too(self) -> None:
        text = "{\n    };\n    style: {\n        bold: 1;\n    };\n    mode: 2;\n}\n"
        old = text[6:-2]
        new = "};\nif ready:\n    style: {\n        bold: 1;\n};\nmode: 2;\n"
        with pytest.raises(UnclearIndentation, match="another indentation: mode: 2"):
            place(text, old, new)

    def test_the_refusal_prints_the_call(self) -> None:
        with pytest.raises(UnclearIndentation) as caught:
            place("x:\n\ta()\n", "a()\n", "b()\na()\n")
        assert '{"oldText": "\\ta()\\n", "newText": "\\tb()\\n\\ta()\\n"}' in caught.value.text

    def test_a_long_call_is_described(self) -> None:
        with pytest.raises(UnclearIndentation) as caught:
            place("x:\n    a()\n", "a()\n", "b()\n" * 3000 + "a()\n")
        assert len(caught.value.text) < 500
        assert "'    '" in caught.value.text

    @pytest.mark.parametrize("new", ["#if B\n#endif\n", "#if A\n    #endif\n#endif\n    #endif\n"])
    def test_of_old_lines_that_read_alike_any_may_come_back(self, new: str) -> None:
        text = "#ifndef X\n    #if A\n    #endif\n#endif\n"
        old = "#if A\n    #endif\n#endif\n"
        assert edited(text, old, new) == text.replace(old, new)
        assert edited(text, "#endif\n#endif\n", "#endif\n#endif\nx\n") == text + "x\n"

    def test_lines_without_a_word_are_no_evidence(self) -> None:
        text = "f {\n    g {\n        a\n    }\n}\n"
        old, new = "a\n    }\n", "a\n        }\n}\n"
        assert edited(text, old, new) == text.replace(old, new)


@pytest.mark.requirement("files-edit-whole-lines")
class TestWholeLines:
    def test_of_several_places_the_one_that_is_whole_lines_is_meant(self) -> None:
        assert edited("x = 1\nx = 10\n", "x = 1", "x = 2") == "x = 2\nx = 10\n"
        assert edited("bb = 1\nb = 1\n", "b = 1\n", "c = 1\n") == "bb = 1\nc = 1\n"
        assert edited("xa\r\na\r\nab", "a\n", "c\n") == "xa\r\nc\r\nab"

    def test_two_places_of_whole_lines_or_none_are_refused(self) -> None:
        for text in ("a\nab\na\n", "xa\nab\n"):
            with pytest.raises(AmbiguousMatch):
                place(text, "a", "c")

    @pytest.mark.parametrize("old", ["\t\t\tgo(a),", "\t\t\tgo(a),\n"])
    def test_the_same_line_at_another_indentation_may_be_meant(self, old: str) -> None:
        text = "\t\t\tgo(a),\n\t\t\t\tgo(a),\n"
        with pytest.raises(AmbiguousMatch):
            place(text, old, old.replace("a", "b"))
        assert edited(text.replace("\t\t\t\tgo", "\t\t\t\tx.go"), old, "z\n")


@pytest.mark.requirement("files-edit-every-occurrence")
class TestEveryOccurrence:
    @pytest.mark.parametrize(
        ("text", "old"),
        [
            ("import os\nimport os.path\n", "import os"),
            ("# TODO\nx # TODO\n", "# TODO"),
            ("foo\n  foo\n", "foo"),
            ("foo\nbarfoo\n", "foo\n"),
            ("    return\n        return", "      return\n"),
            ("    return\n        return", "        return\n"),
        ],
    )
    def test_counts_if_strict(self, text: str, old: str) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place(text, old, "z()", strict=True)
        assert caught.value.count == 2

    @pytest.mark.parametrize("strict", [True, False])
    def test_an_open_end_quoted_behind_its_indentation_is_indented_anew(self, strict: bool) -> None:
        text = "        end\n    y = 1\n        b()"
        after = apply_placements(text, [place(text, "b()\n", "NEW\n  z()\n", strict=strict)])
        assert after == "        end\n    y = 1\n        NEW\n          z()"

    def test_new_text_in_another_unit_is_shifted_if_strict_and_never_called_missing(self) -> None:
        text = "if x:\n    a()\n    b()\n"
        old, new = "  a()\n  b()", "  a()\n  if y:\n    c()\n  b()"
        after = apply_placements(text, [place(text, old, new, strict=True)])
        assert after == "if x:\n    a()\n    if y:\n      c()\n    b()\n"
        with pytest.raises(UnclearIndentation, match="at line 2 with another indentation"):
            place(text, old, new)


@pytest.mark.requirement("files-edit-shows-place")
class TestWhatARefusalShows:
    def test_the_nearest_place_is_printed_whole_and_can_be_sent(self) -> None:
        text = "a = 1\ndef f(x):\n    one(x)\n    two(x, 2)\n    three(x)\n    return x\nb = 2\n"
        old = "def f(x):\n    one(y)\n    three(x)\n    return y\n"
        with pytest.raises(NoMatch) as caught:
            place(text, old, "z\n")
        block = json.loads("{" + caught.value.text.split("{", 1)[1].rsplit("}", 1)[0] + "}")
        assert block == {"oldText": text[text.index("def") : text.index("b =")]}
        assert edited(text, block["oldText"], "z\n") == "a = 1\nz\nb = 2\n"

    def test_the_nearest_place_ends_with_its_last_line_where_that_line_is_there_twice(self) -> None:
        block = "go(1)\nend(2)\ncheck()\nend(3)\ncheck()\n"
        with pytest.raises(NoMatch) as caught:
            place(f"a = 1\n{block}b = 2\n", "go(1)\nend(2)\ncheckEx()\nend(3Ex)\ncheck()\n", "z\n")
        assert json.dumps({"oldText": block}) in caught.value.text

    def test_a_place_without_its_indentation_is_printed_as_it_was_quoted(self) -> None:
        with pytest.raises(NoMatch) as caught:
            place("x:\n    total = one + two\n", "total = one + 2", "total = 3")
        assert '{"oldText": "total = one + two"}' in caught.value.text

    def test_a_long_place_and_one_that_is_there_twice_are_only_named(self) -> None:
        many = "".join(f"line {n}\n" for n in range(60))
        twice = "go(1)\nend(2)\n" * 2
        for text, old in ((many, many.replace("line 7\n", "")), (twice, "go(1)\nend(3)\n")):
            with pytest.raises(NoMatch) as caught:
                place(text, old, "z")
            assert "quote the file's own lines, or read" in caught.value.text

    def test_each_of_several_places_is_told_apart_by_a_line(self) -> None:
        text = "def f():\n    go()\n    return 1\n\ndef g():\n    go()\n    return 1\n"
        with pytest.raises(AmbiguousMatch) as caught:
            place(text, "    go()\n    return 1\n", "z\n")
        assert caught.value.hint is not None
        assert "line 2 has `def f():` above it at line 1" in caught.value.hint
        assert "line 6 has `def g():` above it at line 5" in caught.value.hint


@pytest.mark.requirement("files-edit-open-end-unique")
class TestOpenEnd:
    """The last line of a file without a final newline, quoted with one."""

    def test_it_counts_no_more_than_what_differs_in_trailing_blanks(self) -> None:
        with pytest.raises(AmbiguousMatch) as caught:
            place("a  \nb\na", "a\n", "c\n")
        assert caught.value.lines == (1, 3)

    def test_behind_a_part_of_its_indentation_it_counts_as_indented_otherwise(self) -> None:
        with pytest.raises(AmbiguousMatch, match="indentation may differ"):
            place("    return\n        return", "      return\n", "z()\n")

    def test_alone_it_is_replaced(self) -> None:
        assert edited("b\na", "a\n", "c\n") == "b\nc"

    def test_a_literal_match_elsewhere_beats_what_differs_in_trailing_blanks(self) -> None:
        assert edited("a\nb\na ", "a\n", "c\n") == "c\nb\na "


@pytest.mark.requirement("files-edit-blank-lines")
class TestBlankLines:
    TEXT = "import a\n\n\ndef f():\n    x()\n\n    y()\n"

    @pytest.mark.parametrize(
        ("old", "new", "after"),
        [
            ("import a\n\ndef f():", "import a\n\ndef g():", "import a\n\n\ndef g():"),
            (
                "import a\ndef f():",
                "import b\nimport a\ndef f():",
                "import b\nimport a\n\n\ndef f():",
            ),
            ("import a\n\ndef f():", "import b\n\ndef f():", "import b\n\n\ndef f():"),
            (
                "import a\n\ndef f():",
                "import a\nimport b\n\ndef f():",
                "import a\nimport b\n\n\ndef f():",
            ),
            ("import a\n\ndef f():", "import a\n\n@b\ndef f():", "import a\n\n\n@b\ndef f():"),
        ],
    )
    def test_another_number_is_overlooked_and_the_files_own_stay(
        self, old: str, new: str, after: str
    ) -> None:
        assert edited(self.TEXT, old, new) == self.TEXT.replace("import a\n\n\ndef f():", after)

    def test_blank_lines_go_with_the_lines_around_them(self) -> None:
        old = "def f():\n    x()\n    y()\n"
        assert edited(self.TEXT, old, "z = 1\n") == "import a\n\n\nz = 1\n"

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("import a\ndef f():", "import a\nimport b\ndef f():"),
            ("import a\n\ndef f():", "import a\ndef f():"),
            ("import a\n\ndef f():", "import a\n\nb = 1\n\ndef f():"),
            ("import a\n\ndef f():", "import a\nb = 1\n\n@c\ndef f():"),
        ],
    )
    def test_it_is_refused_where_their_place_is_not_clear(self, old: str, new: str) -> None:
        with pytest.raises(NoMatch):
            place(self.TEXT, old, new)

    def test_two_such_blocks_are_refused(self) -> None:
        with pytest.raises(AmbiguousMatch, match="number of blank lines"):
            place("a\n\nb\n---\na\n\n\nb\n", "a\nb\n", "a\nc\n")

    @pytest.mark.parametrize(
        "other", ["one\nadded\ntwo\nthree\nend\n", "one\nthree\nend\n", "two\nthree\nend\n"]
    )
    def test_a_place_that_may_have_been_the_same_before_makes_it_unclear(self, other: str) -> None:
        """That place may be the one that is meant, with a line added or gone since."""
        text = f"{other}one\n\ntwo\nthree\n"
        with pytest.raises(AmbiguousMatch, match="number of blank lines"):
            place(text, "one\ntwo\nthree\n", "one\nthree\n")

    def test_line_ends_and_trailing_blanks_stay(self) -> None:
        assert edited("a \r\n\r\n\r\nb\r\n", "a\n\nb\n", "a\n\nb\nc\n") == (
            "a \r\n\r\n\r\nb\r\nc\r\n"
        )

    def test_blank_lines_around_the_block_are_not_made_up(self) -> None:
        with pytest.raises(NoMatch):
            place("x\na\n\n\nb\n", "\na\n\nb\n", "\na\n\nc\n")


@pytest.mark.requirement("files-edit-elision")
class TestElision:
    TEXT = "def f():\n    a()\n    b()\n    c()\n    return 1\n\nz = 2\n"

    def test_parts_that_are_whole_lines_unique_and_in_order_are_edited(self) -> None:
        got = edited(
            self.TEXT,
            "def f():\n    ...\n    return 1\n",
            "def g():\n    ...\n    d()\n    return 2\n",
        )
        assert got == self.TEXT.replace("def f", "def g").replace(
            "    return 1\n", "    d()\n    return 2\n"
        )

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("def f():\n    ...\n    return 1\n", "def g():\n    return 2\n"),
            ("    return 1\n    ...\ndef f():\n", "    return 2\n    ...\ndef f():\n"),
            ("def f():\n    ...\nreturn 1\n", "def g():\n    ...\nreturn 1\n"),
            ("...\n    return 1\n", "...\n    return 2\n"),
            ("def f():\n    ...\n    return 7\n", "def f():\n    ...\n    return 8\n"),
            ("def f():\n    ...\n    return 1\n", "def f():\n    # ...\n    return 2\n"),
        ],
    )
    def test_anything_else_is_refused(self, old: str, new: str) -> None:
        with pytest.raises(NoMatch, match="leaves lines out"):
            place(self.TEXT, old, new)

    def test_a_line_that_only_has_dots_in_it_leaves_nothing_out(self) -> None:
        for line in ('say("... existing")', '"... the rest",', "f(...)  # same", '"...",'):
            old = f"before = 1\n{line}\nbehind = 2\n"
            with pytest.raises(NoMatch):
                place("before = 1\nother()\nbehind = 2\n", old, old.replace("1", "3"))

    @pytest.mark.parametrize(
        ("text", "old", "new"),
        [
            (
                TEXT,
                "def f():\n    ...\n    return 1\n",
                "def f():\n    ...\n    d()\n    return 1\n",
            ),
            ("a = 1\n# ...\nb = 2\n", "a = 1\n# ...\nb = 2\n", "a = 1\n# ...\nc = 3\nb = 2\n"),
        ],
    )
    def test_lines_added_beside_dots_are_not_added_again(
        self, text: str, old: str, new: str
    ) -> None:
        with pytest.raises(AlreadyApplied):
            place(edited(text, old, new), old, new)

    def test_an_edit_of_which_only_a_part_was_made_is_not_called_made(self) -> None:
        text = self.TEXT.replace("    return 1\n", "    d()\n    return 1\n")
        new = "def g():\n    ...\n    d()\n    return 1\n"
        with pytest.raises(NoMatch, match="leaves lines out"):
            place(text, "def f():\n    ...\n    return 1\n", new)

    def test_a_last_line_goes_with_its_line_end(self) -> None:
        text = "import a\nimport b\nimport c\n\nx\n"
        for end in ("", "\n"):
            got = edited(text, f"import a\n# ...\nimport c{end}", f"import a\n# ...{end}")
            assert got == "import a\nimport b\n\nx\n"
        with pytest.raises(NoMatch, match="leaves lines out"):
            place(text, "import a\n# ...\nimport c", "import a\n# ...\n")

    def test_a_part_that_the_file_has_twice_is_refused(self) -> None:
        text = self.TEXT + "\ndef f():\n    pass\n"
        with pytest.raises(NoMatch, match="leaves lines out"):
            place(text, "def f():\n    ...\n    return 1\n", "def g():\n    ...\n    return 1\n")

    def test_dots_that_the_file_has_are_text(self) -> None:
        text = "def f():\n    ...\n\ndef g():\n    ...\n"
        assert edited(text, "def f():\n    ...\n", "def f():\n    pass\n") == (
            "def f():\n    pass\n\ndef g():\n    ...\n"
        )


class TestShortReplacements:
    def test_few_characters_inside_a_line_are_not_second_guessed(self) -> None:
        assert edited("x = foobar\n", "foo", "foobar") == "x = foobarbar\n"
        with pytest.raises(NoMatch) as caught:
            place("total = 12\n", "size", "12")
        assert not isinstance(caught.value, AlreadyApplied)

    def test_a_whole_line_shows_that_the_edit_was_made(self) -> None:
        with pytest.raises(AlreadyApplied):
            place("a\nx = 2\n", "x = 1\n", "x = 2\n")

    def test_many_characters_show_it_inside_a_line_too(self) -> None:
        with pytest.raises(AlreadyApplied):
            place("from os import path, sep\n", "from os import path", "from os import path, sep")


LINES = st.lists(
    st.sampled_from(["a()", "b()", "if x:", "}", "", "  ", "return 1", "é = 'c'"]), max_size=8
)
INDENTS = st.lists(st.sampled_from(["", "  ", "    ", "\t"]), min_size=8, max_size=8)
TEXTS = st.tuples(LINES, INDENTS, st.booleans()).map(
    lambda parts: "\n".join(map(str.__add__, parts[1], parts[0])) + "\n" * parts[2]
)


@settings(max_examples=600 if LONG else 150)
@given(text=TEXTS, new=TEXTS, data=st.data())
@pytest.mark.requirement("files-edit-to-the-letter")
def test_what_is_there_once_becomes_what_str_replace_makes_of_it(
    text: str, new: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    old = text[start:stop]
    # The end of a file ends its last line, and a result that is there is not made again.
    whole = text + "\n"
    assume(old.strip() and whole.find(old) == whole.rfind(old) and new not in whole)
    expected = text.replace(old, new)
    try:
        assert edited(text, old, new) == expected
    except UnclearIndentation as error:
        margin = text[text.rfind("\n", 0, start) + 1 : start]
        assert margin.isspace()
        assert not old[0].isspace()
        before, after = (_indents(part) for part in (text[:stop], expected[: start + len(new)]))
        moved = any(before[line] != after.get(line) for line in before if line in after)
        assert moved or any(line[:1].strip() for line in new.split("\n")[1:])
        for call in error.repairs.values():
            with suppress(AlreadyApplied):
                assert edited(text, *call) == text.replace(*call)


def _indents(text: str) -> dict[str, set[str]]:
    """The indentations at which each line of *text* occurs."""
    found: dict[str, set[str]] = {}
    for line in text.split("\n"):
        found.setdefault(line.strip(), set()).add(line[: len(line) - len(line.lstrip())])
    return found
