"""Work on other people's content that may crash or never end, in a process that can be killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Budget(NamedTuple):
    """What one call may use: seconds by the clock, bytes of address space, seconds of processor.

    Where the machine is busy the processor's seconds are fairer: they are the work itself. They
    are counted whole; 0 leaves them to the clock.
    """

    seconds: float = 15.0
    memory: int = 2 << 30
    cpu: int = 0


class Confined(Protocol):
    """Runs Redline's own functions in a separate process with a budget of time and memory."""

    def call(
        self,
        function: str,
        arguments: Sequence[Any],
        answers: Mapping[str, Callable[..., Any]] | None = None,
        *,
        budget: Budget | None = None,
    ) -> Any:
        """Return what `module:function` gives for *arguments*, all of it plain data.

        Plain data are None, booleans, numbers, text, bytes, lists and dicts; a tuple arrives as
        a list. The function's first parameter is `ask(name, *arguments)`: the function of that
        name in *answers* is called here. What either raises as a RedlineError is raised at the
        other side. TimeLimit when the time is used up (`details["cpu_seconds"]`: what it computed
        in that time), WorkerDied when the process crashed, LimitReached when it ran out of
        memory or stack in an orderly way, Busy when too many calls run.
        """


class Failures(Protocol):
    """Contents that killed a worker or took too long, by digest."""

    def reason(self, digest: str) -> str | None:
        """Return why that content is not parsed; None when it may be."""

    def remember(self, digest: str, reason: str) -> None:
        """Do not parse that content again."""
