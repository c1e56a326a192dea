"""Several servers as one lose nothing while they are killed, and the judge would see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.chaos.group import find_program
from bench.chaos.ledger import Ledger
from bench.programs.scale import simulate
from tests.support import need, need_program

# No limit on time here: a busy machine takes over late, but loses nothing.
FLAGS = ["--shared", "REDIS"]


@pytest.mark.redis
@pytest.mark.requirement("group-survives")
def test_nothing_acknowledged_is_lost_while_servers_and_redis_are_killed(tmp_path: Path) -> None:
    need_program("redis-server")
    need(find_program("haproxy") is not None, "the program haproxy (make system installs it)")
    ledger = simulate(tmp_path, seconds=6.0, clients=4, workspaces=3, seed=7, flags=FLAGS)
    assert ledger.faults == []
    assert ledger.counts["servers killed"] + ledger.counts["servers suspended"] > 0
    assert ledger.counts["operations in histories"] > 0
    assert ledger.counts["histories undone to the start"] == 1


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        ("BEGIN done END", []),
        ("BEGIN done lost END", []),
        ("BEGIN END", ["done was acknowledged and is gone"]),
        ("BEGIN done done END", ["done is there 2 times"]),
        ("BEGIN done lost lost END", ["lost is there 2 times"]),
        ("BEGIN done refused END", ["refused is there after: no"]),
        ("BEGIN done undone END", ["undone is there after: undone"]),
        ("BEGIN done stranger END", ["no client wrote stranger"]),
    ],
)
def test_the_judge_sees_what_is_lost_doubled_or_nobodys(content: str, seen: list[str]) -> None:
    ledger = Ledger()
    done, refused, undone = (ledger.send(t, "w", "f") for t in ("done", "refused", "undone"))
    ledger.send("lost", "w", "f")  # no answer came
    done.must_be_there = True
    refused.refuse("no")
    undone.refuse("undone")
    ledger.judge_file("w", "f", content)
    assert ledger.faults == [f"w/f: {each}" for each in seen]
