"""The probes themselves: complete, unique, and one for every finding."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.probes.frame import AREA_OF, AREAS, COMMON, FINDINGS, HELD, HERE, RUNNERS, entries

PRESENT = [area for area in AREAS if (HERE / f"{area}.toml").exists()]


def test_no_file_of_probes_is_without_an_area() -> None:
    assert {file.stem for file in HERE.glob("*.toml")} <= set(AREAS)


@pytest.mark.parametrize("area", PRESENT)
def test_every_area_has_its_runner(area: str) -> None:
    assert (HERE / RUNNERS.get(area, f"test_{area}_probes.py")).exists()


@pytest.mark.parametrize("area", PRESENT)
def test_every_probe_says_what_it_tries_and_what_must_be_seen(area: str) -> None:
    for entry in entries(area):
        for field in COMMON:
            assert isinstance(entry.get(field), str), f"{field} of {entry}"
            assert entry[field], f"{field} of {entry}"
        assert entry["finding"] in (*FINDINGS, HELD), entry["id"]
        assert entry["tries"].endswith("."), entry["id"]
        assert entry["must"].endswith("."), entry["id"]


def test_every_probe_has_an_id_of_its_own() -> None:
    counts = Counter(entry["id"] for area in PRESENT for entry in entries(area))
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_finding_belongs_to_an_area() -> None:
    assert sorted(name for names in AREA_OF.values() for name in names) == sorted(FINDINGS)


@pytest.mark.requirement("server-probes")
def test_every_finding_has_a_probe() -> None:
    probed = {entry["finding"] for area in PRESENT for entry in entries(area)}
    asked = {name for area in PRESENT for name in AREA_OF.get(area, ())}
    assert sorted(asked - probed) == []


def test_probes_that_are_tests_of_their_own_exist() -> None:
    root = HERE.parent.parent
    for entry in entries("consent"):
        file, _, name = entry["test"].partition("::")
        functions = ast.walk(ast.parse((root / file).read_text("utf-8")))
        names = {node.name for node in functions if isinstance(node, ast.FunctionDef)}
        assert name in names, entry["id"]
