"""The examples of packaging/deploy: schemas hold, flags and metrics exist."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from redline.cli.parser import build_parser
from redline.server.observe.metrics import Metrics
from redline.settings import load
from tests.support import REPO

DEPLOY = REPO / "packaging" / "deploy"
# Made from the schemas of Kubernetes 1.32, strict, for the kinds used here.
SCHEMA = json.loads((Path(__file__).parent / "kubernetes-1.32.json").read_text())


def manifests() -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()) if each]


def commands() -> dict[str, list[str]]:
    """How each example starts the server."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["redline"]
    unit = (DEPLOY / "redline.service").read_text()
    (start,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    (pod,) = [each for each in manifests() if each["kind"] == "StatefulSet"]
    (container,) = pod["spec"]["template"]["spec"]["containers"]
    return {
        "compose": [*compose["entrypoint"], *compose["command"]],
        "systemd": ["redline", *shlex.split(start)[1:]],
        "kubernetes": [*container["command"], *container["args"]],
    }


@pytest.mark.requirement("deployment-valid")
def test_manifests_are_what_kubernetes_takes() -> None:
    kinds = [each["kind"] for each in manifests()]
    assert {"StatefulSet", "Service", "NetworkPolicy", "Deployment"} == set(kinds)
    for each in manifests():
        schema = {**SCHEMA["kinds"][each["kind"]], "definitions": SCHEMA["definitions"]}
        found = list(jsonschema_rs.validator_for(schema).iter_errors(each))
        assert not found, (each["metadata"]["name"], [str(error) for error in found])
    wrong = {**manifests()[0], "specification": {}}
    schema = {**SCHEMA["kinds"][wrong["kind"]], "definitions": SCHEMA["definitions"]}
    assert not jsonschema_rs.validator_for(schema).is_valid(wrong), "the schema is strict"


def test_selectors_and_ports_meet() -> None:
    pods = {
        each["spec"]["selector"]["matchLabels"]["app"]: each["spec"]["template"]
        for each in manifests()
        if each["kind"] in ("StatefulSet", "Deployment")
    }
    for each in manifests():
        if each["kind"] == "Service":
            pod = pods[each["spec"]["selector"]["app"]]
            ports = {p["name"] for c in pod["spec"]["containers"] for p in c["ports"]}
            assert {port["targetPort"] for port in each["spec"]["ports"]} <= ports


@pytest.mark.requirement("deployment-valid")
@pytest.mark.parametrize("kind", ["compose", "systemd", "kubernetes"])
def test_the_flags_of_every_example_exist(kind: str, tmp_path: Path) -> None:
    program, command, *flags = commands()[kind]
    assert (program, command) == ("redline", "serve")
    parsed, unknown = build_parser("serve").parse_known_args(["serve", *flags])
    assert not unknown
    host, _, port = parsed.http.rpartition(":")
    given = {"host": host, "port": int(port), "users": parsed.users, "workspaces": str(tmp_path),
             "state_dir": parsed.state_dir, "allowed_hosts": parsed.allowed_hosts}  # fmt: skip
    assert load(given, {}).users == parsed.users


@pytest.mark.requirement("deployment-valid")
def test_the_unit_is_what_systemd_takes(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("missing here: systemd-analyze")
    unit = tmp_path / "redline.service"
    text = (DEPLOY / "redline.service").read_text()
    unit.write_text(text.replace("/opt/redline/bin/redline", "/bin/true"))
    found = subprocess.run(
        [program, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    about_it = [line for line in found.stderr.splitlines() if "redline.service" in line]
    assert not about_it, about_it
    unit.write_text(text.replace("RestartSec=1", "RestartSeconds=1"))
    found = subprocess.run(
        [program, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert "RestartSeconds" in found.stderr, "a mistake is named"


@pytest.mark.requirement("deployment-valid")
def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    metrics = Metrics("0")
    metrics.watch_call("read_file", True, 0.1)
    metrics.watch_event("login")
    metrics.gauges["redline_open_workspaces"] = ("Workspaces that are open.", lambda: 1)
    known = set(re.findall(r"^(redline_\w+)", metrics.render(), re.MULTILINE))
    board = json.loads((DEPLOY / "grafana.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    for expression in asked:
        assert set(re.findall(r"redline_\w+", expression)) <= known, expression
