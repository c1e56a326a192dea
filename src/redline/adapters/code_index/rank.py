"""Ranks of files and symbols in the code index, from who uses whose names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter

from redline.adapters.code_index.schema import insert_best
from redline.code.index.rank import MAX_DEFINERS, edge_weight, file_ranks

_EDGES_PER_FILE = 300

_Definers = dict[int, tuple[int, ...]]
_Edges = dict[int, dict[int, float]]


def rank(db: sqlite3.Connection, hold_lease: Callable[[], None]) -> None:
    """Compute the ranks of files and symbols from who uses whose names."""
    definers = _definers(db)
    files = [row for (row,) in db.execute("SELECT id FROM files")]
    ranks = file_ranks(files, _edges(db, definers))
    hold_lease()
    db.execute("BEGIN IMMEDIATE")
    db.executemany(
        "UPDATE files SET rank=? WHERE id=?", ((rank, row) for row, rank in ranks.items())
    )
    db.execute("UPDATE symbols SET rank=0 WHERE rank!=0")
    db.executemany(
        "UPDATE symbols SET rank=? WHERE name=?",
        (
            (sum(ranks.get(user, 0.0) for user, _ in users) / len(where), name)
            for name, where, users in _users(db, definers)
            if users
        ),
    )
    db.execute("DELETE FROM best")
    insert_best(db, 0)
    db.execute("COMMIT")


def _definers(db: sqlite3.Connection) -> _Definers:
    """The files that define a name, for each name that few define."""
    rows = db.execute(
        "SELECT DISTINCT s.name, s.file FROM symbols s JOIN names n ON n.id = s.name"
        " WHERE length(n.name) > 2 AND s.kind NOT IN ('key', 'rule', 'block', 'alias')"
        " ORDER BY s.name"
    )
    definers: _Definers = {}
    for name, found in groupby(rows, itemgetter(0)):
        where = tuple(file for _, file in found)
        if len(where) <= MAX_DEFINERS:
            definers[name] = where
    return definers


def _users(
    db: sqlite3.Connection, definers: _Definers
) -> Iterator[tuple[int, tuple[int, ...], list[tuple[int, int]]]]:
    """Each of the names, who defines it, and which other files use it how often."""
    rows = db.execute("SELECT name, file, count FROM uses ORDER BY name")
    for name, found in groupby(rows, itemgetter(0)):
        where = definers.get(name)
        if where is not None:
            yield name, where, [(file, count) for _, file, count in found if file not in where]


def _edges(db: sqlite3.Connection, definers: _Definers) -> _Edges:
    """Who leans on whom."""
    edges: _Edges = {}
    for _, where, users in _users(db, definers):
        for file, count in users:
            _lean(edges.setdefault(file, {}), where, edge_weight(count, len(where)))
    return edges


def _lean(targets: dict[int, float], where: tuple[int, ...], weight: float) -> None:
    for definer in where:
        if definer in targets or len(targets) < _EDGES_PER_FILE:
            targets[definer] = targets.get(definer, 0.0) + weight
