"""Going down a tree directory by directory, leaving out what a listing leaves out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import FactLists, Tree
from redline.core.records import dataclass
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope, is_ignored

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel


@dataclass(frozen=True, slots=True)
class ListingScope:
    """What a listing takes in besides the plain files: dot names, and what is ignored."""

    hidden: bool = False
    ignored: bool = False


class Group(NamedTuple):
    """Files of one directory, with the start of their paths: "" or "a/b/"."""

    prefix: str
    facts: FactLists


Selects: TypeAlias = Callable[[str, list[str]], list[str]]
"""Takes the path of a directory with a closing slash, or "", and names; answers those wanted."""

_NOTHING = FactLists([], [], [], [], [])
KIND = 0o170000
_IGNORE_FILE = ".gitignore"
_FILES_AND_LINKS = frozenset((S_IFREG, S_IFLNK))
_ANY_KIND = frozenset(range(0, KIND + 1, 0o010000))


class Levels:
    """Looks at directories from the top down."""

    def __init__(
        self, tree: Tree, scope: ListingScope, cancel: Cancel, selects: Selects | None = None
    ) -> None:
        self._tree = tree
        self._scope = scope
        self._cancel = cancel
        self._selects = selects
        self._kinds = _ANY_KIND
        self.saw_links = False

    def entries(self, directory: WorkspacePath, depth: int) -> Iterator[tuple[Group, set[str]]]:
        """What is shown of each directory, *depth* levels down, and which names are ignored."""
        todo = [(self._start(directory), 1)]
        while todo:
            here, level = todo.pop()
            facts, ignored, inner = self._look(here)
            yield Group(here.prefix, facts), ignored
            if level < depth:
                todo += [(place, level + 1) for place in inner.values()]

    def files(self, directory: WorkspacePath) -> Iterator[Group]:
        """Files and links in path order."""
        self._kinds = _FILES_AND_LINKS
        # A piece of work is a directory still to be looked at, or files that wait their turn.
        todo: list[_Place | Group] = [self._start(directory)]
        while todo:
            work = todo.pop()
            if isinstance(work, Group):
                yield work
                continue
            facts, _, inner = self._look(work)
            if not inner:
                yield Group(work.prefix, facts)
            else:
                todo += reversed(_in_turn(work.prefix, facts, inner))

    def _start(self, directory: WorkspacePath) -> _Place:
        rules = IgnoreScope.at(self._tree, directory)
        ignored = self._scope.ignored and _lies_in_ignored(self._tree, directory)
        return _Place(directory, rules, ignored, True)

    def _look(self, here: _Place) -> tuple[FactLists, set[str], dict[str, _Place]]:
        """What is shown of one directory sorted by name, which names of it are ignored, and the
        directories to go on to."""
        self._cancel.check()
        try:
            facts, kinds, directories, has_file = self._facts(here)
        except RedlineError:
            return _NOTHING, set(), {}  # it vanished, or may not be read
        names = facts.names
        self.saw_links |= S_IFLNK in kinds
        rules = here.rules
        if has_file and not here.has_rules:
            rules = rules.with_own_file()
        asked = names if self._selects is None else [*names, *directories]
        ignored = rules.ignored_among(asked, directories)
        if directories:
            ignored.update(EXCLUDED_DIRECTORIES.intersection(directories))
        if here.is_ignored:
            ignored.update(names)
        inner = {
            name: _Place(here.path.child(name), rules.below(name, has_file=False), name in ignored)
            for name in directories
            if self._enters(name, ignored)
        }
        return self._select_shown(facts, kinds, ignored), ignored, inner

    def _enters(self, name: str, ignored: set[str]) -> bool:
        if name[0] == "." and not self._scope.hidden:
            return False
        return self._scope.ignored or name not in ignored

    def _facts(self, here: _Place) -> tuple[FactLists, set[int], frozenset[str], bool]:
        """What may be shown, sorted by name, and of which kinds; then whatever is chosen, the
        directories that are there and whether an ignore file may be."""
        selects = self._selects
        if selects is None:
            facts = self._tree.facts(here.path)
            kinds = _kinds(facts.modes)
            directories = _directories(facts) if S_IFDIR in kinds else _NONE
            return facts, kinds, directories, _has_ignore_file(facts.names)
        prefix = here.prefix
        folder, facts = self._tree.facts_of_some(here.path, lambda names: selects(prefix, names))
        kinds = _kinds(facts.modes)
        return facts, kinds, frozenset(folder.directories), _has_ignore_file(folder.files)

    def _select_shown(self, facts: FactLists, found: set[int], ignored: set[str]) -> FactLists:
        hidden, keep, kinds = self._scope.hidden, self._scope.ignored, self._kinds
        if not ignored and found <= kinds and (hidden or not _has_hidden(facts.names)):
            return facts
        return select_rows(
            facts,
            lambda name, mode: (
                mode & KIND in kinds
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

    @property
    def prefix(self) -> str:
        """The start of the paths of what is in it."""
        return "/".join((*self.path.parts, ""))


def select_rows(facts: FactLists, wants: Callable[[str, int], bool]) -> FactLists:
    """Return the *facts* of those names that are wanted, which is asked with name and mode."""
    return columns([row for row in zip(*facts, strict=True) if wants(row[0], row[1])])


def columns(rows: Sequence[tuple[str, int, int, int, int]]) -> FactLists:
    """Facts given name by name, put side by side."""
    return FactLists(*map(list, zip(*rows, strict=True))) if rows else _NOTHING


def part(facts: FactLists, start: int, stop: int | None) -> FactLists:
    """Return the *facts* from *start* up to *stop*."""
    return FactLists(*[column[start:stop] for column in facts])  # type: ignore[arg-type]


_NONE: frozenset[str] = frozenset()


def _kinds(modes: list[int]) -> set[int]:
    if modes and modes.count(modes[0]) == len(modes):  # as in most directories
        return {modes[0] & KIND}
    return {mode & KIND for mode in set(modes)}


def _directories(facts: FactLists) -> frozenset[str]:
    both = zip(facts.names, facts.modes, strict=True)
    return frozenset(name for name, mode in both if mode & KIND == S_IFDIR)


def _has_ignore_file(names: list[str]) -> bool:
    """Return whether sorted *names* hold that of a file with ignore rules."""
    place = bisect_left(names, _IGNORE_FILE)
    return place < len(names) and names[place] == _IGNORE_FILE


def _has_hidden(names: list[str]) -> bool:
    """Return whether a name begins with a dot; such names are adjacent, for *names* are sorted."""
    first = bisect_left(names, ".")
    return first < len(names) and names[first][0] == "."


def _in_turn(prefix: str, facts: FactLists, inner: dict[str, _Place]) -> list[_Place | Group]:
    """Runs of files with the directories between them, in the order of names."""
    order: list[_Place | Group] = []
    start = 0
    for name in sorted(inner):
        stop = bisect_left(facts.names, name, start)
        order += [Group(prefix, part(facts, start, stop)), inner[name]]
        start = stop
    return [*order, Group(prefix, part(facts, start, None))]


def _lies_in_ignored(tree: Tree, directory: WorkspacePath) -> bool:
    return any(part in EXCLUDED_DIRECTORIES for part in directory.parts) or is_ignored(
        tree, directory, True
    )
