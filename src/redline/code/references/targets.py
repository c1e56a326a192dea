"""What is asked for when references are, and the verdict on a place that spells its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from redline.code.references.definition import UNKNOWN, Thing

Certainty: TypeAlias = Literal["bound", "possible"]
# A place that spells the name: its line, what it may mean, whether it is a member.
Meaning: TypeAlias = tuple[int, frozenset[Thing], bool]


@dataclass(frozen=True, slots=True)
class Reference:
    """A line that refers, or may refer, to what is asked for."""

    line: int
    certainty: Certainty
    # What it is bound to: a number where the answer came from a worker.
    thing: Thing | int | None = None


@dataclass(slots=True)
class Target:
    """A definition that is asked for, and all that counts as the same."""

    thing: Thing
    same: set[Thing] = field(default_factory=set)
    # Any value may have it: only the receiver could tell.
    is_member: bool = False
    # A member of an object that no class describes: every like-named one may be it.
    is_loose: bool = False


def verdicts(meanings: Iterable[Meaning], targets: list[Target]) -> Iterator[Reference]:
    """The places that refer, or may refer, to one of *targets*."""
    for line, things, is_member in meanings:
        found = _verdict(line, things, is_member, targets)
        if found is not None:
            yield found


def _verdict(
    line: int, things: frozenset[Thing], is_member: bool, targets: list[Target]
) -> Reference | None:
    bound = bound_to(things, targets)
    if bound is not None:
        return Reference(line, "bound", bound)
    if UNKNOWN in things and (not is_member or any(target.is_member for target in targets)):
        return Reference(line, "possible")
    if things and is_member and any(target.is_loose for target in targets):
        return Reference(line, "possible")
    return None


def bound_to(things: frozenset[Thing], targets: list[Target]) -> Thing | None:
    return next((target.thing for target in targets if target.same & things), None)


def by_line(found: Iterable[Reference]) -> list[Reference]:
    """One reference for each line, in order; a bound one where there is any."""
    best: dict[int, Reference] = {}
    for reference in found:
        known = best.get(reference.line)
        if known is None or known.certainty == "possible":
            best[reference.line] = reference
    return [best[line] for line in sorted(best)]
