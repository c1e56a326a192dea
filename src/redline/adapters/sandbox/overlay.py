"""A copy-on-write view of the roots for one command: what it would change, and nothing else."""

from __future__ import annotations

import os
import shutil
import stat
from threading import Thread
from typing import TypeAlias

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import Difference
from redline.core.ports.tree import Kind, Tree
from redline.core.records import dataclass, field
from redline.search.ignore import EXCLUDED_DIRECTORIES, is_ignored

MAX_FILE = 4 << 20
MAX_CHANGES = 5_000
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")
_FILE_MODE, _DIRECTORY_MODE = 0o644, 0o755
# What each place of a view was before its command; None where that is too large to know.
Filled: TypeAlias = dict[WorkspacePath, State | None]


@dataclass(frozen=True, slots=True)
class Layer:
    """The upper layer over one root."""

    root: int
    lower: str
    upper: str
    work: str


def make_layers(base: str, roots: list[tuple[int, str]]) -> list[Layer]:
    """Fresh upper layers below *base* for each (number, path)."""
    layers = []
    for number, path in roots:
        parts = [os.path.join(base, str(number), name) for name in ("upper", "work")]
        for part in parts:
            os.makedirs(part, 0o700)
        os.chmod(parts[0], stat.S_IMODE(os.stat(path).st_mode))
        layers.append(Layer(number, path, *parts))
    return layers


def drop_layers(base: str) -> None:
    """Remove everything the command wrote, while no caller waits for it."""
    Thread(target=remove_layers, args=(base,), daemon=True).start()


def remove_layers(base: str) -> None:
    """Remove everything the command wrote."""
    for where, directories, _files in os.walk(base):
        for name in directories:
            try:
                os.chmod(os.path.join(where, name), 0o700, follow_symlinks=False)
            except (OSError, NotImplementedError):
                continue
    shutil.rmtree(base, ignore_errors=True)


def fill_layers(layers: list[Layer], change_set: ChangeSet, tree: Tree) -> Filled:
    """Write what *change_set* would leave into *layers*, which no command uses yet."""
    filling = _Filling({layer.root: layer.upper for layer in layers}, tree)
    for step in change_set.steps:
        if isinstance(step, Rename):
            filling.move(step.source, step.target)
        else:
            filling.put(step.path, step.after)
    found: Filled = {}
    for layer in layers:
        _note_filled(layer.upper, WorkspacePath(layer.root, ()), found)
    return found


def _note_filled(upper: str, at: WorkspacePath, found: Filled) -> None:
    with os.scandir(upper) as entries:
        for entry in entries:
            path, status = at.child(entry.name), entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                found[path] = DirState(stat.S_IMODE(status.st_mode))
                _note_filled(entry.path, path, found)
            else:
                is_removed = stat.S_ISCHR(status.st_mode)
                found[path] = ABSENT if is_removed else _state(entry.path, status)


