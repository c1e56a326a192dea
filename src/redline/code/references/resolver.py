"""What the resolvers of all languages have in common, as protocols."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from redline.code.references.targets import Reference, Target
from redline.core.paths import WorkspacePath


class Resolver(Protocol):
    """Finds what refers to definitions of one name in one language."""

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*; None where that cannot be told."""

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file, in order; None where that cannot be told."""

    def exported_as(self, target: Target, path: WorkspacePath) -> set[str]:
        """Names by which the file at *path* gives the thing away, its own or others."""

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Whether a file can name a thing of another file at all, by its text alone."""


@runtime_checkable
class ByLine(Protocol):
    """One that need not read a whole file to know what a line of it defines."""

    def target_on(self, path: WorkspacePath, line: int) -> Target | None:
        """What a line defines by the name; None where that cannot be told."""

    def folder_of(self, target: Target) -> WorkspacePath | None:
        """The folder whose files alone may see it; None where all may."""


@runtime_checkable
class InCompany(Protocol):
    """One that knows which other words stand where a thing is used."""

    def beside(self, target: Target) -> set[str]:
        """Names that a file which uses the thing most likely spells as well."""
