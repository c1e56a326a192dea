"""Names like one that is not there: paths, and symbols of code."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from redline.core.errors import RedlineError, TimeLimit
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.tree import FactLists, Kind
from redline.core.wording import Text, naming
from redline.search.levels import ListingScope
from redline.search.listing import list_files
from redline.services.names import display_name
from redline.services.runtime import Runtime

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

MAX_SIMILAR = 3
_MAX_FILES = 20_000
_SECONDS = 0.2
_LIKENESS = 0.75
# Shorter names are alike by chance.
_MIN_STEM = 3
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


class _Deadline:
    """Ends a walk that takes long: a refusal must stay cheap."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _SECONDS

    def check(self) -> None:
        """Raise TimeLimit when the time is over."""
        if time.monotonic() > self._end:
            raise TimeLimit("Looking for similar paths took too long")

    def on_cancel(self, action: object) -> None:
        """Do nothing: only the time ends it."""


def find_similar_paths(runtime: Runtime, missing: str) -> list[str]:
    """Return the paths that *missing* may mean, the likeliest first.

    Files of the same name elsewhere come first, then names with nearly the same letters.
    """
    try:
        place = runtime.workspace.resolve(missing, Access.READ)
    except RedlineError:
        return []
    if not place.parts:
        return []
    found = _list_names(runtime, place.root, _Deadline())
    folded: dict[str, list[str]] = {}
    for path in found:
        folded.setdefault(path.rpartition("/")[2].casefold(), []).append(path)
    name = place.name.casefold()
    alike = folded.get(name) or [
        path for near in _near_names(name, folded) for path in folded[near]
    ]
    wanted = [part.casefold() for part in place.parts]
    alike.sort(key=lambda path: -_count_shared(wanted, path))
    shown = (WorkspacePath(place.root, tuple(path.split("/"))) for path in alike[:MAX_SIMILAR])
    return [display_name(runtime.workspace, path) for path in shown]


def _near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return file names with the same ending and nearly the same letters; none for a short one."""
    stem, dot, ending = name.rpartition(".")
    if len(stem or ending) < _MIN_STEM:
        return []
    stems = {
        other.rpartition(".")[0] or other: other
        for other in known
        if other.rpartition(".")[1:] == (dot, ending) or not (dot or "." in other)
    }
    return [stems[near] for near in get_close_matches(stem or name, stems, MAX_SIMILAR, _LIKENESS)]


def _list_names(runtime: Runtime, root: int, deadline: Cancel) -> list[str]:
    """Return the paths of files and of their directories, as far as the time suffices."""
    files: list[str] = []

    def keep(prefix: str, facts: FactLists) -> None:
        files.extend(prefix + name for name in facts.names)

    try:
        top = WorkspacePath(root, ())
        list_files(runtime.tree, top, ListingScope(), deadline, keep, most=_MAX_FILES)
    except RedlineError:
        pass  # what was found so far is enough
    folders = dict.fromkeys(path.rpartition("/")[0] for path in files)
    return [*files, *filter(None, folders)]


def _count_shared(wanted: list[str], path: str) -> float:
    """Return how many parts two paths have in common, counted from both ends."""
    parts = path.casefold().split("/")
    return sum(a == b for a, b in zip(wanted, parts, strict=False)) + sum(
        a == b for a, b in zip(reversed(wanted), reversed(parts), strict=False)
    )


def find_similar_symbols(
    runtime: Runtime, missing: str, path: WorkspacePath | None = None
) -> list[str]:
    """Return qualified names of symbols that *missing* may mean, the likeliest first."""
    name = _last_part(missing)
    return choose_similar(missing, _known_symbols(runtime, name, path))


def choose_similar(missing: str, known: Iterable[str]) -> list[str]:
    """Return those of *known*, qualified names, with nearly the same letters as *missing*."""
    name = _last_part(missing)
    by_name: dict[str, list[str]] = {}
    for qualified in dict.fromkeys(known):
        by_name.setdefault(qualified.rpartition(".")[2].casefold(), []).append(qualified)
    near = get_close_matches(name.casefold(), by_name, MAX_SIMILAR, _LIKENESS)
    return [qualified for each in near for qualified in by_name[each]][:MAX_SIMILAR]


def similar_hint(similar: Sequence[str]) -> Text | None:
    """Return the hint to name one of *similar* symbols; None where there is none."""
    if not similar:
        return None
    if len(similar) > 1:
        return f"similar: {', '.join(similar)}"
    return naming('pass {"{symbol}": ', json.dumps(similar[0], ensure_ascii=False), "}")


def _last_part(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2]


def _known_symbols(runtime: Runtime, name: str, path: WorkspacePath | None) -> Iterator[str]:
    """Yield qualified names: of one file, or of the whole workspace where they share a word."""
    index = runtime.code_index
    if path is not None and _is_file(runtime, path):
        yield from (each.qualified for each in index.symbols(path, name))
    yield from (each.qualified for each in index.matching(list(_words(name)), 50))


def _words(name: str) -> Iterable[str]:
    """Return the beginnings of a name's words, by which the index finds names like it."""
    return dict.fromkeys(word[:3].lower() for word in _WORD.findall(name) if len(word) > 2)


def _is_file(runtime: Runtime, path: WorkspacePath) -> bool:
    entry = runtime.tree.stat(path)
    return entry is not None and entry.kind is Kind.FILE
