"""Searching text that is not UTF-8.

Of the files that may match (`candidates`), those that hold NUL or are not UTF-8 are opened as every
tool does (`core.encodings`); what is text is searched by `texts_in_memory`. What was found out
about such a file is kept while its size and times stay the same.
"""

from __future__ import annotations

import os
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeVar

from redline.adapters.ripgrep.flags import scope_flags
from redline.adapters.ripgrep.process import RipgrepProcesses, Running
from redline.adapters.ripgrep.search import Enough, Work, path_test
from redline.core.encodings.opening import open_file
from redline.core.encodings.wide import may_be_wide
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepLine, GrepQuery
from redline.core.ports.tree import Tree
from redline.core.textfile import SNIFFED, TextFile, is_utf8

# What is longer is never decoded.
MAX_FILE = 32 << 20
_PIECE = 1 << 16
_SAFE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_T = TypeVar("_T")


class FileVersion(NamedTuple):
    """What differs between two versions of a file."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class UnplainFile(NamedTuple):
    """A version of a file that is not plain: it holds NUL or is not UTF-8."""

    version: FileVersion
    # There is NUL where it begins, and that is not the beginning of UTF-16 or UTF-32.
    is_binary: bool


class FileInspector:
    """Asked about files by their paths below a root; a file that cannot be read has no facts."""

    def __init__(
        self, tree: Tree, processes: RipgrepProcesses, is_held: Callable[[int], bool]
    ) -> None:
        """*is_held* says of a root whether the guard keeps everything else from being read."""
        self._tree = tree
        self._processes = processes
        self._is_held = is_held

    def versions(self, root: int, names: Sequence[str]) -> dict[str, FileVersion]:
        """Return a version token for each file; files that are gone are left out."""
        found = self._of_each(root, names, _stat_below, self._stat)
        return {name: version for name, version in found.items() if version is not None}

    def binary(self, root: int, names: Sequence[str]) -> set[str]:
        """Return the files that hold NUL where they begin."""
        found = self._of_each(root, names, _begins_binary, self._begins_binary)
        return {name for name, is_binary in found.items() if is_binary}

    def not_plain(self, root: int, names: Sequence[str]) -> dict[str, UnplainFile]:
        """Return what the files are that are not plain, read no further than that takes."""
        found = self._of_each(root, names, _facts_below, self._facts_by_tree)
        return {name: facts for name, facts in found.items() if facts is not None}

    def _of_each(
        self,
        root: int,
        names: Sequence[str],
        inside: Callable[[str, int], _T],
        by_tree: Callable[[WorkspacePath], _T],
    ) -> dict[str, _T]:
        directory = self._processes.directories[root]
        guard = self._processes.guard
        if isinstance(directory, int) and self._is_held(root):
            return guard.run(lambda: {name: inside(name, directory) for name in names})
        return {name: by_tree(WorkspacePath(root, tuple(name.split("/")))) for name in names}

    def _stat(self, path: WorkspacePath) -> FileVersion | None:
        entry = self._tree.stat(path)
        if entry is None:
            return None
        return FileVersion(*entry.identity, entry.size, entry.mtime_ns, entry.ctime_ns)

    def _begins_binary(self, path: WorkspacePath) -> bool:
        try:
            return b"\0" in self._tree.read_range(path, 0, SNIFFED)
        except RedlineError:
            return False

    def _facts_by_tree(self, path: WorkspacePath) -> UnplainFile | None:
        try:
            version = self._stat(path)
            head = self._tree.read_range(path, 0, _PIECE)
            is_binary = _begins_as_binary(head)
            if version is None or (not is_binary and _is_plain(self._tree.read(path, MAX_FILE))):
                return None
            return UnplainFile(version, is_binary)
        except RedlineError:
            return None


def _stat_below(name: str, directory: int) -> FileVersion | None:
    try:
        return _version(os.stat(name, dir_fd=directory, follow_symlinks=False))
    except OSError:
        return None


def _version(found: os.stat_result) -> FileVersion:
    facts = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return FileVersion(found.st_dev, found.st_ino, *facts)


def _begins_binary(name: str, directory: int) -> bool:
    try:
        fd = os.open(name, _SAFE_FLAGS, dir_fd=directory)
    except OSError:
        return False
    try:
        return b"\0" in os.read(fd, SNIFFED)
    except OSError:
        return False
    finally:
        os.close(fd)


def _facts_below(name: str, directory: int) -> UnplainFile | None:
    """Return the facts about a file; None for what is plain, unreadable or too long to decode."""
    try:
        fd = os.open(name, _SAFE_FLAGS, dir_fd=directory)
    except OSError:
        return None
    try:
        # Before it is read: what changes afterwards is another version.
        found = os.fstat(fd)
        head = os.read(fd, _PIECE)
        is_binary = _begins_as_binary(head)
        if not is_binary and (
            _is_plain(head)
            if len(head) < _PIECE
            else found.st_size > MAX_FILE or _is_rest_plain(fd, head)
        ):
            return None
        return UnplainFile(_version(found), is_binary)
    except OSError:
        return None
    finally:
        os.close(fd)


def _begins_as_binary(head: bytes) -> bool:
    return b"\0" in head[:SNIFFED] and not may_be_wide(head)


def _is_plain(raw: bytes) -> bool:
    return b"\0" not in raw and is_utf8(raw)


def _is_rest_plain(fd: int, piece: bytes) -> bool:
    """Whether *piece* and all that follows is UTF-8 without NUL; little of it is held at once."""
    decode = getincrementaldecoder("utf-8")().decode
    try:
        while piece:
            if b"\0" in piece:
                return False
            decode(piece)
            piece = os.read(fd, _PIECE)
        decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


_MAX_KNOWN = 100_000
# How many files are read before time and cancellation are looked at again.
_AT_ONCE = 64
# A file that changed less than this ago may change again without a sign of it.
_SETTLED_NS = 100_000_000
# Lists files with a line that holds NUL or is not UTF-8.
_LISTS = (
    "--files-with-matches",
    "--text",
    "--encoding=none",
    "--no-mmap",
    "--invert-match",
    "--line-regexp",
    r"--regexp=[^\x00]*",
)


class Known(NamedTuple):
    """What was found out about one version of a file."""

    version: FileVersion
    is_text: bool
    # It begins with NUL among other bytes, and neither we nor ripgrep read it as text.
    is_binary: bool


class ForeignFiles:
    """The files of the roots that are text in other encodings than UTF-8."""

    def __init__(self, tree: Tree, facts: FileInspector) -> None:
        self._tree = tree
        self._facts = facts
        self._known: dict[tuple[int, str], Known] = {}

    @contextmanager
    def listing(self, work: Work, scope: Sequence[str]) -> Iterator[Running]:
        """Let ripgrep list where *work* searches what may be such a file."""
        with work.start([*_LISTS, *scope]) as running:
            yield running

    def find(
        self, work: Work, running: Running, wanted: Callable[[str], bool] | None
    ) -> list[WorkspacePath]:
        """Return such files of a *running* listing, in path order."""
        pieces: list[bytes] = []
        work.finish(running, pieces.append)
        names = names_in(b"".join(pieces))
        return self.among(work, [name for name in names if wanted is None or wanted(name)])

    def is_before(self, work: Work, last: str, query: GrepQuery) -> bool:
        """Return whether such a file comes in path order before the file *last* or is that file."""
        listed = b""

        def feed(piece: bytes) -> None:
            nonlocal listed
            listed += piece
            if os.fsencode(f"./{last}") + b"\0" in listed:
                raise Enough

        with (
            suppress(Enough),
            work.start(["--files", "--sort=path", *scope_flags(query)]) as running,
        ):
            work.finish(running, feed)
        names = names_in(listed)
        wanted = path_test(query, work.root)
        before = names[: names.index(last) + 1] if last in names else names
        return bool(self.among(work, [name for name in before if wanted is None or wanted(name)]))

    def among(self, work: Work, names: Sequence[str]) -> list[WorkspacePath]:
        """Return which of the files *names* are such, in path order."""
        return self.look(work).texts(names)

    def look(self, work: Work) -> FilesSeen:
        """Return a reader of files for one search."""
        return FilesSeen(work, self)

    def look_into(self, work: Work, names: Sequence[str]) -> dict[str, Known]:
        """Return what the files *names* are now, without those that are plain."""
        root = work.root
        known = {name: old for name in names if (old := self._known.get((root, name)))}
        versions = self._facts.versions(root, list(known))
        seen = {name: old for name, old in known.items() if old.version == versions.get(name)}
        new = [name for name in names if name not in seen]
        for start in range(0, len(new), _AT_ONCE):
            if not work.has_time():
                break
            found = self._facts.not_plain(root, new[start : start + _AT_ONCE])
            for name in new[start : start + _AT_ONCE]:
                self._known.pop((root, name), None)
            for name, facts in found.items():
                seen[name] = self._remember(root, name, facts)
        return seen

    def is_known_text(self, root: int, name: str) -> bool:
        """Return whether the last search found text in another encoding there."""
        known = self._known.get((root, name))
        return known is not None and known.is_text

    def texts_among(self, root: int, names: Sequence[str]) -> set[str]:
        """Return which of the files *names* are text in another encoding now."""
        found = self._facts.not_plain(root, names)
        return {name for name, facts in found.items() if self._remember(root, name, facts).is_text}

    def _remember(self, root: int, name: str, facts: UnplainFile) -> Known:
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        file = None if facts.is_binary else self._open(path_below(root, name))
        version = facts.version
        if time.time_ns() - version.ctime_ns < _SETTLED_NS:
            version = version._replace(ctime_ns=-1)
        is_binary = facts.is_binary
        if file is not None:
            is_binary = is_binary or (file.is_binary and not has_wide_mark(file.raw))
        is_text = file is not None and is_decoded(file)
        known = self._known[root, name] = Known(version, is_text, is_binary)
        return known

    def _open(self, path: WorkspacePath) -> TextFile | None:
        try:
            return open_file(self._tree, path, self._tree.read(path, MAX_FILE))
        except RedlineError:
            return None


class FilesSeen:
    """What one search has found out about files; it looks into each of them once."""

    def __init__(self, work: Work, files: ForeignFiles) -> None:
        self._work = work
        self._files = files
        # None for what is plain.
        self._seen: dict[str, Known | None] = {}

    def texts(self, names: Sequence[str]) -> list[WorkspacePath]:
        """Return which of the files are text in another encoding, in path order."""
        self._look_into(names)
        texts = (name for name in names if (seen := self._seen[name]) and seen.is_text)
        return [path_below(self._work.root, name) for name in sorted(texts, key=path_order)]

    def undecoded(self, names: Sequence[str]) -> tuple[WorkspacePath, ...]:
        """Return which of the files are neither binary nor text in an encoding that is certain."""
        self._look_into(names)
        found = (n for n in names if (s := self._seen[n]) and not (s.is_text or s.is_binary))
        return tuple(path_below(self._work.root, name) for name in sorted(found, key=path_order))

    def without_binary(self, names: Sequence[str]) -> list[str]:
        """Return the files that do not begin with NUL, or are text all the same."""
        self._look_into(names)
        return [name for name in names if not ((seen := self._seen[name]) and seen.is_binary)]

    def _look_into(self, names: Sequence[str]) -> None:
        new = [name for name in names if name not in self._seen]
        self._seen |= dict.fromkeys(new) | self._files.look_into(self._work, new)


def names_in(listed: bytes) -> list[str]:
    """Return the paths in a listing of ripgrep's, each with a NUL behind it."""
    found = (os.fsdecode(name) for name in listed.split(b"\0")[:-1])
    return [name.removeprefix("\n").removeprefix("./") for name in found]


def is_decoded(file: TextFile) -> bool:
    """Whether *file* is searched as what it says: what is valid UTF-8 is searched as UTF-8."""
    return file.is_foreign and (b"\0" in file.raw or not is_utf8(file.raw))


def has_wide_mark(raw: bytes) -> bool:
    """Return whether ripgrep takes *raw* for UTF-16."""
    return raw.startswith((b"\xff\xfe", b"\xfe\xff"))


def path_below(root: int, name: str) -> WorkspacePath:
    """Return the path of a file by its name below a root."""
    return WorkspacePath(root, tuple(name.split("/")))


def path_order(name: str) -> bytes:
    """Return a sort key that orders paths as ripgrep does."""
    return os.fsencode(name).replace(b"/", b"\0")


def merge(
    own: Sequence[GrepLine], foreign: Sequence[GrepLine], matches: int
) -> tuple[GrepLine, ...]:
    """Return the lines of both in path order, up to *matches* that match."""
    lines = sorted((*own, *foreign), key=lambda line: (path_order(line.path), line.line))
    for index, line in enumerate(lines):
        matches -= line.is_match
        if matches < 0:
            return tuple(lines[:index])
    return tuple(lines)
