"""Ranks of files and symbols in the code index, from who uses whose names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from redline.adapters.code_index.schema import BEST, MINOR
from redline.code.index.rank import MAX_DEFINERS, edge_weight, file_ranks

_EDGES_PER_FILE = 300
_BEST_OF_ALL = (
    "INSERT INTO best SELECT file, place, id FROM (SELECT file, id, row_number() OVER "  # noqa: S608
    "(PARTITION BY file ORDER BY rank DESC, line) AS place FROM symbols "
    f"WHERE kind NOT IN {MINOR}) WHERE place <= {BEST}"
)


_Edges = dict[int, dict[int, float]]
_Users = dict[int, tuple[int, list[int]]]


def rank(db: sqlite3.Connection, hold_lease: Callable[[], None]) -> None:
    """Compute the ranks of files and symbols from who uses whose names."""
    edges, users = _edges(db)
    files = [row for (row,) in db.execute("SELECT id FROM files")]
    ranks = file_ranks(files, edges)
    hold_lease()
    db.execute("BEGIN IMMEDIATE")
    db.executemany(
        "UPDATE files SET rank=? WHERE id=?", ((rank, row) for row, rank in ranks.items())
    )
    db.executemany(
        "UPDATE symbols SET rank=? WHERE name=?",
        (
            (sum(ranks.get(user, 0.0) for user in some) / max(1, definers), name)
            for name, (definers, some) in users.items()
        ),
    )
    db.execute("DELETE FROM best")
    db.execute(_BEST_OF_ALL)
    db.execute("COMMIT")


def _edges(db: sqlite3.Connection) -> tuple[_Edges, _Users]:
    """Who leans on whom, and per defined name how many define it and (some of) who use it."""
    definers: dict[int, set[int]] = {}
    for name, file in db.execute(
        "SELECT s.name, s.file FROM symbols s JOIN names n ON n.id = s.name"
        " WHERE length(n.name) > 2 AND s.kind NOT IN ('key', 'rule', 'block', 'alias')"
    ):
        definers.setdefault(name, set()).add(file)
    edges: _Edges = {}
    users: _Users = {}
    for name, where in definers.items():
        if len(where) > MAX_DEFINERS:
            continue
        rows = db.execute("SELECT file, count FROM uses WHERE name=?", (name,)).fetchall()
        outside = [(file, count) for file, count in rows if file not in where]
        users[name] = (len(where), [file for file, _ in outside])
        for file, count in outside:
            _lean(edges.setdefault(file, {}), where, edge_weight(count, len(where)))
    return edges, users


def _lean(targets: dict[int, float], where: set[int], weight: float) -> None:
    for definer in where:
        if definer in targets or len(targets) < _EDGES_PER_FILE:
            targets[definer] = targets.get(definer, 0.0) + weight
