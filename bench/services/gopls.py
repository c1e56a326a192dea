"""References of Go as gopls tells them, with the standard library and no others.

Every module is asked without its requirements: what it imports from elsewhere is not there, as
if offline. Files that a build for Linux on amd64 leaves out are no part of the source.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from bench.agreement.references import Answer, Pick, Source, by_server, copy
from bench.library.corpora import HOME, tool
from bench.library.language_server import LanguageServer

_FILES = "{{range .%s}}{{$folder}}/{{.}}\n{{end}}"
_LISTED = ("GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles")
_TEMPLATE = "{{$folder := .Dir}}" + "".join(_FILES % key for key in _LISTED)


def references(source: Source, picks: list[Pick]) -> list[Answer]:
    """What gopls answers for each pick."""
    server = tool("gopls").folder() / "usr" / "bin" / "gopls"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        copy(source, folder)
        _alone(folder)
        argv = ["env", *(f"{key}={value}" for key, value in environment().items()), str(server)]
        with LanguageServer(argv, folder) as service:
            return by_server(service, folder, "go", picks)


def built(root: Path, files: list[Path]) -> list[Path]:
    """Those of *files* that are built, their tests too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        copy(Source("", "go", root, files, pinned=False), folder)
        found = [line for module in _alone(folder) for line in _listed(module)]
        kept = {root / Path(line).relative_to(folder) for line in found}
    return [file for file in files if file in kept]


def _alone(folder: Path) -> list[Path]:
    """Take the requirements from every module; where the modules are."""
    modules = sorted(folder.rglob("go.mod"))
    for module in modules:
        lines = module.read_text("utf-8").splitlines()
        name = next(line for line in lines if line.startswith("module"))
        module.write_text(f"{name}\n\ngo 1.22\n", "utf-8")
    return [module.parent for module in modules]


def _listed(module: Path) -> list[str]:
    argv = [str(_go() / "bin" / "go"), "list", "-e", "-f", _TEMPLATE, "./..."]
    known = {**os.environ, **environment()}
    done = subprocess.run(argv, cwd=module, env=known, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if line]


def _go() -> Path:
    return tool("go").folder() / "go"


def environment() -> dict[str, str]:
    """What the toolchain and gopls are started with: nothing comes from the network."""
    kept = HOME.parent / "go"
    return {
        "PATH": f"{_go() / 'bin'}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
        "GOROOT": str(_go()),
        "GOPATH": str(kept / "path"),
        "GOCACHE": str(kept / "cache"),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOSUMDB": "off",
        "GOTOOLCHAIN": "local",
        "GOOS": "linux",
        "GOARCH": "amd64",
    }
