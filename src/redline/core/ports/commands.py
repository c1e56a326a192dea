"""Running commands, what they changed, and the list of all runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel
from redline.core.ports.tree import Tree
from redline.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Command:
    """One shell line and the terms it runs on.

    `stdin` None keeps the input open for `Job.send`. `owner` is who may use the handle.
    `permissions` lift single limits of safe mode: network, git (write `.git`).
    `overlay` runs it on a copy-on-write view of the roots that is dropped afterwards; the view
    holds what the roots would after `planned`. `sealed` are directories that it cannot write in,
    where the system can hold it to that. With `keeps_git_data` it may commit, switch branches and
    the like: of what it writes in `.git` that is kept which cannot make git run a program. With
    `bash` that shell runs it where it is installed, otherwise /bin/sh does.
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
    planned: ChangeSet = field(default_factory=ChangeSet)
    sealed: tuple[WorkspacePath, ...] = ()
    keeps_git_data: bool = False
    bash: bool = False
    # Seconds between the polite signal at the time-out and the kill; None is the runner's own.
    grace: float | None = None


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """The restrictions on a command, in words; `mode` is safe, trusted or dangerous."""

    mode: str
    fs: str
    net: str
    pids: str
    memory: str
    backend: str = "none"
    warnings: tuple[str, ...] = ()

    def wire(self) -> dict[str, str]:
        """Return the `sandbox` field of an answer."""
        return {"fs": self.fs, "net": self.net, "pids": self.pids, "memory": self.memory}


@dataclass(frozen=True, slots=True)
class JobState:
    """The state of a command: running, exited, timeout, killed, or failed (never ran).

    `git` is what git did, in a line, where that is known. `lacked_network` says that it asked for
    another machine without a network to reach it.
    """

    status: str
    exit_code: int | None = None
    signal: str | None = None
    elapsed: float = 0.0
    left_behind: int = 0
    git: str = ""
    lacked_network: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether no process of it is left."""
        return self.status != "running"


@dataclass(frozen=True, slots=True)
class Captured:
    """Output since the last look: the kept head and tail, and how much between them was lost."""

    head: bytes
    tail: bytes
    lost: int = 0
    lost_ever: int = 0
    lost_lines: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """The state of a command and the output that was not taken yet, at one moment."""

    state: JobState
    stdout: Captured
    stderr: Captured


class Job(Protocol):
    """A started command. Its timeout is enforced without calls to this object."""

    @property
    def id(self) -> str:
        """The unguessable handle with which clients name the command."""

    @property
    def sandbox(self) -> SandboxFacts:
        """The restrictions on the command."""

    @property
    def notes(self) -> Sequence[str]:
        """Remarks that became known after the end, such as what an undo does not cover."""

    @property
    def change(self) -> str | None:
        """The id of the operation that journals what the command changed, once it has ended."""

    @property
    def last_look(self) -> Look | None:
        """The `take` that reported the end; None while no `take` has."""

    @property
    def is_ending(self) -> bool:
        """Whether the last process is gone, so that the end is about to be reported."""

    def state(self) -> JobState:
        """Return whether the command runs, or how it ended."""

    def send(self, data: bytes) -> None:
        """Queue *data* for the command's input; SessionClosed when it takes no more."""

    @property
    def byte_count(self) -> int:
        """How many bytes the command has written so far."""

    def wait(self, seconds: float, *, for_output: bool = False, beyond: int | None = None) -> None:
        """Block until the command ends, but at most *seconds*.

        With *for_output* unread output ends the wait too, and with *beyond* a larger `byte_count`.
        """

    def take(self) -> Look:
        """Return the state, and the output since the last `take`; each byte is returned once."""

    def recall(self) -> Captured:
        """Return what is kept of all output so far, both streams in order of arrival."""

    def kill(self, signal: str = "TERM", grace: float = 1.0) -> None:
        """Send *signal* to the whole process tree; kill what is left after *grace* seconds."""


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
    # What a command with `overlay` would have changed, besides what was planned.
    proposal: ChangeSet | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed since a snapshot, as changes that already happened.

    `uncovered` names what the comparison could not cover; `repositories` are new git directories.
    """

    change_set: ChangeSet
    uncovered: tuple[str, ...] = ()
    repositories: tuple[WorkspacePath, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a command left in its copy-on-write view, compared with the workspace as it is now.

    `changes` has one change for each path, none of them made yet; one for a file without content
    is too large for the history. Of their paths, another program has changed `overtaken` since the
    command started, `surplus` exceed what one operation can hold, and git ignored or listings
    excluded `left_out` before the command. `refused` maps paths that no change can produce to the
    reason; the workspace keeps what is there.
    """

    changes: tuple[Change, ...] = ()
    overtaken: frozenset[WorkspacePath] = frozenset()
    surplus: frozenset[WorkspacePath] = frozenset()
    left_out: frozenset[WorkspacePath] = frozenset()
    refused: Mapping[WorkspacePath, str] = field(default_factory=dict)


# What `CommandView.place` returns when another program has saved the file since `read`.
SAVED_MEANWHILE = "another program saved it meanwhile"


class CommandView(Protocol):
    """The copy-on-write view of the roots that one command wrote in."""

    def read(self) -> Written:
        """Compare what the command wrote with the workspace; LimitReached if it wrote too much."""

    def load(self, state: FileState) -> FileState:
        """Return *state*, which `read` returned, with its content unless that is too large."""

    def complete(self, change: Change) -> Change:
        """Return *change*, which `read` returned, with everything needed to make it much later.

        Raises TooLarge.
        """

    def place(self, step: Change) -> str:
        """Make one change that `read` returned; return "" or why it could not be made.

        A file that another program saved since `read` stays, and SAVED_MEANWHILE is returned. The
        caller still has to journal the change.
        """


