"""Where the new files of a change wait, under what name, until they are swapped in."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection

from redline.adapters.files.disk import Disk
from redline.adapters.journal.steps.handles import DirectoryHandles
from redline.core.changes import Absent, Change, DirState, FileState, Rename, SpecialState
from redline.core.paths import WorkspacePath

Step = Change | Rename


def needs_staging(step: Step) -> bool:
    """Whether a step brings a new file or link."""
    if isinstance(step, Rename) or isinstance(step.after, Absent | DirState | SpecialState):
        return False
    if isinstance(step.after, FileState) and isinstance(step.before, FileState):
        return step.after.digest != step.before.digest
    return step.after != step.before


def staged_name(transaction: str, number: int) -> str:
    """The hidden name of a staged file."""
    return f".redline-{transaction}-{number}"


def kept_name(name: str, transaction: str) -> str:
    """The name under which another program's save is kept when its own is taken."""
    return f"{name}.saved-{transaction}"


def remove_if_there(
    disk: Disk, handles: DirectoryHandles, directory: WorkspacePath, name: str
) -> bool:
    """Remove a staged file if it still waits; whether it did."""
    try:
        disk.unlink(handles.directory(directory), name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def staging_directory(
    path: WorkspacePath, handles: DirectoryHandles, avoided: Collection[WorkspacePath]
) -> WorkspacePath:
    """The nearest existing directory that the set neither moves nor removes."""
    parent = where = path.parent
    for length in range(1, len(where.parts) + 1 if avoided else 0):
        above = WorkspacePath(where.root, where.parts[:length])
        if above in avoided:
            where = above.parent
            break
    while where.parts and handles.device(where) is None:
        where = where.parent
    if where != parent:
        device = handles.device(parent)
        if device is not None and device != handles.device(where):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return where
