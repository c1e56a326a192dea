"""Reading beneath the roots by handle; nothing but regular files is ever read."""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Callable, Iterator
from typing import TypeVar

from redline.adapters.files.disk import Dir, Disk, special_kind
from redline.adapters.files.os_errors import reading_failed
from redline.adapters.files.tree_walk import read_folder, walk_down, without_staged
from redline.adapters.files.workspace import DiskWorkspace
from redline.core import errors
from redline.core.budget import MAX_FILE_BYTES, charge
from redline.core.call_scope import note_read
from redline.core.changes import ABSENT, DirState, FileState, LinkState, State
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Entry, FactLists, Folder, Kind

T = TypeVar("T")
STAGED = ".redline-"
_AROUND = 4096


def kind_of(mode: int) -> Kind:
    """Return the kind of entry that a mode denotes."""
    if modes.S_ISREG(mode):
        return Kind.FILE
    if modes.S_ISDIR(mode):
        return Kind.DIRECTORY
    return Kind.SYMLINK if modes.S_ISLNK(mode) else Kind.OTHER


class DiskTree:
    """See `core.ports.tree.Tree`."""

    def __init__(self, disk: Disk, workspace: DiskWorkspace) -> None:
        self._disk = disk
        self._workspace = workspace

    def stat(self, path: WorkspacePath) -> Entry | None:
        """Return what is there, or None."""
        root = self._root_of(path)
        try:
            if not path.parts:
                return _entry(path, self._disk.stat(root, ""))
            parent = self._disk.open_dir(root, path.parts[:-1]) if len(path.parts) > 1 else root
            try:
                return _entry(path, self._disk.stat(parent, path.name))
            finally:
                if parent is not root:
                    self._disk.close_dir(parent)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._read_error(error, path) from None

    def created_ns(self, path: WorkspacePath) -> int | None:
        """Return when it was created; see `core.ports.tree.Tree`."""
        if not path.parts:
            return self._disk.created_ns(self._root_of(path), "")
        above = path.parent
        return self._inside(above, lambda handle: self._disk.created_ns(handle, path.name))

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        """Return the bytes of a regular file; at most *limit*, else TooLarge."""
        return self._read(path, MAX_FILE_BYTES if limit is None else min(limit, MAX_FILE_BYTES))[0]

    def _read(
        self, path: WorkspacePath, limit: int, *, is_held: bool = False
    ) -> tuple[bytes, os.stat_result]:
        """Return a file's bytes and facts; its size is looked at before anything is read.

        What a plan starts from is held as long as the call takes, and counts towards its budget.
        """
        fd, found = self.open(path)
        try:
            if found.st_size > limit:
                raise self._too_large(path, found.st_size, limit)
            if is_held:
                charge("read", path, found.st_size)
            content = self._disk.read(fd, found.st_size, limit)
        except OSError as error:
            raise self._read_error(error, path) from None
        finally:
            self._disk.close_fd(fd)
        if len(content) > limit:
            raise self._too_large(path, len(content), limit)
        note_read(path, content)
        return content, found

    def read_range(self, path: WorkspacePath, offset: int, length: int) -> bytes:
        """Return up to *length* bytes from *offset*."""
        fd, found = self.open(path)
        if found.st_size:  # a known size spares a second read at the end; 0 may mean unknown
            length = min(length, max(found.st_size - offset, 0))
        length = min(length, MAX_FILE_BYTES)
        try:
            # A part may begin or end within a secret; who notes what is read sees it whole.
            first = max(0, offset - _AROUND)
            wider = self._disk.pread(fd, length + offset - first + _AROUND, first)
            note_read(path, wider)
            return wider[offset - first : offset - first + length]
        except OSError as error:
            raise self._read_error(error, path) from None
        finally:
            self._disk.close_fd(fd)

    def scan(self, path: WorkspacePath) -> list[Entry]:
        """The entries of a directory, sorted by name bytes; Redline's staged files left out."""
        return self._inside(path, lambda handle: self._entries_in(handle, path))

    def _entries_in(self, handle: Dir, path: WorkspacePath) -> list[Entry]:
        names = [n for n in self._disk.names(handle) if not n.startswith(STAGED)]
        entries = (self._entry_at(handle, path.child(name)) for name in names)
        return sorted(
            (entry for entry in entries if entry is not None),
            key=lambda entry: os.fsencode(entry.path.name),
        )

    def facts(self, path: WorkspacePath) -> FactLists:
        """Sorted names with the facts of each; see `core.ports.tree.Tree`."""
        return self._inside(path, self._facts_in)

    def _facts_in(self, handle: Dir) -> FactLists:
        names = self._disk.names(handle)
        names.sort()
        return self._disk.facts(handle, without_staged(names, STAGED))

    def facts_of_some(
        self, path: WorkspacePath, selects: Callable[[list[str]], list[str]]
    ) -> tuple[Folder, FactLists]:
        """Return a directory by kind and the facts of some of it; see `core.ports.tree.Tree`."""

        def look(handle: Dir) -> tuple[Folder, FactLists]:
            folder = read_folder(self._disk, handle, "", STAGED)
            names = folder.files
            if folder.links:
                names = without_staged(sorted(names + folder.links), STAGED)
            return folder, self._disk.facts(handle, selects(names))

        return self._inside(path, look)

    def _inside(self, path: WorkspacePath, work: Callable[[Dir], T]) -> T:
        """Run *work* with a directory's handle; report an OSError with *path*."""
        try:
            handle = self._disk.open_dir(self._root_of(path), path.parts)
            try:
                return work(handle)
            finally:
                self._disk.close_dir(handle)
        except OSError as error:
            raise self._read_error(error, path) from None

    def walk(
        self,
        path: WorkspacePath,
        *,
        depth: int | None = None,
        enter: Callable[[str], bool] | None = None,
    ) -> Iterator[Folder]:
        """Yield every directory from *path* down; see `core.ports.tree.Tree`."""
        try:
            top = self._disk.open_dir(self._root_of(path), path.parts)
        except OSError as error:
            raise self._read_error(error, path) from None
        return walk_down(self._disk, top, STAGED, depth, self._without_sealed(path, enter))

    def _without_sealed(
        self, path: WorkspacePath, enter: Callable[[str], bool] | None
    ) -> Callable[[str], bool] | None:
        """*enter* that leaves out Redline's own directories beneath *path*."""
        sealed = {
            "/".join(own[len(path.parts) :])
            for own in self._workspace.sealed_in(path.root)
            if own[: len(path.parts)] == path.parts
        }
        if not sealed:
            return enter
        return lambda name: name not in sealed and (enter is None or enter(name))

    def read_link(self, path: WorkspacePath) -> str:
        """Return the target text of a symbolic link."""
        try:
            parent = self._disk.open_dir(self._root_of(path), path.parts[:-1])
            try:
                return self._disk.readlink(parent, path.name)
            finally:
                self._disk.close_dir(parent)
        except OSError as error:
            raise self._read_error(error, path) from None

    def may_write(self, path: WorkspacePath) -> bool:
        """False for a file that this process may not write in; see `core.ports.tree.Tree`."""
        try:
            # By one call: a link that was put on the way since is refused by the commit.
            return self._disk.may_write(self._root_of(path), "/".join(path.parts))
        except errors.RedlineError:
            return True  # what is out of reach is reported by the commit

    def state(self, path: WorkspacePath) -> State:
        """Return the state of a path with a file's content included: what a plan starts from."""
        if path.parts:
            try:
                return self._file_state(path)
            except (errors.TooLarge, errors.LimitReached):
                raise
            except errors.RedlineError:
                pass  # most likely not a file: `stat` below finds out
        entry = self.stat(path)
        if entry is None:
            return ABSENT
        match entry.kind:
            case Kind.DIRECTORY:
                return DirState(entry.mode)
            case Kind.SYMLINK:
                return LinkState(self.read_link(path))
            case _:
                return self._file_state(path)

    def _file_state(self, path: WorkspacePath) -> FileState:
        content, found = self._read(path, MAX_FILE_BYTES, is_held=True)
        return FileState.of(content, modes.S_IMODE(found.st_mode))

    def open(self, path: WorkspacePath) -> tuple[int, os.stat_result]:
        """Return a descriptor on a regular file, and what it is; the caller closes it."""
        if not path.parts:
            raise errors.IsADirectory(self._show(path))
        root = self._root_of(path)
        try:
            fd = self._disk.open_read(root, path.parts)
        except OSError as error:
            raise self._read_error(error, path) from None
        found = self._disk.fstat(fd)
        if modes.S_ISREG(found.st_mode):
            return fd, found
        self._disk.close_fd(fd)
        kind = errors.IsADirectory if modes.S_ISDIR(found.st_mode) else errors.NotARegularFile
        raise kind(self._show(path))

    def _root_of(self, path: WorkspacePath) -> Dir:
        """Return the handle to open *path* from; PathDenied for Redline's own files."""
        if self._workspace.is_sealed(path):
            shown = self._show(path)
            raise errors.PathDenied(shown, f"Redline's own files are out of reach: {shown}")
        return self._workspace.handles[path.root]

    def _entry_at(self, handle: Dir, path: WorkspacePath) -> Entry | None:
        try:
            return _entry(path, self._disk.stat(handle, path.name))
        except FileNotFoundError:
            return None

    def _read_error(self, error: OSError, path: WorkspacePath) -> Exception:
        if isinstance(error, FileNotFoundError):
            return errors.NotFound(self._show(path))
        return reading_failed(error, self._workspace.absolute(path))

    def _too_large(self, path: WorkspacePath, size: int, limit: int) -> errors.TooLarge:
        shown = self._show(path)
        return errors.TooLarge(
            shown,
            f"Too large ({size} bytes, the limit is {limit}): {shown}",
            hint="read or search a part of it; a command can change it as a whole",
            details={"size": size, "limit": limit},
        )

    def _show(self, path: WorkspacePath) -> str:
        return show_name(self._workspace.absolute(path))


def _entry(path: WorkspacePath, found: os.stat_result) -> Entry:
    kind = kind_of(found.st_mode)
    return Entry(
        path,
        kind,
        found.st_size,
        modes.S_IMODE(found.st_mode),
        found.st_mtime_ns,
        found.st_ctime_ns,
        (found.st_dev, found.st_ino),
        special_kind(found.st_mode) if kind is Kind.OTHER else None,
    )
