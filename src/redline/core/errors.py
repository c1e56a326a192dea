"""Everything that can go wrong, typed once; each toolset formats these in its own errors.py.

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
│   ├── NoMatch (AlreadyApplied) ├── AmbiguousMatch ├── UnclearIndentation
│   ├── OverlappingEdits ├── InvalidPattern
├── PatchError                 a patch envelope is malformed or does not fit
├── DocumentError              a structured document
│   ├── DocumentSyntax (NestsTooDeep) ├── NodeNotFound ├── CannotApply
├── Conflict                   the world moved on
│   ├── StaleBase ├── UndoBlocked ├── Locked (LeaseLost) ├── HeldStale ├── HeldDecided
├── HistoryError               ├── UnknownOperation ├── NothingToUndo ├── AlreadyUndone
│                              └── UnknownHeld
├── Refused                    a rule says no
│   ├── ReadOnlyMode ├── RightMissing ├── PermissionRequired (GuardedWrite, RuleAsks, ChangeHeld)
│   ├── PermissionDenied (HeldRefused) ├── RuleDenied ├── PolicyUnreadable
├── LimitReached               ├── TimeLimit (Busy) ├── MemoryLimit ├── WorkerDied ├── ParserFailed
│                              └── Cancelled
├── SessionError               ├── SessionNotFound ├── SessionClosed
└── Unavailable                something outside Redline failed
    ├── WriteFailed (NotWritable) ├── GitFailed ├── SandboxUnavailable ├── StoreUnavailable
    ├── ProviderFailed └── ProgramChanged
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from redline.core.wording import Text, plain_text

if TYPE_CHECKING:
    from redline.core.guarded import GuardedPath
    from redline.core.ports.review import Ruling


class RedlineError(Exception):
    """A failure with a fact, an optional way to repair the call, and machine-readable details."""

    def __init__(
        self, message: Text, *, hint: Text | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(plain_text(message))
        self.message_text = message
        self.hint_text = hint
        self.details: dict[str, Any] = dict(details or {})

    @property
    def message(self) -> str:
        """The fact."""
        return plain_text(self.message_text)

    @message.setter
    def message(self, text: Text) -> None:
        self.message_text = text

    @property
    def hint(self) -> str | None:
        """How to repair the call."""
        return None if self.hint_text is None else plain_text(self.hint_text)

    @hint.setter
    def hint(self, text: Text | None) -> None:
        self.hint_text = text

    def use_words(self, words: Mapping[str, str]) -> None:
        """Say it as a surface does that has its own *words* for the names in it."""
        self.message_text = plain_text(self.message_text, words)
        self.hint_text = None if self.hint_text is None else plain_text(self.hint_text, words)

    @property
    def text(self) -> str:
        """The fact and, on a second line, what to do about it."""
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InvalidArgument(RedlineError):
    """The arguments of the call are malformed."""

    def __init__(
        self,
        message: Text,
        *,
        field: str | None = None,
        hint: Text | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.field = field
        if field is not None:
            self.details.setdefault("field", field)


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


class RightMissing(Refused):
    """The person behind the client may not do this."""


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
    """No such handle, or it expired, or it belongs to another client."""


class SessionClosed(SessionError):
    """The handle's process or proposal has ended."""


class Unavailable(RedlineError):
    """Something outside Redline failed."""


class WriteFailed(Unavailable):
    """The operating system refused a write; nothing was changed.

    `path` is where, as clients see it, if that is known.
    """

    path = ""


class NotWritable(WriteFailed):
    """The file's permissions let this process read it, but not write in it."""


class GitFailed(Unavailable):
    """Git data could not be read."""


class SandboxUnavailable(Unavailable):
    """No sandbox of the required strength exists here."""


class ProgramChanged(Unavailable):
    """A file of Redline is not what it was when the server started, so it is not run."""

    def __init__(
        self, message: str = "Redline's own files have changed since the server started"
    ) -> None:
        super().__init__(message, hint="restart the server")


class StoreUnavailable(Unavailable):
    """The preview store cannot be reached."""


