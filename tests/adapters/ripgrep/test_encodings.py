"""Searching text in many encodings gives what decoding every file and matching in Python gives."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from redline.adapters.ripgrep import process
from redline.adapters.ripgrep.candidates import wide_forms
from redline.adapters.ripgrep.search import Flood
from redline.adapters.ripgrep.search_port import Ripgrep
from redline.core.errors import InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, GrepQuery, GrepResult
from tests.encodings.samples import SAMPLES
from tests.search.plain_tree import PlainTree

pytestmark = pytest.mark.requirement("encodings-search")

ROOT = WorkspacePath(0, ())
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
FLOODS = (Flood(), Flood(lines=0, seconds=60, patience=60), Flood(lines=0, seconds=60, patience=0))


class Patient:
    """Never cancels."""

    def check(self) -> None: ...

    def on_cancel(self, action: Callable[[], None]) -> None: ...


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "ws"
    base.mkdir()
    return base


def open_grep(base: Path, flood: Flood = FLOODS[0], *, is_held: bool = True) -> Ripgrep:
    """As a server does on Linux: the root is an open directory.

    Without *is_held* it holds what tools may not read, so that the tree reads every file.
    """
    root = os.open(base, os.O_RDONLY) if hasattr(os, "memfd_create") else str(base)
    sealed = () if is_held else (("sealed",),)
    return Ripgrep([root], PlainTree(base), flood, lambda _: sealed)


def search(grep: Ripgrep, query: GrepQuery) -> GrepResult:
    return grep.search([ROOT], query, Patient())


def found(grep: Ripgrep, pattern: str, *, literal: bool = True) -> list[tuple[str, int]]:
    lines = search(grep, GrepQuery(pattern, literal=literal)).lines
    return [(line.path, line.line) for line in lines]


# --- against an independent judge ---

TEXTS = [(sample.text, sample.encoding, sample.mark) for sample in SAMPLES]
PLAIN = [(text, "utf-8", mark) for text, _, _ in TEXTS for mark in (b"", b"\xef\xbb\xbf")]
NOISE = (b"\x89PNG\r\n\x1a\n\0\0limit = 3\xff", b"\0limit = 30\n")


@st.composite
def patterns(draw: st.DrawFn, text: str) -> tuple[str, bool]:
    """A part of a line, as it is or as a regular expression, perhaps with other ones."""
    line = draw(st.sampled_from([each for each in text.splitlines() if len(each) > 3]))
    start = draw(st.integers(0, len(line) - 2))
    part = line[start : start + draw(st.integers(1, 12))]
    if draw(st.booleans()):
        return part, True
    at = draw(st.integers(0, len(part) - 1))
    before, after = re.escape(part[:at]), re.escape(part[at + 1 :])
    middle = draw(st.sampled_from([".", r"\S?\s*", "(?:nothing|.)", "[^0]", "x*.", ".{1}", ".+"]))
    ends = draw(st.sampled_from(["{}", "^.*{}", "{}.*$", r"\b{}|30\b", "{}|nothing", "({})+"]))
    return ends.format(before + middle + after), False


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[tuple[str, str, bytes]], str, bool]:
    files = draw(st.lists(st.sampled_from(TEXTS + PLAIN), min_size=1, max_size=6))
    pattern, literal = draw(patterns(draw(st.sampled_from(files))[0]))
    return files, pattern, literal


@settings(max_examples=120)
@given(
    questions(), st.booleans(), st.sampled_from(FLOODS), st.sampled_from([1000, 3]), st.booleans()
)
@example((TEXTS[:1] + PLAIN[:2], ".", False), False, FLOODS[1], 3, True)
@example((TEXTS[:1] + PLAIN[:2], ".", False), False, FLOODS[1], 3, False)
def test_a_search_finds_what_decoding_every_file_and_matching_finds(
    question: tuple[list[tuple[str, str, bytes]], str, bool],
    ignore_case: bool,
    flood: Flood,
    limit: int,
    is_held: bool,
) -> None:
    files, pattern, literal = question
    sought = re.compile(
        re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0
    )
    base = Path(tempfile.mkdtemp())
    try:
        expected: list[tuple[str, int, str, int]] = []
        for number, (text, encoding, mark) in enumerate(files):
            name = f"{'abc'[number % 3]}/{number}"
            (base / name).parent.mkdir(exist_ok=True)
            (base / name).write_bytes(mark + text.encode(encoding))
            expected += [
                (name, at, line, match.start() + 1)
                for at, line in enumerate(text.split("\n"), 1)
                if (match := sought.search(line)) and (line or at <= text.count("\n"))
            ]
        for number, content in enumerate(NOISE):
            (base / f"noise{number}").write_bytes(content)
        expected.sort()
        grep = open_grep(base, flood, is_held=is_held)
        query = GrepQuery(pattern, literal, ignore_case, max_matches=limit)
        for _ in range(2):  # the second time with what the first has found out
            result = search(grep, query)
            lines = [(line.path, line.line, line.text, line.column) for line in result.lines]
            assert lines == expected[:limit]
            assert result.total == len(expected)
    finally:
        shutil.rmtree(base)


ATOMS = ("a", "b", "Q", "K", "s", "7", "_", "-", r"\.", r"\w", "[ab]", "[aA]", ".", "é", " ")
AFTER = ("", "", "", "", "+", "*", "?", "{2}", "{0}", "{0,1}")


@settings(max_examples=400)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(AFTER)), max_size=6).map(
            lambda atoms: "".join(map("".join, atoms))
        ),
        min_size=1,
        max_size=3,
    ),
    st.text("abAqQkKsS7_-.é \u212a\u017f", max_size=12),
    st.booleans(),
)
def test_where_a_pattern_matches_its_wide_forms_match_the_bytes(
    branches: list[str], text: str, ignore_case: bool
) -> None:
    pattern = "|".join(branches)
    assume(re.search(pattern, text, re.IGNORECASE if ignore_case else 0))
    forms = wide_forms(GrepQuery(pattern, ignore_case=ignore_case)).replace("(?i-u:", "(?i:")
    for encoding in WIDE:
        assert re.search(forms.encode(), f"\n{text}\n".encode(encoding))


@pytest.mark.parametrize(
    ("pattern", "literal", "form"),
    [
        ("needle(", True, r"(?i-u:n\x00(?:\x00\x00)?e)"),
        ("sk", True, r"\x00"),
        ("task", True, r"(?i-u:t\x00(?:\x00\x00)?a)"),
        ("день", True, r"\x00"),
        (r"\bfo+\(", False, r"(?i-u:f\x00(?:\x00\x00)?o)"),
        ("ab|cd", False, r"(?i-u:a\x00(?:\x00\x00)?b|c\x00(?:\x00\x00)?d)"),
        ("ab|c?d", False, r"\x00"),
        ("(ab)?", False, r"\x00"),
        (r"\p{L}ab", False, r"\x00"),
        ("[[a]b]ab", False, r"\x00"),
        (r"\x28[aA][bB]", False, r"(?i-u:a\x00(?:\x00\x00)?b)"),
    ],
)
def test_two_letters_of_every_match_are_looked_for_where_they_are_known(
    pattern: str, literal: bool, form: str
) -> None:
    assert wide_forms(GrepQuery(pattern, literal)) == form


# --- files that change between two searches ---


def test_a_file_is_found_as_what_it_is_at_each_search(base: Path) -> None:
    grep, file = open_grep(base), base / "a.txt"
    text = "the limit is a needle\n" * 3
    every = [("a.txt", line) for line in (1, 2, 3)]
    for encoding in (*WIDE, "utf-8", "cp1252", *WIDE, "utf-8"):
        file.write_bytes(text.encode(encoding))
        assert found(grep, "needle") == every, encoding
        assert found(grep, "nothing") == []
    file.unlink()
    assert found(grep, "needle") == []
    new = base / "new.txt"
    new.write_bytes(SAMPLES[0].raw)
    assert found(grep, SAMPLES[0].word) == [("new.txt", _line_of(0))]


def _line_of(number: int) -> int:
    sample = SAMPLES[number]
    return sample.text[: sample.text.index(sample.word)].count("\n") + 1


@pytest.mark.parametrize("binary", list(Binary))
def test_a_change_that_keeps_size_and_time_is_seen_at_once(base: Path, binary: Binary) -> None:
    grep, file = open_grep(base), base / "a.txt"
    text = "the needle is found here\n" * 4
    wide = text.encode("utf-16-le")
    noise = b"\0needle\xff\n".ljust(len(wide), b"\xfe")
    for content in (wide, noise, wide, text.encode() * 2, noise, wide):
        file.write_bytes(content)
        os.utime(file, ns=(10**18, 10**18))
        lines = search(grep, GrepQuery("the needle", binary=binary)).lines
        assert len(lines) == {wide: 4, noise: 0}.get(content, 8)


def test_what_is_known_to_be_binary_hides_no_match(base: Path) -> None:
    for number in range(8):
        (base / f"{number}").write_bytes(b"foo\0\xff\n")
    (base / "t").write_bytes(b"foo\n")
    for binary in (Binary.SKIP, Binary.NAME):
        grep = open_grep(base, Flood(lines=2, seconds=0))
        for _ in range(3):
            result = search(grep, GrepQuery("foo", max_matches=1, binary=binary))
            assert [line.path for line in result.lines] == ["t"]
            assert result.total == 1
        (base / "3").write_bytes(b"foo\n")
        assert search(grep, GrepQuery("foo", max_matches=1, binary=binary)).total == 2
        (base / "3").write_bytes(b"foo\0\xff\n")


# --- what is not decoded ---


def test_what_is_valid_utf8_is_searched_as_utf8_whatever_it_declares(base: Path) -> None:
    (base / "a.py").write_text("# coding: latin-1\n\ufffd na\u00efve\n", "utf-8")
    grep = open_grep(base)
    assert found(grep, "na\u00efve") == [("a.py", 2)]
    assert found(grep, "\u00c3") == []


@pytest.mark.parametrize("is_held", [True, False])
def test_what_has_the_mark_of_utf16_and_is_none_is_read_as_ripgrep_reads_it(
    base: Path, is_held: bool
) -> None:
    (base / "a").write_bytes(b"\xff\xfe" + "x needle\n".encode("utf-16-le") + b"\x00\xd8\n\0")
    grep = open_grep(base, is_held=is_held)
    assert found(grep, "needle") == found(grep, "needle") == [("a", 1)]


@pytest.mark.parametrize("is_held", [True, False])
def test_a_pattern_that_cannot_match_is_refused_where_no_file_may_match(
    base: Path, is_held: bool
) -> None:
    (base / "a").write_text("text\n")
    with pytest.raises(InvalidPattern, match="impossible to match"):
        search(open_grep(base, is_held=is_held), GrepQuery(r"absent\x00"))
    with pytest.raises(InvalidPattern, match=r"\(\?:absent\(\)\n"):
        search(open_grep(base, is_held=is_held), GrepQuery("absent("))


def test_what_is_listed_when_the_time_is_up_is_searched(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "waits_for_pipe", lambda _: False)
    (base / "a").write_text("needle\n")
    os.mkfifo(base / "waits")
    where = [WorkspacePath(0, ("a",)), WorkspacePath(0, ("waits",))]
    result = open_grep(base).search(where, GrepQuery("needle", deadline=2), Patient())
    assert result.timed_out
    assert [line.path for line in result.lines] == ["a"]
