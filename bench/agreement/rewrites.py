"""What `rewrite` loses: nothing, over patterns that are taken from real files.

    python -m bench.agreement.rewrites [--short]

Fixed before measuring:

- Files: of each of eight languages a share of the archives of the set "first", by size.
- Patterns: a syntax node of a file is picked by chance. Some of its parts become metavariables,
  and often its end is left out, as people write `import $X` for `import os, sys`.
- The replacement is the metavariables of the pattern alone. So every token of a place has to be
  in its new text, but for the literal tokens of the pattern. Tokens are words and single signs,
  found by a regular expression that knows no language but that a line may go on after `\\`.
- A place with a token that is gone counts as a loss. Places that are left alone are counted too,
  since a rewrite that touches nothing loses nothing.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ast_grep_py import SgRoot

from bench.library.corpora import archives, of_language, own_files
from redline.code.structural import find_matches
from redline.code.syntax.languages import BY_NAME, Language
from redline.core.errors import InvalidPattern

LANGUAGES = ("python", "javascript", "typescript", "go", "rust", "java", "c", "cpp")
_HOLE = re.compile(r"\$+[A-Z]+")
_TOKEN = re.compile(r"\w+|(?!\\\r?\n)[^\w\s]")
_LARGEST_PATTERN = 300
_LARGEST_FILE = 60_000


@dataclass(slots=True)
class Tally:
    """Places that were replaced, left alone, and those with losses."""

    replaced: int = 0
    left: int = 0
    losses: list[str] = field(default_factory=list)


def make_patterns(chance: random.Random, text: str, language: Language) -> Iterator[str]:
    """Yield patterns made from *text*, without end."""
    nodes = [
        node
        for node in _beneath(SgRoot(text, language.grammar).root())
        if 2 <= len(node.children()) <= 12 and len(node.text()) <= _LARGEST_PATTERN
    ]
    while nodes:
        pattern = _make_pattern(chance, chance.choice(nodes))
        if _HOLE.search(pattern):
            yield pattern


def _beneath(node: Any) -> Iterator[Any]:
    return chain([node], *(_beneath(child) for child in node.children()))


def _make_pattern(chance: random.Random, node: Any) -> str:
    """Return the text of *node* with holes, and perhaps without its end."""
    parts = node.children()
    kept = parts if chance.random() < 0.5 else parts[: chance.randint(1, len(parts))]
    start = at = node.range().start.index
    text, pieces = node.text(), []
    for number, part in enumerate(kept):
        span = part.range()
        pieces.append(text[at - start : span.start.index - start])
        at = span.end.index
        if part.is_named() and chance.random() < 0.6:
            pieces.append(chance.choice(["$", "$", "$$$"]) + "ABCDEFGHIJKL"[number])
        else:
            pieces.append(part.text())
    return "".join(pieces)


def check(text: str, language: Language, pattern: str, tally: Tally) -> None:
    """Rewrite *text* by *pattern* to its metavariables, and note what is lost."""
    holes = _HOLE.findall(pattern)
    literal = Counter(_TOKEN.findall(_HOLE.sub(" ", pattern)))
    try:
        found = find_matches(
            text, language.grammar, {"rule": {"pattern": pattern}}, " ".join(holes)
        )
    except InvalidPattern:
        return
    for match in found:
        if match.replacement is None:
            tally.left += 1
            continue
        tally.replaced += 1
        old = Counter(_TOKEN.findall(text[match.start : match.end]))
        lost = old - Counter(_TOKEN.findall(match.replacement)) - literal
        if lost:
            tally.losses.append(f"{pattern!r} line {match.line}: {' '.join(lost)}")


def files_of(language: str, most: int) -> list[Path]:
    """Return up to *most* files of the archives and of this repository."""
    roots = [archive.folder() for archive in archives("first")]
    found = [path for root in roots for path in of_language(root, language)]
    sized = [path for path in (*own_files(language), *found) if _is_sized(path)]
    return random.Random(language).sample(sized, min(most, len(sized)))


def _is_sized(path: Path) -> bool:
    return 200 <= path.stat().st_size <= _LARGEST_FILE


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 if anything is lost."""
    files, patterns = (4, 10) if "--short" in arguments else (60, 60)
    lost = 0
    print("| language | files | patterns | places replaced | left alone | losses |")
    print("|" + "---|" * 6)
    for name in LANGUAGES:
        language, tally, tried = BY_NAME[name], Tally(), 0
        paths = files_of(name, files)
        for path in paths:
            text = path.read_bytes().decode("utf-8", "replace")
            made = make_patterns(random.Random(path.name), text, language)
            for _, pattern in zip(range(patterns), made, strict=False):
                tried += 1
                check(text, language, pattern, tally)
        lost += len(tally.losses)
        row = (name, len(paths), tried, tally.replaced, tally.left, len(tally.losses))
        print("|", " | ".join(map(str, row)), "|", flush=True)
        for line in tally.losses[:5]:
            print(f"    {line}")
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
