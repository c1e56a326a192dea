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
    inner: tuple[str, ...] = ()  # keys below it, in objects that are to be made
    said: bool = False  # the words say that it is new

    @property
    def meaning(self) -> Hashable:
        return (self.holder, self.key, self.inner, self.said)


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


_NEW_OBJECT = ("object", "section", "block", "group", "parent", "map")
_UNDER = ("as", "under", "at", "with", "called", "named", "using")
_ENDING = (("so", "that", "it", "ends", "up", "at"), ("so", "that", "it", "becomes"),
           ("so", "that", "it", "is", "at"), ("i.e.",), ("so", "it", "becomes"),
           ("resulting", "in"), ("to", "become"))  # fmt: skip


@rule("NEWTREE")
def _find_new_tree(chart: Chart, start: int) -> Iterator[Edge]:
    """A path through objects that are not there: `accessibility.subtitles`."""
    for lead in ((), *_LEADS):
        place = chart.words(start + bool(lead and chart.low(start) == "the"), lead)
        if not 0 <= place < chart.size or not _is_path_token(chart.tokens[place]):
            continue
        parts = path_parts(chart.tokens[place].text)
        found = _tree_of(chart, parts)
        if found is not None:
            said = "new" in lead
            yield Edge(place + 1, NewPlace(start, place + 1, *found[:2], 1, found[2], said))


@rule("NEWTREE")
def _find_new_object(chart: Chart, start: int) -> Iterator[Edge]:
    """An object to be made, and the key in it: a new object `contact` under the key `email`."""
    place = start + (chart.low(start) in ("a", "an", "the"))
    if chart.low(place) not in ("new", "newly"):
        return
    place += 1 + (chart.low(place + 1) in ("created", "top-level", "nested"))
    place += chart.low(place) in _NEW_OBJECT
    place += chart.low(place) in ("named", "called")
    if place >= chart.size or chart.tokens[place].kind not in ("code", "quoted", "word"):
        return
    parts = path_parts(chart.tokens[place].text)
    found = _tree_of(chart, [*parts, ""])
    if found is None:
        return
    holder, key, inner = found
    end = place + 1 + (chart.low(place + 1) in _NEW_OBJECT)
    yield Edge(end, NewPlace(start, end, holder, key, 0, inner, True))
    for after, last in _keys_below(chart, end, parts):
        below = (*inner[:-1], last)
        yield Edge(after, NewPlace(start, after, holder, key, 0, below, True))


def _keys_below(chart: Chart, place: int, parts: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the key that something gets in a new object: as `email`, so that it is at `a.b`."""
    place += chart.low(place) == ","
    for words in _ENDING:
        after = chart.words(place, words)
        if 0 < after < chart.size:
            said = path_parts(chart.tokens[after].text)
            if said[:-1] == parts:
                yield after + 1, said[-1]
    if chart.low(place) not in _UNDER:
        return
    place += 1 + (chart.low(place + 1) in ("the", "its", "a"))
    place += chart.low(place) in ("key", "name", "field", "new")
    place += chart.low(place) in ("key", "name", "field")
    if place < chart.size and chart.tokens[place].kind in ("code", "quoted", "word"):
        token = chart.tokens[place]
        if token.kind != "word" or token.text.isidentifier():
            yield place + 1, token.text


def _tree_of(chart: Chart, parts: list[str]) -> tuple[int, str, tuple[str, ...]] | None:
    """Return the deepest object of a path that is there, the next key, and those below it."""
    tree, node = chart.tree, 0
    if len(parts) < 2:
        return None
    for place, part in enumerate(parts[:-1]):
        child = tree.child(node, part)
        if child is None:
            if not isinstance(tree.values[node], dict):
                return None
            return node, part, tuple(parts[place + 1 :])
        node = child
    return None
