"""ripgrep and the ECMAScript engine give the same lines, or ripgrep is not asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.core.errors import InvalidPattern
from redline.core.paths import WorkspacePath
from redline.search.content import Base, ContentQuestion, ContentSearch, SearchScope
from redline.search.es_regex import translate
from redline.search.walk import Excludes
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import LONG

ROOT = WorkspacePath(0, ())
EVERYTHING = SearchScope((Base(ROOT),), ROOT, Excludes([]))


class Patient:
    """Never cancels."""

    def check(self) -> None: ...

    def on_cancel(self, action: Callable[[], None]) -> None: ...


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Redline]]:
    base = tmp_path_factory.mktemp("content")
    (base / "ws").mkdir()
    made = Redline(Settings(workspace=str(base / "ws"), state_dir=str(base / "state")))
    yield base / "ws", made
    made.close()


ATOMS = ["a", "b", "K", "s", "S", "é", "_", "1", " ", "-", "\\.", "\\/", ".", "\\d", "\\w", "\\s"]
ATOMS += ["\\W", "\\D", "\\S", "[ab]", "[^a]", "[a-c_]", "[^\\w]", "[\\d-]", "(a|b)", "(?:a|)"]
ATOMS += ["\\x41", "\\u0062", "\\t"]
PIECES = st.builds(
    lambda atom, quantifier: atom + quantifier,
    st.sampled_from(ATOMS),
    st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "+?"]),
)
PATTERNS = st.builds(
    lambda head, body, tail: head + "".join(body) + tail,
    st.sampled_from(["", "", "^", "\\b"]),
    st.lists(PIECES, min_size=1, max_size=4),
    st.sampled_from(["", "", "$", "\\b"]),
)
LINES = st.lists(
    st.text("abcABKkS\u017f\u212asé_1 -./\t\u00a0\u2028\ufeffß\udce9\udcc3", max_size=8), max_size=6
)


@settings(
    max_examples=600 if LONG else 60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    pattern=PATTERNS,
    lines=LINES,
    end=st.sampled_from(["\n", "\r\n"]),
    ignore_case=st.booleans(),
    context=st.integers(0, 2),
    cap=st.integers(1, 4),
)
def test_both_engines_agree_on_every_line(
    runtime: tuple[Path, Redline],
    pattern: str,
    lines: list[str],
    end: str,
    ignore_case: bool,
    context: int,
    cap: int,
) -> None:
    base, made = runtime
    text = "".join(line + end for line in lines)
    (base / "f").write_bytes(text.encode("utf-8", "surrogateescape"))
    search = ContentSearch(made.tree, made.regex, made.grep, Patient())
    question = ContentQuestion(pattern, ignore_case=ignore_case, context=context, cap=cap)
    slow = search.by_worker(question, EVERYTHING)
    quick = search.run(question, EVERYTHING)
    assert [(h.line, h.text, h.is_match) for h in quick.lines] == [
        (h.line, h.text, h.is_match) for h in slow.lines
    ]
    assert quick.truncated == slow.truncated


@pytest.mark.parametrize(
    "pattern",
    ["(?=a)", "(?<!a)b", "(a)\\1", "(?<n>a)", "\\Ba", "a\\r", "\\p{L}", "a{", "]", "\\cA", "[b-a]"],
)
def test_what_has_no_equal_stays_with_the_ecmascript_engine(pattern: str) -> None:
    assert translate(pattern, ignore_case=False) is None


@pytest.mark.parametrize("pattern", ["TODO", "foo\\(", "^\\s*def \\w+", "a|b", "[^x]+$", "x{2,3}?"])
def test_everyday_patterns_go_to_ripgrep(pattern: str) -> None:
    assert translate(pattern, ignore_case=False) is not None
    assert translate(pattern, ignore_case=True) is not None


@pytest.mark.parametrize("pattern", ["(", "[", "a{2,1}", "*", "a**", "(?<n>a)(?<n>b)"])
def test_a_malformed_pattern_is_malformed_whoever_searches(
    runtime: tuple[Path, Redline], pattern: str
) -> None:
    _, made = runtime
    search = ContentSearch(made.tree, made.regex, made.grep, Patient())
    with pytest.raises(InvalidPattern):
        search.run(ContentQuestion(pattern), EVERYTHING)


ODD_FILES = {
    "nul-first": b"foo\0\nfoo\n",
    "nul-late": b"foo one\n" + b"x\n" * 3000 + b"\0 foo two\nfoo\0three\nf\0o\n",
    "nul-far": b"foo one\n" + b"x\n" * 60_000 + b"\0 foo two\n",
    "sixteen": "foo sixteen\n".encode("utf-16"),
    "marked": b"\xef\xbb\xbffoo marked\nfoo \xef\xbb\xbffoo\n",
    "plain": b"foo \xe9\nfoo\r\nfoo",
    "z/more": b"foo\n" * 3,
}


@pytest.mark.parametrize("left_out", ["", "nul-first", "nul-", "plain"])
@pytest.mark.parametrize("pattern", ["foo", "fo+", "^foo", "f.o", "foo\\s", "[^x]oo"])
@pytest.mark.parametrize(("cap", "context"), [(1, 0), (3, 0), (4, 2), (100, 0), (100, 1)])
def test_both_engines_agree_about_files_with_odd_bytes(
    tmp_path: Path, left_out: str, pattern: str, cap: int, context: int
) -> None:
    base = tmp_path / "ws"
    for name, content in ODD_FILES.items():
        if not left_out or not name.startswith(left_out):
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_bytes(content)
    made = Redline(Settings(workspace=str(base), state_dir=str(tmp_path / "state")))
    try:
        search = ContentSearch(made.tree, made.regex, made.grep, Patient())
        question = ContentQuestion(pattern, cap=cap, context=context)
        quick = search.run(question, EVERYTHING)
        slow = search.by_worker(question, EVERYTHING)
    finally:
        made.close()
    assert [line[:5] for line in quick.lines] == [line[:5] for line in slow.lines]
    assert quick.truncated == slow.truncated
    assert quick.lines
