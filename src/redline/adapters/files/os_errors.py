"""What the operating system says, as the errors of `core.errors`."""

from __future__ import annotations

import errno
import os

from redline.core import errors
from redline.core.paths import show_name
from redline.core.text_limits import shorten

_MAX_SHOWN_CHARS = 200
_KINDS: dict[int, type[errors.PathError]] = {
    errno.ENOENT: errors.NotFound,
    errno.ENOTDIR: errors.NotADirectory,
    errno.EISDIR: errors.IsADirectory,
    errno.EEXIST: errors.AlreadyExists,
    errno.ENXIO: errors.NotARegularFile,
    errno.ENODEV: errors.NotARegularFile,
}


def reading_failed(error: OSError, shown: str) -> errors.RedlineError:
    """Return the typed error for a path that could not be opened or looked at."""
    shown = show_name(shown)
    kind = _KINDS.get(error.errno or 0)
    if kind is not None:
        return kind(shown)
    match error.errno:
        case errno.ELOOP:
            return errors.SymlinkEscape(shown, f"Symbolic link in the way: {shown}")
        case errno.EACCES | errno.EPERM:
            return errors.PathDenied(shown, f"Permission denied: {shown}")
        case errno.ENAMETOOLONG:
            return name_too_long(shown)
        case errno.EILSEQ | errno.EINVAL:
            return errors.InvalidArgument(f"Not a usable file name: {shown[:200]}", field="path")
        case _:
            reason = os.strerror(error.errno) if error.errno else str(error)
            return errors.PathDenied(shown, f"Cannot be read ({reason}): {shown}")


def name_too_long(shown: str) -> errors.PathError:
    """Return the error for a path that no file can have, wherever that is noticed."""
    path = shorten(show_name(shown), _MAX_SHOWN_CHARS)
    hint = "most file systems take names of 255 bytes and paths of 4096"
    return errors.PathError(path, f"File name too long: {path}", hint=hint)


def writing_failed(error: OSError, shown: str = "") -> errors.WriteFailed:
    """Return the typed error for a change that could not be carried out; nothing was changed."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    where = f": {show_name(shown)}" if shown else ""
    return errors.WriteFailed(
        f"Write failed ({reason}); nothing was changed{where}",
        hint=_HINTS.get(error.errno or 0),
        details={"errno": errno.errorcode.get(error.errno or 0, "")},
    )


_HINTS = {
    errno.ENOSPC: "free disk space and repeat the call",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "the file permissions forbid it",
    errno.EPERM: "the file permissions forbid it",
    errno.EROFS: "the file system is mounted read-only",
    errno.EBUSY: "it is a mount point or in use; it can only be changed in place, not replaced",
    errno.EXDEV: "source and target are on different file systems; copy, then delete",
}
