"""Rules about the source tree that no linter states."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from redline.server.calls.catalog import load_toolsets

SOURCE = Path(__file__).resolve().parent.parent / "src" / "redline"
MAX_MODULES = 16
WRITERS = {"open", "write_text", "write_bytes", "unlink", "rename", "rmdir", "mkdir", "touch"}


def _outside_adapters() -> list[Path]:
    return [p for p in SOURCE.rglob("*.py") if "adapters" not in p.relative_to(SOURCE).parts]


def _calls_by_bare_name(tree: ast.AST) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_nothing_outside_adapters_opens_a_file() -> None:
    guilty = [
        str(path.relative_to(SOURCE))
        for path in _outside_adapters()
        if "open" in _calls_by_bare_name(ast.parse(path.read_text("utf-8")))
    ]
    assert not guilty, f"only adapters open files: {guilty}"


def test_nothing_outside_adapters_uses_pathlib_to_write() -> None:
    guilty = []
    for path in _outside_adapters():
        text = path.read_text("utf-8")
        if "import pathlib" in text or "from pathlib" in text:
            calls = {
                node.func.attr
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            }
            guilty += [f"{path.relative_to(SOURCE)}: {name}" for name in sorted(calls & WRITERS)]
    assert not guilty, f"only adapters write files: {guilty}"


def test_pure_rooms_know_no_environment_and_ask_no_kernel() -> None:
    rooms = ("core", "documents", "plan", "instruct", "search", "code")
    guilty = [
        f"{path.relative_to(SOURCE)}: {node.attr}"
        for room in rooms
        for path in (SOURCE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "CDLL")
    ]
    assert not guilty, f"only adapters and settings look at the world: {guilty}"


def test_every_module_says_what_it_is_for() -> None:
    bare = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not bare, f"modules without a docstring: {bare}"


def test_no_folder_holds_more_than_sixteen_modules() -> None:
    full = {
        str(folder.relative_to(SOURCE)): count
        for folder in (SOURCE, *(path for path in SOURCE.rglob("*") if path.is_dir()))
        if (count := sum(path.stem != "__init__" for path in folder.glob("*.py"))) > MAX_MODULES
    }
    assert not full, f"folders with too many modules: {full}"


def test_no_module_repeats_the_name_of_its_folder() -> None:
    repeating = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.stem == path.parent.name or path.stem.startswith(f"{path.parent.name}_")
    ]
    assert not repeating, f"modules that repeat their folder: {repeating}"


def test_packages_import_nothing_when_they_are_loaded() -> None:
    importing = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.glob("*/**/__init__.py")
        if any(
            isinstance(node, ast.Import | ast.ImportFrom)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    ]
    assert not importing, f"packages that import: {importing}"


@pytest.mark.requirement("server-names-no-toolset")
def test_the_server_names_no_toolset_and_no_tool() -> None:
    toolsets = load_toolsets(["all"])
    every = [tool for toolset in toolsets for tool in toolset.tools]
    tools = {name for tool in every for name in (tool.name, *tool.aliases)}
    # Plain English words that are the name of a toolset or tool as well.
    names = (tools | {toolset.name for toolset in toolsets}) - {"json", "code", "files", "history"}
    guilty = [
        f"{path.relative_to(SOURCE)}: {word}"
        for path in (SOURCE / "server").rglob("*.py")
        for word in sorted(set(re.findall(r"[\w.]+", path.read_text("utf-8"))) & names)
    ]
    assert not guilty, f"a profile of the toolset should say this: {guilty}"


def test_only_the_server_builds_a_call() -> None:
    guilty = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "server"
        and "Call" in _calls_by_bare_name(ast.parse(path.read_text("utf-8")))
    ]
    assert not guilty, f"call a service instead of a tool: {guilty}"
