"""The root of the error tree, and errors about the call, rules, limits and the outside world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from redline.core.error_families.wording import Text, plain_text

if TYPE_CHECKING:
    from redline.core.guarded import GuardedPath


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
    """The operating system refused a write; nothing was changed."""


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