class _Filling:
    def __init__(self, uppers: dict[int, str], tree: Tree) -> None:
        self._uppers = uppers
        self._tree = tree

    def put(self, path: WorkspacePath, state: State) -> None:
        """Leave *state* at *path*."""
        place = self._place(path)
        was_removed = self._clear(place, is_directory=isinstance(state, DirState))
        if isinstance(state, FileState):
            self._write(place, path, state)
        elif isinstance(state, LinkState):
            os.symlink(state.target, place)
        elif isinstance(state, DirState):
            if not os.path.isdir(place):
                os.mkdir(place, self._mode(path, state.mode, _DIRECTORY_MODE))
                if was_removed:  # and does not show what it held before
                    os.setxattr(place, _OPAQUE[0], b"y")
        elif isinstance(state, Absent) and self._tree.stat(path) is not None:
            os.mknod(place, stat.S_IFCHR, 0)  # a whiteout

    def move(self, source: WorkspacePath, target: WorkspacePath) -> None:
        """Leave what the view has at *source* at *target*, and nothing at *source*."""
        here = self._place(source)
        mode = os.lstat(here).st_mode if os.path.lexists(here) else 0
        if stat.S_ISCHR(mode):  # an earlier step removed it
            return
        if mode and not stat.S_ISDIR(mode):
            there = self._place(target)
            self._clear(there, is_directory=False)
            os.rename(here, there)
        else:
            state = DirState(stat.S_IMODE(mode)) if mode else self._tree.state(source)
            self.put(target, state)
            for name in self._names(source, here) if isinstance(state, DirState) else ():
                self.move(source.child(name), target.child(name))
        self.put(source, ABSENT)

    def _names(self, path: WorkspacePath, upper: str) -> set[str]:
        """Return the names in a directory of the view; some may be of what was removed."""
        made = os.listdir(upper) if os.path.isdir(upper) else []
        entry = self._tree.stat(path)
        is_there = entry is not None and entry.kind is Kind.DIRECTORY
        kept = [each.path.name for each in self._tree.scan(path)] if is_there else []
        return {*made, *kept}

    def _place(self, path: WorkspacePath) -> str:
        """Return where *path* is in its upper layer, whose directories on the way are made."""
        place, at = self._uppers[path.root], WorkspacePath(path.root, ())
        for part in path.parts[:-1]:
            place, at = os.path.join(place, part), at.child(part)
            if not os.path.lexists(place):
                os.mkdir(place, self._mode(at, None, _DIRECTORY_MODE))
        return os.path.join(place, path.name)

    def _clear(self, place: str, *, is_directory: bool) -> bool:
        """Remove what an earlier step left at *place*; whether that was a removal."""
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISDIR(mode):
            os.unlink(place)
        elif not is_directory:
            shutil.rmtree(place)
        return stat.S_ISCHR(mode)

    def _write(self, place: str, path: WorkspacePath, state: FileState) -> None:
        content = state.content if state.content is not None else self._tree.read(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(place, flags, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(descriptor, self._mode(path, state.mode, _FILE_MODE))
            # Caches take two contents of one size and second for the same: each has its own time.
            time = int(state.digest[:7], 16)
            os.utime(descriptor, (time, time))

    def _mode(self, path: WorkspacePath, wanted: int | None, default: int) -> int:
        """Return the mode asked for, else that of what is there, else that of something new."""
        if wanted is not None:
            return wanted
        entry = self._tree.stat(path)
        kind = Kind.FILE if default == _FILE_MODE else Kind.DIRECTORY
        if entry is None or entry.kind is not kind:
            return default
        return stat.S_IMODE(entry.mode)


@dataclass(slots=True)
class _Reading:
    tree: Tree
    filled: Filled
    removals: list[Change] = field(default_factory=list)
    others: list[Change] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)


def read_layers(layers: list[Layer], tree: Tree, filled: Filled) -> Difference:
    """Return what the command would have changed; read after its last process has ended.

    *filled* is what the layers held before it.
    """
    reading = _Reading(tree, filled)
    for layer in layers:
        _read_directory(reading, layer.upper, WorkspacePath(layer.root, ()))
    steps = (*reversed(reading.removals), *reading.others)
    return Difference(ChangeSet(steps[:MAX_CHANGES]), tuple(reading.uncovered))


def _state_before(reading: _Reading, path: WorkspacePath) -> State:
    known = reading.filled.get(path)
    return known if known is not None else reading.tree.state(path)


def _read_directory(reading: _Reading, upper: str, at: WorkspacePath) -> None:
    with os.scandir(upper) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = at.child(entry.name)
        status = entry.stat(follow_symlinks=False)
        if _is_passed_by(reading, path, stat.S_ISDIR(status.st_mode)):
            reading.uncovered.append(f"{show_name(path.relative)} (ignored)")
        elif stat.S_ISCHR(status.st_mode):  # a whiteout: removed
            _remove(reading, path)
        elif stat.S_ISDIR(status.st_mode):
            _read_made_directory(reading, entry.path, path, status.st_mode)
        else:
            _add_change(reading, path, _state(entry.path, status))


def _read_made_directory(reading: _Reading, upper: str, path: WorkspacePath, mode: int) -> None:
    before = _state_before(reading, path)
    if isinstance(before, DirState):
        after = DirState(stat.S_IMODE(mode))
        if before != after:
            reading.others.append(Change(path, before, after))
        if is_opaque(upper):
            kept = set(os.listdir(upper))
            for entry in reading.tree.scan(path):
                if entry.path.name not in kept:
                    _remove(reading, entry.path)
    else:
        _add_change(reading, path, DirState(stat.S_IMODE(mode)))
    _read_directory(reading, upper, path)


def is_opaque(directory: str | int) -> bool:
    """Return whether a directory of an upper layer hides all that the lower one has there."""
    for name in _OPAQUE:
        try:
            if os.getxattr(directory, name) == b"y":
                return True
        except OSError:
            continue
    return False


def _is_passed_by(reading: _Reading, path: WorkspacePath, is_directory: bool) -> bool:
    if is_directory and path.name in EXCLUDED_DIRECTORIES:
        return True
    return is_ignored(reading.tree, path, is_directory)


def _state(place: str, status: os.stat_result) -> State | None:
    if stat.S_ISLNK(status.st_mode):
        return LinkState(os.readlink(place))
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
        return None
    with open(place, "rb") as file:
        return FileState.of(file.read(), stat.S_IMODE(status.st_mode))


def _add_change(reading: _Reading, path: WorkspacePath, after: State | None) -> None:
    try:
        before: State | None = _state_before(reading, path)
    except RedlineError:
        before = None
    if before is None or after is None:
        reading.uncovered.append(f"{show_name(path.relative)} (too large or not a file)")
    elif before != after:
        if before != ABSENT and type(before) is not type(after):
            _remove(reading, path)
            before = ABSENT
        reading.others.append(Change(path, before, after))


def _remove(reading: _Reading, path: WorkspacePath) -> None:
    """Parents first: the removals are turned round at the end."""
    try:
        before = _state_before(reading, path)
    except RedlineError:
        reading.uncovered.append(f"{show_name(path.relative)} (cannot be read)")
        return
    if before == ABSENT:
        return
    reading.removals.append(Change(path, before, ABSENT))
    if isinstance(before, DirState):
        for entry in reading.tree.scan(path):
            _remove(reading, entry.path)
