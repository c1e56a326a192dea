"""Repositories through libgit2, inside a worker.

Configuration outside the repository is not read. Everything happens on a thread that the kernel
confines to the roots where it can, so neither a link, nor `core.worktree`, nor a git directory
elsewhere leads out; where it cannot, those are checked by name.
"""

from __future__ import annotations

import os
import stat as modes
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from redline.adapters.files.disk import O_NOFOLLOW, O_SAFE_OPEN
from redline.adapters.git_conflicts import Side, SideHunk, combine, combine_binary
from redline.adapters.sandbox.read_guard import ReadGuard
from redline.core.errors import GitFailed
from redline.core.paths import show_name
from redline.core.ports.git import GitEntry, GitFileDiff, GitStatus

_T = TypeVar("_T")

# Nanoseconds after which no file system gives two changes the same time.
_RESTING = 3_000_000_000
_MAX_CONFIG = 1 << 16


class _Kept(NamedTuple):
    """A repository that stays open for the next call, and the mark of its configuration."""

    repository: Any
    mark: tuple[int, ...]


# By its directory; at most one.
_kept: dict[str, _Kept] = {}

_SHORT = 7
_LOOKED_AT = 8000
# libgit2's letters as git prints them in a status and as a diff calls them.
_WORDS = {"A": "added", "D": "deleted"}
_CONFLICTS = {
    (True, True, True): "UU",
    (False, True, True): "AA",
    (True, True, False): "UD",
    (True, False, True): "DU",
    (True, False, False): "DD",
    (False, True, False): "AU",
    (False, False, True): "UA",
}


def status(
    _ask: Any, places: list[int | str], roots: list[str], top: str, untracked: bool
) -> tuple[Any, ...]:
    """The status of the repository at *top*, as the fields of a GitStatus."""
    return _read(places, roots, top, lambda repository: astuple(_status(repository, untracked)))


def diff(
    _ask: Any, places: list[int | str], roots: list[str], top: str, *asked: Any
) -> list[tuple[Any, ...]]:
    """Its diff, file by file: *asked* are staged, context, wanted paths and limit."""
    return _read(
        places, roots, top, lambda repository: [astuple(file) for file in _diff(repository, *asked)]
    )


def holds(
    _ask: Any, places: list[int | str], roots: list[str], top: str, names: list[str]
) -> list[bool]:
    """Whether the repository has each of these objects."""
    return _read(places, roots, top, lambda repository: [name in repository for name in names])


def blob(_ask: Any, places: list[int | str], roots: list[str], top: str, name: str) -> bytes | None:
    """The content of a file that the repository holds under *name*."""

    def load(repository: Any) -> bytes | None:
        found = repository.get(name)
        return found.data if found is not None and found.type_str == "blob" else None

    return _read(places, roots, top, load)


def _read(places: list[int | str], roots: list[str], top: str, work: Callable[[Any], _T]) -> _T:
    import pygit2

    _read_no_other_configuration(pygit2)

    def inside() -> _T:
        try:
            repository = _open(pygit2, top)
            _check_places(repository, roots)
            return work(repository)
        except BaseException:
            _kept.clear()
            raise

    try:
        return _guard(tuple(places)).run(inside)
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        raise GitFailed(str(error)) from None


