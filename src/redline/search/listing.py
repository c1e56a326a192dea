"""Directory and file listings: which entries, in which order, and how much of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from stat import S_IFDIR, S_IFLNK
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from redline.core.call_scope import cancellable
from redline.core.errors import NotADirectory, NotFound
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import FactLists, Kind, Tree
from redline.core.records import dataclass
from redline.search import levels
from redline.search.patterns import any_of

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

Listed: TypeAlias = tuple[str, int, int, int, bool]
"""Path from the root, mode, size, mtime in ns, and whether ignore rules speak against it."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """Entries in order, cut at the cap; `total` is None where counting stopped there too."""

    entries: Sequence[T]
    shown: int
    truncated: bool
    total: int | None = None


def list_directory(
    tree: Tree,
    directory: WorkspacePath,
    scope: levels.ListingScope,
    cancel: Cancel,
    *,
    depth: int = 1,
    most: int = 1000,
    order: str = "name",
) -> Listing[Listed]:
    """What is in *directory*, *depth* levels of it; linked directories are named, not entered."""
    _require_directory(tree, directory)
    found: list[Listed] = []
    for (prefix, facts), ignored in levels.Levels(tree, scope, cancel).entries(directory, depth):
        found += [
            (prefix + name, mode, size, second * _SECOND + nano, name in ignored)
            for name, mode, size, second, nano in zip(*facts, strict=True)
        ]
    if order == "modified":
        found.sort(key=lambda entry: (-entry[3], entry[0].split("/")))
    else:
        directories_first = order == "type"
        found.sort(key=lambda e: (directories_first and not _is_directory(e), e[0].split("/")))
    shown = found[:most]
    return Listing(shown, len(shown), len(found) > most, len(found))


def list_files(
    tree: Tree,
    directory: WorkspacePath,
    scope: levels.ListingScope,
    cancel: Cancel,
    render: Callable[[str, FactLists], T],
    *,
    patterns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    most: int = 5000,
    order: str = "path",
    keeps_link: Callable[[str], bool] = lambda _: True,
) -> Listing[T]:
    """The files beneath *directory* that a pattern selects, and links for which *keeps_link*.

    A pattern is tried on the path from the root and on the path from *directory*. *render* makes
    an entry of several files at once, given with the start of their paths. In path order the walk
    ends where the cap does.
    """
    _require_directory(tree, directory)
    walk = levels.Levels(tree, scope, cancel, _selector(directory, patterns, exclude))
    groups = (
        group if not walk.saw_links else _without(group, keeps_link)
        for group in walk.files(directory)
    )
    if order != "path":
        newest, count = _newest(groups, most)
        entries = [render(*newest)] if count else []
        return Listing(entries, min(count, most), count > most, count)
    entries, count = [], 0
    for prefix, facts in groups:
        count += len(facts.names)
        over = max(count - most, 0)
        shown = facts if not over else levels.part(facts, 0, len(facts.names) - over)
        if shown.names:
            entries.append(render(prefix, shown))
        if over:
            return Listing(entries, most, True)
    return Listing(entries, count, False, count)


def _without(group: levels.Group, keeps_link: Callable[[str], bool]) -> levels.Group:
    prefix, facts = group
    return levels.Group(
        prefix,
        levels.select_rows(
            facts, lambda name, mode: mode & levels.KIND != S_IFLNK or keeps_link(prefix + name)
        ),
    )


def _newest(groups: Iterable[levels.Group], most: int) -> tuple[levels.Group, int]:
    """The *most* files changed last as one group without a prefix, and how many there are."""
    rows = [
        (prefix + name, mode, size, second, nano)
        for prefix, facts in groups
        for name, mode, size, second, nano in zip(*facts, strict=True)
    ]
    rows.sort(key=lambda row: (-row[3], -row[4], row[0].split("/")))
    return levels.Group("", levels.columns(rows[:most])), len(rows)


def _is_directory(listed: Listed) -> bool:
    return listed[1] & levels.KIND == S_IFDIR


def _require_directory(tree: Tree, directory: WorkspacePath) -> None:
    entry = tree.stat(directory)
    if entry is None:
        raise NotFound(show_name(directory.relative))
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(show_name(directory.relative))


_SECOND = 1_000_000_000
_ANY_NAME_WITH = re.compile(r"(?:\*\*/)*\*([^*?\[\]{}\\/]+)")


def _selector(
    directory: WorkspacePath, patterns: Sequence[str], exclude: Sequence[str]
) -> levels.Selects | None:
    """Return the test that selects names; None where all are selected."""
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

    return lambda prefix, names: [name for name in cancellable(names) if selects(prefix + name)]
