"""Rank files by how much the rest of the repository uses them: PageRank over references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

DAMPING = 0.85
ROUNDS = 20
# All ranks are 1 together; when less than this moves in a round, the order has settled.
SETTLED = 1e-3
# A name defined in more files than this says nothing about which of them is meant.
MAX_DEFINERS = 5


def file_ranks(files: Iterable[int], edges: Mapping[int, Mapping[int, float]]) -> dict[int, float]:
    """Return the rank of each file; weighted *edges* go from users of a name to its definers."""
    nodes = list(files)
    if not nodes:
        return {}
    even = 1.0 / len(nodes)
    ranks = dict.fromkeys(nodes, even)
    totals = {source: sum(targets.values()) for source, targets in edges.items()}
    for _ in range(ROUNDS):
        loose = sum(rank for node, rank in ranks.items() if not totals.get(node))
        base = (1 - DAMPING) * even + DAMPING * loose * even
        fresh = dict.fromkeys(nodes, base)
        for source, targets in edges.items():
            share = DAMPING * ranks[source] / totals[source] if totals[source] else 0.0
            for target, weight in targets.items():
                fresh[target] += share * weight
        change = sum(abs(fresh[node] - rank) for node, rank in ranks.items())
        ranks = fresh
        if change < SETTLED:
            break
    return ranks


def edge_weight(uses: int, definers: int) -> float:
    """Return how much one file depends on another through one name."""
    return float(uses**0.5) / definers
