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
from functools import partial
from typing import TypeAlias

from redline.adapters.ripgrep.flags import (
    ALWAYS,
    line_flags,
    match_flags,
    pattern_flags,
    scope_flags,
)
from redline.adapters.ripgrep.process import RipgrepEnded, RipgrepProcesses, Running
from redline.core.errors import InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, Cancel, GrepLine, GrepQuery
from redline.core.records import dataclass, replace
from redline.search.patterns import any_of

_LINE = re.compile(rb"(\d+)(?:-|:(\d+):)(.*)", re.DOTALL)
_LINE_WITHOUT_COLUMN = re.compile(rb"(\d+)(?:-|:())(.*)", re.DOTALL)
_OMITTED = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]\Z")
_BOM = "\ufeff"

Hit: TypeAlias = tuple[str, int, int, str]
"""Path, line number, column, text."""


class LineParser:
    """Reads lines; *needle* finds the column where ripgrep was not asked for it.

    A column is 0 for context, -1 where the match lies after the place at which a line was cut.
    The mark at the start of a *marked* file is left away.
    """

    def __init__(
        self,
        longest_line: int,
        *,
        columns: bool,
        context: bool = False,
        needle: re.Pattern[str] | None = None,
        marked: bool = False,
    ) -> None:
        self._longest = longest_line
        self._columns = columns
        self._context = context
        self._needle = needle
        self._marked = marked

    def hits(self, files: Sequence[tuple[str, bytes]]) -> list[Hit]:
        """Return the lines of *files*."""
        joined = b"\n".join([body for _, body in files])
        if self._is_plain(joined):
            hits = self._at_once(files, joined.decode("utf-8", "surrogateescape"))
        else:
            hits = list(self._one_by_one(files))
        return hits if self._needle is None else self._locate(hits, self._needle.search)

    def _is_plain(self, lines: bytes) -> bool:
        """Return whether there is nothing to look at twice."""
        if self._context or b"\r" in lines or b" [... " in lines:
            return False
        return lines.isascii() or not (self._columns or self._marked)

    def _at_once(self, files: Sequence[tuple[str, bytes]], lines: str) -> list[Hit]:
        if not lines:
            return []
        paths = [path for path, body in files for _ in range(body.count(b"\n") + 1)]
        if self._columns:
            parts = [line.split(":", 2) for line in lines.split("\n")]
            return [(path, int(n), int(c), t) for path, (n, c, t) in zip(paths, parts, strict=True)]
        pairs = [line.partition(":") for line in lines.split("\n")]
        return [(path, int(n), 1, t) for path, (n, _, t) in zip(paths, pairs, strict=True)]

    def _one_by_one(self, files: Sequence[tuple[str, bytes]]) -> Iterator[Hit]:
        pattern = _LINE if self._columns else _LINE_WITHOUT_COLUMN
        for path, body in files:
            for raw in body.split(b"\n"):
                found = pattern.match(raw)
                if found:
                    yield self._hit(path, *found.groups())

    def _hit(self, path: str, number: bytes, column: bytes | None, raw: bytes) -> Hit:
        if len(raw) > self._longest:
            raw = _OMITTED.sub(b"", raw)
        where = 0 if column is None else _character(raw, int(column or 1))
        text = raw.removesuffix(b"\r").decode("utf-8", "surrogateescape")
        if self._marked and number == b"1":
            text = text.removeprefix(_BOM)
        return path, int(number), where, text

    def _locate(
        self, hits: Sequence[Hit], search: Callable[[str], re.Match[str] | None]
    ) -> list[Hit]:
        found = ((hit, search(hit[3]) if hit[2] else None) for hit in hits)
        return [
            (path, number, match.start() + 1 if match else -column, text)
            for (path, number, column, text), match in found
        ]


def _character(text: bytes, column: int) -> int:
    """Return a 1-based byte column as a 1-based character column."""
    if text.isascii():
        return column
    before = text[: column - 1]
    return len(before.decode("utf-8", "surrogateescape")) + 1 + max(0, column - 1 - len(before))


