"""What a name may refer to: a definition in the workspace, or something undetermined."""

from __future__ import annotations

from redline.code.scopes.model import Binding
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition, identified by its file, the offset where it begins, and its name.

    A member of a Python or JavaScript class begins where the class does; a whole module has a
    negative offset. *module* is the resolver's reading of the file; only that resolver knows its
    type.
    """

    path: WorkspacePath
    start: int
    name: str
    is_member: bool = False
    module: object | None = field(default=None, compare=False, repr=False)
    binding: Binding | None = field(default=None, compare=False, repr=False)

    @property
    def is_module(self) -> bool:
        """Return whether it is a whole file."""
        return self.start < 0


# A definition that could not be determined, such as one behind an unresolved import.
UNKNOWN = Definition(WorkspacePath(-1, ()), 0, "")
# What a member of a value may be that a type checker does not look into: anything, or nothing.
UNCHECKED = Definition(WorkspacePath(-1, ()), 1, "")
# A definition of a library, which a module of the workspace exports.
FOREIGN = Definition(WorkspacePath(-1, ()), 2, "")
UNRESOLVED = frozenset({UNKNOWN})


def whole(path: WorkspacePath) -> Definition:
    """Return the definition that represents the module at *path*."""
    return Definition(path, -1, "")
