"""What breaks a parser is said, remembered and left alone; everything else is analysed as ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.index.facts import facts_of
from redline.code.index.packing import unpack
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.errors import introduced_issues
from redline.code.syntax.languages import BY_NAME, LANGUAGES, Language, language_of
from redline.code.syntax.uses import words_of
from redline.core.errors import Busy, InvalidArgument, LimitReached, ParserFailed, TimeLimit
from redline.core.ports.confined import Budget
from redline.settings import Settings
from redline.wiring.workspace import Redline

SAMPLES = Path(__file__).parent / "samples"
KOTLIN = "val a = " + '"${' * 513
SHOP = "class Shop:\n    def open(self):\n        return 1\n"


class Counting:
    """Workers that count what they are asked."""

    def __init__(self, error: LimitReached | None = None) -> None:
        self.inner = IsolatedCalls()
        self.calls = 0
        self._error = error

    def call(
        self,
        function: str,
        arguments: Sequence[Any],
        answers: Mapping[str, Any] | None = None,
        *,
        budget: Budget | None = None,
    ) -> Any:
        self.calls += 1
        if self._error is not None:
            raise self._error
        return self.inner.call(function, arguments, answers, budget=budget)


@pytest.fixture(scope="module")
def workers() -> Iterator[Counting]:
    made = Counting()
    yield made
    made.inner.close()


@pytest.fixture
def analysis(workers: Counting, tmp_path: Path) -> IsolatedAnalysis:
    return IsolatedAnalysis(workers, FailedContent(str(tmp_path / "failed")))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_worker_finds_what_the_parser_finds(analysis: IsolatedAnalysis, language: Any) -> None:
    for path in SAMPLES.iterdir():
        if path.suffix in language.extensions:
            content = path.read_bytes()
            text = content.decode("utf-8", "surrogateescape")
            assert analysis.symbols(text, language) == symbols_of(parse(text, language))
            assert analysis.facts([(content, language)]) == [facts_of(content, language)]
            broken = text.replace("(", "", 1).replace("{", "", 1)
            assert analysis.introduced_issues(text, broken, language) == introduced_issues(
                text, broken, language
            )


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_one_walk_finds_the_definitions_and_words_that_two_walks_find(language: Language) -> None:
    for path in sorted(SAMPLES.rglob("*")):
        if language_of(path.name) is not language:
            continue
        content = path.read_bytes()
        facts, parsed = facts_of(content, language), parse(content.decode(), language)
        assert facts.symbols == tuple(symbols_of(parsed))
        words = {word: set(lines) for word, lines in words_of(parsed).items() if len(word) > 1}
        used = {word: set(unpack(lines)) for word, lines in facts.uses.items()}
        is_data = not used and language.name in {"json", "yaml", "html", "css", "nix"}
        assert is_data or words.items() <= used.items()


def test_a_rename_and_its_refusal_come_back(analysis: IsolatedAnalysis) -> None:
    python = BY_NAME["python"]
    (found,) = analysis.rename(SHOP, python, ("open", "close"), lines=None, everywhere=False)
    assert SHOP[found.start : found.end] == "open"
    with pytest.raises(InvalidArgument, match="does not use the name"):
        analysis.rename(SHOP, python, ("nothing", "x"), lines=None, everywhere=False)


@pytest.mark.requirement("parsers-fail-once")
def test_content_that_breaks_a_parser_is_parsed_no_more(
    analysis: IsolatedAnalysis, workers: Counting, tmp_path: Path
) -> None:
    with pytest.raises(ParserFailed, match="crashed"):
        analysis.symbols(KOTLIN, BY_NAME["kotlin"])
    before = workers.calls
    later = IsolatedAnalysis(workers, FailedContent(str(tmp_path / "failed")))
    for again in (analysis, later):
        (found,) = again.facts([(KOTLIN.encode(), BY_NAME["kotlin"])])
        assert found is not None
        assert found.failed == "the parser crashed"
    assert workers.calls == before
    assert analysis.symbols(KOTLIN, BY_NAME["python"]) == [], "another grammar may read it"


@pytest.mark.parametrize(
    "error", [Busy("full"), TimeLimit("late", details={"cpu_seconds": 0.1})], ids=["busy", "idle"]
)
def test_a_busy_machine_puts_the_blame_on_no_file(error: LimitReached, tmp_path: Path) -> None:
    failures = FailedContent(str(tmp_path / "failed"))
    with pytest.raises(Busy):
        IsolatedAnalysis(Counting(error), failures).symbols(SHOP, BY_NAME["python"])
    assert not (tmp_path / "failed").exists()


@pytest.mark.requirement("parsers-fail-once")
def test_content_that_used_up_its_processor_time_is_parsed_no_more(tmp_path: Path) -> None:
    failures = FailedContent(str(tmp_path / "failed"))
    late = Counting(TimeLimit("late", details={"cpu_seconds": 2.5}))
    for _ in range(2):
        with pytest.raises(ParserFailed, match="took too long"):
            IsolatedAnalysis(late, failures).symbols(SHOP, BY_NAME["python"])
    assert late.calls == 1


def test_no_further_file_is_parsed_when_the_time_is_over(
    analysis: IsolatedAnalysis, workers: Counting
) -> None:
    """A folder of hostile files takes no longer than an answer may."""
    files = [(f"{KOTLIN}{number}".encode(), BY_NAME["kotlin"]) for number in range(20)]
    before = workers.calls
    assert analysis.facts(files, ends=0.0) == [None] * 20
    assert workers.calls == before + 1


def test_the_index_leaves_such_a_file_out_and_reads_the_others(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "bad.kt").write_text(KOTLIN)
    (work / "shop.py").write_text(SHOP)
    settings = Settings(workspace=str(work), state_dir=str(tmp_path / "state"), read_only=True)
    with Redline(settings) as redline:
        assert redline.code_index.build() == 2
        ((path, reason),) = redline.code_index.left_out()
        assert (path.relative, reason) == ("bad.kt", "the parser crashed")
        assert [found.qualified for found in redline.code_index.definitions("open")] == [
            "Shop.open"
        ]
        assert redline.code_index.build() == 0, "it is not stale"
        (work / "bad.kt").write_text("fun mended() {}\n")
        redline.code_index.build()
        assert redline.code_index.left_out() == []
        assert redline.code_index.definitions("mended")
