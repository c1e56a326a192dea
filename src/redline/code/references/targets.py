"""Reference targets, and whether an occurrence of a name refers to one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from redline.code.references.definition import UNKNOWN, Definition
from redline.core.records import dataclass, field, replace


class Certainty(StrEnum):
    """Whether a reference is resolved to a definition or merely may be one."""

    BOUND = "bound"
    POSSIBLE = "possible"


class Meaning(NamedTuple):
    """An occurrence of the name: its line and offset, what it may refer to, if it is a member."""

    line: int
    definitions: frozenset[Definition]
    is_member: bool
    start: int = -1


@dataclass(frozen=True, slots=True)
class Reference:
    """A line that refers, or may refer, to a target."""

    line: int
    certainty: Certainty
    # What it is bound to; a number identifies it in an answer that came from a worker.
    definition: Definition | int | None = None
    # The offset of each occurrence of the name on the line, where it is known; whether it is bound.
    at: tuple[tuple[int, bool], ...] = ()
    # The offsets of those that another definition is found for, though not for certain all.
    unlikely: tuple[int, ...] = ()
    # The offsets of those that are bound as members: a word may be a key and a variable at once.
    keys: tuple[int, ...] = ()


@dataclass(slots=True)
class ReferenceTarget:
    """A definition whose references are wanted, and all definitions that count as the same."""

    definition: Definition
    same: set[Definition] = field(default_factory=set)
    # Only the type of the receiver can tell it from like-named members.
    is_member: bool = False
    # A member of an object that no class describes: any like-named member may be it.
    is_loose: bool = False


def verdicts(meanings: Iterable[Meaning], targets: list[ReferenceTarget]) -> Iterator[Reference]:
    """Yield the occurrences that refer, or may refer, to one of *targets*."""
    for meaning in meanings:
        found = _verdict(meaning, targets)
        if found is not None:
            yield found


def _verdict(meaning: Meaning, targets: list[ReferenceTarget]) -> Reference | None:
    line, definitions, is_member, start = meaning
    bound = bound_to(definitions, targets)
    if bound is not None:
        keys = (start,) if is_member else ()
        return Reference(line, Certainty.BOUND, bound, ((start, True),), keys=keys)
    possible = Reference(line, Certainty.POSSIBLE, at=((start, False),))
    if UNKNOWN in definitions and (not is_member or any(target.is_member for target in targets)):
        others = (each for each in definitions if each != UNKNOWN and each.start != start)
        return replace(possible, unlikely=(start,)) if any(others) else possible
    if definitions and is_member and any(target.is_loose for target in targets):
        return possible
    return None


def bound_to(
    definitions: frozenset[Definition], targets: list[ReferenceTarget]
) -> Definition | None:
    """Return the definition of the first target that *definitions* include."""
    return next((target.definition for target in targets if target.same & definitions), None)


def by_line(found: Iterable[Reference]) -> list[Reference]:
    """Keep one reference per line, in order, preferring bound ones; each knows all offsets."""
    best: dict[int, Reference] = {}
    for reference in found:
        known = best.get(reference.line)
        if known is None:
            best[reference.line] = reference
            continue
        first = reference if known.certainty is Certainty.POSSIBLE else known
        best[reference.line] = replace(
            first,
            at=(*known.at, *reference.at),
            unlikely=(*known.unlikely, *reference.unlikely),
            keys=(*known.keys, *reference.keys),
        )
    return [best[line] for line in sorted(best)]
