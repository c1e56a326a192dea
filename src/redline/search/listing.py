"""Directory and file listings: what is left out, in which order, and how much of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from redline.core.errors import NotADirectory, NotFound, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import Cancel
from redline.core.ports.tree import FactLists, Kind, Tree
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope, is_ignored
from redline.search.patterns import any_of


@dataclass(frozen=True, slots=True)
class Scope:
    """What a listing takes in besides the plain files: dot names, and what is ignored."""

    hidden: bool = False
    ignored: bool = False


Listed: TypeAlias = tuple[str, int, int, int, bool]
"""Path from the root, mode, size, mtime in ns, and whether ignore rules speak against it.

A plain tuple: there are tens of thousands of these in one answer.
"""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """Entries in order, cut at the cap; `total` is None where counting stopped there too."""

    entries: Sequence[T]
    truncated: bool
    total: int | None = None


def list_directory(
    tree: Tree,
    directory: WorkspacePath,
    scope: Scope,
    cancel: Cancel,
    *,
    depth: int = 1,
    most: int = 1000,
    order: str = "name",
) -> Listing[Listed]:
    """What is in *directory*, *depth* levels of it; linked directories are named, not entered."""
    _require_directory(tree, directory)
    found: list[Listed] = []
    walk = _Walk(tree, scope, cancel)
    for entries in walk.levels(directory, depth):
        found += entries
    if order == "modified":
        found.sort(key=_newest_first)
    else:
        directories_first = order == "type"
        found.sort(key=lambda e: (directories_first and not _is_directory(e), e[0].split("/")))
    return Listing(found[:most], len(found) > most, len(found))


def list_files(
    tree: Tree,
    directory: WorkspacePath,
    scope: Scope,
    cancel: Cancel,
    render: Callable[[str, FactLists], list[T]],
    *,
    patterns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    most: int = 5000,
    order: str = "path",
    keeps_link: Callable[[str], bool] = lambda _: True,
) -> Listing[T]:
    """The files beneath *directory* that a pattern selects, and links for which *keeps_link*.

    A pattern is tried on the path from the root and on the path from *directory*. *render* makes
    entries of the files of one directory, given with the start of their paths. In path order the
    walk ends where the cap does.
    """
    _require_directory(tree, directory)
    walk = _Walk(tree, scope, cancel, _selector(directory, patterns, exclude))
    found: list[T] = []
    keys: list[tuple[int, list[str]]] = []
    by_path = order == "path"
    for prefix, some in walk.files(directory):
        facts = some if not walk.saw_links else _without(prefix, some, keeps_link)
        found += render(prefix, facts)
        if not by_path:
            both = zip(facts.names, facts.mtimes_ns, strict=True)
            keys += [(-mtime, (prefix + name).split("/")) for name, mtime in both]
        elif len(found) > most:
            return Listing(found[:most], True)
    if not by_path:
        found = [found[index] for index in sorted(range(len(found)), key=keys.__getitem__)]
    return Listing(found[:most], len(found) > most, len(found))


def _without(prefix: str, facts: FactLists, keeps_link: Callable[[str], bool]) -> FactLists:
    return _chosen(facts, lambda name, mode: mode & _KIND != S_IFLNK or keeps_link(prefix + name))


def _chosen(facts: FactLists, wants: Callable[[str, int], bool]) -> FactLists:
    rows = [row for row in zip(*facts, strict=True) if wants(row[0], row[1])]
    return FactLists(*map(list, zip(*rows, strict=True))) if rows else _NOTHING


def _directories(facts: FactLists, kinds: set[int]) -> list[str]:
    if S_IFDIR not in kinds:
        return []
    both = zip(facts.names, facts.modes, strict=True)
    return [name for name, mode in both if mode & _KIND == S_IFDIR]


def _newest_first(listed: Listed) -> tuple[int, list[str]]:
    return -listed[3], listed[0].split("/")


def _has_hidden(names: Sequence[str]) -> bool:
    """Whether a name begins with a dot; such names stand together, for *names* are sorted."""
    first = bisect_left(names, ".")
    return first < len(names) and names[first][0] == "."


def _is_directory(listed: Listed) -> bool:
    return listed[1] & _KIND == S_IFDIR


def _require_directory(tree: Tree, directory: WorkspacePath) -> None:
    entry = tree.stat(directory)
    if entry is None:
        raise NotFound(show_name(directory.relative))
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(show_name(directory.relative))


# Takes the path of a directory with a closing slash, or "", and names in it; answers those wanted.
_Selects = Callable[[str, list[str]], list[str]]
_ANY_NAME_WITH = re.compile(r"(?:\*\*/)*\*([^*?\[\]{}\\/]+)")
_KIND = 0o170000
_IGNORE_FILE = ".gitignore"
_FILES_AND_LINKS = frozenset((S_IFREG, S_IFLNK))
_NOTHING = FactLists([], [], [], [])
_ANY_KIND = frozenset(range(0, _KIND + 1, 0o010000))


def _selector(
    directory: WorkspacePath, patterns: Sequence[str], exclude: Sequence[str]
) -> _Selects | None:
    """How names are chosen; None where all are."""
    if not exclude and (not patterns or any(p in ("**/*", "**", "*") for p in patterns)):
        return None
    endings = [_ANY_NAME_WITH.fullmatch(pattern) for pattern in patterns]
    if patterns and not exclude and all(endings):
        suffixes = tuple(ending[1] for ending in endings if ending)
        return lambda _, names: [name for name in names if name.endswith(suffixes)]
    wanted = any_of(tuple(patterns) or ("**/*",)).fullmatch
    unwanted = any_of(tuple(exclude)).fullmatch if exclude else None
    start = len("/".join(directory.parts)) + 1 if directory.parts else 0

    def selects(path: str) -> bool:
        if not (wanted(path) or (start and wanted(path[start:]))):
            return False
        return unwanted is None or not (unwanted(path) or (start and unwanted(path[start:])))

    return lambda prefix, names: [name for name in names if selects(prefix + name)]


class _Walk:
    """Goes down a tree by directories, leaving out what the scope leaves out."""

    def __init__(
        self, tree: Tree, scope: Scope, cancel: Cancel, selects: _Selects | None = None
    ) -> None:
        self._tree = tree
        self._scope = scope
        self._cancel = cancel
        self._selects = selects
        self._kinds = _ANY_KIND
        self.saw_links = False

    def levels(self, directory: WorkspacePath, depth: int) -> Iterator[list[Listed]]:
        """The entries of each directory, *depth* levels down."""
        todo = [(self._start(directory), 1)]
        while todo:
            here, level = todo.pop()
            facts, ignored, inner = self._look(here)
            prefix = "/".join((*here.path.parts, ""))
            yield [
                (prefix + name, mode, size, mtime, name in ignored)
                for name, mode, size, mtime in zip(*facts, strict=True)
            ]
            if level < depth:
                todo += [(place, level + 1) for place in inner.values()]

    def files(self, directory: WorkspacePath) -> Iterator[tuple[str, FactLists]]:
        """Files and links in path order: of one directory each, with the start of their paths."""
        self._kinds = _FILES_AND_LINKS
        # A piece of work is a directory still to be looked at, or files that wait their turn.
        todo: list[_Place | tuple[str, FactLists]] = [self._start(directory)]
        while todo:
            work = todo.pop()
            if not isinstance(work, _Place):
                yield work
                continue
            facts, _, inner = self._look(work)
            prefix = "/".join((*work.path.parts, ""))
            if not inner:
                yield prefix, facts
            else:
                todo += reversed(_in_turn(prefix, facts, inner))

    def _start(self, directory: WorkspacePath) -> _Place:
        rules = IgnoreScope.at(self._tree, directory)
        ignored = self._scope.ignored and _lies_in_ignored(self._tree, directory)
        return _Place(directory, rules, ignored, True)

    def _look(self, here: _Place) -> tuple[FactLists, set[str], dict[str, _Place]]:
        """What is shown of one directory sorted by name, which names of it are ignored, and the
        directories to go on to."""
        self._cancel.check()
        try:
            facts, kinds, directories, has_file = self._facts(here.path)
        except RedlineError:
            return _NOTHING, set(), {}  # it vanished, or may not be read
        names = facts.names
        self.saw_links |= S_IFLNK in kinds
        rules = here.rules
        if has_file and not here.has_rules:
            rules = rules.with_own_file()
        asked = names if self._selects is None else [*names, *directories]
        ignored = rules.ignored_among(asked, directories)
        ignored.update(EXCLUDED_DIRECTORIES.intersection(directories))
        if here.is_ignored:
            ignored.update(names)
        inner = {
            name: _Place(here.path.child(name), rules.below(name, has_file=False), name in ignored)
            for name in directories
            if self._enters(name, ignored)
        }
        return self._shown(facts, kinds, ignored), ignored, inner

    def _enters(self, name: str, ignored: set[str]) -> bool:
        if name[0] == "." and not self._scope.hidden:
            return False
        return self._scope.ignored or name not in ignored

    def _facts(self, path: WorkspacePath) -> tuple[FactLists, set[int], frozenset[str], bool]:
        """What may be shown, sorted by name, and of which kinds; then whatever is chosen, the
        directories that are there and whether an ignore file may be."""
        selects = self._selects
        if selects is None:
            facts = self._tree.facts(path)
            kinds = {mode & _KIND for mode in set(facts.modes)}
            return facts, kinds, frozenset(_directories(facts, kinds)), _IGNORE_FILE in facts.names
        folder = next(iter(self._tree.walk(path, depth=0)))
        wanted = selects("/".join((*path.parts, "")), folder.files + folder.links)
        facts = self._tree.facts(path, wanted) if wanted else _NOTHING
        kinds = {mode & _KIND for mode in set(facts.modes)}
        return facts, kinds, frozenset(folder.directories), _IGNORE_FILE in folder.files

    def _shown(self, facts: FactLists, found: set[int], ignored: set[str]) -> FactLists:
        hidden, keep, kinds = self._scope.hidden, self._scope.ignored, self._kinds
        if not ignored and found <= kinds and (hidden or not _has_hidden(facts.names)):
            return facts
        return _chosen(
            facts,
            lambda name, mode: (
                mode & _KIND in kinds
                and (name[0] != "." or hidden)
                and (keep or name not in ignored)
            ),
        )


class _Place(NamedTuple):
    """A directory to look at; `has_rules` says whether its own ignore file is in already."""

    path: WorkspacePath
    rules: IgnoreScope
    is_ignored: bool
    has_rules: bool = False


def _in_turn(
    prefix: str, facts: FactLists, inner: dict[str, _Place]
) -> list[_Place | tuple[str, FactLists]]:
    """Runs of files with the directories between them, in the order of names."""
    order: list[_Place | tuple[str, FactLists]] = []
    start = 0
    for name in sorted(inner):
        stop = bisect_left(facts.names, name, start)
        order += [(prefix, _part(facts, start, stop)), inner[name]]
        start = stop
    return [*order, (prefix, _part(facts, start, None))]


def _part(facts: FactLists, start: int, stop: int | None) -> FactLists:
    names, modes, sizes, mtimes = facts
    return FactLists(names[start:stop], modes[start:stop], sizes[start:stop], mtimes[start:stop])


def _lies_in_ignored(tree: Tree, directory: WorkspacePath) -> bool:
    return any(part in EXCLUDED_DIRECTORIES for part in directory.parts) or is_ignored(
        tree, directory, True
    )
