"""A ChangeSet: the state of each path before and after, as data."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from redline.core.budget import charge
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of *content* in hex: the name of a blob and the version of a file."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing is there."""


@dataclass(frozen=True, slots=True)
class FileAttributes:
    """Owner and extended attributes (access lists are among these) that a new file would not have.

    `owner` is user and group; None if a new file has the same. `modified_ns` is when a command
    wrote the file; the history does not keep it.
    """

    owner: tuple[int, int] | None = None
    extended: tuple[tuple[str, bytes], ...] = ()
    modified_ns: int | None = None


@dataclass(frozen=True, slots=True)
class FileState:
    """A regular file. `content` may be left out where only identity matters.

    `mode` is the permission bits; None means: keep what is there, or the default for a new file.
    `attributes` are known of a removed file, for its undo, and of what a judged command wrote.
    """

    digest: str
    size: int
    mode: int | None = None
    content: bytes | None = field(default=None, compare=False, repr=False)
    attributes: FileAttributes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, content: bytes, mode: int | None = None) -> FileState:
        """Return the state of a file that holds *content*."""
        return cls(digest_of(content), len(content), mode, content)


@dataclass(frozen=True, slots=True)
class DirState:
    """A directory (its entries are paths of their own)."""

    mode: int | None = None


@dataclass(frozen=True, slots=True)
class LinkState:
    """A symbolic link."""

    target: str


class SpecialKind(StrEnum):
    """What is neither a file nor a directory nor a link."""

    FIFO = "FIFO"
    SOCKET = "socket"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class SpecialState:
    """A FIFO, socket or device: a change can remove one, and never make one."""

    kind: SpecialKind


State: TypeAlias = Absent | FileState | DirState | LinkState | SpecialState
ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Change:
    """One path goes from `before` to `after`."""

    path: WorkspacePath
    before: State
    after: State

    def __post_init__(self) -> None:
        """Count a content that is planned towards what the call may hold."""
        after = self.after
        if isinstance(after, FileState) and after.content is not None:
            charge("planned", self.path, after.size)

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """The path that changes."""
        return (self.path,)

    def inverse(self) -> Change:
        """Return the change that takes this one back."""
        return Change(self.path, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Rename:
    """A file, link or whole directory gets another name; nothing may be at `target`."""

    source: WorkspacePath
    target: WorkspacePath

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """The old and the new path."""
        return (self.source, self.target)

    def inverse(self) -> Rename:
        """Return the rename that takes this one back."""
        return Rename(self.target, self.source)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changes that happen together or not at all.

    Parents come before children that are created and after children that are removed: the
    order of `steps` is the order in which they can be carried out.
    """

    steps: tuple[Change | Rename, ...] = ()

    def inverse(self) -> ChangeSet:
        """Return the ChangeSet that takes this one back."""
        return ChangeSet(tuple(step.inverse() for step in reversed(self.steps)))

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """Every path this touches, in order, each once."""
        found: dict[WorkspacePath, None] = {}
        for step in self.steps:
            if isinstance(step, Change):
                found[step.path] = None
            else:
                found[step.source] = found[step.target] = None
        return tuple(found)

    def contents(self) -> dict[str, bytes]:
        """Return what files hold before and after, as far as that is known, by digest."""
        return {
            state.digest: state.content
            for step in self.steps
            if isinstance(step, Change)
            for state in (step.before, step.after)
            if isinstance(state, FileState) and state.content is not None
        }

    @property
    def is_empty(self) -> bool:
        """Whether carrying this out would change nothing."""
        for step in self.steps:
            if isinstance(step, Rename) or step.before != step.after:
                return False
        return True

    def moves_by_content(self) -> dict[WorkspacePath, WorkspacePath]:
        """Return where files went that are removed in one place and made the same in another.

        That is how a move is recorded that a command or another program made.
        """
        if len(self.steps) < 2:
            return {}
        gone: dict[str, list[WorkspacePath]] = {}
        made: dict[str, list[WorkspacePath]] = {}
        changes = [step for step in self.steps if isinstance(step, Change)]
        renamed = [path for s in self.steps if isinstance(s, Rename) for path in s.paths]
        times = Counter(step.path for step in changes)
        for step in changes:
            if times[step.path] > 1 or any(step.path.is_beneath(path) for path in renamed):
                continue  # it was not one file from the first step to the last
            if isinstance(step.before, FileState) and isinstance(step.after, Absent):
                gone.setdefault(step.before.digest, []).append(step.path)
            elif isinstance(step.before, Absent) and isinstance(step.after, FileState):
                made.setdefault(step.after.digest, []).append(step.path)
        return {
            sources[0]: made[digest][0]
            for digest, sources in gone.items()
            if len(sources) == len(made.get(digest, ())) == 1
        }

    def __add__(self, other: ChangeSet) -> ChangeSet:
        return ChangeSet(self.steps + other.steps)


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return removals, children first, then everything else, parents first.

    A path whose kind changes is removed first and then created again.
    """
    removals: list[Change] = []
    others: list[Change] = []
    for change in sorted(changes, key=lambda change: change.path):
        gone = type(change.before) is not type(change.after) and change.before != ABSENT
        if not gone:
            others.append(change)
            continue
        removals.append(Change(change.path, change.before, ABSENT))
        if change.after != ABSENT:
            others.append(Change(change.path, ABSENT, change.after))
    return (*reversed(removals), *others)