_NEXT_FILE = b"\n\n./"
_ROOM = 32 << 20
# A line that begins so tells no line of a file.
_NO_LINE = b"\n./"
_NOTICE = re.compile(
    rb"\n+\./(.*?): (?:binary file matches|WARNING: stopped searching binary file after match)"
    rb' \(found "\\0" byte around offset \d+\)(?=\n|\Z)',
    re.DOTALL,
)
_COUNT = re.compile(rb"\./([^\0]*)\0(\d+)\r?\n")
_DIGITS = b"0123456789"
_MORE = re.compile(rb"\n\d+:")


class Collector:
    """Takes output in pieces; of files that lie after the first *limit* lines only counts stay.

    `total` counts matching lines. `binary` names the files about which there was a notice; their
    lines are left out. So are files that *wanted* refuses and, with *utf8_only*, those of which
    other bytes would be shown, `spoiled` lines in all. *crlf*: ripgrep ran with that flag.
    """

    def __init__(
        self,
        limit: int,
        wanted: Callable[[str], bool] | None = None,
        *,
        utf8_only: bool = False,
        context: bool = False,
        crlf: bool = False,
    ) -> None:
        self._limit = limit
        self._crlf = crlf
        self._wanted = wanted
        self._utf8_only = utf8_only
        self._context = context
        self._tail = b"\n\n"
        self._path: bytes | None = None
        self._open: _Open | None = None
        self._files: list[tuple[str, bytes, bytes, int]] = []
        self._kept = self._size = 0
        self._room = _ROOM
        self._last_key: str | None = None
        self.total = self.spoiled = 0
        self.binary: list[bytes] = []

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        data = self._tail + piece
        if self._crlf:
            # So it ends the empty lines of a run in path order; no line of a file begins so.
            data = data.replace(b"\n\r\n", b"\n\n")
        stop = data.rfind(b"\n")
        # What follows the last lines is left for later: notices, and a name that may go on after
        # a line break.
        name = data.find(_NO_LINE, data.rfind(b"\0", 0, stop) + 1, stop)
        if name >= 0:
            stop = name
        if data[stop - 1 : stop] == b"\n":
            stop -= 1
        self._take(data[:stop])
        self._tail = data[stop:]

    def close(self, *, complete: bool = True) -> None:
        """There is no more; without *complete* the last line was cut off and is left away."""
        is_binary = complete and self._apart(self._tail.removesuffix(b"\n"), b"")[2]
        self._finish(is_binary=is_binary)

    def files(self) -> list[tuple[str, bytes]]:
        """Paths with what was written about each, in path order."""
        self._prune()
        return [(path.decode("utf-8", "surrogateescape"), body) for _, path, body, _ in self._files]

    def _take(self, text: bytes) -> None:
        """Whole lines. They are taken apart at NUL: each ends the name of the next file."""
        *pieces, last = text.split(b"\0")
        takes_all = self._wanted is None and not self._context
        is_quick = takes_all and (not self._utf8_only or text.isascii())
        for piece in pieces:
            at = piece.rfind(_NEXT_FILE)
            path = self._path
            # There are tens of thousands: a plain file goes the short way.
            if (
                is_quick
                and at > 0
                and path is not None
                and self._open is None
                and piece[piece.rfind(b"\n", 0, at) + 1] in _DIGITS
            ):
                self._keep(path, piece, at, piece.count(b"\n", 0, at) + 1)
                self._path = piece[at + len(_NEXT_FILE) :]
            elif at < 0:
                self._extend(piece + b"\0")  # it is within a line
            else:
                self._turn(piece[:at], piece[at + len(_NEXT_FILE) :])
        if last:
            self._extend(last)

    def _turn(self, body: bytes, name: bytes) -> None:
        """The rest of the present file, and the name of the next."""
        body, name, is_binary = self._apart(body, name)
        if self._open is not None:
            self._extend(body)
            self._finish(is_binary=is_binary)
        elif self._path is not None:
            self._add(self._path, body, self._count(body), is_binary=is_binary)
        self._path = name

    def _apart(self, body: bytes, name: bytes) -> tuple[bytes, bytes, bool]:
        """Return the lines and the next name, where notices may come between them, or a part of it.

        The last is whether there is a notice about the present file.
        """
        start = body.find(_NO_LINE)
        if start < 0:
            return body, name, False
        is_binary, stop = False, start
        for notice in _NOTICE.finditer(body, start):
            stop = notice.end()
            if notice[1] == self._path:
                is_binary = True
            elif self._is_wanted(notice[1]):
                self.binary.append(notice[1])
        if stop < len(body):  # the name holds what looks like the start of a file
            name = body[stop:].lstrip(b"\n").removeprefix(b"./") + _NEXT_FILE + name
        return body[:start].removesuffix(b"\n"), name, is_binary

    def _extend(self, lines: bytes) -> None:
        """More of the present file; beyond the limit its lines are only counted."""
        file = self._open
        if file is None:
            self._open = _Open(lines, self._count(lines))
            return
        if file.count > self._limit:
            file.spoiled |= self._utf8_only and not _is_utf8(lines)
        else:
            file.body += lines
        file.count += len(_MORE.findall(lines)) if self._context else lines.count(b"\n")

    def _count(self, lines: bytes) -> int:
        """Return how many of a file's first lines match."""
        if self._context:
            return len(_MORE.findall(b"\n" + lines))
        return lines.count(b"\n") + 1

    def _finish(self, *, is_binary: bool) -> None:
        """The open file is complete."""
        file, self._open = self._open, None
        if file is not None and self._path is not None:
            self._add(self._path, file.body, file.count, is_binary=is_binary, spoiled=file.spoiled)

    def _add(
        self, path: bytes, body: bytes, count: int, *, is_binary: bool, spoiled: bool = False
    ) -> None:
        """One file, and how many of its lines match."""
        if not self._is_wanted(path):
            return
        if is_binary:
            self.binary.append(path)
            return
        if self._utf8_only and (spoiled or not _is_utf8(body)):
            self.spoiled += count
            return
        self._keep(path, body, len(body), count)

    def _keep(self, path: bytes, text: bytes, stop: int, count: int) -> None:
        """A file and its lines, which are *text* up to *stop*, unless enough lie before it."""
        self.total += count
        # As Latin-1 texts compare like bytes, only faster.
        key = path.decode("latin-1").replace("/", "\0")
        if self._last_key is not None and key > self._last_key:
            return
        self._files.append((key, path, text[:stop], count))
        self._kept += count
        self._size += stop
        if self._kept > 8 * self._limit + 1024 or self._size > self._room:
            self._prune()
            self._size = sum(len(body) for _, _, body, _ in self._files)
            self._room = max(_ROOM, 2 * self._size)

    def _is_wanted(self, path: bytes) -> bool:
        return self._wanted is None or self._wanted(path.decode("utf-8", "surrogateescape"))

    def _prune(self) -> None:
        self._files.sort()
        enough = 0
        for index, (key, _, _, count) in enumerate(self._files):
            enough += count
            if enough >= self._limit:
                del self._files[index + 1 :]
                self._kept = enough
                self._last_key = key
                return


