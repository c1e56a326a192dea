"""Finding files by name, beneath a directory and without opening any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from redline.core.call_scope import cancellable
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel
from redline.core.ports.tree import Tree
from redline.search.globs import Matcher, is_glob, matcher, name_or_path, selects


class Excludes:
    """Globs that leave things out; a literal one leaves out everything below it too."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.any = bool(patterns)
        self._selects = selects(patterns)
        literal = [p.strip("/") for p in patterns if not is_glob(p)]
        self._names = frozenset(p.lower() for p in literal if "/" not in p)
        self._paths = frozenset(p.lower() for p in literal if "/" in p)

    def path(self, path: str) -> bool:
        """Return whether a relative path is left out."""
        return self.any and (self._selects(path) or not self.enter(path))

    def enter(self, path: str) -> bool:
        """Return whether a directory is walked into."""
        lowered = path.lower()
        return lowered not in self._paths and lowered.rpartition("/")[2] not in self._names

    def below(self, path: str) -> bool:
        """Return whether a path is left out by itself or by a directory above it."""
        if not self.any:
            return False
        parts = path.split("/")
        above = ("/".join(parts[: n + 1]) for n in range(len(parts) - 1))
        return self.path(path) or not all(map(self.enter, above))


def names_containing(
    tree: Tree, base: WorkspacePath, wanted: str, exclude: Sequence[str], cancel: Cancel
) -> list[str]:
    """Relative paths of files and directories whose name contains *wanted*, whatever its case."""
    left_out = Excludes(exclude)
    lowered = wanted.lower()
    hits: list[str] = []
    for folder in tree.walk(base, enter=left_out.enter if left_out.any else None):
        cancel.check()
        prefix = folder.prefix
        for names in folder[1:]:
            hits += [prefix + name for name in names if lowered in name.lower()]
    if left_out.any:
        hits = [hit for hit in cancellable(hits) if not left_out.path(hit)]
    return in_tree_order(hits)


def matching_files(
    tree: Tree,
    base: WorkspacePath,
    globs: Sequence[str],
    exclude: Sequence[str],
    cancel: Cancel,
) -> list[str]:
    """Relative paths of the files (and links) that any glob selects and no exclude does."""
    left_out = Excludes(exclude)
    by_name, by_path = name_or_path(globs)
    hits: list[str] = []
    for folder in tree.walk(base, enter=left_out.enter if left_out.any else None):
        cancel.check()
        names = folder.files + folder.links if folder.links else folder.files
        hits += _select(folder.prefix, cancellable(names), by_name, by_path)
    if left_out.any:
        hits = [hit for hit in cancellable(hits) if not left_out.path(hit)]
    hits.sort()
    return hits


def anchored_files(
    tree: Tree, base: WorkspacePath, pattern: str, cancel: Cancel
) -> Iterator[WorkspacePath]:
    """Yield the files and links below *base* whose whole relative path is *pattern*.

    A bare name goes no deeper; directories behind links are not entered.
    """
    test = matcher((pattern,))
    depth = None if "**" in pattern or "?" in pattern else pattern.count("/")
    for folder in tree.walk(base, depth=depth):
        cancel.check()
        names = sorted(folder.files + folder.links) if folder.links else folder.files
        for name in cancellable(names):
            if test(folder.prefix + name):
                yield below(base, folder.prefix + name)


def below(base: WorkspacePath, relative: str) -> WorkspacePath:
    """Return the place *relative* names beneath *base*; only for paths that a walk gave."""
    return base.child(*relative.split("/"))


def in_tree_order(paths: list[str]) -> list[str]:
    """Sorted name by name: what lies in a directory directly follows it."""
    return sorted(paths, key=lambda path: path.split("/"))


def _select(
    prefix: str, names: Iterable[str], by_name: Matcher | None, by_path: Matcher | None
) -> Iterator[str]:
    test: Callable[[str], bool]
    if by_path is None and by_name is not None:
        test = by_name
        return (prefix + name for name in names if test(name))
    return (
        prefix + name
        for name in names
        if (by_name is not None and by_name(name))
        or (by_path is not None and by_path(prefix + name))
    )
