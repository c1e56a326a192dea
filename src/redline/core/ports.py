"""What the inner layers ask of the world, as Protocols; `adapters` answers, `app` connects.

Ports stay small. A new capability gets a new Protocol here, an adapter, and a lazily built
property on `dialects.tool.Runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol

from redline.core.changes import ChangeSet, State
from redline.core.paths import Access, WorkspacePath


class Kind(Enum):
    """What stands at a place."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one `stat` says of a place; links are not followed."""

    path: WorkspacePath
    kind: Kind
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int = 0
    links: int = 1
    identity: tuple[int, int] = (0, 0)


class FactLists(NamedTuple):
    """Parallel lists, an item per name; modes hold the kind too."""

    names: list[str]
    modes: list[int]
    sizes: list[int]
    mtimes_ns: list[int]


class Folder(NamedTuple):
    """One directory of a walk: names by kind, each list sorted; `prefix` is "" or "a/b/"."""

    prefix: str
    directories: list[str]
    files: list[str]
    links: list[str]
    others: list[str]


@dataclass(frozen=True, slots=True)
class Root:
    """A directory the server may touch."""

    path: str
    writable: bool


class Workspace(Protocol):
    """The roots, and the only way from outside text to a WorkspacePath."""

    @property
    def roots(self) -> Sequence[Root]:
        """Every root; the first is the workspace."""

    def resolve(
        self,
        raw: str,
        access: Access,
        *,
        relative_only: bool = False,
        follow: bool = True,
        must_exist: bool = False,
    ) -> WorkspacePath:
        """The canonical place *raw* names, proven beneath a root that allows *access*.

        Links on the way are followed as long as they stay beneath a root; the last part is
        followed only with *follow*. Missing parts at the end are allowed unless *must_exist*.
        Relative text is taken from the first root; *relative_only* refuses absolute text and `..`.
        Raises InvalidArgument, NotFound and the kinds of PathDenied.
        """

    def absolute(self, path: WorkspacePath) -> str:
        """The path as people write it, for display; never for opening."""


