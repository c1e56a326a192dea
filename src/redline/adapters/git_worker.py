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
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from redline.adapters.files.disk import O_NOFOLLOW, O_SAFE_OPEN
from redline.adapters.sandbox.read_guard import ReadGuard
from redline.core.errors import GitFailed
from redline.core.paths import show_name
from redline.core.ports.git import GitEntry, GitFileDiff, GitStatus
from redline.core.records import astuple, dataclass, field

_BOTH = 0b11
_MAX_COMMENT = 40
# Pairs of lost lines that are compared; beyond, both sides are shown one after the other.
_MAX_PAIRS = 4_000_000


class SideHunk(NamedTuple):
    """A run of lines that one side has at *at* of the result (from 0), and others instead."""

    at: int
    added: int
    lost: Sequence[bytes]


class Side(NamedTuple):
    """One side of a conflict: its short name, its mode, and how the result differs from it."""

    name: str
    mode: int
    hunks: Sequence[SideHunk]


@dataclass(slots=True)
class _Lost:
    text: bytes
    sides: int


@dataclass(slots=True)
class _Line:
    """A line of the result, and the lines that stood before it; the last one is only these."""

    text: bytes
    added: int = 0
    lost: list[_Lost] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    is_shown: bool = False
    hides_lost: bool = False

    @property
    def differs(self) -> bool:
        return bool(self.added or self.lost)


def combine(
    path: bytes, result: bytes | None, mode: int, sides: tuple[Side, Side], context: int
) -> bytes:
    """Return the combined diff of *result*, None for a file that is gone, against both sides."""
    head = _header(path, result is not None, mode, sides)
    old, new = b"--- a/" + path, b"+++ b/" + path
    if result is None:
        return b"\n".join([*head, old, b"+++ /dev/null", b""])
    lines = [_Line(text) for text in _split(result)]
    lines.append(_Line(b""))
    for number, side in enumerate(sides):
        _mark(lines, side.hunks, number)
    _choose(lines, context)
    return b"\n".join([*head, old, new, *_print(lines, context), b""])


def combine_binary(path: bytes, is_there: bool, mode: int, sides: tuple[Side, Side]) -> bytes:
    """Return the combined diff of a file that is no text."""
    return b"\n".join([*_header(path, is_there, mode, sides), b"Binary files differ", b""])


def _header(path: bytes, is_there: bool, mode: int, sides: Sequence[Side]) -> list[bytes]:
    names = ",".join(side.name for side in sides)
    lines = [b"diff --cc " + path, f"index {names}..0000000".encode()]
    if any(side.mode != mode for side in sides):
        modes = ",".join(f"{side.mode:06o}" for side in sides)
        text = f"mode {modes}..{mode:06o}" if is_there else f"deleted file mode {modes}"
        lines.append(text.encode())
    return lines


