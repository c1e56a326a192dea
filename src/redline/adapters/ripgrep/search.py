"""One content search in one root, taken in while ripgrep searches.

Usually one run gives everything. Where matches come in a flood, that would be to print, read and
throw away nearly all of them: then a run in path order is stopped when it has found enough, and
another one counts beside it, which writes little.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from redline.adapters.ripgrep.flags import (
    ALWAYS,
    line_flags,
    match_flags,
    pattern_flags,
    scope_flags,
)
from redline.adapters.ripgrep.lines import Hit, LineParser
from redline.adapters.ripgrep.output import Collector, Counter
from redline.adapters.ripgrep.process import RipgrepEnded, RipgrepProcesses, Running
from redline.core.errors import InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, Cancel, GrepLine, GrepQuery
from redline.search.patterns import any_of

# Windows allows 32,767 characters; others count the pointers and the environment, too.
COMMAND_LINE = 24_000 if sys.platform == "win32" else os.sysconf("SC_ARG_MAX") // 4
_KELVIN, _LONG_S = "\u212a", "\u017f"
_Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Flood:
    """A search floods when `lines` beyond the limit come within `seconds` of the first ones.

    A run in path order may then take `patience` seconds to find the first of them.
    """

    lines: int = 2000
    seconds: float = 0.025
    patience: float = 0.06


class Enough(Exception):
    """No more output is wanted."""


@dataclass(slots=True)
class Work:
    """Runs ripgrep over some paths below one root until `ends`; `late`: it was stopped then."""

    processes: RipgrepProcesses
    root: int
    paths: Sequence[str]
    rules: Sequence[str]
    cancel: Cancel
    ends: float
    late: bool = False
    flags: Sequence[str] = ()
    watch: Callable[[], None] | None = None

    def on_files(self, names: Sequence[str]) -> Work:
        """Return the same work on some files below the root, whatever ignores them."""
        flags = (*self.flags, "--no-ignore", "--hidden")
        return replace(self, paths=names, rules=(), flags=flags)

    def on_small_files(self, size: int) -> Work:
        """Return the same work without files of more than *size* bytes."""
        return replace(self, flags=(*self.flags, f"--max-filesize={size}"))

    def has_time(self) -> bool:
        """Whether it may go on; what is left undone then is late. Cancelled."""
        self.cancel.check()
        self.late |= time.monotonic() > self.ends
        return not self.late

    @contextmanager
    def start(self, flags: Sequence[str]) -> Iterator[Running]:
        """Ripgrep at work on all paths."""
        targets = ["./" + path for path in self.paths]
        flags = [*ALWAYS, *self.flags, *flags]
        with self.processes.start(self.root, flags, self.rules, targets) as running:
            yield running

    def finish(self, running: Running, feed: Callable[[bytes], None]) -> None:
        """Pass all output on. Cancelled, InvalidPattern, RipgrepEnded."""
        left = max(0.001, self.ends - time.monotonic())
        is_late = running.pass_on(left, feed, self.cancel, self.watch)
        self.late |= is_late
        self.cancel.check()
        if running.was_ended and not is_late:
            raise RipgrepEnded
        complaint = running.complaint()
        if complaint:
            raise InvalidPattern(_first_words(complaint), hint="search with regex off, or escape")

    def look_into(
        self, names: Sequence[str], flags: Sequence[str], feed: Callable[[bytes], None]
    ) -> None:
        """Pass on what ripgrep says about the files *names*."""
        flags = [*ALWAYS, "--no-ignore", "--hidden", *flags]
        between = b""
        for group in _by_length(["./" + name for name in names]):
            feed(between)
            between = b"\n"
            with self.processes.start(self.root, flags, (), group) as running:
                self.finish(running, feed)


class Search:
    """The first *limit* lines in path order, and how many there are.

    *names* are the files that may match, where those are known.
    """

    def __init__(
        self,
        work: Work,
        query: GrepQuery,
        limit: int,
        flood: Flood,
        names: Sequence[str] | None = None,
    ) -> None:
        # A count of named files would include those that are found to be binary.
        self._everywhere = work
        self._work = work
        if names is not None and sum(map(len, names)) <= COMMAND_LINE:
            self._work = work.on_files(names)
        self._query = query
        self._limit = limit
        self._flood = flood
        self._needle = _needle(query)
        self._wanted = path_test(query, work.root) if names is None else set(names).__contains__
        self._found = self._collector()
        self.total = 0
        # Whether `total` is exact, and not merely more than the limit.
        self.is_counted = True

    def run(self) -> None:
        """Search to the end, or until there is no time left."""
        if self._all_at_once(self._flood.seconds) or self._in_order():
            return
        self._found = self._collector()
        self._all_at_once(0)

    def _all_at_once(self, early: float) -> bool:
        """One run gives everything; False where there came a flood in the *early* seconds."""
        found, much, start = self._found, self._limit + self._flood.lines, 0.0

        def feed(piece: bytes) -> None:
            nonlocal start
            start = start or time.monotonic()
            found.feed(piece)
            if found.total > much and time.monotonic() - start < early:
                raise Enough

        try:
            with self._work.start(self._flags()) as running:
                self._work.finish(running, feed)
        except Enough:
            return False
        found.close(complete=not self._work.late)
        self.total = found.total
        return True

    def _in_order(self) -> bool:
        """The first lines by a run in path order; False where they are too far down."""
        if not self._query.counts:
            return self.cut_short(self._limit)
        counter = Counter(self._wanted)
        with self._everywhere.start([*self._scope(), "--count"]) as counting:
            if not self.cut_short(self._limit):
                return False
            self._everywhere.finish(counting, counter.feed)
        self.total = max(counter.total - self._found.spoiled, self._found.total)
        self.is_counted = True
        return True

    def cut_short(self, enough: int | None = None) -> bool:
        """Find the first lines by a run in path order, which ends with more than *enough*.

        By default that is as many as make a flood. False where they are too far down.
        """
        self._found = found = self._collector()
        patience = time.monotonic() + self._flood.patience
        enough = self._limit + self._flood.lines if enough is None else enough

        def feed(piece: bytes) -> None:
            found.feed(piece)
            if found.total > enough or time.monotonic() > patience:
                raise Enough

        with suppress(Enough), self._work.start([*self._flags(), "--sort=path"]) as running:
            running.pass_on(self._flood.patience, feed, self._work.cancel)
            self._work.cancel.check()
        found.close(complete=False)
        self.total = self._limit + 1
        # Which of the counted lines are in such a file cannot be determined.
        uncertain = found.binary and self._query.binary is Binary.SKIP
        self.is_counted = found.total <= enough or bool(uncertain)
        return not self.is_counted

    @property
    def is_late(self) -> bool:
        """Whether it was stopped because there was no time left."""
        return self._work.late or self._everywhere.late

    def lines(self) -> list[GrepLine]:
        """What was found."""
        parser = self._parser(columns=self._query.columns and self._needle is None)
        hits = parser.hits(self._found.files())
        if self._query.context or len(hits) > self._limit:
            hits = _first_matches(hits, self._limit)
        if self._needle is not None:
            hits = self._with_columns(hits)
        root = self._work.root
        return [GrepLine(root, path, n, text, c != 0, c) for path, n, c, text in hits]

    def binary(self) -> list[WorkspacePath]:
        """Files with NUL bytes that match, where they are only named."""
        names = self._found.binary if self._query.binary is Binary.NAME else ()
        return [WorkspacePath(self._work.root, tuple(os.fsdecode(n).split("/"))) for n in names]

    def _with_columns(self, hits: list[Hit]) -> list[Hit]:
        """*hits* with the columns of matches that lie after the cut in a long line."""
        unsure = dict.fromkeys(path for path, _, column, _ in hits if column < 0)
        if not unsure:
            return hits
        flags = [*line_flags(self._query, columns=True), *pattern_flags(self._query)]
        collector = Collector(sys.maxsize)
        self._work.look_into(list(unsure), [*flags, f"--max-count={self._limit}"], collector.feed)
        collector.close(complete=not self._work.late)
        found = self._parser(columns=True).hits(collector.files())
        at = {(path, number): column for path, number, column, _ in found}
        return [(path, n, at.get((path, n), 1) if c < 0 else c, t) for path, n, c, t in hits]

    def _collector(self) -> Collector:
        query = self._query
        return Collector(
            self._limit,
            self._wanted,
            utf8_only=query.utf8_only,
            context=query.context > 0,
            crlf="--crlf" in match_flags(query),
        )

    def _parser(self, *, columns: bool) -> LineParser:
        query = self._query
        needle = None if columns else self._needle
        return LineParser(
            query.longest_line,
            columns=columns,
            context=query.context > 0,
            needle=needle,
            marked=query.binary is Binary.NAME,
        )

    def _flags(self) -> list[str]:
        columns = self._query.columns and self._needle is None
        return [*line_flags(self._query, columns=columns), *self._scope()]

    def _scope(self) -> list[str]:
        return [*pattern_flags(self._query), *scope_flags(self._query)]


def _needle(query: GrepQuery) -> re.Pattern[str] | None:
    """What finds the column of a literal, sparing ripgrep that search in every matching line."""
    if (
        not query.columns
        or not query.literal
        or (query.ignore_case and not query.pattern.isascii())
    ):
        return None
    if not query.ignore_case:
        return re.compile(re.escape(query.pattern))
    more = {"k": _KELVIN, "s": _LONG_S}
    return re.compile(
        "".join(
            f"[{c.lower()}{c.upper()}{more.get(c.lower(), '')}]" if c.isalpha() else re.escape(c)
            for c in query.pattern
        )
    )


def _first_matches(hits: Sequence[Hit], matches: int) -> list[Hit]:
    """The hits up to *matches* matching lines."""
    for index, hit in enumerate(hits):
        matches -= hit[2] != 0
        if matches < 0:
            return list(hits[:index])
    return list(hits)


def _by_length(names: Sequence[str]) -> Iterator[list[str]]:
    """Names in groups that fit a command line anywhere."""
    group: list[str] = []
    size = 0
    for name in names:
        if group and size + len(name) > COMMAND_LINE:
            yield group
            group, size = [], 0
        group.append(name)
        size += len(name) + 1
    if group:
        yield group


def selects(globs: Sequence[str]) -> Callable[[str], bool]:
    """Whether any of *globs* selects a path."""
    pattern = any_of(tuple(globs))
    return lambda path: pattern.fullmatch(path) is not None


def path_test(query: GrepQuery, root: int) -> _Test | None:
    """Whether a path below *root* is searched; None where all are."""
    included = selects(query.include) if query.include else None
    if query.wanted is None:
        return included
    asked = partial(query.wanted, root)
    return asked if included is None else lambda path: included(path) and asked(path)


def _first_words(complaint: bytes) -> str:
    text = complaint.decode("utf-8", "replace").strip().removeprefix("rg: ")
    return text[:500]
