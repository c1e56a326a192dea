"""How far an instruction has been read."""

from __future__ import annotations

from dataclasses import dataclass

from redline.instruct.grammar.clauses import Clause, ScopePhrase


@dataclass(frozen=True, slots=True)
class ReadingState:
    """The clauses read up to a token, and the scopes that hold there."""

    place: int
    clauses: tuple[Clause, ...] = ()
    fronts: tuple[ScopePhrase, ...] = ()
    cost: int = 0
    remarks: tuple[tuple[int, int], ...] = ()
    protected: tuple[int, ...] = ()
    headed: tuple[ScopePhrase, ...] = ()  # scopes of a heading, for every item of the list below
    joined: bool = False  # a separator that does not end the sentence was just read
