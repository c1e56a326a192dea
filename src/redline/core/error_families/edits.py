"""Errors about an edit: its text, patch or document, its base, and its place in the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redline.core.error_families.base import RedlineError
from redline.core.error_families.wording import Text


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
    """Another server of the group has the workspace by now; nothing was changed."""

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
