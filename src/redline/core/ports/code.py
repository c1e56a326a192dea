"""The index of symbols and their uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from redline.core.paths import WorkspacePath
from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class IndexedSymbol:
    """A definition in the index; lines are 1-based and inclusive, the most used ranks highest."""

    path: WorkspacePath
    name: str
    qualified: str
    kind: str
    line: int
    start: int
    end: int
    signature: str = ""
    doc: str = ""
    language: str = ""
    rank: float = 0.0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class IndexedUses:
    """The lines of one file that use a name as code, in order and packed.

    `code.index.packing` unpacks them: of a common name few of many files are ever looked at.
    """

    path: WorkspacePath
    packed: bytes = b""
    digest: str = ""
    rank: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file in the index."""

    path: WorkspacePath
    language: str
    digest: str
    lines: int
    rank: float = 0.0


class CodeIndex(Protocol):
    """Symbols and uses of the whole workspace, kept outside it and brought up to date."""

    def refresh(self, recent: Sequence[WorkspacePath] = ()) -> str:
        """Bring the index up to date as far as that is quick, the rest in the background.

        *recent* are files known to have changed lately: those are always looked at. Answers
        `ready` when what follows is complete, `building` when it is not yet.
        """

    def progress(self) -> tuple[int, int]:
        """Return how many files are indexed, and how many there are; 0 if that is not known."""

    def build(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring the index up to date here and now; how many files were read."""

    def definitions(
        self, name: str, limit: int = 50, folder: WorkspacePath | None = None
    ) -> list[IndexedSymbol]:
        """Definitions of a plain name, best first; only in files right in *folder*, if given."""

    def uses(self, name: str, limit: int = 50) -> tuple[list[IndexedUses], int]:
        """Files that use a name, best first, and how many lines use it in all."""

    def symbols(self, path: WorkspacePath, name: str) -> list[IndexedSymbol]:
        """The types and functions of one file, and what has *name*, as of its indexed digest."""

    def left_out(self, limit: int = 20) -> list[tuple[WorkspacePath, str]]:
        """Files of which nothing is known because a parser failed on them, and why."""

    def matching(self, words: Sequence[str], limit: int = 50) -> list[IndexedSymbol]:
        """Definitions whose names hold the words, best first."""

    def structure(
        self, beneath: WorkspacePath | None = None, files: int = 200, per_file: int = 8
    ) -> tuple[list[tuple[IndexedFile, list[IndexedSymbol]]], int]:
        """Return the best-connected files with their best symbols, and how many files there are."""