class _Open:
    """The file that is being written about, with its first lines."""

    __slots__ = ("body", "count", "spoiled")

    def __init__(self, body: bytes, count: int) -> None:
        self.body = body
        self.count = count
        self.spoiled = False


class Counter:
    """Adds up what `--count --null` writes: `./path NUL 12` for each file."""

    def __init__(self, wanted: Callable[[str], bool] | None) -> None:
        self._wanted = wanted
        self._tail = b""
        self.total = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        data = self._tail + piece
        stop = 0
        for found in _COUNT.finditer(data):
            stop = found.end()
            path, count = found.groups()
            if self._wanted is None or self._wanted(path.decode("utf-8", "surrogateescape")):
                self.total += int(count)
        self._tail = data[stop:]


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


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
        """Return whether it may go on; what is left undone then is late. Cancelled."""
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
        """Return the first lines by a run in path order; False where they are too far down."""
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
        """Return what was found."""
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
    """Return the hits up to *matches* matching lines."""
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
    """Return whether any of *globs* selects a path."""
    pattern = any_of(tuple(globs))
    return lambda path: pattern.fullmatch(path) is not None


def path_test(query: GrepQuery, root: int) -> _Test | None:
    """Return whether a path below *root* is searched; None where all are."""
    included = selects(query.include) if query.include else None
    if query.wanted is None:
        return included
    asked = partial(query.wanted, root)
    return asked if included is None else lambda path: included(path) and asked(path)


def _first_words(complaint: bytes) -> str:
    text = complaint.decode("utf-8", "replace").strip().removeprefix("rg: ")
    return text[:500]
