"""Content search: deterministic, bounded, exact totals, nothing outside the roots."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from redline.adapters.ripgrep.search import Collector, Flood, LineParser
from redline.adapters.ripgrep.search_port import Ripgrep
from redline.core.errors import Cancelled, InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, GrepQuery, GrepResult
from tests.search.plain_tree import PlainTree

ROOT = WorkspacePath(0, ())


class Patient:
    """Never cancels."""

    def check(self) -> None: ...

    def on_cancel(self, action: Callable[[], None]) -> None: ...


class GaveUp:
    """Has cancelled already."""

    def check(self) -> None:
        raise Cancelled("Cancelled")

    def on_cancel(self, action: Callable[[], None]) -> None:
        action()


def _at(relative: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(relative.split("/")))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "ws"
    base.mkdir()
    return base


@pytest.fixture
def grep(base: Path) -> Ripgrep:
    return Ripgrep([str(base)], PlainTree(base))


def _write(base: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _found(grep: Ripgrep, where: WorkspacePath, query: GrepQuery) -> list[tuple[str, int, int]]:
    result = grep.search([where], query, Patient())
    return [(line.path, line.line, line.column) for line in result.lines]


def test_lines_come_in_path_order_with_character_columns(base: Path, grep: Ripgrep) -> None:
    _write(base, {"b.txt": "x\néé foo\n", "a/z.txt": "foo\r\nfoo\n", "a.txt": "foo foo\n"})
    found = _found(grep, ROOT, GrepQuery("foo", literal=True))
    assert found == [("a/z.txt", 1, 1), ("a/z.txt", 2, 1), ("a.txt", 1, 1), ("b.txt", 2, 4)]


def test_text_carries_no_line_end_and_keeps_blanks(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a.txt": "  foo \t\r\n"})
    result = grep.search([ROOT], GrepQuery("foo"), Patient())
    assert [line.text for line in result.lines] == ["  foo \t"]


def test_total_counts_beyond_the_cap_and_the_first_paths_win(base: Path, grep: Ripgrep) -> None:
    _write(base, {f"d{i:03}/f.txt": "foo\n" * 50 for i in range(200)})
    result = grep.search([ROOT], GrepQuery("foo", max_matches=75), Patient())
    assert result.total == 10_000
    assert [line.path.split("/")[0] for line in result.lines] == ["d000"] * 50 + ["d001"] * 25


def test_context_lines_are_given_once_and_marked(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a.txt": "1\nfoo\n3\nfoo\n5\n6\n"})
    result = grep.search([ROOT], GrepQuery("foo", context=1), Patient())
    assert [(x.line, x.is_match) for x in result.lines] == [
        (1, False),
        (2, True),
        (3, False),
        (4, True),
        (5, False),
    ]
    assert result.total == 2


def test_ignore_rules_of_parents_hold_in_a_subdirectory(base: Path, grep: Ripgrep) -> None:
    _write(
        base,
        {
            ".gitignore": "*.log\n/sub/gone\n",
            "sub/.gitignore": "!keep.log\nown/*.txt\n",
            "sub/a.log": "foo",
            "sub/keep.log": "foo",
            "sub/gone": "foo",
            "sub/own/x.txt": "foo",
            "sub/in/own/x.txt": "foo",
        },
    )
    expected = [("sub/in/own/x.txt", 1, 1), ("sub/keep.log", 1, 1)]
    assert _found(grep, ROOT, GrepQuery("foo")) == expected
    assert _found(grep, _at("sub"), GrepQuery("foo")) == expected
    assert _found(grep, _at("sub/in"), GrepQuery("foo")) == expected[:1]
    assert len(_found(grep, _at("sub"), GrepQuery("foo", ignored=True))) == 5


def test_include_globs_do_not_bring_back_what_is_hidden_or_ignored(
    base: Path, grep: Ripgrep
) -> None:
    _write(
        base,
        {
            ".gitignore": "gen.py\n",
            "a.py": "foo",
            ".h.py": "foo",
            ".d/x.py": "foo",
            "gen.py": "foo",
            "s/b.py": "foo",
            "s/b.txt": "foo",
        },
    )
    assert _found(grep, ROOT, GrepQuery("foo", include=("*.py",))) == [
        ("a.py", 1, 1),
        ("s/b.py", 1, 1),
    ]
    assert _found(grep, ROOT, GrepQuery("foo", include=("s/*",))) == [
        ("s/b.py", 1, 1),
        ("s/b.txt", 1, 1),
    ]
    assert _found(grep, ROOT, GrepQuery("foo", include=("**/*.{py,txt}",), exclude=("s/",))) == [
        ("a.py", 1, 1)
    ]


def test_binary_files_are_left_out_of_lines_and_totals(base: Path, grep: Ripgrep) -> None:
    _write(base, {"bin": b"foo\0bar\nfoo\n", "t.txt": "foo\n"})
    result = grep.search([ROOT], GrepQuery("foo"), Patient())
    assert (result.total, len(result.lines)) == (1, 1)
    assert grep.search([_at("bin")], GrepQuery("foo"), Patient()).total == 0


def test_files_that_are_not_utf8_are_left_out_only_on_request(base: Path, grep: Ripgrep) -> None:
    _write(base, {"l1.txt": b"\x81\x8d foo\n"})
    result = grep.search([ROOT], GrepQuery("foo"), Patient())
    assert result.lines[0].text.encode("utf-8", "surrogateescape") == b"\x81\x8d foo"
    assert grep.search([ROOT], GrepQuery("foo", utf8_only=True), Patient()).total == 0


def test_a_long_line_is_cut_and_its_column_stays(base: Path, grep: Ripgrep) -> None:
    _write(base, {"min.js": "x" * 100_000 + "foo\n"})
    [line] = grep.search([ROOT], GrepQuery("foo", longest_line=1000), Patient()).lines
    assert line.text == "x" * 1000
    assert line.column == 100_001


def test_a_bad_regex_is_an_invalid_pattern(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a": "foo"})
    with pytest.raises(InvalidPattern, match="unclosed"):
        grep.search([ROOT], GrepQuery("(foo"), Patient())
    with pytest.raises(InvalidPattern):
        grep.search([ROOT], GrepQuery("a\nb", literal=True), Patient())


def test_a_query_that_looks_like_a_flag_is_only_a_query(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a": "--pre=touch x\n", "-f": "--pre=touch x"})
    assert len(_found(grep, ROOT, GrepQuery("--pre=touch", literal=True))) == 2
    assert len(_found(grep, _at("-f"), GrepQuery("--pre"))) == 1


def test_a_cancelled_search_says_so(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a": "foo"})
    with pytest.raises(Cancelled):
        grep.search([ROOT], GrepQuery("foo"), GaveUp())


def test_a_late_search_is_stopped_and_says_so(base: Path, grep: Ripgrep) -> None:
    import os

    os.mkfifo(base / "waits")
    release = threading.Timer(20, lambda: os.close(os.open(base / "waits", os.O_WRONLY)))
    release.daemon = True
    release.start()
    try:
        result = grep.search([_at("waits")], GrepQuery("foo", deadline=0.2), Patient())
    finally:
        release.cancel()
    assert result.timed_out


def test_links_are_not_followed_and_nothing_outside_is_read(base: Path, grep: Ripgrep) -> None:
    outside = base.parent / "outside"
    _write(outside, {"secret.txt": "foo\n"})
    (base / "link").symlink_to(outside)
    (base / "file").symlink_to(outside / "secret.txt")
    assert _found(grep, ROOT, GrepQuery("foo")) == []
    if grep.processes.guard.confined:
        # Even a path that became a link after it was checked leads nowhere.
        assert _found(grep, _at("link"), GrepQuery("foo")) == []
        assert _found(grep, _at("file"), GrepQuery("foo")) == []


def test_files_lists_in_path_order(base: Path, grep: Ripgrep) -> None:
    _write(base, {".gitignore": "x\n", "b/c": "", "b.txt": "", "x": "", ".h": ""})
    listed = grep.files(ROOT, [], hidden=False, ignored=False)
    assert [path.relative for path in listed] == ["b/c", "b.txt"]
    listed = grep.files(ROOT, ["*.txt"], hidden=True, ignored=True)
    assert [path.relative for path in listed] == ["b.txt"]


def test_a_name_with_line_breaks_stays_one_name(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a\nb": "foo\n", "c": "foo\n"})
    assert _found(grep, ROOT, GrepQuery("foo")) == [("a\nb", 1, 1), ("c", 1, 1)]


OUTPUT = (
    b"./b\x001:foo\n3:foo\n\n./a/x\x0012:foo\n\n./new\nline\x007:foo\n\n./a\n\n./b\x001:odd\n"
    b'\n./small: binary file matches (found "\\0" byte around offset 7)\n'
    b'\n./ne\nw\x001:foo\n./ne\nw: binary file matches (found "\\0" byte around offset 99)\n'
    b'./alone: binary file matches (found "\\0" byte around offset 0)\n'
    b'\n./text\x001:./text: binary file matches (found "\\0" byte around offset 7)\n'
)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 20, 1000])
@pytest.mark.parametrize("limit", [0, 1, 10])
def test_output_may_arrive_in_any_pieces(step: int, limit: int) -> None:
    collector = Collector(limit)
    for start in range(0, len(OUTPUT), step):
        collector.feed(OUTPUT[start : start + step])
    collector.close()
    assert collector.total == 6
    assert sorted(collector.binary) == [b"alone", b"ne\nw", b"small"]
    found = collector.files()
    whole = [
        ("a/x", b"12:foo"),
        ("a\n\n./b", b"1:odd"),
        ("b", b"1:foo\n3:foo"),
        ("new\nline", b"7:foo"),
        ("text", b'1:./text: binary file matches (found "\\0" byte around offset 7)'),
    ]
    assert found == (whole if limit == 10 else whole[:1])


def test_a_line_that_was_cut_off_is_left_away() -> None:
    collector = Collector(10)
    collector.feed(b"./a\x001:foo\n2:fo")
    collector.close(complete=False)
    assert (collector.total, collector.files()) == (1, [("a", b"1:foo")])


def test_files_behind_the_limit_are_counted_but_not_kept() -> None:
    collector = Collector(5)
    for number in range(100_000, 0, -1):
        between = b"\n" if number < 100_000 else b""
        collector.feed(between + b"./f%06d\x001:x\n2:x\n" % number)
        assert len(collector._files) < 1100
    collector.close()
    assert collector.total == 200_000
    assert [path for path, _ in collector.files()] == ["f000001", "f000002", "f000003"]


def test_lines_of_one_file_behind_the_limit_are_counted_but_not_kept() -> None:
    collector = Collector(5, utf8_only=True)
    collector.feed(b"./a\x001:x")
    for number in range(2, 100_000):
        collector.feed(b"\n%d:x" % number)
        if number % 1000 == 0:
            assert collector._open is not None
            assert len(collector._open.body) < 100
    collector.feed(b"\n")
    collector.close()
    assert collector.total == 99_999
    hits = LineParser(100, columns=False).hits(collector.files())
    assert hits[:5] == [("a", number, 1, "x") for number in range(1, 6)]


def test_a_file_is_left_out_for_bytes_behind_the_limit() -> None:
    collector = Collector(1, utf8_only=True)
    collector.feed(b"./a\x001:x\n2:x\n3:x\n")
    collector.feed(b"4:\xe9\n")
    collector.feed(b"5:x\n")
    collector.close()
    assert collector.total == 0


def test_context_of_a_line_behind_the_cap_is_left_out(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a.txt": "foo\n" * 3 + "x\n" * 5 + "foo\n"})
    result = grep.search([ROOT], GrepQuery("foo", context=1, max_matches=2), Patient())
    assert [line.line for line in result.lines if line.is_match] == [1, 2]
    assert result.total == 4


def test_many_files_with_long_names_are_all_found(base: Path, grep: Ripgrep) -> None:
    long = "n" * 200
    _write(base, {f"{long}{i:04}": f"foo {'x' * 1000}\n" for i in range(700)})
    result = grep.search([ROOT], GrepQuery("foo", max_matches=650), Patient())
    assert len(result.lines) == 650
    assert [line.path for line in result.lines] == [f"{long}{i:04}" for i in range(650)]


LATE = b"foo\n" + b"x\n" * 60_000 + b"\0\nfoo\n"

MIXED: dict[str, str | bytes] = {
    "a.txt": "one foo\n\n./b.txt\nfoo\nFOO é foo\n",
    "a/z.txt": "x\n" * 5 + "12:3:foo\n11-x\nfoo\r\n",
    "a\n9:1:foo/odd\nname": "foo\n\n\nfoo\n",
    "binary/at-once": b"\0foo\nfoo\n",
    "binary/late": LATE,
    "latin/shown": b"caf\xe9\nfoo caf\xe9\n",
    "latin/far": b"caf\xe9\n\n\n\n\nfoo\n",
    "notice": "foo: binary file matches (found it)\n",
    "no-end": "x\nfoo",
    "wide": "y" * 9000 + "foo\nfoo\n",
}


NEVER = Flood(seconds=0)
ALWAYS = Flood(lines=0, seconds=60, patience=60)
IN_VAIN = Flood(lines=0, seconds=60, patience=0)
# Nothing is counted where the first lines are enough.
UNCOUNTED = Flood(lines=0, seconds=60, patience=60)


@pytest.mark.parametrize(
    "flood", [NEVER, ALWAYS, IN_VAIN, UNCOUNTED], ids=["never", "always", "in vain", "uncounted"]
)
@pytest.mark.parametrize("left_out", ["", "binary", "notice"])
@pytest.mark.parametrize("binary", list(Binary))
@pytest.mark.parametrize("utf8_only", [False, True])
@pytest.mark.parametrize("context", [0, 2])
def test_an_answer_is_the_same_before_a_flood_of_others(
    base: Path, flood: Flood, left_out: str, binary: Binary, utf8_only: bool, context: int
) -> None:
    grep = Ripgrep([str(base)], PlainTree(base), flood)
    counts = binary is not Binary.NAME and flood is not UNCOUNTED

    def search(most: int) -> GrepResult:
        query = GrepQuery(
            "foo",
            max_matches=most,
            context=context,
            utf8_only=utf8_only,
            binary=binary,
            counts=counts,
        )
        return grep.search([ROOT], query, Patient())

    _write(base, {k: v for k, v in MIXED.items() if not left_out or left_out not in k})
    few = search(1000)
    matching = [line for line in few.lines if line.is_match]
    assert few.total == len(matching) > 5
    _write(base, {f"~{i}": "foo bar bar bar\n" * 2_000 for i in range(8)})
    for most in (3, few.total - 1, few.total):
        much = search(most)
        assert much.total > most
        assert much.total == few.total + 16_000 or most < few.total or not counts
        assert [line for line in much.lines if line.is_match] == matching[:most]
        if most == few.total:
            assert much.lines == few.lines


def test_a_flood_is_cut_off_when_nothing_is_to_be_counted(base: Path) -> None:
    grep = Ripgrep([str(base)], PlainTree(base), Flood(lines=100, seconds=60, patience=60))
    _write(base, {f"{n:02}": "foo\n" * 50 for n in range(20)})
    query = GrepQuery("foo", literal=True, utf8_only=True, max_matches=60, counts=False)
    cut = grep.search([ROOT], query, Patient())
    assert (cut.total, cut.counted) == (61, False)
    assert [line.path for line in cut.lines] == ["00"] * 50 + ["01"] * 10
    few = grep.search([ROOT], replace(query, include=("0[01]",)), Patient())
    assert (few.total, few.counted) == (100, True)
    # A file in another encoding may come first; then the search goes on to the end.
    russian = (
        "foo \u0434\u0435\u043d\u044c \u0438 \u043d\u043e\u0447\u044c, \u0434\u0435\u043d\u044c\n"
        * 5
    )
    _write(base, {"0": russian.encode("cp1251")})
    mixed = grep.search([ROOT], query, Patient())
    assert [line.path for line in mixed.lines][:6] == ["0"] * 5 + ["00"]
    assert len(mixed.lines) == 60


@pytest.mark.parametrize("flood", [NEVER, ALWAYS, IN_VAIN])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("late", [b"", LATE])
def test_a_pattern_with_an_end_of_line_finds_the_same_lines_in_a_flood(
    base: Path, flood: Flood, counts: bool, late: bytes
) -> None:
    grep = Ripgrep([str(base)], PlainTree(base), flood)
    _write(base, {"a": "foo\n" * 3, "b/c": "x\r\nfoo\r\n" * 3, "late": late})
    _write(base, {f"~{number}": "foo\n" * 50 for number in range(8)})
    query = GrepQuery("foo$", max_matches=5, counts=counts)
    result = grep.search([ROOT], query, Patient())
    assert [(line.path, line.line) for line in result.lines] == [
        *(("a", number) for number in (1, 2, 3)),
        *(("b/c", number) for number in (2, 4)),
    ]
    assert result.total == (406 if result.counted else 6)
    assert [line.text for line in result.lines] == ["foo"] * 5


@pytest.mark.parametrize("flood", [NEVER, ALWAYS])
def test_the_first_lines_of_several_places_are_those_of_the_first_paths(
    base: Path, flood: Flood
) -> None:
    grep = Ripgrep([str(base)], PlainTree(base), flood)
    _write(base, dict.fromkeys(("c/d/x", "b", "a/y", "c/x", "d"), "foo\n" * 30))
    where = [_at("c"), _at("d"), _at("a/y"), _at("c/d"), _at("b")]
    result = grep.search(where, GrepQuery("foo", max_matches=70), Patient())
    assert [line.path for line in result.lines] == ["a/y"] * 30 + ["b"] * 30 + ["c/d/x"] * 10
    assert result.total == 150


@pytest.mark.parametrize("ignore_case", [False, True])
@pytest.mark.parametrize("literal", [False, True])
def test_columns_are_those_of_the_first_match(
    base: Path, grep: Ripgrep, ignore_case: bool, literal: bool
) -> None:
    lines = ["ask", "ASK", "a\u017f\u212a", "\u00e9 ask ask", "x" * 9000 + " ask", "ASk ask"]
    _write(base, {"a": "".join(f"{line}\n" for line in lines)})
    query = GrepQuery("ask", ignore_case=ignore_case, literal=literal)
    found = [(line, column) for _, line, column in _found(grep, ROOT, query)]
    either = [(1, 1), (4, 3), (5, 9002)]
    assert found == sorted(either + ([(2, 1), (3, 1), (6, 1)] if ignore_case else [(6, 5)]))


def test_nul_is_refused_before_a_program_is_started(grep: Ripgrep) -> None:
    for query in (
        GrepQuery("x", include=("a\0b",)),
        GrepQuery("x", exclude=("a\0b",)),
        GrepQuery("a\0b"),
        GrepQuery("a\0b", literal=True),
    ):
        with pytest.raises(InvalidPattern, match="NUL"):
            grep.search([ROOT], query, Patient())
    with pytest.raises(InvalidPattern, match="NUL"):
        list(grep.files(ROOT, ["a\0b"], hidden=False, ignored=False))
