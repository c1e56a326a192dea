"""A directory as a list of entries: kinds, modes, times, links, and the chunks of each file.

A list that comes from a store is checked as a whole before anything is written: whatever it says,
what it makes lies beneath its top.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, BinaryIO, NamedTuple

from redline.core.errors import CannotApply
from redline.teams.adapters.parked.chunks import ChunkPlace, ChunkReader, ChunkWriter

LINK = "link"
_FILE, _DIRECTORY = "file", "directory"
_TYPES: list[type] = [str, str, int, int, str, list]
# Set-user-ID, set-group-ID and the sticky bit do not travel.
_PERMISSIONS = 0o777
_MAX_DEPTH = 1000


class TreeEntry(NamedTuple):
    """One path beneath the top, "" for the top itself; names may hold any byte but NUL.

    `stamp` is what tells whether a file was written since.
    """

    path: str
    kind: str
    mode: int
    mtime: int
    target: str = ""
    chunks: tuple[str, ...] = ()
    stamp: tuple[int, ...] = ()

    def encode(self) -> list[Any]:
        """Return it for JSON; a name that is not UTF-8 keeps its bytes as surrogates."""
        return [self.path, self.kind, self.mode, self.mtime, self.target, list(self.chunks)]


def decode_entries(entries: list[Any], chunks: Mapping[str, ChunkPlace]) -> list[TreeEntry]:
    """Return what `TreeEntry.encode` wrote; TypeError or ValueError for anything else.

    Every path is relative, without empty parts, `.` and `..`; it occurs once, behind the directory
    that it lies in. Modes are those of permissions alone.
    """
    found = [_decode(entry) for entry in entries]
    directories: set[str] = set()
    seen: set[str] = set()
    for entry in found:
        _check_path(entry.path, directories)
        if entry.path in seen or entry.kind not in (_FILE, _DIRECTORY, LINK):
            raise ValueError(f"an entry is twice there, or no file: {entry.path[:200]!r}")
        seen.add(entry.path)
        if entry.kind == _DIRECTORY:
            directories.add(entry.path)
        if not all(digest in chunks for digest in entry.chunks):
            raise ValueError(f"a part of a file is nowhere: {entry.path[:200]!r}")
    return found


def _decode(entry: object) -> TreeEntry:
    if not isinstance(entry, list) or [type(each) for each in entry] != _TYPES:
        raise TypeError
    path, kind, mode, mtime, target, chunks = entry
    if not all(isinstance(digest, str) for digest in chunks) or abs(mtime) >= 1 << 63:
        raise TypeError
    if "\0" in path + target:
        raise ValueError("a name has a NUL")
    return TreeEntry(path, kind, mode & _PERMISSIONS, mtime, target, tuple(chunks))


def _check_path(path: str, directories: Set[str]) -> None:
    """Refuse a path that leads out of the top, or through anything but a directory of the list."""
    if not path:
        return
    parent, _, name = path.rpartition("/")
    is_whole = path.startswith("/") or name in ("", ".", "..") or os.sep in name
    if is_whole or parent not in directories or path.count("/") > _MAX_DEPTH:
        raise ValueError(f"an entry is in no directory of the workspace: {path[:200]!r}")


def read_tree(
    top: str,
    writer: ChunkWriter,
    known: dict[str, TreeEntry],
    is_left_out: Callable[[str], bool] = lambda _: False,
) -> list[TreeEntry]:
    """Store every file beneath *top*; one that *known* has with the same stamp is not read again.

    CannotApply for what has no content, such as a socket.
    """
    found = []
    for path, facts in _walk(top, is_left_out):
        whole = os.path.join(top, path) if path else top
        mode, mtime = stat.S_IMODE(facts.st_mode) & _PERMISSIONS, facts.st_mtime_ns
        if stat.S_ISDIR(facts.st_mode):
            found.append(TreeEntry(path, _DIRECTORY, mode, mtime))
        elif stat.S_ISLNK(facts.st_mode):
            found.append(TreeEntry(path, LINK, 0, mtime, os.readlink(whole)))
        elif stat.S_ISREG(facts.st_mode):
            stamp = _stamp(facts)
            old = known.get(path)
            if old is not None and old.stamp == stamp:
                chunks = old.chunks
                writer.used.update(chunks)
            else:
                with _open_regular(whole) as stream:
                    chunks = tuple(writer.add(stream))
            found.append(TreeEntry(path, _FILE, mode, mtime, "", chunks, stamp))
        else:
            raise CannotApply(
                f"Only files, directories and links can be parked: {path}", hint="remove it"
            )
    return found


def write_tree(top: str, entries: list[TreeEntry], reader: ChunkReader) -> None:
    """Make *top* what *entries* say, in a new directory, durable when this returns."""
    directories = [entry for entry in entries if entry.kind == _DIRECTORY]
    for entry in directories:  # parents first; made writable until everything is in
        os.mkdir(os.path.join(top, entry.path) if entry.path else top, 0o700)
    for entry in entries:
        whole = os.path.join(top, entry.path)
        if entry.kind == LINK:
            os.symlink(entry.target, whole)
            os.utime(whole, ns=(entry.mtime, entry.mtime), follow_symlinks=False)
        elif entry.kind == _FILE:
            _write_file(whole, entry, reader)
    for entry in reversed(directories):
        whole = os.path.join(top, entry.path) if entry.path else top
        os.chmod(whole, entry.mode)
        os.utime(whole, ns=(entry.mtime, entry.mtime))
    os.sync()


def find_change(top: str, since: float) -> float | None:
    """Return when something beneath *top* was written, made or moved, if later than *since*."""
    try:
        for _, facts in _walk(top, lambda _: False):
            if facts.st_ctime > since:
                return facts.st_ctime
    except FileNotFoundError:  # it changes while we look, or was never there
        return os.stat(top).st_ctime if os.path.isdir(top) else None
    return None


def _write_file(path: str, entry: TreeEntry, reader: ChunkReader) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
        for digest in entry.chunks:
            stream.write(reader.read(digest))
    os.chmod(path, entry.mode)
    os.utime(path, ns=(entry.mtime, entry.mtime))


def _walk(top: str, is_left_out: Callable[[str], bool]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every path beneath *top* and its facts, parents first, in the order of names."""
    waiting = [""]
    while waiting:
        path = waiting.pop()
        whole = os.path.join(top, path) if path else top
        facts = os.lstat(whole)
        yield path, facts
        if stat.S_ISDIR(facts.st_mode):
            names = sorted(os.listdir(whole), reverse=True)
            beneath = [os.path.join(path, name) if path else name for name in names]
            waiting += [each for each in beneath if not is_left_out(each)]


def _stamp(facts: os.stat_result) -> tuple[int, ...]:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _open_regular(path: str) -> BinaryIO:
    """Open a file that was a regular one a moment ago; never wait for a pipe that replaced it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    stream = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise CannotApply(f"A file was replaced while it was parked: {path}", hint="try again")
    return stream
