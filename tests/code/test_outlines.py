"""Outlines of every language against written-down expectations."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.code.syntax.definitions import Symbol, find_symbols, parse, symbols_of
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import LANGUAGES, language_of
from redline.code.syntax.uses import words_of

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(p for p in SAMPLES.iterdir() if p.suffix != ".outline")


def _symbols(file: Path) -> list[Symbol]:
    language = language_of(file.name)
    assert language is not None
    return symbols_of(parse(file.read_text("utf-8"), language))


def _listing(symbols: list[Symbol]) -> str:
    return "".join(
        f"{s.kind} {s.qualified} {s.start}-{s.end} | {s.signature} | {s.doc}\n" for s in symbols
    )


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_the_outline_of_a_sample_is_as_written_down(file: Path) -> None:
    expected = SAMPLES / f"{file.name}.outline"
    assert _listing(_symbols(file)) == expected.read_text("utf-8")


def test_at_least_twenty_languages_have_definitions_and_a_sample() -> None:
    sampled = {language.name for file in FILES if (language := language_of(file.name))}
    defining = {language.name for language in LANGUAGES if language.rules}
    assert len(defining) >= 20
    assert {language.name for language in LANGUAGES} - sampled == {"tsx"}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda lang: lang.name)
def test_every_node_kind_in_the_table_exists_in_the_grammar(language: object) -> None:
    parsed = parse("", language)  # type: ignore[arg-type]
    symbols_of(parsed)
    words_of(parsed)


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_the_samples_have_no_syntax_errors(file: Path) -> None:
    language = language_of(file.name)
    assert language is not None
    assert syntax_issues(parse(file.read_text("utf-8"), language)) == []


def test_a_symbol_is_found_by_any_spelling_of_its_scope() -> None:
    symbols = _symbols(SAMPLES / "sample.rs")
    for wanted in ("S::new", "S.new", "new", "S#new"):
        assert [s.qualified for s in find_symbols(symbols, wanted)] == ["S.new"]


def test_an_exact_name_beats_a_suffix() -> None:
    language = language_of("a.py")
    assert language is not None
    text = "def run(): pass\n\nclass A:\n    def run(self): pass\n"
    symbols = symbols_of(parse(text, language))
    assert [s.qualified for s in find_symbols(symbols, "run")] == ["run"]


def test_undecodable_bytes_do_not_stop_the_parser() -> None:
    language = language_of("a.py")
    assert language is not None
    text = b"# caf\xe9\ndef f(): pass\n".decode("utf-8", "surrogateescape")
    assert [s.offset for s in symbols_of(parse(text, language))] == [text.index("f()")]
