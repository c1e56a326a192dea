"""A project's own check, compiler or type checker, before and after a rename.

The check sees the staged copy of the project, with the texts of a rename written over it and
taken back afterwards. Libraries that are not installed leave problems; only new ones count.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.agreement.rename_judges import FRESH, go_environment

# Problems without line numbers and with the old name, so that both sides can be compared.
Problems = Counter[str]
_POSITION = re.compile(r":\d+(:\d+)?")


def new_problems(
    language: str, tool: Path, root: Path, name: str, texts: dict[Path, str], before: Problems
) -> Problems:
    """Return the problems of the project with *texts* that it does not have without them."""
    kept = {path: path.read_bytes() for path in texts}
    try:
        for path, text in texts.items():
            path.write_bytes(text.encode())
        return problems(language, tool, root, name) - before
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def problems(language: str, tool: Path, root: Path, name: str = "") -> Problems:
    """Return what the check of a language finds in a project."""
    found = CHECKS[language](tool, root)
    return Counter(_POSITION.sub("", line).replace(FRESH, name or FRESH) for line in found)


def _pyright(package: Path, root: Path) -> list[str]:
    done = _run(["node", str(package / "index.js"), "--outputjson", "-p", str(root)], root)
    told = json.loads(done.stdout).get("generalDiagnostics", [])
    return [f"{each['file']} {each['message']}" for each in told if each["severity"] == "error"]


def _tsc(package: Path, root: Path) -> list[str]:
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "esnext", "--module", "esnext"]
    options += ["--moduleResolution", "bundler", "--jsx", "react-jsx", "--allowJs", "--types", ""]
    files = [str(path) for path in sorted(root.rglob("*.ts*")) if path.suffix in (".ts", ".tsx")]
    done = _run(["node", str(package / "bin" / "tsc"), *options, *files], root)
    return [re.sub(r"\(\d+,\d+\)", "", line) for line in done.stdout.splitlines()]


def _vet(_tool: Path, root: Path) -> list[str]:
    done = _run(["env", *go_environment(root), "go", "vet", "./..."], root)
    return [line for line in done.stderr.splitlines() if not line.startswith("#")]


def _cargo(_tool: Path, root: Path) -> list[str]:
    argv = ["cargo", "check", "--offline", "--all-targets", "--message-format", "short", "--quiet"]
    target = os.environ.get("CARGO_TARGET_DIR", str(root.parent / "target"))
    done = _run(["env", f"CARGO_TARGET_DIR={target}", *argv], root)
    return [line for line in done.stderr.splitlines() if "error" in line]


def _run(argv: list[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)


CHECKS: dict[str, Callable[[Path, Path], list[str]]] = {
    "python": _pyright,
    "typescript": _tsc,
    "go": _vet,
    "rust": _cargo,
}
