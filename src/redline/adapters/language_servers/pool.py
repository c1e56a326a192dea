"""The running language servers of a workspace: started when asked, ended when idle."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Timer

from redline.adapters.language_servers.sessions import LspSession, Session, TsserverSession
from redline.adapters.language_servers.table import ROWS, Launch, ServerRow
from redline.adapters.language_servers.wire import FileEvent, JobStream, Read, ServerFailed, Wire
from redline.adapters.processes.commands import SandboxedCommands
from redline.adapters.sandbox.limits import MEMORY
from redline.core.errors import CannotApply, SandboxUnavailable
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Job
from redline.core.ports.language_servers import (
    CheckerProblem,
    ServerChoice,
    ServerConversation,
    ServerEdit,
    ServerMemory,
)
from redline.core.ports.search import Cancel
from redline.core.ports.tree import PathResolver, Root
from redline.core.records import dataclass, field, replace

# Seconds that a server may take for one rename, that it is kept without one, and in all.
PATIENCE = 20.0
IDLE = 60.0
_LIFETIME = 24 * 3600.0
_PARTING = 1.0
_OWNER = "language servers"
# Names the server and the workspace in the environment of every process of a server.
MARK = "REDLINE_LANGUAGE_SERVER"
_SKIPPED = frozenset({"node_modules", "target", "venv", "__pycache__", "dist", "build"})
_MAX_SCANNED = 50_000


@dataclass(slots=True)
class _Running:
    """A started server."""

    row: ServerRow
    job: Job
    session: Session
    lock: Lock = field(default_factory=Lock)
    # The files that it may have read, with their times and sizes.
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    timer: Timer | None = None


class SandboxedServers:
    """Implements LanguageServers with processes of *commands*."""

    def __init__(
        self,
        workspace: PathResolver,
        commands: SandboxedCommands,
        *,
        environ: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
        idle: float = IDLE,
        rows: Sequence[ServerRow] = ROWS,
    ) -> None:
        self._roots = [Root(root.path, False) for root in workspace.roots]
        self._commands = commands
        self._search_path = (environ or os.environ).get("PATH", os.defpath)
        self.patience = patience
        self._idle = idle
        self._rows = rows
        self._running: dict[str, _Running] = {}
        self._lock = Lock()

    def choose(self, language: str) -> ServerChoice | None:
        """Return the first server of a language that is found, else the one to install."""
        rows = [self._choice(row) for row in self._rows if language in row.languages]
        return next((choice for choice in rows if choice.found), rows[0] if rows else None)

    def list_found(self) -> list[ServerChoice]:
        """Return every known server, installed or not."""
        return [self._choice(row) for row in self._rows]

    @contextmanager
    def ask(
        self, language: str, read: Read, waiting: Callable[[str], None], cancel: Cancel
    ) -> Iterator[ServerConversation]:
        """Have a server to oneself; it is ended if it fails."""
        row, launch = self._find(language)
        ends = time.monotonic() + self.patience
        waiting(f"waiting for {row.name}")
        running = self._take(row, launch, waiting, ends)
        try:
            running.session.ends = ends
            running.session.waiting = waiting
            running.session.texts.begin(read)
            cancel.on_cancel(lambda: running.job.kill("KILL"))
            with _as_refusal(running, self.patience, cancel):
                running.session.changed_on_disk(self._list_events(running))
            yield _Conversation(running, self.patience, cancel)
        finally:
            if running.job.state().has_ended or cancel_requested(cancel):
                self._drop(running)
            else:
                self._rest(running)
            running.lock.release()

    def rest(self) -> None:
        """End every server that is not being asked."""
        for running in list(self._running.values()):
            if running.lock.acquire(blocking=False):
                self._drop(running)
                running.lock.release()
        self._commands.rest()

    def close(self) -> None:
        """End every server."""
        for running in list(self._running.values()):
            self._drop(running)
        self._commands.close()

    def _choice(self, row: ServerRow) -> ServerChoice:
        launch = row.find([root.path for root in self._roots], self._search_path)
        found = " ".join(launch.argv) if launch is not None else ""
        return ServerChoice(row.name, found, row.install)

    def _find(self, language: str) -> tuple[ServerRow, Launch]:
        for row in self._rows:
            launch = row.find([root.path for root in self._roots], self._search_path)
            if launch is not None and language in row.languages:
                return row, launch
        raise CannotApply(f"No language server is installed for {language}")

    def _take(
        self, row: ServerRow, launch: Launch, waiting: Callable[[str], None], ends: float
    ) -> _Running:
        """Return a running server, locked: the one that runs, or a new one."""
        with self._lock:
            running = self._running.get(row.name)
        if running is not None and running.lock.acquire(timeout=max(0.0, ends - time.monotonic())):
            if not running.job.state().has_ended and not self._is_behind(running):
                if running.timer is not None:
                    running.timer.cancel()
                return running
            self._drop(running)
            running.lock.release()
        waiting(f"starting {row.name}")
        return self._start(row, launch, waiting, ends)

    def _start(
        self, row: ServerRow, launch: Launch, waiting: Callable[[str], None], ends: float
    ) -> _Running:
        line = f"exec {shlex.join(launch.argv)} 2>/dev/null"
        top = self._roots[0].path
        command = Command(
            line,
            WorkspacePath(0, ()),
            timeout=_LIFETIME,
            env={MARK: f"{row.name} {top}", "NODE_OPTIONS": "", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=None,
            owner=_OWNER,
            grace=0.0,
        )
        try:
            job = self._commands.start(command)
        except SandboxUnavailable as missing:
            raise CannotApply(
                f"{row.name} cannot be started: {missing.message}", hint=missing.hint
            ) from missing
        wire = Wire(JobStream(job))
        session: Session = (
            TsserverSession(wire, self._roots)
            if launch.is_tsserver
            else LspSession(row, wire, self._roots)
        )
        running = _Running(row, job, session)
        running.lock.acquire()
        session.ends, session.waiting = ends, waiting
        running.files = scan(self._roots, row.suffixes)
        try:
            with _as_refusal(running, self.patience, None):
                session.start(self._roots)
        except BaseException:
            self._drop(running)
            running.lock.release()
            raise
        with self._lock:
            before = self._running.pop(row.name, None)
            self._running[row.name] = running
        if before is not None:
            before.job.kill("KILL")
        return running

    def _is_behind(self, running: _Running) -> bool:
        """Return whether the server must start again to see files that were made or removed."""
        row = running.row
        return row.starts_again and running.files.keys() != scan(self._roots, row.suffixes).keys()

    def _list_events(self, running: _Running) -> dict[str, FileEvent]:
        """Return what happened to files since the server was last asked."""
        now = scan(self._roots, running.row.suffixes)
        old, running.files = running.files, now
        gone = dict.fromkeys(old.keys() - now.keys(), FileEvent.DELETED)
        made = dict.fromkeys(now.keys() - old.keys(), FileEvent.CREATED)
        kept = (path for path in old.keys() & now.keys() if old[path] != now[path])
        return {**gone, **made, **dict.fromkeys(kept, FileEvent.CHANGED)}

    def _rest(self, running: _Running) -> None:
        """End the server after a while without a question."""

        def end() -> None:
            if running.lock.acquire(blocking=False):
                running.session.ends = time.monotonic() + _PARTING
                with suppress(CannotApply, ServerFailed):
                    running.session.stop()
                self._drop(running)
                running.lock.release()

        running.timer = Timer(self._idle, end)
        running.timer.daemon = True
        running.timer.start()

    def _drop(self, running: _Running) -> None:
        with self._lock:
            if self._running.get(running.row.name) is running:
                del self._running[running.row.name]
        if running.timer is not None:
            running.timer.cancel()
        with suppress(Exception):
            self._commands.release(running.job.id, _OWNER)


def cancel_requested(cancel: Cancel) -> bool:
    """Return whether the caller gave up."""
    try:
        cancel.check()
    except Exception:
        return True
    return False


@contextmanager
def _as_refusal(running: _Running, patience: float, cancel: Cancel | None) -> Iterator[None]:
    """Turn a failure of the server into one refusal, and end the server."""
    try:
        yield
    except ServerFailed as failed:
        running.job.kill("KILL")
        running.job.wait(_PARTING)
        if cancel is not None:
            cancel.check()
        name, why = running.row.name, str(failed)
        if "in time" in why:
            why = f"did not answer within {patience:g} seconds: it may still be reading the project"
        raise CannotApply(
            f"{name} {why}", hint="nothing was changed; repeat the call, or use edit or rewrite"
        ) from failed


class _Conversation:
    """One rename's use of a server."""

    def __init__(self, running: _Running, patience: float, cancel: Cancel) -> None:
        self._running = running
        self._patience = patience
        self._cancel = cancel

    @property
    def name(self) -> str:
        """The name of the server."""
        return self._running.row.name

    def show(self, texts: Mapping[WorkspacePath, str]) -> None:
        """Show the server these files with these texts."""
        with self._guard():
            self._running.session.show(texts)

    def rename(self, path: WorkspacePath, start: int, new_name: str) -> list[ServerEdit]:
        """Return the edits that rename the symbol at an offset."""
        with self._guard():
            return self._running.session.rename(path, start, new_name)

    def find(self, path: WorkspacePath, start: int, what: str) -> list[ServerEdit]:
        """Return the spans of `references` or the `definition` of the symbol at an offset."""
        with self._guard():
            return self._running.session.find(path, start, what)

    def problems(self, paths: Sequence[WorkspacePath]) -> list[CheckerProblem] | None:
        """Return what the checker reports for files that it was shown."""
        with self._guard():
            return self._running.session.problems(paths)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        self._cancel.check()
        with _as_refusal(self._running, self._patience, self._cancel):
            yield


def scan(roots: Sequence[Root], suffixes: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return the files with these endings beneath the roots, with their times and sizes."""
    found: dict[str, tuple[int, int]] = {}
    waiting = [root.path for root in roots]
    while waiting and len(found) < _MAX_SCANNED:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED and not entry.name.startswith("."):
                            waiting.append(entry.path)
                    elif entry.name.endswith(suffixes) and entry.is_file():
                        facts = entry.stat()
                        found[entry.path] = facts.st_mtime_ns, facts.st_size
        except OSError:
            continue
    return found


def measure_servers(top: str) -> list[ServerMemory]:
    """Return the language servers that run for the workspace *top*, with their memory."""
    found: dict[str, ServerMemory] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                marks = [each for each in file.read().split(b"\0") if each.startswith(_MARKED)]
            with open(f"/proc/{name}/statm", "rb") as file:
                resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            continue
        server, _, root = os.fsdecode(marks[0][len(_MARKED) :] if marks else b"").partition(" ")
        if marks and root == top:
            known = found.get(server, ServerMemory(server, int(name), 0, MEMORY))
            found[server] = replace(known, resident=known.resident + resident)
    return list(found.values())


_MARKED = f"{MARK}=".encode()
