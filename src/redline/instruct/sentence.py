"""What every part of the reader shares: the tokens, the document, and why readings failed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from redline.core.records import dataclass, field
from redline.instruct.tokens import Token, tokenize
from redline.instruct.tree import DocumentTree, Nodes


class Pick:
    """The nodes that a phrase names; equal only to itself, so that it is a cheap key.

    `many` says that the words speak of several; `several` that they fit more places than they
    speak of; `lacking` are the holders in which nothing has the name.
    """

    __slots__ = ("lacking", "many", "members", "nodes", "several")

    def __init__(
        self, nodes: Nodes, many: bool = False, several: bool = False, lacking: Nodes = ()
    ) -> None:
        self.nodes = nodes
        self.many = many
        self.several = several
        self.lacking = lacking
        self.members = frozenset(nodes)


class Env(NamedTuple):
    """Where a phrase is read: inside what, and what `it` and `its` refer to."""

    scope: Pick | None = None
    it: Pick | None = None


SEVERAL = 30  # the weight of a trouble about several places that fit
LACKING = 25  # ... about holders some of which have no such key


class Trouble(NamedTuple):
    """Why a reading failed, and about which places; the heaviest one is reported."""

    weight: int
    message: str
    nodes: Nodes = ()
    span: tuple[int, int] = (0, 0)  # the words that name those places


@dataclass(slots=True)
class Sentence:
    """An instruction over a document, with all that was found out about its parts."""

    text: str
    tree: DocumentTree
    tokens: tuple[Token, ...] = ()
    memo: dict[Hashable, Any] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    # the words of the target, which `it` means in a condition behind it
    it_field: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        self.tokens = tokenize(self.text)

    def words(self, start: int, end: int) -> list[str]:
        """Return the lower-case words of a span; quoted text is none."""
        return [token.low for token in self.tokens[start:end]]

    def source(self, start: int, end: int) -> str:
        """Return a span as it is written; one quoted text without its quotes."""
        if end - start == 1 and self.tokens[start].kind in ("quoted", "code"):
            return self.tokens[start].text
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    def fail(
        self, weight: int, message: str, nodes: Nodes = (), span: tuple[int, int] = (0, 0)
    ) -> None:
        """Remember why a reading failed."""
        self.troubles.append(Trouble(weight, message, nodes, span))
