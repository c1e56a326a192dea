"""What a word of a Java file may refer to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from redline.code.java.members import FoundMethod
from redline.code.references.definition import Definition

NOTHING: frozenset[Definition] = frozenset()


class WordKind(StrEnum):
    """What a word can refer to in its context, or what a target is."""

    TYPE = "type"
    # The type in `new Type()`, which refers to its constructor as well.
    MADE = "made"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    FIELD = "field"
    # A component of a record: a field and a method.
    COMPONENT = "component"
    LOCAL = "local"
    ANY = "any"
    LABEL = "label"
    PACKAGE = "package"


@dataclass(frozen=True, slots=True)
class WordMeaning:
    """What a word may refer to, which kind it is, and for a call the number of arguments."""

    definitions: frozenset[Definition]
    kind: WordKind
    count: int | None = None
    # The methods that an ambiguous call may mean.
    among: tuple[FoundMethod, ...] = ()