class Tree(Protocol):
    """Reading, by descriptor, never outside a root; links are never followed: resolve first."""

    def stat(self, path: WorkspacePath) -> Entry | None:
        """What is there, or None."""

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        """The bytes of a regular file; at most *limit*, else TooLarge.

        Raises NotFound, IsADirectory, NotARegularFile, SymlinkEscape, TooLarge, PathDenied.
        """

    def read_range(self, path: WorkspacePath, offset: int, length: int) -> bytes:
        """Up to *length* bytes from *offset*."""

    def scan(self, path: WorkspacePath) -> list[Entry]:
        """The entries of a directory, sorted by name bytes."""

    def facts(self, path: WorkspacePath, names: Sequence[str] | None = None) -> FactLists:
        """Some or all names of a directory, sorted, with the facts of each; no link is followed.

        For listings of many thousands; an entry that vanished is left out.
        """

    def walk(
        self,
        path: WorkspacePath,
        *,
        depth: int | None = None,
        enter: Callable[[str], bool] | None = None,
    ) -> Iterator[Folder]:
        """Every directory from *path* down, parents first, prefixes relative to *path*.

        Nothing is stat'ed, links are not entered; *depth* 0 yields *path* alone; *enter* is asked
        for each directory by its relative path. What cannot be read is left out. Raises NotFound
        and NotADirectory for *path* itself.
        """

    def read_link(self, path: WorkspacePath) -> str:
        """The target text of a symbolic link."""

    def state(self, path: WorkspacePath) -> State:
        """The state of a place with a file's content included: what a plan starts from."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked for a change and how; kept in the journal."""

    tool: str
    client: str = ""
    principal: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A committed ChangeSet with its place in the journal.

    `kind` is change, undo, redo, or grant: a permission a person gave, which changes nothing.
    `reverts` is the id of the operation this one takes back,
    `reverted_by` the one that took this one back. `notes` carry facts such as atomic: false.
    """

    id: str
    time: float
    origin: Origin
    change_set: ChangeSet
    kind: str = "change"
    reverts: str | None = None
    reverted_by: str | None = None
    notes: tuple[str, ...] = ()


class Editor(Protocol):
    """The only way to change the workspace."""

    def commit(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Make *change_set* real, all of it or nothing.

        Raises StaleBase, Locked, ReadOnlyMode, PathError, WriteFailed. An empty ChangeSet is
        answered with an Operation whose id is "" and is not journalled.
        """

    def record(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Journal changes that already happened, as durably as a commit; WriteFailed.

        Nothing is checked or written in the workspace: the caller saw both states.
        """

    def note_grant(self, origin: Origin) -> Operation:
        """Journal that a person gave a permission; there is nothing to undo in it. WriteFailed."""

    def undo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an operation back; None means the latest that is not undone."""

    def redo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an undo back; None means the latest undo."""

    def plan_undo(self, operation_id: str | None) -> ChangeSet:
        """What `undo` would do, with contents, after the same checks."""

    def plan_redo(self, operation_id: str | None) -> ChangeSet:
        """What `redo` would do, with contents, after the same checks."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which operations to list, newest first."""

    path: str | None = None
    tool: str | None = None
    since: float | None = None
    until: float | None = None
    before_id: str | None = None
    limit: int = 50


class History(Protocol):
    """The journal, for reading."""

    def list(self, query: HistoryQuery) -> Sequence[Operation]:
        """Matching operations, newest first, contents not loaded."""

    def get(self, operation_id: str) -> Operation:
        """One operation with the contents of its ChangeSet; UnknownOperation if there is none."""


class Transaction(Protocol):
    """A change set staged and checked under its locks; nothing is visible yet."""

    def swap(self) -> None:
        """Commit and make it visible; on failure everything is as before, for good."""

    def finish(self) -> Operation:
        """Close the books, let go of the locks, and say what was done."""

    def abandon(self) -> None:
        """Forget a transaction that was not swapped; harmless afterwards."""


@dataclass(frozen=True, slots=True)
class Chained:
    """Where an operation stands: `root` is the change that it does, undoes or redoes.

    `last` is the latest operation on that change; the change is undone when that is an undo.
    """

    id: str
    kind: str
    root: str
    last: str
    is_undone: bool


class Store(Protocol):
    """The journal and the disk behind an Editor."""

    def begin(
        self,
        change_set: ChangeSet,
        origin: Origin,
        kind: str = "change",
        reverts: str | None = None,
    ) -> Transaction:
        """Lock, check every base and stage. StaleBase, Locked, PathError, WriteFailed."""

    def record(self, change_set: ChangeSet, origin: Origin, kind: str = "change") -> Operation:
        """Journal what already happened, contents included. WriteFailed."""

    def load(self, operation_id: str) -> Operation:
        """An operation with contents; UnknownOperation."""

    def chain(self, operation_id: str) -> Chained:
        """Where an operation stands; UnknownOperation."""

    def latest(self, *, undone: bool) -> str | None:
        """The id of the latest operation that can be undone (or, with *undone*, redone)."""

    def newest_first(self, before_id: str | None = None) -> Iterator[Operation]:
        """Every operation, contents not loaded, from the newest or from behind *before_id*."""

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; how many."""


class Cancel(Protocol):
    """Asked often by anything that takes long."""

    def check(self) -> None:
        """Raise Cancelled when the caller gave up."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Run *action* (from another thread) when the caller gives up; at once if it has."""


class Regex(Protocol):
    """ECMAScript regular expressions in a killable worker with a time and memory budget.

    Flags are `m` and `i`; undecodable bytes (surrogate escapes) in a text count as one character.
    Every method raises InvalidPattern, TimeLimit and LimitReached.
    """

    def check(self, pattern: str, flags: str = "m") -> None:
        """Raise InvalidPattern unless *pattern* compiles."""

    def find(
        self, pattern: str, text: str, *, flags: str = "m", limit: int = 0, groups: int = 0
    ) -> list[RegexMatch]:
        """Matches from the left, at most *limit* (0 = all), with the first *groups* groups."""

    def matching_lines(
        self, pattern: str, texts: Sequence[bytes], *, flags: str = "", limit: int = 0
    ) -> list[list[int]]:
        """For each text the numbers (from 0) of its lines that match, at most *limit* in all."""


@dataclass(frozen=True, slots=True)
class RegexMatch:
    """One match in str offsets; groups that took no part are None."""

    start: int
    end: int
    groups: tuple[tuple[int, int] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class GrepQuery:
    """What to look for in contents; a pattern is ripgrep's default (Rust) syntax.

    `include` and `exclude` are globs over root-relative paths: one without a slash is tried on
    names at any depth. `hidden` also searches names with a leading dot, `ignored` also what git
    ignores.
    """

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    max_matches: int = 1000
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    ignored: bool = False
    deadline: float = 30.0
    # Lines longer than this many bytes are cut there; files with invalid UTF-8 in a line that
    # would be shown are left out with utf8_only.
    longest_line: int = 8192
    utf8_only: bool = False
    # Search files with NUL bytes like any other; `wanted` is asked, with the number of the root
    # and the path below it, whether a file that matches counts.
    text: bool = False
    wanted: Callable[[int, str], bool] | None = None


class GrepLine(NamedTuple):
    """One line of a result; `is_match` is False for context. `column` is 1-based in characters.

    A named tuple: there are thousands of these in one answer.
    """

    path: WorkspacePath
    line: int
    text: str
    is_match: bool
    column: int = 0


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Lines in path and line order, and how many matching lines there are in all."""

    lines: tuple[GrepLine, ...]
    total: int
    timed_out: bool = False


class Grep(Protocol):
    """Content search with ripgrep."""

    def search(
        self, where: Sequence[WorkspacePath], query: GrepQuery, cancel: Cancel
    ) -> GrepResult:
        """Search files and directories; InvalidPattern, TimeLimit."""

    def files(
        self, where: WorkspacePath, globs: Sequence[str], *, hidden: bool, ignored: bool
    ) -> Iterator[WorkspacePath]:
        """Files beneath *where* by ripgrep's walker."""


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One question to a model; `schema` asks for JSON that fits it, else plain text."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    max_tokens: int = 4096
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class LlmReply:
    """What the model said: `text` raw, `data` parsed where a schema was given."""

    text: str
    data: Any = None
    model: str = ""


class Llm(Protocol):
    """A configured model provider. Raises ProviderFailed."""

    @property
    def name(self) -> str:
        """`provider:model`, for cache keys and messages."""

    def ask(self, request: LlmRequest) -> LlmReply:
        """Ask once, with retries inside the time limit."""


@dataclass(frozen=True, slots=True)
class StoredPreview:
    """A proposal as bytes, owned by one principal."""

    id: str
    principal: str
    payload: bytes
    expires_at: float
    meta: dict[str, str] = field(default_factory=dict)


class Previews(Protocol):
    """Where proposals wait: memory, SQLite or Redis. Raises StoreUnavailable."""

    def put(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s; False when somebody else was first."""

    def ping(self) -> None:
        """Raise StoreUnavailable when the store cannot be reached."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as one connection was last shown it; `content` is None when it was too big to keep.

    `cause` names the call that made it so, when it was an edit of this connection.
    """

    digest: str
    content: bytes | None = field(default=None, repr=False)
    cause: str = ""


class Reads(Protocol):
    """What each connection was shown, so that an edit by line number can tell stale lines."""

    def note(self, connection: str, path: WorkspacePath, content: bytes, cause: str = "") -> None:
        """Remember that *connection* was shown the file while it held *content* (the whole)."""

    def seen(self, connection: str, path: WorkspacePath) -> Seen | None:
        """The file as *connection* was last shown it, or None."""


@dataclass(frozen=True, slots=True)
class Command:
    """One shell line and the terms it runs on.

    `stdin` None keeps the input open for `Job.send`. `owner` is who may use the handle.
    `permissions` lift single limits of safe mode: network, git (write `.git`).
    `overlay` runs it on a copy-on-write view of the roots that is dropped afterwards.
    """

    line: str
    cwd: WorkspacePath
    timeout: float = 30.0
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = b""
    tty: bool = False
    rows: int = 24
    cols: int = 80
    owner: str = ""
    permissions: frozenset[str] = frozenset()
    overlay: bool = False
    # Seconds between the polite signal at the time-out and the kill; None is the runner's own.
    grace: float | None = None


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """What holds a command, in words; `mode` is safe, trusted or dangerous."""

    mode: str
    fs: str
    net: str
    pids: str
    memory: str
    backend: str = "none"
    warnings: tuple[str, ...] = ()

    def wire(self) -> dict[str, str]:
        """The `sandbox` field of an answer."""
        return {"fs": self.fs, "net": self.net, "pids": self.pids, "memory": self.memory}


@dataclass(frozen=True, slots=True)
class JobState:
    """Where a command stands: running, exited, timeout, killed, or failed (never ran)."""

    status: str
    exit_code: int | None = None
    signal: str | None = None
    elapsed: float = 0.0
    left_behind: int = 0

    @property
    def ended(self) -> bool:
        """Whether no process of it is left."""
        return self.status != "running"


@dataclass(frozen=True, slots=True)
class Captured:
    """Output since the last look: the kept head and tail, and how much between them was lost."""

    head: bytes
    tail: bytes
    lost: int = 0
    lost_ever: int = 0


class Job(Protocol):
    """A started command. Its watchdog works without anybody asking."""

    @property
    def id(self) -> str:
        """The handle, unguessable."""

    @property
    def sandbox(self) -> SandboxFacts:
        """What holds it."""

    @property
    def notes(self) -> Sequence[str]:
        """What became known after the end, such as what an undo does not cover."""

    @property
    def change(self) -> str | None:
        """The id of the journalled operation of what it changed, once it ended."""

    def state(self) -> JobState:
        """Where it stands now."""

    def send(self, data: bytes) -> None:
        """Write to its input; SessionClosed when it has ended."""

    @property
    def produced(self) -> int:
        """How many bytes it has written so far."""

    def wait(self, seconds: float, *, for_output: bool = False, beyond: int | None = None) -> None:
        """Return at its end or after *seconds*; with *for_output* as soon as something is unread,
        with *beyond* as soon as it has produced more than that."""

    def take(self, stream: str) -> Captured:
        """What `stdout` or `stderr` got since the last time."""

    def taken(self, stream: str) -> Captured:
        """What the last `take` that gave something gave, once more."""

    def kill(self, signal: str = "TERM", grace: float = 1.0) -> None:
        """Signal the whole tree now and kill what is left after *grace* seconds."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended; each stream holds its first bytes up to the limit."""

    state: JobState
    stdout: bytes
    stderr: bytes
    stdout_truncated: bool
    stderr_truncated: bool
    sandbox: SandboxFacts
    change: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed since a snapshot, as changes that already happened; and what is not known."""

    change_set: ChangeSet
    uncovered: tuple[str, ...] = ()


class Snapshots(Protocol):
    """The state of every writable root before a command, within limits."""

    def take(self) -> object:
        """Look at everything and keep what a command may overwrite."""

    def compare(self, snapshot: object) -> Difference:
        """What is different now."""


class Processes(Protocol):
    """Commands as process trees in the sandbox; what they change is not looked at."""

    def start(
        self, command: Command, finisher: Callable[[], tuple[str | None, Sequence[str]]] | None
    ) -> Job:
        """Start it; *finisher* runs after its last process and gives `Job.change` and notes."""

    def start_dry(
        self,
        command: Command,
        tree: Tree,
        finisher: Callable[[str, Difference], tuple[str | None, Sequence[str]]],
    ) -> Job:
        """Start it on a copy-on-write view; *finisher* gets its id and what it would change."""

    def close(self) -> None:
        """End everything that runs."""

    def finish(self, job: Job, cancel: Cancel, limit: int) -> Finished:
        """Wait for its end, keep the head of its output, give the handle back."""

    def get(self, job_id: str, owner: str) -> Job:
        """The job of that owner; SessionNotFound."""

    def forget(self, job_id: str, owner: str) -> None:
        """Give the handle back; a job that still runs is killed."""

    def describe(self) -> SandboxFacts:
        """What would hold a command started now."""

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a setuid or setgid program."""


class Commands(Protocol):
    """Running commands in the sandbox, with what they change recorded for undo."""

    def start(self, command: Command, origin: Origin) -> Job:
        """Start it and return at once. SandboxUnavailable, LimitReached."""

    def proposal(self, job_id: str, owner: str) -> Difference | None:
        """What an ended command with `overlay` would have changed; None for any other."""

    def apply(self, job_id: str, owner: str, line: str, origin: Origin) -> Operation:
        """Commit the proposal of a dry run of *line*; SessionNotFound, InvalidArgument."""

    def run(self, command: Command, origin: Origin, cancel: Cancel, limit: int) -> Finished:
        """Run it to its end (a time-out is an end); cancelling kills it, Cancelled is raised."""

    def get(self, job_id: str, owner: str) -> Job:
        """The job of that owner, running or not yet forgotten; SessionNotFound."""

    def forget(self, job_id: str, owner: str) -> None:
        """Give the handle back; a job that still runs is killed."""

    def describe(self) -> SandboxFacts:
        """What would hold a command started now."""

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a program with the rights of its owner (setuid, setgid)."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission a person gave to one owner (principal and connection) for a tool.

    A `once` grant covers one call whose arguments hold everything in `arguments`; a `session`
    grant covers every call of that tool until `expires_at` (seconds since the epoch).
    """

    id: str
    owner: str
    tool: str
    permission: str
    scope: str
    expires_at: float
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


class Grants(Protocol):
    """The permissions in force."""

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""

    def consume(
        self, owner: str, tool: str, permission: str, arguments: Mapping[str, Any]
    ) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""


@dataclass(frozen=True, slots=True)
class IndexedSymbol:
    """A definition in the index; lines are 1-based and inclusive, the most used ranks highest."""

    path: WorkspacePath
    name: str
    qualified: str
    kind: str
    line: int
    start: int
    end: int
    signature: str = ""
    doc: str = ""
    language: str = ""
    rank: float = 0.0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class IndexedUses:
    """The lines of one file that use a name as code."""

    path: WorkspacePath
    lines: tuple[int, ...]
    digest: str = ""
    rank: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file in the index."""

    path: WorkspacePath
    language: str
    digest: str
    lines: int
    rank: float = 0.0


class CodeIndex(Protocol):
    """Symbols and uses of the whole workspace, kept outside it and brought up to date."""

    def refresh(self, recent: Sequence[WorkspacePath] = ()) -> str:
        """Bring the index up to date as far as that is quick, the rest in the background.

        *recent* are files known to have changed lately: those are always looked at. Answers
        `ready` when what follows is complete, `building` when it is not yet.
        """

    def build(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring the index up to date here and now; how many files were read."""

    def definitions(self, name: str, limit: int = 50) -> list[IndexedSymbol]:
        """Definitions of a plain name, best first."""

    def uses(self, name: str, limit: int = 50) -> tuple[list[IndexedUses], int]:
        """Files that use a name, best first, and how many lines use it in all."""

    def symbols(self, path: WorkspacePath, name: str) -> list[IndexedSymbol]:
        """The types and functions of one file, and what has *name*, as of its indexed digest."""

    def matching(self, words: Sequence[str], limit: int = 50) -> list[IndexedSymbol]:
        """Definitions whose names hold the words, best first."""

    def structure(
        self, beneath: WorkspacePath | None = None, files: int = 200, per_file: int = 8
    ) -> tuple[list[tuple[IndexedFile, list[IndexedSymbol]]], int]:
        """The best-connected files with their best symbols, and how many files there are."""


@dataclass(frozen=True, slots=True)
class GitEntry:
    """One line of a status: git's two letters; paths from the repository's top."""

    path: str
    index: str
    worktree: str
    original: str | None = None


@dataclass(frozen=True, slots=True)
class GitStatus:
    """A repository's head, how it stands to its upstream, and what differs."""

    branch: str
    head: str
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    detached: bool = False
    entries: tuple[GitEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class GitFileDiff:
    """One file's part of a diff in git's format."""

    path: str
    status: str
    binary: bool
    text: bytes
    old_path: str | None = None


class Git(Protocol):
    """Reading repositories beneath the roots; nothing the repository names is ever run."""

    def status(self, at: WorkspacePath, *, untracked: bool) -> GitStatus | None:
        """The status of the repository *at* lies in; None when it lies in none. GitFailed."""

    def diff(
        self,
        at: WorkspacePath,
        *,
        staged: bool,
        context: int,
        paths: Sequence[WorkspacePath] = (),
        limit: int = 1 << 20,
    ) -> Sequence[GitFileDiff] | None:
        """Index against work tree, or head against index; *paths* select files and directories.

        Stops after the file that takes the text over *limit* bytes. GitFailed.
        """


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes, what they are, and how large."""

    data: bytes = field(repr=False)
    mime: str
    width: int
    height: int


class Images(Protocol):
    """Pictures as PNG, JPEG, GIF or WebP, told by their content."""

    def recognise(self, data: bytes) -> Image | None:
        """What *data* is; None when it is no picture of these kinds."""

    def fit(self, image: Image, *, width: int, height: int, limit: int) -> Image:
        """*image* made smaller until it fits; unchanged when it does. Raises ContentError."""
