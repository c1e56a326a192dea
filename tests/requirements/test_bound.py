"""Every requirement has a test, every binding names a requirement."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent


def _requirements() -> dict[str, str]:
    found: dict[str, str] = {}
    for file in sorted(HERE.glob("*.toml")):
        for entry in tomllib.loads(file.read_text("utf-8")).get("requirement", []):
            assert entry["id"] not in found, f"requirement listed twice: {entry['id']}"
            assert entry["source"], entry["id"]
            assert entry["text"], entry["id"]
            found[entry["id"]] = file.name
    return found


def _bound_ids() -> dict[str, str]:
    bound: dict[str, str] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement"):
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{file}: ids are literals"
                    bound[str(argument.value)] = str(file.relative_to(TESTS))
    return bound


def test_every_requirement_is_bound_to_a_test() -> None:
    missing = sorted(set(_requirements()) - set(_bound_ids()))
    assert not missing, f"requirements without a test: {missing}"


def test_every_binding_names_a_listed_requirement() -> None:
    unknown = sorted(set(_bound_ids()) - set(_requirements()))
    assert not unknown, f"bindings to no requirement: {unknown}"


@pytest.mark.requirement("meta-sources")
def test_requirement_ids_carry_their_list() -> None:
    for name, file in _requirements().items():
        assert name.startswith((Path(file).stem, "meta")), name
