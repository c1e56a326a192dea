"""Work on what others wrote that may never end, in a process that can be killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Confined(Protocol):
    """Functions of ours run in a process of their own with a budget of time and memory."""

    def call(
        self,
        function: str,
        arguments: tuple[Any, ...],
        answers: Mapping[str, Callable[..., Any]],
    ) -> Any:
        """What `module:function` gives for *arguments*, all of it plain data.

        Its first parameter is `ask(name, *arguments)`: the function of that name in *answers* is
        called here. What it raises as a RedlineError is raised here; TimeLimit, LimitReached.
        """
