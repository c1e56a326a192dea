"""The `Processes` port: jobs in the sandbox, their handles, and running one to its end."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from stat import S_ISGID, S_ISUID
from threading import Lock
from typing import Any

from redline.adapters.egress.environment import variables as proxy_variables
from redline.adapters.egress.proxy_process import ProxyProcess
from redline.adapters.processes.buffers import HeadBuffer
from redline.adapters.processes.helper import Helper
from redline.adapters.processes.job import DryFinisher, Finisher, RunningJob
from redline.adapters.processes.job_table import JobTable
from redline.adapters.processes.reactor import Reactor
from redline.adapters.processes.terminal import open_terminal
from redline.adapters.sandbox import limits, overlay, policy
from redline.adapters.sandbox.program import Program
from redline.adapters.sandbox.protected import GitDirectories, program_files
from redline.adapters.sandbox.syscalls import IS_LINUX
from redline.adapters.sandbox.visible_paths import Network, SandboxView
from redline.adapters.templates.template import Template
from redline.core.errors import SandboxUnavailable
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished, Job, JobState, SandboxFacts
from redline.core.ports.search import Cancel
from redline.core.ports.tree import PathResolver, Tree

GRACE = 1.0
# How many commands may run at once, and how many ended ones are kept to be collected.
MAX_RUNNING = 32
MAX_KEPT = 64
_LONG = 3600.0
_CLOSING = 5.0
_ROOT = WorkspacePath(0, ())
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")


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
    ) -> None:
        self._workspace = workspace
        self._mode = mode
        self._backend = backend
        self._git_writes = git_writes
        self._hidden = hidden
        self._readable = tuple(os.path.realpath(p) for p in readable if os.path.isdir(p))
        self._grace = grace
        self._environ = os.environ if environ is None else environ
        self._helper = Helper(self._tree, program, template)
        self._proxy = proxy  # for commands that may reach some names
        self._git = GitDirectories()
        self._reactor: Reactor | None = None
        self._jobs = JobTable(max_running, max_kept)
        self._lock = Lock()

    def describe(self) -> SandboxFacts:
        """What would hold a command started now."""
        root = self._workspace.roots[0].path
        return self._plan(Command("", _ROOT), root)[1]

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a setuid or setgid program."""
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
        request, facts = self._plan(command, cwd)
        return self._start(job_id, command, request, facts, finisher)

    def start_dry(self, command: Command, tree: Tree, finisher: DryFinisher) -> RunningJob:
        """The same on a copy-on-write view; *finisher* gets what it would have changed."""
        job_id = secrets.token_hex(8)
        cwd = self._workspace.absolute(command.cwd)
        offer = self._offer()
        mode = "safe" if self._mode == "dangerous" else self._mode
        backend = policy.choose(mode, offer, self._backend)
        view = self._view(command, cwd, mode)
        base = os.path.join(self._helper.directory, "dry", job_id)
        roots = [(n, root.path) for n, root in enumerate(self._workspace.roots) if root.writable]
        policy.require_dry(backend, offer)
        groups = self._helper.controllers
        facts = policy.facts(self._mode, backend, view, offer, groups, dry=True)

        def read(state: JobState) -> tuple[str | None, Sequence[str]]:
            try:
                return finisher(job_id, overlay.read_layers(layers, tree, filled), state)
            finally:
                overlay.remove_layers(base)

        try:
            layers = overlay.make_layers(base, roots)
            filled = overlay.fill_layers(layers, command.planned, tree)
            plan = self._confine(backend, view, offer, layers)
            return self._start(job_id, command, self._request(command, backend, plan), facts, read)
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
        streams = {name: HeadBuffer(limit) for name in ("stdout", "stderr")}
        while not job.state().has_ended:
            job.wait(_LONG, for_output=True)
            for name, kept in streams.items():
                kept.append(job.take(name))
        for name, kept in streams.items():
            kept.append(job.take(name))
        self._jobs.remove(job.id)
        cancel.check()
        state, out, err = job.state(), streams["stdout"], streams["stderr"]
        if state.status == "failed":
            raise SandboxUnavailable(job.notes[0])
        return Finished(
            state, bytes(out.data), bytes(err.data), out.is_cut, err.is_cut, job.sandbox,
            job.change, tuple(job.notes),
        )  # fmt: skip

    def get(self, job_id: str, owner: str) -> RunningJob:
        """The job of that owner."""
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
            self._helper.close()

    def is_busy(self) -> bool:
        """Whether a command has not ended yet."""
        return bool(self._jobs.list_running())

    def close(self) -> None:
        """End every job, the helper and the proxy."""
        running = self._jobs.take_all()
        for job in running:
            job.kill("KILL")
        for job in running:
            job.wait(_CLOSING)
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

    def _plan(self, command: Command, cwd: str) -> tuple[dict[str, object], SandboxFacts]:
        offer = self._offer()
        mode = self._mode
        backend = policy.choose(mode, offer, self._backend)
        view = self._view(command, cwd, mode)
        request = self._request(command, backend, self._confine(backend, view, offer))
        return request, policy.facts(mode, backend, view, offer, self._helper.controllers)

    def _confine(
        self,
        backend: str,
        view: SandboxView,
        offer: dict[str, Any],
        layers: list[overlay.Layer] | None = None,
    ) -> dict[str, Any]:
        counted = "memory" in self._helper.controllers
        return policy.confine(backend, view, offer, memory_group=counted, layers=layers)

    def _request(self, command: Command, backend: str, plan: dict[str, Any]) -> dict[str, object]:
        held = backend != "none"
        return {
            "argv": ["/bin/sh", "-c", command.line],
            "tty": command.tty,
            "env": self._environment(command, backend, plan),
            "confine": plan,
            "proxy": plan.get("network") == Network.NAMED,
            "limits": limits.rlimits() if held else {"core": 0},
            **_in_all(held),
        }

    def _tree(self, offer: dict[str, Any]) -> dict[str, Any]:
        """The mount tree for the helper to make before there is a command."""
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
        writable = tuple(root.path for root in roots if root.writable)
        network, domains = self._choose_network(command, wide)
        return SandboxView(
            cwd=cwd,
            private=self._helper.directory,
            writable=writable,
            readable=(*(root.path for root in roots if not root.writable), *self._readable),
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
        env["SHELL"] = "/bin/sh"
        is_private = policy.has_namespaces(backend, self._offer())
        env["TMPDIR"] = "/tmp" if is_private else scratch  # noqa: S108 - private there
        env["HOME"] = os.path.join(self._helper.directory, "home") if backend != "none" else home
        rustup = self._environ.get("RUSTUP_HOME", os.path.join(home, ".rustup"))
        if os.path.isdir(rustup):
            env["RUSTUP_HOME"] = rustup
        if plan.get("network") == Network.NAMED:
            env |= proxy_variables()
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
            self._helper.start(request, [theirs.fileno(), *given])
        finally:
            theirs.close()
            for descriptor in given:
                os.close(descriptor)
        job.attach(control, streams, stdin, None if command.tty else command.stdin)
        if command.tty and command.stdin:
            job.send(command.stdin)


def _in_all(held: bool) -> dict[str, int]:
    """How much memory and how many processes a command may have in all; 0 is no limit."""
    return {"memory": limits.MEMORY if held else 0, "pids": limits.PROCESSES if held else 0}
