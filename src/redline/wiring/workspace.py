"""The composition root: builds each part on first use; the only importer of adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from redline.core.once import built_once
from redline.settings import Settings, config_home
from redline.wiring.rooms import NoActivity, NoReviewApp, has_room
from redline.wiring.storage import StoredWorkspace

if TYPE_CHECKING:
    from redline.adapters.doctor import Finding
    from redline.adapters.egress.proxy_process import ProxyProcess
    from redline.adapters.language_servers.pool import SandboxedServers
    from redline.adapters.processes.commands import SandboxedCommands
    from redline.adapters.processes.workspace_snapshots import WorkspaceSnapshots
    from redline.adapters.sandbox.program import Program
    from redline.adapters.secret_memory import SecretLedger
    from redline.code.analysis import IsolatedAnalysis
    from redline.core.changes import ChangeSet
    from redline.core.guarded import GuardedPath
    from redline.core.ports.code import CodeIndex
    from redline.core.ports.commands import Commands
    from redline.core.ports.git import Git
    from redline.core.ports.images import Images
    from redline.core.ports.language_servers import ServerMemory
    from redline.core.ports.models import Llm
    from redline.core.ports.pages import ReviewApp
    from redline.core.ports.previews import Previews
    from redline.core.ports.recording import RecorderCondition
    from redline.core.ports.search import Grep, Regex
    from redline.core.ports.session_memory import Grants, Reads
    from redline.policy.command_rules import CommandRules
    from redline.recorder.wiring import Recording
    from redline.review.wiring import LazyReview
    from redline.secrets.desk import SecretDesk
    from redline.secrets.rules import SecretRule


class Redline(StoredWorkspace):
    """One workspace with everything a handler may use (see services.runtime.Runtime).

    Each property imports its adapter when first asked for, so a server that only lists tools
    never pays for them. What child processes run is read at once, as it is now, unless this process
    *is_brief*: then it is read when the first child starts.
    """

    def __init__(self, settings: Settings, name: str = "", *, is_brief: bool = False) -> None:
        super().__init__(settings)
        # The name among many workspaces of one server; previews in a shared store carry it.
        self._name = name
        if not is_brief:
            from redline.adapters.workers import loaded_program  # noqa: F401

            self._command_helper  # noqa: B018
        self._proxy = _open_proxy(settings.allow_domains)

    def close(self) -> None:
        """Close every part; a recorder that is being opened is waited for."""
        recording = vars(self).get("recording")
        if recording is not None:
            recording.close()
        super().close()

    def claim_std_streams(self) -> tuple[BinaryIO, BinaryIO]:
        """Take stdin and stdout for the protocol alone."""
        from redline.adapters.std_streams import claim_std_streams

        return claim_std_streams()

    def audit_sink(self) -> Callable[[dict[str, Any]], None]:
        """Open the file that audit lines go to."""
        from redline.adapters.audit_file import open_audit_file

        return open_audit_file(self.settings.audit_log or "")

    @built_once
    def options(self) -> Mapping[str, Any]:
        """Settings that toolsets may read by name."""
        return {
            "strict_syntax": self.settings.strict_syntax,
            "read_only": self.settings.read_only,
            "check": self.settings.check,
            "sandbox": self.settings.sandbox,
            "exec_allow_roots": self.settings.exec_allow_roots,
            "allow_domains": self.settings.allow_domains,
        }

    @built_once
    def commands(self) -> Commands:
        """Runs commands in the sandbox and records what they change."""
        from redline.engine.commands import KeptDryRuns, RecordedCommands

        return RecordedCommands(
            self._processes,
            self._snapshots,
            self.editor,
            self._store,
            self.tree,
            self.recording.activity if self.recording else NoActivity(),
            self._command_rules(),
            lambda change_set: self._guard.find_by_name(change_set) if self._guard else (),
            self.runs,
            KeptDryRuns(self._open_nameless),
        )

    def _command_rules(self) -> CommandRules | None:
        if self.holding is None:
            return None
        from redline.policy.command_rules import CommandRules

        def find_guarded(change_set: ChangeSet) -> Sequence[GuardedPath]:
            return self._guard.find(change_set) if self._guard else ()

        show = self._store.show
        return CommandRules(self.rules, self.holding, self.editor, find_guarded, show)

    def _open_nameless(self) -> BinaryIO:
        """Open a new file that has no name, on the disk that has the history."""
        from redline.adapters.scratch import open_nameless

        return open_nameless(self.state_dir)

    @built_once
    def _command_helper(self) -> Program:
        """The code of the process that starts commands."""
        from redline.adapters.sandbox.program import capture_helper

        return capture_helper()

    @built_once
    def _snapshots(self) -> WorkspaceSnapshots:
        from redline.adapters.processes.workspace_snapshots import WorkspaceSnapshots

        return WorkspaceSnapshots(self.workspace, self.tree)

    @built_once
    def _processes(self) -> SandboxedCommands:
        from redline.adapters.files.own_places import state_home
        from redline.adapters.processes.command_view import WorkspaceViews
        from redline.adapters.processes.commands import SandboxedCommands

        return SandboxedCommands(
            self.workspace,
            self.settings.sandbox,
            readable=self.settings.exec_allow_roots,
            git_writes=self.settings.git_writes,
            hidden=(self.state_dir, state_home(), *self._own_configuration()),
            program=None if self.templates else self._command_helper,
            proxy=self._proxy,
            template=self.templates and self.templates.commands,
            views=WorkspaceViews(self._disk, self.workspace, self.tree, self._snapshots.mark),
        )

    @built_once
    def language_servers(self) -> SandboxedServers:
        """Asks language servers, in a sandbox that can write nothing and reach nothing."""
        from redline.adapters.files.own_places import state_home
        from redline.adapters.language_servers.pool import SandboxedServers
        from redline.adapters.language_servers.table import list_packages, search_beside_interpreter
        from redline.adapters.processes.commands import SandboxedCommands

        environ = search_beside_interpreter(os.environ)
        commands = SandboxedCommands(
            self.workspace,
            readable=(*self.settings.exec_allow_roots, *list_packages(environ["PATH"])),
            hidden=(self.state_dir, state_home(), *self._own_configuration()),
            program=None if self.templates else self._command_helper,
            template=self.templates and self.templates.commands,
            environ=environ,
            read_only=True,
        )
        return SandboxedServers(self.workspace, commands, environ=environ)

    @built_once
    def secrets(self) -> SecretDesk:
        """Masks secrets for models and restores them in arguments."""
        from redline.secrets.desk import SecretDesk

        return SecretDesk(
            self.secret_ledger,
            self._list_secret_rules,
            self.workspace,
            self.tree,
            lambda: self.grep,
        )

    def mask_for_person(self, text: str, path: str = "", *, is_output: bool = False) -> str:
        """Return *text* for a terminal or page: its secrets masked, unless the person asks.

        Nothing puts these masks back.
        """
        if os.environ.get("REDLINE_SHOW_SECRETS") == "1":
            return text
        from redline.secrets.masks import MASK

        if is_output and text:
            self.secrets.survey()
        session = self.secrets.session("terminal")
        # Masks that models were shown are shown as they are: a person names a value by its mask.
        shown = frozenset(match.group() for match in MASK.finditer(text))
        return self.secrets.mask(text, session, is_output=is_output, path=path, shown=shown)

    @built_once
    def secret_ledger(self) -> SecretLedger:
        """The stored hashes of secrets, and the decisions about them."""
        from redline.adapters.secret_memory import SecretLedger

        return SecretLedger(self.state_dir)

    def _list_secret_rules(self) -> Sequence[SecretRule]:
        """Return the policy's rules about secrets; a policy that cannot be read lifts no mask."""
        from redline.core.errors import PolicyUnreadable

        if not has_room("policy"):
            return ()
        try:
            policy = self.policy.current()
        except PolicyUnreadable:
            return ()
        return () if policy is None else policy.secrets

    def rest(self) -> None:
        """End the processes that wait for the next call; call it only while no call runs."""
        for name in ("confined", "regex", "language_servers", "_processes"):
            part = vars(self).get(name)
            if part is not None:
                part.rest()

    def is_busy(self) -> bool:
        """Return whether a command runs here."""
        return "_processes" in vars(self) and self._processes.is_busy()

    def _own_configuration(self) -> list[str]:
        """Return the directories of the configuration and of the policy, which no command sees.

        One that lies in a root is made if need be: a command could make it otherwise.
        """
        from redline.adapters.private_file import make_private_directory

        own = os.path.realpath(config_home(os.environ))
        roots = [root.path for root in self.workspace.roots if root.writable]
        if any(os.path.commonpath([own, root]) == root for root in roots):
            make_private_directory(own)
        return [own]

    @built_once
    def reads(self) -> Reads:
        """What each connection has read."""
        from redline.adapters.session_memory import MemoryReads

        return MemoryReads()

    @built_once
    def grants(self) -> Grants:
        """Permissions a person gave."""
        if self.shared is not None:
            return self.shared.grants
        from redline.adapters.session_memory import MemoryGrants

        return MemoryGrants()

    @built_once
    def regex(self) -> Regex:
        """Regular expressions in killable workers."""
        from redline.adapters.workers.regex_worker import RegexWorkers

        return RegexWorkers(template=self.templates and self.templates.workers)

    @built_once
    def analysis(self) -> IsolatedAnalysis:
        """Analyses syntax in killable workers."""
        from redline._version import __version__
        from redline.adapters.workers.failed_content import FailedContent
        from redline.code.analysis import IsolatedAnalysis

        name = f"failed-{__version__}"  # a newer version with newer grammars tries again
        return IsolatedAnalysis(
            self.confined, FailedContent(os.path.join(self.state_dir, "parsers", name))
        )

    @built_once
    def grep(self) -> Grep:
        """Content search."""
        from redline.adapters.ripgrep.search_port import Ripgrep

        return Ripgrep(self._root_handles, self.tree, sealed=self.workspace.sealed_in)

    @built_once
    def images(self) -> Images:
        """Pictures, recognised by their content."""
        from redline.adapters.images import PillowImages

        return PillowImages(self.confined)

    @built_once
    def previews(self) -> Previews:
        """Stores previews until they are applied."""
        from redline.adapters.previews.opening import open_previews

        sign = None if self.shared is None else self.shared.sign
        return open_previews(self.settings.sessions, self._name, sign)

    @built_once
    def llm(self) -> Llm | None:
        """The configured model provider, if any."""
        from redline.adapters.models import open_llm

        return open_llm(self.settings.llm)

    @built_once
    def review_app(self) -> ReviewApp:
        """A change as a page inside a client."""
        if not has_room("review"):
            return NoReviewApp()
        from redline.review.page.diffs.embedded import EmbeddedReview

        return EmbeddedReview(self)

    def review_pages(self) -> LazyReview | None:
        """Return the review page; None in an installation without it."""
        if not has_room("review"):
            return None
        from redline.review.wiring import LazyReview

        return LazyReview(self)

    def examine(self) -> list[Finding]:
        """Return what `redline doctor` reports about this workspace and machine."""
        from redline.adapters.doctor import examine

        settings = self.settings
        kept = f"kept {settings.history_days:g} days and {settings.history_size >> 20} MB"
        damage = self._store.damage()
        return examine(
            self.workspace.roots,
            self.commands,
            self.state_dir,
            kept,
            settings.llm,
            damage,
            self.recorder(),
            self.language_servers.list_found(),
        )

    def measure_language_servers(self) -> list[ServerMemory]:
        """Return the language servers that any process runs here, with their memory."""
        from redline.adapters.language_servers.pool import measure_servers

        return measure_servers(self.workspace.roots[0].path)

    @built_once
    def code_index(self) -> CodeIndex:
        """Symbols and uses of the whole workspace."""
        import json
        import sys

        from redline.adapters.code_index.database import SqliteIndex

        roots = json.dumps([[root.path, root.writable] for root in self.workspace.roots])
        worker = (sys.executable, "-P", "-m", "redline.wiring.index_worker", roots, self.state_dir)
        home = os.path.join(self.state_dir, "index")
        roots_count = len(self.workspace.roots)
        return SqliteIndex(home, self.tree, self.grep, roots_count, self.analysis, worker)

    # --- recording what other programs change --------------------------------------------------

    @built_once
    def _root_handles(self) -> list[int | str]:
        """The roots for other programs and libraries: descriptors if possible, else paths."""
        roots = range(len(self.workspace.roots))
        handles = [self.workspace.handles[number] for number in roots]
        if os.path.isdir("/proc/self/fd"):
            return list(handles)
        return [root.path for root in self.workspace.roots]

    @built_once
    def git(self) -> Git:
        """Repositories, for reading."""
        from redline.adapters.git import LibGit

        return LibGit(self.workspace, self.tree, self._root_handles)

    @built_once
    def recording(self) -> Recording | None:
        """Records what other programs change; None in an installation without the recorder."""
        if not has_room("recorder"):
            return None
        from redline.recorder.wiring import Recording

        return Recording(self, lambda: self._store, self._notices.append)

    def record_soon(self) -> None:
        """Record what other programs change, from a moment after the server has started."""
        if self.recording is not None:
            self.recording.start_soon()

    def recorder(self) -> RecorderCondition | None:
        """Return which process records this workspace now; None when none does."""
        return None if self.recording is None else self.recording.condition()

    def session_of_call(self, client: str, params: Mapping[str, Any]) -> str:
        """Return the session whose hook announced a tools/call; "" if none or several did."""
        return "" if self.recording is None else self.recording.session_of_call(client, params)


def _open_proxy(domains: Sequence[str]) -> ProxyProcess | None:
    """Capture the proxy for commands, not started yet; None without names."""
    if not domains:
        return None
    from redline.adapters.egress.proxy_process import ProxyProcess

    return ProxyProcess(domains)
