"""check: the project's own formatters and checkers run on a change before it is made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from redline.core.access.rights import ALL_RIGHTS, Right
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import RightMissing, SandboxUnavailable
from redline.core.paths import WorkspacePath
from redline.toolsets.agent.answer import CallChecks
from redline.toolsets.agent.tools import TOOLS
from tests.support import NODE, NODE_MODULES, need_node
from tests.toolsets.agent.conftest import Desk, text_of
from tests.wire.client import connect
from tests.wire.test_dry_run_names import contents

# The programs that the tests were installed with, wherever the tests are started.
HERE = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
PROJECT = {
    "pyproject.toml": (
        '[tool.ruff.lint]\nselect = ["E", "F"]\n\n'
        '[tool.mypy]\nfiles = ["shop.py", "use.py"]\nstrict = true\n'
    ),
    "shop.py": "import os\n\n\ndef price(x: int) -> int:\n    return x\n",
    "use.py": "from shop import price\n\nprint(price(1))\n",
    "odd.py": "x = {  1:2 }\ny = 1\n",
    "notes.txt": "one\n",
}
PAGE = {
    "package.json": '{"devDependencies": {"prettier": "3"}}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true, "lib": ["es5"], "types": []}}\n',
    "shop.ts": "export function price(x: number): number {\n  return x;\n}\n",
    "use.ts": 'import { price } from "./shop";\n\nexport const total = price(1);\n',
}


def fill(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).write_text(text)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    root = tmp_path_factory.mktemp("checked")
    flags = ["--tools", "agent", "--structured"]
    with connect("stdio", flags, cwd=root, env={"PATH": HERE}) as client:
        yield Desk(client, root)


@pytest.fixture
def project(checked: Desk) -> Desk:
    fill(checked.root, PROJECT)
    return checked


def problems(result: dict[str, Any]) -> list[tuple[str, str, int, str]]:
    assert not result["isError"], text_of(result)
    found = result["structuredContent"]["problems"]
    return [(each["tool"], each["path"], each["line"], each["code"]) for each in found]


@pytest.mark.requirement("agent-check-new-problems")
def test_only_problems_that_the_old_content_lacks_are_reported(project: Desk) -> None:
    edits = [{"old": "import os\n", "new": "import os\nimport re\n"}]
    found = project.call("edit", path="shop.py", edits=edits, check=True)
    assert problems(found) == [("ruff", "shop.py", 2, "F401")]
    assert "new problem: shop.py:2: F401 `re` imported but unused (ruff)" in text_of(found)
    assert "import re" in (project.root / "shop.py").read_text()


@pytest.mark.requirement("agent-check-new-problems")
def test_a_checker_of_the_whole_project_reports_what_breaks_elsewhere(project: Desk) -> None:
    edits = [
        {"old": "price(x: int)", "new": "price(x: str)"},
        {"old": "return x", "new": "return 1"},
    ]
    found = project.call("edit", path="shop.py", edits=edits, check=True)
    assert problems(found) == [("mypy", "use.py", 3, "arg-type")]


@pytest.mark.requirement("agent-check-formats")
def test_formatting_is_part_of_the_change_and_of_its_undo(project: Desk) -> None:
    before = contents(project.root)
    edits = [
        {"path": "shop.py", "old": "return x", "new": "return   x+1"},
        {"path": "use.py", "old": "price(1)", "new": "price( 1 )"},
    ]
    result = project.call("edit", edits=edits, check=True)
    assert "return x + 1" in (project.root / "shop.py").read_text()
    assert (project.root / "use.py").read_text() == PROJECT["use.py"]
    assert "return x + 1" in result["structuredContent"]["diff"]
    project.text("undo", id=result["structuredContent"]["id"])
    assert contents(project.root) == before


@pytest.mark.requirement("agent-check-formats")
def test_a_file_that_was_not_formatted_before_is_left_as_it_is_written(project: Desk) -> None:
    said = project.text(
        "edit", path="odd.py", edits=[{"old": "y = 1", "new": "y =  2"}], check=True
    )
    assert (project.root / "odd.py").read_text() == "x = {  1:2 }\ny =  2\n"
    assert "note: not formatted, as it was not before by ruff format: odd.py" in said


@pytest.mark.requirement("agent-check-formats")
@pytest.mark.parametrize(
    ("tool", "arguments", "path", "text"),
    [
        ("write", {"path": "new.py", "content": "x = {  1:2 }"}, "new.py", "x = {1: 2}\n"),
        (
            "apply_patch",
            {"patch": "*** Begin Patch\n*** Add File: new.py\n+x = {  1:2 }\n*** End Patch"},
            "new.py",
            "x = {1: 2}\n",
        ),
        (
            "rewrite",
            {"pattern": "price($A)", "rewrite": "price($A+0)", "path": "use.py"},
            "use.py",
            PROJECT["use.py"].replace("price(1)", "price(1 + 0)"),
        ),
        (
            "rename",
            {"symbol": "price", "to": "amount", "path": "shop.py"},
            "use.py",
            PROJECT["use.py"].replace("price", "amount"),
        ),
    ],
)  # fmt: skip
def test_each_tool_that_changes_code_checks_it(
    project: Desk, tool: str, arguments: dict[str, Any], path: str, text: str
) -> None:
    (project.root / "new.py").unlink(missing_ok=True)
    before = contents(project.root)
    planned = project.call(tool, **arguments, check=True, dry_run=True)
    assert "no new problem" in text_of(planned)
    assert contents(project.root) == before
    project.text(tool, **arguments, check=True)
    assert (project.root / path).read_text() == text
    project.text("undo")
    assert contents(project.root) == before


@pytest.mark.requirement("agent-check-off")
def test_a_call_that_does_not_ask_is_not_checked(project: Desk) -> None:
    result = project.call("write", path="new.py", content="x = {  1:2 }")
    assert (project.root / "new.py").read_text() == "x = {  1:2 }"
    assert "problems" not in result["structuredContent"]
    assert "check" not in text_of(result)


@pytest.mark.requirement("agent-check-off")
def test_what_is_not_configured_or_not_found_is_said(project: Desk) -> None:
    said = project.text("write", path="notes.txt", content="two\n", check=True)
    assert "note: nothing was checked: the project configures no formatter or checker" in said
    (project.root / "web").mkdir(exist_ok=True)
    (project.root / "web" / "Cargo.toml").write_text("[package]\n")
    (project.root / "web" / "go.mod").write_text("module x\n")
    said = project.text("write", path="web/a.go", content="package x\n", check=True)
    assert "gofmt" in said


@pytest.mark.requirement("agent-check-setting")
def test_the_setting_checks_each_change_unless_the_call_says_otherwise(tmp_path: Path) -> None:
    fill(tmp_path, PROJECT)
    arguments = ["--tools", "agent", "--structured", "--check"]
    with connect("stdio", arguments, cwd=tmp_path, env={"PATH": HERE}) as client:
        desk = Desk(client, tmp_path)
        (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
        desk.text("write", path="a.py", content="x = {  1:2 }\n")
        desk.text("write", path="b.py", content="x = {  1:2 }\n", check=False)
        values = desk.text("set", path="pyproject.toml", edits=[{"key": "tool.a", "value": 1}])
    assert (tmp_path / "a.py").read_text() == "x = {1: 2}\n"
    assert (tmp_path / "b.py").read_text() == "x = {  1:2 }\n"
    assert "nothing was checked" in values


@pytest.mark.node
@pytest.mark.requirement("agent-check-new-problems")
def test_prettier_and_tsc_of_the_projects_own_modules_run(tmp_path: Path) -> None:
    need_node()
    fill(tmp_path, PAGE)
    programs = tmp_path / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    modules = NODE_MODULES.resolve()
    (programs / "prettier").symlink_to(modules / "prettier" / "bin" / "prettier.cjs")
    (programs / "tsc").symlink_to(modules / "typescript" / "bin" / "tsc")
    path = os.pathsep.join([str(NODE.resolve().parent), HERE])
    arguments = [
        "--tools",
        "agent",
        "--structured",
        "--workspace",
        ".",
        "--allow-read",
        str(NODE_MODULES.resolve()),
    ]
    with connect("stdio", arguments, cwd=tmp_path, env={"PATH": path}) as client:
        desk = Desk(client, tmp_path)
        edits = [
            {"old": "x: number", "new": "x:   string"},
            {"old": "return x", "new": "return   1"},
        ]
        found = desk.call("edit", path="shop.ts", edits=edits, check=True)
        assert problems(found) == [("tsc", "use.ts", 3, "TS2345")]
        text = PAGE["shop.ts"].replace("x: number", "x: string").replace("return x", "return 1")
        assert (tmp_path / "shop.ts").read_text() == text
        broken = desk.call("write", path="new.ts", content="export const = 1;\n", check=True)
    assert {each[:3] for each in problems(broken)} == {
        ("prettier", "new.ts", 1),
        ("tsc", "new.ts", 1),
    }


COMPILED = {
    "gofmt": (
        {"go.mod": "module x\n\ngo 1.21\n", "a.go": "package x\n\nfunc A() int {\n\treturn 1\n}\n"},
        "a.go",
        ("return 1", "x:=1;return   x"),
        "\tx := 1\n\treturn x\n",
        "func B( {}\n",
    ),
    "rustfmt": (
        {
            "Cargo.toml": '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\n',
            "a.rs": "pub fn a() -> i32 {\n    1\n}\n",
        },
        "a.rs",
        ("    1\n", "    let x=1;  x\n"),
        "    let x = 1;\n    x\n",
        "pub fn b( {}\n",
    ),
}


@pytest.mark.requirement("agent-check-formats")
@pytest.mark.parametrize("program", COMPILED)
def test_the_formatter_of_a_compiled_language_runs(program: str, tmp_path: Path) -> None:
    found = shutil.which(program)
    # That of rustup is there without a toolchain too, and then only fails.
    if found is None or subprocess.run([found, "--help"], capture_output=True).returncode == 1:
        pytest.skip(f"missing here: {program}, which formats no change in this run")
    home = str(Path(found).parent)
    files, name, (old, new), formatted, broken = COMPILED[program]
    fill(tmp_path, files)
    before = contents(tmp_path)
    arguments = ["--tools", "agent", "--structured", "--workspace", ".", "--allow-read", home]
    with connect("stdio", arguments, cwd=tmp_path, env={"PATH": HERE}) as client:
        desk = Desk(client, tmp_path)
        said = desk.text("edit", path=name, edits=[{"old": old, "new": new}], check=True)
        assert f"note: formatted by {program}: {name}" in said
        assert formatted in (tmp_path / name).read_text()
        desk.text("undo")
        assert contents(tmp_path) == before
        ending = Path(name).suffix
        found = problems(desk.call("write", path=f"b{ending}", content=broken, check=True))
    assert [each[:3] for each in found][:1] == [(program, f"b{ending}", 1)]


def _call(options: dict[str, Any], rights: frozenset[Right], **arguments: Any) -> Any:
    """A call of `write`, as far as checks look at it, where no command can run."""

    def run(*_arguments: object) -> None:
        raise SandboxUnavailable("dry_run is not possible here")

    runtime = SimpleNamespace(
        options=options,
        commands=SimpleNamespace(run=run),
        tree=SimpleNamespace(
            stat=lambda _path: SimpleNamespace(kind=None), read=lambda *_given: b""
        ),
        workspace=SimpleNamespace(absolute=lambda path: f"/w/{path.relative}"),
    )
    client = SimpleNamespace(rights=rights, principal="ann")
    tool = next(tool for tool in TOOLS if tool.name == "write")
    return SimpleNamespace(
        tool=tool,
        arguments=arguments,
        runtime=runtime,
        client=client,
        cancel=None,
        origin=lambda _summary: None,
    )


NEW_FILE = ChangeSet((Change(WorkspacePath(0, ("a.ts",)), ABSENT, FileState.of(b"1\n")),))


@pytest.mark.requirement("agent-check-setting")
@pytest.mark.parametrize(
    ("rights", "refusal"),
    [
        (ALL_RIGHTS, SandboxUnavailable),
        (frozenset({Right.READ, Right.WRITE}), RightMissing),
    ],
)
def test_a_check_that_cannot_run_refuses_the_call_that_asked_and_is_said_to_others(
    rights: frozenset[Right], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal) as refused:
        CallChecks(_call({}, rights, check=True)).apply(NEW_FILE)
    assert getattr(refused.value, "hint", "") == "leave check out"
    checks = CallChecks(_call({"check": True}, rights))
    assert checks.apply(NEW_FILE) is NEW_FILE
    assert checks.notes[0].startswith("not checked: ")
