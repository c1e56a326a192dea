"""Which way of touching the disk this machine gets: the one place that asks where we run."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from enum import Enum

from redline.adapters.files.disk import Disk
from redline.adapters.files.own_places import state_home

if sys.platform != "win32":
    import fcntl

_SYSTEM: str = sys.platform
_FAR = 0x7FFF0000
_F_SETSIG = 10  # Linux; the standard library has no name for it


def choose_disk() -> Disk:
    """openat2 on Linux, a walk by descriptors where `dir_fd` works, checked paths elsewhere."""
    if _SYSTEM.startswith("linux"):
        from redline.adapters.files import disk_linux

        return disk_linux.LinuxDisk() if disk_linux.openat2_works() else Disk()
    if os.open in os.supports_dir_fd:
        return Disk()
    from redline.adapters.files.disk_portable import PortableDisk

    return PortableDisk()


def program_files() -> list[str]:
    """Return what this process runs from: its package, its interpreter and that one's libraries."""
    scripts, library = ("Scripts", "Lib") if _SYSTEM == "win32" else ("bin", "lib")
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found = [package, os.path.dirname(os.__file__)]
    for prefix in {sys.prefix, sys.base_prefix}:
        found += [os.path.join(prefix, name) for name in (scripts, library, "pyvenv.cfg")]
    return [*found, sys.executable, os.path.realpath(sys.executable)]


def lock_home() -> str:
    """Return where the lock files are that all workspaces of a user share."""
    return os.path.join(state_home(), "locks")


def state_dir_of(workspace: str) -> str:
    """Return the directory that holds the history of one workspace."""
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in os.path.basename(workspace))
    digest = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:12]
    return os.path.join(state_home(), f"{name[:40] or 'root'}-{digest}")


def lock(fd: int, *, exclusive: bool, wait: bool) -> bool:
    """Lock an open file against every other open of it; False when it is taken."""
    if sys.platform == "win32":
        import msvcrt

        try:
            os.lseek(fd, _FAR, os.SEEK_SET)  # a locked byte cannot be read by others
            msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    how = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
    try:
        fcntl.flock(fd, how if wait else how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(fd: int) -> None:
    """Release a lock and keep the file open."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        return
    fcntl.flock(fd, fcntl.LOCK_UN)


class Writers(Enum):
    """Whether other processes have a file open for writing."""

    NONE = "none"
    SOME = "some"
    UNKNOWN = "unknown"


def lease(fd: int) -> Writers:
    """Take a read lease on an open file: from now on `lease_broken` reports every writer.

    Linux grants one only while no process has the file open for writing, and makes a process that
    opens it for writing wait until the lease is released (which closing *fd* does). Other systems,
    other users' files and network file systems grant none.
    """
    if not _SYSTEM.startswith("linux"):
        return Writers.UNKNOWN
    try:
        # The kernel announces a waiting writer by a signal: one that is ignored by default.
        fcntl.fcntl(fd, _F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return Writers.SOME
    except OSError:
        return Writers.UNKNOWN
    return Writers.NONE


def lease_broken(fd: int) -> bool:
    """Return whether a process waits to open for writing a file that `lease` was granted for."""
    return fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_UNLCK


def end_lease(fd: int) -> None:
    """Let a waiting writer go on."""
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
