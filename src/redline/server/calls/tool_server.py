"""What all conversations of a server share: its tools, and what their calls may use."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from redline.core.late_regex import late_regex
from redline.server.calls.catalog import Catalog, CatalogChoice
from redline.server.calls.prompts_and_resources import Offers
from redline.server.observe.audit import Audit
from redline.server.observe.log import Sink
from redline.toolsets.tool import APPS_EXTENSION, Client, Json

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Dispatch
    from redline.server.calls.elicitation.sealed_states import SealedStates
    from redline.server.calls.in_flight import CallsInFlight
    from redline.server.rpc.messages import Submit
    from redline.services.runtime import Runtime

from redline.core.access.rights import Right


class ToolServer:
    """Lists tools at once; everything that running one needs is loaded by the first call."""

    def __init__(
        self,
        catalog: Catalog,
        runtime: Runtime,
        *,
        errors: str = "auto",
        trace: Sink | None = None,
        audit: Audit | None = None,
        name: str = "",
        states: SealedStates | None = None,
        catalogs: CatalogChoice | None = None,
    ) -> None:
        self.catalog = catalog
        # What is served at further addresses, each built when it is first asked for.
        self._catalogs = catalogs
        self._beside: dict[str, ToolServer] = {}
        self.offers = Offers(catalog)
        self.runtime = runtime
        # The workspace of a process that serves many: an answer counts in the one that asked.
        self.name = name
        # The states of questions, where other servers must be able to read them.
        self.states = states
        self.profile = catalog.profile
        self.audit = audit or Audit()
        self.errors_as_results = errors == "result"
        self.trace = trace
        # Called after each call with the tool's listed name, whether it succeeded, and seconds.
        self.watchers: list[Callable[[str, bool, float], None]] = []
        # Called when a client connects, with "", and after each call, with the tool's name.
        self.observers: list[Callable[[Client, str], None]] = []
        self._dispatch: Dispatch | None = None
        self._lock = Lock()

    @property
    def toolsets_beside(self) -> tuple[str, ...]:
        """The toolsets that are served at addresses of their own beside this one."""
        return self._catalogs.names if self._catalogs is not None else ()

    def beside(self, toolset: str) -> ToolServer | None:
        """Return the server of one of `toolsets_beside`, over the same workspace; None: no such."""
        if self._catalogs is None or toolset not in self._catalogs.names:
            return None
        with self._lock:
            if toolset not in self._beside:
                self._beside[toolset] = self._build_beside(self._catalogs.open(toolset))
            return self._beside[toolset]

    def _build_beside(self, catalog: Catalog) -> ToolServer:
        server = ToolServer(
            catalog,
            self.runtime,
            errors="result" if self.errors_as_results else "auto",
            trace=self.trace,
            audit=self.audit,
            name=self.name,
            states=self.states,
        )
        server.watchers, server.observers = self.watchers, self.observers
        return server

    def runs_handler(self, method: str) -> bool:
        """Return whether *method*, which is not tools/call, is answered by a toolset's handler."""
        return method != "tools/list" and method in self.offers.handled

    def capabilities(self, client: Client) -> Json:
        """Return what the server declares: the profile's capabilities, and prompts and resources.

        That it has pages to show is declared to clients that declare to show them.
        """
        declared = {**self.profile.capabilities, **self.offers.capabilities}
        if client.shows_apps and any(tool.app for tool in self.catalog.tools):
            declared |= {**self.offers.app_capabilities, "extensions": {APPS_EXTENSION: {}}}
        return declared

    def instructions(self, client: Client) -> str:
        """Return the text that *client* gets when it connects."""
        return write_instructions(self.catalog, client)

    @property
    def dispatch(self) -> Dispatch:
        """The dispatcher of calls; the only lazy boundary between listing and calling tools."""
        with self._lock:
            if self._dispatch is None:
                from redline.server.calls.dispatch import Dispatch

                self._dispatch = Dispatch(self)
            return self._dispatch

    def start_calls(self, submit: Submit) -> CallsInFlight:
        """Prepare to run the calls of one conversation."""
        from redline.server.calls.in_flight import CallsInFlight

        return CallsInFlight(self.dispatch, submit)


_CHANGES = "Redline changes files exactly and all-or-nothing."
_READ_ONLY = "Redline runs read-only here: nothing can be changed."
_FAILURES = "A failure says how to repair the call."
_TOOL = late_regex(r"\{([\w.]+)\}")


def write_instructions(catalog: Catalog, client: Client) -> str:
    """Return the instructions for *client*, a line for each toolset that has something to say."""
    paths = next((toolset.paths for toolset in catalog.toolsets if toolset.paths), "")
    general = [_opening(catalog, client), _FAILURES, paths]
    lines = [" ".join(filter(None, general))]
    for toolset in catalog.toolsets:
        said = (_with_names(sentence, catalog, client) for sentence in toolset.instructions)
        lines.append(" ".join(filter(None, said)))
    return "\n".join(filter(None, lines))


def _opening(catalog: Catalog, client: Client) -> str:
    if catalog.read_only or Right.WRITE not in client.rights:
        return _READ_ONLY
    return _CHANGES if any(tool.writes for tool in catalog.tools) else ""


def _with_names(sentence: str, catalog: Catalog, client: Client) -> str:
    """*sentence* with the names of tools as *client* sees them; empty if one is not listed."""
    named = _TOOL.findall(sentence)
    listed = catalog.names_for(client)
    if not all(name in listed for name in named):
        return ""
    return _TOOL.sub(lambda found: catalog.shown_name(found[1], client), sentence)
