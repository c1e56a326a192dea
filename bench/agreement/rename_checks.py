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
_FRESH = re.compile(rf"[Rr]{FRESH}(_\d+_)?")
_TSC_OPTIONS = {
    "noEmit": True,
    "strict": True,
    "skipLibCheck": True,
    "allowJs": True,
    "types": [],
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
}
_CONSTRAINT = re.compile(r"^//go:build (.*)", re.MULTILINE)
# Words of build constraints that no tag of the project is: systems, processors, versions.
_NO_TAG = re.compile(
    r"go1[.\d]*|ignore|unix|cgo|race|gc|gccgo|appengine|tinygo|purego|aix|android|darwin|dragonfly"
    r"|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|wasm|386|amd64"
    r"|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x"
)
# Not the sum, which counts warnings too.
_RUST_ERROR = re.compile(r"(?:^|: )error(?!: could not compile)")
_POSITION = re.compile(r":\d+(:\d+)?")


def new_problems(
    language: str,
    tool: Path,
    root: Path,
    old_names: dict[str, str],
    texts: dict[Path, str],
    before: Problems,
) -> Problems:
    """Return the problems of the project with *texts* that it does not have without them."""
    kept = {path: path.read_bytes() for path in texts}
    try:
        for path, text in texts.items():
            path.write_bytes(text.encode())
        return problems(language, tool, root, old_names) - before
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def problems(language: str, tool: Path, root: Path, old_names: dict[str, str]) -> Problems:
    """Return what the check of a language finds in a project, with the old names."""
    found = CHECKS[language](tool, root)
    return Counter(
        _FRESH.sub(lambda new: old_names.get(new[0], new[0]), _POSITION.sub("", line))
        for line in found
    )


def _pyright(package: Path, root: Path) -> list[str]:
    done = _run(["node", str(package / "index.js"), "--outputjson", "-p", str(root)], root)
    told = json.loads(done.stdout).get("generalDiagnostics", [])
    return [f"{each['file']} {each['message']}" for each in told if each["severity"] == "error"]


def _tsc(package: Path, root: Path) -> list[str]:
    found = (path for path in sorted(root.rglob("*.ts*")) if path.suffix in (".ts", ".tsx"))
    files = [str(path) for path in found if path.is_file()]
    config = root.parent / "check.json"
    config.write_text(json.dumps({"compilerOptions": _TSC_OPTIONS, "files": files}))
    done = _run(["node", str(package / "bin" / "tsc"), "-p", str(config)], root.parent)
    lines = [re.sub(r"\(\d+,\d+\)", "", line) for line in done.stdout.splitlines()]
    if any(line.startswith("error ") for line in lines):
        raise RuntimeError(f"nothing was checked: {lines[:3]}")
    return lines


def _vet(_tool: Path, root: Path) -> list[str]:
    """Vet as the project is built here, with each tag that its files name, and for Windows."""
    named: set[str] = set()
    for path in root.rglob("*.go"):
        for line in _CONSTRAINT.findall(path.read_text("utf-8", "replace")):
            named.update(re.findall(r"[\w.]+", line))
        named |= {"windows"} if path.stem.endswith("_windows") else set()
    ways = [["-tags", each] for each in ["", *sorted(named)] if not _NO_TAG.fullmatch(each)]
    found = []
    for system, way in [*(("linux", way) for way in ways), ("windows", [])]:
        if system == "linux" or system in named:
            argv = ["env", *go_environment(root), f"GOOS={system}", "go", "vet", *way, "./..."]
            lines = _run(argv, root).stderr.splitlines()
            found += [line for line in lines if not line.startswith("#")]
    return found


def left_out_of_build(language: str, root: Path) -> set[Path]:
    """The files that the check does not read, and so the service does not see."""
    if language == "rust":
        target = Path(_target(root)) / "debug" / "deps"
        built = [path.read_text("utf-8") for path in target.glob("*.d")]
        read = {word for text in built for word in text.split() if word.endswith(".rs")}
        return {path for path in root.rglob("*.rs") if str(path.relative_to(root)) not in read}
    if language != "go":
        return set()
    shown = "{{$in := .Dir}}{{range .IgnoredGoFiles}}{{$in}}/{{.}}\n{{end}}"
    done = _run(["env", *go_environment(root), "go", "list", "-e", "-f", shown, "./..."], root)
    return {Path(line) for line in done.stdout.splitlines() if line}


def _cargo(_tool: Path, root: Path) -> list[str]:
    """Check as cargo builds by default, with no and with all features; not how names look."""
    argv = ["cargo", "check", "--offline", "--keep-going", "--all-targets", "--quiet"]
    argv += ["--message-format", "short"]
    target = _target(root)
    found = []
    for more in ([], ["--no-default-features"], ["--all-features"]):
        settings = [f"CARGO_TARGET_DIR={target}", "RUSTFLAGS=--cap-lints=warn"]
        done = _run(["env", *settings, *argv, *more], root)
        found += [line for line in done.stderr.splitlines() if _RUST_ERROR.search(line)]
    return found


def _target(root: Path) -> str:
    return os.environ.get("CARGO_TARGET_DIR", str(root.parent / "target"))


def _run(argv: list[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)


CHECKS: dict[str, Callable[[Path, Path], list[str]]] = {
    "python": _pyright,
    "typescript": _tsc,
    "go": _vet,
    "rust": _cargo,
}
