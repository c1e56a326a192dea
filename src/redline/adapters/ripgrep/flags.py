"""The flags of ripgrep for a search: what is looked for, what is written, which files."""

from __future__ import annotations

import re

from redline.core.ports.search import Binary, GrepQuery
from redline.search.patterns import expand_braces

# Converted from UTF-16, a file would show no NUL.
_BINARY = {Binary.SKIP: (), Binary.TEXT: ("--text",), Binary.NAME: ("--binary", "--encoding=none")}
_RETURN = re.compile(r"\r|\\(?:r|x0d|x\{0*d\}|u000d|u\{0*d\}|cM)", re.IGNORECASE)
ALWAYS = tuple(
    """
    --no-config --no-messages --no-require-git --no-ignore-parent --no-ignore-global
    --no-ignore-dot --no-follow --color=never --null
    """.split()
)


def pattern_flags(query: GrepQuery) -> list[str]:
    """What is looked for."""
    flags = ["--with-filename", "--no-mmap", *match_flags(query), f"--regexp={query.pattern}"]
    if query.literal:
        flags.append("--fixed-strings")
    return [*flags, *_BINARY[query.binary]]


def match_flags(query: GrepQuery) -> list[str]:
    """How a pattern is compared."""
    flags = ["--ignore-case" if query.ignore_case else "--case-sensitive"]
    if not query.literal and "$" in query.pattern and not _RETURN.search(query.pattern):
        # Before CRLF is an end of the line, too; ripgrep then refuses a pattern that names CR.
        flags.append("--crlf")
    return flags


def line_flags(query: GrepQuery, *, columns: bool) -> list[str]:
    """What is written about a line."""
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
    """Which files are searched."""
    flags = ["--hidden"] if query.hidden else []
    if query.ignored:
        flags.append("--no-ignore")
    for glob in query.exclude:
        flags += [f"--glob=!{plain}" for plain in expand_braces(glob)]
    return flags
