"""The formatters and checkers that a project configures, and the lines that run them."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from shlex import quote
from typing import Any

from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Kind, PathResolver, Tree
from redline.core.records import dataclass

_MAX_SETTINGS = 1 << 20
# What the kernel takes as one argument is 128 KiB; the rest of the line needs some of it.
_MAX_NAMES = 100_000
_PYTHON = (".py", ".pyi")
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs")
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_PRETTY = (
    *_SCRIPT,
    *_TYPED,
    ".css",
    ".scss",
    ".less",
    ".html",
    ".vue",
    ".json",
    ".jsonc",
    ".json5",
    ".yaml",
    ".yml",
    ".md",
    ".graphql",
)
_ENVIRONMENTS = ((".venv", "bin"), ("venv", "bin"), ("node_modules", ".bin"))
_PROGRAMS = ("js", "cjs", "mjs", "ts", "cts", "mts")
_PRETTIER_FILES = (
    ".prettierrc",
    *(f".prettierrc.{end}" for end in ("json", "yml", "yaml", "json5", "toml", *_PROGRAMS)),
    *(f"prettier.config.{end}" for end in _PROGRAMS),
)
_OTHER_FORMATTERS = ("black", "yapf", "autopep8")
# A home is kept as long as the server runs, a view only as long as its command.
_MYPY_ARGUMENTS = (
    "--no-error-summary --no-color-output --no-pretty --show-error-codes"
    ' --cache-dir "$HOME/.cache/mypy"'
)
_OLDEST_EDITION = "2015"


class ProjectFolder:
    """The settings in one directory of a project."""

    def __init__(self, tree: Tree, path: WorkspacePath) -> None:
        self._tree = tree
        self.path = path

    def has(self, *names: str) -> bool:
        """Whether one of *names* is there."""
        return any(self._tree.stat(self.path.child(name)) is not None for name in names)

    def text(self, name: str) -> str:
        """The text of a file; empty where it cannot be read."""
        try:
            return self._tree.read(self.path.child(name), _MAX_SETTINGS).decode()
        except (RedlineError, UnicodeError):
            return ""

    def toml(self, name: str) -> dict[str, Any]:
        """The tables of a file; none where it cannot be read."""
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}

    def python_tools(self) -> dict[str, Any]:
        """The tables of tools in pyproject.toml."""
        found = self.toml("pyproject.toml").get("tool")
        return found if isinstance(found, dict) else {}

    def ini_section(self, name: str, section: str) -> dict[str, str]:
        """One section of a file; nothing where it cannot be read."""
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(self.text(name))
        except configparser.Error:
            return {}
        return dict(parser[section]) if parser.has_section(section) else {}


@dataclass(frozen=True, slots=True)
class ProjectTool:
    """A program that projects configure.

    `arguments` are those before the names of files; a checker that is `whole` in a folder is not
    given names: it judges what the project's settings say.
    """

    name: str
    program: str
    suffixes: tuple[str, ...]
    configured: Callable[[ProjectFolder], bool]
    arguments: Callable[[ProjectFolder], str]
    formats: bool = False
    whole: Callable[[ProjectFolder], bool] = lambda _folder: False


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One program, the directory it runs in and the files it is given."""

    tool: ProjectTool
    folder: WorkspacePath
    line_start: str
    files: tuple[WorkspacePath, ...]
    is_whole: bool = False

    def line(self, files: Iterable[WorkspacePath] | None = None) -> str:
        """Return the shell line; *files* replaces its own files."""
        if self.is_whole:
            return self.line_start
        depth = len(self.folder.parts)
        chosen = self.files if files is None else files
        names = (quote("/".join(path.parts[depth:])) for path in chosen)
        return f"{self.line_start} -- {' '.join(names)}"


def _has_ruff(folder: ProjectFolder) -> bool:
    return folder.has("ruff.toml", ".ruff.toml") or "ruff" in folder.python_tools()


def _has_ruff_format(folder: ProjectFolder) -> bool:
    others = folder.python_tools()
    return _has_ruff(folder) and not any(name in others for name in _OTHER_FORMATTERS)


def _mypy_settings(folder: ProjectFolder) -> dict[str, Any] | None:
    for name in ("mypy.ini", ".mypy.ini"):
        if folder.has(name):
            return folder.ini_section(name, "mypy")
    found = folder.python_tools().get("mypy")
    if isinstance(found, dict):
        return found
    return folder.ini_section("setup.cfg", "mypy") or None


def _has_prettier(folder: ProjectFolder) -> bool:
    if folder.has(*_PRETTIER_FILES):
        return True
    return '"prettier"' in folder.text("package.json")


