"""Every known attack on the command sandbox is held: both guards, as root and as a user."""

from __future__ import annotations

import glob
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.processes.ground import require
from tests.probes.sandbox_ground import GUARDS, USERS, Ground, made_ground, nobody_can_run
from tests.support import need

pytestmark = pytest.mark.xdist_group("probes")
PROBES = tomllib.loads((Path(__file__).parent / "sandbox.toml").read_text())["probe"]


@pytest.fixture(scope="module", params=list(USERS))
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with made_ground(USERS[request.param]) as made:
        if made.user is not None:
            need(nobody_can_run(made.source), "a system Python >= 3.11 for the user nobody")
        yield made


@pytest.mark.requirement("014-sandbox-probes")
@pytest.mark.parametrize("guard", list(GUARDS))
@pytest.mark.parametrize("probe", PROBES, ids=[probe["id"] for probe in PROBES])
def test_the_sandbox_holds(probe: dict[str, Any], guard: str, ground: Ground) -> None:
    if guard not in probe.get("only", list(GUARDS)):
        return
    require(GUARDS[guard]["backend"])
    terms = {
        "line": ground.fill(probe["cmd"]),
        "env": {name: ground.fill(value) for name, value in probe.get("env", {}).items()},
        "permissions": probe.get("permissions", []),
        "dry": probe.get("dry", False),
    }
    order = {**GUARDS[guard], "mode": probe.get("mode", "safe")}
    answer = ground.run({"probe": terms}, **order)["probe"]
    said = answer["out"] + answer["err"]
    assert re.search(probe.get("says", ""), said), answer
    assert not re.search(probe.get("never_says", "(?!)"), said), answer
    for pattern in probe.get("never_made", ()):
        assert glob.glob(ground.fill(pattern)) == []
