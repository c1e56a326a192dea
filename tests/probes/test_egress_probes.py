"""A command with allowed host names reaches nothing else: both guards, as root and as a user."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.egress.registry import NAME, Registry, serving
from tests.adapters.processes.ground import BACKENDS, require
from tests.probes.frame import Probe, probes
from tests.probes.sandbox_ground import USERS, Ground, made_ground, nobody_can_run
from tests.support import need

PROBES = probes("egress")
TRIES = Path(__file__).parent / "egress_tries.py"
PRIVATE = ["127.0.0.1", "10.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "100.64.0.1"]


@pytest.fixture(scope="module", params=list(USERS))
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with made_ground(USERS[request.param]) as made:
        if made.user is not None:
            need(nobody_can_run(made), "a system Python >= 3.11 for the user nobody")
        shutil.copy(TRIES, made.workspace / "tries.py")
        yield made


def _terms(registry: Registry) -> dict[str, Any]:
    """The proxy of all probes: the registry may be dialled, nothing else on this machine."""
    moving = f"moving.test:{registry.server_port}"
    allowed = ["allowed.test", "*.beneath.test", "inner.test", "absent.test", moving]
    return {
        "domains": [registry.target, *allowed],
        "answers": {
            NAME: [["127.0.0.1"]],
            "inner.test": [PRIVATE],
            "moving.test": [["127.0.0.1"], ["127.0.0.2"]],
        },
        "permitted": [registry.address],
    }


@pytest.mark.requirement("egress-probes")
@pytest.mark.parametrize("guard", BACKENDS)
def test_nothing_but_allowed_names_is_reached(guard: str, ground: Ground) -> None:
    require(guard)
    name = f"redline-probe-{secrets.token_hex(8)}"
    with serving() as registry, socket.socket(socket.AF_UNIX) as service:
        service.bind("\0" + name)
        service.listen()
        places = {
            "{port}": str(registry.server_port),
            "{target}": registry.target,
            "{abstract}": name,
        }

        def fill(text: str) -> str:
            for place, value in places.items():
                text = text.replace(place, value)
            return ground.fill(text)

        lines = {probe.id: _command(probe, fill) for probe in PROBES}
        answers = ground.run(lines, backend=guard, proxy=_terms(registry))
        hosts = {host for host, _path in registry.asked}
    faults = {probe.id: found for probe in PROBES if (found := _faults(probe, answers[probe.id]))}
    assert not faults, json.dumps(faults, indent=1)
    assert hosts == {registry.target, f"moving.test:{registry.server_port}"}
    assert "server-port" not in answers


def _command(probe: Probe, fill: Any) -> dict[str, Any]:
    return {
        "line": "/usr/bin/python3 tries.py " + fill(probe["cmd"]),
        "env": {key: fill(value) for key, value in probe.get("env", {}).items()},
        "dry": probe.get("dry", False),
    }


def _faults(probe: Probe, answer: dict[str, Any]) -> list[str]:
    said = answer["out"] + answer["err"]
    faults = []
    if not re.search(probe["says"], said) or not said.endswith("done\n"):
        faults.append(f"does not say {probe['says']}: {answer}")
    if probe.get("never_says") and re.search(probe["never_says"], said):
        faults.append(f"says {probe['never_says']}: {answer}")
    return faults
