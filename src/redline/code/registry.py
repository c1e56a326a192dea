"""Who tells what a word means, language by language."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, runtime_checkable

from redline.code.references.file_access import Files
from redline.code.references.targets import Reference, Target
from redline.core.paths import WorkspacePath

# Languages with declared types: the module and class that finds their references.
_TYPED: dict[str, tuple[str, str]] = {
    "c": ("redline.code.c.resolver", "CReferring"),
    "java": ("redline.code.java.resolver", "JavaReferring"),
    "go": ("redline.code.go.resolver", "GoReferring"),
    "rust": ("redline.code.rust.resolver", "RustReferring"),
}
TYPED = frozenset(_TYPED)
# All whose references are told apart, by the language that stands for its kin.
TOLD_APART = {"python", "javascript", *_TYPED}


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

    def forget(self) -> None:
        """Let go of everything that was read: the answer is complete."""


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


def resolver_of(kin: str, name: str, files: Files, *, made_only: bool = False) -> Resolver | None:
    """What finds references to *name* in a language and its kin; None where names are all."""
    if kin in _TYPED:
        module, kind = _TYPED[kin]
        made: Resolver = getattr(import_module(module), kind)(name, files)
        return made
    if kin not in TOLD_APART:
        return None
    from redline.code.python_js.resolver import Referring

    return Referring.to(name, files, made_only=made_only)
