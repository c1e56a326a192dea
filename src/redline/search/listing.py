"""Directory and file listings: what is left out, in which order, and how much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from redline.core.errors import NotADirectory, NotFound, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports import Cancel, Entry, Kind, Tree
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope, is_ignored
from redline.search.patterns import any_of


@dataclass(frozen=True, slots=True)
class Scope:
    """What a listing takes in besides the plain files: dot names, and what is ignored."""

    hidden: bool = False
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry and whether ignore rules or the default exclusions speak against it."""

    entry: Entry
    is_ignored: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries in order, cut at the cap; `total` is how many there are in all."""

    entries: tuple[Listed, ...]
    total: int

    @property
    def truncated(self) -> bool:
        """Whether the cap left something out."""
        return self.total > len(self.entries)


def list_directory(
    tree: Tree,
    directory: WorkspacePath,
    scope: Scope,
    cancel: Cancel,
    *,
    depth: int = 1,
    most: int = 1000,
    order: str = "name",
) -> Listing:
    """What is in *directory*, *depth* levels of it; linked directories are named, not entered."""
    _require_directory(tree, directory)
    found = list(_walk(tree, directory, scope, cancel, depth=depth))
    found.sort(key=_ORDERS[order])
    return Listing(tuple(found[:most]), len(found))


def list_files(
    tree: Tree,
    directory: WorkspacePath,
    scope: Scope,
    cancel: Cancel,
    *,
    patterns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    most: int = 5000,
    order: str = "path",
    keeps_link: Callable[[WorkspacePath], bool] = lambda _: True,
) -> Listing:
    """The files beneath *directory* that a pattern selects, and links for which *keeps_link*.

    A pattern is tried on the path from the root and on the path from *directory*.
    """
    _require_directory(tree, directory)
    selects = _selector(directory, patterns, exclude)
    found = [
        listed
        for listed in _walk(tree, directory, scope, cancel, depth=None)
        if listed.entry.kind in _FILE_KINDS
        and selects(listed.entry.path)
        and (listed.entry.kind is Kind.FILE or keeps_link(listed.entry.path))
    ]
    found.sort(key=_ORDERS["name" if order == "path" else order])
    return Listing(tuple(found[:most]), len(found))


_FILE_KINDS = (Kind.FILE, Kind.SYMLINK)
_ORDERS: dict[str, Callable[[Listed], Any]] = {
    "name": lambda listed: listed.entry.path.parts,
    "type": lambda listed: (listed.entry.kind is not Kind.DIRECTORY, listed.entry.path.parts),
    "modified": lambda listed: (-listed.entry.mtime_ns, listed.entry.path.parts),
}


def _require_directory(tree: Tree, directory: WorkspacePath) -> None:
    entry = tree.stat(directory)
    if entry is None:
        raise NotFound(show_name(directory.relative))
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(show_name(directory.relative))


def _selector(
    directory: WorkspacePath, patterns: Sequence[str], exclude: Sequence[str]
) -> Callable[[WorkspacePath], bool]:
    if not exclude and (not patterns or any(p in ("**/*", "**", "*") for p in patterns)):
        return lambda _: True
    wanted = any_of(tuple(patterns) or ("**/*",)).fullmatch
    unwanted = any_of(tuple(exclude)).fullmatch if exclude else None
    depth = len(directory.parts)

    def selects(path: WorkspacePath) -> bool:
        whole = "/".join(path.parts)
        from_here = "/".join(path.parts[depth:]) if depth else whole
        if not (wanted(whole) or wanted(from_here)):
            return False
        return unwanted is None or not (unwanted(whole) or unwanted(from_here))

    return selects


def _walk(
    tree: Tree, directory: WorkspacePath, scope: Scope, cancel: Cancel, *, depth: int | None
) -> Iterator[Listed]:
    rules = IgnoreScope.at(tree, directory)
    below_ignored = _lies_in_ignored(tree, directory) if scope.ignored else False
    todo = [(directory, rules, below_ignored, 1)]
    while todo:
        here, rules, in_ignored, level = todo.pop()
        cancel.check()
        for listed, inner in _entries(tree, here, rules, scope, in_ignored):
            yield listed
            if inner is not None and (depth is None or level < depth):
                todo.append((listed.entry.path, inner, listed.is_ignored, level + 1))


def _entries(
    tree: Tree, here: WorkspacePath, rules: IgnoreScope, scope: Scope, in_ignored: bool
) -> Iterator[tuple[Listed, IgnoreScope | None]]:
    """What one directory shows, with the rules to enter each directory by."""
    try:
        entries = tree.scan(here)
    except RedlineError:
        return  # it vanished, or may not be read
    for entry in entries:
        name = entry.path.parts[-1]
        if name[0] == "." and not scope.hidden:
            continue
        is_directory = entry.kind is Kind.DIRECTORY
        ignored = (
            in_ignored
            or (is_directory and name in EXCLUDED_DIRECTORIES)
            or rules.ignores(name, is_directory)
        )
        if ignored and not scope.ignored:
            continue
        yield Listed(entry, ignored), rules.below(name) if is_directory else None


def _lies_in_ignored(tree: Tree, directory: WorkspacePath) -> bool:
    return any(part in EXCLUDED_DIRECTORIES for part in directory.parts) or is_ignored(
        tree, directory, True
    )
