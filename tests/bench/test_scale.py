"""Several servers behind a balancer lose nothing when one is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.programs.scale import simulate, start_redis
from tests.support import need_program


@pytest.mark.redis
def test_nothing_acknowledged_is_lost_when_one_of_three_servers_is_killed(tmp_path: Path) -> None:
    need_program("redis-server")
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "shared.txt").write_text("END\n")
    redis, url = start_redis(str(tmp_path))
    try:
        report, lost = simulate(workspace, url, clients=3, rounds=4)
    finally:
        redis.terminate()
        redis.wait()
    assert lost == 0, report.facts
    assert report.facts["edits acknowledged"] == 12
