"""What a name may mean: something that is defined somewhere, or what cannot be told."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.scopes.model import Binding
from redline.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is defined: by its file, where it begins there, and its name.

    A member begins where its class does; a module has no beginning. *module* is the reading of
    its file by the resolver that found it, which alone knows its type.
    """

    path: WorkspacePath
    start: int
    name: str
    is_member: bool = False
    module: object | None = field(default=None, compare=False, repr=False)
    binding: Binding | None = field(default=None, compare=False, repr=False)

    @property
    def is_module(self) -> bool:
        """Whether it is a whole file."""
        return self.start < 0


# Brought in from somewhere that cannot be told.
UNKNOWN = Thing(WorkspacePath(-1, ()), 0, "")


def whole(path: WorkspacePath) -> Thing:
    """The module at *path*."""
    return Thing(path, -1, "")
