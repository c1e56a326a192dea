"""Which definitions a search for references is about, and what it finds in one file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.code.analysis import WordUse
from redline.code.index.packing import count_packed, unpack
from redline.code.references.targets import Certainty, Reference
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass
from redline.services.code.lookup import CodeLookup, OpenedSource


@dataclass(frozen=True, slots=True)
class Chosen:
    """A definition, given by a line that has its name: the definition's own, or that of a use."""

    path: WorkspacePath
    line: int
    is_definition: bool = True


@dataclass(frozen=True, slots=True)
class Used:
    """The references of one file; `file` is None when it was not read.

    A common name occurs on a hundred thousand lines of files that are not read: those stay packed.
    """

    path: WorkspacePath
    seen: Sequence[Reference]
    file: OpenedSource | None = None
    unread: bytes = b""

    @property
    def count(self) -> int:
        """How many lines they are."""
        return len(self.seen) + count_packed(self.unread)

    @property
    def references(self) -> list[Reference]:
        """All of them."""
        return [*self.seen, *(Reference(line, Certainty.POSSIBLE) for line in unpack(self.unread))]


def resolve_query(
    lookup: CodeLookup, wanted: str, place: WorkspacePath | None, line: int | None
) -> tuple[str, list[Chosen]]:
    """The plain name and its definitions: what *line* of *place* means, else all that fit."""
    name = re.split(r"\.|::|#|->|/", wanted.strip())[-1].removesuffix("()")
    if line is None or place is None:
        return name, _definitions(lookup, wanted, place)
    lookup.refresh()
    known = lookup.runtime.code_index.symbols(place, name)
    defines = any((symbol.name, symbol.line) == (name, line) for symbol in known)
    return name, [Chosen(place, line, defines)]


def _definitions(lookup: CodeLookup, wanted: str, place: WorkspacePath | None) -> list[Chosen]:
    """Return the definitions that are meant; those of *place* where it has any."""
    found = lookup.definitions(wanted)
    real = [pair for pair in found if pair[1].kind != "alias"] or found
    inside = [pair for pair in real if place is not None and pair[0].path.is_beneath(place)]
    return [Chosen(file.path, symbol.line) for file, symbol in inside or real]


def uses_without_definition(
    lookup: CodeLookup, name: str, place: WorkspacePath, known: Sequence[Chosen]
) -> list[WordUse] | None:
    """Every use of *name* in a file with no definition among *known*; None if it is not code."""
    file = lookup.open(place)
    if file is None or file.language is None or any(c.path.is_beneath(place) for c in known):
        return None
    return lookup.runtime.analysis.word_uses(file.text, file.language, name)
