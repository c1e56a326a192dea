"""Rules about the source tree that no linter states."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.server.calls.catalog import load_toolsets

SOURCE = Path(__file__).resolve().parent.parent / "src" / "redline"
MAX_MODULES = 16
MAX_LINES = 350
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


def test_no_module_is_over_three_hundred_and_fifty_lines() -> None:
    long = {
        str(path.relative_to(SOURCE)): count
        for path in SOURCE.rglob("*.py")
        if (count := len(path.read_text("utf-8").splitlines())) > MAX_LINES
    }
    assert not long, f"modules to split by responsibility: {long}"


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


# Words that leave open who acts and what happens; docs/glossary.md has the terms we use.
IDIOM = re.compile(
    r"\b(whoever|whomever|stands? (?:for|there|in)|spell(?:s|ed|ing|ings)|told|worded|riddles?|"
    r"anew|lets? go of|let go|in vain|of ours|brought in|brings in|gives away|made to last|"
    r"lasting|so many|so much|somebody|nobody|strays?|stretch(?:es)?|heaps?|seeds?)\b",
    re.IGNORECASE,
)
IDIOM_IN_NAMES = frozenset(
    {
        *("told", "spelled", "spelling", "spellings", "worded", "whoever", "riddle", "riddles"),
        *("stray", "kin", "anew", "stretch", "stretches", "sheet", "sheets", "seed", "heap"),
        *("forget", "lasting"),
    }
)
OLD_LIMITS = re.compile(r"_?(MOST|LARGEST|LONGEST|DEEPEST|WIDEST|BIGGEST|HIGHEST|FEWEST)_")
MAX_PARTICIPLES = 40
PARTICIPLE = re.compile(r"_*([a-z]+ed|told|said|made|kept|given|shown|brought|taken|found|held)_*")
NOT_PARTICIPLES = frozenset({"need", "feed", "speed", "embed", "exceed", "proceed", "shed"})


def _definitions() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(SOURCE.rglob("*.py")):
        where = str(path.relative_to(SOURCE))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield where, node


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    return []


def test_no_public_class_name_is_used_twice() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice, f"one name, one class: {twice}"


def test_names_and_docstrings_are_plain_english() -> None:
    guilty = []
    for where, node in _definitions():
        for name in _names(node):
            words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
            if words & IDIOM_IN_NAMES or OLD_LIMITS.match(name):
                guilty.append(f"{where}: {name}")
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = IDIOM.search(ast.get_docstring(node) or "")
            if found:
                name = getattr(node, "name", "module")
                guilty.append(f"{where}: docstring of {name}: {found.group()}")
    assert not guilty, "\n".join(guilty)


def test_functions_are_named_by_verbs_not_participles() -> None:
    guilty = [
        f"{where}: {node.name}"
        for where, node in _definitions()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and PARTICIPLE.fullmatch(node.name)
        and node.name.strip("_") not in NOT_PARTICIPLES
    ]
    assert len(guilty) < MAX_PARTICIPLES, "\n".join(guilty)


def test_the_command_line_imports_no_toolset() -> None:
    guilty = [
        f"{path.relative_to(SOURCE)}: {node.module}"
        for path in sorted((SOURCE / "cli").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("redline.toolsets")
    ]
    assert not guilty, f"call services instead: {guilty}"
