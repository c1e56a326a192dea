"""The review page: requests and answers without a transport, people, and their comments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from redline.core.access.rights import ALL_RIGHTS, Rights
from redline.core.ports.history import Operation
from redline.core.records import dataclass, field


class Reviewer(NamedTuple):
    """The person at the review page; the name is "" for the owner of the server."""

    name: str = ""
    rights: Rights = ALL_RIGHTS


class Reviewers(Protocol):
    """The people of a server who sign in with credentials of their own."""

    def sign_in(self, credential: str) -> str | None:
        """Return a token with which `find` finds the person later; None for a wrong credential."""

    def find(self, claim: str) -> Reviewer | None:
        """Return the person with present rights; None if the person has lost access."""

    def in_workspace(self, name: str) -> Reviewers:
        """Return the same people with their rights in another workspace."""


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request whose Host and Origin were checked.

    `is_authenticated` says that the transport's own authentication lets the sender read.
    `people` are those of a server that knows people. Header names are in lower case.
    """

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_authenticated: bool = False
    people: Reviewers | None = None
    # What the addresses of this site begin with: "/w/NAME" where a server has many.
    prefix: str = ""
    # Whether `is_authenticated` is still true, for an answer that goes on; may block.
    may_still_read: Callable[[], bool] = lambda: True

    def get(self, name: str) -> str:
        """Return the first value of a query parameter, "" without one."""
        found = self.query.get(name)
        return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class WebResponse:
    """An answer: `body`, or the pieces that `stream` yields.

    `actor` is who did something by this request, None when nothing was done. `reader` is the id of
    whom a stream is for, "" without a sign-in.
    """

    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    stream: AsyncIterator[bytes] | None = None
    actor: str | None = None
    reader: str = ""


class WebPages(Protocol):
    """Answers requests from browsers; may be called from any number of threads."""

    def answer(self, request: WebRequest) -> WebResponse:
        """Return the page that *request* asks for; failures are pages too."""

    def close(self) -> None:
        """End every stream."""


class ReviewApp(Protocol):
    """A change inside a client that shows pages of servers (MCP Apps)."""

    def write_page(self) -> str:
        """Return the page that draws the results of tool calls."""

    def draw_change(self, operation_id: str, *, can_undo: bool) -> str:
        """Return what the page shows for a change, as HTML; UnknownOperation."""

    def draw_list(self, operations: Sequence[Operation], *, has_older: bool) -> str:
        """Return what the page shows for a list of changes, newest first, as HTML."""


class WorkspaceFront(WebPages, Protocol):
    """The pages of a server with many workspaces that belong to none of them."""

    def rights_in(self, request: WebRequest, name: str) -> Rights | None:
        """Return what the signed-in person may do in a workspace; None for anybody else."""


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A comment on a line of a change.

    `side` is old or new, `line` counts from 1 in that version; `quote` is the line's text.
    `session` made the change and gets the comment. `answer` is what the agent said when it
    resolved it; `resolved_by` is empty while it is open.
    """

    id: str
    time: float
    operation: str
    session: str
    path: str
    side: str
    line: int
    quote: str
    text: str
    author: str = ""
    is_delivered: bool = False
    resolved_by: str = ""
    answer: str = ""


class Inbox(Protocol):
    """Messages from people about the changes and commands of sessions."""

    def take(self, session: str, warn: Callable[[str], None]) -> Iterable[str]:
        """Return the messages a session has not received; *warn* gets what cannot be read."""


class ReviewComments(Protocol):
    """Comments of one workspace, shared by every process that works on it."""

    def add(self, comment: ReviewComment) -> None:
        """Store a comment; WriteFailed."""

    def list(self, *, operation: str = "", open_only: bool = False) -> Sequence[ReviewComment]:
        """Return the comments on one operation, or on all, oldest first."""

    def take_undelivered(self, session: str) -> Sequence[ReviewComment]:
        """Return the open comments for a session that no earlier call has returned."""

    def resolve(self, comment_id: str, by: str, answer: str) -> ReviewComment:
        """Mark a comment as resolved; InvalidArgument if there is no such open comment."""

    def version(self) -> str:
        """Return a version token for polling, which changes with every change of a comment."""
