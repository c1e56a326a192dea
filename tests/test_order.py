"""One process runs a module, and every path that the run is ordered by leads somewhere."""

from __future__ import annotations

import pytest

from tests.conftest import FIRST, TOGETHER
from tests.support import REPO

_ran: list[str] = []


@pytest.mark.parametrize("turn", range(4))
def test_one_process_runs_a_module(turn: int, request: pytest.FixtureRequest) -> None:
    _ran.append(request.node.nodeid)
    here = [i.nodeid for i in request.session.items if i.path == request.path]
    alike = [nodeid for nodeid in here if nodeid.partition("[")[0] == _ran[0].partition("[")[0]]
    assert _ran == alike[: len(_ran)], "a turn before this one was given to another process"


def test_every_path_that_the_run_is_ordered_by_leads_to_tests() -> None:
    modules = [str(path.relative_to(REPO)) for path in (REPO / "tests").rglob("test_*.py")]
    paths = {*FIRST, *(path for together in TOGETHER.values() for path in together)}
    astray = [path for path in paths if not any(m.startswith(path) for m in modules)]
    assert not astray
