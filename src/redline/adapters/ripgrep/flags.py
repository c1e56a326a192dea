"""Command-line flags for ripgrep: the pattern, the output and the files of a search."""

from __future__ import annotations

import re

from redline.core.ports.search import Binary, GrepQuery
from redline.search.patterns import expand_braces

# By name only: without `--encoding=none` ripgrep converts UTF-16, and no NUL would be left to
# tell that the file is binary.
_BINARY = {Binary.SKIP: (), Binary.TEXT: ("--text",), Binary.NAME: ("--binary", "--encoding=none")}
_RETURN = re.compile(r"\r|\\(?:r|x0d|x\{0*d\}|u000d|u\{0*d\}|cM)", re.IGNORECASE)
ALWAYS = tuple(
    """
    --no-config --no-messages --no-require-git --no-ignore-parent --no-ignore-global
    --no-ignore-dot --no-follow --color=never --null
    """.split()
)


def pattern_flags(query: GrepQuery) -> list[str]:
    """Return the flags for the pattern of *query* and for binary files."""
    flags = ["--with-filename", "--no-mmap", *match_flags(query), f"--regexp={query.pattern}"]
    if query.literal:
        flags.append("--fixed-strings")
    return [*flags, *_BINARY[query.binary]]


def match_flags(query: GrepQuery) -> list[str]:
    """Return the flags for case, literal text and line endings."""
    flags = ["--ignore-case" if query.ignore_case else "--case-sensitive"]
    if not query.literal and "$" in query.pattern and not _RETURN.search(query.pattern):
        # `$` must match before CRLF too. ripgrep refuses --crlf with a pattern that names CR.
        flags.append("--crlf")
    return flags


def line_flags(query: GrepQuery, *, columns: bool) -> list[str]:
    """Return the flags for the output format of lines."""
    return [
        "--heading",
        "--line-number",
        "--column" if columns else "--no-column",
        "--no-context-separator",
        f"--max-columns={query.longest_line}",
        "--max-columns-preview",
        f"--context={query.context}",
    ]


def scope_flags(query: GrepQuery) -> list[str]:
    """Return the flags that select files."""
    flags = ["--hidden"] if query.hidden else []
    if query.ignored:
        flags.append("--no-ignore")
    for glob in query.exclude:
        flags += [f"--glob=!{plain}" for plain in expand_braces(glob)]
    return flags
