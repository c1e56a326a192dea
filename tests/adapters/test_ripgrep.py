"""Content search: deterministic, bounded, exact totals, nothing outside the roots."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.adapters.ripgrep import Ripgrep
from redline.adapters.ripgrep_output import CountCollector
from redline.core.errors import Cancelled, InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepQuery, GrepResult
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
    return [(line.path.relative, line.line, line.column) for line in result.lines]


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
    assert [line.path.parts[0] for line in result.lines] == ["d000"] * 50 + ["d001"] * 25


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
    _write(base, {"l1.txt": b"caf\xe9 foo\n"})
    result = grep.search([ROOT], GrepQuery("foo"), Patient())
    assert result.lines[0].text == "caf\udce9 foo"
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


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_counts_may_arrive_in_any_pieces(step: int) -> None:
    output = b"./b\x0012\n./a/x\x003\n./new\nline\x001\n"
    collector = CountCollector(10, None)
    for start in range(0, len(output), step):
        collector.feed(output[start : start + step])
    assert collector.total == 16
    assert collector.files() == [(b"a/x", 3), (b"b", 12), (b"new\nline", 1)]


def test_files_behind_the_limit_are_counted_but_not_kept() -> None:
    collector = CountCollector(5, None)
    for number in range(100_000, 0, -1):
        collector.feed(b"./f%06d\x002\n" % number)
        assert len(collector._files) < 1100
    assert collector.total == 200_000
    assert collector.files()[:2] == [(b"f000001", 2), (b"f000002", 2)]


def test_context_of_a_line_behind_the_cap_is_left_out(base: Path, grep: Ripgrep) -> None:
    _write(base, {"a.txt": "foo\n" * 3 + "x\n" * 5 + "foo\n"})
    result = grep.search([ROOT], GrepQuery("foo", context=1, max_matches=2), Patient())
    assert [line.line for line in result.lines if line.is_match] == [1, 2]
    assert result.total == 4


def test_many_files_are_fetched_in_several_command_lines(base: Path, grep: Ripgrep) -> None:
    long = "n" * 200
    _write(base, {f"{long}{i:04}": f"foo {'x' * 1000}\n" for i in range(700)})
    result = grep.search([ROOT], GrepQuery("foo", max_matches=650), Patient())
    assert len(result.lines) == 650
    assert [line.path.name for line in result.lines] == [f"{long}{i:04}" for i in range(650)]


MIXED: dict[str, str | bytes] = {
    "a.txt": "one foo\n\n./b.txt\nfoo\nFOO é foo\n",
    "a/z.txt": "x\n" * 5 + "12:3:foo\n11-x\nfoo\r\n",
    "a\n9:1:foo/odd\nname": "foo\n\n\nfoo\n",
    "binary/at-once": b"\0foo\nfoo\n",
    "binary/late": b"foo\n" + b"x\n" * 60_000 + b"\0\nfoo\n",
    "latin/shown": b"caf\xe9\nfoo caf\xe9\n",
    "latin/far": b"caf\xe9\n\n\n\n\nfoo\n",
    "notice": "foo: binary file matches (found it)\n",
    "no-end": "x\nfoo",
    "wide": "y" * 9000 + "foo\nfoo\n",
}


@pytest.mark.parametrize("left_out", ["", "binary", "notice"])
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("utf8_only", [False, True])
@pytest.mark.parametrize("context", [0, 2])
def test_an_answer_is_the_same_beside_more_than_is_read_at_once(
    base: Path, grep: Ripgrep, left_out: str, text: bool, utf8_only: bool, context: int
) -> None:
    def search(most: int) -> GrepResult:
        query = GrepQuery("foo", max_matches=most, context=context, utf8_only=utf8_only, text=text)
        return grep.search([ROOT], query, Patient())

    _write(base, {k: v for k, v in MIXED.items() if not left_out or left_out not in k})
    few = search(1000)
    matching = [line for line in few.lines if line.is_match]
    assert few.total == len(matching) > 5
    _write(base, {f"~{i}": "foo bar bar bar\n" * 10_000 for i in range(8)})
    for most in (3, few.total - 1, few.total):
        much = search(most)
        assert much.total == few.total + 80_000 or most < few.total
        assert [line for line in much.lines if line.is_match] == matching[:most]
        if most == few.total:
            assert much.lines == few.lines


def test_a_glob_with_nul_is_refused_before_a_program_is_started(grep: Ripgrep) -> None:
    for query in (GrepQuery("x", include=("a\0b",)), GrepQuery("x", exclude=("a\0b",))):
        with pytest.raises(InvalidPattern, match="NUL"):
            grep.search([ROOT], query, Patient())
    with pytest.raises(InvalidPattern, match="NUL"):
        list(grep.files(ROOT, ["a\0b"], hidden=False, ignored=False))
