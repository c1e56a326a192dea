"""What the index stores of one file: its symbols and where each word is used as code."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.index.packing import pack
from redline.code.python_js.imports import imported_stems
from redline.code.scopes.read import SCOPED
from redline.code.syntax.definitions import Symbol, parse, symbols_of
from redline.code.syntax.languages import Language
from redline.code.syntax.uses import words_of

# Larger files are generated or minified: parsing takes seconds, and no symbol is looked up there.
MAX_FILE_BYTES = 1 << 20
MAX_LINE_LENGTH = 20_000
_DATA = {"json", "yaml", "html", "css", "nix"}


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Symbols in order, and for each word the 1-based lines that use it, each once and packed."""

    symbols: tuple[Symbol, ...]
    uses: dict[str, bytes]
    lines: int
    # Why the file must not be parsed; empty if it was.
    failed: str = ""


def facts_of(content: bytes, language: Language) -> FileFacts:
    """Return the facts of a file; of a huge or minified one only the number of lines."""
    text = content.decode("utf-8", "replace")
    count = count_lines(text)
    if len(content) > MAX_FILE_BYTES or is_minified(text):
        return FileFacts((), {}, count)
    parsed = parse(text, language)
    symbols = tuple(symbols_of(parsed))
    if language.name in _DATA:
        return FileFacts(symbols, {}, count)
    uses = {name: lines for name, lines in words_of(parsed).items() if len(name) > 1}
    if language.name in SCOPED - {"python"}:
        uses.update(imported_stems(text))
    return FileFacts(symbols, {n: pack(sorted(set(lines))) for n, lines in uses.items()}, count)


def count_lines(text: str) -> int:
    """Count the lines, the last one with or without a line end."""
    return text.count("\n") + (not text.endswith("\n"))


def is_minified(text: str) -> bool:
    """Return whether a line is too long to locate the words in it within seconds."""
    at = 0
    while len(text) - at > MAX_LINE_LENGTH:
        end = text.rfind("\n", at, at + MAX_LINE_LENGTH + 1)
        if end < 0:
            return True
        at = end + 1
    return False