class ProviderFailed(Unavailable):
    """The model provider failed; `kind` is error, rate_limit or timeout."""

    def __init__(self, message: str, *, kind: str = "error", hint: str | None = None) -> None:
        super().__init__(message, hint=hint, details={"kind": kind})
        self.kind = kind


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


class MatchError(RedlineError):
    """The text to change cannot be placed."""


class NoMatch(MatchError):
    """The text is nowhere in the file; `details` may name the nearest place."""


class AlreadyApplied(NoMatch):
    """The old text is gone or replaced already: the file has what the edit would write."""


class AmbiguousMatch(MatchError):
    """The text is in several places and nothing says which."""

    def __init__(
        self, message: str, *, count: int, lines: Sequence[int] = (), hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint, details={"count": count, "lines": list(lines)})
        self.count = count
        self.lines = tuple(lines)


class UnclearIndentation(MatchError):
    """The text is there, but it is not clear how to indent the new text.

    `repairs` hold old and new text of the edits that work, by their numbers in the call; `details`
    hold `old` and `new` of the first one, unless they are long.
    """

    def __init__(
        self,
        message: Text,
        *,
        hint: Text,
        repairs: Mapping[int, tuple[str, str]] | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.repairs = dict(repairs or {})


class OverlappingEdits(MatchError):
    """Two edits want the same bytes."""


class InvalidPattern(MatchError):
    """A regular expression or a replacement template is malformed."""


class PatchError(RedlineError):
    """A patch is malformed, does not fit the files, or fits in two readings."""


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
    """Later changes touch what is to be undone; `diff` shows how, `operations` made them."""

    def __init__(
        self,
        message: str,
        *,
        paths: Sequence[str],
        diff: str,
        operations: Sequence[str] = (),
        conflicts: Sequence[object] = (),
    ) -> None:
        details: dict[str, object] = {"paths": list(paths), "diff": diff}
        if operations:
            details["operations"] = list(operations)
        if conflicts:
            details["conflicts"] = list(conflicts)
        super().__init__(
            message,
            hint="undo the later changes first, or edit the files by hand",
            details=details,
        )
        self.paths = tuple(paths)
        self.diff = diff
        self.operations = tuple(operations)


class Locked(Conflict):
    """Another call or process held the file for too long."""


class LeaseLost(Locked):
    """Another server of the group has acquired the workspace; nothing was changed."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"This server does not have the workspace any more; nothing was changed: {workspace}",
            hint="repeat the call: it reaches the server that has it now",
        )


class HistoryError(RedlineError):
    """The history cannot answer."""


class UnknownOperation(HistoryError):
    """No operation has that id."""


class NothingToUndo(HistoryError):
    """There is nothing left to undo or redo."""


class AlreadyUndone(HistoryError):
    """The operation was undone before."""


class RuleDenied(Refused):
    """A rule of the policy denies the change; `rulings` say which and why."""

    def __init__(
        self,
        message: str,
        rulings: Sequence[Ruling] = (),
        *,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.rulings = tuple(rulings)


class RuleAsks(PermissionRequired):
    """A rule of the policy wants a person to decide; `rulings` say which and why."""

    def __init__(self, message: str, rulings: Sequence[Ruling] = ()) -> None:
        super().__init__(message, permission="review")
        self.rulings = tuple(rulings)


class ChangeHeld(PermissionRequired):
    """The change is held until a person decides; nothing was written."""

    def __init__(
        self, message: str, *, held_id: str, hint: str, details: Mapping[str, Any] | None = None
    ) -> None:
        found = {"held_id": held_id, **(details or {})}
        super().__init__(message, permission="review", hint=hint, details=found)
        self.held_id = held_id


class HeldRefused(PermissionDenied):
    """A person refused the change; the message has the reason."""


class PolicyUnreadable(Refused):
    """The policy cannot be read, so nothing may be changed."""


class HeldStale(Conflict):
    """The files of a held change are no longer what it was planned from."""


class HeldDecided(Conflict):
    """A held change was decided before, or has expired."""


class UnknownHeld(HistoryError):
    """No held change has that id."""