def _rust_arguments(folder: ProjectFolder) -> str:
    package = folder.toml("Cargo.toml").get("package")
    edition = package.get("edition", _OLDEST_EDITION) if isinstance(package, dict) else ""
    return f"--edition {quote(edition if isinstance(edition, str) and edition else '2021')}"


def _names_mypy_files(folder: ProjectFolder) -> bool:
    settings = _mypy_settings(folder) or {}
    return any(settings.get(key) for key in ("files", "packages", "modules"))


_TOOLS = (
    ProjectTool(
        "ruff format",
        "ruff",
        _PYTHON,
        _has_ruff_format,
        lambda _folder: "format --no-cache --force-exclude --quiet",
        formats=True,
    ),
    ProjectTool(
        "gofmt",
        "gofmt",
        (".go",),
        lambda folder: folder.has("go.mod"),
        lambda _folder: "-w",
        formats=True,
    ),
    ProjectTool(
        "prettier",
        "prettier",
        _PRETTY,
        _has_prettier,
        lambda _folder: "--write --ignore-unknown --log-level error",
        formats=True,
    ),
    ProjectTool(
        "rustfmt",
        "rustfmt",
        (".rs",),
        lambda folder: folder.has("Cargo.toml"),
        _rust_arguments,
        formats=True,
    ),
    ProjectTool(
        "ruff",
        "ruff",
        _PYTHON,
        _has_ruff,
        lambda _folder: "check --no-cache --force-exclude --quiet --output-format concise",
    ),
    ProjectTool(
        "mypy",
        "mypy",
        _PYTHON,
        lambda folder: _mypy_settings(folder) is not None,
        lambda _folder: _MYPY_ARGUMENTS,
        whole=_names_mypy_files,
    ),
    ProjectTool(
        "tsc",
        "tsc",
        _TYPED,
        lambda folder: folder.has("tsconfig.json"),
        lambda _folder: "--noEmit --pretty false -p .",
        whole=lambda _folder: True,
    ),
)


def find_runs(tree: Tree, workspace: PathResolver, files: Sequence[WorkspacePath]) -> list[ToolRun]:
    """Return what to run on *files*, formatters first; the nearest settings of each file decide."""
    found: list[ToolRun] = []
    for tool in _TOOLS:
        known: dict[WorkspacePath, bool] = {}
        groups: dict[WorkspacePath, list[WorkspacePath]] = {}
        for path in files:
            if path.name.endswith(tool.suffixes):
                folder = _nearest(tree, tool, path, known)
                if folder is not None:
                    groups.setdefault(folder, []).append(path)
        for at, members in groups.items():
            found += _runs(tree, workspace, tool, at, members)
    return found


def _nearest(
    tree: Tree, tool: ProjectTool, path: WorkspacePath, known: dict[WorkspacePath, bool]
) -> WorkspacePath | None:
    """Return the directory above *path* whose settings name *tool*."""
    for at in _ancestors(path.parent):
        if at not in known:
            known[at] = tool.configured(ProjectFolder(tree, at))
        if known[at]:
            return at
    return None


def _ancestors(at: WorkspacePath) -> Iterator[WorkspacePath]:
    while at.parts:
        yield at
        at = at.parent
    yield at


def _runs(
    tree: Tree,
    workspace: PathResolver,
    tool: ProjectTool,
    at: WorkspacePath,
    members: Sequence[WorkspacePath],
) -> Iterator[ToolRun]:
    folder = ProjectFolder(tree, at)
    own = [workspace.absolute(place) for place in _environments(tree, at)]
    path = f'PATH={quote(":".join([*own, ""]))}"$PATH"'
    found = f"command -v {tool.program} >/dev/null || exit 127"
    start = f"{path}; {found}; {tool.program} {tool.arguments(folder)}"
    if tool.whole(folder):
        yield ToolRun(tool, at, start, tuple(members), is_whole=True)
        return
    chunk: list[WorkspacePath] = []
    size = 0
    for member in members:
        length = len(quote(member.relative).encode("utf-8", "surrogateescape")) + 1
        if chunk and size + length > _MAX_NAMES:
            yield ToolRun(tool, at, start, tuple(chunk))
            chunk, size = [], 0
        chunk.append(member)
        size += length
    yield ToolRun(tool, at, start, tuple(chunk))


def _environments(tree: Tree, at: WorkspacePath) -> Iterator[WorkspacePath]:
    """Yield the directories of programs that belong to the project, the nearest first."""
    for above in _ancestors(at):
        for name, inner in _ENVIRONMENTS:
            place = above.child(name).child(inner)
            entry = tree.stat(place)
            if entry is not None and entry.kind is Kind.DIRECTORY:
                yield place
