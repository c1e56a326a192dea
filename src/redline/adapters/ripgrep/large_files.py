"""Searches large files one by one, where one of them has a line that does not fit into memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from redline.adapters.ripgrep.file_facts import MAX_FILE, FileInspector
from redline.adapters.ripgrep.flags import scope_flags
from redline.adapters.ripgrep.foreign import names_in, path_below, path_order
from redline.adapters.ripgrep.process import RipgrepEnded
from redline.adapters.ripgrep.search import Flood, Search, Work, path_test
from redline.adapters.ripgrep.through_tree import TreeSearch
from redline.core.ports.search import Binary, GrepQuery, GrepResult
from redline.core.ports.tree import Tree

# For how long large files of a root are searched apart.
_SECONDS = 60.0
_LEFT_OUT = GrepResult((), 0, timed_out=True)


class LargeFiles:
    """The files that are too long to be decoded."""

    def __init__(self, tree: Tree, facts: FileInspector, flood: Flood) -> None:
        self._tree = tree
        self._facts = facts
        self._flood = flood
        self._apart_until: dict[int, float] = {}

    def are_apart(self, root: int) -> bool:
        """Whether a search of this root has failed of late for one of them."""
        return time.monotonic() < self._apart_until.get(root, 0.0)

    def set_apart(self, root: int) -> None:
        """Search them apart for some time."""
        self._apart_until[root] = time.monotonic() + _SECONDS

    def search(
        self, work: Work, query: GrepQuery, limit: int, *, by_name: bool
    ) -> Iterator[GrepResult]:
        """Search each; *by_name* where ripgrep may open it, else as the tree reads it.

        Where one cannot be searched at all, the result says that there was no time for it.
        """
        names = self._list(work, query)
        binary = set() if query.binary is Binary.TEXT else self._facts.binary(work.root, names)
        if query.binary is Binary.NAME:
            yield GrepResult((), 0, binary=tuple(path_below(work.root, name) for name in binary))
        for name in names:
            if name in binary:
                continue
            if not work.has_time():
                yield _LEFT_OUT
                break
            try:
                if by_name:
                    yield self._search_named(work, name, query, limit)
                else:
                    yield TreeSearch(self._tree, work, query, limit, limit).run([name])
            except RipgrepEnded:
                yield _LEFT_OUT

    def _list(self, work: Work, query: GrepQuery) -> Sequence[str]:
        wanted = path_test(query, work.root)
        names = [name for name in list_all(work, query) if wanted is None or wanted(name)]
        versions = self._facts.versions(work.root, names)
        large = (name for name, version in versions.items() if version.size > MAX_FILE)
        return sorted(large, key=path_order)

    def _search_named(self, work: Work, name: str, query: GrepQuery, limit: int) -> GrepResult:
        search = Search(work, query, limit, self._flood, [name])
        search.run()
        found = tuple(search.lines()), search.total, search.is_late, tuple(search.binary())
        return GrepResult(*found, search.is_counted)


def list_all(work: Work, query: GrepQuery) -> list[str]:
    """Return all files where *work* searches."""
    pieces: list[bytes] = []
    with work.start(["--files", *scope_flags(query)]) as running:
        work.finish(running, pieces.append)
    return names_in(b"".join(pieces))
