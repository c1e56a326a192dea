"""Everything that can go wrong, typed once; each dialect words these in its own errors.py.

RedlineError
├── InvalidArgument            the call itself is malformed
├── PathError                  a path cannot be used
│   ├── PathDenied             ├── OutsideRoots ├── AbsolutePathDenied ├── SymlinkEscape
│   │                          └── ReadOnlyRoot
│   ├── NotFound
│   ├── AlreadyExists
│   ├── NotADirectory
│   ├── IsADirectory
│   └── NotARegularFile
├── ContentError               a file's bytes do not fit the request
│   ├── BinaryFile ├── UnsupportedEncoding ├── TooLarge
├── MatchError                 the text to change cannot be placed
│   ├── NoMatch (AlreadyApplied) ├── AmbiguousMatch ├── OverlappingEdits ├── InvalidPattern
├── PatchError                 a patch envelope is malformed or does not fit
├── DocumentError              a structured document
│   ├── DocumentSyntax (NestsTooDeep) ├── NodeNotFound ├── CannotApply
├── Conflict                   the world moved on
│   ├── StaleBase ├── UndoBlocked ├── Locked
├── HistoryError               ├── UnknownOperation ├── NothingToUndo ├── AlreadyUndone
├── Refused                    a rule says no
│   ├── ReadOnlyMode ├── PermissionRequired (GuardedWrite) ├── PermissionDenied
├── LimitReached               ├── TimeLimit (Busy) ├── MemoryLimit ├── WorkerDied ├── ParserFailed
│                              └── Cancelled
├── SessionError               ├── SessionNotFound ├── SessionClosed
└── Unavailable                something outside Redline failed
    ├── WriteFailed ├── GitFailed ├── SandboxUnavailable ├── StoreUnavailable ├── ProviderFailed
    └── ProgramChanged
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redline.core.guarded import GuardedPath


class RedlineError(Exception):
    """A failure with a fact, an optional way to repair the call, and machine-readable details."""

    def __init__(
        self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})

    @property
    def text(self) -> str:
        """The fact and, on a second line, what to do about it."""
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InvalidArgument(RedlineError):
    """The arguments of the call are malformed."""

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.field = field
        if field is not None:
            self.details.setdefault("field", field)


class PathError(RedlineError):
    """A path cannot be used; `path` is as the caller may see it."""

    fact = "Path cannot be used"

    def __init__(
        self,
        path: str,
        message: str | None = None,
        *,
        hint: str | None = None,
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
    """A symbolic link leads out of the root, or stands where none may."""

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
    """The content is over a limit."""

    fact = "Too large"


class MatchError(RedlineError):
    """The text to change cannot be placed."""


class NoMatch(MatchError):
    """The text is nowhere in the file; `details` may name the nearest place."""


class AlreadyApplied(NoMatch):
    """The old text is gone or replaced already: what the edit would write stands there."""


class AmbiguousMatch(MatchError):
    """The text is in several places and nothing says which."""

    def __init__(
        self, message: str, *, count: int, lines: Sequence[int] = (), hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint, details={"count": count, "lines": list(lines)})
        self.count = count
        self.lines = tuple(lines)


class OverlappingEdits(MatchError):
    """Two edits want the same bytes."""


class InvalidPattern(MatchError):
    """A regular expression or a replacement template is malformed."""


class PatchError(RedlineError):
    """A patch envelope is malformed or does not fit the files."""


class DocumentError(RedlineError):
    """A structured document cannot be read or changed as asked."""


class DocumentSyntax(DocumentError):
    """The document does not parse."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        where = {"line": line, "column": column}
        super().__init__(message, details={k: v for k, v in where.items() if v is not None})
        self.line = line
        self.column = column


class NestsTooDeep(DocumentSyntax):
    """The document nests deeper than is supported."""


class NodeNotFound(DocumentError):
    """The path names nothing in the document."""


