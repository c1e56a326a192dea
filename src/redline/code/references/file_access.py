"""How a resolver reads the workspace: through functions that its caller supplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redline.code.syntax.definitions import Parsed
from redline.core.paths import WorkspacePath


@dataclass(slots=True)
class Files:
    """What a resolver may ask: a file's syntax tree, whether it exists, who defines a name."""

    parse: Callable[[WorkspacePath], Parsed | None]
    is_file: Callable[[WorkspacePath], bool]
    defining: Callable[[str], Sequence[WorkspacePath]] = lambda _: ()
    # What a small file says that is no code, such as the manifest of a package.
    text: Callable[[WorkspacePath], str | None] = lambda _: None
    # Who defines a name right in a folder: a common one is defined in more files than are told.
    defining_in: Callable[[str, WorkspacePath], Sequence[WorkspacePath]] = lambda _, __: ()
    # Whether so many characters more may be parsed for this answer; they count as read.
    take: Callable[[int], bool] = lambda _: True
    # Who defines a name as something of these kinds.
    defining_as: Callable[[str, frozenset[str]], Sequence[WorkspacePath]] = lambda _, __: ()