class CommandPolicy(Protocol):
    """Applies the policy to the changes of commands."""

    def is_active(self) -> bool:
        """Return whether there are rules to enforce. PolicyUnreadable."""

    def sealed_places(self, origin: Origin) -> tuple[WorkspacePath, ...]:
        """Return directories in which a command gets no write access, as no change is allowed."""

    def settle(
        self, view: CommandView, command: Command, origin: Origin
    ) -> tuple[str | None, Sequence[str]]:
        """Make the allowed changes of a command; return the operation's id and notes."""


class Snapshots(Protocol):
    """The state of every writable root before a command, within limits."""

    def take(self) -> object:
        """Walk every root and copy the contents that a command may overwrite."""

    def compare(self, snapshot: object) -> Difference:
        """Return what changed since *snapshot* was taken."""


class Processes(Protocol):
    """Runs commands as process trees in the sandbox, without tracking what they change."""

    def start(
        self,
        command: Command,
        finisher: Callable[[JobState], tuple[str | None, Sequence[str]]] | None,
    ) -> Job:
        """Start a command; after its last process ends *finisher* returns its change and notes."""

    def start_dry(
        self,
        command: Command,
        tree: Tree,
        finisher: Callable[[str, Difference, JobState], tuple[str | None, Sequence[str]]],
    ) -> Job:
        """Start a command on a copy-on-write view; *finisher* also gets its id and changes."""

    def start_judged(
        self,
        command: Command,
        finisher: Callable[[CommandView, JobState], tuple[str | None, Sequence[str]]],
    ) -> Job:
        """Start a command on a copy-on-write view; *finisher* decides what becomes of it.

        Raises SandboxUnavailable where no command can have such a view.
        """

    def close(self) -> None:
        """End everything that runs."""

    def finish(self, job: Job, cancel: Cancel, limit: int) -> Finished:
        """Wait for its end, keep the head of its output, and release the handle."""

    def get(self, job_id: str, owner: str) -> Job:
        """Return the job of that owner; SessionNotFound."""

    def release(self, job_id: str, owner: str) -> None:
        """Release the handle; a job that still runs is killed."""

    def describe(self) -> SandboxFacts:
        """Return what would hold a command started now."""

    def is_privileged(self, word: str) -> bool:
        """Return whether *word* would run a setuid or setgid program."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One run; `sandbox` says in words what was in force.

    `status` is running, exited, timeout, killed, failed (it never ran), or lost: the server ended
    first. `change` is the operation of what it changed, empty if nothing did. `output` is the
    beginning and the end of what it printed. `is_dry` says that it ran on a copy.
    """

    time: float
    tool: str
    client: str
    principal: str
    session: str
    line: str
    cwd: str
    sandbox: str
    is_dry: bool = False
    number: int = 0
    status: str = "running"
    exit_code: int | None = None
    signal: str = ""
    elapsed: float = 0.0
    change: str = ""
    output: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether it ended otherwise than with exit code 0."""
        return self.status != "running" and self.exit_code != 0


class RunEnd(NamedTuple):
    """How a command ended."""

    status: str
    exit_code: int | None
    signal: str
    elapsed: float
    change: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs are wanted; None matches everything. `before` and `after` are numbers of runs."""

    limit: int = 50
    before: int | None = None
    after: int | None = None
    tool: str | None = None
    client: str | None = None
    session: str | None = None
    principal: str | None = None
    since: float | None = None
    until: float | None = None
    only_failed: bool = False
    without_changes: bool = False


class CommandRuns(Protocol):
    """The runs of one workspace, shared by every process that works on it. StoreUnavailable."""

    def begin(self, run: CommandRun) -> int:
        """Note that a command was started; its number."""

    def end(self, number: int, end: RunEnd) -> None:
        """Note how it ended."""

    def list(self, query: RunQuery) -> Sequence[CommandRun]:
        """Runs, the newest first."""

    def get(self, number: int) -> CommandRun | None:
        """Return one run; None where there is none."""

    def of_change(self, operation_id: str) -> CommandRun | None:
        """Return the run that made a change; None where no command did."""

    def version(self) -> str:
        """Return a version token for polling, which changes when a command starts or ends."""


class Commands(Protocol):
    """Running commands in the sandbox, with what they change recorded for undo."""

    def start(self, command: Command, origin: Origin) -> Job:
        """Start it and return at once. SandboxUnavailable, LimitReached."""

    def proposal(self, job_id: str, owner: str) -> Difference | None:
        """Return what an ended command with `overlay` would have changed; None for any other."""

    def apply(self, job_id: str, owner: str, line: str, origin: Origin) -> Operation:
        """Commit the proposal of a dry run of *line*; SessionNotFound, InvalidArgument."""

    def run(self, command: Command, origin: Origin, cancel: Cancel, limit: int) -> Finished:
        """Run it to its end (a time-out is an end); cancelling kills it, Cancelled is raised."""

    def get(self, job_id: str, owner: str) -> Job:
        """Return the job of that owner, running or not yet forgotten; SessionNotFound."""

    def release(self, job_id: str, owner: str) -> None:
        """Release the handle; a job that still runs is killed."""

    def describe(self) -> SandboxFacts:
        """Return what would hold a command started now."""

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a program with the rights of its owner (setuid, setgid)."""
