"""Ranks of files and names in the code index, from who uses whose names."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter

from redline.adapters.code_index.schema import insert_best
from redline.code.index.rank import MAX_DEFINERS, edge_weight, file_ranks

_EDGES_PER_FILE = 300

_Definers = dict[int, tuple[int, ...]]
_Edges = dict[int, dict[int, float]]


def rank(db: sqlite3.Connection, hold_lease: Callable[[], None]) -> None:
    """Compute the ranks of files and names from who uses whose names."""
    definers = _definers(db)
    files = [row for (row,) in db.execute("SELECT id FROM files")]
    names, users, edges = _read_uses(db, definers)
    ranks = file_ranks(files, edges)
    edges.clear()
    hold_lease()
    totals: dict[int, float] = {}
    for name, user in zip(names, users, strict=True):
        totals[name] = totals.get(name, 0.0) + ranks.get(user, 0.0)
    db.execute("BEGIN IMMEDIATE")
    db.executemany(
        "UPDATE files SET rank=? WHERE id=?", ((rank, row) for row, rank in ranks.items())
    )
    db.execute("UPDATE names SET rank=0 WHERE rank!=0")
    db.executemany(
        "UPDATE names SET rank=? WHERE id=?",
        ((total / len(definers[name]), name) for name, total in totals.items()),
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


def _read_uses(
    db: sqlite3.Connection, definers: _Definers
) -> tuple[array[int], array[int], _Edges]:
    """Each use of one of the names in another file: the name, and the file; and who leans on whom.

    Read file by file: a row for each use would take longer than all that is computed from it.
    """
    names, users = array("q"), array("q")
    edges: _Edges = {}
    for file, used, counted in db.execute("SELECT file, names, counts FROM words ORDER BY file"):
        targets: dict[int, float] = {}
        for name, count in zip(array("q", used), array("i", counted), strict=True):
            where = definers.get(name)
            if where is not None and file not in where:
                names.append(name)
                users.append(file)
                _lean(targets, where, edge_weight(count, len(where)))
        if targets:
            edges[file] = targets
    return names, users, edges


def _lean(targets: dict[int, float], where: tuple[int, ...], weight: float) -> None:
    for definer in where:
        if definer in targets or len(targets) < _EDGES_PER_FILE:
            targets[definer] = targets.get(definer, 0.0) + weight
