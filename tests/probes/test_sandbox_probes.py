"""Every known attack on the command sandbox is held: both guards, as root and as a user."""

from __future__ import annotations

import glob
import json
import os
import re
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.processes.ground import require
from tests.probes.sandbox_ground import GUARDS, USERS, Ground, made_ground, nobody_can_run
from tests.support import need

PROBES = tomllib.loads((Path(__file__).parent / "sandbox.toml").read_text())["probe"]


@pytest.fixture(scope="module", params=list(USERS))
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with made_ground(USERS[request.param]) as made:
        if made.user is not None:
            need(nobody_can_run(made), "a system Python >= 3.11 for the user nobody")
        yield made


def _order(ground: Ground, guard: str) -> dict[str, Any]:
    """Where Redline and its state lie, what is read-only; Landlock alone could hold none of it."""
    if guard == "landlock-bare":
        return {**GUARDS[guard], "source": str(ground.base / "src")}
    fixed, state = ground.workspace / "fixed", ground.workspace / "state" / "redline"
    return {**GUARDS[guard], "read_only": [str(fixed)], "hidden": [str(state)]}


def _terms(ground: Ground, probe: dict[str, Any]) -> dict[str, Any]:
    return {
        "line": ground.fill(probe["cmd"]),
        "env": {name: ground.fill(value) for name, value in probe.get("env", {}).items()},
        "permissions": probe.get("permissions", []),
        "dry": probe.get("dry", False),
    }


def _faults(ground: Ground, probe: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    said = answer["out"] + answer["err"]
    faults = []
    if not re.search(probe.get("says", ""), said):
        faults.append(f"does not say {probe['says']}: {answer}")
    if re.search(probe.get("never_says", "(?!)"), said):
        faults.append(f"says {probe['never_says']}: {answer}")
    for pattern in probe.get("never_made", ()):
        for path in glob.glob(ground.fill(pattern)):
            faults.append(f"made {path}")
            os.unlink(path)
    return faults


@pytest.mark.requirement("sandbox-probes")
@pytest.mark.parametrize("guard", list(GUARDS))
def test_the_sandbox_holds(guard: str, ground: Ground) -> None:
    require(GUARDS[guard]["backend"])
    wanted = [probe for probe in PROBES if guard in probe.get("only", list(GUARDS))]
    faults: dict[str, list[str]] = {}
    terms = {json.dumps([p.get("mode", "safe"), p.get("limits", {})]) for p in wanted}
    for key in sorted(terms):
        mode, limits = json.loads(key)
        batch = {
            probe["id"]: probe
            for probe in wanted
            if [probe.get("mode", "safe"), probe.get("limits", {})] == [mode, limits]
        }
        lines = {name: _terms(ground, probe) for name, probe in batch.items()}
        answers = ground.run(lines, mode=mode, limits=limits, **_order(ground, guard))
        touched = ground.touched() | ({"server-port"} & answers.keys())
        for name, probe in batch.items():
            found = _faults(ground, probe, answers[name])
            found += [f"reached: {fact}" for fact in touched & set(probe.get("untouched", ()))]
            if found:
                faults[name] = found
    assert not faults, json.dumps(faults, indent=1)


@pytest.mark.requirement("sandbox-probes")
def test_what_landlock_alone_cannot_hold_is_refused_or_said(ground: Ground) -> None:
    bare = _order(ground, "landlock-bare")
    answer = ground.run({"write": "touch /dev/shm/made"}, **bare)["write"]
    assert "This kernel cannot keep .git read-only for commands" in answer["warnings"]
    assert answer["exit"] != 0
    nested = {"read_only": [str(ground.workspace / "fixed")]}
    itself = {"source": str(ground.workspace / "src")}
    for kept in (nested, itself):
        with pytest.raises(AssertionError, match="cannot keep a directory inside the workspace"):
            ground.run({"run": "true"}, **{**bare, **kept})
    with pytest.raises(AssertionError, match="dry_run is not possible"):
        ground.run({"run": {"line": "true", "dry": True}}, **bare)


@pytest.mark.requirement("sandbox-probes")
@pytest.mark.parametrize("name", [probe["id"] for probe in PROBES if "opens" in probe])
def test_a_socket_that_a_probe_is_refused_exists_on_this_kernel(name: str) -> None:
    """Otherwise the probe shows nothing: the kernel refuses it with or without a sandbox."""
    probe = next(probe for probe in PROBES if probe["id"] == name)
    try:
        socket.socket(*probe["opens"]).close()
    except OSError as problem:
        pytest.skip(f"{name} is not verified here: without a sandbox too, {problem.strerror}")


@pytest.mark.requirement("sandbox-equal")
def test_every_guard_shows_the_same_files(ground: Ground) -> None:
    """Whatever exists near the root, in /etc, /var and the home: readable in all or in none."""
    home = os.path.expanduser("~")
    places = [path for top in ("/", "/etc/", "/var/", f"{home}/") for path in glob.glob(f"{top}*")]
    places += [path for path in glob.glob(f"{home}/.*") if not path.endswith("/.")]
    replaced = {"/tmp", "/dev", "/proc", "/sys", "/run", "/root", "/home", "/var", "/etc", home}
    asked = sorted({os.path.realpath(path) for path in places} - replaced)
    asked = [path for path in asked if not path.startswith(("/tmp/", "/proc/"))]
    line = " ".join(["/usr/bin/python3 tries.py look", *asked])
    seen: dict[str, set[str]] = {}
    for guard in GUARDS:
        require(GUARDS[guard]["backend"])
        answer = ground.run({"look": line}, **_order(ground, guard))["look"]
        assert answer["out"].endswith("done\n"), answer
        seen[guard] = {text for text in answer["out"].splitlines() if text.startswith("sees")}
    assert seen["bubblewrap"] == seen["landlock"]
    # Directories that only lead to something shown can be listed where there is a tree.
    assert seen["landlock-bare"] <= seen["bubblewrap"]
    empty = seen["bubblewrap"] - seen["landlock-bare"]
    assert not {text for text in empty if os.path.isfile(text.removeprefix("sees "))}
    assert f"sees {os.path.realpath('/usr')}" in seen["landlock-bare"]
