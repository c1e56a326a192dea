"""What a worker runs to find references: a search in plain data."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redline.services.code.reference_query import Chosen, Used
from redline.services.code.reference_search import ReferenceSearch
from redline.services.code.worker_files import Ask, WorkerFiles, path_from


@contextmanager
def collect_cycles() -> Iterator[None]:
    """Collect the cycles made inside the block when it ends.

    Syntax trees are native memory, which the collector does not count: by itself it would run too
    late. Nothing made inside the block leaves the youngest generation, so that is all it visits.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if was_enabled:
            gc.enable()


def search(
    ask: Ask,
    name: str,
    chosen: list[Any],
    room: int,
    made_only: bool,
    state: str,
    by_name: bool,
    with_definitions: bool = False,
) -> dict[str, Any]:
    """Search in plain data: files with their references, and which definition each is bound to."""
    definitions = [Chosen(path_from(path), line, is_own) for path, line, is_own in chosen]
    with collect_cycles():
        own = ReferenceSearch(WorkerFiles(ask, state), name, definitions, room, made_only, by_name)
        own.with_definitions = with_definitions
        return _answer(own)


def _answer(own: ReferenceSearch) -> dict[str, Any]:
    things: dict[object, int] = {}
    found = [_plain(used, things) for used in own.find()]
    bound: dict[int, int] = {}
    for home, target in own.targets:
        if target.definition in things:
            bound.setdefault(things[target.definition], own.definitions.index(home))
    return {
        "files": found,
        "unread": own.unread,
        "bound": list(bound.items()),
        "resolved": len(own.targets) == len(own.definitions),
        "member": any(target.is_member for _, target in own.targets),
        "library": own.with_definitions and own.implements_library(),
        "apart": own.with_definitions and own.is_apart(),
    }


def _plain(used: Used, things: dict[object, int]) -> tuple[Any, ...]:
    """One file: its path, (line, certainty, what it is bound to), lines unread, how it is known."""
    seen: list[tuple[Any, ...]] = []
    for found in used.seen:
        thing = found.definition
        number = None if thing is None else things.setdefault(thing, len(things))
        about = (found.at, found.unlikely, found.keys)
        seen.append((found.line, found.certainty.value, number, *about))
    indexed = used.file.is_indexed if used.file is not None else None
    return used.path, seen, used.unread, indexed
