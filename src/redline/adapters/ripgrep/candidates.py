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
from collections.abc import Callable, Sequence
from typing import NamedTuple

from redline.adapters.ripgrep.flags import match_flags, scope_flags
from redline.adapters.ripgrep.process import Running
from redline.adapters.ripgrep.search import COMMAND_LINE, Enough, Work
from redline.core.errors import InvalidPattern
from redline.core.ports.search import Binary, GrepQuery
from redline.core.records import replace
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


class FileFlood(NamedTuple):
    """More than `files` of them within `seconds` of the first one.

    Then `is_answered` is asked, once; True: no more files are wanted. Nor are they where their
    names together are longer than `length`.
    """

    files: int
    seconds: float
    is_answered: Callable[[], bool]
    length: int = COMMAND_LINE


NO_FLOOD = FileFlood(sys.maxsize, 0.0, lambda: False, sys.maxsize)


def list_candidates(
    work: Work,
    query: GrepQuery,
    flood: FileFlood,
    without_binary: Callable[[Sequence[str]], list[str]],
) -> tuple[list[str], bool] | None:
    """Return the files below the root of *work* that may match, and whether time ran out.

    None where those *without_binary* ones are too many to name, or the pattern must be searched for
    to be judged.
    """
    may_be_refused = query.binary is not Binary.TEXT and _MAY_NAME_NUL.search(query.pattern)
    if len(query.pattern) > _MAX_PATTERN or (may_be_refused and not query.literal):
        return None
    now = time.monotonic()
    listing = replace(work, ends=now + _SHARE * (work.ends - now))
    try:
        with listing.start([*_flags(query), *scope_flags(query)]) as running:
            files = _Files(running, flood, without_binary)
            listing.finish(running, files.feed)
    except (Enough, InvalidPattern):
        return None
    return files.names, listing.late


class _Files:
    """Takes the names that a *running* ripgrep lists; Enough where no more are wanted."""

    def __init__(
        self,
        running: Running,
        flood: FileFlood,
        without_binary: Callable[[Sequence[str]], list[str]],
    ) -> None:
        self.names: list[str] = []
        self._running = running
        self._flood = flood
        self._without_binary = without_binary
        self._tail = b""
        self._start = 0.0
        self._may_flood = flood.seconds > 0
        # Counted are the names of files that are not known to be binary.
        self._looked_at = self._count = self._size = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        self._start = self._start or time.monotonic()
        self._tail += piece
        stop = 0
        for found in _LISTED.finditer(self._tail):
            stop = found.end()
            self.names.append(os.fsdecode(found[1]))
            self._count += 1
            self._size += len(self.names[-1])
        self._tail = self._tail[stop:]
        self._may_flood &= time.monotonic() - self._start < self._flood.seconds
        if self._may_flood and self._are_more_than(self._flood.files):
            self._may_flood = False
            with self._running.pause():
                if self._flood.is_answered():
                    raise Enough
        if self._are_more_than(sys.maxsize):
            raise Enough

    def _are_more_than(self, files: int) -> bool:
        """Return whether that many are listed, or their names are too long, binary ones aside."""
        if self._count <= files and self._size <= self._flood.length:
            return False
        new = self.names[self._looked_at :]
        binary = set(new).difference(self._without_binary(new))
        self._looked_at = len(self.names)
        self._count -= len(binary)
        self._size -= sum(map(len, binary))
        return self._count > files or self._size > self._flood.length


def _flags(query: GrepQuery) -> list[str]:
    pattern = "".join(map(quote, query.pattern)) if query.literal else query.pattern
    patterns = (pattern, _NO_UTF8, wide_forms(query))
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
