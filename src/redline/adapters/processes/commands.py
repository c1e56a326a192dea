"""The `Processes` port: jobs in the sandbox, their handles, and running one to its end."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from stat import S_ISGID, S_ISUID
from threading import Lock
from typing import Any

from redline.adapters.egress.proxy_process import ProxyProcess
from redline.adapters.egress.proxy_process import variables as proxy_variables
from redline.adapters.process_templates.template import Template
from redline.adapters.processes.command_view import WorkspaceViews
from redline.adapters.processes.git_layers import GitLayers, as_settings, can_cover, read_identity
from redline.adapters.processes.helper import Helper
from redline.adapters.processes.job import (
    DryFinisher,
    Finisher,
    HeadBuffer,
    JudgedFinisher,
    Reactor,
    RunningJob,
)
from redline.adapters.sandbox import limits, overlay, policy
from redline.adapters.sandbox.program import Program
from redline.adapters.sandbox.syscalls import IS_LINUX
from redline.adapters.sandbox.visible_paths import (
    PROXY_PORT,
    GitDirectories,
    Network,
    SandboxView,
    program_files,
)
from redline.core.errors import LimitReached, SandboxUnavailable, SessionNotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished, Job, JobState, SandboxFacts
from redline.core.ports.search import Cancel
from redline.core.ports.tree import PathResolver, Tree
from redline.core.records import replace
from redline.core.wording import naming


class JobTable:
    """At most *max_running* jobs run at once; of those that ended the newest *max_kept* stay."""

    def __init__(self, max_running: int, max_kept: int) -> None:
        self._max_running = max_running
        self._max_kept = max_kept
        self._jobs: dict[str, RunningJob] = {}
        self._lock = Lock()

    def add(self, job: RunningJob) -> None:
        """Keep *job*; LimitReached when too many run."""
        with self._lock:
            ended = [key for key, other in self._jobs.items() if other.state().has_ended]
            if len(self._jobs) - len(ended) >= self._max_running:
                raise LimitReached(
                    f"Too many commands are running: {self._max_running}",
                    hint="end one with kill_session, or wait for one to finish",
                )
            for key in ended[: max(0, len(ended) - self._max_kept + 1)]:
                del self._jobs[key]
            self._jobs[job.id] = job

    def get(self, job_id: str, owner: str) -> RunningJob:
        """Return the job of that owner; SessionNotFound."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None or job.owner != owner:
            raise SessionNotFound(
                f"No such session, or access to it is denied: {job_id}",
                hint=naming("{exec_command} answers a {session_id} while its command runs"),
            )
        return job

    def remove(self, job_id: str) -> None:
        """Drop a job that is no longer needed."""
        with self._lock:
            self._jobs.pop(job_id, None)

    def list_running(self) -> list[RunningJob]:
        """Return the jobs that have not ended."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.state().has_ended]

    def is_empty(self) -> bool:
        """Return whether there is no job, not even one that has ended."""
        return not self._jobs

    def take_all(self) -> list[RunningJob]:
        """Drop every job; return those that have not ended."""
        running = self.list_running()
        with self._lock:
            self._jobs.clear()
        return running


def open_terminal(rows: int, cols: int) -> tuple[int, list[int]]:
    """Open a terminal of that size; return our end, and the end a command gets."""
    import termios

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (rows, cols))
    return ours, [theirs]


GRACE = 1.0
# How many commands may run at once, and how many ended ones are kept to be collected.
MAX_RUNNING = 32
MAX_KEPT = 64
_LONG = 3600.0
_CLOSING = 5.0
_ROOT = WorkspacePath(0, ())
# How many clients keep the network that their commands share; the longest unused one goes first.
MAX_NETWORKS = 64
_PROXY_PORTS = 512
_PATIENCE = 20.0
_SH = "/bin/sh"
_BASH = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")


class _Networks:
    """The network namespace that the commands of one client share, by client.

    The first command of a client makes it and hands its descriptor out. It has loopback alone, so
    that only commands of this client reach a server which one of them starts.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, int] = OrderedDict()
        self._made_in = ""  # the helper's directory: with another helper they cannot be entered
        self._lock = Lock()

    def open(self, owner: str, directory: str, start: Callable[[str, int], None]) -> None:
        """Call *start* with what the command is to do, `join` or `give`, and a descriptor for it.

        Only one first command of a client starts at a time.
        """
        with self._lock:
            if directory != self._made_in:
                self._drop_all()
                self._made_in = directory
            known = self._known.get(owner)
            if known is None:
                self._make(owner, start)
                return
            self._known.move_to_end(owner)
            own = os.dup(known)
        try:
            start("join", own)
        finally:
            os.close(own)

    def _make(self, owner: str, start: Callable[[str, int], None]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                start("give", theirs.fileno())
            ours.settimeout(_PATIENCE)
            try:
                _, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
            except OSError:
                descriptors = []
        for descriptor in descriptors:  # none where the command could not be started
            self._known[owner] = descriptor
        while len(self._known) > MAX_NETWORKS:
            os.close(self._known.popitem(last=False)[1])

    def close(self) -> None:
        """Forget them all; what runs in one keeps it."""
        with self._lock:
            self._drop_all()

    def _drop_all(self) -> None:
        while self._known:
            os.close(self._known.popitem()[1])


class SandboxedCommands:
    """Starts commands for one workspace; nothing runs before the first."""

    def __init__(
        self,
        workspace: PathResolver,
        mode: str = "safe",
        *,
        backend: str = "auto",
        git_writes: bool = False,
        readable: tuple[str, ...] = (),
        hidden: tuple[str, ...] = (),
        grace: float = GRACE,
        environ: Mapping[str, str] | None = None,
        program: Program | None = None,
        max_running: int = MAX_RUNNING,
        max_kept: int = MAX_KEPT,
        proxy: ProxyProcess | None = None,
        template: Template | None = None,
        views: WorkspaceViews | None = None,
        read_only: bool = False,
    ) -> None:
        self._workspace = workspace
        self._read_only = read_only
        self._mode = mode
        self._backend = backend
        self._git_writes = git_writes
        self._hidden = hidden
        self._readable = tuple(os.path.realpath(p) for p in readable if os.path.isdir(p))
        self._grace = grace
        self._environ = os.environ if environ is None else environ
        self._helper = Helper(self._tree, program, template)
        self._views = views  # for commands that are judged
        self._proxy = proxy  # for commands that may reach some names
        self._git = GitDirectories()
        self._reactor: Reactor | None = None
        self._networks = _Networks()
        self._proxied = count()
        self._git_identity: Sequence[tuple[str, str]] | None = None
        self._jobs = JobTable(max_running, max_kept)
        self._lock = Lock()

    def describe(self) -> SandboxFacts:
        """Return the sandbox of a command that would start now."""
        backend, view = self._choose(Command("", _ROOT), self._workspace.roots[0].path)
        return self._describe(backend, view)

    def is_privileged(self, word: str) -> bool:
        """Return whether *word* would run a setuid or setgid program."""
        root = self._workspace.roots[0].path
        found = shutil.which(word, path=self._environ.get("PATH", os.defpath))
        if "/" in word:
            found = os.path.join(root, word)
        try:
            return found is not None and bool(os.stat(found).st_mode & (S_ISUID | S_ISGID))
        except (OSError, ValueError):
            return False

    def start(self, command: Command, finisher: Finisher | None = None) -> RunningJob:
        """Start it and return at once."""
        job_id = secrets.token_hex(8)
        cwd = self._workspace.absolute(command.cwd)
        backend, view = self._choose(command, cwd)
        covered, view = self._split_git(command, backend, view)
        if not covered:
            request = self._request(command, backend, self._confine(backend, view, self._offer()))
            return self._start(job_id, command, request, self._describe(backend, view), finisher)
        base = os.path.join(self._helper.directory, "dry", job_id)
        layers = GitLayers(base, covered)
        view = replace(view, git=tuple(layers.shown_read_only()))

        def finish(state: JobState) -> tuple[str | None, Sequence[str]]:
            try:
                notes = layers.take_over()
            finally:
                overlay.drop_layers(base)
            done = replace(state, git=layers.describe_moves())
            change, more = finisher(done) if finisher else (None, ())
            return change, (*notes, *more)

        try:
            plan = self._confine(backend, view, self._offer(), layers.layers)
            request = self._request(command, backend, plan)
            facts = self._describe(backend, view, keeps_git_data=True)
            settings = as_settings(layers.settings(self._identity()))
            request["env"] = {**settings, **request["env"]}
            return self._start(job_id, command, request, facts, finish)
        except BaseException:
            overlay.remove_layers(base)
            raise

    def start_dry(self, command: Command, tree: Tree, finisher: DryFinisher) -> RunningJob:
        """Start a command on a copy-on-write view; *finisher* gets what it would have changed."""

        def finish(
            job_id: str, layers: list[overlay.Layer], state: JobState
        ) -> tuple[str | None, Sequence[str]]:
            return finisher(job_id, overlay.read_layers(layers, tree, filled), state)

        filled: overlay.Filled = {}

        def fill(layers: list[overlay.Layer]) -> None:
            filled.update(overlay.fill_layers(layers, command.planned, tree))

        mode = "safe" if self._mode == "dangerous" else self._mode
        return self._start_on_view(command, mode, fill, finish, "a copy of the workspace")

    def start_judged(self, command: Command, finisher: JudgedFinisher) -> RunningJob:
        """Start a command on a copy-on-write view; *finisher* decides what becomes of it."""
        views = self._views
        if self._mode == "dangerous" or views is None:
            raise SandboxUnavailable(
                "No command runs without a sandbox while a policy is in force: its rules could not"
                " be enforced on what the command changes",
                hint="start the server with --sandbox safe or trusted, or use the file tools",
            )
        marks = views.mark()

        def finish(
            _job_id: str, layers: list[overlay.Layer], state: JobState
        ) -> tuple[str | None, Sequence[str]]:
            return finisher(views.open(layers, marks), state)

        where = "a copy of the workspace, which the policy judges,"
        return self._start_on_view(command, self._mode, lambda _: None, finish, where)

    def _start_on_view(
        self,
        command: Command,
        mode: str,
        prepare: Callable[[list[overlay.Layer]], None],
        finisher: Callable[[str, list[overlay.Layer], JobState], tuple[str | None, Sequence[str]]],
        where: str,
    ) -> RunningJob:
        """Start a command on fresh layers, which are dropped after *finisher*."""
        job_id = secrets.token_hex(8)
        cwd = self._workspace.absolute(command.cwd)
        offer = self._offer()
        backend = policy.choose(mode, offer, self._backend)
        view = self._view(command, cwd, mode)
        base = os.path.join(view.layers, job_id)
        if self._views is not None:
            self._views.hide(view.layers)
        roots = [(n, root.path) for n, root in enumerate(self._workspace.roots) if root.writable]
        policy.require_view(backend, offer, is_dry=command.overlay)
        groups = self._helper.controllers
        facts = policy.facts(self._mode, backend, view, offer, groups, where=where)

        def finish(state: JobState) -> tuple[str | None, Sequence[str]]:
            try:
                return finisher(job_id, layers, state)
            finally:
                overlay.drop_layers(base)

        try:
            layers = overlay.make_layers(base, roots)
            prepare(layers)
            request = self._request(command, backend, self._confine(backend, view, offer, layers))
            return self._start(job_id, command, request, facts, finish)
        except BaseException:
            overlay.remove_layers(base)
            raise

    def _start(
        self,
        job_id: str,
        command: Command,
        request: dict[str, object],
        facts: SandboxFacts,
        finisher: Finisher | None,
    ) -> RunningJob:
        job = RunningJob(job_id, command.owner, facts, self._react())
        if finisher:
            job.before_end(finisher)
        self._jobs.add(job)
        try:
            self._launch(job, command, request)
        except BaseException:
            self._jobs.remove(job_id)
            if self._proxy is not None:
                self._proxy.take_refusals(job_id)
            raise
        grace = self._grace if command.grace is None else command.grace
        job.expire_at(time.monotonic() + command.timeout, grace)
        return job

    def finish(self, job: Job, cancel: Cancel, limit: int) -> Finished:
        """Wait for the end of *job*, collect the head of its output, and release the handle."""
        cancel.on_cancel(lambda: job.kill("KILL"))
        out, err = HeadBuffer(limit), HeadBuffer(limit)
        while job.last_look is None:
            job.wait(_LONG, for_output=True)
            look = job.take()
            out.append(look.stdout)
            err.append(look.stderr)
        self._jobs.remove(job.id)
        cancel.check()
        state = job.state()
        if state.status == "failed":
            raise SandboxUnavailable(job.notes[0])
        return Finished(
            state, bytes(out.data), bytes(err.data), out.is_cut, err.is_cut, job.sandbox,
            job.change, tuple(job.notes),
        )  # fmt: skip

    def get(self, job_id: str, owner: str) -> RunningJob:
        """Return the job of that owner."""
        return self._jobs.get(job_id, owner)

    def release(self, job_id: str, owner: str) -> None:
        """Release the handle; a job that still runs is killed."""
        job = self.get(job_id, owner)
        self._jobs.remove(job_id)
        if not job.state().has_ended:
            job.kill("KILL")

    def rest(self) -> None:
        """End the helper while there is no job; the next command starts it again."""
        if self._jobs.is_empty():
            self._networks.close()
            self._helper.close()

    def is_busy(self) -> bool:
        """Return whether a command has not ended yet."""
        return bool(self._jobs.list_running())

    def close(self) -> None:
        """End every job, the helper and the proxy."""
        running = self._jobs.take_all()
        for job in running:
            job.kill("KILL")
        for job in running:
            job.wait(_CLOSING)
        self._networks.close()
        self._helper.close()
        if self._proxy is not None:
            self._proxy.close()

    def _react(self) -> Reactor:
        with self._lock:
            if self._reactor is None:
                self._reactor = Reactor()
            return self._reactor

    def _offer(self) -> dict[str, Any]:
        if not IS_LINUX:
            raise SandboxUnavailable(
                f"Commands run on Linux only so far, this is {sys.platform}",
                hint="the file tools work everywhere",
            )
        return self._helper.offer()

    def _choose(self, command: Command, cwd: str) -> tuple[str, SandboxView]:
        """Return the guard of a command, and what it is to see."""
        backend = policy.choose(self._mode, self._offer(), self._backend)
        return backend, self._view(command, cwd, self._mode)

    def _describe(
        self, backend: str, view: SandboxView, *, keeps_git_data: bool = False
    ) -> SandboxFacts:
        groups = self._helper.controllers
        offer = self._offer()
        return policy.facts(self._mode, backend, view, offer, groups, keeps_git_data=keeps_git_data)

    def _split_git(
        self, command: Command, backend: str, view: SandboxView
    ) -> tuple[list[str], SandboxView]:
        """Return the git directories that get a layer, and the view with the others read-only."""
        if not command.keeps_git_data or not policy.has_namespaces(backend, self._offer()):
            return [], view
        covered = [path for path in view.protected if can_cover(path)]
        kept = tuple(path for path in view.protected if path not in covered)
        return covered, replace(view, protected=kept)

    def _identity(self) -> Sequence[tuple[str, str]]:
        """Return the person's name for commits: the home of a command has none."""
        if self._git_identity is None:
            self._git_identity = read_identity(self._environ)
        return self._git_identity

    def _confine(
        self,
        backend: str,
        view: SandboxView,
        offer: dict[str, Any],
        layers: list[overlay.Layer] | None = None,
    ) -> dict[str, Any]:
        counted = "memory" in self._helper.controllers
        return policy.confine(backend, view, offer, memory_group=counted, layers=layers)

    def _request(self, command: Command, backend: str, plan: dict[str, Any]) -> dict[str, Any]:
        held = backend != "none"
        is_shared = plan.get("spaces") and plan["network"] != Network.OPEN and command.owner
        if plan.get("network") == Network.NAMED:
            plan["proxy_port"] = PROXY_PORT + next(self._proxied) % _PROXY_PORTS
        return {
            "argv": [_shell_of(command), "-c", command.line],
            "tty": command.tty,
            "env": self._environment(command, backend, plan),
            "confine": plan,
            "proxy": plan.get("network") == Network.NAMED,
            "network": "shared" if is_shared else "",
            "limits": limits.rlimits() if held else {"core": 0},
            **_in_all(held),
        }

    def _tree(self, offer: dict[str, Any]) -> dict[str, Any]:
        """Return the mount tree for the helper to make before there is a command."""
        mode = "safe" if self._mode == "dangerous" else self._mode  # for dry runs
        is_held = mode == self._mode
        usual = {"spaces": is_held, **_in_all(is_held)}
        try:
            backend = policy.choose(mode, offer, self._backend)
        except SandboxUnavailable:
            return {"kind": "none", "ahead": {**usual, "spaces": False}}
        top = self._workspace.roots[0].path
        return policy.tree(backend, self._view(Command("", _ROOT), top, mode), offer, usual)

    def _view(self, command: Command, cwd: str, mode: str) -> SandboxView:
        roots, wide = self._workspace.roots, mode == "trusted"
        git_open = self._git_writes or "git" in command.permissions
        is_open = not self._read_only
        writable = tuple(root.path for root in roots if root.writable and is_open)
        network, domains = self._choose_network(command, wide)
        return SandboxView(
            cwd=cwd,
            private=self._helper.directory,
            writable=writable,
            readable=(*(r.path for r in roots if r.path not in writable), *self._readable),
            protected=() if git_open else tuple(self._git.directories(writable)),
            program=program_files(writable),
            sealed=tuple(self._workspace.absolute(path) for path in command.sealed),
            hidden=tuple(os.path.realpath(path) for path in self._hidden),
            search_path=self._environ.get("PATH", os.defpath),
            network=network,
            domains=domains,
            wide=wide,
        )

    def _choose_network(self, command: Command, wide: bool) -> tuple[Network, tuple[str, ...]]:
        if wide or "network" in command.permissions:
            return Network.OPEN, ()
        if self._proxy is not None and self._proxy.domains:
            return Network.NAMED, self._proxy.domains
        return Network.NONE, ()

    def _environment(self, command: Command, backend: str, plan: dict[str, Any]) -> dict[str, str]:
        env = {key: self._environ[key] for key in _PASSED_ON if key in self._environ}
        env.setdefault("PATH", os.defpath)
        home = os.path.expanduser("~")
        scratch = os.path.join(self._helper.directory, "tmp")
        env["TERM"] = self._environ.get("TERM", "xterm-256color") if command.tty else "dumb"
        env["SHELL"] = _shell_of(command)
        is_private = policy.has_namespaces(backend, self._offer())
        env["TMPDIR"] = "/tmp" if is_private else scratch  # noqa: S108 - private there
        env["HOME"] = os.path.join(self._helper.directory, "home") if backend != "none" else home
        rustup = self._environ.get("RUSTUP_HOME", os.path.join(home, ".rustup"))
        if os.path.isdir(rustup):
            env["RUSTUP_HOME"] = rustup
        if plan.get("network") == Network.NAMED:
            env |= proxy_variables(plan["proxy_port"])
        return {**env, **command.env}

    def _launch(self, job: RunningJob, command: Command, request: dict[str, object]) -> None:
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        if command.tty:
            ours, given = open_terminal(command.rows, command.cols)
            streams, stdin = {ours: "stdout"}, ours
        else:
            (in_r, in_w), (out_r, out_w), (err_r, err_w) = (os.pipe() for _ in "ioe")
            given = [in_r, out_w, err_w]
            streams, stdin = {out_r: "stdout", err_r: "stderr"}, in_w
        try:
            if request["proxy"] and self._proxy is not None:
                given.append(self._proxy.open_channel(job.id))
                job.add_notes_at_end(partial(self._proxy.take_refusals, job.id))
            self._hand_over(job.owner, request, [theirs.fileno(), *given])
        finally:
            theirs.close()
            for descriptor in given:
                os.close(descriptor)
        job.attach(control, streams, stdin, None if command.tty else command.stdin)
        if command.tty and command.stdin:
            job.send(command.stdin)

    def _hand_over(self, owner: str, request: dict[str, object], descriptors: list[int]) -> None:
        if not request["network"]:
            self._helper.start(request, descriptors)
            return

        def start(what: str, network: int) -> None:
            self._helper.start({**request, "network": what}, [*descriptors, network])

        self._networks.open(owner, self._helper.directory, start)


def _shell_of(command: Command) -> str:
    return next((path for path in _BASH if command.bash and os.access(path, os.X_OK)), _SH)


def _in_all(held: bool) -> dict[str, int]:
    """Return how much memory and how many processes a command may have in all; 0 is no limit."""
    return {"memory": limits.MEMORY if held else 0, "pids": limits.PROCESSES if held else 0}
