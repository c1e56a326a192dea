"""What the index stores of one file: its symbols and where each word is used as code."""

from __future__ import annotations

from collections import defaultdict

from redline.code.index.packing import pack
from redline.code.python_js.imports import imported_stems
from redline.code.scopes.read import SCOPED
from redline.code.syntax.definitions import Parsed, Symbol, parse, symbols_at, symbols_of
from redline.code.syntax.languages import Language
from redline.code.syntax.node import SyntaxNode
from redline.code.syntax.uses import words_of
from redline.core.records import dataclass

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
    if language.name in _DATA:
        symbols = symbols_of(parse(text, language)) if language.rules else []
        return FileFacts(tuple(symbols), {}, count)
    symbols, uses = _read_tree(parse(text, language))
    if language.name in SCOPED - {"python"}:
        uses.update(imported_stems(text))
    packed = {n: pack(sorted(set(lines))) for n, lines in uses.items() if len(n) > 1}
    return FileFacts(tuple(symbols), packed, count)


def _read_tree(parsed: Parsed) -> tuple[list[Symbol], dict[str, list[int]]]:
    """Return the definitions, and the lines of every word used as code; in one walk, if possible.

    Walking the whole tree is half of what reading it costs.
    """
    language = parsed.language
    rules = language.rules
    if language.preprocessed:  # definitions are found in another tree than words
        return symbols_of(parsed), words_of(parsed)
    nodes: list[SyntaxNode] = []
    words: dict[str, list[int]] = defaultdict(list)
    for node in parsed.root.find_all(any=[{"kind": kind} for kind in (*rules, *language.words)]):
        if node.kind() in rules:
            nodes.append(node)
        else:
            words[node.text()].append(node.range().start.line + 1)
    return symbols_at(parsed, nodes), words


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
