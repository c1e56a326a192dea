"""Paths that lead nowhere yet: the object or list they end in is there, the last part is not."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.language.tokens import Token
from redline.instruct.lexicon.paths import nodes_of_path, path_parts

_LEADS = (
    *(("json", "pointer"), ("pointer",), ("json", "path"), ("path",), ("key",), ("field",)),
    *(("a", "new", "key"), ("a", "new", "field"), ("new", "key"), ("new", "field")),
)


@dataclass(frozen=True, slots=True)
class NewPlace:
    """A member that an object does not have, or the end of a list."""

    start: int
    end: int
    holder: int
    key: str
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return (self.holder, self.key)


@rule("NEWPATH")
def _find_new_place(chart: Chart, start: int) -> Iterator[Edge]:
    """A path of which all but the last part is there: `server.tls.keyPath`, /tags/-."""
    for lead in ((), *_LEADS):
        place = chart.words(start + bool(lead and chart.low(start) == "the"), lead)
        if place < 0 or place >= chart.size:
            continue
        token = chart.tokens[place]
        found = _place_of(chart, token) if _is_path_token(token) else None
        if found is not None:
            yield Edge(place + 1, NewPlace(start, place + 1, *found))


def _is_path_token(token: Token) -> bool:
    coded = token.kind in ("code", "quoted") and " " not in token.text
    return token.path or (coded and any(mark in token.text for mark in "./["))


def _place_of(chart: Chart, token: Token) -> tuple[int, str] | None:
    """Return the container and the key of a new place; None when the path is none."""
    tree = chart.tree
    parts = path_parts(token.text)
    if len(parts) < (1 if token.text.startswith(("/", "$")) else 2) or not all(parts):
        return None
    if nodes_of_path(tree, token.text):
        return None
    holder = tree.node_at(parts[:-1])
    if holder is None:
        return None
    held, key = tree.values[holder], parts[-1]
    if isinstance(held, list):
        return (holder, str(len(held))) if key in ("-", str(len(held))) else None
    return (holder, key) if isinstance(held, dict) and key not in held else None
