"""What all conversations of a server share: its tools, and what their calls may use."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from redline.server.calls.catalog import Catalog
from redline.server.calls.instructions import write_instructions
from redline.server.calls.offers import Offers
from redline.server.observe.audit import Audit
from redline.server.observe.log import Sink
from redline.toolsets.tool import APPS_EXTENSION, Client, Json

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Dispatch
    from redline.server.calls.elicitation.sealed_states import SealedStates
    from redline.server.calls.in_flight import CallsInFlight
    from redline.server.rpc.messages import Submit
    from redline.services.runtime import Runtime


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
    ) -> None:
        self.catalog = catalog
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

    def runs_handler(self, method: str) -> bool:
        """Whether *method*, which is not tools/call, is answered by a toolset's handler."""
        return method != "tools/list" and method in self.offers.handled

    def capabilities(self, client: Client) -> Json:
        """What the server declares: the profile's capabilities, and prompts and resources.

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
        """What runs calls; the only lazy boundary between listing tools and calling them."""
        with self._lock:
            if self._dispatch is None:
                from redline.server.calls.dispatch import Dispatch

                self._dispatch = Dispatch(self)
            return self._dispatch

    def start_calls(self, submit: Submit) -> CallsInFlight:
        """Prepare to run the calls of one conversation."""
        from redline.server.calls.in_flight import CallsInFlight

        return CallsInFlight(self.dispatch, submit)
