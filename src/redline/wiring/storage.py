"""A workspace with its history: roots, tree, journal and the editor that alone changes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import time
from typing import TYPE_CHECKING, Self

from redline.core.once import built_once
from redline.settings import Settings, SettingsError, config_home, policy_path
from redline.wiring.rooms import NoComments, NoHeldChanges, NoInbox, NoQuestions, has_room

if TYPE_CHECKING:
    from redline.adapters.command_runs import SqliteRuns
    from redline.adapters.files.disk import Disk
    from redline.adapters.files.registry import RunningServer
    from redline.adapters.files.workspace import DiskWorkspace
    from redline.adapters.journal.log import CommitFence
    from redline.adapters.journal.store import DiskStore, Guard
    from redline.adapters.journal.write_guard import WriteGuard
    from redline.adapters.process_templates.template import ProcessTemplates
    from redline.core.ports.confined import Confined
    from redline.core.ports.history import ChangeApproval, ChangeEditor, History
    from redline.core.ports.pages import Inbox, ReviewComments
    from redline.core.ports.review import HeldChanges, PermissionQuestions
    from redline.core.ports.shared import SharedParts
    from redline.core.ports.tree import Tree
    from redline.policy.adapters.guard import PolicyGuard
    from redline.policy.adapters.policy_file import PolicyFile
    from redline.policy.holding import Holding

# In the state directory of a workspace that was moved: where it was before.
_FORMER = "former-paths"


class StoredWorkspace:
    """What every change needs; `Redline` adds search, commands, code and the rest.

    Each property imports its adapter when first asked for.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # What processes of this workspace are copied from, where a server has many.
        self.templates: ProcessTemplates | None = None
        self.started = time()
        # Where a server of this workspace is reached: "stdio" or an address.
        self.served_at = ""
        # Whether the list of a server's workspaces still has this one.
        self.is_still_served: Callable[[], bool] = lambda: True
        # Refuses commits of this process once another server has acquired the workspace.
        self.fence: CommitFence | None = None
        # What this process shares with other servers of the workspace.
        self.shared: SharedParts | None = None
        self._at_close: list[Callable[[], object]] = []
        self._notices: list[str] = []
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def at_close(self, action: Callable[[], object]) -> None:
        """Run *action* when this workspace is closed."""
        self._at_close.append(action)

    def close(self) -> None:
        """Close every part that was built and has a `close`, the last one first; once only.

        A second time would close descriptors that belong to others by then.
        """
        if self._is_closed:
            return
        self._is_closed = True
        while self._at_close:
            self._at_close.pop()()
        for part in reversed(list(vars(self).values())):
            close = getattr(part, "close", None)
            if callable(close):
                close()

    def take_notices(self) -> list[str]:
        """Return notices about the workspace for the operator, such as recovery; each once."""
        taken = []
        while self._notices:
            taken.append(self._notices.pop(0))
        return taken

    @built_once
    def _disk(self) -> Disk:
        from redline.adapters.files.platform import choose_disk

        return choose_disk()

    @built_once
    def workspace(self) -> DiskWorkspace:
        """The roots, which stay open until this is closed."""
        from redline.adapters.files.own_places import state_homes
        from redline.adapters.files.platform import state_dir_of
        from redline.adapters.files.workspace import DiskWorkspace

        settings = self.settings
        workspace = DiskWorkspace(
            self._disk,
            (),
            in_order=settings.roots,
            allow_any_root=settings.allow_any_root,
        )
        for home in (*state_homes(), config_home(os.environ)):
            workspace.seal(home)
        if settings.state_dir and workspace.seal(settings.state_dir):
            _refuse_inner_state(settings)
        state_dir = settings.state_dir or state_dir_of(workspace.roots[0].path)
        if os.path.exists(os.path.join(state_dir, _FORMER)):
            from redline.adapters.files.registry import read_former_paths

            for path in read_former_paths(state_dir):
                workspace.add_former_path(path)
        return workspace

    @built_once
    def tree(self) -> Tree:
        """Reading beneath the roots, after recovery from a crash."""
        from redline.adapters.files.tree import DiskTree

        if not self.settings.read_only:
            self._store  # noqa: B018  built for its recovery
        return DiskTree(self._disk, self.workspace)

    @built_once
    def state_dir(self) -> str:
        """The directory with the history of this workspace, outside of it."""
        from redline.adapters.files.platform import state_dir_of

        return self.settings.state_dir or state_dir_of(self.workspace.roots[0].path)

    @built_once
    def _store(self) -> DiskStore:
        from redline.adapters.files.platform import lock_home
        from redline.adapters.journal.store import DiskStore

        recover = not self.settings.read_only
        locks = lock_home()
        store = DiskStore(
            self._disk,
            self.workspace,
            self.state_dir,
            locks,
            guards=self._list_guards,
            recover=recover,
            fence=self.fence,
        )
        if recover:
            self._register()
        self._notices += store.notices()
        return store

    def _register(self) -> None:
        """Note which roots this history is about and, for a server, that it runs."""
        from redline.adapters.files.registry import announce_server, remember_roots

        remember_roots(self.state_dir, [(r.path, r.writable) for r in self.workspace.roots])
        if self.served_at:
            self.at_close(announce_server(self.state_dir, self.served_at))
            # Who parks it marks it first and then looks for servers; the other order here.
            if not self.is_still_served():
                from redline.core.errors import Busy

                raise Busy("The workspace is being parked", hint="try again")

    def servers(self) -> list[RunningServer]:
        """Return the servers that work on this history now."""
        from redline.adapters.files.registry import list_servers

        return list_servers(self.state_dir)

    @built_once
    def policy(self) -> PolicyFile:
        """The rules about changes; the file need not be there."""
        from redline.policy.adapters.policy_file import PolicyFile

        path, is_chosen = policy_path(self.settings.policy, os.environ)
        return PolicyFile(path, required=is_chosen, is_exposed=self.workspace.is_exposed)

    def require_own_files(self) -> None:
        """Refuse to serve while an agent could change a file that decides what agents may do.

        SettingsError; PolicyUnreadable for a policy that cannot be used for any reason.
        """
        from redline.adapters.files.own_places import may_be_reached, state_homes

        settings = self.settings
        roots = [path for path, _ in settings.roots]
        files = (settings.users, settings.audit_log, settings.config, settings.state_dir)
        for path in filter(None, (*files, *state_homes(), config_home(os.environ))):
            # The workspace, which knows what is sealed, is not opened for a path that lies apart.
            if may_be_reached(path, roots) and self.workspace.is_exposed(path):
                raise refuse_exposed(path)
        self._require_policy()

    def _require_policy(self) -> None:
        """Raise PolicyUnreadable for a policy that cannot be used for any reason."""
        path, is_chosen = policy_path(self.settings.policy, os.environ)
        if not is_chosen and not os.path.lexists(path):
            return
        if not has_room("policy"):
            from redline.core.errors import PolicyUnreadable

            raise PolicyUnreadable(
                f"Nothing may be changed: no rule of {path} can be applied, because Redline is"
                " installed without its room policy"
            )
        self.policy.current()

    @built_once
    def rules(self) -> PolicyGuard:
        """Judges changes by the policy."""
        from redline.policy.adapters.guard import PolicyGuard

        return PolicyGuard(self._disk, self.workspace, self.policy, lambda: self.confined)

    @built_once
    def confined(self) -> Confined:
        """Runs work that may hang or crash in processes that can be killed."""
        from redline.adapters.workers.isolated_calls import IsolatedCalls

        workers = IsolatedCalls(template=self.templates and self.templates.workers)
        self.at_close(workers.close)  # before parts that wait for answers of workers
        return workers

    @built_once
    def _guards(self) -> list[Guard]:
        """The guards that check every change before it is made."""
        guards: list[Guard] = [] if self._guard is None else [self._guard]
        if not has_room("policy"):
            self._require_policy()
            return guards
        from redline.policy.adapters.policy_file import PolicyGate

        return [PolicyGate(self.policy, lambda: self.rules.check), *guards]

    def _list_guards(self) -> list[Guard]:
        """Return the guards of a change; once secrets were masked, one refuses written masks."""
        desk = vars(self).get("secrets")
        return [*self._guards, *([] if desk is None else [desk])]

    @built_once
    def _guard(self) -> WriteGuard | None:
        """Asks for consent before guarded files are written; None in dangerous mode."""
        from redline.adapters.files.own_places import split_path
        from redline.adapters.files.platform import program_files
        from redline.adapters.journal.write_guard import WriteGuard
        from redline.core.guarded import PathRules

        settings = self.settings
        if settings.sandbox == "dangerous":
            return None
        home = split_path(os.path.realpath(os.path.expanduser("~")))
        return WriteGuard(
            self._disk,
            self.workspace,
            PathRules(settings.guarded_paths, home),
            git_writes=settings.git_writes,
            program=program_files(),
        )

    @built_once
    def approval(self) -> ChangeApproval:
        """Raises the error with which a change would be refused, without making it."""
        from redline.engine.approval import Approval

        read_only = self.settings.read_only
        return Approval(self.workspace, self.tree, self._store, read_only=read_only)

    @built_once
    def editor(self) -> ChangeEditor:
        """Changes the workspace; nothing else does."""
        from redline.engine.editor import JournalEditor

        settings = self.settings
        return JournalEditor(
            self.workspace,
            self.tree,
            self._store,
            read_only=settings.read_only,
            history_days=settings.history_days,
            history_size=settings.history_size,
            holding=self.holding,
        )

    @built_once
    def held(self) -> HeldChanges:
        """Changes that wait for a person."""
        if not has_room("policy"):
            return NoHeldChanges()
        from redline.policy.adapters.held_store import HeldStore

        return HeldStore(self.workspace, self.state_dir)

    @built_once
    def holding(self) -> Holding | None:
        """Holds changes and goes on when they are decided; None without rules that hold any."""
        if not has_room("policy"):
            return None
        from redline.policy.holding import Holding

        return Holding(self.held, lambda: self.rules, self._store, self.tree)

    @built_once
    def history(self) -> History:
        """Every change that was made."""
        from redline.engine.history import JournalHistory

        return JournalHistory(self.workspace, self._store)

    @built_once
    def comments(self) -> ReviewComments:
        """What a person says about changes."""
        if not has_room("review"):
            return NoComments()
        from redline.review.adapters.stores import SqliteComments

        return SqliteComments(self.state_dir)

    @built_once
    def questions(self) -> PermissionQuestions:
        """What a person is asked about commands."""
        if not has_room("review"):
            return NoQuestions()
        from redline.review.adapters.stores import SqliteQuestions

        return SqliteQuestions(self.state_dir)

    @built_once
    def inbox(self) -> Inbox:
        """What people said to sessions."""
        if not has_room("review"):
            return NoInbox()
        from redline.review.inbox import SessionInbox

        return SessionInbox(
            self.state_dir, lambda: self.held, lambda: self.questions, lambda: self.comments
        )

    @built_once
    def runs(self) -> SqliteRuns:
        """Every run of a command."""
        from redline.adapters.command_runs import SqliteRuns

        return SqliteRuns(self.state_dir)

    def review_secret(self) -> bytes:
        """Return the secret that signs the cookies of the review page."""
        from redline.adapters.private_file import load_secret

        return load_secret(self.state_dir)


def _refuse_inner_state(settings: Settings) -> None:
    """Refuse a state directory inside the workspace, unless any root is allowed."""
    if not settings.allow_any_root:
        from redline.core.errors import InvalidArgument

        raise InvalidArgument(
            f"The state directory lies inside the workspace: {settings.state_dir}",
            field="state_dir",
            hint="choose a directory outside of every allowed directory",
        )


def refuse_exposed(path: str) -> SettingsError:
    """Return the refusal of a file that decides about agents and that one could change."""
    return SettingsError(
        f"An agent could change this, which decides about agents: {path}\n"
        "hint: keep it outside of every workspace, on a path that leads through none, with one"
        " hard link only"
    )