class CannotApply(DocumentError):
    """The value cannot be put there without harm; the document is unchanged."""


class Conflict(RedlineError):
    """The world moved on since the plan was made."""


class StaleBase(Conflict):
    """A file is not what the plan was made from."""

    def __init__(self, path: str, *, hint: str | None = None) -> None:
        super().__init__(
            f"File changed since it was read: {path}",
            hint=hint or "read the file again and repeat the edit",
            details={"path": path},
        )
        self.path = path


class UndoBlocked(Conflict):
    """Files were changed after the operation that is to be undone; `diff` shows how."""

    def __init__(self, message: str, *, paths: Sequence[str], diff: str) -> None:
        super().__init__(
            message,
            hint="undo the later changes first, or edit the files by hand",
            details={"paths": list(paths), "diff": diff},
        )
        self.paths = tuple(paths)
        self.diff = diff


class Locked(Conflict):
    """Another call or process held the file for too long."""


class HistoryError(RedlineError):
    """The history cannot answer."""


class UnknownOperation(HistoryError):
    """No operation has that id."""


class NothingToUndo(HistoryError):
    """There is nothing left to undo or redo."""


class AlreadyUndone(HistoryError):
    """The operation was undone before."""


class Refused(RedlineError):
    """A rule says no."""


class ReadOnlyMode(Refused):
    """The server was started with --read-only."""


class PermissionRequired(Refused):
    """The caller must ask for `permission` first."""

    def __init__(
        self,
        message: str,
        *,
        permission: str,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.permission = permission
        self.details.setdefault("permission", permission)


class GuardedWrite(PermissionRequired):
    """The change touches what a person's own tools execute; `guarded` says which paths and why."""

    def __init__(
        self,
        message: str,
        guarded: Sequence[GuardedPath] = (),
        paths: Sequence[str] = (),
        *,
        hint: str | None = None,
    ) -> None:
        permission = str(guarded[0].permission) if guarded else "guarded_writes"
        super().__init__(message, permission=permission, hint=hint, details={"paths": list(paths)})
        self.guarded = tuple(guarded)
        self.paths = tuple(paths)


class PermissionDenied(Refused):
    """A person was asked and did not agree."""


class LimitReached(RedlineError):
    """A budget ran out."""


class TimeLimit(LimitReached):
    """The time budget ran out."""


class MemoryLimit(LimitReached):
    """The call would hold more bytes than one call may; `details` say the limit."""


class Busy(TimeLimit):
    """Too much was under way for this to start in time."""


class WorkerDied(LimitReached):
    """The process that did the work crashed, or was ended for what it used."""


class ParserFailed(LimitReached):
    """A parser crashed on a file or took too long, so nothing is known of its syntax."""


class Cancelled(LimitReached):
    """The caller cancelled the request."""


class SessionError(RedlineError):
    """A handle from an earlier call cannot be used."""


class SessionNotFound(SessionError):
    """No such handle, or it expired, or it belongs to somebody else."""


class SessionClosed(SessionError):
    """The handle's process or proposal has ended."""


class Unavailable(RedlineError):
    """Something outside Redline failed."""


class WriteFailed(Unavailable):
    """The operating system refused a write; nothing was changed."""


class GitFailed(Unavailable):
    """Git data could not be read."""


class SandboxUnavailable(Unavailable):
    """No sandbox of the required strength exists here."""


class ProgramChanged(Unavailable):
    """A file of Redline is not what it was when the server started, so it is not run."""

    def __init__(self) -> None:
        super().__init__(
            "Redline's own files have changed since the server started", hint="restart the server"
        )


class StoreUnavailable(Unavailable):
    """The preview store cannot be reached."""


class ProviderFailed(Unavailable):
    """The model provider failed; `kind` is error, rate_limit or timeout."""

    def __init__(self, message: str, *, kind: str = "error", hint: str | None = None) -> None:
        super().__init__(message, hint=hint, details={"kind": kind})
        self.kind = kind
