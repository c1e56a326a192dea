"""References in Rust by rust-analyzer, with a source's own crates and the standard library.

Crates of a source and their dependencies on each other are told by a `rust-project.json` made from
its `Cargo.toml` files; libraries from elsewhere stay unresolved. All features and tests are on.
The server comes from Debian with the C library it was built for, so it runs on an older system.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.agreement.references import Answer, Pick, Source, by_server, copy
from bench.library.corpora import tool
from bench.library.language_server import LanguageServer

_LIBRARIES = ("libc6", "libstdc++6", "libgcc-s1", "libstd-rust-1.85", "libllvm19")
_LIBRARY = "usr/lib/x86_64-linux-gnu"
_OPTIONS = {
    "cachePriming": {"enable": False},
    "cargo": {"buildScripts": {"enable": False}},
    "checkOnSave": False,
    "diagnostics": {"enable": False},
    "procMacro": {"enable": False},
    "files": {"watcher": "server"},
}
_CAPABILITIES = {"experimental": {"serverStatusNotification": True}}
_TARGETS = [("bin", "src/bin"), ("test", "tests"), ("example", "examples"), ("bench", "benches")]
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


def references(source: Source, picks: list[Pick]) -> list[Answer]:
    """What rust-analyzer answers for each pick."""
    with tempfile.TemporaryDirectory() as folder:
        root, standard = Path(folder) / "work", Path(folder) / "library"
        root.mkdir()
        copy(source, root)
        _standard(standard)
        project = {"sysroot_src": str(standard), "crates": _project(source, root)}
        (root / "rust-project.json").write_text(json.dumps(project))
        service = LanguageServer(_argv(), root, options=_OPTIONS, capabilities=_CAPABILITIES)
        with service:
            service.wait(_is_ready)
            return by_server(service, root, "rust", picks)


def _argv() -> list[str]:
    libraries = [tool(name).folder() / _LIBRARY for name in _LIBRARIES]
    paths = ":".join(str(path) for path in (*libraries, Path("/", _LIBRARY)))
    loader = libraries[0] / "ld-linux-x86-64.so.2"
    server = tool("rust-analyzer").folder() / "usr/bin/rust-analyzer"
    return [str(loader), "--library-path", paths, str(server)]


def _is_ready(message: dict[str, Any]) -> bool:
    is_status = message.get("method") == "experimental/serverStatus"
    return is_status and bool(message["params"].get("quiescent"))


def _standard(folder: Path) -> None:
    """The standard library without its manifest: with it, cargo would look for what it needs."""
    folder.mkdir()
    library = next((tool("rust-src").folder() / "usr/src").glob("rustc-*")) / "library"
    for place in library.iterdir():
        if place.is_dir():
            (folder / place.name).symlink_to(place)


def _project(source: Source, root: Path) -> list[dict[str, Any]]:
    """Every target of every package as a crate that sees the libraries beside it."""
    packages = [_package(source.root, path) for path in sorted(source.root.rglob("Cargo.toml"))]
    crates = [crate for package in packages if package for crate in _crates(package, root)]
    libraries = {c["display_name"]: n for n, c in enumerate(crates) if c.pop("is_library")}
    for number, crate in enumerate(crates):
        wanted = crate.pop("wanted")
        crate["deps"] = [
            {"crate": libraries[name], "name": spelled}
            for spelled, name in wanted.items()
            if name in libraries and libraries[name] != number
        ]
    return crates


def _package(root: Path, manifest: Path) -> dict[str, Any] | None:
    told = tomllib.loads(manifest.read_text("utf-8"))
    package = told.get("package")
    if package is None:
        return None
    wanted = {}
    features = set(told.get("features", {}))
    for table in _DEPENDENCIES:
        for spelled, value in told.get(table, {}).items():
            given = value if isinstance(value, dict) else {}
            wanted[_plain(spelled)] = _plain(given.get("package", spelled))
            features |= {spelled} if given.get("optional") else set()
    edition = package.get("edition", "2015")
    return {
        "name": package["name"],
        "folder": manifest.parent.relative_to(root),
        "edition": edition if isinstance(edition, str) else "2021",
        "features": sorted(features),
        "wanted": wanted,
        "library": told.get("lib", {}),
        "is_macro": told.get("lib", {}).get("proc-macro", False),
    }


def _crates(package: dict[str, Any], root: Path) -> Iterator[dict[str, Any]]:
    folder = root / package["folder"]
    library = package["library"]
    name = _plain(library.get("name", package["name"]))
    entry = folder / library.get("path", "src/lib.rs")
    seen = {**package["wanted"], name: name}
    if entry.is_file():
        yield _crate(package, entry, name, is_library=True)
    mains = [folder / "src/main.rs", folder / "build.rs"]
    for _, place in _TARGETS:
        mains += sorted((folder / place).glob("*.rs")) + sorted((folder / place).glob("*/main.rs"))
    for main in mains:
        if main.is_file():
            crate = _crate(package, main, main.stem, is_library=False)
            yield {**crate, "wanted": seen}


def _crate(package: dict[str, Any], entry: Path, name: str, *, is_library: bool) -> dict[str, Any]:
    features = [f'feature="{feature}"' for feature in package["features"]]
    return {
        "display_name": name,
        "root_module": str(entry),
        "edition": package["edition"],
        "cfg": ["test", "debug_assertions", "unix", 'target_os="linux"', *features],
        "is_workspace_member": True,
        "is_proc_macro": False,
        "is_library": is_library,
        "wanted": package["wanted"],
    }


def _plain(name: str) -> str:
    return name.replace("-", "_")
