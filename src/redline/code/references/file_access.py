"""How a resolver reads the workspace: through functions that its caller supplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.code.syntax.definitions import Parsed
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass


@dataclass(slots=True)
class SourceFiles:
    """Syntax trees, text and index lookups for one answer."""

    # Parse a file; None if it cannot be parsed within this answer's budget.
    parse: Callable[[WorkspacePath], Parsed | None]
    is_file: Callable[[WorkspacePath], bool]
    # List files that define a name.
    defining: Callable[[str], Sequence[WorkspacePath]] = lambda _: ()
    # Read a small file, such as source that is parsed in chunks or a package manifest.
    text: Callable[[WorkspacePath], str | None] = lambda _: None
    # List files directly in a folder that define a name; `defining` truncates common names.
    defining_in: Callable[[str, WorkspacePath], Sequence[WorkspacePath]] = lambda _, __: ()
    # Charge that many characters to this answer's parse budget; False if they do not fit.
    take: Callable[[int], bool] = lambda _: True
    # List files that define a name as one of these symbol kinds.
    defining_as: Callable[[str, frozenset[str]], Sequence[WorkspacePath]] = lambda _, __: ()


def count_common_folders(path: WorkspacePath, other: WorkspacePath) -> int:
    """Count the leading folders that two paths have in common."""
    pairs = zip(path.parts[:-1], other.parts[:-1], strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), len(path.parts) - 1)
