"""A line at the terminal for each client that connects and each change that is made."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Protocol

from redline.cli.commands.history.view import label_for
from redline.cli.terminal import err, one_line
from redline.core.errors import RedlineError
from redline.core.ports.history import HistoryQuery, Operation
from redline.plan.describe import name_first
from redline.services.history.listing import FIRST_STEPS
from redline.wiring.workspace import Redline

_MAX_NAMED = 3
_MAX_SEEN = 10_000


class ConnectedClient(Protocol):
    """What a line says of a client."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def connection(self) -> str: ...


class ActivityLines:
    """Prints what a person who watches the server wants to see, and nothing else."""

    def __init__(self, redline: Redline, write: Callable[[str], None] = err) -> None:
        self._redline = redline
        self._write = write
        self._seen: set[tuple[str, str]] = set()
        self._latest = self._newest_id()
        self._lock = Lock()

    def observe(self, client: ConnectedClient, tool: str) -> None:
        """Print a line for a new client, and one for each change since the last call."""
        with self._lock, suppress(OSError, ValueError, RedlineError):
            who = (client.connection, client.name)
            if who not in self._seen and len(self._seen) < _MAX_SEEN:
                self._seen.add(who)
                name = f"{client.name} {client.version}".strip() or "a client"
                self._print(f"{name} connected")
            if tool:
                self._print_changes()

    def _print_changes(self) -> None:
        fresh: list[Operation] = []
        for operation in self._redline.history.list(HistoryQuery(limit=20, steps=FIRST_STEPS)):
            if operation.id == self._latest:
                break
            fresh.append(operation)
        for operation in reversed(fresh):
            self._latest = operation.id
            self._print(self._describe(operation))

    def _describe(self, operation: Operation) -> str:
        places, rest = name_first(operation.change_set, label_for(self._redline), _MAX_NAMED)
        names = ", ".join(f"{place.action} {place.path}" for place in places)
        rest += operation.left_out
        more = f" and {rest} more" if rest else ""
        return f"{operation.id}  {operation.origin.tool}: {names or operation.kind}{more}"

    def _newest_id(self) -> str:
        newest = self._redline.history.list(HistoryQuery(limit=1, steps=0))
        return newest[0].id if newest else ""

    def _print(self, text: str) -> None:
        self._write(f"{time.strftime('%H:%M:%S')}  {one_line(text)}")
