"""Lists the files that a pattern may match in, whatever encoding they have, in one run of ripgrep.

There every file is read as UTF-8, and bytes that are not become U+FFFD: a file is listed for one of
these, or if it matches as it is. That leaves UTF-16 and UTF-32 without a mark, which may consist of
ASCII bytes and NUL alone. They are listed for two neighbours of every match with NUL between them;
where such two cannot be read from the pattern, for any NUL, at which ripgrep looks slower.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from redline.adapters.ripgrep.flags import match_flags, scope_flags
from redline.adapters.ripgrep.search import COMMAND_LINE, Enough, Work
from redline.core.errors import InvalidPattern
from redline.core.ports.search import Binary, GrepQuery
from redline.search.es_regex import quote

# A count ends with a line break, at which ripgrep writes; of mere names it holds some back.
_COUNTED = ("--count", "--max-count=1", "--with-filename")
_READ = ("--text", "--encoding=utf-8", "--no-mmap")
_LISTED = re.compile(rb"\./([^\0]*)\0\d+\r?\n")
_NO_UTF8 = r"\x{FFFD}"
_NUL = r"\x00"
# What a pattern looks like that may name NUL; ripgrep refuses it where it leaves binary files out.
_MAY_NAME_NUL = re.compile(r"\\[xuU]\{?0[0}]")
# All that is not a plain character which every match holds.
_NOT_PLAIN = re.compile(
    r"\\[bBdDsSwW]|\\x[0-9a-f]{2}|\\[^\w\s]|\[\^?[^\\\[\]]+\]|.(?=[*?{])|[.^$*+?]|\{\d+(?:,\d*)?\}"
)
_EITHER_CASE = re.compile(r"\[([a-z])([A-Z])\]")
# Neither k nor s: they are one with letters outside of ASCII where case is ignored.
_PAIR = re.compile(r"[ -JL-RT-jl-rt-~]{2}")
_MAX_PATTERN = 16 << 10
_MAX_BRANCHES = 16
# The rest of the time is left for searching what is listed by then.
_SHARE = 0.9


class Limits(NamedTuple):
    """How many files are listed: `most`, and within the `early` seconds of the first one `few`.

    `length` is that of their names together.
    """

    most: int
    few: int
    early: float
    length: int = COMMAND_LINE


NO_LIMITS = Limits(sys.maxsize, sys.maxsize, 0.0, sys.maxsize)


def list_candidates(
    work: Work, query: GrepQuery, limits: Limits, passes_over: Callable[[str], bool]
) -> tuple[list[str], bool] | None:
    """Return the files below the root of *work* that may match, and whether time ran out.

    None where there are too many of them that *passes_over* does not know, or the pattern must be
    searched for to be judged.
    """
    may_be_refused = query.binary is not Binary.TEXT and _MAY_NAME_NUL.search(query.pattern)
    if len(query.pattern) > _MAX_PATTERN or (may_be_refused and not query.literal):
        return None
    now = time.monotonic()
    listing = replace(work, ends=now + _SHARE * (work.ends - now))
    names: list[str] = []
    tail = b""
    count = size = 0
    early = 0.0

    def feed(piece: bytes) -> None:
        nonlocal tail, count, size, early
        early = early or time.monotonic() + limits.early
        tail += piece
        stop = 0
        for found in _LISTED.finditer(tail):
            stop = found.end()
            names.append(os.fsdecode(found[1]))
            if not passes_over(names[-1]):
                count += 1
                size += len(found[1])
        tail = tail[stop:]
        most = limits.few if time.monotonic() < early else limits.most
        if count > most or size > limits.length:
            raise Enough

    try:
        with listing.start([*_flags(query), *scope_flags(query)]) as running:
            listing.finish(running, feed)
    except (Enough, InvalidPattern):
        return None
    return names, listing.late


def _flags(query: GrepQuery) -> list[str]:
    pattern = "".join(map(quote, query.pattern)) if query.literal else query.pattern
    # Where files are named that match beside NUL, that is an end of the line.
    ends_at_nul = query.binary is Binary.NAME and "$" in query.pattern
    patterns = (pattern, _NO_UTF8, _NUL if ends_at_nul else wide_forms(query))
    return [*_COUNTED, *_READ, *match_flags(query), *(f"--regexp={each}" for each in patterns)]


def wide_forms(query: GrepQuery) -> str:
    """Return what matches in UTF-16 or UTF-32 wherever the pattern matches in the text."""
    branches = [query.pattern]
    if not query.literal:
        plain = _NOT_PLAIN.sub("\n", _EITHER_CASE.sub(_one_letter, query.pattern))
        if re.search(r"[()\[\]{}\\]", plain):
            return _NUL
        branches = plain.split("|")
    pairs = [found[0] for each in branches if (found := _PAIR.search(each)) is not None]
    if len(pairs) < len(branches) or len(branches) > _MAX_BRANCHES:
        return _NUL
    forms = (rf"{quote(pair[0])}\x00(?:\x00\x00)?{quote(pair[1])}" for pair in pairs)
    return f"(?i-u:{'|'.join(forms)})"


def _one_letter(found: re.Match[str]) -> str:
    return found[1] if found[1].upper() == found[2] else found[0]
