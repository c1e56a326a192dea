"""A commit that may or may not be durable."""

from __future__ import annotations

from redline.adapters.files.disk import Disk


class Undecided(Exception):
    """A line is neither durable nor durably taken back; `is_there` as the file reads now."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__()
        self.is_there = is_there


def write_or_take_back(disk: Disk, fd: int, data: bytes, end: int) -> None:
    """Write *data* durably at *end*, the end of a file, or leave nothing there.

    OSError when nothing is there, Undecided when that cannot be determined.
    """
    try:
        disk.pwrite(fd, data, end)
        disk.sync_data(fd)
    except OSError as error:
        _take_back(disk, fd, data, end, error)
        raise


def _take_back(disk: Disk, fd: int, data: bytes, end: int, error: OSError) -> None:
    whole = disk.pread(fd, len(data), end) == data
    try:
        disk.truncate(fd, end)
    except OSError:
        if whole:
            raise Undecided(is_there=True) from error
        return  # what is there fails its checksum
    try:
        disk.sync_data(fd)
    except OSError:
        if whole:
            raise Undecided(is_there=False) from error
