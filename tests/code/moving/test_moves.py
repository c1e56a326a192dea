"""Moves with imports: Python against the interpreter, scripts against the TypeScript service."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import CannotApply
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.plan.file_ops import plan_move
from redline.services.code.move_imports import plan_moved_imports
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.code.moving.projects import (
    SampleProject,
    aliased_project,
    python_project,
    script_project,
)
from tests.support import LONG, NODE_MODULES, need_node

SERVICE = Path(__file__).with_name("service.mjs")
RESOLVE = Path(__file__).with_name("resolve.mjs")
COUNT = 400 if LONG else 20
# Prints the value of each module; the order is the same before and after, as imports may be cyclic.
IMPORTER = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
found = {}
for name in json.loads(sys.argv[2]):
    try:
        found[name] = importlib.import_module(name).VALUE
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    root = tmp_path / "root"
    root.mkdir()
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"), record=False)
    with Redline(settings) as made:
        yield made


def clear(root: Path) -> None:
    for entry in root.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def texts(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_text() for path in found}


def move(redline: Redline, root: Path, project: SampleProject) -> str:
    """Move as the project says; why it is refused, empty if it was made."""
    source, target = (
        redline.workspace.resolve(name, Access.WRITE, follow=False)
        for name in (project.old, project.new)
    )
    try:
        moved = plan_move(redline.tree, source, target, project.new)
        followed = plan_moved_imports(redline, source, target, Access.WRITE, UNCANCELLABLE)
    except CannotApply as refused:
        return refused.message
    before = texts(root)
    operation = redline.editor.commit(moved + followed.change_set, Origin("test"))
    after = texts(root)
    redline.editor.commit(operation.change_set.inverse(), Origin("test"))
    assert texts(root) == before
    redline.editor.commit(moved + followed.change_set, Origin("test"))
    assert texts(root) == after
    return ""


def values(root: Path, modules: list[str]) -> dict[str, object]:
    line = [sys.executable, "-I", "-c", IMPORTER, str(root), json.dumps(modules)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


@pytest.mark.requirement("agent-move-imports")
def test_every_module_of_a_python_project_imports_as_before(
    redline: Redline, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    refused: list[str] = []
    made = 0
    for seed in range(COUNT):
        project = python_project(random.Random(seed))
        if project.new in project.files:
            continue
        clear(root)
        project.write(root)
        modules = sorted(name for name in project.files if not name.endswith("__init__.py"))
        before = values(root, [module_of(name) for name in modules])
        if any(isinstance(value, str) for value in before.values()):
            continue
        why = move(redline, root, project)
        if why:
            refused.append(f"{seed}: {why}")
            assert texts(root) == project.files
            continue
        made += 1
        names = {module_of(name): module_of(name) for name in modules}
        names[module_of(project.old)] = module_of(project.new)
        after = values(root, [names[module_of(name)] for name in modules])
        expected = {names[name]: value for name, value in before.items()}
        assert after == expected, (seed, project.old, project.new, texts(root))
    assert made >= COUNT // 2
    assert len(refused) <= made // 4, refused


@pytest.mark.node
@pytest.mark.requirement("agent-move-imports")
def test_scripts_follow_as_the_typescript_service_has_them(
    redline: Redline, tmp_path: Path
) -> None:
    node = need_node()
    root = tmp_path / "root"
    projects = [script_project(random.Random(seed)) for seed in range(COUNT)]
    projects = [each for each in projects if each.old != each.new]
    lines = [
        json.dumps({"files": each.files, "old": each.old, "fresh": each.new}) for each in projects
    ]
    line = [str(node), str(SERVICE), str(NODE_MODULES / "typescript" / "lib" / "typescript.js")]
    judged = subprocess.run(
        line, input="\n".join(lines), capture_output=True, text=True, check=True
    )
    made = 0
    for project, expected in zip(projects, judged.stdout.splitlines(), strict=True):
        clear(root)
        project.write(root)
        if move(redline, root, project):
            assert texts(root) == project.files
            continue
        made += 1
        assert texts(root) == json.loads(expected), (project.old, project.new, project.files)
    assert made >= len(projects) * 0.9


def resolved(projects: list[dict[str, str]]) -> list[dict[str, list[str | None]]]:
    """Which file each import of each project leads to, by TypeScript."""
    node, typescript = need_node(), NODE_MODULES / "typescript" / "lib" / "typescript.js"
    lines = "\n".join(json.dumps(each) for each in projects)
    line = [str(node), str(RESOLVE), str(typescript)]
    done = subprocess.run(line, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(each) for each in done.stdout.splitlines()]


@pytest.mark.node
@pytest.mark.requirement("agent-path-aliases")
def test_imports_by_the_paths_of_a_configuration_lead_to_the_same_files(
    redline: Redline, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    projects = [aliased_project(random.Random(seed)) for seed in range(COUNT)]
    after: list[dict[str, str]] = []
    for project in projects:
        clear(root)
        project.write(root)
        assert move(redline, root, project) == ""
        after.append(texts(root))
    pairs = zip(resolved([each.files for each in projects]), resolved(after), strict=True)
    kept = 0
    for project, (was, now) in zip(projects, pairs, strict=True):
        names = {project.old: project.new}
        expected = {
            names.get(name, name): [names.get(one or "", one) for one in targets]
            for name, targets in was.items()
        }
        assert now == expected, (project.old, project.new, project.files)
        kept += any("@/" in text for text in project.files.values())
    assert kept > COUNT // 4


@pytest.mark.requirement("agent-path-aliases")
def test_a_file_that_a_configuration_names_itself_is_not_moved(
    redline: Redline, tmp_path: Path
) -> None:
    config = {"compilerOptions": {"paths": {"tools": ["./src/tools.ts"]}}}
    files = {"tsconfig.json": json.dumps(config), "src/tools.ts": "export const a = 1;\n"}
    project = SampleProject(files)
    project.old, project.new = "src/tools.ts", "src/other.ts"
    project.write(tmp_path / "root")
    assert "names the file as: tools" in move(redline, tmp_path / "root", project)
