"""What the code imports is declared, and what is declared is explained."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

# Several packages share these; the one that is meant.
NAMESPACES = {"google": ["google-genai"], "opentelemetry": ["opentelemetry-sdk"]}


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~! ]", line)[0].lower() for line in requirements}


def _imported() -> set[str]:
    """Top-level modules of others that any file of ours imports, anywhere in it."""
    found: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"redline"}


def test_every_package_that_is_imported_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    declared = _names(PROJECT["dependencies"])
    declared |= {
        name for extra, names in extras.items() if extra != "dev" for name in _names(names)
    }
    owners = {**packages_distributions(), **NAMESPACES}
    imported = _imported()
    assert "orjson" in imported
    undeclared = {
        module
        for module in imported
        # The module of an extra may be missing here.
        if not {name.replace("_", "-").lower() for name in owners.get(module, [module])} & declared
    }
    assert not undeclared


def test_every_dependency_has_its_row_in_the_docs_once() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    rows = re.findall(r"^\| ([\w-]+) \|", page, re.MULTILINE)[1:]
    rows = rows[: len(PROJECT["dependencies"])]
    assert sorted(rows) == sorted(_names(PROJECT["dependencies"]))
