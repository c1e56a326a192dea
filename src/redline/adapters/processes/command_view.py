"""What a command wrote in its copy-on-write view, and the way from there into the workspace.

The workspace is the lower layer, which the command cannot write. So what is in the upper layer is
the command's, and what changed in the lower one since the start is another program's. Nothing is
taken from the upper layer that cannot be read, and nothing replaces what another program saved.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from redline.adapters.files import platform
from redline.adapters.files.disk import Dir, Disk, special_kind
from redline.adapters.files.platform import Writers
from redline.adapters.files.tree import STAGED
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.processes.workspace_snapshots import MAX_CHANGED, MAX_CHANGES, MAX_FILE, Marks
from redline.adapters.sandbox.overlay import Layer, is_opaque
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    DirState,
    FileAttributes,
    FileState,
    LinkState,
    SpecialKind,
    SpecialState,
    State,
)
from redline.core.errors import LimitReached, RedlineError, TooLarge
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import SAVED_MEANWHILE, Written
from redline.core.ports.tree import Entry, Kind, Tree
from redline.core.records import dataclass, field, replace
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope

# More entries than this are not compared: then nothing of what a command wrote is made.
MAX_WRITTEN = 200_000
# Larger contents are neither judged by what they hold nor told from others by it.
_MAX_JUDGED = 16 << 20
_MAX_COMPARED = 64 << 20
_MAX_DEPTH = 128
_PIECE = 1 << 20
_ALL = stat.S_IRWXU
_OPEN_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Extended attributes and access lists; others are the system's.
_COMMANDS_OWN = ("user.", "system.posix_acl_access")
_NOT_OPENED = "it could not be read"


class WorkspaceViews:
    """Makes views of one workspace."""

    def __init__(
        self, disk: Disk, workspace: DiskWorkspace, tree: Tree, mark: Callable[[], Marks]
    ) -> None:
        self.disk = disk
        self.workspace = workspace
        self.tree = tree
        self.mark = mark
        self._hidden: set[str] = set()

    def hide(self, directory: str) -> None:
        """Put the directory of the layers out of reach of tools, should it lie in a root."""
        if directory not in self._hidden:
            self._hidden.add(directory)
            self.workspace.seal(directory)

    def open(self, layers: list[Layer], marks: Marks) -> LayeredView:
        """Return what a command wrote in *layers*; *marks* are from before its start."""
        return LayeredView(self, layers, marks)


class _Place(NamedTuple):
    """A directory of the view: where it is, what rules are for it, what it lies over."""

    path: WorkspacePath
    scope: IgnoreScope
    is_left_out: bool
    is_over_directory: bool  # the workspace has a directory there too
    is_foreign: bool  # another program put that directory there


@dataclass(slots=True)
class _Reading:
    changes: list[Change] = field(default_factory=list)
    overtaken: set[WorkspacePath] = field(default_factory=set)
    surplus: set[WorkspacePath] = field(default_factory=set)
    left_out: set[WorkspacePath] = field(default_factory=set)
    refused: dict[WorkspacePath, str] = field(default_factory=dict)
    room: int = MAX_CHANGED
    count: int = 0


class LayeredView:
    """See `core.ports.commands.CommandView`."""

    def __init__(self, views: WorkspaceViews, layers: list[Layer], marks: Marks) -> None:
        self._disk = views.disk
        self._workspace = views.workspace
        self._tree = views.tree
        self._marks = marks
        self._layers = {layer.root: layer for layer in layers}
        # Where contents are that were not kept in memory, by digest.
        self._places: dict[str, WorkspacePath] = {}
        # What was at each place of the workspace when it was compared.
        self._seen: dict[WorkspacePath, Entry | None] = {}

    def read(self) -> Written:
        """Compare every entry of the upper layers with the workspace."""
        found = _Reading()
        self._seen.clear()
        for layer in self._layers.values():
            top = WorkspacePath(layer.root, ())
            scope = IgnoreScope.of_root(self._tree, layer.root)
            os.chmod(layer.upper, stat.S_IMODE(os.stat(layer.upper).st_mode) | _ALL)
            descriptor = os.open(layer.upper, _OPEN_DIR)
            self._read_directory(found, descriptor, _Place(top, scope, False, True, False))
            self._require_room(found, layer)
        return Written(
            tuple(found.changes),
            frozenset(found.overtaken),
            frozenset(found.surplus),
            frozenset(found.left_out),
            found.refused,
        )

    def _require_room(self, found: _Reading, layer: Layer) -> None:
        """LimitReached where the file system of the workspace cannot take all that is new.

        Else a file might be removed where it was, and not fit where it went.
        """
        new = sum(each.after.size for each in found.changes if isinstance(each.after, FileState))
        facts = os.statvfs(layer.lower)
        if new > facts.f_bavail * facts.f_frsize:
            raise LimitReached("no space is left on the disk of the workspace")

    # -- comparing ----------------------------------------------------------------------------

    def _read_directory(self, found: _Reading, descriptor: int, at: _Place) -> None:
        """Compare what the upper layer has in one directory; closes *descriptor*."""
        try:
            with os.scandir(descriptor) as entries:
                names = sorted(entry.name for entry in entries)
            for name in names:
                self._count(found)
                facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                self._read_entry(found, descriptor, at, name, facts)
            if at.is_over_directory and is_opaque(descriptor):
                for entry in self._scan(found, at.path):
                    if entry.path.name not in names:
                        self._remove(found, at, entry)
        except OSError:
            found.refused[at.path] = _NOT_OPENED
        finally:
            os.close(descriptor)

    def _count(self, found: _Reading) -> None:
        found.count += 1
        if found.count > MAX_WRITTEN:
            raise LimitReached(f"The command changed more than {MAX_WRITTEN} files")

    def _read_entry(
        self, found: _Reading, above: int, at: _Place, name: str, facts: os.stat_result
    ) -> None:
        path = at.path.child(name)
        try:
            entry = self._look(path) if at.is_over_directory else None
        except RedlineError:
            found.refused[path] = _NOT_OPENED
            return
        if name.startswith(STAGED):
            found.refused[path] = "names that begin with .redline- are Redline's own"
        elif stat.S_ISCHR(facts.st_mode):  # a whiteout
            if entry is not None:
                self._remove(found, at, entry)
        elif stat.S_ISDIR(facts.st_mode):
            self._read_made_directory(found, above, at, facts, entry, path)
        else:
            self._read_file(found, above, at, facts, entry, path)

    def _look(self, path: WorkspacePath) -> Entry | None:
        entry = self._tree.stat(path)
        self._seen[path] = entry
        return entry

    def _is_left_out(self, at: _Place, name: str, is_directory: bool) -> bool:
        if at.is_left_out or (is_directory and name in EXCLUDED_DIRECTORIES):
            return True
        return at.scope.ignores(name, is_directory)

    def _read_made_directory(
        self,
        found: _Reading,
        above: int,
        at: _Place,
        facts: os.stat_result,
        entry: Entry | None,
        path: WorkspacePath,
    ) -> None:
        is_over = entry is not None and entry.kind is Kind.DIRECTORY
        is_left_out = self._is_left_out(at, path.name, True)
        mode = stat.S_IMODE(facts.st_mode)
        is_foreign = at.is_foreign or (is_over and not self._marks.is_as_it_was(path, entry))
        if entry is None or not is_over:
            state = DirState((mode | _ALL) & 0o1777)
            self._add(found, at, Change(path, self._state_before(found, entry, is_left_out), state))
        elif mode != entry.mode:
            # A directory that its owner cannot enter would hide what it holds from every rule.
            state = DirState((mode | _ALL) & 0o1777)
            if entry.mode != state.mode:
                self._add(found, at, Change(path, DirState(entry.mode), state))
        if len(path.parts) > _MAX_DEPTH:
            found.refused[path] = "its directories are nested too deeply"
            return
        try:
            if mode & _ALL != _ALL:
                self._disk.chmod(above, path.name, mode | _ALL)  # of the layer only
            descriptor = os.open(path.name, _OPEN_DIR, dir_fd=above)
        except OSError:
            found.refused[path] = _NOT_OPENED
            return
        scope = at.scope.below(path.name, has_file=is_over)
        self._read_directory(
            found, descriptor, _Place(path, scope, is_left_out, is_over, is_foreign)
        )

    def _read_file(
        self,
        found: _Reading,
        above: int,
        at: _Place,
        facts: os.stat_result,
        entry: Entry | None,
        path: WorkspacePath,
    ) -> None:
        is_left_out = self._is_left_out(at, path.name, False)
        after: State
        try:
            if stat.S_ISLNK(facts.st_mode):
                after = LinkState(os.readlink(path.name, dir_fd=above))
            elif stat.S_ISREG(facts.st_mode):
                with self._open_upper(above, path.name, facts) as descriptor:
                    if self._is_unchanged(descriptor, facts, entry, path):
                        return
                    keep = not is_left_out and len(found.changes) < MAX_CHANGES
                    after = self._new_state(found, descriptor, facts, path, keep=keep)
            else:
                found.refused[path] = f"it is a {special_kind(facts.st_mode)}"
                return
            before = self._state_before(found, entry, is_left_out)
        except (OSError, RedlineError):
            found.refused[path] = _NOT_OPENED
            return
        if before != after:
            self._add(found, at, Change(path, before, after))
        if entry is not None and entry.kind is Kind.DIRECTORY:
            self._remove_inner(found, at, entry)

    @contextmanager
    def _open_upper(self, above: int, name: str, facts: os.stat_result) -> Iterator[int]:
        """Open a file of the upper layer although its command may have taken the right to."""
        mode = stat.S_IMODE(facts.st_mode)
        is_closed = not mode & stat.S_IRUSR
        if is_closed:
            self._disk.chmod(above, name, mode | stat.S_IRUSR)
        descriptor = os.open(name, _OPEN_FILE, dir_fd=above)
        try:
            if is_closed:
                os.fchmod(descriptor, mode)
            yield descriptor
        finally:
            os.close(descriptor)

    def _is_unchanged(
        self, descriptor: int, facts: os.stat_result, entry: Entry | None, path: WorkspacePath
    ) -> bool:
        """Return whether the workspace has the same file, as after an open that wrote nothing."""
        if entry is None or entry.kind is not Kind.FILE or entry.size != facts.st_size:
            return False
        if entry.mode != stat.S_IMODE(facts.st_mode):
            return False
        if facts.st_size > _MAX_COMPARED:
            return entry.mtime_ns == facts.st_mtime_ns
        offset = 0
        while offset < facts.st_size:
            piece = os.pread(descriptor, _PIECE, offset)
            if not piece or piece != self._tree.read_range(path, offset, len(piece)):
                return False
            offset += len(piece)
        return True

    def _new_state(
        self,
        found: _Reading,
        descriptor: int,
        facts: os.stat_result,
        path: WorkspacePath,
        *,
        keep: bool,
    ) -> FileState:
        size, mode = facts.st_size, stat.S_IMODE(facts.st_mode) & 0o777
        if keep and size <= min(MAX_FILE, found.room):
            found.room -= size
            with open(os.dup(descriptor), "rb") as file:
                state = FileState.of(file.read(size), mode)
            attributes = FileAttributes(None, _written_attributes(descriptor), facts.st_mtime_ns)
            return replace(state, attributes=attributes)
        if size > _MAX_JUDGED:
            return FileState(f"not read: {path.root}/{path.relative}", size, mode)
        digest = hashlib.sha256()
        with open(os.dup(descriptor), "rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
        self._places[digest.hexdigest()] = path
        return FileState(digest.hexdigest(), size, mode)

    def _state_before(self, found: _Reading, entry: Entry | None, is_left_out: bool) -> State:
        """What the workspace has; what the history does not keep has no digest and no content."""
        if entry is None:
            return ABSENT
        if entry.kind is Kind.DIRECTORY:
            return DirState(entry.mode)
        if entry.kind is Kind.SYMLINK:
            return LinkState(self._tree.read_link(entry.path))
        if entry.kind is Kind.OTHER:
            return SpecialState(entry.special or SpecialKind.DEVICE)
        if is_left_out or entry.size > min(MAX_FILE, found.room):
            return FileState("", entry.size, entry.mode)
        found.room -= entry.size
        return FileState.of(self._tree.read(entry.path, MAX_FILE), entry.mode)

    def _scan(self, found: _Reading, path: WorkspacePath) -> list[Entry]:
        try:
            return self._tree.scan(path)
        except RedlineError:
            found.refused[path] = _NOT_OPENED
            return []

    def _remove(self, found: _Reading, at: _Place, entry: Entry) -> None:
        """Note that *entry*, of the directory *at* of the workspace, and all in it is gone."""
        self._count(found)
        self._seen[entry.path] = entry
        is_left_out = self._is_left_out(at, entry.path.name, entry.kind is Kind.DIRECTORY)
        try:
            before = self._state_before(found, entry, is_left_out)
        except RedlineError:
            found.refused[entry.path] = _NOT_OPENED
            return
        self._add(found, at, Change(entry.path, before, ABSENT))
        if entry.kind is Kind.DIRECTORY:
            self._remove_inner(found, at, entry)

    def _remove_inner(self, found: _Reading, at: _Place, entry: Entry) -> None:
        is_foreign = at.is_foreign or not self._marks.is_as_it_was(entry.path, entry)
        is_left_out = self._is_left_out(at, entry.path.name, True)
        if len(entry.path.parts) > _MAX_DEPTH:
            found.refused[entry.path] = "its directories are nested too deeply"
            return
        scope = at.scope.below(entry.path.name)
        inner = _Place(entry.path, scope, is_left_out, True, is_foreign)
        for each in self._scan(found, entry.path):
            self._remove(found, inner, each)

    def _add(self, found: _Reading, at: _Place, change: Change) -> None:
        path, before, after = change.path, change.before, change.after
        is_directory = DirState in (type(before), type(after))
        if self._is_left_out(at, path.name, is_directory):
            found.left_out.add(path)
        elif len(found.changes) >= MAX_CHANGES:
            found.surplus.add(path)
        if at.is_foreign or not self._marks.is_as_it_was(path, self._seen.get(path)):
            found.overtaken.add(path)
        found.changes.append(change)

    def load(self, state: FileState) -> FileState:
        """Read the content of a state that `read` gave."""
        place = self._places.get(state.digest)
        if state.content is not None or place is None:
            return state
        with self._upper_file(place) as descriptor, open(os.dup(descriptor), "rb") as file:
            loaded = FileState.of(file.read(state.size + 1), state.mode)
            attributes = FileAttributes(None, _written_attributes(descriptor))
            return replace(loaded, attributes=attributes)

    def complete(self, change: Change) -> Change:
        """Read what was too much to be kept while comparing, as far as one file may be large."""
        before, after = change.before, change.after
        if isinstance(before, FileState) and not before.digest:
            content = self._tree.read(change.path, MAX_FILE)
            before = FileState.of(content, before.mode)
        if isinstance(after, FileState) and after.content is None:
            after = self.load(after) if after.size <= MAX_FILE else after
            if after.content is None:
                raise TooLarge(
                    change.path.relative, f"Too large: {show_name(change.path.relative)}"
                )
        return Change(change.path, before, after)

    @contextmanager
    def _upper_file(self, path: WorkspacePath) -> Iterator[int]:
        with self._upper_directory(path) as above:
            facts = os.stat(path.name, dir_fd=above, follow_symlinks=False)
            with self._open_upper(above, path.name, facts) as descriptor:
                yield descriptor

    @contextmanager
    def _upper_directory(self, path: WorkspacePath) -> Iterator[int]:
        descriptor = os.open(self._layers[path.root].upper, _OPEN_DIR)
        for name in path.parts[:-1]:
            above, descriptor = descriptor, os.open(name, _OPEN_DIR, dir_fd=descriptor)
            os.close(above)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    # -- making -------------------------------------------------------------------------------

    def place(self, step: Change) -> str:
        """Make one change by a rename that gives back what it replaced, if that is another."""
        path = step.path
        root = self._workspace.handles[path.root]
        try:
            parent = self._disk.open_dir(root, path.parts[:-1])
        except OSError as error:
            return error.strerror or _NOT_OPENED
        try:
            return self._place(parent, step)
        except (OSError, RedlineError) as error:
            return str(getattr(error, "strerror", None) or error)
        finally:
            self._disk.close_dir(parent)

    def _place(self, parent: Dir, step: Change) -> str:
        before, after, name = step.before, step.after, step.path.name
        if isinstance(after, Absent):
            if not isinstance(before, DirState):
                return self._take_away(parent, step)
            self._disk.rmdir(parent, name)
        elif isinstance(after, DirState):
            if not isinstance(before, DirState):
                with suppress(FileExistsError):  # another program made it too
                    self._disk.mkdir(parent, name)
            self._disk.chmod(parent, name, after.mode or 0)
        elif isinstance(after, FileState) and _has_same_content(before, after):
            self._disk.chmod(parent, name, after.mode or 0)
        else:
            return self._bring(parent, step, after)
        return ""

    def _bring(self, parent: Dir, step: Change, after: State) -> str:
        staged = f"{STAGED}{os.urandom(8).hex()}-0"
        if isinstance(after, LinkState):
            self._disk.symlink(parent, staged, after.target)
        else:
            self._copy(parent, staged, step.path, getattr(after, "mode", None) or 0)
        try:
            return self._swap_in(parent, staged, step)
        finally:
            if self._disk.has(parent, staged):
                self._disk.unlink(parent, staged)

    def _copy(self, parent: Dir, staged: str, path: WorkspacePath, mode: int) -> None:
        with self._upper_file(path) as source:
            made = self._disk.create(parent, staged)
            try:
                facts = os.fstat(source)
                os.ftruncate(made, facts.st_size)
                for start, end in _data(source):
                    os.lseek(made, start, os.SEEK_SET)
                    while start < end and (sent := os.sendfile(made, source, start, end - start)):
                        start += sent
                self._disk.set_attributes(made, _written_attributes(source))
                os.fchmod(made, mode)
                os.utime(made, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            finally:
                os.close(made)

    def _swap_in(self, parent: Dir, staged: str, step: Change) -> str:
        name, seen = step.path.name, self._seen.get(step.path)
        if isinstance(step.before, Absent) or seen is None:
            try:
                self._disk.rename_new(parent, staged, parent, name)
            except FileExistsError:
                return SAVED_MEANWHILE
            return ""
        with self._watched(parent, name) as is_written:
            if is_written() or self._disk.stat(parent, name).st_ctime_ns != seen.ctime_ns:
                return SAVED_MEANWHILE
            ours = self._disk.stat(parent, staged).st_ino
            self._disk.exchange(parent, staged, parent, name)
            if self._is_another(parent, staged, seen) or is_written():
                self._disk.exchange(parent, staged, parent, name)
                if self._disk.stat(parent, staged).st_ino != ours:  # saved once more
                    self._disk.exchange(parent, staged, parent, name)
                return SAVED_MEANWHILE
        return ""

    def _take_away(self, parent: Dir, step: Change) -> str:
        name, seen = step.path.name, self._seen.get(step.path)
        if seen is None:
            return ""
        with self._watched(parent, name) as is_written:
            if is_written() or self._disk.stat(parent, name).st_ctime_ns != seen.ctime_ns:
                return SAVED_MEANWHILE
            staged = f"{STAGED}{os.urandom(8).hex()}-0"
            self._disk.rename_new(parent, name, parent, staged)
            if self._is_another(parent, staged, seen) or is_written():
                self._disk.rename_new(parent, staged, parent, name)
                return SAVED_MEANWHILE
            self._disk.unlink(parent, staged)
        return ""

    def _is_another(self, parent: Dir, name: str, seen: Entry) -> bool:
        facts = self._disk.stat(parent, name)
        known = (seen.identity[1], seen.size, seen.mtime_ns)
        return (facts.st_ino, facts.st_size, facts.st_mtime_ns) != known

    @contextmanager
    def _watched(self, parent: Dir, name: str) -> Iterator[Callable[[], bool]]:
        """Whether a process has the file open for writing, or waits to open it."""
        try:
            descriptor = self._disk.open_read(parent, (name,))
        except OSError:  # a link, or a file that may not be read
            yield lambda: False
            return
        try:
            writers = Writers.UNKNOWN
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                writers = platform.lease(descriptor)
            if writers is Writers.NONE:
                yield lambda: platform.lease_broken(descriptor)
            else:
                yield lambda: writers is Writers.SOME
        finally:
            os.close(descriptor)


def _written_attributes(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """Return the extended attributes of a file of the upper layer that are its command's."""
    names = [n for n in os.listxattr(descriptor) if n.startswith(_COMMANDS_OWN)]
    found = ((name, os.getxattr(descriptor, name)) for name in names)
    return tuple(pair for pair in found if not pair[0].startswith("user.overlay."))


def _data(descriptor: int) -> Iterator[tuple[int, int]]:
    """Yield where a file holds data: what lies between takes no space, and stays so."""
    end = 0
    while True:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, end


def _has_same_content(before: State, after: FileState) -> bool:
    return isinstance(before, FileState) and before.digest == after.digest
