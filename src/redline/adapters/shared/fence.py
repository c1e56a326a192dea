"""The highest number of a lease, beside the journal: no commit of a server with an older one."""

from __future__ import annotations

import os
from collections.abc import Callable

from redline.adapters.files.disk import Disk
from redline.adapters.files.disk_read import Dir
from redline.core.errors import LeaseLost, WriteFailed

NAME = "lease-number"
_NEXT = "lease-number.next"
_MAX_DIGITS = 40


class Fence:
    """Checked beneath the lock of the journal, so that nothing is committed between a check and
    a newer server's first look at the history.

    *number* returns that of this server's lease; LeaseLost when it has none.
    """

    def __init__(self, workspace: str, number: Callable[[], int]) -> None:
        self._workspace = workspace
        self._number = number

    def check(self, disk: Disk, directory: Dir) -> None:
        """Refuse when a newer lease was here, else note this one durably; LeaseLost, OSError."""
        number = self._number()
        kept = _read(disk, directory)
        if kept > number:
            raise LeaseLost(self._workspace)
        if kept < number:
            _write(disk, directory, number)


def read_number(state_dir: str) -> int:
    """Return the highest number that a history has seen, 0 before the first."""
    try:
        with open(os.path.join(state_dir, NAME), "rb") as stream:
            return _parse(stream.read(_MAX_DIGITS))
    except FileNotFoundError:
        return 0


def _read(disk: Disk, directory: Dir) -> int:
    try:
        disk.stat(directory, NAME)
    except FileNotFoundError:
        return 0
    fd = disk.open_own(directory, NAME)
    try:
        return _parse(disk.pread(fd, _MAX_DIGITS, 0))
    finally:
        disk.close_fd(fd)


def _parse(text: bytes) -> int:
    if not text.strip().isdigit():
        raise WriteFailed(
            f"Not the number of a lease, in the file {NAME} of the state directory: {text!r}",
            hint="stop every server, remove that file, and start them again",
        )
    return int(text)


def _write(disk: Disk, directory: Dir, number: int) -> None:
    try:
        disk.unlink(directory, _NEXT)
    except FileNotFoundError:
        pass
    fd = disk.create(directory, _NEXT)
    try:
        disk.append(fd, b"%d\n" % number)
        disk.sync_data(fd)
    finally:
        disk.close_fd(fd)
    disk.rename(directory, _NEXT, directory, NAME)
    disk.sync_dir(directory)
