"""Which files and symbols the rest of a repository leans on: PageRank over references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

DAMPING = 0.85
ROUNDS = 20
# A name defined in many files says nothing about which of them is meant.
MOST_DEFINERS = 5


def file_ranks(files: Iterable[int], edges: Mapping[int, Mapping[int, float]]) -> dict[int, float]:
    """The rank of each file; *edges* go from the user of a name to its definer, with weights."""
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
        ranks = fresh
    return ranks


def edge_weight(uses: int, definers: int) -> float:
    """How much one file leans on another through one name."""
    return float(uses**0.5) / definers
