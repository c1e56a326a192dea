"""What the index keeps of one file: its symbols and where each word is used as code."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.python_js.imports import imported_stems
from redline.code.scopes.read import SCOPED
from redline.code.syntax.definitions import Symbol, parse, symbols_of
from redline.code.syntax.languages import Language
from redline.code.syntax.uses import words_of

# Generated or minified text: parsing it costs seconds and nobody looks a symbol up in it.
LARGEST_FILE = 1 << 20
LONGEST_LINE = 20_000
_DATA = {"json", "yaml", "html", "css", "nix"}


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Symbols in order, and per word the 1-based lines it stands on, each once."""

    symbols: tuple[Symbol, ...]
    uses: dict[str, list[int]]
    lines: int
    # Why a parser is not let near the file; empty when it was parsed.
    failed: str = ""


def facts_of(content: bytes, language: Language) -> FileFacts:
    """The facts of a file; a huge or minified one has lines and no symbols."""
    text = content.decode("utf-8", "replace")
    count = count_lines(text)
    if len(content) > LARGEST_FILE or is_minified(text):
        return FileFacts((), {}, count)
    parsed = parse(text, language)
    symbols = tuple(symbols_of(parsed))
    if language.name in _DATA:
        return FileFacts(symbols, {}, count)
    uses = {name: sorted(set(lines)) for name, lines in words_of(parsed).items() if len(name) > 1}
    if language.name in SCOPED - {"python"}:
        uses.update(imported_stems(text))
    return FileFacts(symbols, uses, count)


def count_lines(text: str) -> int:
    """How many lines there are, the last one with or without a line end."""
    return text.count("\n") + (not text.endswith("\n"))


def is_minified(text: str) -> bool:
    """Whether a line is so long that naming the places in it takes minutes."""
    return len(text) > LONGEST_LINE and max(map(len, text.split("\n"))) > LONGEST_LINE
