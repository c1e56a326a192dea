"""The ports that use cases work with, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

# Only for the type checker: the ports are some thirty dataclasses.
if TYPE_CHECKING:
    from redline.code.analysis import Analysis
    from redline.core.ports.code import CodeIndex
    from redline.core.ports.commands import CommandRuns, Commands
    from redline.core.ports.confined import Confined
    from redline.core.ports.git import Git
    from redline.core.ports.history import ChangeApproval, ChangeEditor, History
    from redline.core.ports.images import Images
    from redline.core.ports.language_servers import LanguageServers
    from redline.core.ports.models import Llm
    from redline.core.ports.pages import Inbox, ReviewApp, ReviewComments
    from redline.core.ports.previews import Previews
    from redline.core.ports.review import HeldChanges, PermissionQuestions
    from redline.core.ports.search import Grep, Regex
    from redline.core.ports.session_memory import Grants, Reads
    from redline.core.ports.tree import PathResolver, Tree
    from redline.secrets.desk import SecretDesk


class Runtime(Protocol):
    """Everything a use case or a tool handler may use; `app` builds each part on first use."""

    @property
    def started(self) -> float:
        """When this process opened the workspace, in seconds since the epoch."""

    @property
    def workspace(self) -> PathResolver: ...
    @property
    def tree(self) -> Tree: ...
    @property
    def approval(self) -> ChangeApproval:
        """The checks that would refuse a change, for dry runs."""

    @property
    def editor(self) -> ChangeEditor: ...
    @property
    def history(self) -> History: ...
    @property
    def held(self) -> HeldChanges:
        """Changes that wait for a person; no tool decides about them."""

    @property
    def commands(self) -> Commands: ...
    @property
    def regex(self) -> Regex: ...
    @property
    def confined(self) -> Confined: ...
    @property
    def grep(self) -> Grep: ...
    @property
    def previews(self) -> Previews: ...
    @property
    def llm(self) -> Llm | None: ...
    @property
    def reads(self) -> Reads:
        """The texts each connection was shown, against which edits by line number are checked."""

    @property
    def git(self) -> Git:
        """Repositories, for reading."""

    @property
    def images(self) -> Images:
        """Recognizes and resizes images."""

    @property
    def grants(self) -> Grants:
        """Permissions that a person granted."""

    @property
    def inbox(self) -> Inbox:
        """Messages from people to sessions, delivered with the next answer."""

    @property
    def comments(self) -> ReviewComments:
        """Review comments on changes."""

    @property
    def questions(self) -> PermissionQuestions:
        """Questions to a person about commands; no tool can answer them."""

    @property
    def runs(self) -> CommandRuns:
        """Every run of a command."""

    @property
    def review_app(self) -> ReviewApp:
        """A change as a page inside a client."""

    @property
    def secrets(self) -> SecretDesk:
        """Masks and restores secrets; the server uses it for every tool."""

    def mask_for_person(self, text: str, path: str = "", *, is_output: bool = False) -> str:
        """Return *text* with its secrets masked.

        *path* is the file that it comes from, if known; *is_output* if a command printed it.
        """

    @property
    def code_index(self) -> CodeIndex:
        """Symbols and uses of the whole workspace."""

    @property
    def language_servers(self) -> LanguageServers:
        """The language servers that the workspace's languages have."""

    @property
    def analysis(self) -> Analysis:
        """Parses source code and searches its syntax trees."""

    def session_of_call(self, client: str, params: Mapping[str, Any]) -> str:
        """Return the session whose hook announced a tools/call; "" if none or several did."""

    def take_notices(self) -> Sequence[str]:
        """Return what happened to the workspace without a call; each notice is returned once."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Settings that a toolset may ask for by name."""
