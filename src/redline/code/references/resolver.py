"""The protocols that reference resolvers implement."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from redline.code.references.targets import Reference, ReferenceTarget
from redline.core.paths import WorkspacePath


class ReferenceResolver(Protocol):
    """Finds references to definitions of one name in one language, for one answer."""

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if undetermined."""

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if the file cannot be resolved."""

    def exported_as(self, target: ReferenceTarget, path: WorkspacePath) -> set[str]:
        """Return the names under which the file at *path* exports the definition."""

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Return whether a file with this text can refer to another file's definition at all."""


@runtime_checkable
class ResolvesByLine(Protocol):
    """A resolver that finds the definition on a line without reading the whole file."""

    def target_on(self, path: WorkspacePath, line: int) -> ReferenceTarget | None:
        """Return the definition of the name on a line; None if undetermined."""

    def folder_of(self, target: ReferenceTarget) -> WorkspacePath | None:
        """Return the only folder whose files may see the definition; None if all may."""


@runtime_checkable
class SuggestsRelatedNames(Protocol):
    """A resolver that knows which other names appear in files that use a definition."""

    def related_names(self, target: ReferenceTarget) -> set[str]:
        """Return other names that a file which uses the definition most likely contains."""


@runtime_checkable
class KnowsLibraries(Protocol):
    """A resolver that knows which members types must have for a library's sake."""

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a member implements an interface or trait outside the workspace."""

    def is_apart(self, target: ReferenceTarget) -> bool:
        """Return whether no interface or trait can join members of other types to a member."""


@runtime_checkable
class JoinsMembers(Protocol):
    """A resolver that adds members to a target while it reads files: it must read them again."""

    joins: int