def _split(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _mark(lines: list[_Line], hunks: Sequence[SideHunk], side: int) -> None:
    """Note which lines *side* does not have, which it lost, and its line numbers."""
    bit = 1 << side
    for hunk in hunks:
        for line in lines[hunk.at : hunk.at + hunk.added]:
            line.added |= bit
        line = lines[hunk.at]
        line.lost = _coalesce(line.lost, [_Lost(text, bit) for text in hunk.lost])
    number = 1
    for line in lines:
        line.numbers.append(number)
        number += sum(1 for lost in line.lost if lost.sides & bit) + (not line.added & bit)


def _coalesce(base: list[_Lost], new: list[_Lost]) -> list[_Lost]:
    """Merge what both sides lost at one place, by the longest common subsequence."""
    if not base or not new or len(base) * len(new) > _MAX_PAIRS:
        return base + new
    longest = [[0] * (len(new) + 1) for _ in range(len(base) + 1)]
    for i, left in enumerate(base, 1):
        above, row = longest[i - 1], longest[i]
        for j, right in enumerate(new, 1):
            same = left.text == right.text
            row[j] = above[j - 1] + 1 if same else max(row[j - 1], above[j])
    merged: list[_Lost] = []
    i, j = len(base), len(new)
    while i or j:
        if i and j and base[i - 1].text == new[j - 1].text:
            i, j = i - 1, j - 1
            merged.append(_Lost(base[i].text, base[i].sides | new[j].sides))
        elif not i or (j and longest[i][j - 1] >= longest[i - 1][j]):
            j -= 1
            merged.append(new[j])
        else:
            i -= 1
            merged.append(base[i])
    return merged[::-1]


def _choose(lines: list[_Line], context: int) -> None:
    """Decide which lines are shown: hunks in which neither side is the result, and context."""
    for line in lines:
        line.is_shown = line.differs
    at = 0
    while (at := _find(lines, at, shown=True)) < len(lines):
        end = _end_of_hunk(lines, at, context)
        versions = {line.added for line in lines[at:end] if line.added}
        versions |= {lost.sides for line in lines[at:end] for lost in line.lost}
        if len(versions) == 1 and versions != {_BOTH}:
            for line in lines[at:end]:
                line.is_shown = False
        at = end
    _add_context(lines, context)


def _find(lines: list[_Line], at: int, *, shown: bool) -> int:
    while at < len(lines) and lines[at].is_shown is not shown:
        at += 1
    return at


def _end_of_hunk(lines: list[_Line], begin: int, context: int) -> int:
    """Return where the hunk ends that begins there, gaps shorter than the context included."""
    end = begin + 1
    while end < len(lines):
        if not lines[end].is_shown:
            ahead = min(_tail(lines, begin, end) + context, len(lines))
            end = next((n for n in range(ahead - 1, end - 1, -1) if lines[n].is_shown), -end)
            if end <= 0:
                return -end
        end += 1
    return end


def _tail(lines: list[_Line], begin: int, end: int) -> int:
    """Count an unchanged line that only lost lines before it as the first of the context."""
    return end - 1 if begin + 1 <= end and not lines[end - 1].added else end


def _add_context(lines: list[_Line], context: int) -> None:
    at = _find(lines, 0, shown=True)
    while at < len(lines):
        for line in lines[max(0, at - context) : at]:
            line.hides_lost = line.hides_lost or not line.is_shown
            line.is_shown = True
        while True:
            end = _find(lines, at, shown=False)
            if end == len(lines):
                return
            following = _find(lines, end, shown=True)
            end = _tail(lines, at, end)
            at = following
            if following >= end + context:
                break
            _show(lines[end:following])
        _show(lines[end : end + context])


def _show(lines: list[_Line]) -> None:
    for line in lines:
        line.is_shown = True


def _print(lines: list[_Line], context: int) -> Iterator[bytes]:
    at, comment = 0, b""
    while at < len(lines):
        if not lines[at].is_shown:
            if _is_comment(lines[at].text):
                comment = lines[at].text
            at += 1
            continue
        end = _find(lines, at, shown=False)
        yield _hunk_head(lines, at, end, context, comment)
        for number in range(at, end):
            yield from _print_line(lines[number], context, is_last=number + 1 == len(lines))
        at, comment = end, b""


def _is_comment(text: bytes) -> bool:
    return text[:1].isalpha() or text[:1] in (b"_", b"$")


def _hunk_head(lines: list[_Line], at: int, end: int, context: int, comment: bytes) -> bytes:
    is_at_end = end == len(lines)
    unmarked = sum(1 for line in lines[at:end] if not line.added) if not context else 0
    parts = ["@@@"]
    for side in range(2):
        first = lines[at].numbers[side]
        last = lines[end - 1] if is_at_end else lines[end]
        after = last.numbers[side]
        if is_at_end:
            after += sum(1 for lost in last.lost if lost.sides & (1 << side))
        parts.append(f"-{first},{max(0, after - first - unmarked)}")
    parts.append(f"+{at + 1},{max(0, end - at - is_at_end - unmarked)} @@@")
    # git prints the comment without its last character.
    shown = comment[:_MAX_COMMENT].rstrip()[:-1]
    return " ".join(parts).encode() + (b" " + shown if shown else b"")


def _print_line(line: _Line, context: int, *, is_last: bool) -> Iterator[bytes]:
    if not line.hides_lost:
        yield from (_marks(b"-", lost.sides) + lost.text for lost in line.lost)
    if not is_last and (line.added or context):
        yield _marks(b"+", line.added) + line.text


def _marks(mark: bytes, sides: int) -> bytes:
    return b"".join(mark if sides & (1 << side) else b" " for side in range(2))


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
    """Return the status of the repository at *top*, as the fields of a GitStatus."""
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
    """Return whether the repository has each of these objects."""
    return _read(places, roots, top, lambda repository: [name in repository for name in names])


def blob(_ask: Any, places: list[int | str], roots: list[str], top: str, name: str) -> bytes | None:
    """Return the content of a file that the repository holds under *name*."""

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
    """Return the repository at *top*: the one of the last call, if its configuration is the same.

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
    """Yield what git prints of the paths that a merge could not decide."""
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
    """Yield what is staged before the first commit: everything is new."""
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
