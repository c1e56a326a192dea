"""Errors about a path or the content of the file there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.core.error_families.base import RedlineError
from redline.core.error_families.wording import Text


class PathError(RedlineError):
    """A path cannot be used; `path` is as the caller may see it."""

    fact = "Path cannot be used"

    def __init__(
        self,
        path: str,
        message: str | None = None,
        *,
        hint: Text | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message or f"{self.fact}: {path}", hint=hint, details=details)
        self.path = path
        self.details.setdefault("path", path)


class PathDenied(PathError):
    """The path is not one this server may touch in that way."""

    fact = "Path denied"


class OutsideRoots(PathDenied):
    """The path lies outside every root."""

    fact = "Path is outside the allowed directories"


class AbsolutePathDenied(PathDenied):
    """This tool takes workspace-relative paths only."""

    fact = "Absolute path denied"


class SymlinkEscape(PathDenied):
    """A symbolic link leads out of the root, or is where no link may be."""

    fact = "Symbolic link leads outside the allowed directories"


class ReadOnlyRoot(PathDenied):
    """The root was opened for reading only."""

    fact = "Directory is read-only"


class NotFound(PathError):
    """Nothing is there."""

    fact = "No such file or directory"


class AlreadyExists(PathError):
    """Something is there already."""

    fact = "Already exists"


class NotADirectory(PathError):
    """A directory was needed."""

    fact = "Not a directory"


class IsADirectory(PathError):
    """A file was needed."""

    fact = "Is a directory"


class NotARegularFile(PathError):
    """A FIFO, socket or device: never opened."""

    fact = "Not a regular file"


class ContentError(PathError):
    """A file's bytes do not fit the request."""

    fact = "File content cannot be used"


class BinaryFile(ContentError):
    """The file holds binary data where text was needed."""

    fact = "Binary file"


class UnsupportedEncoding(ContentError):
    """The file is text in an encoding the request cannot handle."""

    fact = "Not valid UTF-8"


class TooLarge(ContentError):
    """The content exceeds a limit."""

    fact = "Too large"