def _open(pygit2: Any, top: str) -> Any:
    """The repository at *top*: the one of the last call, if its configuration is the same.

    Reading an index takes as long as asking for the status, so it is read again only when it has
    changed. libgit2 looks at most other files each time; what it does not is the configuration.
    """
    mark = _mark_configuration(top)
    known = _kept.pop(top, None)
    if known is not None and known.mark == mark:
        repository = known.repository
        repository.index.read(False)
    else:
        repository = pygit2.Repository(top, pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
    _kept.clear()
    if mark is not None:
        _kept[top] = _Kept(repository, mark)
    return repository


def _mark_configuration(top: str) -> tuple[int, ...] | None:
    """The facts that change with a repository's configuration; None where they are not certain."""
    try:
        fd = os.open(os.path.join(top, ".git", "config"), os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not modes.S_ISREG(found.st_mode) or found.st_size > _MAX_CONFIG:
            return None
        text = os.read(fd, _MAX_CONFIG).lower()
    except OSError:
        return None
    finally:
        os.close(fd)
    if time.time_ns() - found.st_mtime_ns < _RESTING:
        return None  # it may change once more without a change of its time
    if b"include" in text or b"worktreeconfig" in text:
        return None  # other files count as well
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, crc32(text)


@lru_cache(1)
def _guard(places: tuple[int | str, ...]) -> ReadGuard:
    """One for the life of the worker: what a thread may not read it never may again."""
    return ReadGuard(places)


def _check_places(repository: Any, roots: list[str]) -> None:
    """Refuse a git directory or a work tree outside the roots, by name."""
    tops = [os.path.join(root, "") for root in roots]
    for place in (repository.path, repository.workdir or ""):
        real = os.path.join(os.path.realpath(place), "")
        if not any(real.startswith(top) for top in tops):
            raise ValueError(f"it lies outside the workspace: {show_name(real)}")


def _read_no_other_configuration(pygit2: Any) -> None:
    option, level = pygit2.enums.Option, pygit2.enums.ConfigLevel
    for place in (level.SYSTEM, level.XDG, level.GLOBAL, level.PROGRAMDATA):
        pygit2.option(option.SET_SEARCH_PATH, place, "")
    # Who owns a repository matters to those who run what it names; nothing is run here.
    pygit2.option(option.SET_OWNER_VALIDATION, False)


def _status(repository: Any, untracked: bool) -> GitStatus:
    branch, head, detached = _head(repository)
    upstream, ahead, behind = _upstream(repository, branch, detached)
    return GitStatus(
        branch=branch,
        head=head,
        upstream=upstream,
        ahead=ahead,
        behind=behind,
        detached=detached,
        entries=tuple(_entries(repository, untracked)),
    )


def _head(repository: Any) -> tuple[str, str, bool]:
    if repository.head_is_unborn:
        target = str(repository.lookup_reference("HEAD").target)
        return target.removeprefix("refs/heads/"), "", False
    head = str(repository.head.target)
    if repository.head_is_detached:
        return "HEAD", head, True
    return str(repository.head.shorthand), head, False


def _upstream(repository: Any, branch: str, detached: bool) -> tuple[str, int, int]:
    local = None if detached else repository.lookup_branch(branch)
    if local is None or local.upstream is None:
        return "", 0, 0
    ahead, behind = repository.ahead_behind(local.target, local.upstream.target)
    return str(local.upstream.shorthand), ahead, behind


def _entries(repository: Any, untracked: bool) -> Iterator[GitEntry]:
    """Tracked paths in order, then untracked ones, as git prints them."""
    found: dict[bytes, tuple[str, str, bytes | None]] = {}
    for letter, path, old in _staged_letters(repository):
        found[path] = (letter, " ", old)
    new: list[bytes] = []
    for letter, path in _work_tree_letters(repository, untracked):
        if letter == "?":
            new.append(path)
            continue
        index, _, old = found.get(path, (" ", " ", None))
        found[path] = (index, letter, old)
    for path, letters in _conflicts(repository):
        found[path] = (letters[0], letters[1], None)
    for path in sorted(found):
        index, worktree, old = found[path]
        yield GitEntry(os.fsdecode(path), index, worktree, os.fsdecode(old) if old else None)
    for path in sorted(new):
        yield GitEntry(os.fsdecode(path), "?", "?")


def _staged_letters(repository: Any) -> Iterator[tuple[str, bytes, bytes | None]]:
    if repository.head_is_unborn:
        for entry in repository.index:
            yield "A", os.fsencode(entry.path), None
        return
    diff = repository.index.diff_to_tree(repository.head.peel().tree, _type_changes())
    diff.find_similar()
    for delta in diff.deltas:
        letter = delta.status_char()
        renamed = letter in "RC"
        yield letter, delta.new_file.raw_path, delta.old_file.raw_path if renamed else None


def _work_tree_letters(repository: Any, untracked: bool) -> Iterator[tuple[str, bytes]]:
    import pygit2

    flags = _type_changes()
    if untracked:
        flags |= pygit2.enums.DiffOption.INCLUDE_UNTRACKED
    for delta in repository.index.diff_to_workdir(flags).deltas:
        yield delta.status_char(), delta.new_file.raw_path


def _type_changes() -> Any:
    import pygit2

    return pygit2.enums.DiffOption.INCLUDE_TYPECHANGE


def _as_git_does() -> Any:
    import pygit2

    return _type_changes() | pygit2.enums.DiffOption.INDENT_HEURISTIC


def _conflicts(repository: Any) -> Iterator[tuple[bytes, str]]:
    for sides in repository.index.conflicts or ():
        present = tuple(side is not None for side in sides)
        path = next(side.path for side in sides if side is not None)
        yield os.fsencode(path), _CONFLICTS[present]  # type: ignore[index]


def _diff(
    repository: Any, staged: bool, context: int, wanted: Sequence[bytes], limit: int
) -> list[GitFileDiff]:
    files: list[GitFileDiff] = []
    size = 0
    patches = map(_file_diff, _patches(repository, staged, context, wanted))
    for found in chain(_conflict_diffs(repository, staged, context, wanted), patches):
        if not found.text:
            continue
        files.append(found)
        size += len(found.text)
        if size > limit:
            break
    return files


def _patches(repository: Any, staged: bool, context: int, wanted: Sequence[bytes]) -> Iterator[Any]:
    import pygit2

    if staged and repository.head_is_unborn:
        yield from _first_patches(repository, context, wanted)
        return
    if staged:
        tree = repository.head.peel().tree
        diff = repository.index.diff_to_tree(tree, _as_git_does(), context)
        diff.find_similar()
    else:
        diff = repository.index.diff_to_workdir(_as_git_does(), context)
    deltas = list(diff.deltas)
    for number, delta in enumerate(deltas):
        if delta.status == pygit2.enums.DeltaStatus.CONFLICTED:
            continue
        sides = (delta.new_file.raw_path, delta.old_file.raw_path)
        if not wanted or any(_is_wanted(path, wanted) for path in sides):
            patch = diff[number]
            if patch is not None:
                yield patch


def _conflict_diffs(
    repository: Any, staged: bool, context: int, wanted: Sequence[bytes]
) -> Iterator[GitFileDiff]:
    """What git prints of the paths that a merge could not decide."""
    for base, ours, theirs in repository.index.conflicts or ():
        path = os.fsencode((ours or theirs or base).path)
        if wanted and not _is_wanted(path, wanted):
            continue
        is_binary, text = False, b"* Unmerged path " + path + b"\n"
        if ours and theirs and not staged:
            is_binary, text = _combine(repository, path, (ours, theirs), context)
        yield GitFileDiff(os.fsdecode(path), "modified", is_binary, text)


def _combine(
    repository: Any, path: bytes, entries: tuple[Any, Any], context: int
) -> tuple[bool, bytes]:
    found = _work_file(repository, path)
    result, mode = found or (None, 0)
    contents = [repository[entry.id].data for entry in entries]
    is_binary = any(b"\0" in content[:_LOOKED_AT] for content in (*contents, result or b""))
    ours, theirs = (
        Side(
            str(entry.id)[:_SHORT],
            entry.mode,
            () if is_binary or result is None else _hunks(content, result),
        )
        for entry, content in zip(entries, contents, strict=True)
    )
    if is_binary:
        return True, combine_binary(path, found is not None, mode, (ours, theirs))
    return False, combine(path, result, mode, (ours, theirs), context)


def _work_file(repository: Any, path: bytes) -> tuple[bytes, int] | None:
    """Return content and mode of a file of the work tree; None if there is none at *path*."""
    top = os.path.realpath(os.fsencode(repository.workdir))
    place = os.path.join(top, path)
    if os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
        return None  # git does not look behind links either
    try:
        if os.path.islink(place):
            return os.readlink(place), modes.S_IFLNK
        fd = os.open(place, os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN)
    except OSError:
        return None
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if not modes.S_ISREG(found.st_mode):
            return None
        return file.read(), 0o100755 if found.st_mode & modes.S_IXUSR else 0o100644


def _hunks(old: bytes, new: bytes) -> list[SideHunk]:
    import pygit2

    option = pygit2.enums.DiffOption
    patch = pygit2.Patch.create_from(
        old, new, flag=option.INDENT_HEURISTIC | option.FORCE_TEXT, context_lines=0
    )
    return [
        SideHunk(
            hunk.new_start - 1 if hunk.new_lines else hunk.new_start,
            hunk.new_lines,
            [line.raw_content.removesuffix(b"\n") for line in hunk.lines if line.origin == "-"],
        )
        for hunk in patch.hunks
    ]


def _first_patches(repository: Any, context: int, wanted: Sequence[bytes]) -> Iterator[Any]:
    """What is staged before the first commit: everything is new."""
    import pygit2

    for entry in repository.index:
        blob = repository.get(entry.id)
        if blob is None or (wanted and not _is_wanted(os.fsencode(entry.path), wanted)):
            continue
        yield pygit2.Patch.create_from(None, blob, new_as_path=entry.path, context_lines=context)


def _is_wanted(path: bytes, wanted: Sequence[bytes]) -> bool:
    return any(not w or path == w or path.startswith(w + b"/") for w in wanted)


def _file_diff(patch: Any) -> GitFileDiff:
    delta = patch.delta
    letter = delta.status_char()
    path = os.fsdecode(delta.new_file.raw_path or delta.old_file.raw_path)
    old = os.fsdecode(delta.old_file.raw_path) if letter in "RC" else None
    return GitFileDiff(path, _WORDS.get(letter, "modified"), delta.is_binary, patch.data, old)
